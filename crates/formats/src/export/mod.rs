//! Graphs, plans and buffers → text that [`crate::import`] reads back.

mod csv;
mod csv_times;
pub mod frame;
pub mod frames;
pub mod gap;
mod graph;
mod graph_executor;
pub mod json;
mod metrics;
mod node_data;
mod plan;
mod trace;

use std::fmt::Write;

use serde::Serialize;

use memplan_core::base::Message;
use memplan_core::problem::Problem;

pub use csv::csv;
pub use csv_times::csv_times;
pub use frame::FrameRecord;
pub use frames::FramesRecord;
pub use gap::GapRecord;
pub use graph::graph;
pub use graph_executor::graph_executor;
pub use metrics::{MetricsRow, metrics_csv, metrics_markdown, metrics_records};
pub use node_data::{NodeValue, node_data};
pub use plan::{plan, plan_pieces};
pub use trace::{MAX_BYTES, trace, trace_by_step};

/// Checks that a format without gaps in live ranges can hold the buffers: without them, buffers
/// that share bytes in turn would seem to overlap.
///
/// # Errors
/// Some buffers have gaps.
pub fn check_no_gaps(problem: &Problem) -> Result<(), Message> {
    match problem.buffers.iter().filter(|buffer| !buffer.gaps.is_empty()).count() {
        0 => Ok(()),
        count => Err(Message::new("export.has-gaps").count("count", count)),
    }
}

fn json<T: Serialize + ?Sized>(value: &T) -> String {
    serde_json::to_string(value).expect("plain records have a JSON form")
}

/// `,` and a member of the file's object on a line of its own.
fn member<T: Serialize + ?Sized>(text: &mut String, key: &str, value: &T) {
    write!(text, ",\n{}:{}", json(key), json(value)).expect("writing to a string");
}

/// `,` and a list member with one record a line, so that files can be read and compared line by
/// line.
fn list<T: Serialize>(text: &mut String, key: &str, records: impl Iterator<Item = T>) {
    write!(text, ",\n{}:[", json(key)).expect("writing to a string");
    for (index, record) in records.enumerate() {
        text.push_str(if index == 0 { "\n" } else { ",\n" });
        text.push_str(&json(&record));
    }
    text.push_str("\n]");
}
