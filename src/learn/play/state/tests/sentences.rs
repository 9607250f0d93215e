//! What stands below the board of a game.

use crate::learn::play::state::tests::{BEST, KIB, act, game, nine, peak, put};
use crate::shell::state::State;
use crate::shell::state::action::GameAction;
use memplan_core::problem::BufferId;

/// The key of what stands below the board.
fn said(state: &State) -> String {
    game(state).said().key.to_string()
}

#[test]
fn what_is_said_below_the_board_is_the_help_or_that_nothing_is_smaller() {
    let mut state = nine();
    assert_eq!(said(&state), "game.how");
    state = act(state, GameAction::Hint);
    assert_eq!(said(&state), "game.hint-first");
    for (name, kib) in BEST {
        assert!(!game(&state).is_solved());
        state = put(state, name, kib);
    }
    assert!(game(&state).is_solved());
    assert_eq!(said(&state), "game.solved-bound");
    // As long as a block is in the hand and lies well, it is the same.
    let id = BufferId(8);
    let held = act(state.clone(), GameAction::Lift(id, 192 * KIB, 0));
    assert_eq!((game(&held).is_solved(), said(&held).as_str()), (true, "game.solved-bound"));
    let blocked = act(state.clone(), GameAction::Lift(id, 112 * KIB, 4 * KIB));
    assert_eq!((game(&blocked).is_solved(), said(&blocked).as_str()), (false, "game.blocked"));
    // Who asks for help there reads that nothing is smaller, and was not helped.
    let asked = act(state.clone(), GameAction::Hint);
    assert_eq!((said(&asked).as_str(), game(&asked).hints), ("game.solved-bound", 0));
    // Elsewhere help that is asked for comes first, until the next move.
    let helped = act(act(state.clone(), GameAction::TakeOff(id)), GameAction::Hint);
    assert_eq!(said(&helped), "game.hint-waits");
    assert_eq!(said(&act(helped, GameAction::TakeOff(BufferId(7)))), "game.how");
    let next = game(&state).link.next();
    assert_eq!(next.fragment(memplan_core::text::Locale::En), "#pack=seed:1.2&lang=en");
    assert_eq!(next.next().fragment(memplan_core::text::Locale::En), "#pack=seed:2.2&lang=en");
}

#[test]
fn help_counts() {
    let mut state = nine();
    let mut said = Vec::new();
    for step in 1..=3 {
        state = act(state, GameAction::Hint);
        assert_eq!((game(&state).hints, game(&state).told.as_ref()), (step, Some(&game(&state).said())));
        said.push(memplan_core::text::Speech::default().say(&game(&state).said()));
    }
    assert!(said[0] != said[1] && said[1] != said[2], "each says more: {said:?}");
    // The last one does it.
    assert!(game(&state).helped && game(&state).tray().is_some_and(|tray| tray.placed() == 1));
    let again = act(state.clone(), GameAction::Hint);
    let other = memplan_core::text::Speech::default().say(&game(&again).said());
    assert!(game(&again).hints == 1 && !said.contains(&other), "about the next block: {other}");
    for _ in 0..40 {
        state = act(state, GameAction::Hint);
    }
    assert_eq!((game(&state).is_solved(), peak(&state)), (true, 384 * KIB), "help leads to the end");
    let undone = act(state, GameAction::Undo);
    assert_eq!((game(&undone).hints, game(&undone).told.as_ref()), (0, None));
    let shown = act(nine(), GameAction::Show(Some("first-fit".into())));
    let own = game(&shown).drawn().expect("a picture");
    let ghost = game(&shown).ghost().expect("the plan of first fit");
    assert_eq!((ghost.peak(&own.problem), own.metrics.peak, peak(&shown)), (448 * KIB, 0, 0), "beside one's own");
    assert!(game(&act(shown.clone(), GameAction::Show(None))).ghost().is_none());
    let mut state = act(shown, GameAction::Show(None));
    for (name, kib) in BEST {
        state = put(state, name, kib);
    }
    assert_eq!((game(&state).best, state.learning.learned.best.is_empty()), (None, true), "copied");
}

#[test]
fn an_open_fault_is_told_by_no_figure_of_the_plan() {
    use memplan_scene::{self as scene, Index, Marks, Style, View};
    let beyond = crate::learn::play::state::tests::open("debug=seed:1.1");
    let finding = game(&beyond).finding().expect("a plan");
    let told = |over: bool, narrow: bool| {
        let finding = crate::learn::play::state::debug::Finding { over, ..finding.clone() };
        let (size, index) = (if narrow { (390.0, 354.0) } else { (1000.0, 560.0) }, Index::of(&finding.run));
        let style = Style { narrow, show_peak: over, show_bound: over, dim: false, ..Style::default() };
        let view = View::fit(&index, size, &style);
        let stage = scene::stage(
            scene::Picture::new(&finding.run, &index, &finding.frame(), &view, size, &style),
            &Marks::default(),
        );
        let texts = [&stage.base, &stage.frame, &stage.interaction].into_iter().flat_map(|scene| scene.marks());
        let words = texts.filter_map(|mark| match &mark.shape {
            scene::Shape::Text(text) => Some(text.words.replace('\u{202f}', " ")),
            _ => None,
        });
        words.filter(|words| words.contains("1 856") || words.contains("1 824") || words.starts_with('+')).count()
    };
    for narrow in [false, true] {
        assert!(told(false, narrow) == 0 && told(true, narrow) > 0, "{narrow}");
    }
}
