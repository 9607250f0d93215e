//! Facts that are told and shown but move no bytes: each with a sentence of its own, `note.<key>` in the locale files.

use serde::{Deserialize, Serialize};

/// What one of the three numbers of a note is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Slot {
    Unused,
    /// A [`crate::problem::BufferId`].
    Buffer,
    /// A [`crate::graph::NodeId`], which is also a step.
    Node,
    /// A pool or storage.
    Pool,
    /// A [`crate::problem::MemoryId`], shown as its device.
    Memory,
    Count,
    Bytes,
}

/// Declares the kinds of notes: name, key and the meaning of `subject`, `a` and `b` with their argument names.
macro_rules! notes {
    ($($(#[$doc:meta])* $name:ident = $key:literal [$($slot:ident $arg:literal),*];)*) => {
        /// A kind of note.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
        pub enum Note {
            $($(#[$doc])* $name,)*
        }

        impl Note {
            /// Every kind, for tests.
            pub const ALL: &'static [Note] = &[$(Note::$name,)*];

            /// Ending of its key in the locale files.
            pub const fn key(self) -> &'static str {
                match self {
                    $(Note::$name => $key,)*
                }
            }

            /// Meaning and argument name of its numbers, in the order `subject`, `a`, `b`.
            pub const fn slots(self) -> &'static [(Slot, &'static str)] {
                match self {
                    $(Note::$name => &[$((Slot::$slot, $arg)),*],)*
                }
            }
        }
    };
}

notes! {
    /// The planner turns to a node of the graph.
    Node = "node" [Node "node"];
    /// A setting is tried out: its value and the bytes it leads to.
    Try = "try" [Count "value", Bytes "total"];
    /// The setting that is kept, with its bytes.
    Keep = "keep" [Count "value", Bytes "total"];
    /// A shared object comes into being: its index in its arena, bytes, and first byte in the arena.
    Object = "object" [Count "object", Bytes "size", Bytes "start"];
    /// A shared object grows, in bytes.
    ObjectGrows = "object-grows" [Count "object", Bytes "from", Bytes "to"];
    /// A shared object was the pick for a moment and stays marked as used up to a step.
    ObjectMarked = "object-marked" [Count "object", Bytes "size", Count "step"];
    /// The shared object that holds the buffer: where inside, and the bytes above it in the object.
    Member = "member" [Count "object", Bytes "inside", Bytes "left"];
    /// Room for the upper bound of a symbolic size is reserved: bytes held now and bytes reserved.
    Bound = "bound" [Buffer "name", Bytes "held", Bytes "reserved"];
    /// A symbolic size has no upper bound: its value at the hints stands in.
    Unbounded = "unbounded" [Buffer "name", Bytes "size"];
    /// An algorithm of a suite ran on the buffers of a device: its number and the sum of its arenas.
    TriedNaive = "tried-naive" [Memory "device", Count "number", Bytes "total"];
    TriedGreedy = "tried-greedy" [Memory "device", Count "number", Bytes "total"];
    TriedNoOverlap = "tried-no-overlap" [Memory "device", Count "number", Bytes "total"];
    TriedClosest = "tried-closest" [Memory "device", Count "number", Bytes "total"];
    /// A memory of limited size has no place for the buffer: its pool and bytes.
    MemoryFull = "memory-full" [Pool "pool", Bytes "size"];
    /// The addresses of an arena are final: its pool and the bytes it reserves, with rounding and bounds.
    ArenaFinal = "arena-final" [Pool "pool", Bytes "size"];
    /// The algorithm of a suite that is kept.
    SuiteKept = "suite-kept" [Memory "device", Count "number", Bytes "total"];
}
