//! Games: blocks to pack, operators to order, a plan to find the fault of, boards to break a
//! planner with. What is dealt comes from a seed or from a document; it is made here because it
//! takes planners.

use serde::{Deserialize, Serialize};

use super::answer::{Failure, Planned, refused};
use super::listener::NoListener;
use super::plan::{plan, prepare};
use super::source::PlanTask;
use super::tries::{Tries, TriesFrom, find, tries};
use memplan_core::base::{IdVec, Message};
use memplan_core::plan::{Plan, Proof, Violation, check_up_to};
use memplan_core::problem::{BufferId, Memory, MemoryId, Problem, Scope, lower_bound};
use memplan_core::trace::{Recorder, Silent};
use memplan_formats::import::{Answers, Document};
use memplan_planners::{self as planner, Needs, Planner};
use memplan_teach::choices;
use memplan_teach::exercise::activity::{Kind, Placing, debug_words, of_buffers};
use memplan_teach::exercise::board::{self, Board};
use memplan_teach::exercise::operators::Operators;
use memplan_teach::exercise::packing::Offsets;
use memplan_teach::exercise::variant::{self, Difficulty, Facts, Instance, Placed, generate};

/// Fewest and most blocks of a game.
pub const BLOCKS: (usize, usize) = (3, 40);

/// Most operators of a game: all their orders are tried.
pub const OPERATORS: usize = 9;

/// What a game asks of the worker. `F` stands for a file, as in [`crate::Source`].
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum GameRequest<F = Vec<u8>> {
    /// Deal a game.
    Deal {
        /// Its kind.
        kind: Kind,
        /// Id of the planner whose order or plan it has.
        planner: String,
        /// What it is about.
        from: DealFrom<F>,
        /// Id of the user's planner, which has a rung of the ladder, too.
        own: Option<String>,
    },
    /// Look for the best plan of these buffers.
    Prove(Box<Problem>),
    /// Run a planner on a board.
    Break {
        /// Id of the planner.
        planner: String,
        /// The board as a link has it.
        board: String,
    },
    /// Measure and draw boards that are kept, or those of a file.
    Tries(TriesFrom<F>),
}

/// What a game is about.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum DealFrom<F = Vec<u8>> {
    /// An instance made from a seed, at a difficulty.
    Seed(u64, u8),
    /// A document.
    File {
        /// The document.
        file: F,
        /// How it is read.
        choices: Answers,
        /// What of it is planned.
        scope: Scope,
    },
}

/// The answer to a [`GameRequest`].
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Gamed {
    /// To [`GameRequest::Deal`].
    Dealt(Box<Deal>),
    /// To [`GameRequest::Prove`].
    Proved(Proved),
    /// To [`GameRequest::Break`]; the packed plan with the bytes that it needs, none if the planner
    /// gives no plan.
    Broken(Option<Box<Broken>>),
    /// To [`GameRequest::Tries`].
    Tries(Tries),
}

/// A dealt game.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Deal {
    /// The blocks, in one memory.
    pub problem: Problem,
    /// Lower bound in bytes.
    pub bound: u64,
    /// Peaks of planners on these blocks, in the order of [`choices::LADDER`]; at the end that of
    /// the user's own, if it gives a plan that breaks no rule.
    pub ladder: Vec<Rung>,
    /// Peak of the yardstick.
    pub yardstick: u64,
    /// Peak of the game's own planner.
    pub own: u64,
    /// What is known of the best plan: for instances from a seed at once.
    pub proved: Option<Proved>,
    /// The order in which blocks come.
    pub order: Vec<BufferId>,
    /// Operators, or buffers that first fit places, to be put in order.
    pub operators: Option<Operators>,
    /// Smallest highest load or peak of all orders that are known, and an order that has it.
    pub best_order: (u64, Vec<usize>),
    /// Whether no order has a smaller one.
    pub is_best: bool,
    /// A plan with a fault.
    pub plan: Option<Plan>,
    /// The fault: the buffers that take part, and a sentence about it.
    pub fault: Option<(Vec<BufferId>, Message)>,
}

/// A planner's peak and plan.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Rung {
    /// Id of the planner.
    pub planner: String,
    /// Its peak in bytes.
    pub peak: u64,
    /// Where it puts the blocks.
    pub offsets: Offsets,
}

/// What the exact search found.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Proved {
    /// The best plan that was found.
    pub rung: Rung,
    /// No plan is below this peak.
    pub floor: u64,
}

/// A planner's plan of a board.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Broken {
    /// The plan with its events.
    pub planned: Planned,
    /// The peak in bytes, of what the planner made of the sizes.
    pub peak: u64,
    /// Lower bound of the board in bytes.
    pub bound: u64,
    /// The worst board known for the planner: its text, peak and bound.
    pub worst: Option<(String, u64, u64)>,
}

impl PartialEq for Broken {
    /// Answers to a game are told apart by their requests.
    fn eq(&self, other: &Broken) -> bool {
        self.planned.plan == other.planned.plan && self.planned.problem == other.planned.problem
    }
}

impl<F> GameRequest<F> {
    /// Returns the same request with `map` applied to its file.
    pub fn map_files<G>(self, map: &mut impl FnMut(F) -> G) -> GameRequest<G> {
        match self {
            GameRequest::Deal { kind, planner, from, own } => {
                let from = match from {
                    DealFrom::Seed(seed, difficulty) => DealFrom::Seed(seed, difficulty),
                    DealFrom::File { file, choices, scope } => DealFrom::File { file: map(file), choices, scope },
                };
                GameRequest::Deal { kind, planner, from, own }
            }
            GameRequest::Prove(problem) => GameRequest::Prove(problem),
            GameRequest::Break { planner, board } => GameRequest::Break { planner, board },
            GameRequest::Tries(from) => GameRequest::Tries(from.map_files(map)),
        }
    }
}

/// Answers a request.
///
/// # Errors
/// Why there is no game.
pub(super) fn game(request: &GameRequest) -> Result<Gamed, Failure> {
    match request {
        GameRequest::Deal { kind, planner: id, from, own } => {
            let planner = find(id)?;
            let mut deal = match from {
                DealFrom::Seed(seed, difficulty) => {
                    let difficulty = Difficulty::new(*difficulty).unwrap_or_default();
                    let made = generate(*kind, planner, *seed, difficulty).map_err(|error| refused(error.message()))?;
                    of_instance(made)
                }
                DealFrom::File { file, choices, scope } => {
                    of_document(*kind, planner, &super::open::document_of(file, choices)?, scope)?
                }
            };
            let own = own.as_deref().and_then(planner::find);
            deal.ladder.extend(own.and_then(|planner| rung(planner, &deal.problem, &[])).map(|(rung, _)| rung));
            Ok(Gamed::Dealt(Box::new(deal)))
        }
        GameRequest::Prove(problem) => Ok(Gamed::Proved(proved(problem))),
        GameRequest::Break { planner, board } => {
            let board = Board::read(board).map_err(|fault| refused(fault.message()))?;
            Ok(Gamed::Broken(broken(find(planner)?, &board).map(Box::new)))
        }
        GameRequest::Tries(from) => tries(from).map(Gamed::Tries),
    }
}

fn of_instance(instance: Instance) -> Deal {
    let plan = match instance.document {
        Document::Plan(_, plan) => Some(plan),
        _ => None,
    };
    let mut deal = with_ladder(instance.problem);
    let id_of = |problem: &Problem, name: &String| problem.buffer_named(name);
    match instance.facts {
        Facts::Pack { bound, places, planner, .. } => {
            (deal.own, deal.proved) = (planner, Some(best(&deal.problem, &places, bound)));
        }
        Facts::Tetris { order, bound, planner, places } => {
            (deal.own, deal.proved) = (planner, Some(best(&deal.problem, &places, bound)));
            deal.order = order.iter().filter_map(|name| id_of(&deal.problem, name)).collect();
        }
        Facts::Order { best, order, operators, .. } => {
            let at = |name: &String| operators.list.iter().position(|operator| operator.name == *name);
            deal.best_order = (best, order.iter().filter_map(at).collect());
            (deal.operators, deal.is_best) = (Some(operators), true);
        }
        Facts::Debug { violation, .. } => {
            deal.fault = Some((parties(&violation), debug_words(&violation, &deal.problem)));
            deal.plan = plan;
        }
        // Questions, which are no game.
        Facts::Predict { .. } | Facts::Number(_) | Facts::Write { .. } => {}
    }
    deal
}

/// The buffers that take part in a fault.
fn parties(violation: &Violation) -> Vec<BufferId> {
    match violation {
        Violation::Overlap { a, b, .. } => vec![*a, *b],
        Violation::Misaligned { buffer, .. } | Violation::OutsidePool { buffer, .. } => vec![*buffer],
        _ => Vec::new(),
    }
}

fn best(problem: &Problem, places: &[Placed], bound: u64) -> Proved {
    let mut offsets = IdVec::from_elem(None, problem.buffers.len());
    for placed in places {
        problem.buffer_named(&placed.name).into_iter().for_each(|id| offsets[id] = Some(placed.offset));
    }
    let planner = planner::PROVER.info().id.to_string();
    Proved { rung: Rung { planner, peak: bound, offsets }, floor: bound }
}

fn of_document(kind: Kind, planner: &'static dyn Planner, document: &Document, scope: &Scope) -> Result<Deal, Failure> {
    let goals = kind.activity().goals().filter(|_| kind.activity().buffers.has_document());
    let is_none = || refused(Message::new("game.not-of-document").text("kind", kind.name()));
    let goals = goals.ok_or_else(is_none)?;
    let none = Default::default();
    let whole = prepare(document, scope, planner::YARDSTICK.info().id, &none).map_err(refused)?.problem;
    let mut deal = with_ladder(plain(&whole)?);
    if goals.in_turn {
        (deal.order, deal.own) = order_of(planner, &deal.problem)?;
    }
    if kind != Kind::Order {
        return Ok(deal);
    }
    // A list of buffers has no operators: there, the order of placement is played.
    let Some(graph) = document.graph() else {
        let Placing { rows, best, order, is_proved, .. } = of_buffers(&deal.problem);
        (deal.best_order, deal.operators, deal.is_best) = ((best, order), Some(rows), is_proved);
        return Ok(deal);
    };
    if graph.nodes.len() < 2 {
        return Err(refused(Message::new("game.few-operators")));
    }
    if graph.nodes.len() > OPERATORS {
        return Err(refused(Message::new("game.many-operators").count("most", OPERATORS)));
    }
    let operators = Operators::of(graph, &whole);
    let (order, load) = operators.best();
    (deal.best_order, deal.operators, deal.is_best) = ((load, order), Some(operators), true);
    Ok(deal)
}

/// The buffers as blocks: in one memory, with nothing but size, life and alignment.
fn plain(whole: &Problem) -> Result<Problem, Failure> {
    let count = whole.buffers.len();
    if !(BLOCKS.0..=BLOCKS.1).contains(&count) {
        let message = Message::new("game.blocks").count("n", count).count("least", BLOCKS.0).count("most", BLOCKS.1);
        return Err(refused(message));
    }
    let first = whole.buffers.iter().next().map(|buffer| buffer.memory);
    if whole.buffers.iter().any(|buffer| Some(buffer.memory) != first) {
        return Err(refused(Message::new("game.one-memory")));
    }
    if whole.buffers.iter().any(|buffer| buffer.fixed.is_some()) {
        return Err(refused(Message::new("game.fixed")));
    }
    let mut problem = whole.clone();
    let device = first.and_then(|memory| whole.memories.get(memory)).map(|memory| memory.device.clone());
    problem.memories = vec![Memory { device: device.unwrap_or_default(), mem_id: None }].into();
    (problem.capacity, problem.inplace, problem.order) = (None, Vec::new(), None);
    for buffer in problem.buffers.iter_mut() {
        (buffer.memory, buffer.gaps, buffer.tensors) = (MemoryId(0), Vec::new(), Vec::new());
    }
    Ok(problem)
}

fn with_ladder(problem: Problem) -> Deal {
    let rungs = choices::ladder().filter_map(|planner| rung(planner, &problem, &[]).map(|(rung, _)| rung));
    let ladder: Vec<Rung> = rungs.collect();
    let yardstick = ladder.iter().find(|rung| rung.planner == planner::YARDSTICK.info().id);
    Deal {
        bound: lower_bound(&problem),
        yardstick: yardstick.map_or(0, |rung| rung.peak),
        ladder,
        problem,
        ..Deal::default()
    }
}

/// The plan of a planner in one arena, and what it proves; none if it breaks a rule, which
/// planners of users may.
fn rung(planner: &dyn Planner, problem: &Problem, options: &[(&str, &str)]) -> Option<(Rung, Proof)> {
    let options = planner.info().options(options.iter().copied()).ok()?;
    let made = planner::run(planner, problem, None, &Scope::default(), &options, &mut Silent).ok()?;
    if !check_up_to(&made.problem, &made.plan, 1).is_empty() {
        return None;
    }
    let offsets = made.plan.places.iter().map(|place| place.map(|place| place.offset)).collect();
    let rung = Rung { planner: planner.info().id.into(), peak: made.plan.peak(&made.problem), offsets };
    Some((rung, made.plan.proof))
}

/// What the exact search finds; without a plan the bound is all that is known.
fn proved(problem: &Problem) -> Proved {
    let bound = lower_bound(problem);
    match rung(planner::PROVER, problem, &[(planner::PROVER_NODES, choices::GAME_NODES)]) {
        Some((rung, proof)) => Proved { floor: proof.bound().unwrap_or(bound).max(bound), rung },
        None => {
            let offsets = IdVec::from_elem(None, problem.buffers.len());
            let planner = planner::PROVER.info().id.to_string();
            Proved { rung: Rung { planner, peak: u64::MAX, offsets }, floor: bound }
        }
    }
}

/// The order in which a planner turns to the blocks, and its peak.
fn order_of(planner: &dyn Planner, problem: &Problem) -> Result<(Vec<BufferId>, u64), Failure> {
    let refused_order = || refused(Message::new("game.no-order"));
    let graph = (planner.info().needs == Needs::Graph).then(|| variant::as_graph(problem));
    let (options, mut recorder) = (planner.info().defaults(), Recorder::default());
    let made = planner::run(planner, problem, graph.as_ref(), &Scope::default(), &options, &mut recorder);
    let made = made.map_err(|_| refused_order())?;
    let peak = made.plan.peak(&made.problem);
    let timeline = memplan_replay::Timeline::new(recorder.events, &made.problem);
    let order: Vec<BufferId> = timeline.decisions.iter().map(|decision| decision.buffer).collect();
    if order.len() == problem.buffers.len() { Ok((order, peak)) } else { Err(refused_order()) }
}

/// The plan of a planner on a board.
fn broken(planner: &'static dyn Planner, board: &Board) -> Option<Broken> {
    let problem = board.problem();
    let ratio = board::ratio_of(planner, board)?;
    let document = match planner.info().needs {
        Needs::Graph => Document::Graph(variant::as_graph(&problem)),
        Needs::Intervals => Document::Buffers(problem),
    };
    let task = PlanTask::of(planner.info().id);
    let planned = plan(&document, &Scope::default(), &task, None, &mut NoListener).ok()?;
    let worst = board::worst_known(planner.info().id);
    let worst = worst.map(|(board, ratio)| (board.write(), ratio.peak, ratio.bound));
    Some(Broken { planned, peak: ratio.peak, bound: ratio.bound, worst })
}

#[cfg(test)]
mod tests {
    use super::*;
    use memplan_teach::exercise::packing::peak;

    fn deal(kind: Kind, from: DealFrom) -> Result<Deal, String> {
        let planner = choices::WELCOME.to_string();
        match game(&GameRequest::Deal { kind, planner, from, own: None }) {
            Ok(Gamed::Dealt(deal)) => Ok(*deal),
            Err(Failure::Faults(faults)) => Err(faults[0].message.key.to_string()),
            other => panic!("{other:?}"),
        }
    }

    fn file(bytes: &[u8]) -> DealFrom {
        DealFrom::File { file: bytes.to_vec(), choices: Answers::default(), scope: Scope::default() }
    }

    const NINE: &[u8] = include_bytes!("../../../www/graphs/learn/nine-blocks.csv");
    const KIB: u64 = 1024;

    #[test]
    fn a_document_becomes_blocks_with_a_ladder() {
        let deal = deal(Kind::Pack, file(NINE)).expect("nine blocks");
        assert_eq!((deal.problem.buffers.len(), deal.bound, deal.yardstick), (9, 384 * KIB, 448 * KIB));
        assert_eq!(deal.ladder.len(), choices::LADDER.len());
        assert_eq!(deal.ladder[0].peak, 1024 * KIB);
        for rung in &deal.ladder {
            assert!(peak(&deal.problem, &rung.offsets) <= rung.peak, "{}", rung.planner);
        }
        let Ok(Gamed::Proved(proved)) = game(&GameRequest::Prove(Box::new(deal.problem.clone()))) else { panic!() };
        assert_eq!((proved.floor, proved.rung.peak), (384 * KIB, 384 * KIB));
        assert_eq!(peak(&deal.problem, &proved.rung.offsets), 384 * KIB);
    }

    #[test]
    fn what_is_no_game_is_refused_with_a_reason() {
        let refused = |kind: Kind, text: &str| deal(kind, file(text.as_bytes())).expect_err("refused");
        assert_eq!(refused(Kind::Pack, "id,lower,upper,size\na,0,2,8\nb,0,1,8\n"), "game.blocks");
        let many: String = (0..41).map(|at| format!("b{at},0,1,8\n")).collect();
        assert_eq!(refused(Kind::Pack, &format!("id,lower,upper,size\n{many}")), "game.blocks");
        assert_eq!(refused(Kind::Debug, "id,lower,upper,size\na,0,2,8\nb,0,1,8\nc,1,2,8\n"), "game.not-of-document");
        assert_eq!(deal(Kind::Break, DealFrom::Seed(1, 1)).expect_err("none"), "variant.no-instance");
    }

    #[test]
    fn instances_of_every_kind_are_dealt() {
        let pack = deal(Kind::Pack, DealFrom::Seed(7, 1)).expect("an instance");
        let proved = pack.proved.clone().expect("the generator has proved it");
        assert!(proved.floor == pack.bound && pack.yardstick > pack.bound && pack.own == pack.yardstick);
        assert_eq!(peak(&pack.problem, &proved.rung.offsets), pack.bound);
        let tetris = deal(Kind::Tetris, DealFrom::Seed(7, 1)).expect("an instance");
        assert_eq!(tetris.order.len(), tetris.problem.buffers.len());
        let order = deal(Kind::Order, DealFrom::Seed(7, 1)).expect("an instance");
        let operators = order.operators.expect("operators");
        assert_eq!(operators.loads(&order.best_order.1).into_iter().max(), Some(order.best_order.0));
        let debug = deal(Kind::Debug, DealFrom::Seed(7, 1)).expect("an instance");
        assert!(debug.plan.is_some() && debug.fault.is_some_and(|(parties, _)| !parties.is_empty()));
        let same = deal(Kind::Tetris, file(NINE)).expect("a document");
        assert_eq!((same.order.len(), same.own), (9, 448 * KIB));
    }

    #[test]
    fn buffers_of_a_list_are_put_into_the_order_of_placement() {
        let deal = deal(Kind::Order, file(NINE)).expect("a document");
        let rows = deal.operators.expect("rows");
        let written: Vec<usize> = (0..9).collect();
        // The bound can be reached, and the order of the file misses it.
        assert!(rows.are_buffers() && rows.highest(&written) > deal.bound);
        assert_eq!((deal.best_order.0, deal.is_best), (deal.bound, true));
        assert_eq!(rows.highest(&deal.best_order.1), deal.bound);
    }

    #[test]
    fn a_planner_runs_on_a_board_beside_the_worst_known() {
        let board = "A.80.0.1_B.16.0.3_C.96.1.2_D.96.2.3";
        let request = |board: &str| GameRequest::Break { planner: choices::WELCOME.into(), board: board.into() };
        let Ok(Gamed::Broken(Some(broken))) = game(&request(board)) else { panic!("a plan") };
        assert_eq!((broken.peak, broken.bound), (192 * KIB, 112 * KIB));
        let (worst, peak, bound) = broken.worst.clone().expect("known");
        assert!(peak * 100 > bound * 217, "2.18 or more");
        let Ok(Gamed::Broken(Some(again))) = game(&request(&worst)) else { panic!("a plan") };
        assert_eq!((again.peak, again.bound), (peak, bound));
        assert!(game(&request("A.0.0.1")).is_err());
    }
}
