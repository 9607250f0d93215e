//! Lessons, as the page shows them.
//!
//! `www/lessons/*.json` are the sources (docs/lessons.md). `crates/engine/src/lessons` runs the
//! planner of every scene, writes the figures into the texts, checks every claim and answer, and
//! gives a [`Lesson`], which the page fetches, and pages of plain text. Nothing here plans: the
//! page has no planner.
//!
//! | file | contents |
//! |---|---|
//! | `content` | a lesson as the page fetches it |
//! | `marks` | text with marks → parts: words, names, terms, figures |
//! | `answer` | an answer → what is said about it |
//! | `about` | a term → the lesson on it |

mod about;
mod answer;
mod content;
mod marks;

pub use crate::exercise::operators::{Operator, Operators, Stored};
pub use about::lesson_of_term;
pub use answer::{Feedback, Judged, amounts, is_same, judge_choice, judge_number, judge_place};
pub use content::{
    ALIGN, Choice, Hidden, INDEX_FILE, IndexEntry, LegalPlace, Lesson, Paragraph, Picture, Scene, Seen, Task, TaskKind,
    Value, Words, example_file, from_file, lesson_file, part_keys, to_file,
};
pub use marks::{Part, parts, plain};
