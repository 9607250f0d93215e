//! Say where the planner puts one buffer of a document.

use super::{Activity, Asks, Buffers};
use crate::exercise::variant::attempt::Attempting;

pub const ACTIVITY: Activity = Activity {
    name: "place",
    title: "teach.place",
    about: None,
    asks_words: "exercise.asks-place",
    how: "exercise.how",
    buffers: Buffers::Document,
    asks: Asks::OnePlace,
    hides: true,
    practice: None,
};

/// The question is about a document.
pub const ATTEMPT: Option<Attempting> = None;
