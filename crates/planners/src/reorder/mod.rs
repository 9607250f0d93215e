//! Changes the order in which the nodes run so that fewer bytes are alive at once, then plans the
//! buffers.
//!
//! **From**: the exact search over sets of executed nodes of Ahn et al., *Ordering Chaos*
//! (SERENITY, MLSys 2020), and of Liberis and Lane, arXiv 1910.05110; from the papers, not the
//! code.
//! **Rule**: smallest most bytes alive. The graph is cut at nodes that all others precede or
//! follow; only the stretch with the highest peak is worked on, for no other decides. A beam takes,
//! of the nodes that may run, those with the lowest peak, then the fewest bytes alive, then the
//! first in the file. Then, with `reorder=exact`, dynamic programming over the sets of nodes that
//! may have run, lowest peak for each, without sets that already reach the best known peak. A node
//! that raises no peak and leaves no more bytes than before runs at once. When the stretch is
//! exhausted, or its peak is what one node needs alone, the order is proved optimal; when `states`
//! is used up it is the best found.
//! **Time and alignment**: readers follow makers. Placeholders, nodes without outputs and nodes
//! that write over what others read keep their order. Names for the same storage stay one buffer.
//! Live ranges are those of the new order, and so are steps everywhere. The buffers are then
//! planned by the planner that option `planner` names.
//! **Cost**: as many sets as the graph has, up to `states`; chains have few, wide graphs
//! exponentially many.
//! **Does badly**: it minimises the load, not the address space, and many branches alive at once
//! use up the budget: `n` chains of two nodes side by side have `3^n` sets. Where every node holds
//! the whole peak itself nothing can move.
//! **Differs**: bytes on all devices count together; an order that does not lower the sum of the
//! bounds is not taken.

mod beam;
mod exact;
mod model;
mod ran;
#[cfg(test)]
mod tests;

use std::ops::Range;

use self::exact::Found;
use self::model::Model;
pub(crate) use self::model::writes;
use super::{
    BRANCH_SAFE, Case, Complexity, Effort, Evidence, Group, Info, Input, Needs, NotApplicable, OptionKind, OptionSpec,
    Options, PlanError, Planner, Source, find,
};
use memplan_core::base::Message;
use memplan_core::graph::{Graph, NodeId};
use memplan_core::plan::Plan;
use memplan_core::problem::{Order, OrderSearch, Problem, Scope, first_joined, lifetimes, load, lower_bound};
use memplan_core::trace::{Event, Note, Probe};

/// Another order of execution, then a planner of choice.
pub struct Reorder;

/// The option that only this planner has: [`super::looks_for_order`] reads it.
pub const REORDER: &str = "reorder";

static INFO: Info = Info {
    id: "reorder",
    system: "memplan",
    name: "order of execution",
    source: Source { repository: "", version: "MLSys 2020, arXiv 1910.05110", file: "" },
    needs: Needs::Graph,
    options: &[
        OptionSpec {
            key: REORDER,
            original: REORDER,
            kind: OptionKind::Choice(&["exact", "beam", "off"]),
            default: "exact",
        },
        OptionSpec {
            key: "planner",
            original: "planner",
            kind: OptionKind::Choice(&["greedy-by-size", "best-fit", "hill-climb", "best"]),
            default: "greedy-by-size",
        },
        OptionSpec {
            key: "states",
            original: "states",
            kind: OptionKind::Whole { min: 1, max: 10_000_000 },
            default: "100000",
        },
        OptionSpec { key: "width", original: "width", kind: OptionKind::Whole { min: 1, max: 256 }, default: "8" },
        BRANCH_SAFE,
    ],
    complexity: Complexity::Subsets,
    align: 1,
    sweeps: false,
    ranked: true,
    example: "two_branches",
    case: Case { options: &[], peak: 18, best: 17 },
    evidence: Evidence::Stated("evidence.reorder"),
    effort: Effort::Search,
    group: Group::Search,
    ..Info::BASE
};

impl Reorder {
    /// Its data sheet.
    pub const INFO: &'static Info = &INFO;
}

impl Planner for Reorder {
    fn info(&self) -> &'static Info {
        Self::INFO
    }

    fn prepare(
        &self,
        problem: &mut Problem,
        graph: Option<&Graph>,
        scope: &Scope,
        options: &Options,
    ) -> Result<Option<Graph>, PlanError> {
        graph.map_or(Ok(None), |graph| prepare(problem, graph, scope, options))
    }

    /// Plans the problem as it is, and reports the order that `prepare` gave it.
    fn plan(&self, input: Input, options: &Options, probe: &mut dyn Probe) -> Result<Plan, PlanError> {
        input.graph.ok_or(PlanError::NotApplicable(NotApplicable::NeedsGraph))?;
        if let Some(search) = input.problem.order.as_ref().and_then(|order| order.search.as_ref()) {
            report(input.problem, search, probe);
        }
        let planner = find(options.get("planner")).ok_or(PlanError::NotApplicable(NotApplicable::NothingTried))?;
        let given = [(BRANCH_SAFE.key, options.get(BRANCH_SAFE.key))];
        let theirs = planner.info().options(given).unwrap_or_else(|_| planner.info().defaults());
        planner.plan(input, &theirs, probe)
    }
}

fn report(problem: &Problem, search: &OrderSearch, probe: &mut dyn Probe) {
    let mut note = |note, subject, a, b| probe.event(Event::Note { note, subject, a, b });
    let now = load(problem, |_| true).by_step(problem.steps);
    for ((&old, &load), step) in search.file_steps.iter().zip(&now).zip(0..) {
        note(Note::Reordered, step, old.into(), load);
    }
    for (&load, step) in search.load_before.iter().zip(0..) {
        note(Note::LoadBefore, step, load, 0);
    }
    let moved = search.file_steps.iter().zip(0..).filter(|&(&old, new)| old != new).count();
    let most = |loads: &[u64]| loads.iter().copied().max().unwrap_or(0);
    note(Note::NewOrder, moved as u32, most(&search.load_before), most(&now));
    note(if search.is_proved { Note::OrderProved } else { Note::OrderUnproved }, 0, search.states, 0);
}

/// Puts the nodes into a better order: gives back the graph in that order, and turns the problem
/// into that graph's. None if the order of the file is kept; the problem then has a note of what
/// was tried.
///
/// # Errors
/// [`PlanError::Refused`] when the scope no longer suits the graph.
fn prepare(problem: &mut Problem, graph: &Graph, scope: &Scope, options: &Options) -> Result<Option<Graph>, PlanError> {
    if options.get(REORDER) == "off" {
        return Ok(None);
    }
    // What writes in place and which loop a node belongs to is not in the graph, and the statements
    // hold for the order of the file only.
    if !graph.stated.is_empty() {
        return Err(PlanError::Refused(Message::new("fault.stated-order")));
    }
    // The search does not know that such a storage begins with the first input.
    if let Some(node) = first_joined(graph, problem) {
        return Err(PlanError::Refused(Message::new("fault.parts-order").name("name", node.name.clone())));
    }
    let Answer { order, states, is_proved } = search(&Model::new(graph, problem), options);
    let pick = |order: &[u32]| Graph {
        nodes: order.iter().map(|&node| graph.nodes[NodeId(node)].clone()).collect(),
        ..graph.clone()
    };
    let other = pick(&order);
    let planned = lifetimes(&other, scope).map_err(|error| PlanError::Refused(error.message(graph)))?;
    let is_better = lower_bound(&planned) < lower_bound(problem);
    let load_before = load(problem, |_| true).by_step(problem.steps);
    let file_steps = if is_better { order } else { (0..graph.nodes.len() as u32).collect() };
    if is_better {
        *problem = planned;
    }
    let name = |&node: &u32| graph.nodes[NodeId(node)].name.clone();
    problem.order = Some(Order {
        nodes: file_steps.iter().map(name).collect(),
        // The loads of several memories add up, but their peaks may stand at different steps.
        search: Some(OrderSearch {
            file_steps,
            load_before,
            states,
            is_proved: is_proved && problem.memories.len() < 2,
        }),
    });
    Ok(is_better.then_some(other))
}

/// Steps that all searches of a graph may take together: some seconds, however wide and long it is.
const WORK: u64 = 2_000_000_000;

struct Answer {
    order: Vec<u32>,
    /// Sets of nodes looked at.
    states: u64,
    is_proved: bool,
}

/// A stretch of the order.
struct Piece {
    range: Range<usize>,
    order: Vec<u32>,
    /// Bytes alive before it: the same for every order of what precedes.
    live: u64,
    peak: u64,
    is_narrowed: bool,
    is_proved: bool,
}

fn search(model: &Model, options: &Options) -> Answer {
    let mut live = model.at_start();
    let mut pieces: Vec<Piece> = Vec::new();
    for range in model.pieces() {
        let order: Vec<u32> = range.clone().map(|node| node as u32).collect();
        let (peak, after) = model.stretch(&order, range.clone(), live);
        let least = order.iter().map(|&node| model.least(node)).max().unwrap_or(0);
        let is_proved = order.len() == 1 || peak == least;
        pieces.push(Piece { range, order, live, peak, is_narrowed: false, is_proved });
        live = after;
    }
    let (mut states, budget, mut work) = (0, options.whole("states"), WORK);
    // Only the highest piece decides; the first of equals.
    while let Some(piece) =
        pieces.iter_mut().rev().max_by_key(|piece| (piece.peak, piece.is_proved)).filter(|piece| !piece.is_proved)
    {
        let peak_of = |order: &[u32]| model.stretch(order, piece.range.clone(), piece.live).0;
        if !std::mem::replace(&mut piece.is_narrowed, true) {
            // One state alone gets through stretches that are too long for many.
            let found = [options.whole("width") as usize, 1].into_iter().find_map(|width| {
                let mut part = work / 2;
                work -= part;
                let found = beam::narrow(model, piece.range.clone(), piece.live, width, &mut part);
                work += part;
                found
            });
            if let Some((peak, order)) = found.map(|order| (peak_of(&order), order))
                && peak < piece.peak
            {
                (piece.order, piece.peak) = (order, peak);
            }
            let least = piece.order.iter().map(|&node| model.least(node)).max().unwrap_or(0);
            piece.is_proved = piece.peak == least;
            continue;
        }
        if options.get(REORDER) != "exact" {
            break;
        }
        match exact::smallest(model, piece.range.clone(), piece.live, piece.peak, (&mut states, budget), &mut work) {
            Found::Lower(order) => {
                piece.peak = peak_of(&order);
                piece.order = order;
            }
            Found::Nothing => {}
            Found::Unknown => break,
        }
        piece.is_proved = true;
    }
    let is_proved = pieces.iter().max_by_key(|piece| (piece.peak, piece.is_proved)).is_none_or(|piece| piece.is_proved);
    Answer { order: pieces.into_iter().flat_map(|piece| piece.order).collect(), states, is_proved }
}
