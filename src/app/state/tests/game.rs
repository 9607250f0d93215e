//! Games: dealt, played, taken back, linked.

use super::*;
use crate::app::model::learning::LearnPlace;
use crate::app::model::panels::Mode;
use crate::app::state::action::{GameAction, LearnAction, TeachAction};
use crate::app::state::address;
use crate::app::state::game::{Game, Table};
use crate::app::state::game_action::BoardField;
use crate::app::state::stage::Stage;
use crate::engine::{TeachRequest, teach};
use crate::exercise::variant::Kind;
use crate::problem::BufferId;

const KIB: u64 = 1024;
const NINE: &[u8] = include_bytes!("../../../../www/graphs/learn/nine-blocks.csv");

/// The state after an action, and after all answers of the worker.
fn told(state: State, action: GameAction) -> State {
    answered(state.reduce_one(Action::Game(action)))
}

fn answered(state: State) -> State {
    if state.teaching.wanted.is_none() { state } else { answered(one_answer(state)) }
}

/// The state after the next answer of the worker.
fn one_answer(state: State) -> State {
    let wanted = state.teaching.wanted.clone().expect("something is asked");
    let request: TeachRequest = wanted.request.clone().map_files(&mut |file| file.bytes().to_vec());
    state.reduce_one(Action::Teach(TeachAction::Answered(wanted.number, Some(teach(&request)))))
}

fn open(fragment: &str) -> State {
    let link = address::read(fragment).restored.game.unwrap_or_else(|| panic!("{fragment} is of no game"));
    told(State::default(), GameAction::Open(Box::new(link)))
}

fn nine() -> State {
    let state = open("pack=ex:learn/nine-blocks");
    assert_eq!(game(&state).wanted(), Some("learn/nine-blocks"));
    told(state, GameAction::Fetched(Some(NINE.to_vec().into())))
}

fn game(state: &State) -> &Game {
    state.game.as_ref().expect("a game")
}

fn peak(state: &State) -> u64 {
    game(state).tray().expect("blocks").peak()
}

/// Drops a block, by its name.
fn put(state: State, name: &str, kib: u64) -> State {
    let id = game(&state).tray().and_then(|tray| tray.problem().buffer_named(name)).expect("a block");
    told(told(state, GameAction::Lift(id, kib * KIB, 0)), GameAction::Drop)
}

const BEST: [(&str, u64); 9] =
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
    let again = told(open(&link), GameAction::Fetched(Some(NINE.to_vec().into())));
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
    let state = told(state, GameAction::Lift(id, 112 * KIB, 4 * KIB));
    let said = game(&state).said.clone().expect("a sentence");
    let words = crate::text::Speech::default().say(&said);
    assert!(said.key == "game.blocked" && words.contains("H is there") && words.contains("at steps 6 to 7"), "{words}");
    assert_eq!(said.arg("drop"), Some(&crate::base::Arg::Address(192 * KIB)));
    let run = game(&state).drawn().expect("a picture");
    assert_eq!(run.plan.places[id].map(|place| place.offset), Some(112 * KIB), "it is where the hand is");
    let back = told(state.clone(), GameAction::PutBack);
    assert_eq!(game(&back).tray().and_then(|tray| tray.offset_of(id)), None);
    let state = told(state, GameAction::Drop);
    assert_eq!(game(&state).tray().and_then(|tray| tray.offset_of(id)), Some(192 * KIB));
    let state = told(told(state, GameAction::Undo), GameAction::Redo);
    assert_eq!(peak(&state), 384 * KIB);
    let state = told(told(state, GameAction::TakeOff(id)), GameAction::Clear);
    assert_eq!(game(&state).tray().map(|tray| tray.placed()), Some(0));
}

#[test]
fn help_counts() {
    let mut state = nine();
    for _ in 0..3 {
        state = told(state, GameAction::Hint);
        assert!(game(&state).help().is_some());
    }
    assert!(game(&state).helped);
    let shown = told(nine(), GameAction::Show(Some("first-fit".into())));
    let own = game(&shown).drawn().expect("a picture");
    let ghost = game(&shown).ghost().expect("the plan of first fit");
    assert_eq!((ghost.peak(&own.problem), own.metrics.peak, peak(&shown)), (448 * KIB, 0, 0), "beside one's own");
    assert!(game(&told(shown.clone(), GameAction::Show(None))).ghost().is_none());
    let mut state = told(shown, GameAction::Show(None));
    for (name, kib) in BEST {
        state = put(state, name, kib);
    }
    assert_eq!((game(&state).best, state.learning.learned.best.is_empty()), (None, true), "copied");
}

/// Forty blocks, of which up to ten live together.
fn forty() -> String {
    let row = |at: u32| format!("b{at},{},{},{}\n", at, at + 2 + at % 9, 1024 * (1 + at % 7));
    format!("id,lower,upper,size\n{}", (0..40).map(row).collect::<String>())
}

#[test]
fn forty_blocks_can_be_taken_from_the_lane_one_after_the_other() {
    use crate::scene::{self, Index, Style, Target, View};
    let state = told(open("pack=ex:forty"), GameAction::Fetched(Some(forty().into_bytes().into())));
    let style = Style { dim: false, ..Style::default() };
    // As wide as a desk and as narrow as a phone.
    for (size, narrow) in [((1080.0, 640.0), false), ((390.0, 388.0), true)] {
        let style = Style { narrow, ..style };
        let mut state = state.clone();
        for placed in 0..40 {
            let run = game(&state).drawn().expect("a picture");
            let frame = run.frame(crate::app::state::game::blocks::events_of(&run)).at_rest();
            let rows = scene::waiting_rows(&run.problem, size, &style);
            let index =
                Index::new(&run).so_far(&run.problem, &[game(&state).height().expect("blocks")]).with_lane_rows(rows);
            let view = View::fit(&index, size, &style);
            let hit = |at| scene::hit(&run, &index, &frame, &view, size, &style, at).into_iter().next();
            // Every 4 px across, every 6 px over the lower part of the picture: boxes are 13 px high.
            let points = (0..40).flat_map(|y| (0..size.0 as u32 / 4).map(move |x| (x, y)));
            let mut waits = points.filter_map(|(x, y)| match hit((4.0 * f64::from(x), size.1 - 6.0 * f64::from(y)))? {
                Target::Buffer(id) if frame.places[id].is_none() => Some(id),
                _ => None,
            });
            let id = waits.next().unwrap_or_else(|| panic!("nothing can be taken after {placed} at {size:?}"));
            state = told(told(state, GameAction::Lift(id, 0, 0)), GameAction::Drop);
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
        let other = told(state.clone(), GameAction::Shift(order[(at + 1) % order.len()], true));
        assert_eq!(game(&other).tray().map(|tray| tray.held()), Some(None), "it is not its turn");
        state = told(told(state, GameAction::Shift(id, true)), GameAction::Drop);
        assert_eq!(game(&state).tray().map(|tray| tray.placed()), Some(at + 1));
    }
    assert!(game(&state).best.is_some() && game(&state).rival() > game(&state).goal());
}

#[test]
fn the_open_document_becomes_a_game() {
    let state = opened();
    let count = state.document.run.as_ref().expect("planned").problem.buffers.len();
    assert!([Kind::Pack, Kind::Tetris, Kind::Order].into_iter().all(|kind| state.fits_game(kind)));
    let order = told(state.clone(), GameAction::OfOpen(Kind::Order));
    assert_eq!(game(&order).ordering().map(|ordering| ordering.operators.list.len()), Some(8));
    let state = told(state, GameAction::OfOpen(Kind::Pack));
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
    let origin = crate::app::model::document::Origin::Remote(address.into());
    let open = DocumentAction::Open { origin, bytes: NINE.to_vec().into(), choices: Default::default(), place: None };
    let state = done(State::default().reduce_one(Action::Document(open)));
    let state = told(state, GameAction::OfOpen(Kind::Pack));
    assert_eq!((game(&state).failure.clone(), game(&state).tray().map(|tray| tray.ids().count())), (None, Some(9)));
}

#[test]
fn what_cannot_be_dealt_says_why() {
    let missing = told(open("pack=ex:nothing"), GameAction::Fetched(None));
    assert!(game(&missing).failure.is_some() && matches!(game(&missing).table, Table::Empty));
    let few = told(open("pack=ex:few"), GameAction::Fetched(Some(b"id,lower,upper,size\na,0,1,8\n".to_vec().into())));
    assert_eq!(game(&few).failure.as_ref().map(|why| &*why.key), Some("game.blocks"));
    let unknown = open("tetris=seed:1.1&plan=nobody");
    assert_eq!(game(&unknown).failure.as_ref().map(|why| &*why.key), Some("fault.unknown-planner"));
    // A game of an address asks nobody for a document: the link says so.
    let distant = open("pack=url:https://example.org/x.csv");
    let why = game(&distant).failure.clone().expect("a reason");
    assert!(crate::text::Speech::default().say(&why).contains("https://example.org/x.csv"), "{why:?}");
    assert_eq!((game(&distant).wanted(), distant.teaching.wanted.is_some()), (None, false));
}

/// The sentence that is shown, in English.
fn said(state: &State) -> String {
    let said = game(state).said.as_ref().map(|said| crate::text::Speech::default().say(said));
    said.unwrap_or_default()
}

#[test]
fn a_planner_is_broken_on_a_board() {
    let pin = "A.80.0.1_B.16.0.3_C.96.1.2_D.96.2.3";
    let state = open(&format!("break=first-fit&b={pin}&beat=1.50"));
    let tried = |state: &State| game(state).breaking().and_then(|breaking| breaking.tried.clone()).expect("a plan");
    let ratio = tried(&state).ratio;
    assert_eq!((ratio.peak, ratio.bound, game(&state).link.par), (192 * KIB, 112 * KIB, Some(150)));
    let kept = |state: &State| state.learning.learned.tries.get("first-fit").cloned().unwrap_or_default();
    assert_eq!(kept(&state).len(), 1, "it beats what no try has");
    // A change that makes it better for the planner is not kept by itself.
    let better = told(state, GameAction::Write(0, BoardField::Size, "96".into()));
    assert!(ratio.beats(tried(&better).ratio) && kept(&better).len() == 1);
    let both = told(better, GameAction::Keep);
    assert_eq!(kept(&both).iter().map(|kept| kept.board == pin).collect::<Vec<_>>(), [true, false], "the worst first");
    let one = told(both.clone(), GameAction::Forget(pin.into()));
    assert_eq!(kept(&one).len(), 1);
    let undone = told(both.clone(), GameAction::Undo);
    assert_eq!(address::write(&undone), format!("break=first-fit&b={pin}&beat=1.50&lang=en"));
    let redone = told(undone, GameAction::Redo);
    assert!(tried(&redone).board.write() != pin, "the change is made again");
    let loaded = told(both, GameAction::Load(pin.into()));
    assert_eq!(tried(&loaded).board.write(), pin);
    // Another planner has tries of its own.
    let other = told(loaded, GameAction::Planner("best-fit".into()));
    assert_eq!((tried(&other).run.planner.as_str(), game(&other).link.par), ("best-fit", None));
    assert!(other.learning.learned.tries.get("best-fit").is_some());
}

#[test]
fn kept_boards_have_pictures_and_are_exchanged_as_a_file() {
    let pin = "A.80.0.1_B.16.0.3_C.96.1.2_D.96.2.3";
    let state = open(&format!("break=first-fit&b={pin}"));
    let pictures = |state: &State| game(state).breaking().expect("a board").pictures.clone();
    let boxes = pictures(&state).get(pin).cloned().expect("a picture");
    assert_eq!((boxes.len(), boxes[1]), (4, (0, 3, 80 * KIB, 96 * KIB)), "B lies on A");
    // A new visit has the boards, and asks for their pictures.
    let again = State { learning: state.learning.clone(), ..State::default() };
    let link = address::read("break=first-fit").restored.game.expect("a game");
    let again = told(again, GameAction::Open(Box::new(link)));
    assert_eq!(pictures(&again).get(pin), Some(&boxes));
    // Somebody else opens the file, with another planner on the table.
    let text = crate::exercise::board_file::write("first-fit", [pin].into_iter());
    let file = |text: &str| GameAction::OpenTries(text.as_bytes().to_vec().into());
    let other = told(open("break=best-fit&beat=1.20"), file(&text));
    let kept = other.learning.learned.tries.get("first-fit").cloned().expect("kept");
    let opened = kept.iter().find(|kept| kept.board == pin).expect("opened");
    assert_eq!((opened.peak, opened.bound, opened.opened), (192 * KIB, 112 * KIB, true));
    assert!(other.learning.learned.best_try("first-fit").is_none_or(|best| best.board != pin), "it is nobody's own");
    assert_eq!((game(&other).link.planner.as_str(), game(&other).link.par), ("first-fit", None));
    assert_eq!((said(&other).starts_with("1 board"), pictures(&other).get(pin)), (true, Some(&boxes)));
    let loaded = told(other, GameAction::Load(pin.into()));
    assert_eq!(
        game(&loaded).breaking().and_then(|breaking| breaking.here()).map(|tried| tried.ratio.peak),
        Some(192 * KIB)
    );
    // Of many boards so many are kept, each once, and that is told; those that are not listed have no picture.
    let many: Vec<String> = (1..=30).map(|size| format!("A.{size}.0.1_B.1.0.3")).collect();
    let twice = many.iter().chain([&many[0]]).map(String::as_str);
    let loaded = told(loaded, file(&crate::exercise::board_file::write("first-fit", twice)));
    let listed = loaded.learning.learned.tries.get("first-fit").map_or(0, Vec::len);
    assert!(said(&loaded).starts_with("19 of 31 boards"), "{}", said(&loaded));
    assert_eq!((listed, pictures(&loaded).len()), (20, 20));
    // What is no such file is refused with a sentence, and the game goes on.
    let refused = told(loaded, file("{}"));
    assert!(said(&refused).contains("no boards of Break"), "{}", said(&refused));
    assert!(game(&refused).breaking().and_then(|breaking| breaking.here()).is_some());
}

#[test]
fn keys_do_on_the_board_what_the_pointer_does() {
    let mut state = open("break=first-fit&b=A.80.0.1_B.16.0.3");
    let board = |state: &State| game(state).breaking().expect("a board").board.write();
    let mut press = |key: &str, shift: bool| {
        let action = game(&state).board_key(key, shift).unwrap_or_else(|| panic!("{key}"));
        state = told(state.clone(), action);
        board(&state)
    };
    assert_eq!(press("ArrowUp", false), "A.80.0.1_B.16.0.3", "nothing was chosen");
    press("PageDown", false);
    press("ArrowUp", false);
    // A key that is held is one change.
    assert_eq!(press("ArrowUp", false), "A.80.0.1_B.18.0.3");
    assert_eq!(press("ArrowLeft", false), "A.80.0.1_B.18.0.2");
    assert_eq!(press("ArrowRight", true), "A.80.0.1_B.18.1.2");
    assert_eq!(press("ArrowLeft", false), "A.80.0.1_B.18.1.2", "a life has a step");
    press("PageUp", false);
    assert_eq!(press("ArrowDown", false), "A.79.0.1_B.18.1.2");
    assert_eq!(press("Enter", false), "A.79.0.1_B.18.1.2_C.32.0.2");
    assert_eq!(press("Delete", false), "A.79.0.1_B.18.1.2", "the new one was chosen");
    assert!(game(&state).board_key("x", false).is_none());
    let undone = told(told(state, GameAction::Undo), GameAction::Undo);
    assert_eq!(board(&told(undone, GameAction::Undo)), "A.80.0.1_B.16.0.3");
}

#[test]
fn a_board_takes_only_what_is_possible() {
    let state = open("break=first-fit&b=A.80.0.1_B.16.0.3");
    let board = |state: &State| game(state).breaking().expect("a board").board.write();
    for (field, text) in [
        (BoardField::Size, "0"),
        (BoardField::Size, "129"),
        (BoardField::Size, "many"),
        (BoardField::From, "1"),
        (BoardField::To, "9"),
        (BoardField::Name, "B"),
        (BoardField::Name, "A B"),
    ] {
        let refused = told(state.clone(), GameAction::Write(0, field, text.into()));
        assert!(!said(&refused).is_empty() && board(&refused) == board(&state), "{text}");
    }
    let renamed = told(state.clone(), GameAction::Write(0, BoardField::Name, "long".into()));
    assert_eq!(board(&renamed), "long.80.0.1_B.16.0.3");
    let mut full = state.clone();
    for _ in 0..9 {
        full = told(full, GameAction::Add(7));
    }
    assert_eq!(board(&full).split('_').count(), 8);
    let mut few = full;
    for _ in 0..9 {
        few = told(few, GameAction::Remove(0));
    }
    assert_eq!(board(&few).split('_').count(), 1, "a board has a buffer");
    // What is dragged is one change, and stays within the limits.
    let mut dragged = state.clone();
    for kib in [90, 100, 900] {
        dragged = told(dragged, GameAction::Resize(0, BoardField::Size, kib));
    }
    let dragged = told(dragged, GameAction::Drop);
    assert_eq!(board(&dragged), "A.128.0.1_B.16.0.3");
    assert_eq!(board(&told(dragged, GameAction::Undo)), board(&state));
    let worst = told(state, GameAction::Worst);
    assert!(worst.game.as_ref().and_then(Game::breaking).is_some_and(|breaking| breaking.worst_shown));
    let own = worst.learning.learned.tries.get("first-fit").cloned().unwrap_or_default();
    assert!(own.iter().all(|kept| kept.board != board(&worst)), "who looks has not found it");
}

#[test]
fn operators_are_put_in_order() {
    let mut state = open("order=seed:7.1");
    let deal = game(&state).deal.clone().expect("dealt");
    let best = deal.best_order.clone();
    assert_eq!(game(&state).reached(), [false, false]);
    // An operator that runs before what it reads is refused, and named.
    let last = best.1.len() - 1;
    let refused = told(state.clone(), GameAction::Move(last, 0));
    assert!(!said(&refused).is_empty() && game(&refused).ordering().expect("operators").text().is_empty());
    for (to, wanted) in best.1.iter().enumerate() {
        let order = |state: &State| game(state).ordering().expect("operators").order.clone();
        let from = order(&state).iter().position(|at| at == wanted).expect("there");
        for at in (to..from).rev() {
            state = told(state, GameAction::Move(at + 1, at));
        }
    }
    assert_eq!((game(&state).reached(), game(&state).best), (vec![true, true], Some(best.0)));
    let link = address::write(&state);
    assert_eq!(game(&open(&link)).reached(), [true, true], "{link}");
    let again = told(state, GameAction::Clear);
    assert_eq!(game(&again).reached(), [false, false]);
    let back = told(again.clone(), GameAction::Undo);
    assert_eq!(game(&back).reached(), [true, true]);
    assert_eq!(game(&told(back, GameAction::Redo)).reached(), [false, false]);
    let helped = told(told(again, GameAction::Hint), GameAction::Hint);
    assert!(game(&helped).helped && !said(&helped).is_empty());
}

#[test]
fn a_fault_is_found_by_those_who_take_part_alone() {
    let state = open("debug=seed:7.1");
    let (parties, _) = game(&state).deal.as_ref().and_then(|deal| deal.fault.clone()).expect("a fault");
    let all = game(&state).finding().expect("a plan").run.problem.buffers.ids();
    assert!(game(&state).finding().expect("a plan").run.collisions.is_empty(), "nothing gives it away");
    let choose = |state: State, ids: &[BufferId]| {
        let chosen = ids.iter().fold(state, |state, id| told(state, GameAction::Select(Some(*id))));
        told(chosen, GameAction::Check)
    };
    let everybody: Vec<BufferId> = all.collect();
    let wrong = choose(state.clone(), &everybody);
    assert_eq!((game(&wrong).reached(), game(&wrong).finding().map(|finding| finding.wrong)), (vec![false], Some(1)));
    let right = choose(state.clone(), &parties);
    assert_eq!((game(&right).reached(), game(&right).best), (vec![true], Some(1)));
    let mut guessing = state.clone();
    for _ in 0..3 {
        guessing = choose(guessing, &everybody);
        guessing = everybody.iter().fold(guessing, |state, id| told(state, GameAction::Select(Some(*id))));
    }
    let guessed = choose(guessing, &parties);
    assert_eq!((game(&guessed).reached(), game(&guessed).best), (vec![false], None), "after three wrong answers");
    let shown = told(told(state, GameAction::Hint), GameAction::Hint);
    assert!(game(&shown).finding().is_some_and(|finding| finding.over) && game(&shown).reached() == [false]);
}

#[test]
fn a_student_packs_by_link_and_hands_in() {
    let link = "exercise=1&seed=7&difficulty=1&plan=first-fit&kind=pack&pass=2&of=3&id=p1";
    let teach = |state: State, action: TeachAction| answered(state.reduce_one(Action::Teach(action)));
    let state = teach(State::default(), TeachAction::Open(link.into()));
    let state = teach(teach(state, TeachAction::Name("Ann".into())), TeachAction::Begin);
    let assigned = |state: &State| state.teaching.assigned.clone().expect("an exercise");
    assert_eq!((assigned(&state).stage, assigned(&state).failure), (Stage::Asking, None));
    assert!(state.game_shown().is_some() && state.learning.learned.is_empty());
    let proved = game(&state).proved.clone().expect("known");
    // Nobody looks at a planner's plan here, or leaves the game.
    let kept = told(state.clone(), GameAction::Show(Some("first-fit".into())));
    assert_eq!(game(&kept).shown, None);
    let mut done = state;
    for (id, offset) in proved.rung.offsets.enumerate() {
        done = told(told(done, GameAction::Lift(id, offset.expect("placed"), 0)), GameAction::Drop);
    }
    assert_eq!(done.told_of_exercise().map(|told| (told.right, told.passed)), Some((3, true)));
    let done = teach(done, TeachAction::Finish(1_800_000_000));
    let outcome = assigned(&done).outcome;
    assert_eq!((assigned(&done).stage, outcome.right, outcome.of, outcome.helped), (Stage::Done, 3, 3, false));
    let read = crate::exercise::code::read(&assigned(&done).code).expect("a code");
    assert!(read.is_of("Ann") && read.outcome == outcome && done.missed_rules().is_empty());
    assert!(done.learning.learned.is_empty(), "nothing is kept of an exercise");
    // The same for all: a document.
    let link = "exercise=1&doc=ex:learn/nine-blocks&plan=first-fit&kind=pack&pass=1&of=3";
    let state = teach(State::default(), TeachAction::Open(link.into()));
    let state = teach(teach(state, TeachAction::Name("Bob".into())), TeachAction::Begin);
    assert_eq!(assigned(&state).stage, Stage::Making);
    // The game begins before the exact search is done.
    let state = one_answer(state.reduce_one(Action::Game(GameAction::Fetched(Some(NINE.to_vec().into())))));
    assert_eq!((assigned(&state).stage, game(&state).proved.is_none()), (Stage::Asking, true));
    let begun = answered(state.clone());
    assert_eq!((game(&begun).is_goal_proved(), game(&begun).tray().map(|tray| tray.ids().count())), (true, Some(9)));
    // Whoever hands in earlier gets the marks that are known later.
    let finish = Action::Teach(TeachAction::Finish(1_800_000_000));
    let waits = state.reduce_one(finish);
    assert_eq!((assigned(&waits).stage, waits.teaching.wanted.is_some()), (Stage::Coding, true));
    let done = answered(waits);
    assert_eq!(
        (assigned(&done).stage, assigned(&done).outcome.right, assigned(&done).code.is_empty()),
        (Stage::Done, 0, false)
    );
}

#[test]
fn the_optimum_counts_for_those_who_hand_in_before_it_is_proved() {
    // The bound of these buffers is 6, and no plan is below 7.
    let exact = include_bytes!("../../../../www/graphs/cases/exact.json");
    let link = "exercise=1&doc=ex:cases/exact&plan=first-fit&kind=pack&pass=1&of=3";
    let teach = |state: State, action: TeachAction| state.reduce_one(Action::Teach(action));
    let state = answered(teach(State::default(), TeachAction::Open(link.into())));
    let state = teach(teach(state, TeachAction::Name("Ann".into())), TeachAction::Begin);
    let mut state = one_answer(state.reduce_one(Action::Game(GameAction::Fetched(Some(exact.to_vec().into())))));
    let best = game(&answered(state.clone())).proved.clone().expect("proved");
    assert_eq!(best.floor, 7);
    for (id, offset) in best.rung.offsets.enumerate() {
        for action in [GameAction::Lift(id, offset.expect("placed"), 0), GameAction::Drop] {
            state = state.reduce_one(Action::Game(action));
        }
    }
    assert!(!game(&state).marks()[2], "nobody knows yet");
    let done = answered(teach(state, TeachAction::Finish(1_800_000_000)));
    let assigned = done.teaching.assigned.as_ref().expect("an exercise");
    assert_eq!(
        (assigned.stage, assigned.outcome.right),
        (Stage::Done, game(&done).marks().iter().filter(|reached| **reached).count() as u8)
    );
    assert!(game(&done).marks()[2]);
}

#[test]
fn a_plan_beside_ones_own_is_told_in_words() {
    let state = put(nine(), "A", 160);
    let opened = told(state, GameAction::Tell(Some("first-fit".into())));
    let rows = game(&opened).beside("first-fit").expect("blocks");
    let plan = plan_of_rung(&opened, "first-fit");
    assert_eq!(rows.iter().map(|row| row.theirs).collect::<Vec<_>>(), plan);
    assert_eq!(rows[0].own, Some(160 * KIB));
    assert!(rows[1..].iter().all(|row| row.own.is_none() && !row.is_same()), "the others wait");
    let words = game(&opened).beside_words("first-fit", "First fit".into()).expect("blocks");
    assert_eq!(
        (words.arg("peak"), words.arg("all")),
        (Some(&crate::base::Arg::Bytes(448 * KIB)), Some(&crate::base::Arg::Count(9)))
    );
    let same = rows.iter().filter(|row| row.is_same()).count() as u64;
    assert_eq!(words.arg("n"), Some(&crate::base::Arg::Count(same)));
    // To read it is as much help as to see it.
    assert!(game(&opened).helped && game(&opened).told.is_some());
    let closed = told(opened, GameAction::Tell(None));
    assert!(game(&closed).told.is_none() && game(&closed).helped);
    assert!(game(&closed).beside("nobody").is_none());
    // Who copies it row by row has the same plan.
    let copied = plan.iter().enumerate().fold(nine(), |state, (at, offset)| {
        told(told(state, GameAction::Lift(BufferId(at as u32), offset.expect("placed"), 0)), GameAction::Drop)
    });
    assert!(game(&copied).beside("first-fit").expect("blocks").iter().all(|row| row.is_same()));
}

fn plan_of_rung(state: &State, planner: &str) -> Vec<Option<u64>> {
    let rung = game(state).rungs().into_iter().find(|rung| rung.planner == planner).expect("a planner");
    rung.offsets.iter().copied().collect()
}

#[test]
fn a_student_breaks_a_planner_by_link_and_hands_in_the_best_ratio() {
    let link = "exercise=1&plan=first-fit&kind=break&beat=1.70&of=1&tries=2&id=b";
    let teach = |state: State, action: TeachAction| answered(state.reduce_one(Action::Teach(action)));
    let state = teach(State::default(), TeachAction::Open(link.into()));
    let state = teach(teach(state, TeachAction::Name("Ann".into())), TeachAction::Begin);
    let assigned = |state: &State| state.teaching.assigned.clone().expect("an exercise");
    assert_eq!((assigned(&state).stage, assigned(&state).failure), (Stage::Asking, None));
    let reached = |state: &State| (game(state).ratio_reached(), game(state).reached());
    assert_eq!(reached(&state), (Some(100), vec![false]), "every planner packs the first board well");
    // The worst board, those of files and other planners are no way to a result.
    for action in [
        GameAction::Worst,
        GameAction::Load("A.80.0.1_B.16.0.3_C.96.1.2_D.96.2.3".into()),
        GameAction::Planner("naive".into()),
        GameAction::Keep,
    ] {
        let after = told(state.clone(), action);
        assert_eq!((game(&after).ratio_reached(), game(&after).link.planner.as_str()), (Some(100), "first-fit"));
    }
    // A 80 [0, 1), B 16 [0, 3), C 96 [1, 2), D 96 [2, 3): B lies on A, so C and D do not fit below it.
    let write = |state: State, row: usize, kib: u64, from: u32, to: u32| {
        let fields = [
            (BoardField::To, 8),
            (BoardField::From, from.into()),
            (BoardField::To, to.into()),
            (BoardField::Size, kib),
        ];
        fields
            .into_iter()
            .fold(state, |state, (field, value)| told(state, GameAction::Write(row, field, value.to_string())))
    };
    let state = told(state, GameAction::Add(0));
    let state = write(write(write(write(state, 0, 80, 0, 1), 1, 16, 0, 3), 2, 96, 1, 2), 3, 96, 2, 3);
    assert_eq!(reached(&state), (Some(171), vec![true]));
    assert_eq!(
        state.told_of_exercise().map(|told| (told.state, told.ratio, told.passed)),
        Some(("answered", Some(171), true))
    );
    // A board that comes later and is better packed takes nothing away.
    let state = told(state, GameAction::Clear);
    assert_eq!(reached(&state), (Some(171), vec![true]));
    let done = teach(state, TeachAction::Finish(1_800_000_000));
    let outcome = assigned(&done).outcome;
    assert_eq!((assigned(&done).stage, outcome.right, outcome.of, outcome.ratio), (Stage::Done, 1, 1, Some(171)));
    let code = assigned(&done).code;
    let read = crate::exercise::code::read(&code).expect("a code");
    assert!(code.starts_with("MP2-") && read.outcome == outcome && read.is_of("Ann"));
    assert!(done.learning.learned.is_empty(), "nothing is kept of an exercise");
    // The next attempt begins from nothing.
    let again = teach(done, TeachAction::Begin);
    assert_eq!((reached(&again).0, assigned(&again).attempts), (Some(100), 2));
}

#[test]
fn who_hands_in_a_board_before_the_planner_has_answered_gets_its_ratio() {
    let link = "exercise=1&plan=first-fit&kind=break&beat=1.00&of=1";
    let teach = |state: State, action: TeachAction| answered(state.reduce_one(Action::Teach(action)));
    let state = teach(State::default(), TeachAction::Open(link.into()));
    let state = teach(teach(state, TeachAction::Name("Ann".into())), TeachAction::Begin);
    let pin = "A.80.0.1_B.16.0.3_C.96.1.2_D.96.2.3";
    let board = crate::exercise::board::Board::read(pin).expect("a board");
    let mut state = state;
    let Some(crate::app::state::game::Table::Board(breaking)) = state.game.as_mut().map(|game| &mut game.table) else {
        panic!("a board")
    };
    breaking.board = board;
    // The answer to this change is on its way.
    let state = state.reduce_one(Action::Game(GameAction::Select(None)));
    let waiting = state.reduce_one(Action::Teach(TeachAction::Finish(1_800_000_000)));
    assert_eq!(waiting.teaching.assigned.as_ref().map(|assigned| assigned.stage), Some(Stage::Coding));
    let done = answered(waiting);
    let assigned = done.teaching.assigned.clone().expect("an exercise");
    assert_eq!((assigned.stage, assigned.outcome.ratio, assigned.outcome.right), (Stage::Done, Some(171), 1));
}
