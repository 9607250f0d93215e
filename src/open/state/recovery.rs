//! What the browser keeps between visits.

use crate::edit::state::draft::Editing;
use memplan_core::base::Message;

/// A tab of the browser while the page is loaded in it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tab {
    /// Its name, which no other one has.
    pub name: String,
    /// The name that it had when the page was loaded in it before.
    pub before: String,
}

/// Returns what the draft of a session is kept under: sessions of a tab are counted.
pub fn draft_key(tab: &str, session: u32) -> String {
    format!("{tab}/{session}")
}

/// Returns the tab in which a draft was written.
pub fn tab_of(key: &str) -> &str {
    key.split_once('/').map_or(key, |(tab, _)| tab)
}

/// Changes that no file holds.
#[derive(Clone, PartialEq, Debug)]
pub struct Recovery {
    /// What the browser keeps it under.
    pub key: String,
    /// Name of the document.
    pub name: String,
    /// The draft.
    pub editing: Editing,
}

/// Returns the drafts that can be gone on with: those of tabs that are still open are not lost. The
/// one that this tab had before comes first.
pub fn lost(mut drafts: Vec<Recovery>, open: &[String], tab: &Tab) -> Vec<Recovery> {
    drafts.retain(|draft| tab_of(&draft.key) != tab.name && !open.iter().any(|open| open == tab_of(&draft.key)));
    drafts.sort_by_key(|draft| tab_of(&draft.key) != tab.before);
    drafts
}

/// A document that the browser keeps.
#[derive(Clone, PartialEq, Debug)]
pub struct Recent {
    /// Name of the document.
    pub name: String,
    /// When it was opened, in milliseconds since 1970.
    pub time: f64,
    /// Bytes.
    pub size: f64,
}

/// Why the browser did not keep something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unkept {
    /// It keeps nothing, as in a private window.
    Unavailable,
    /// There is no room left.
    Full,
    /// The page is one HTML file, which keeps nothing in the browser.
    OneFile,
}

impl Unkept {
    /// Returns the reason as a message.
    pub fn message(self) -> Message {
        Message::new(match self {
            Unkept::Unavailable => "toast.not-kept",
            Unkept::Full => "toast.not-kept-full",
            Unkept::OneFile => "toast.not-kept-one-file",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use memplan_core::graph::edit::Draft;

    #[test]
    fn drafts_of_open_tabs_are_not_lost_and_those_of_this_tab_come_first() {
        let draft = |tab: &str, session| Recovery {
            key: draft_key(tab, session),
            name: String::new(),
            editing: Editing::new(Draft::default()),
        };
        // The last one is of a version that kept one draft for all tabs.
        let mut drafts = vec![draft("closed", 1), draft("open", 1), draft("before", 2), draft("own", 1)];
        drafts.push(Recovery { key: "draft".into(), ..draft("", 0) });
        let tab = Tab { name: "own".into(), before: "before".into() };
        let keys: Vec<String> = lost(drafts, &["open".into()], &tab).into_iter().map(|draft| draft.key).collect();
        assert_eq!(keys, ["before/2", "closed/1", "draft"]);
    }
}
