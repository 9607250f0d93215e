//! Break: boards on which a planner wastes much, kept, exchanged, and handed in.

use crate::learn::exercise::state::stage::Stage;
use crate::learn::play::state::Game;
use crate::learn::play::state::action::BoardField;
use crate::learn::play::state::tests::{KIB, act, answered, feedback, game, open};
use crate::shell::state::action::{Action, GameAction, TeachAction};
use crate::shell::state::keys::{Place, Stroke, command};
use crate::shell::state::{State, address};
use memplan_core::problem::BufferId;
use memplan_core::text::Speech;

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
    let better = act(state, GameAction::Write(0, BoardField::Size, "96".into()));
    assert!(ratio.beats(tried(&better).ratio) && kept(&better).len() == 1);
    let both = act(better, GameAction::Keep);
    assert_eq!(kept(&both).iter().map(|kept| kept.board == pin).collect::<Vec<_>>(), [true, false], "the worst first");
    let one = act(both.clone(), GameAction::Forget(pin.into()));
    assert_eq!(kept(&one).len(), 1);
    let undone = act(both.clone(), GameAction::Undo);
    assert_eq!(address::write(&undone), format!("break=first-fit&b={pin}&beat=1.50&lang=en"));
    let redone = act(undone, GameAction::Redo);
    assert!(tried(&redone).board.write() != pin, "the change is made again");
    let loaded = act(both, GameAction::Load(pin.into()));
    assert_eq!(tried(&loaded).board.write(), pin);
    // Another planner has tries of its own.
    let other = act(loaded, GameAction::Planner("best-fit".into()));
    assert_eq!((tried(&other).run.planner.as_str(), game(&other).link.par), ("best-fit", None));
    assert!(other.learning.learned.tries.contains_key("best-fit"));
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
    let again = act(again, GameAction::Open(Box::new(link)));
    assert_eq!(pictures(&again).get(pin), Some(&boxes));
    // Somebody else opens the file, with another planner on the table.
    let text = memplan_teach::exercise::board_file::write("first-fit", [pin].into_iter());
    let file = |text: &str| GameAction::OpenTries(text.as_bytes().to_vec().into());
    let other = act(open("break=best-fit&beat=1.20"), file(&text));
    let kept = other.learning.learned.tries.get("first-fit").cloned().expect("kept");
    let opened = kept.iter().find(|kept| kept.board == pin).expect("opened");
    assert_eq!((opened.peak, opened.bound, opened.opened), (192 * KIB, 112 * KIB, true));
    assert!(other.learning.learned.best_try("first-fit").is_none_or(|best| best.board != pin), "it is nobody's own");
    assert_eq!((game(&other).link.planner.as_str(), game(&other).link.par), ("first-fit", None));
    assert_eq!((feedback(&other).starts_with("1 board"), pictures(&other).get(pin)), (true, Some(&boxes)));
    let loaded = act(other, GameAction::Load(pin.into()));
    assert_eq!(
        game(&loaded).breaking().and_then(|breaking| breaking.here()).map(|tried| tried.ratio.peak),
        Some(192 * KIB)
    );
    // Of many boards so many are kept, each once, and that is told; those that are not listed have
    // no picture.
    let many: Vec<String> = (1..=30).map(|size| format!("A.{size}.0.1_B.1.0.3")).collect();
    let twice = many.iter().chain([&many[0]]).map(String::as_str);
    let loaded = act(loaded, file(&memplan_teach::exercise::board_file::write("first-fit", twice)));
    let listed = loaded.learning.learned.tries.get("first-fit").map_or(0, Vec::len);
    assert!(feedback(&loaded).starts_with("19 of 31 boards"), "{}", feedback(&loaded));
    assert_eq!((listed, pictures(&loaded).len()), (20, 20));
    // What is no such file is refused with a sentence, and the game goes on.
    let refused = act(loaded, file("{}"));
    assert!(feedback(&refused).contains("no boards of Break"), "{}", feedback(&refused));
    assert!(game(&refused).breaking().and_then(|breaking| breaking.here()).is_some());
}

#[test]
fn keys_do_on_the_board_what_the_pointer_does() {
    let mut state = open("break=first-fit&b=A.80.0.1_B.16.0.3");
    let board = |state: &State| game(state).breaking().expect("a board").board.write();
    let asked = |key: &str, shift: bool| command(&Stroke { key: key.into(), shift, ..Stroke::default() }, Place::Board);
    let mut press = |key: &str, shift: bool| {
        let action = asked(key, shift).and_then(|asked| game(&state).asked_of_board(asked));
        let action = action.unwrap_or_else(|| panic!("{key}"));
        state = act(state.clone(), action);
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
    assert!(asked("x", false).is_none());
    let undone = act(act(state, GameAction::Undo), GameAction::Undo);
    assert_eq!(board(&act(undone, GameAction::Undo)), "A.80.0.1_B.16.0.3");
}

#[test]
fn a_board_takes_only_what_is_possible() {
    let state = open("break=first-fit&b=A.80.0.1_B.16.0.3");
    let board = |state: &State| game(state).breaking().expect("a board").board.write();
    let why = |state: &State| {
        let refused = game(state).breaking().and_then(|breaking| breaking.refused.clone());
        refused.map(|refused| (refused.text, Speech::default().say(&refused.why)))
    };
    for (field, text) in [
        (BoardField::Size, "0"),
        (BoardField::Size, "129"),
        (BoardField::Size, "many"),
        (BoardField::From, "1"),
        (BoardField::To, "9"),
        (BoardField::Name, "B"),
        (BoardField::Name, "A B"),
    ] {
        let refused = act(state.clone(), GameAction::Write(0, field, text.into()));
        assert_eq!(board(&refused), board(&state), "{text}");
        // It stays with its reason while another field is entered, until something else is done.
        let elsewhere = act(refused, GameAction::Select(Some(BufferId(1))));
        let (kept, reason) = why(&elsewhere).expect("a reason");
        assert!(kept == text && !reason.is_empty(), "{text}");
        assert_eq!(why(&act(elsewhere, GameAction::Write(0, BoardField::Size, "81".into()))), None);
    }
    // What is below the least number is a whole number all the same.
    let below =
        |field: BoardField| why(&act(state.clone(), GameAction::Write(0, field, "-1".into()))).map(|(_, why)| why);
    assert_eq!(below(BoardField::From).as_deref(), Some("-1 is below 0: steps go from 0 to 8."));
    assert_eq!(below(BoardField::Size).as_deref(), Some("-1 is below 1: a buffer has 1 to 128 KiB."));
    let renamed = act(state.clone(), GameAction::Write(0, BoardField::Name, "long".into()));
    assert_eq!(board(&renamed), "long.80.0.1_B.16.0.3");
    let mut full = state.clone();
    for _ in 0..9 {
        full = act(full, GameAction::Add(7));
    }
    assert_eq!(board(&full).split('_').count(), 8);
    let mut few = full;
    for _ in 0..9 {
        few = act(few, GameAction::Remove(0));
    }
    assert_eq!(board(&few).split('_').count(), 1, "a board has a buffer");
    // What is dragged is one change, and stays within the limits.
    let mut dragged = state.clone();
    for kib in [90, 100, 900] {
        dragged = act(dragged, GameAction::Resize(0, BoardField::Size, kib));
    }
    let dragged = act(dragged, GameAction::Drop);
    assert_eq!(board(&dragged), "A.128.0.1_B.16.0.3");
    assert_eq!(board(&act(dragged, GameAction::Undo)), board(&state));
    let worst = act(state, GameAction::Worst);
    assert!(worst.game.as_ref().and_then(Game::breaking).is_some_and(|breaking| breaking.worst_shown));
    let own = worst.learning.learned.tries.get("first-fit").cloned().unwrap_or_default();
    assert!(own.iter().all(|kept| kept.board != board(&worst)), "who looks has not found it");
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
        let after = act(state.clone(), action);
        assert_eq!((game(&after).ratio_reached(), game(&after).link.planner.as_str()), (Some(100), "first-fit"));
    }
    // A 80 [0, 1), B 16 [0, 3), C 96 [1, 2), D 96 [2, 3): B lies on A, so C and D do not fit below
    // it.
    let write = |state: State, row: usize, kib: u64, from: u32, to: u32| {
        let fields = [
            (BoardField::To, 8),
            (BoardField::From, from.into()),
            (BoardField::To, to.into()),
            (BoardField::Size, kib),
        ];
        fields
            .into_iter()
            .fold(state, |state, (field, value)| act(state, GameAction::Write(row, field, value.to_string())))
    };
    let state = act(state, GameAction::Add(0));
    let state = write(write(write(write(state, 0, 80, 0, 1), 1, 16, 0, 3), 2, 96, 1, 2), 3, 96, 2, 3);
    assert_eq!(reached(&state), (Some(171), vec![true]));
    assert_eq!(
        state.exercise_progress().map(|act| (act.state, act.ratio, act.passed)),
        Some(("answered", Some(171), true))
    );
    // A board that comes later and is better packed takes nothing away.
    let state = act(state, GameAction::Clear);
    assert_eq!(reached(&state), (Some(171), vec![true]));
    let done = teach(state, TeachAction::Finish(1_800_000_000));
    let outcome = assigned(&done).outcome;
    assert_eq!((assigned(&done).stage, outcome.right, outcome.of, outcome.ratio), (Stage::Done, 1, 1, Some(171)));
    let code = assigned(&done).code;
    let read = memplan_teach::exercise::code::read(&code).expect("a code");
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
    let board = memplan_teach::exercise::board::Board::read(pin).expect("a board");
    let mut state = state;
    let Some(crate::learn::play::state::Table::Board(breaking)) = state.game.as_mut().map(|game| &mut game.table)
    else {
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
