//! The events that a planner emits while it runs. Facts only: ids and numbers, no words,
//! no pictures.

mod contract;
mod explanation;
mod note;
mod tree;

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize, Serializer};

use crate::id_type;
use crate::problem::BufferId;

pub use contract::{Breach, CheckingProbe, Rule};
pub use explanation::{Decides, Explanation, IMPORTED, Origin, Sentences, StatePanel};
pub use note::{Note, SEARCH_ORDERS, Slot};
pub use tree::{Fact, Layout, Region, Tree, TreeNode};

id_type!(
    /// A node of an allocation tree, numbered in order of creation over all pools of a run.
    TreeNodeId
);

/// One elementary fact of a run. `Copy` and 24 bytes, so that a million of them is a small file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Event {
    /// A decision begins: the planner turns to this buffer. All events up to the next `Begin`
    /// belong to it.
    Begin {
        /// The buffer that is to be placed.
        buffer: BufferId,
    },
    /// Storage of a dead buffer becomes free and joins free neighbours.
    Release {
        /// The buffer that is dead.
        buffer: BufferId,
    },
    /// A free block is looked at. `offset` and `room` in bytes; `room` of the unbounded top block
    /// is `u64::MAX`.
    Block {
        /// What came of it.
        verdict: Verdict,
        /// First byte of the block.
        offset: u64,
        /// Bytes up to its end.
        #[serde(serialize_with = "bounded")]
        room: u64,
    },
    /// A buffer in the way at the place that is reported next: the reason why that place is
    /// refused.
    InTheWay {
        /// The buffer in the way.
        buffer: BufferId,
    },
    /// A pool of the tree planner is asked.
    AskPool {
        /// What came of it.
        verdict: Verdict,
        /// Whether no other pool is asked after it.
        is_last: bool,
        /// Whether it may grow.
        can_expand: bool,
        /// Number of the pool.
        pool: u32,
    },
    /// A temporal node is asked: its slot in bytes and how many direct children overlap the buffer
    /// in time.
    AskTemporal {
        /// What came of it.
        verdict: Verdict,
        /// Whether nothing is asked after it.
        is_last: bool,
        /// The node.
        node: TreeNodeId,
        /// Direct children that overlap the buffer in time.
        overlaps: u32,
        /// Bytes of its slot.
        slot: u64,
    },
    /// A spatial node is asked.
    AskSpatial {
        /// What came of it.
        verdict: Verdict,
        /// Whether nothing is asked after it.
        is_last: bool,
        /// The node.
        node: TreeNodeId,
    },
    /// The buffer is put at the end of a pool.
    AtEnd {
        /// Number of the pool.
        pool: u32,
    },
    /// A change of the allocation tree.
    Tree(TreeEdit),
    /// A pool comes into being, with the index of its memory.
    OpenPool {
        /// Number of the pool.
        pool: u32,
        /// Index of its memory, or of its device as the planner counts them.
        memory: u32,
        /// Whether its end may move up later.
        growing: bool,
    },
    /// The buffer of this decision gets its place. In a tree the offset is the preview of this
    /// moment.
    Place {
        /// How the place came about.
        outcome: Outcome,
        /// The buffer.
        buffer: BufferId,
        /// Number of the pool.
        pool: u32,
        /// First byte, from the base of the pool.
        offset: u64,
    },
    /// The end of a pool moves up, in bytes; a storage is enlarged.
    Grow {
        /// Number of the pool.
        pool: u32,
        /// End before, in bytes.
        from: u64,
        /// End from now on.
        to: u64,
    },
    /// A storage is looked at as a whole, with its size in bytes.
    AskStorage {
        /// What came of it.
        verdict: Verdict,
        /// Number of the storage.
        pool: u32,
        /// Its size in bytes.
        size: u64,
    },
    /// Reads still to come of the storage that holds a buffer, counted over all buffers in that
    /// storage.
    Refs {
        /// A buffer that lies in the storage.
        buffer: BufferId,
        /// Reads before.
        from: u32,
        /// Reads from now on.
        to: u32,
    },
    /// A buffer moves when addresses are laid out at the end.
    Move {
        /// The buffer.
        buffer: BufferId,
        /// Number of the pool.
        pool: u32,
        /// First byte from now on.
        offset: u64,
    },
    /// A search that keeps several plans at once looked at a successor of one of them. `parent`:
    /// its rank in the generation before; `rank`: its own among the kept, of the kept one it
    /// equals, or its position in the order of the scores. `score` in bytes, smaller is better.
    Lane {
        /// What became of the successor.
        fate: Fate,
        /// Rank of the plan it continues, in the generation before.
        parent: u16,
        /// Its rank, or its position in the order of the scores.
        rank: u32,
        /// Where it puts the buffer.
        offset: u64,
        /// Its peak, in bytes; smaller is better.
        score: u64,
    },
    /// Another fact with a sentence of its own; [`Note`] defines its three numbers.
    Note {
        /// Which fact.
        note: Note,
        /// The first number.
        subject: u32,
        /// The second number.
        a: u64,
        /// The third number.
        b: u64,
    },
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
    /// Nobody in it is alive together with the buffer, but it is marked as used for one that went
    /// elsewhere.
    Marked,
    /// No path of the graph orders the buffer and what used the storage before.
    Parallel,
    /// To keep the storage until now would raise the peak that the planner expects.
    RaisesPeak,
    /// Free, but another one is closer in size.
    Farther,
    /// Large enough, but its size class lies below the one at which the search begins.
    BelowClass,
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
    /// Where the plan that is shown has it: one that was read, or kept from a search that was
    /// stopped.
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
    /// Bytes that another buffer uses at the same time: a mistake of a user's own planner.
    Overlap,
}

/// A change of an allocation tree. The tree on the page is rebuilt from these alone, so it cannot
/// drift from what the planner did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum TreeEdit {
    /// A leaf is made for a buffer.
    Leaf {
        /// The node made.
        node: TreeNodeId,
        /// Its buffer.
        buffer: BufferId,
    },
    /// Free bytes are reserved.
    Empty {
        /// The node made.
        node: TreeNodeId,
        /// Bytes reserved.
        bytes: u64,
    },
    /// A temporal node without children is made.
    Temporal {
        /// The node made.
        node: TreeNodeId,
    },
    /// A spatial node is made of two nodes.
    Spatial {
        /// The node made.
        node: TreeNodeId,
        /// Its lower half.
        left: TreeNodeId,
        /// Its upper half.
        right: TreeNodeId,
    },
    /// `child` becomes the last child of a temporal node.
    Append {
        /// The temporal node.
        parent: TreeNodeId,
        /// Its new child.
        child: TreeNodeId,
    },
    /// `new` takes the place of `old` among the children of a temporal node.
    Replace {
        /// The temporal node.
        parent: TreeNodeId,
        /// The child that leaves.
        old: TreeNodeId,
        /// The child in its place.
        new: TreeNodeId,
    },
    /// A temporal node drops its only child, an Empty.
    Drop {
        /// The temporal node.
        parent: TreeNodeId,
    },
    /// A node becomes the root of a pool.
    Root {
        /// Number of the pool.
        pool: u32,
        /// Its root from now on.
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

/// Most buffers named as in the way at one place.
const MOST_IN_THE_WAY: usize = 8;

/// Emits which buffers are in the way at a place, at most eight. Call it directly before the event
/// of the place.
pub fn in_the_way(probe: &mut dyn Probe, buffers: impl IntoIterator<Item = BufferId>) {
    buffers.into_iter().take(MOST_IN_THE_WAY).for_each(|buffer| probe.event(Event::InTheWay { buffer }));
}

/// Receives the events of a run. Planners take it as `&mut dyn`, so they compile once.
///
/// # Contract
/// [`CheckingProbe`] checks it, and the properties run every planner through it. Offsets, sizes and
/// peaks are bytes; offsets count from the base of their pool.
///
/// A run is a sequence of decisions, one for each buffer that gets a place:
///
/// ```text
/// run      = { note } { decision } [ Finalize { Move | Grow | note } ]
/// decision = Begin { note | Release | OpenPool | Tree | look }
///            Place { Grow | note | Release | Move }
/// look     = { InTheWay } ( Block | AskStorage | AskPool | AskTemporal | AskSpatial | AtEnd )
/// note     = Note | Refs | Lane
/// ```
///
/// * **Mandatory** are `Begin` and `Place` of every decision, `OpenPool` before a pool is used, and
///   a `Grow` whenever the end of a pool rises, from its present end. A planner without addresses
///   emits no decision at all.
/// * A buffer begins once, and its decision places it exactly once. Everything up to the next
///   `Begin` belongs to the decision, also releases and counts after its `Place`. Events before the
///   first `Begin` belong to the whole run.
/// * Places looked at stand between `Begin` and `Place`. If [`Probe::wants_detail`] returns true
///   for the decision, all of them are emitted, otherwise at most one. All other events are the
///   same in both cases, except for notes of a search.
/// * `InTheWay` names a buffer that is in the way at the place of the next look. A look has at most
///   eight of them.
/// * `Release`, `Refs` and `Move` name buffers that have their place; `Tree` names nodes that
///   exist.
/// * The plan does not depend on the probe, and the last `Place` or `Move` of a buffer is its place
///   in the plan. Exception: in a tree the offset is a preview, and the tree itself is the truth.
pub trait Probe {
    /// Receives one event. Order matters.
    fn event(&mut self, event: Event);

    /// Returns true if the planner is to emit all places that a decision looks at. Decisions are
    /// numbered from 0, in the order of their `Begin`. Planners call this before work that serves
    /// only the display.
    fn wants_detail(&self, decision: u32) -> bool {
        let _ = decision;
        false
    }

    /// Receives progress, `done` of `total` in units of the planner's choice. If it returns
    /// `Break`, the planner stops and returns the error that it was cancelled. Called before each
    /// decision, in searches more often. A portfolio or a climb may count from 0 again.
    fn pulse(&mut self, done: u64, total: u64) -> ControlFlow<()> {
        let _ = (done, total);
        ControlFlow::Continue(())
    }

    /// Receives the best plan of a search so far: its peak and the bound in bytes, summed over the
    /// memories. `offsets` gives how many bytes above the base of its memory each buffer lies, in
    /// order of their ids. Returns false if the planner may offer the same plan again later,
    /// because nobody has taken it yet; true if an offer of this plan is settled.
    fn best(&mut self, peak: u64, bound: u64, offsets: &mut dyn FnMut() -> Vec<u64>) -> bool {
        let _ = (peak, bound, offsets);
        true
    }
}

/// Drops every event: for runs of which only the plan is wanted.
#[derive(Debug, Default)]
pub struct Silent;

impl Probe for Silent {
    fn event(&mut self, _: Event) {}
}

/// Drops the events of a try. Progress, the best plan and a request to stop get through.
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

/// Keeps all events. Candidates are kept for every decision until `detail_limit` events, from then
/// on only for decisions in `window`: a dense problem has quadratically many.
#[derive(Debug)]
pub struct Recorder {
    /// In the order in which they came.
    pub events: Vec<Event>,
    detail_limit: usize,
    window: std::ops::Range<u32>,
}

/// Events kept with full detail: 10 MB, which a page takes over from its worker in a few tenths of
/// a second.
pub const DETAIL_LIMIT: usize = 400_000;

impl Default for Recorder {
    fn default() -> Self {
        Recorder { events: Vec::new(), detail_limit: DETAIL_LIMIT, window: 0..0 }
    }
}

impl Recorder {
    /// A recorder that keeps candidates of the decisions in `window` only: for running a planner
    /// again to look closely.
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
