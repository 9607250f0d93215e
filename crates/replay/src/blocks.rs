//! The free list of a pool at one moment: used and free blocks in address order.

use super::cache::segment_bytes;
use super::{Frame, Run};
use memplan_core::plan::PoolId;
use memplan_core::problem::BufferId;

/// A block of a free list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Block {
    /// First byte, from the base of the pool.
    pub offset: u64,
    /// Bytes; none for the unbounded top.
    pub bytes: Option<u64>,
    /// The live buffer in it; none if it is free.
    pub buffer: Option<BufferId>,
}

/// Blocks of a pool from address 0 to the unbounded top, or to the end of a segment. Padding up to
/// a buffer's alignment belongs to its block, unless the next one may begin there.
pub fn blocks(run: &Run, frame: &Frame, pool: PoolId) -> Vec<Block> {
    let mut live: Vec<(u64, u64, BufferId)> = Vec::new();
    for (id, place) in frame.places.enumerate() {
        let Some(place) = place.filter(|place| place.pool == pool && !frame.released[id]) else { continue };
        let buffer = &run.problem.buffers[id];
        if buffer.size > 0 {
            let size = if run.granule() == 1 { buffer.size } else { buffer.size.next_multiple_of(buffer.align) };
            live.push((place.offset, place.offset + size, id));
        }
    }
    live.sort();
    let mut blocks = Vec::new();
    let mut top = 0;
    for (from, to, id) in live {
        if from > top {
            blocks.push(Block { offset: top, bytes: Some(from - top), buffer: None });
        }
        blocks.push(Block { offset: from, bytes: Some(to - from), buffer: Some(id) });
        top = top.max(to);
    }
    match segment_bytes(run, frame, pool) {
        None => blocks.push(Block { offset: top, bytes: None, buffer: None }),
        Some(end) if end > top => blocks.push(Block { offset: top, bytes: Some(end - top), buffer: None }),
        Some(_) => {}
    }
    blocks
}
