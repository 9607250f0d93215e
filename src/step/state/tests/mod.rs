//! Going through a run, and questions about what comes next.

pub mod offering;
pub mod peak;
pub mod predicting;
pub mod stepping;
