//! Step: going through a run frame by frame, with the panels around the plan.

pub mod panels;
pub mod playback;
pub mod state;
pub mod transport;
