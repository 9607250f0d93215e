//! What the browser keeps between visits.

use crate::app::model::editing::Editing;

/// Changes that no file holds.
#[derive(Clone, PartialEq, Debug)]
pub struct Recovery {
    /// Name of the document.
    pub name: String,
    /// The draft.
    pub editing: Editing,
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
