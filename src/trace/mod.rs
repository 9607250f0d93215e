//! Floor 1: what a planner says it does while it does it. Facts only: ids and numbers, no words, no pictures.

mod note;
mod tree;

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize, Serializer};

use crate::id_type;
use crate::problem::BufferId;

pub use note::{Note, SEARCH_WORDS, Slot, WAYS, way};
pub use tree::{Fact, Layout, Region, Tree, TreeNode};

id_type!(
    /// A node of an allocation tree, numbered in order of creation over all pools of a run.
    TreeNodeId
);

/// One elementary fact of a run. `Copy` and 24 bytes, so that a million of them is a small file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Event {
    /// A decision begins: the planner turns to this buffer. All events up to the next `Begin` belong to it.
    Begin { buffer: BufferId },
    /// Storage of a dead buffer becomes free and joins free neighbours.
    Release { buffer: BufferId },
    /// A free block is looked at. `offset` and `room` in bytes; `room` of the unbounded top block is `u64::MAX`.
    Block {
        verdict: Verdict,
        offset: u64,
        #[serde(serialize_with = "bounded")]
        room: u64,
    },
    /// A buffer in the way at the place told next, which is refused for it.
    InTheWay { buffer: BufferId },
    /// A pool of the tree planner is asked.
    AskPool { verdict: Verdict, is_last: bool, can_expand: bool, pool: u32 },
    /// A temporal node is asked: its slot in bytes and how many direct children overlap the buffer in time.
    AskTemporal { verdict: Verdict, is_last: bool, node: TreeNodeId, overlaps: u32, slot: u64 },
    /// A spatial node is asked.
    AskSpatial { verdict: Verdict, is_last: bool, node: TreeNodeId },
    /// The buffer is put at the end of a pool.
    AtEnd { pool: u32 },
    /// A change of the allocation tree.
    Tree(TreeEdit),
    /// A pool comes into being, with the index of its memory.
    OpenPool { pool: u32, memory: u32, growing: bool },
    /// The buffer of this decision gets its place. In a tree the offset is the preview of this moment.
    Place { outcome: Outcome, buffer: BufferId, pool: u32, offset: u64 },
    /// The end of a pool moves up, in bytes; a storage is enlarged.
    Grow { pool: u32, from: u64, to: u64 },
    /// A storage is looked at as a whole, with its size in bytes.
    AskStorage { verdict: Verdict, pool: u32, size: u64 },
    /// Reads still to come of the storage that a buffer lies in, whoever else it serves.
    Refs { buffer: BufferId, from: u32, to: u32 },
    /// A buffer moves when addresses are laid out at the end.
    Move { buffer: BufferId, pool: u32, offset: u64 },
    /// A search that keeps several plans at once looked at a successor of one of them. `parent`: its rank in the generation
    /// before; `rank`: its own among the kept, of the kept one it equals, or its position in the order of the scores.
    /// `score` in bytes, smaller is better.
    Lane { fate: Fate, parent: u16, rank: u32, offset: u64, score: u64 },
    /// Another fact worth a sentence; [`Note`] says what its three numbers are.
    Note { note: Note, subject: u32, a: u64, b: u64 },
    /// Addresses become final.
    Finalize,
}

/// In text the unbounded room is null: JavaScript has no such number.
fn bounded<S: Serializer>(room: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    match *room {
        u64::MAX if serializer.is_human_readable() => serializer.serialize_none(),
        room => serializer.serialize_u64(room),
    }
}

const _: () = assert!(size_of::<Event>() <= 24, "an event must stay small");

/// What came of looking at a place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Verdict {
    /// Fits and is taken.
    Chosen,
    /// Fits, but another place is preferred by the planner's rule.
    Fits,
    /// Room smaller than the buffer.
    TooSmall,
    /// Two or more children overlap in time: nothing inside is searched.
    ManyOverlaps,
    /// The one overlapping child refused.
    ChildRefused,
    /// The one overlapping child took the buffer.
    InChild,
    /// Fits exactly.
    Exact,
    /// Fits with room left over, which is split off.
    Split,
    /// The slot was enlarged.
    Grow,
    /// The lower half took it.
    Left,
    /// The upper half took it.
    Right,
    /// Both halves refused.
    Refused,
    /// Somewhere inside the pool's tree.
    InTree,
    /// The pool takes it at its end.
    AtEnd,
    /// The pool refuses.
    Full,
    /// The buffer begins before the pool's size can be computed.
    OutsideRestrictedRange,
    /// The buffer's size is not known yet when the pool is created.
    SizeNotKnown,
    /// Smaller than the smallest size that the planner takes for this request.
    BelowRange,
    /// Larger than the largest size that the planner takes for this request.
    AboveRange,
    /// On another device.
    OtherDevice,
    /// Of another kind: its key differs from the one asked for.
    OtherKey,
    /// Given back by a node of another colour.
    OtherColor,
    /// Something in it is alive together with the buffer.
    Overlaps,
    /// Nobody in it is alive together with the buffer, but it is marked as used for one that went elsewhere.
    Marked,
    /// No path of the graph orders the buffer and what used the storage before.
    Parallel,
    /// To keep the storage until now would raise the peak that the planner expects.
    RaisesPeak,
    /// Free, but another one is closer in size.
    Farther,
}

/// What became of a successor in a search that keeps several plans at once.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Fate {
    /// Among the best.
    Kept,
    /// Leaves the same future as one that is kept.
    Duplicate,
    /// Its score is not among the best.
    Cut,
}

/// How a placement came about, for marks and sentences.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Outcome {
    /// First buffer of a new pool.
    NewPool,
    /// Fills a free place exactly.
    Exact,
    /// Takes part of a free place.
    Split,
    /// A slot of the tree was enlarged for it.
    Grow,
    /// At the end of the arena.
    AtEnd,
    /// Beside all others: this planner never shares.
    Apart,
    /// Where the plan that is shown has it: one that was read, or kept from a search that was stopped.
    Stated,
    /// Needs no bytes.
    Nothing,
    /// A storage of its own, made for it.
    NewStorage,
    /// A storage that stood free, large enough.
    Reuse,
    /// A storage that stood free and had to be enlarged.
    Enlarge,
    /// The storage of an input that dies at this very node.
    InPlace,
    /// A gap between buffers that are alive at the same time.
    Gap,
}

/// A change of an allocation tree. The tree on the page is rebuilt from these alone, so it cannot drift from what the
/// planner did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum TreeEdit {
    Leaf {
        node: TreeNodeId,
        buffer: BufferId,
    },
    Empty {
        node: TreeNodeId,
        bytes: u64,
    },
    Temporal {
        node: TreeNodeId,
    },
    Spatial {
        node: TreeNodeId,
        left: TreeNodeId,
        right: TreeNodeId,
    },
    /// `child` becomes the last child of a temporal node.
    Append {
        parent: TreeNodeId,
        child: TreeNodeId,
    },
    /// `new` takes the place of `old` among the children of a temporal node.
    Replace {
        parent: TreeNodeId,
        old: TreeNodeId,
        new: TreeNodeId,
    },
    /// A temporal node drops its only child, an Empty.
    Drop {
        parent: TreeNodeId,
    },
    Root {
        pool: u32,
        node: TreeNodeId,
    },
}

impl TreeEdit {
    /// Whether the edit makes a node, moves it, or gives it another child.
    pub fn touches(self, wanted: TreeNodeId) -> bool {
        match self {
            TreeEdit::Leaf { node, .. }
            | TreeEdit::Empty { node, .. }
            | TreeEdit::Temporal { node }
            | TreeEdit::Root { node, .. } => node == wanted,
            TreeEdit::Spatial { node, left, right } => [node, left, right].contains(&wanted),
            TreeEdit::Append { parent, child } => [parent, child].contains(&wanted),
            TreeEdit::Replace { parent, old, new } => [parent, old, new].contains(&wanted),
            TreeEdit::Drop { parent } => parent == wanted,
        }
    }
}

/// Most buffers told to be in the way at one place.
const MOST_IN_THE_WAY: usize = 8;

/// Tells who is in the way at a place, before the place itself.
pub fn in_the_way(probe: &mut dyn Probe, buffers: impl IntoIterator<Item = BufferId>) {
    buffers.into_iter().take(MOST_IN_THE_WAY).for_each(|buffer| probe.event(Event::InTheWay { buffer }));
}

/// Receives the events of a run. Planners take it as `&mut dyn`, so they compile once.
pub trait Probe {
    fn event(&mut self, event: Event);

    /// Asked before a planner walks over candidates only for the viewer's sake.
    fn wants_detail(&self, decision: u32) -> bool {
        let _ = decision;
        false
    }

    /// Once a decision: progress out, a request to stop in.
    fn pulse(&mut self, done: u64, total: u64) -> ControlFlow<()> {
        let _ = (done, total);
        ControlFlow::Continue(())
    }

    /// The best plan of a search so far: its peak and the bound in bytes, summed over the memories, and how far above the
    /// base of its memory each buffer lies. Gives whether there is nothing more to do: if not, a later offer is welcome.
    fn best(&mut self, peak: u64, bound: u64, offsets: &mut dyn FnMut() -> Vec<u64>) -> bool {
        let _ = (peak, bound, offsets);
        true
    }
}

/// Hears nothing: for runs of which only the plan is wanted.
#[derive(Debug, Default)]
pub struct Silent;

impl Probe for Silent {
    fn event(&mut self, _: Event) {}
}

/// Keeps the events of a try to itself; progress, the best plan and a request to stop get through.
pub struct Muted<'a>(pub &'a mut dyn Probe);

impl Probe for Muted<'_> {
    fn event(&mut self, _: Event) {}

    fn pulse(&mut self, done: u64, total: u64) -> ControlFlow<()> {
        self.0.pulse(done, total)
    }

    fn best(&mut self, peak: u64, bound: u64, offsets: &mut dyn FnMut() -> Vec<u64>) -> bool {
        self.0.best(peak, bound, offsets)
    }
}

/// Keeps all events. Candidates are kept for every decision until `detail_limit` events, from then on only for decisions
/// in `window`: a dense problem has quadratically many.
#[derive(Debug)]
pub struct Recorder {
    pub events: Vec<Event>,
    detail_limit: usize,
    window: std::ops::Range<u32>,
}

/// Events kept with full detail: 10 MB, which a page takes over from its worker in a few tenths of a second.
pub const DETAIL_LIMIT: usize = 400_000;

impl Default for Recorder {
    fn default() -> Self {
        Recorder { events: Vec::new(), detail_limit: DETAIL_LIMIT, window: 0..0 }
    }
}

impl Recorder {
    /// A recorder that keeps candidates of the decisions in `window` only: for running a planner again to look closely.
    pub fn window(window: std::ops::Range<u32>) -> Self {
        Recorder { detail_limit: 0, window, ..Recorder::default() }
    }
}

impl Probe for Recorder {
    fn event(&mut self, event: Event) {
        self.events.push(event);
    }

    fn wants_detail(&self, decision: u32) -> bool {
        self.events.len() < self.detail_limit || self.window.contains(&decision)
    }
}
