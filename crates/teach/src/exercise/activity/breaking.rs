//! Find buffers on which a planner does badly: there is no instance, only the limits of the board
//! (`crate::exercise::board`).

use super::{Activity, Asks, Buffers, Goals, Practice};
use crate::exercise::variant::attempt::Attempting;

pub const ACTIVITY: Activity = Activity {
    name: "break",
    title: "game.kind.break",
    about: Some("game.about-break"),
    asks_words: "exercise.game-break",
    how: "exercise.how-break",
    buffers: Buffers::Board,
    asks: Asks::Goals(Goals { count: 1, words: None, best: "game.your-best", in_turn: false, of_open: None }),
    hides: false,
    practice: Some(Practice {
        number: 3,
        help: "Find buffers on which the planner does badly: prints the worst board that a search finds",
    }),
};

/// Students make the buffers.
pub const ATTEMPT: Option<Attempting> = None;
