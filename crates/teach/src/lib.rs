//! Questions about a run, and lessons.
//!
//! [`exercise`] makes instances to practise on, asks about a run, judges answers, reads and writes
//! result codes, and prints worksheets. [`lesson`] is a lesson as the page shows it, with the
//! judgement of its tasks. [`choices`] says which planners a visit, a game and a lesson begin with.
//!
//! Begin with [`exercise`].

#![deny(unsafe_code)]
#![warn(missing_docs)]

pub mod choices;
pub mod exercise;
pub mod lesson;
