//! Short texts that the browser keeps for the next visit.

use crate::browser::window;

/// The text kept under a name; none if there is none or the browser keeps nothing.
pub fn kept_text(name: &str) -> Option<String> {
    window()?.local_storage().ok()??.get_item(name).ok()?
}

/// Keeps a text. A browser that keeps nothing has the usual widths the next time, which is not
/// worth a notice.
pub fn keep_text(name: &str, text: &str) {
    if let Some(storage) = window().and_then(|window| window.local_storage().ok().flatten()) {
        let _ = storage.set_item(name, text);
    }
}

/// The text kept under a name for this tab: it is there after the page is loaded again, and no
/// other tab changes it.
pub fn kept_here(name: &str) -> Option<String> {
    window()?.session_storage().ok()??.get_item(name).ok()?
}

/// Keeps a text for this tab, and for tabs that are opened later: there the newest counts.
pub fn keep_here(name: &str, text: &str) {
    keep_in_tab(name, text);
    keep_text(name, text);
}

/// Keeps a text for this tab alone.
pub fn keep_in_tab(name: &str, text: &str) {
    if let Some(storage) = window().and_then(|window| window.session_storage().ok().flatten()) {
        let _ = storage.set_item(name, text);
    }
}
