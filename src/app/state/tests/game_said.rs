//! What stands below the board of a game.

use super::game::{BEST, KIB, act, game, nine, put};
use super::*;
use crate::app::state::action::GameAction;

/// The key of what stands below the board.
fn said(state: &State) -> String {
    game(state).said().key.to_string()
}

#[test]
fn what_is_said_below_the_board_is_the_help_or_that_nothing_is_smaller() {
    let mut state = nine();
    assert_eq!(said(&state), "game.how");
    state = act(state, GameAction::Hint);
    assert_eq!(said(&state), "game.hint-none");
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
    // Help that is asked for then comes first, until the next move.
    let helped = act(state.clone(), GameAction::Hint);
    assert_eq!(said(&helped), "game.hint-peak");
    assert_eq!(said(&act(helped, GameAction::TakeOff(id))), "game.how");
    let next = game(&state).link.next();
    assert_eq!(next.fragment(crate::text::Locale::En), "#pack=seed:1.2&lang=en");
    assert_eq!(next.next().fragment(crate::text::Locale::En), "#pack=seed:2.2&lang=en");
}
