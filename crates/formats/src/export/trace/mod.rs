//! Buffers as Chrome trace JSON (Trace Event Format): opens in Perfetto and in `chrome://tracing`.

mod by_step;
mod by_time;
mod lanes;
mod lowered;

pub use by_step::{MAX_BYTES, trace_by_step};
pub use by_time::trace;
