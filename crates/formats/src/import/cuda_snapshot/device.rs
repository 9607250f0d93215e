//! One device of a snapshot: its events → blocks with lives; its segments → one arena, stacked.

use std::collections::BTreeMap;

use super::arena::Value;
use memplan_core::base::align_up;

/// Smallest block of PyTorch's allocator: blocks begin at multiples of it (`kMinBlockSize`).
const BLOCK: u64 = 512;

/// One entry of a device's trace.
pub enum Event {
    Alloc {
        address: u64,
        size: u64,
        stream: u64,
        /// Number of its private pool; 0 for none.
        pool: u64,
        frames: Option<Value>,
    },
    /// The program gave a block back.
    FreeRequested {
        address: u64,
    },
    /// A block became free.
    Free {
        address: u64,
        size: u64,
    },
    /// A segment comes, whole or as a piece of an expandable one.
    Reserve {
        address: u64,
        size: u64,
        is_piece: bool,
    },
    /// A segment goes.
    Return {
        address: u64,
        size: u64,
        stream: u64,
        /// Number of its private pool; 0 for none.
        pool: u64,
        is_piece: bool,
        frames: Option<Value>,
    },
    /// A request failed.
    Failed {
        size: u64,
        stream: u64,
        pool: u64,
        /// Free memory of the card.
        free: Option<u64>,
        frames: Option<Value>,
    },
    Other,
}

/// A block in use when the snapshot was taken: rounded and requested bytes.
pub struct ActiveBlock {
    pub address: u64,
    pub size: u64,
    pub asked: u64,
    /// Whether the program gave it back, but another stream may still use it.
    pub waits: bool,
    pub frames: Option<Value>,
}

/// A segment when the snapshot was taken.
#[derive(Default)]
pub struct Segment {
    pub address: u64,
    pub size: u64,
    pub stream: u64,
    pub is_small: bool,
    pub is_expandable: bool,
    /// Bytes of each block, from front to back, and whether it is in use.
    pub blocks: Vec<(u64, bool)>,
}

#[derive(Default)]
pub struct Device {
    pub events: Vec<Event>,
    /// Segments when the snapshot was taken.
    pub segments: Vec<Segment>,
    pub active: Vec<ActiveBlock>,
}

/// An allocation with its life in events; `end` is none if it was never freed.
pub struct Block {
    pub address: u64,
    pub size: u64,
    pub start: u32,
    pub end: Option<u32>,
    /// Number of its event, or its address if it was allocated before the trace.
    pub at: u64,
    pub early: bool,
    pub frames: Option<Value>,
}

/// The blocks found in a trace.
pub struct Observed {
    pub blocks: Vec<Block>,
    /// Number of events that contradict those before them, such as a second allocation of an
    /// address in use.
    pub odd: u64,
}

impl Device {
    /// Pairs allocations with the frees of the same address.
    pub fn observe(&self) -> Observed {
        let mut blocks: Vec<Block> = Vec::new();
        let mut alive: BTreeMap<u64, u64> = BTreeMap::new();
        let mut odd = 0;
        for (step, event) in self.events.iter().enumerate() {
            let now = step as u32;
            match *event {
                Event::Alloc { address, size, frames, .. } => {
                    blocks.push(Block { address, size, start: now, end: None, at: step as u64, early: false, frames });
                    if let Some(before) = alive.insert(address, blocks.len() as u64 - 1) {
                        blocks[before as usize].end = Some(now);
                        odd += 1;
                    }
                }
                Event::Free { address, size } => match alive.remove(&address) {
                    Some(block) => blocks[block as usize].end = Some(now),
                    // It was allocated before the trace began.
                    None if now > 0 => {
                        let end = Some(now);
                        blocks.push(Block { address, size, start: 0, end, at: address, early: true, frames: None });
                    }
                    // The recording begins just between the request to free it and the free.
                    None => {}
                },
                Event::FreeRequested { .. }
                | Event::Reserve { .. }
                | Event::Return { .. }
                | Event::Failed { .. }
                | Event::Other => {}
            }
        }
        for block in &self.active {
            if !alive.contains_key(&block.address) {
                let ActiveBlock { address, asked, frames, .. } = *block;
                blocks.push(Block { address, size: asked, start: 0, end: None, at: address, early: true, frames });
                alive.insert(address, blocks.len() as u64 - 1);
            }
        }
        // In order of birth, like every problem.
        blocks.sort_by_key(|block| (block.start, block.at));
        Observed { blocks, odd }
    }

    /// Segments and blocks as disjoint regions, stacked in order of address; none if an end passes
    /// the largest address.
    pub fn layout(&self, blocks: &[Block]) -> Option<Layout> {
        let reserved = self.events.iter().filter_map(|event| match *event {
            Event::Reserve { address, size, .. } | Event::Return { address, size, .. } => Some((address, size)),
            _ => None,
        });
        let own = blocks.iter().map(|block| (block.address, block.size));
        let mut spans = Vec::new();
        let segments = self.segments.iter().map(|segment| (segment.address, segment.size));
        for (address, size) in segments.chain(reserved).chain(own) {
            spans.push((address, address.checked_add(size)?));
        }
        spans.sort();
        let aligned = blocks.iter().all(|block| block.address.is_multiple_of(BLOCK));
        let mut layout = Layout { regions: Vec::new(), align: if aligned { BLOCK } else { 1 } };
        for (from, to) in spans {
            match layout.regions.last_mut() {
                Some(last) if from <= last.to => last.to = last.to.max(to),
                _ => layout.regions.push(Region { from, to, base: 0 }),
            }
        }
        let mut next = 0u64;
        for region in &mut layout.regions {
            // What is aligned stays so.
            region.base = align_up(next, BLOCK).checked_add(region.from % BLOCK)?;
            next = region.base.checked_add(region.to - region.from).filter(|next| *next < u64::MAX - BLOCK)?;
        }
        Some(layout)
    }

    /// The most bytes of segments at any time: from the segments at the end, changes are undone
    /// event by event.
    pub fn reserved(&self) -> u64 {
        let mut now: i128 = self.segments.iter().map(|segment| segment.size as i128).sum();
        let mut most = now;
        // From the end back to the beginning.
        for event in self.events.iter().rev() {
            match *event {
                Event::Reserve { size, .. } => now -= size as i128,
                Event::Return { size, .. } => now += size as i128,
                _ => {}
            }
            most = most.max(now);
        }
        u64::try_from(most).unwrap_or(0)
    }
}

/// A run of addresses that segments or blocks cover without a hole.
struct Region {
    from: u64,
    to: u64,
    /// Where it begins in the arena.
    base: u64,
}

/// Addresses of a device → offsets in its arena.
pub struct Layout {
    regions: Vec<Region>,
    pub align: u64,
}

impl Layout {
    pub fn offset(&self, address: u64) -> Option<u64> {
        let after = self.regions.partition_point(|region| region.from <= address);
        let region = self.regions.get(after.checked_sub(1)?)?;
        region.base.checked_add(address - region.from)
    }

    /// The end of the last region.
    pub fn size(&self) -> u64 {
        self.regions.last().map_or(0, |region| region.base + (region.to - region.from))
    }

    pub fn regions(&self) -> usize {
        self.regions.len()
    }
}
