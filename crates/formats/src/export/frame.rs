//! `memory-frame/1`: one moment of a run as JSON (docs/memory-frame.md).

use serde::Serialize;

/// Everything that is shown of a frame, as plain values. Sizes and addresses in bytes.
#[derive(Clone, Debug, Serialize)]
pub struct FrameRecord {
    /// `memory-frame/1`.
    pub format: &'static str,
    /// Name of the graph or buffer list.
    pub graph: String,
    /// Registry id of the planner.
    pub planner: String,
    /// What people call a planner that a user wrote.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub planner_name: Option<&'static str>,
    /// Name of the level whose frames are counted: decisions, candidates or events.
    pub level: &'static str,
    /// Number of this frame at its level; 0 = nothing placed.
    pub frame: u32,
    /// Number of the last frame of the level.
    pub last: u32,
    /// The buffer that the frame is about, if it is about one.
    pub focus: Option<Focus>,
    /// Whether the focus has its place at this moment.
    pub settled: bool,
    /// What became of the focus, as a word of the format; none if nothing was decided.
    pub outcome: Option<&'static str>,
    /// Highest end of all pools together at this moment, in bytes.
    pub peak: u64,
    /// The same one frame before.
    pub peak_before: u64,
    /// Whether addresses may still move.
    pub provisional: bool,
    /// Pools that exist at this moment.
    pub pools: Vec<PoolNow>,
    /// What has a place at this moment.
    pub buffers: Vec<Placed>,
    /// Buffers that still wait for their place.
    pub waiting: u32,
    /// Buffers released at the start of this decision.
    pub freed: Vec<String>,
    /// Places that the planner looked at for the focus.
    pub candidates: Vec<CandidateRecord>,
    /// A free legal place that the planner did not see although it let the arena grow.
    pub missed: Option<Spot>,
    /// Allocation trees, parents before children; empty for planners without trees.
    pub tree: Vec<NodeNow>,
    /// The explanation of the frame.
    pub why: Words,
}

/// The buffer that a frame is about.
#[derive(Clone, Debug, Serialize)]
pub struct Focus {
    /// Name of the buffer.
    pub name: String,
    /// Bytes, unpadded.
    pub size: u64,
    /// First step of its life.
    pub start: u32,
    /// First step after its life.
    pub end: u32,
}

/// A pool at one moment.
#[derive(Clone, Debug, Serialize)]
pub struct PoolNow {
    /// Index of the pool in the plan.
    pub id: u32,
    /// Name that the planner gave it.
    pub name: String,
    /// Device that the pool lies on.
    pub device: String,
    /// Bytes at this moment.
    pub size: u64,
}

/// A buffer that has a place.
#[derive(Clone, Debug, Serialize)]
pub struct Placed {
    /// Name of the buffer.
    pub name: String,
    /// Index of its pool.
    pub pool: u32,
    /// Bytes from the base of the pool.
    pub offset: u64,
}

/// A place without a buffer.
#[derive(Clone, Debug, Serialize)]
pub struct Spot {
    /// Index of the pool.
    pub pool: u32,
    /// Bytes from the base of the pool.
    pub offset: u64,
}

/// A place looked at.
#[derive(Clone, Debug, Serialize)]
pub struct CandidateRecord {
    /// Order of inspection, from 1; none for a place that the planner did not look at.
    pub number: Option<u32>,
    /// Index of the pool.
    pub pool: u32,
    /// Bytes from the base of the pool.
    pub offset: u64,
    /// Bytes there; none for the unbounded top of an arena.
    pub room: Option<u64>,
    /// Why the place was taken or not, as a word of the format.
    pub verdict: &'static str,
    /// What is in the way: one list of names a child or block.
    pub blockers: Vec<Vec<String>>,
    /// Whether the focus was put there.
    pub chosen: bool,
}

/// A node of an allocation tree.
#[derive(Clone, Debug, Serialize)]
pub struct NodeNow {
    /// Number of the node, unique in the frame.
    pub id: u32,
    /// None for the root of a pool.
    pub parent: Option<u32>,
    /// Index of the pool whose tree it is in.
    pub pool: u32,
    /// `temporal`, `spatial`, `allocation` or `empty`.
    pub kind: &'static str,
    /// Bytes from the base of the pool.
    pub offset: u64,
    /// Size of the node in bytes.
    pub bytes: u64,
    /// Name of the buffer of an allocation.
    pub buffer: Option<String>,
}

/// The explanation in words.
#[derive(Clone, Debug, Serialize)]
pub struct Words {
    /// What happened, in one sentence.
    pub headline: String,
    /// One sentence for each place looked at.
    pub candidates: Vec<String>,
    /// What else the planner reported in this decision.
    pub notes: Vec<String>,
    /// The rule that decided.
    pub rule: Option<String>,
    /// What the decision did to the peak.
    pub effect: Option<String>,
    /// Function of the original system that decides this.
    pub source: Option<&'static str>,
}

/// The JSON text of a frame.
pub fn frame(record: &FrameRecord) -> String {
    // Plain data with string keys: writing it cannot fail.
    let mut text = serde_json::to_string_pretty(record).unwrap_or_default();
    text.push('\n');
    text
}
