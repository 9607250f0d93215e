//! What a program asked of a caching allocator, as a snapshot of it records it.

use serde::{Deserialize, Serialize};

use super::BufferId;

/// A call of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Call {
    /// So many bytes for a stream. Numbers are given once.
    Alloc {
        /// Number of the allocation.
        id: u32,
        /// Bytes asked for; of a request that failed, rounded by the allocator.
        bytes: u64,
        /// Handle of the stream.
        stream: u64,
    },
    /// The block of an allocation is given back.
    Free {
        /// Number of the allocation.
        id: u32,
    },
    /// Another stream uses the block.
    RecordStream {
        /// Number of the allocation.
        id: u32,
        /// Handle of the stream, or a number that stands for it.
        stream: u64,
    },
    /// A stream has finished all that was given to it so far.
    Complete {
        /// The stream.
        stream: u64,
    },
    /// The whole cache is given back.
    EmptyCache,
    /// Requests go to a private pool from now on.
    BeginPool {
        /// Its number.
        pool: u64,
    },
    /// They do not any more.
    EndPool {
        /// Its number.
        pool: u64,
    },
    /// No user needs a private pool any more: what is free of it goes back with the cache.
    ReleasePool {
        /// Its number.
        pool: u64,
    },
    /// What is free of a private pool without users is given back, and nothing else.
    EmptyPool {
        /// Its number.
        pool: u64,
    },
}

/// A call with what was recorded of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RecordedCall {
    /// Step of the problem: number of the event in the recording.
    pub step: u32,
    /// The call.
    pub call: Call,
    /// Address that an allocation got; none for one that failed and for other calls.
    pub address: Option<u64>,
}

/// A run of addresses that the allocator held when the recording began.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct HeldRange {
    /// First byte.
    pub address: u64,
    /// Bytes.
    pub size: u64,
    /// Its stream.
    pub stream: u64,
    /// Its pool.
    pub pool: HeldPool,
    /// Whether it is a part of an expandable segment.
    pub is_expandable: bool,
}

/// What is known of the pool of a [`HeldRange`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum HeldPool {
    /// The small one.
    Small,
    /// The large one.
    Large,
    /// Memory was given and taken in pieces of so many bytes: whole pages of one of the two.
    Pieces(u64),
}

/// A block that was in use when the recording began.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct HeldBlock {
    /// First byte.
    pub address: u64,
    /// Bytes asked for.
    pub requested: u64,
    /// Rounded bytes, if the block is still there at the end.
    pub size: Option<u64>,
    /// Number of its allocation in the calls.
    pub id: u32,
}

/// A segment when the snapshot was taken.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FinalSegment {
    /// First byte.
    pub address: u64,
    /// Bytes of each block, from front to back, and whether it is in use.
    pub blocks: Vec<(u64, bool)>,
}

/// A request that failed in the recording.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FailedRequest {
    /// Step of the problem.
    pub step: u32,
    /// Rounded bytes.
    pub bytes: u64,
    /// The line of the program that made it; empty if it is not recorded.
    pub line: String,
    /// What the process could have held at this moment: free memory of the card and what it had
    /// reserved; none if the file does not say it.
    pub within_reach: Option<u64>,
}

/// The recording of one card. Sizes in bytes.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Recording {
    /// Text of the settings in force at the end.
    pub settings: String,
    /// What the allocator held at first; nothing if the recording begins with the program.
    pub held: Vec<HeldRange>,
    /// Blocks in use at first, by address.
    pub blocks: Vec<HeldBlock>,
    /// The calls in order.
    pub calls: Vec<RecordedCall>,
    /// The buffer of each allocation; none if the request failed.
    pub owners: Vec<Option<BufferId>>,
    /// Address and bytes of the ordinary segments that the card gave, in order.
    pub segments: Vec<(u64, u64)>,
    /// Addresses of the pieces of expandable segments that got memory, in order.
    pub maps: Vec<u64>,
    /// Segments when the snapshot was taken.
    pub last: Vec<FinalSegment>,
    /// Most bytes obtained from the card at a time.
    pub reserved: u64,
    /// Requests that failed.
    pub failed: Vec<FailedRequest>,
    /// The least number of bytes that the process would have held if a request had been served
    /// without giving back the cache first: it could not have so many. None if that never occurred.
    pub retried: Option<u64>,
}

impl Recording {
    /// Returns whether the recording begins in the middle of the program: its ring of events was
    /// full, or it was switched on late.
    pub fn is_cut(&self) -> bool {
        !self.held.is_empty()
    }

    /// Returns whether calls go to private pools, whose ends are read off what is given back.
    pub fn has_private_pools(&self) -> bool {
        self.calls.iter().any(|call| matches!(call.call, Call::BeginPool { .. }))
    }

    /// Returns whether blocks waited for other streams, which the file does not name.
    pub fn has_waits(&self) -> bool {
        self.calls.iter().any(|call| matches!(call.call, Call::RecordStream { .. }))
    }
}
