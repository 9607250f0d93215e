//! What the pass sees, whatever file it came from: nodes in planning order, their entries, and the
//! counts of reads.

use memplan_core::problem::BufferId;

/// Where the value of an entry lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Slot {
    /// No storage yet (`kBadStorageID`, -1): to be requested.
    #[default]
    Unset,
    /// The caller owns the memory (`kExternalStorageID`, -2): never requested, taken over or
    /// released.
    External,
    /// Allocated when the model runs (`kDynamicStorageID`, -3): treated as external.
    Dynamic,
    /// Storage with this number.
    Block(u32),
}

/// One value: output `i` of a node.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Entry {
    /// Name of the value in the trace.
    pub buffer: BufferId,
    /// Elements; they order requests of one node and are compared before a takeover.
    pub elements: u64,
    /// Bits of one element.
    pub bits: u64,
    /// Number of the element type: an identity needs equal ones.
    pub dtype: u32,
    /// Bytes asked of the allocator; `None` for an unknown shape, which gets no storage.
    pub request: Option<u64>,
    /// Bytes that the value really takes.
    pub bytes: u64,
    /// How many times the graph gives it back.
    pub outputs: u32,
    /// Index of its memory.
    pub device: u32,
    /// Where it lies before the walk.
    pub start: Slot,
}

/// An input slot of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Read {
    /// The value; `None` if it is none of the planned ones.
    pub entry: Option<u32>,
    /// The node that makes it, for chains of nodes.
    pub producer: Option<u32>,
    /// The node declares that it does not look at the contents (`FIgnoreInputs`).
    pub ignored: bool,
}

/// A pair of `FInplaceOption` with its flag of `FInplaceIdentity`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pair {
    /// Input slot.
    pub input: u32,
    /// The value that may overwrite it.
    pub output: u32,
    /// Whether the output is the same contents as the input.
    pub identity: bool,
}

/// One step of the pass.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Node {
    /// Number in the trace.
    pub id: u32,
    /// An input or a weight: no operator, never walked.
    pub variable: bool,
    /// Writes its second input into its first, a variable.
    pub assign: bool,
    /// Its inputs.
    pub reads: Vec<Read>,
    /// Entries made, in order.
    pub outputs: Vec<u32>,
    /// Inputs and outputs that may share a storage.
    pub pairs: Vec<Pair>,
}

impl Node {
    /// Whether no input's contents are looked at: such a node never takes over storage unless by
    /// identity.
    pub fn ignores_all(&self) -> bool {
        self.reads.iter().all(|read| read.ignored)
    }
}

/// The graph as the pass takes it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Network {
    /// In planning order.
    pub nodes: Vec<Node>,
    /// Values, numbered as the buffers of the problem.
    pub entries: Vec<Entry>,
    /// A takeover also needs the same device and the same bytes. The original compares neither: it
    /// looks at devices only when it searches, and takes every element for 4 bytes.
    pub strict: bool,
}

impl Network {
    /// Reads of each entry: input slots that look at it, and one for each time the graph gives it
    /// back.
    pub fn counts(&self) -> Vec<u32> {
        let mut counts: Vec<u32> = self.entries.iter().map(|entry| entry.outputs).collect();
        for read in self.nodes.iter().flat_map(|node| &node.reads) {
            if let (Some(entry), false) = (read.entry, read.ignored) {
                counts[entry as usize] += 1;
            }
        }
        counts
    }
}
