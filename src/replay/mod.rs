//! Floor 3: any frame of a run, forwards and backwards, from its events alone.

mod blocks;
mod candidates;
mod frame;
pub mod panel;
mod record;
mod run;
mod timeline;
mod tree_rows;
mod why;

pub use blocks::{Block, blocks};
pub use candidates::{Blocker, Candidate, Missed, is_visited};
pub use frame::{Frame, PoolView, neighbour, neighbours_in_time};
pub use record::{record, record_all};
pub use run::Run;
pub use timeline::{Decision, Level, Moment, Timeline};
pub use tree_rows::{Open, TreeRow, tree_rows, with_ancestors};
pub use why::{Why, WhyRow, cautions, is_fresh, node_name, reused, verdict, why};
