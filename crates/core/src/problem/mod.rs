//! What a packing algorithm sees — sizes and live ranges — and the bound no plan can beat.
//!
//! One example runs through the pictures in comments: the buffers of `five_buffers.rs`, a row for
//! each KiB. Here they lie as low as they can, at a peak of 5 KiB, the largest sum of what is alive
//! at one step (step 2):
//!
//! ```text
//!  KiB                                buffer  size    live range
//!    4 |   .   .   d   .   .   .        a       2 KiB   [0, 2)
//!    3 |   .   .   c   c   e   e        b       1 KiB   [1, 4)
//!    2 |   a   a   c   c   e   e        c       3 KiB   [2, 4)
//!    1 |   a   a   c   c   e   e        d       1 KiB   [2, 3)
//!    0 |   .   b   b   b   e   e        e       4 KiB   [4, 6)
//!      +------------------------
//! step    0   1   2   3   4   5
//! ```
//!
//! The rectangle of a buffer is as wide as its live range, a half-open range of steps, and as high
//! as its size. A planner chooses its height above 0, the offset; where two rectangles share a step
//! they must not share a byte.

mod alive;
mod bound;
mod branches;
mod classes;
#[cfg(any(test, feature = "samples"))]
pub mod five_buffers;
mod gaps;
mod handed;
mod kernel;
mod lifetimes;
mod load;
mod parts;
mod recording;
mod reuse_key;
mod sample;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::base::{IdVec, MAX_SAFE, Sizes};
use crate::graph::{Kind, NodeId, TensorId};
use crate::id_type;

pub use alive::{
    Alive, AliveGroup, AliveList, Falls, Fullest, Shared, SourceLine, alive, alive_by_class, alive_by_line,
    alive_groups, ends, knows_lines, meet,
};
pub use bound::{lower_bound, lower_bound_of, lower_bounds};
pub use branches::Branches;
pub use classes::{BufferClass, Classes, Stratum};
pub use gaps::{Gap, Span};
pub use handed::{Cuts, give_way, join_handed};
pub use kernel::{Kernel, KernelFacts, KernelOrigin, WarpRegion};
pub use lifetimes::{LifetimeError, Scope, Views, lifetimes};
pub use load::{Load, load, loads};
pub use parts::{Joined, first_joined, joined, stated_parts};
pub use recording::{Call, FailedRequest, FinalSegment, HeldBlock, HeldPool, HeldRange, RecordedCall, Recording};
pub use reuse_key::ReuseKey;
pub use sample::{crowd, sample};

id_type!(
    /// A buffer of a [`Problem`].
    BufferId
);
id_type!(
    /// A memory that the graph itself fixes: a device and an arena on it.
    MemoryId
);

/// Half-open range of execution steps `[start, end)`, never empty.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Live {
    /// First step.
    pub start: u32,
    /// Step after the last.
    pub end: u32,
}

impl Live {
    /// The range from `start` to before `end`, which must be larger.
    pub fn new(start: u32, end: u32) -> Live {
        debug_assert!(start < end);
        Live { start, end }
    }

    /// Whether the ranges have a step in common.
    pub fn meets(self, other: Live) -> bool {
        self.start < other.end && other.start < self.end
    }

    /// Steps from the last one of the earlier life to the first one of the later; none if they
    /// meet.
    // Asked for all pairs by planners, which are in another crate.
    #[inline]
    pub fn distance(self, other: Live) -> Option<u32> {
        let after = |later: Live, earlier: Live| later.start.checked_sub(earlier.end)?.checked_add(1);
        after(other, self).or_else(|| after(self, other))
    }

    /// Whether a step lies in the range.
    pub fn contains(self, step: u32) -> bool {
        self.start <= step && step < self.end
    }

    /// Number of steps.
    pub fn len(self) -> u32 {
        self.end - self.start
    }

    /// Whether there is no step, which only damaged data can bring about.
    pub fn is_empty(self) -> bool {
        self.end <= self.start
    }
}

/// One rectangle to place: bytes by steps.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Buffer {
    /// Name of the buffer: that of its tensor, or that in the file.
    pub name: String,
    /// Bytes, unpadded. A buffer of size 0 never conflicts.
    pub size: u64,
    /// Steps in which the bytes are in use.
    pub live: Live,
    /// The offset must be a multiple of this power of two, in bytes.
    pub align: u64,
    /// The memory that it must lie in.
    pub memory: MemoryId,
    /// What the storage is to the graph.
    pub kind: Kind,
    /// Position that the input itself states.
    pub fixed: Option<u64>,
    /// Parts of the life in which not all bytes are in use. Most planners keep the whole range all
    /// the same.
    pub gaps: Vec<Gap>,
    /// The tensors that share this storage, the one that owns it first; empty when there is no
    /// graph.
    pub tensors: Vec<TensorId>,
    /// Number of the stack of calls that asked for the bytes, in [`Problem::stacks`].
    #[serde(default)]
    pub stack: Option<u32>,
    /// What the compiler of a kernel knows of it. Few have it, and all buffers are the smaller for
    /// the box, so that more of them are in reach of the processor.
    #[serde(default)]
    pub kernel: Option<Box<KernelFacts>>,
}

impl Buffer {
    /// Returns a buffer that belongs to no graph and may lie anywhere in the first memory.
    pub fn of(name: impl Into<String>, size: u64, live: Live) -> Buffer {
        Buffer {
            name: name.into(),
            size,
            live,
            align: 1,
            memory: MemoryId(0),
            kind: Kind::Intermediate,
            fixed: None,
            gaps: Vec::new(),
            tensors: Vec::new(),
            stack: None,
            kernel: None,
        }
    }
}

/// Stacks of calls as words; equal frames are there once.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Stacks {
    /// The words of each frame.
    pub frames: Vec<String>,
    /// Frames of each stack, the innermost first.
    pub stacks: Vec<Vec<u32>>,
    /// The frame of each stack that stands for it: the line of the user's program.
    pub own: Vec<u32>,
}

impl Stacks {
    /// Adds a stack, for which the frame `own` stands, and returns its number.
    pub fn add(&mut self, frames: Vec<u32>, own: u32) -> u32 {
        self.stacks.push(frames);
        self.own.push(own);
        self.stacks.len() as u32 - 1
    }

    /// Returns the words of the frame that stands for a stack.
    pub fn own_of(&self, stack: u32) -> Option<&str> {
        let own = self.own.get(stack as usize)?;
        self.frames.get(*own as usize).map(String::as_str)
    }

    /// Returns the words of the frames of a stack, the innermost first.
    pub fn of(&self, stack: u32) -> impl Iterator<Item = &str> {
        let frames = self.stacks.get(stack as usize).map_or(&[][..], Vec::as_slice);
        frames.iter().filter_map(|&frame| self.frames.get(frame as usize).map(String::as_str))
    }
}

/// A device with one of its arenas.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Memory {
    /// Name of the device.
    pub device: String,
    /// Arena on the device, if the file assigns one.
    pub mem_id: Option<u32>,
}

/// A permission that a graph grants: at `node`, the output may take over the storage of the dying
/// input.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Inplace {
    /// The node that reads `input` last and makes `output`.
    pub node: NodeId,
    /// The buffer whose storage may be taken over.
    pub input: BufferId,
    /// The buffer that may take it over.
    pub output: BufferId,
}

/// Buffers to place, in order of birth in the input.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Problem {
    /// Name of the graph or buffer list; may be empty.
    pub name: String,
    /// Buffers in order of birth.
    pub buffers: IdVec<BufferId, Buffer>,
    /// Memories that buffers name.
    pub memories: IdVec<MemoryId, Memory>,
    /// Number of execution steps: every live range ends at or before it.
    pub steps: u32,
    /// Bytes that the memory has, if a file states it.
    pub capacity: Option<u64>,
    /// Permissions to take over storage.
    pub inplace: Vec<Inplace>,
    /// The order of the nodes, if it differs from the file's or was searched for.
    #[serde(default)]
    pub order: Option<Order>,
    /// Stacks of calls that buffers name, if a file records them.
    #[serde(default)]
    pub stacks: Arc<Stacks>,
    /// The kernel whose buffers these are, if they are a kernel's.
    #[serde(default)]
    pub kernel: Option<Kernel>,
    /// What a program asked of a caching allocator, for each memory; empty if no file records it.
    /// Stays with the engine, which is passed it beside the document: plans are sent without it.
    #[serde(skip)]
    pub recordings: Arc<Vec<Recording>>,
}

/// The order in which the nodes of a graph run.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Order {
    /// Names of the nodes, one a step.
    pub nodes: Vec<String>,
    /// How it was found; none where a file states it.
    #[serde(default)]
    pub search: Option<OrderSearch>,
}

/// What a search for a better order of execution found.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct OrderSearch {
    /// For each step the step at which the file has its node.
    pub file_steps: Vec<u32>,
    /// Bytes alive at each step of the file's order.
    pub load_before: Vec<u64>,
    /// Sets of nodes looked at.
    pub states: u64,
    /// Whether no order has a lower peak.
    pub is_proved: bool,
}

impl Problem {
    /// Returns how sizes, addresses and sums of its buffers are written: a picture of few bytes has
    /// one unit.
    pub fn sizes(&self) -> Sizes {
        Sizes::of_all(self.buffers.iter().map(|buffer| buffer.size))
    }

    /// The sum of all sizes, each with room for its alignment or a larger one, stays exact in every
    /// number type used: that of all buffers, and that of those without a stated position on top of
    /// the highest one stated.
    pub fn total_is_safe(&self, align: u64) -> bool {
        let (mut total, mut highest, mut above): (u128, u128, u128) = (0, 0, 0);
        for buffer in self.buffers.iter() {
            let bytes = buffer.size as u128 + buffer.align.max(align).saturating_sub(1) as u128;
            total += bytes;
            match buffer.fixed {
                Some(offset) => highest = highest.max(offset as u128 + buffer.size as u128),
                None => above += bytes,
            }
        }
        total.max(highest + above) <= MAX_SAFE as u128
    }

    /// Sum of all sizes: what planning without sharing takes.
    pub fn unshared(&self) -> u64 {
        self.buffers.iter().map(|buffer| buffer.size).fold(0, u64::saturating_add)
    }

    /// The first buffer of this name. Linear in the number of buffers.
    pub fn buffer_named(&self, name: &str) -> Option<BufferId> {
        self.buffers.enumerate().find(|(_, buffer)| buffer.name == name).map(|(id, _)| id)
    }

    /// The buffer that holds a tensor.
    pub fn buffer_of(&self, tensor: TensorId) -> Option<BufferId> {
        self.buffers.enumerate().find(|(_, buffer)| buffer.tensors.contains(&tensor)).map(|(id, _)| id)
    }
}
