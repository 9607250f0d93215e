//! A key of links: when it is written, from what, and what reading it changes.

use crate::open::state::document::Bytes;
use crate::open::state::link::{LinkPlace, Restored};
use crate::shell::state::State;

/// The document a link names.
#[derive(Clone, PartialEq, Debug)]
pub enum Target {
    /// A built-in example, by name.
    Example(String),
    /// The document itself as the link carries it, with its name. The worker unpacks it.
    Inline(String, Bytes),
    /// A file of another site, by its address.
    Remote(String),
    /// A file too large for a link: the reader has to open it.
    Local(String),
}

/// The contents of a fragment.
#[derive(Clone, PartialEq, Debug)]
pub struct Address {
    /// The document.
    pub target: Target,
    /// The moment that it points at.
    pub place: LinkPlace,
    /// The document that it is compared with.
    pub old: Option<Target>,
    /// Settings that it carries.
    pub restored: Restored,
    /// Keys that mean nothing here.
    pub unknown: Vec<String>,
}

/// What a link leads to: each kind has keys of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leads {
    /// A document with its plans: in Step, Edit, Compare and Fit.
    ToPlan,
    /// Two documents compared.
    ToDiff,
    /// Lessons, games and the teacher's corner, which bring their documents themselves.
    ToLearn,
}

/// A key of links. Features list theirs in `link_keys.rs`.
pub struct LinkKey {
    /// The key.
    pub key: &'static str,
    /// Links that have it.
    pub of: &'static [Leads],
    /// Returns the value of a key; none where that is the default.
    pub write: fn(&State, &str) -> Option<String>,
    /// Takes the value of a key; none for a key that only another part of the link gives a meaning.
    pub read: Option<fn(&mut Reading, &str, String)>,
}

/// A fragment while it is read.
#[derive(Clone, PartialEq, Debug)]
pub struct Reading {
    /// What is known so far.
    pub address: Address,
    /// The open document: its address or contents, and its name.
    pub document: [String; 2],
    /// The same of the older document.
    pub older: [String; 2],
    /// The paragraph of a lesson, counted from 1.
    pub paragraph: usize,
    /// Whether the document is that of a worksheet.
    pub is_sheet: bool,
    /// Decisions that the worksheet gives.
    pub given: u32,
}

/// Returns the text of a switch that is on.
pub fn switch(on: bool) -> Option<String> {
    on.then(|| "1".to_string())
}

/// Returns a text, unless it is empty.
pub fn stated(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}
