//! Questions about a run, and lessons.
//!
//! [`exercise`] makes instances to practise on, asks about a run, judges answers, reads and writes
//! result codes, and prints worksheets. [`lesson`] is a lesson as the page shows it, with the
//! judgement of its tasks. [`choices`] says which planners a visit begins with and a game is played
//! against, and which lesson explains the rule of a planner.
//!
//! In goes a run, or a seed to make one of; out come questions, and the verdict on answers. Begin
//! with [`exercise`].

#![deny(unsafe_code)]
#![warn(missing_docs)]

pub mod choices;
pub mod exercise;
pub mod lesson;
