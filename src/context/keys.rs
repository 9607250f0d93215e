//! Keys as the browser reports them, and as buttons name them.

use web_sys::KeyboardEvent;

use crate::shell::state::keys::{self, Command, Place, Stroke};

/// What the keys pressed ask for in a place.
pub fn command(event: &KeyboardEvent, place: Place) -> Option<Command> {
    // AltGr types signs that other keyboards have on keys of their own; some systems report it as
    // Ctrl and Alt.
    let types = event.get_modifier_state("AltGraph");
    let stroke = Stroke {
        key: event.key(),
        code: event.code(),
        ctrl: (event.ctrl_key() && !types) || event.meta_key(),
        alt: event.alt_key() && !types,
        shift: event.shift_key(),
    };
    keys::command(&stroke, place)
}

/// The keys of a command for `aria-keyshortcuts`, unless single letters are switched off.
pub fn shortcuts(command: Command, single_keys: bool) -> Option<String> {
    Some(keys::aria(command, single_keys)).filter(|keys| !keys.is_empty())
}
