//! Planners that users write.
//!
//! In goes a program: the text of a Rhai file ([`Own::of_code`]), or a function that gives a
//! problem to another program and returns what it answered ([`Own::of_answers`]). Out comes a
//! [`memplan_planners::Planner`] whose every call becomes events of the ordinary trace, so that
//! frames, reasons, checks and exports need to know nothing of it.
//!
//! | file | step |
//! |---|---|
//! | `planner` | a program as a planner, with its data sheet |
//! | `script` | the language: limits, values, the three levels `place`, `order` and `plan` |
//! | `exchange` | `memory-problem/1`: a problem as JSON, and answers of other programs |
//! | `calls`, `board` | what a program said → events and a plan; gaps between placed buffers |
//! | `facts` | what a program may read of a problem |
//! | `classics` | the classic planners in Rhai |
//! | `answer` | the crate as a program of its own: questions and answers as bytes |
//!
//! Begin with [`Own`]. No program in Rhai can reach a file, the network or the clock, and none runs
//! without an end. A program in another language is an ordinary process of the command line
//! (`crates/cli/src/cli/own.rs`), with a limit of time.

#![deny(unsafe_code)]
#![warn(missing_docs)]

mod answer;
mod board;
mod calls;
mod classics;
mod exchange;
mod facts;
mod planner;
mod script;
#[cfg(test)]
mod tests;

pub use answer::{answer, answer_packed};
pub use classics::{CLASSICS, Classic};
pub use exchange::{FORMAT, problem_text};
pub use planner::{Answering, Own};
