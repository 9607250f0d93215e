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
    /// A device type as planners number them: one above a [`crate::graph::DeviceId`]; 0 is none.
    Device,
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
    /// A request with the sizes that it takes, both included.
    Window = "window" [Buffer "name", Bytes "low", Bytes "high"];
    /// A parameter or constant is held by one reference more than it has reads.
    Held = "held" [Buffer "name"];
    /// A reshape goes on in the storage of its argument.
    Reshape = "reshape" [Buffer "name", Buffer "giver", Pool "storage"];
    /// Sides of the texture that is used.
    Texture = "texture" [Pool "storage", Count "width", Count "height"];
    /// A value below a copy gets the device that the copy reads from.
    DeviceSource = "device-source" [Buffer "name", Device "device", Node "node"];
    /// The value of a copy gets the device that the copy writes to.
    DeviceTarget = "device-target" [Buffer "name", Device "device", Node "node"];
    /// A value that no copy decides for gets the device of the result.
    DeviceRest = "device-rest" [Buffer "name", Device "device"];
    /// The highest estimate before any storage is reused, and the first node that reaches it.
    ReusePeak = "reuse-peak" [Node "node", Bytes "peak"];
    /// Frees after the last kernel that are cut before the walk.
    ReuseTail = "reuse-tail" [Count "n"];
    /// No free buffer has the key that is looked up; how many others are free.
    ReuseNone = "reuse-none" [Count "n"];
    /// The newest free buffer of the key, and how many older ones are not looked at.
    ReuseNewest = "reuse-newest" [Buffer "giver", Count "older"];
    /// It was freed at the node just before.
    ReuseAdjacent = "reuse-adjacent" [Buffer "giver", Node "freed", Node "node"];
    /// What it costs to keep it until now, and the highest estimate between.
    ReuseGap = "reuse-gap" [Buffer "giver", Bytes "size", Bytes "between"];
    /// Both together are at most the estimated peak.
    ReuseFits = "reuse-fits" [Unused "", Bytes "sum", Bytes "peak"];
    /// Both together are above it.
    ReuseRaises = "reuse-raises" [Unused "", Bytes "sum", Bytes "peak"];
    /// The test against the estimated peak is switched off.
    ReuseUntested = "reuse-untested" [Buffer "giver"];
    /// At the end: the most bytes held at the same time, and all storages together.
    ReuseHeld = "reuse-held" [Unused "", Bytes "held", Bytes "sum"];
}
