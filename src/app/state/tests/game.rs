//! Games: dealt, played, taken back, linked.

use super::*;
use crate::app::model::game::GameLink;
use crate::app::model::learning::LearnPlace;
use crate::app::model::panels::Mode;
use crate::app::state::action::{GameAction, LearnAction, TeachAction};
use crate::app::state::address;
use crate::app::state::game::{Game, Table};
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
    let Some(wanted) = state.teaching.wanted.clone() else { return state };
    let request: TeachRequest = wanted.request.clone().map_files(&mut |file| file.bytes().to_vec());
    answered(state.reduce_one(Action::Teach(TeachAction::Answered(wanted.number, Some(teach(&request))))))
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
    let run = game(&shown).drawn().expect("a picture");
    assert_eq!((run.metrics.peak, peak(&shown)), (448 * KIB, 0));
    let mut state = told(shown, GameAction::Show(None));
    for (name, kib) in BEST {
        state = put(state, name, kib);
    }
    assert_eq!((game(&state).best, state.learning.learned.best.is_empty()), (None, true), "copied");
}

#[test]
fn blocks_of_tetris_come_one_by_one_and_stay() {
    let mut state = open("tetris=seed:7.1");
    let order = game(&state).deal.as_ref().expect("dealt").order.clone();
    assert!(order.len() >= 6);
    for (at, &id) in order.iter().enumerate() {
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
fn what_cannot_be_dealt_says_why() {
    let missing = told(open("pack=ex:nothing"), GameAction::Fetched(None));
    assert!(game(&missing).failure.is_some() && matches!(game(&missing).table, Table::Empty));
    let few = told(open("pack=ex:few"), GameAction::Fetched(Some(b"id,lower,upper,size\na,0,1,8\n".to_vec().into())));
    assert_eq!(game(&few).failure.as_ref().map(|why| &*why.key), Some("game.blocks"));
    let unknown = open("tetris=seed:1.1&plan=nobody");
    assert_eq!(game(&unknown).failure.as_ref().map(|why| &*why.key), Some("fault.unknown-planner"));
    assert_eq!(GameLink::of_fragment("pack=url:https://example.org/x"), None);
}
