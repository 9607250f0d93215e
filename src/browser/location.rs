use wasm_bindgen::JsValue;
use web_sys::{Location, Window};

use crate::browser::inside::{is_one_file, link_inside};
use crate::browser::window;
use memplan_core::text::Locale;

fn location() -> Option<Location> {
    window().map(|window| window.location())
}

/// The address of the page with its query and its fragment. Where a page lies that is one HTML file
/// means nothing to others.
pub fn whole_address() -> String {
    if is_one_file() {
        return String::new();
    }
    location().and_then(|location| location.href().ok()).unwrap_or_default()
}

/// The address of the page without its query and its fragment.
pub fn page_address() -> String {
    let Some(location) = location() else { return String::new() };
    location.origin().unwrap_or_default() + &location.pathname().unwrap_or_default()
}

/// The query of the address with its `?`; empty if there is none.
pub fn query() -> String {
    location().and_then(|location| location.search().ok()).unwrap_or_default()
}

/// The fragment of the address with its `#`; empty if there is none.
pub fn hash() -> String {
    location().and_then(|location| location.hash().ok()).unwrap_or_default()
}

/// The fragment without its `#`. A page that is one HTML file begins where the link in it leads.
pub fn fragment() -> String {
    let hash = hash();
    if hash.is_empty() { link_inside() } else { hash.trim_start_matches('#').to_string() }
}

/// Writes the fragment of the address, as a step that Back undoes or over the last one; false if
/// the browser has no history. The browser keeps `ours` with it, which no link sets.
pub fn write_fragment(fragment: &str, is_step: bool, ours: bool) -> bool {
    let Some(history) = window().and_then(|window| window.history().ok()) else { return false };
    let address = format!("#{fragment}");
    // A page that may not write its address (a sandboxed frame) works without.
    let _ = if is_step {
        history.push_state_with_url(&JsValue::from_bool(ours), "", Some(&address))
    } else {
        history.replace_state_with_url(&JsValue::from_bool(ours), "", Some(&address))
    };
    true
}

/// Returns whether the address was written as ours: here, and not by the maker of a link.
pub fn is_ours() -> bool {
    let state = window().and_then(|window| window.history().ok()).and_then(|history| history.state().ok());
    state.is_some_and(|state| state == JsValue::TRUE)
}

pub fn browser_language() -> Locale {
    let tag = window().and_then(|window| window.navigator().language());
    Locale::from_tag(&tag.unwrap_or_default())
}

/// The window of the page around this one; none if there is none.
pub fn parent() -> Option<Window> {
    let window = window()?;
    window.parent().ok().flatten().filter(|parent| *parent != window)
}

/// Returns true if a page of another origin is around this one, or around one of those around it.
pub fn is_in_strange_page() -> bool {
    let Some(mut inner) = window() else { return false };
    let own = inner.location().origin().ok();
    while let Some(outer) = inner.parent().ok().flatten().filter(|outer| *outer != inner) {
        // Another origin does not reveal its address.
        if own.is_none() || outer.location().origin().ok() != own {
            return true;
        }
        inner = outer;
    }
    false
}

/// Loads the page again.
pub fn reload() {
    if let Some(location) = location() {
        // It fails only for a page that is already going.
        let _ = location.reload();
    }
}
