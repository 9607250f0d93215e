//! `gap/1`: why a plan is above its lower bound, as JSON (docs/gap.md).

use serde::Serialize;

use super::{json, list, member};

/// Name and version of the format.
pub const FORMAT: &str = "gap/1";

/// The distance between a plan and its bound, decision by decision. Sizes and addresses in bytes,
/// ranges half-open.
#[derive(Clone, Debug, Serialize)]
pub struct GapRecord {
    /// `gap/1`.
    pub format: &'static str,
    /// Name of the graph or buffer list.
    pub graph: String,
    /// Registry id of the planner.
    pub planner: String,
    /// The peak of the plan.
    pub peak: u64,
    /// The peak minus the largest load of what was placed.
    pub waste: u64,
    /// The largest load of everything asked for; of what was placed if the peak is below that.
    pub bound: u64,
    /// The largest load of what was placed.
    pub placed_bound: u64,
    /// Decisions that raised the peak past the bound, in their order.
    pub decisions: Vec<GrowthRecord>,
}

/// A decision that raised the peak past the bound.
#[derive(Clone, Debug, Serialize)]
pub struct GrowthRecord {
    /// Number of its frame at level `decisions`.
    pub frame: u32,
    /// Name of the buffer placed.
    pub buffer: String,
    /// Its bytes.
    pub size: u64,
    /// First step of its life.
    pub start: u32,
    /// First step after its life.
    pub end: u32,
    /// Index of the pool that it went to.
    pub pool: u32,
    /// Bytes from the base of the pool.
    pub offset: u64,
    /// Bytes that the peak rose above the bound. They sum to the peak minus the bound.
    pub adds: u64,
    /// `missed`, `cut`, `pool`, `rounding` or `full`; none if it was not looked for.
    pub case: Option<&'static str>,
    /// The free range that would have done.
    pub hole: Option<(u64, u64)>,
    /// Bytes that were free during the whole life, below the top.
    pub free: Option<u64>,
    /// Index of the pool in which these bytes were free; for storages one that would have done.
    pub free_pool: Option<u32>,
    /// Number of free ranges, or of free storages.
    pub pieces: Option<u32>,
    /// What keeps the free ranges apart (`cut`), or what took the bytes (`full`).
    pub blockers: Vec<BlockerRecord>,
    /// Buffers in the way that `blockers` leaves out.
    pub more_blockers: u32,
}

/// A buffer in the way.
#[derive(Clone, Debug, Serialize)]
pub struct BlockerRecord {
    /// Its name.
    pub name: String,
    /// Number of the frame that placed it.
    pub frame: Option<u32>,
    /// First byte, from the base of its pool.
    pub from: u64,
    /// Byte after the last.
    pub to: u64,
}

/// The JSON text, one decision a line.
pub fn gap(record: &GapRecord) -> String {
    let mut text = format!("{{\"format\":{}", json(record.format));
    member(&mut text, "graph", &record.graph);
    member(&mut text, "planner", &record.planner);
    member(&mut text, "peak", &record.peak);
    member(&mut text, "waste", &record.waste);
    member(&mut text, "bound", &record.bound);
    member(&mut text, "placed_bound", &record.placed_bound);
    list(&mut text, "decisions", record.decisions.iter());
    text.push_str("\n}\n");
    text
}
