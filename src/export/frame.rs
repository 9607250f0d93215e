//! `memory-frame/1`: one moment of a run as JSON (docs/memory-frame.md).

use serde::Serialize;

/// Everything that is shown of a frame, as plain values. Sizes and addresses in bytes.
#[derive(Clone, Debug, Serialize)]
pub struct FrameRecord {
    pub format: &'static str,
    pub graph: String,
    pub planner: String,
    pub level: &'static str,
    /// Number of this frame at its level; 0 = nothing placed.
    pub frame: u32,
    /// Number of the last frame of the level.
    pub last: u32,
    pub focus: Option<Focus>,
    /// Whether the focus has its place at this moment.
    pub settled: bool,
    pub outcome: Option<&'static str>,
    pub peak: u64,
    pub peak_before: u64,
    /// Whether addresses may still move.
    pub provisional: bool,
    pub pools: Vec<PoolNow>,
    /// What has a place at this moment.
    pub buffers: Vec<Placed>,
    /// Buffers that still wait for their place.
    pub waiting: u32,
    /// Buffers released at the start of this decision.
    pub freed: Vec<String>,
    pub candidates: Vec<CandidateRecord>,
    /// A free legal place that the planner did not see although it let the arena grow.
    pub missed: Option<Spot>,
    /// Allocation trees, parents before children; empty for planners without trees.
    pub tree: Vec<NodeNow>,
    pub why: Words,
}

#[derive(Clone, Debug, Serialize)]
pub struct Focus {
    pub name: String,
    pub size: u64,
    pub start: u32,
    pub end: u32,
}

#[derive(Clone, Debug, Serialize)]
pub struct PoolNow {
    pub id: u32,
    pub name: String,
    pub device: String,
    pub size: u64,
}

#[derive(Clone, Debug, Serialize)]
pub struct Placed {
    pub name: String,
    pub pool: u32,
    pub offset: u64,
}

#[derive(Clone, Debug, Serialize)]
pub struct Spot {
    pub pool: u32,
    pub offset: u64,
}

/// A place looked at.
#[derive(Clone, Debug, Serialize)]
pub struct CandidateRecord {
    /// Order of inspection, from 1; none for a place that the planner did not look at.
    pub number: Option<u32>,
    pub pool: u32,
    pub offset: u64,
    /// Bytes there; none for the unbounded top of an arena.
    pub room: Option<u64>,
    pub verdict: &'static str,
    /// What is in the way: one list of names a child or block.
    pub blockers: Vec<Vec<String>>,
    pub chosen: bool,
}

/// A node of an allocation tree.
#[derive(Clone, Debug, Serialize)]
pub struct NodeNow {
    pub id: u32,
    /// None for the root of a pool.
    pub parent: Option<u32>,
    pub pool: u32,
    /// `temporal`, `spatial`, `allocation` or `empty`.
    pub kind: &'static str,
    pub offset: u64,
    pub bytes: u64,
    pub buffer: Option<String>,
}

/// The explanation in words.
#[derive(Clone, Debug, Serialize)]
pub struct Words {
    pub headline: String,
    pub candidates: Vec<String>,
    /// What else the planner reported in this decision.
    pub notes: Vec<String>,
    pub rule: Option<String>,
    pub effect: Option<String>,
    pub source: Option<&'static str>,
}

/// The JSON text of a frame.
pub fn frame(record: &FrameRecord) -> String {
    // Plain data with string keys: writing it cannot fail.
    let mut text = serde_json::to_string_pretty(record).unwrap_or_default();
    text.push('\n');
    text
}
