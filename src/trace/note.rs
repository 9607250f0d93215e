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
    /// A generation of a search: the rank that the final plan descends from, successors made and successors kept.
    Generation = "generation" [Count "rank", Count "made", Count "kept"];
}
