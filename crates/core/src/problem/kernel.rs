//! What a GPU kernel's compiler knows of a buffer of shared memory beyond its live range.

use serde::{Deserialize, Serialize};

/// A kernel as its file tells of it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Kernel {
    /// The chip that it was compiled for, as its compiler names it: `cuda:90`, `hip:gfx942`.
    pub target: Option<String>,
    /// Operations that may need scratch whose size the file does not state: it is left out.
    pub unsized_scratch: u32,
    /// Buffers of unknown type, and calls of functions whose need is not known: left out, too.
    pub left_out: u32,
    /// Bytes in all that the file states.
    pub stated: Option<u64>,
}

/// Why a buffer of a kernel exists.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
pub enum KernelOrigin {
    /// The kernel allocates it.
    #[default]
    Explicit,
    /// An operation needs it while it runs.
    Scratch,
    /// A called function needs it.
    Virtual,
}

/// The region of an operation `ttg.warp_specialize`, whose regions run at the same time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct WarpRegion {
    /// Number of the nearest `warp_specialize` around the buffer's operation.
    pub specialize: u32,
    /// Number of the region in which the buffer's operation stands.
    pub region: u32,
}

impl WarpRegion {
    /// Returns true for different regions of one operation: they count as running at the same time.
    pub fn is_beside(self, other: WarpRegion) -> bool {
        self.specialize == other.specialize && self.region != other.region
    }
}

/// Facts of a buffer of a kernel. Only Triton's planner uses them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct KernelFacts {
    /// Why it exists.
    pub origin: KernelOrigin,
    /// Whether it lives for the whole function, longer than any other.
    pub endless: bool,
    /// Where it stands inside a `warp_specialize`: buffers of different regions of one never
    /// overlap, whenever they live.
    pub region: Option<WarpRegion>,
    /// The allocation that it is a partition of: partitions of one allocation never share a
    /// partition of the memory.
    pub group: Option<u32>,
    /// How many copies of one tile it holds, of which operations pick one at a time: the stages of
    /// a pipelined loop. 0 if nothing picks.
    pub stages: u32,
    /// The last two extents of its tile, in elements; 1 where there are fewer, 0 for what is no
    /// tile.
    pub tile: [u32; 2],
}
