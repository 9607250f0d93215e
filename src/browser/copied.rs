//! The selected text as it is copied: names that are shown short are whole there.

use wasm_bindgen::JsCast;
use web_sys::{ClipboardEvent, DocumentFragment, Element};

use crate::browser::window;

/// Elements behind which a line ends, and those behind which a cell ends.
const ENDS: [(&str, &str); 2] = [("[role=row], tr, p, li, dd, h2", "\n"), ("[role=gridcell], td, th, dt", "\t")];

/// Puts whole names into what is copied; leaves the event alone if the selection shows none of them
/// short.
pub fn copy_whole_names(event: &ClipboardEvent) {
    let Some(text) = selected_text() else { return };
    let Some(data) = event.clipboard_data() else { return };
    if data.set_data("text/plain", &text).is_ok() {
        event.prevent_default();
    }
}

fn selected_text() -> Option<String> {
    let selection = window()?.get_selection().ok()??;
    if selection.is_collapsed() || selection.range_count() == 0 {
        return None;
    }
    let copy = selection.get_range_at(0).ok()?.clone_contents().ok()?;
    let mut shortened = false;
    for element in all(&copy, "[data-name]") {
        let name = element.get_attribute("data-name");
        if element.text_content() != name {
            element.set_text_content(name.as_deref());
            shortened = true;
        }
    }
    for (css, end) in ENDS {
        all(&copy, css).for_each(|element| _ = element.append_with_str_1(end));
    }
    let text = copy.text_content().unwrap_or_default();
    shortened.then(|| text.trim_end().to_string())
}

fn all(within: &DocumentFragment, css: &str) -> impl Iterator<Item = Element> {
    let found = within.query_selector_all(css).ok();
    let count = found.as_ref().map_or(0, |found| found.length());
    (0..count).filter_map(move |at| found.as_ref()?.get(at)?.dyn_into().ok())
}
