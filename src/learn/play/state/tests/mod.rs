//! Games: dealt, played, taken back, linked.

pub mod breaking;
pub mod of_student;
pub mod sentences;

use crate::learn::lessons::state::progress::LearnPlace;
use crate::learn::play::state::{Game, Table};
use crate::shell::state::action::{Action, DocumentAction, GameAction, LearnAction, TeachAction, ViewAction};
use crate::shell::state::panels::Mode;
use crate::shell::state::{State, address};
use crate::testing::{done, opened, taught};
use memplan_core::problem::BufferId;
use memplan_teach::exercise::activity::Kind;

pub(crate) const KIB: u64 = 1024;
pub(crate) const NINE: &[u8] = include_bytes!("../../../../../www/graphs/learn/nine-blocks.csv");

/// The state after an action, and after all answers of the worker.
pub(crate) fn act(state: State, action: GameAction) -> State {
    answered(state.reduce_one(Action::Game(action)))
}

pub(crate) fn answered(state: State) -> State {
    if state.teaching.wanted.is_none() { state } else { answered(one_answer(state)) }
}

/// The state after the next answer of the worker.
pub(crate) fn one_answer(state: State) -> State {
    let wanted = state.teaching.wanted.clone().expect("something is asked");
    state.reduce_one(Action::Teach(TeachAction::Answered(wanted.number, Some(taught(&wanted.request)))))
}

pub(crate) fn open(fragment: &str) -> State {
    let link = address::read(fragment).restored.game.unwrap_or_else(|| panic!("{fragment} is of no game"));
    act(State::default(), GameAction::Open(Box::new(link)))
}

pub(crate) fn nine() -> State {
    let state = open("pack=ex:learn/nine-blocks");
    assert_eq!(game(&state).wanted(), Some("learn/nine-blocks"));
    act(state, GameAction::Fetched(Some(NINE.to_vec().into())))
}

pub(crate) fn game(state: &State) -> &Game {
    state.game.as_ref().expect("a game")
}

pub(crate) fn peak(state: &State) -> u64 {
    game(state).tray().expect("blocks").peak()
}

/// Drops a block, by its name.
pub(crate) fn put(state: State, name: &str, kib: u64) -> State {
    let id = game(&state).tray().and_then(|tray| tray.problem().buffer_named(name)).expect("a block");
    act(act(state, GameAction::Lift(id, kib * KIB, 0)), GameAction::Drop)
}

pub(crate) const BEST: [(&str, u64); 9] =
    [("B", 0), ("A", 160), ("C", 224), ("E", 0), ("F", 160), ("G", 224), ("D", 320), ("H", 0), ("I", 192)];

#[test]
fn nine_blocks_are_packed_to_the_bound() {
    let mut state = nine();
    assert_eq!((state.view.mode, game(&state).goal(), game(&state).is_goal_proved()), (Mode::Learn, 384 * KIB, true));
    assert_eq!(game(&state).rungs().first().map(|rung| rung.peak), Some(1024 * KIB));
    assert_eq!(game(&state).marks(), [false; 3], "nothing is reached before all blocks lie");
    for (name, kib) in BEST {
        state = put(state, name, kib);
    }
    assert_eq!((peak(&state), game(&state).marks(), game(&state).best), (384 * KIB, [true; 3], Some(384 * KIB)));
    assert_eq!(state.learning.learned.best.get("pack ex:learn/nine-blocks"), Some(&(384 * KIB)));
    // The link leads to the same plan.
    let link = address::write(&state);
    assert_eq!(link, "pack=ex:learn/nine-blocks&p=160.0.224.320.0.160.224.0.192&lang=en");
    let again = act(open(&link), GameAction::Fetched(Some(NINE.to_vec().into())));
    assert_eq!(address::write(&again), link);
    assert!(game(&again).challenge().pairs().iter().all(|(key, _)| *key != "p"), "a challenge is not solved");
}

#[test]
fn who_is_in_the_way_is_named() {
    let mut state = nine();
    for (name, kib) in BEST.into_iter().take(8) {
        state = put(state, name, kib);
    }
    let id = BufferId(8);
    // All sizes are multiples of 32 KiB, so that nothing can begin at 112 KiB.
    let state = act(state, GameAction::Lift(id, 112 * KIB, 4 * KIB));
    let feedback = game(&state).feedback.clone().expect("a sentence");
    let words = memplan_core::text::Speech::default().say(&feedback);
    assert!(
        feedback.key == "game.blocked" && words.contains("H is there") && words.contains("at steps 6 to 7"),
        "{words}"
    );
    assert_eq!(feedback.arg("drop"), Some(&memplan_core::base::Arg::Address(192 * KIB)));
    let run = game(&state).drawn().expect("a picture");
    assert_eq!(run.plan.places[id].map(|place| place.offset), Some(128 * KIB), "it is where the hand is");
    let back = act(state.clone(), GameAction::PutBack);
    assert_eq!(game(&back).tray().and_then(|tray| tray.offset_of(id)), None);
    let state = act(state, GameAction::Drop);
    assert_eq!(game(&state).tray().and_then(|tray| tray.offset_of(id)), Some(192 * KIB));
    let state = act(act(state, GameAction::Undo), GameAction::Redo);
    assert_eq!(peak(&state), 384 * KIB);
    let state = act(act(state, GameAction::TakeOff(id)), GameAction::Clear);
    assert_eq!(game(&state).tray().map(|tray| tray.placed()), Some(0));
}

/// Forty blocks, of which up to ten live together.
pub(crate) fn forty() -> String {
    let row = |at: u32| format!("b{at},{},{},{}\n", at, at + 2 + at % 9, 1024 * (1 + at % 7));
    format!("id,lower,upper,size\n{}", (0..40).map(row).collect::<String>())
}

#[test]
fn forty_blocks_can_be_taken_from_the_lane_one_after_the_other() {
    use memplan_scene::{self as scene, Index, Style, Target, View};
    let state = act(open("pack=ex:forty"), GameAction::Fetched(Some(forty().into_bytes().into())));
    let style = Style { dim: false, ..Style::default() };
    // As wide as a desk and as narrow as a phone.
    for (size, narrow) in [((1080.0, 640.0), false), ((390.0, 388.0), true)] {
        let style = Style { narrow, grips: narrow, ..style };
        let mut state = state.clone();
        for placed in 0..40 {
            let run = game(&state).drawn().expect("a picture");
            let frame = run.frame(crate::learn::play::state::blocks::events_of(&run)).at_rest();
            let rows = scene::waiting_rows(&run.problem, size, &style);
            let index =
                Index::new(&run).so_far(&run.problem, &[game(&state).height().expect("blocks")]).with_lane_rows(rows);
            let view = View::fit(&index, size, &style);
            let hit =
                |at| scene::hit(scene::Picture::new(&run, &index, &frame, &view, size, &style), at).into_iter().next();
            // Every 4 px across, every 6 px over the lower part of the picture: boxes are 14 px
            // high, for a finger 24 px.
            let points = (0..40).flat_map(|y| (0..size.0 as u32 / 4).map(move |x| (x, y)));
            let at = |x: u32, y: u32| match hit((4.0 * f64::from(x), size.1 - 6.0 * f64::from(y)))? {
                Target::Buffer(id) if frame.places[id].is_none() => Some(id),
                _ => None,
            };
            let mut waits = points.filter_map(|(x, y)| Some((x, at(x, y)?)));
            let (x, id) = waits.next().unwrap_or_else(|| panic!("nothing can be taken after {placed} at {size:?}"));
            let high = (0..40).filter(|&y| at(x, y) == Some(id)).count();
            assert!(high >= if narrow { 4 } else { 2 }, "{high} after {placed} at {size:?}");
            state = act(act(state, GameAction::Lift(id, 0, 0)), GameAction::Drop);
        }
        assert!(game(&state).tray().is_some_and(|tray| tray.is_whole()));
    }
}

#[test]
fn blocks_of_tetris_come_one_by_one_and_stay() {
    let mut state = open("tetris=seed:7.1");
    let order = game(&state).deal.as_ref().expect("dealt").order.clone();
    assert!(order.len() >= 6);
    for (at, &id) in order.iter().enumerate() {
        let run = game(&state).drawn().expect("a picture");
        assert_eq!(run.timeline.decisions[at].buffer, id, "the first that waits is the next");
        let other = act(state.clone(), GameAction::Shift(order[(at + 1) % order.len()], true));
        assert_eq!(game(&other).tray().map(|tray| tray.held()), Some(None), "it is not its turn");
        state = act(act(state, GameAction::Shift(id, true)), GameAction::Drop);
        assert_eq!(game(&state).tray().map(|tray| tray.placed()), Some(at + 1));
    }
    assert!(game(&state).best.is_some() && game(&state).rival() > game(&state).goal());
}

#[test]
fn the_open_document_becomes_a_game() {
    let state = opened();
    let count = state.document.run.as_ref().expect("planned").problem.buffers.len();
    assert!([Kind::Pack, Kind::Tetris, Kind::Order].into_iter().all(|kind| state.fits_game(kind)));
    let order = act(state.clone(), GameAction::OfOpen(Kind::Order));
    assert_eq!(game(&order).ordering().map(|ordering| ordering.operators.list.len()), Some(8));
    let state = act(state, GameAction::OfOpen(Kind::Pack));
    assert_eq!(
        (state.view.mode, game(&state).tray().map(|tray| tray.problem().buffers.len())),
        (Mode::Learn, Some(count))
    );
    // Step has its own plan still, and the lessons close the game.
    let step = state.clone().reduce_one(Action::View(ViewAction::Mode(Mode::Step)));
    assert!(step.document.run.is_some() && step.game_shown().is_none());
    assert!(state.reduce_one(Action::Learn(LearnAction::Open(LearnPlace::default()))).game.is_none());
}

#[test]
fn a_document_of_an_address_becomes_a_game_where_it_is_open() {
    let address = "https://example.org/nine.csv";
    let origin = crate::open::state::document::Origin::Remote(address.into());
    let open = DocumentAction::Open { origin, bytes: NINE.to_vec().into(), choices: Default::default(), place: None };
    let state = done(State::default().reduce_one(Action::Document(open)));
    let state = act(state, GameAction::OfOpen(Kind::Pack));
    assert_eq!((game(&state).failure.clone(), game(&state).tray().map(|tray| tray.ids().count())), (None, Some(9)));
}

#[test]
fn what_cannot_be_dealt_says_why() {
    let missing = act(open("pack=ex:nothing"), GameAction::Fetched(None));
    assert!(game(&missing).failure.is_some() && matches!(game(&missing).table, Table::Empty));
    let few = act(open("pack=ex:few"), GameAction::Fetched(Some(b"id,lower,upper,size\na,0,1,8\n".to_vec().into())));
    assert_eq!(game(&few).failure.as_ref().map(|why| &*why.key), Some("game.blocks"));
    let unknown = open("tetris=seed:1.1&plan=nobody");
    assert_eq!(game(&unknown).failure.as_ref().map(|why| &*why.key), Some("fault.unknown-planner"));
    // A game of an address asks nobody for a document: the link says so.
    let distant = open("pack=url:https://example.org/x.csv");
    let why = game(&distant).failure.clone().expect("a reason");
    assert!(memplan_core::text::Speech::default().say(&why).contains("https://example.org/x.csv"), "{why:?}");
    assert_eq!((game(&distant).wanted(), distant.teaching.wanted.is_some()), (None, false));
}

/// The sentence that is shown, in English.
pub(crate) fn feedback(state: &State) -> String {
    let feedback = game(state).feedback.as_ref().map(|feedback| memplan_core::text::Speech::default().say(feedback));
    feedback.unwrap_or_default()
}

#[test]
fn operators_are_put_in_order() {
    let mut state = open("order=seed:7.1");
    let deal = game(&state).deal.clone().expect("dealt");
    let best = deal.best_order.clone();
    let proof = |state: &State| game(state).order_proof(game(state).ordering().expect("operators"));
    assert_eq!((game(&state).reached(), proof(&state)), (vec![false, false], "game.order-open"));
    // An operator that runs before what it reads is refused, and named.
    let last = best.1.len() - 1;
    let refused = act(state.clone(), GameAction::Move(last, 0));
    assert!(!feedback(&refused).is_empty() && game(&refused).ordering().expect("operators").text().is_empty());
    for (to, wanted) in best.1.iter().enumerate() {
        let order = |state: &State| game(state).ordering().expect("operators").order.clone();
        let from = order(&state).iter().position(|at| at == wanted).expect("there");
        for at in (to..from).rev() {
            state = act(state, GameAction::Move(at + 1, at));
        }
    }
    assert_eq!((game(&state).reached(), game(&state).best), (vec![true, true], Some(best.0)));
    assert_eq!(proof(&state), "game.order-proof");
    let link = address::write(&state);
    assert_eq!(game(&open(&link)).reached(), [true, true], "{link}");
    let again = act(state, GameAction::Clear);
    assert_eq!(game(&again).reached(), [false, false]);
    let back = act(again.clone(), GameAction::Undo);
    assert_eq!(game(&back).reached(), [true, true]);
    assert_eq!(game(&act(back, GameAction::Redo)).reached(), [false, false]);
    let helped = act(act(again, GameAction::Hint), GameAction::Hint);
    assert!(game(&helped).helped && !feedback(&helped).is_empty());
}

#[test]
fn buffers_are_put_into_the_order_of_placement() {
    let pin = include_bytes!("../../../../../www/graphs/learn/pin.csv");
    let open = |link: &str| act(open(link), GameAction::Fetched(Some(pin.to_vec().into())));
    let mut state = open("order=ex:learn/pin");
    let deal = game(&state).deal.clone().expect("dealt");
    let rows = &game(&state).ordering().expect("rows").operators;
    assert!(rows.are_buffers() && (deal.best_order.0, deal.bound) == (112 << 10, 112 << 10));
    assert_eq!(
        (game(&state).reached(), game(&state).ordering().map(|rows| rows.load())),
        (vec![false; 2], Some(192 << 10))
    );
    for (to, wanted) in deal.best_order.1.iter().enumerate() {
        let order = &game(&state).ordering().expect("rows").order;
        let from = order.iter().position(|at| at == wanted).expect("there");
        state = act(state, GameAction::Move(from, to));
    }
    assert_eq!((game(&state).reached(), game(&state).best), (vec![true, true], Some(112 << 10)));
    assert_eq!(game(&open(&address::write(&state))).reached(), [true, true]);
    let helped = act(act(state, GameAction::Clear), GameAction::Hint);
    assert!(feedback(&helped).contains("makes the peak"), "{}", feedback(&helped));
}

#[test]
fn a_fault_is_found_by_those_who_take_part_alone() {
    let state = open("debug=seed:7.1");
    let (parties, _) = game(&state).deal.as_ref().and_then(|deal| deal.fault.clone()).expect("a fault");
    let all = game(&state).finding().expect("a plan").run.problem.buffers.ids();
    assert!(game(&state).finding().expect("a plan").run.collisions.is_empty(), "nothing gives it away");
    // The verdict speaks of what the question speaks of.
    let beyond = open("debug=seed:1.1");
    let claim = game(&beyond).finding().expect("a plan").claim("game.debug-claims");
    let (_, fault) = game(&beyond).deal.as_ref().and_then(|deal| deal.fault.clone()).expect("a fault");
    assert_eq!((&*fault.key, fault.arg("peak")), ("game.debug-beyond", claim.arg("peak")));
    assert!(
        memplan_core::text::Speech::default().say(&fault).replace('\u{202f}', " ").contains("1 856 B"),
        "{fault:?}"
    );
    let choose = |state: State, ids: &[BufferId]| {
        let chosen = ids.iter().fold(state, |state, id| act(state, GameAction::Select(Some(*id))));
        act(chosen, GameAction::Check)
    };
    let everybody: Vec<BufferId> = all.collect();
    let wrong = choose(state.clone(), &everybody);
    assert_eq!((game(&wrong).reached(), game(&wrong).finding().map(|finding| finding.wrong)), (vec![false], Some(1)));
    let right = choose(state.clone(), &parties);
    assert_eq!((game(&right).reached(), game(&right).best), (vec![true], Some(1)));
    let mut guessing = state.clone();
    for _ in 0..3 {
        guessing = choose(guessing, &everybody);
        guessing = everybody.iter().fold(guessing, |state, id| act(state, GameAction::Select(Some(*id))));
    }
    let guessed = choose(guessing, &parties);
    assert_eq!((game(&guessed).reached(), game(&guessed).best), (vec![false], None), "after three wrong answers");
    let shown = act(act(state, GameAction::Hint), GameAction::Hint);
    assert!(game(&shown).finding().is_some_and(|finding| finding.over) && game(&shown).reached() == [false]);
}

#[test]
fn a_plan_beside_ones_own_is_told_in_words() {
    let state = put(nine(), "A", 160);
    let opened = act(state, GameAction::Tell(Some("first-fit".into())));
    let rows = game(&opened).beside("first-fit").expect("blocks");
    let plan = plan_of_rung(&opened, "first-fit");
    assert_eq!(rows.iter().map(|row| row.theirs).collect::<Vec<_>>(), plan);
    assert_eq!(rows[0].own, Some(160 * KIB));
    assert!(rows[1..].iter().all(|row| row.own.is_none() && !row.is_same()), "the others wait");
    let words = game(&opened).beside_words("first-fit", "First fit".into()).expect("blocks");
    assert_eq!(
        (words.arg("peak"), words.arg("all")),
        (Some(&memplan_core::base::Arg::Bytes(448 * KIB)), Some(&memplan_core::base::Arg::Count(9)))
    );
    let same = rows.iter().filter(|row| row.is_same()).count() as u64;
    assert_eq!(words.arg("n"), Some(&memplan_core::base::Arg::Count(same)));
    // To read it is as much help as to see it.
    assert!(game(&opened).helped && game(&opened).beside_in_words.is_some());
    let closed = act(opened, GameAction::Tell(None));
    assert!(game(&closed).beside_in_words.is_none() && game(&closed).helped);
    assert!(game(&closed).beside("nobody").is_none());
    // Who copies it row by row has the same plan.
    let copied = plan.iter().enumerate().fold(nine(), |state, (at, offset)| {
        act(act(state, GameAction::Lift(BufferId(at as u32), offset.expect("placed"), 0)), GameAction::Drop)
    });
    assert!(game(&copied).beside("first-fit").expect("blocks").iter().all(|row| row.is_same()));
}

fn plan_of_rung(state: &State, planner: &str) -> Vec<Option<u64>> {
    let rung = game(state).rungs().into_iter().find(|rung| rung.planner == planner).expect("a planner");
    rung.offsets.iter().copied().collect()
}
