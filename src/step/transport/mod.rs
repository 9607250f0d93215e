//! Stepping through a run: buttons, scrubber, level of detail, what to run to, and the summary
//! strip.

pub mod levels;
pub mod predict_button;
mod run_to;
pub mod scrubber;
pub mod stepper;
pub mod strip;
#[cfg(test)]
mod tests;
