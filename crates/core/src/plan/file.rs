//! `memory-plan/1`: the JSON form of a plan (docs/memory-plan.md).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Metrics, Plan, Quirk, metrics};
use crate::base::Message;
use crate::problem::{Gap, Problem};

/// The value of `format` in plan files.
pub const FORMAT: &str = "memory-plan/1";

/// A plan as written to a file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PlanFile {
    /// [`FORMAT`].
    pub format: String,
    /// Name of the graph or buffer list that was planned.
    pub graph: String,
    /// Registry id of the planner.
    pub planner: String,
    /// What people call a planner that a user wrote; its id stands for its text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planner_name: Option<String>,
    /// Every option of the planner with the value used.
    pub options: BTreeMap<String, String>,
    /// Number of execution steps.
    pub steps: u32,
    /// Names of the nodes in the order in which they run, where the planner changed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<Vec<String>>,
    /// Whether pools are storages that go back to an allocator after their last buffer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub returned: bool,
    /// Pools in order of their ids.
    pub pools: Vec<PoolRecord>,
    /// Exactly what the planner placed.
    pub buffers: Vec<BufferRecord>,
    /// What it was asked for and left out.
    pub unplanned: Vec<UnplannedRecord>,
    /// Overlaps that the original system makes too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quirks: Vec<QuirkRecord>,
    /// Figures of the plan, sizes in bytes. Readers compute them anew.
    pub metrics: Metrics,
}

/// Two buffers that the original's rule lets overwrite each other, by name.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct QuirkRecord {
    /// Name of a [`QuirkKind`](super::QuirkKind).
    pub kind: String,
    /// Name of one buffer.
    pub a: String,
    /// Name of the other.
    pub b: String,
}

/// A pool of a plan file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PoolRecord {
    /// Number by which buffers name the pool.
    pub id: u32,
    /// Bytes.
    pub size: u64,
    /// Name that the planner gave it.
    pub name: String,
    /// Device that the pool lies on.
    pub device: String,
}

/// A placed buffer of a plan file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct BufferRecord {
    /// Name, unique in the file.
    pub name: String,
    /// Bytes, unpadded.
    pub size: u64,
    /// First step of life.
    pub start: u32,
    /// First step after.
    pub end: u32,
    /// Id of a pool.
    pub pool: u32,
    /// Bytes from the base of the pool.
    pub offset: u64,
    /// Alignment in bytes, a power of two; 1 is not written.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub align: u64,
    /// What the storage is to the graph; none if the file does not state it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<crate::graph::Kind>,
    /// Parts of the life in which no byte, `[from, to]`, or only bytes `[low, high)`,
    /// `[from, to, low, high]`, are in use.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<Vec<u64>>,
    /// The buffer whose storage this one took over in place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shares: Option<String>,
}

/// A buffer that the planner was asked for and left out.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct UnplannedRecord {
    /// Name, unique in the file.
    pub name: String,
    /// Bytes, unpadded.
    pub size: u64,
    /// First step of its life.
    pub start: u32,
    /// First step after its life.
    pub end: u32,
    /// Why it was left out, in words.
    pub reason: String,
}

fn one() -> u64 {
    1
}

fn gap_numbers(gap: &Gap) -> Vec<u64> {
    let window = gap.window.into_iter().flat_map(|(low, high)| [low, high]);
    [gap.live.start.into(), gap.live.end.into()].into_iter().chain(window).collect()
}

fn is_one(align: &u64) -> bool {
    *align == 1
}

impl PlanFile {
    /// The file form of a plan; `words` turns the reason why a buffer was left out into text.
    pub fn new(
        problem: &Problem,
        plan: &Plan,
        planner: &str,
        options: BTreeMap<String, String>,
        words: impl Fn(&Message) -> String,
    ) -> PlanFile {
        let buffers = PlanFile::records(problem, plan).collect();
        PlanFile { buffers, ..PlanFile::without_buffers(problem, plan, planner, options, words) }
    }

    /// The same with what people call the planner, if its id does not tell.
    #[must_use]
    pub fn called(self, name: Option<&str>) -> PlanFile {
        PlanFile { planner_name: name.map(String::from), ..self }
    }

    /// The placed buffers of a plan.
    pub fn records<'a>(problem: &'a Problem, plan: &'a Plan) -> impl Iterator<Item = BufferRecord> + 'a {
        let donors = plan.donors();
        problem.buffers.enumerate().filter_map(move |(id, buffer)| {
            plan.places[id].map(|place| BufferRecord {
                name: buffer.name.clone(),
                size: buffer.size,
                start: buffer.live.start,
                end: buffer.live.end,
                pool: place.pool.0,
                offset: place.offset,
                align: buffer.align,
                kind: Some(buffer.kind),
                gaps: buffer.gaps.iter().map(gap_numbers).collect(),
                shares: donors.get(&id).map(|&donor| problem.buffers[donor].name.clone()),
            })
        })
    }

    /// As [`PlanFile::new`], without the placed buffers, which may be too many to be there at once.
    pub fn without_buffers(
        problem: &Problem,
        plan: &Plan,
        planner: &str,
        options: BTreeMap<String, String>,
        words: impl Fn(&Message) -> String,
    ) -> PlanFile {
        let pools = plan.pools.enumerate().map(|(id, pool)| PoolRecord {
            id: id.0,
            size: pool.size,
            name: pool.name.clone(),
            device: pool.device.clone(),
        });
        let unplanned = plan.unplanned.iter().map(|&(id, why)| {
            let buffer = &problem.buffers[id];
            UnplannedRecord {
                name: buffer.name.clone(),
                size: buffer.size,
                start: buffer.live.start,
                end: buffer.live.end,
                reason: words(&why.message()),
            }
        });
        let name = |id| problem.buffers[id].name.clone();
        let quirk = |quirk: &Quirk| QuirkRecord { kind: quirk.kind.name().into(), a: name(quirk.a), b: name(quirk.b) };
        PlanFile {
            format: FORMAT.into(),
            graph: problem.name.clone(),
            planner: planner.into(),
            planner_name: None,
            options,
            steps: problem.steps,
            order: problem.order.as_ref().map(|order| order.nodes.clone()),
            returned: plan.returned,
            pools: pools.collect(),
            buffers: Vec::new(),
            unplanned: unplanned.collect(),
            quirks: plan.quirks.iter().map(quirk).collect(),
            metrics: metrics(problem, plan),
        }
    }
}
