//! Programs that were begun for exercises, kept in the browser.

use std::rc::Rc;

use yew::prelude::*;

use crate::browser::kept::{keep_text, kept_text};
use crate::context::Page;
use crate::learn::lessons::state::drafts::{find, with};
use crate::learn::lessons::state::writing::WriteAction;
use memplan_planners::outside::MAX_CODE;

/// What they are kept under.
const DRAFTS: &str = "memplan.write-drafts.1";

/// Brings back what the same person wrote for a link in this browser, and keeps what is written.
#[hook]
pub fn use_begun(page: &Page, link: &str, code: &Rc<str>, template: &str, onwrite: &Callback<WriteAction>) {
    let keeps = page.state.settings.keeps();
    // A reader of a lesson needs no name.
    let name = page.state.teaching.assigned.as_ref().map(|assigned| assigned.name.trim().to_string());
    let of = (link.to_string(), name.unwrap_or_default());
    let is_begun = !code.trim().is_empty() && **code != *template;
    {
        let onwrite = onwrite.clone();
        use_effect_with(of.clone(), move |(link, name)| {
            let kept = kept_program(link, name).filter(|_| keeps && !is_begun);
            kept.into_iter().for_each(|code| onwrite.emit(WriteAction::Kept(code.into())));
        });
    }
    // The template says nothing of what was written before, so that a mistaken press loses nothing.
    let written = (keeps && is_begun).then(|| (of, code.clone()));
    use_effect_with(written, |written| {
        if let Some(((link, name), code)) = written {
            keep_text(DRAFTS, &with(&kept_text(DRAFTS).unwrap_or_default(), link, name, code));
        }
    });
}

/// The program that was begun for a link under a name.
pub fn kept_program(link: &str, name: &str) -> Option<String> {
    find(&kept_text(DRAFTS)?, link, name.trim()).filter(|code| code.len() <= MAX_CODE)
}
