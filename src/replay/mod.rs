//! Floor 3: any frame of a run, forwards and backwards, from its events alone.

mod candidates;
mod frame;
mod timeline;
mod why;

pub use candidates::{Blocker, Candidate, Missed};
pub use frame::{Frame, PoolView, Run};
pub use timeline::{Decision, Level, State, Timeline};
pub use why::{Why, WhyRow, is_fresh, reused, verdict, why};
