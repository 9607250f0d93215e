//! Any frame of a run, forwards and backwards, from its events alone.
//!
//! In goes a problem with a plan and the events of its planner ([`Run`]). Out comes, for each
//! frame, the places so far ([`Frame`]), what the planner looked at, what it keeps ([`panel`]), and
//! the reason of the decision in messages ([`why()`]). No planner is named here: what a planner did
//! is known only from its events.
//!
//! [`gap()`] attributes what lies between a plan and the bound; [`diff`] puts two plans beside each
//! other. Begin with [`Run`] and `timeline.rs`.

#![deny(unsafe_code)]
#![warn(missing_docs)]

pub mod diff;

mod blocks;
mod cache;
mod candidates;
mod define;
mod differences;
mod ends;
mod fold;
mod folds;
mod frame;
mod gap;
mod held;
mod labels;
mod next;
pub mod panel;
mod prefix;
mod record;
mod run;
mod timeline;
mod tree_rows;
mod types;
mod why;

pub use blocks::{Block, blocks};
pub use candidates::{Blocker, Candidate, Missed, is_visited};
pub use define::{Definition, define};
pub use differences::{Differences, Twin, counterpart, differences, twins};
pub use ends::{made_and_read, made_and_read_by};
pub use frame::{Frame, PoolView, neighbour, neighbours_in_time};
pub use gap::{Blocker as GapBlocker, Case, Gap, Growth, Reason, gap, gap_sentences, left_out, reason};
pub use labels::{Labels, common_path, compressed, headings, under};
pub use next::{Next, next};
pub use record::{record, record_all, record_gap};
pub use run::Run;
pub use timeline::{Decision, Level, Moment, Timeline, TimelineBuilder};
pub use tree_rows::{Open, TreeRow, reach_beyond, tree_rows, with_ancestors};
pub use why::{Why, WhyRow, cautions, code_line, counted, is_fresh, node_name, reused, verdict, why};
