//! Answer questions of the lessons.

use super::{Activity, Asks, Buffers};
use crate::exercise::variant::attempt::Attempting;

pub const ACTIVITY: Activity = Activity {
    name: "lesson",
    title: "teach.lesson",
    about: None,
    asks_words: "exercise.asks-lessons",
    how: "exercise.how-lessons",
    buffers: Buffers::Lessons,
    asks: Asks::Lessons,
    hides: false,
    practice: None,
};

/// The lessons have the questions.
pub const ATTEMPT: Option<Attempting> = None;
