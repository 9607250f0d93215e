//! Keys of links to games. `GameLink` reads them all together.

use crate::shell::state::State;
use crate::shell::state::address::key::Leads::ToLearn;
use crate::shell::state::address::key::{LinkKey, stated};
use crate::shell::state::address::parts::write_scope;

/// The game, what it is of, and what was done in it.
pub const GAME: [LinkKey; 12] = [
    of_game("pack"),
    of_game("tetris"),
    of_game("break"),
    of_game("order"),
    of_game("debug"),
    of_game("name"),
    of_game("plan"),
    of_game("p"),
    of_game("b"),
    of_game("par"),
    of_game("beat"),
    LinkKey {
        key: "with",
        of: &[ToLearn],
        write: |state, _| stated(write_scope(&state.game.as_ref()?.link.scope)),
        read: None,
    },
];

const fn of_game(key: &'static str) -> LinkKey {
    LinkKey { key, of: &[ToLearn], write, read: None }
}

fn write(state: &State, key: &str) -> Option<String> {
    let pairs = state.game.as_ref()?.link_here().pairs();
    pairs.into_iter().find(|(known, _)| *known == key).map(|(_, value)| value)
}
