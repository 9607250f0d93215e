//! What the browser remembers of a visitor: one entry of its local storage, read before anything is
//! drawn.

use crate::browser::window;
use crate::shell::state::visit::Visit;

/// Name of the entry.
const ENTRY: &str = "memplan.visit";

/// Returns what is remembered; none of a first visit, and where the browser keeps nothing.
pub fn remembered() -> Option<Visit> {
    let storage = window()?.local_storage().ok().flatten()?;
    Visit::read(&storage.get_item(ENTRY).ok().flatten()?)
}

/// Remembers a visit. Where the browser keeps nothing the next visit is a first one again.
pub fn remember(visit: &Visit) {
    let storage = window().and_then(|window| window.local_storage().ok().flatten());
    if let Some(storage) = storage {
        let _ = storage.set_item(ENTRY, &visit.text());
    }
}
