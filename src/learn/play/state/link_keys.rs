//! Keys of links to games. `GameLink` reads them all together.

use crate::shell::state::State;
use crate::shell::state::address::key::Leads::ToLearn;
use crate::shell::state::address::key::{LinkKey, stated};
use crate::shell::state::address::parts::write_scope;
use memplan_teach::exercise::activity::Kind;

/// Keys of what a game is of, and of what was done in it.
const MORE: [&str; 6] = ["name", "plan", "p", "b", "par", "beat"];

const GAMES: usize = Kind::GAMES.len();

/// The game, what it is of, and what was done in it.
pub const GAME: [LinkKey; GAMES + MORE.len() + 1] = {
    let mut keys = [const { WITH }; GAMES + MORE.len() + 1];
    let mut at = 0;
    while at < GAMES + MORE.len() {
        keys[at] = of_game(if at < GAMES { Kind::GAMES[at].name() } else { MORE[at - GAMES] });
        at += 1;
    }
    keys
};

const WITH: LinkKey = LinkKey {
    key: "with",
    of: &[ToLearn],
    write: |state, _| stated(write_scope(&state.game.as_ref()?.link.scope)),
    read: None,
};

const fn of_game(key: &'static str) -> LinkKey {
    LinkKey { key, of: &[ToLearn], write, read: None }
}

fn write(state: &State, key: &str) -> Option<String> {
    let pairs = state.game.as_ref()?.link_here().pairs();
    pairs.into_iter().find(|(known, _)| *known == key).map(|(_, value)| value)
}
