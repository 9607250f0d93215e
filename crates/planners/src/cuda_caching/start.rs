//! An allocator that already holds what a recording held when it began.
//!
//! A cut recording does not say how free bytes were divided among blocks that are gone, how old
//! blocks are, or where address ranges begin. What is assumed here: sizes are those that rounding
//! gives; in ordinary large segments a gap of at most 1 MiB belongs to the block before it, because
//! it would not have been split off; a block of at least `max_split_size` has its segment to
//! itself; segments are as old as their addresses are low. The first request that is served behind
//! a block in use shows where that block ends.

use std::collections::BTreeMap;

use super::allocator::Allocator;
use super::blocks::{Block, BlockId, Range};
use super::counts::Counted;
use super::settings::{SMALL_BUFFER, SMALL_SIZE, Settings};
use memplan_core::problem::{Call, HeldBlock, HeldPool, HeldRange, Recording};

/// An expandable segment while its runs are loaded.
struct Growing {
    range: usize,
    /// The block that was loaded last.
    last: Option<BlockId>,
    born: u64,
    /// First byte after its address range.
    end: u64,
}

/// First byte and bytes of a part of a segment, and the block that is in use there.
type Part<'a> = (u64, u64, Option<&'a HeldBlock>);

impl Allocator {
    /// Loads what a recording held at first, under the settings that it was made with; returns the
    /// block of each allocation that was in use, by its number.
    pub(super) fn load(&mut self, recording: &Recording, recorded: &Settings) -> Vec<(u32, BlockId)> {
        let mut live = Vec::new();
        let mut growing: BTreeMap<(u64, bool), Growing> = BTreeMap::new();
        let ends = ends_shown(recording);
        for held in &recording.held {
            let is_small = match held.pool {
                HeldPool::Small => true,
                HeldPool::Large => false,
                HeldPool::Pieces(bytes) => !bytes.is_multiple_of(recorded.large_segment),
            };
            let parts = parts(recording, held, is_small, recorded, &ends);
            if held.is_expandable {
                let mut segment =
                    growing.remove(&(held.stream, is_small)).unwrap_or_else(|| self.reserve(held, is_small, recorded));
                let gap = segment.last.filter(|&last| self.blocks[last].end() < held.address);
                if let Some(last) = gap {
                    segment.last = Some(self.unmapped_after(last, held.address));
                }
                segment.last = self.load_range(held, is_small, parts, Some(&segment), &mut live);
                growing.insert((held.stream, is_small), segment);
            } else {
                self.load_range(held, is_small, parts, None, &mut live);
            }
        }
        for segment in growing.into_values() {
            if let Some(last) = segment.last.filter(|&last| self.blocks[last].end() < segment.end) {
                self.unmapped_after(last, segment.end);
            }
        }
        live
    }

    /// The address range of an expandable segment, which is taken to begin with its first byte that
    /// is mapped.
    fn reserve(&mut self, held: &HeldRange, is_small: bool, recorded: &Settings) -> Growing {
        let page = if is_small { SMALL_BUFFER } else { recorded.large_segment };
        let bytes = (self.card.total + self.card.total / 8).next_multiple_of(page);
        self.card.hold(held.address, bytes);
        self.ranges.push(Range { address: held.address, size: bytes, page, stream: held.stream });
        let end = held.address.saturating_add(bytes);
        Growing { range: self.ranges.len() - 1, last: None, born: self.number_of(None), end }
    }

    /// Addresses without memory behind a block, up to `end`.
    fn unmapped_after(&mut self, last: BlockId, end: u64) -> BlockId {
        let &Block { pool, stream, range, born, .. } = &self.blocks[last];
        let address = self.blocks[last].end();
        let size = end - address;
        let block = Block { pool, stream, address, size, prev: Some(last), range, born, ..Block::default() };
        let id = self.blocks.push(block);
        self.blocks[last].next = Some(id);
        self.insert_unmapped(id);
        id
    }

    /// Loads a run of addresses with its blocks; returns the last one.
    fn load_range(
        &mut self,
        held: &HeldRange,
        is_small: bool,
        parts: Vec<Part>,
        growing: Option<&Growing>,
        live: &mut Vec<(u32, BlockId)>,
    ) -> Option<BlockId> {
        let pool = usize::from(!is_small);
        let born = growing.map_or_else(|| self.number_of(None), |growing| growing.born);
        let range = growing.map(|growing| growing.range);
        let mut last = growing.and_then(|growing| growing.last);
        let is_split = parts.len() > 1;
        for (address, size, used) in parts {
            let block = Block {
                pool,
                stream: held.stream,
                address,
                size,
                prev: last,
                is_mapped: true,
                range,
                born,
                ..Block::default()
            };
            let id = self.blocks.push(block);
            if let Some(prev) = last {
                self.blocks[prev].next = Some(id);
            }
            last = Some(id);
            match used {
                Some(used) => {
                    let block = &mut self.blocks[id];
                    (block.is_allocated, block.requested) = (true, used.requested);
                    self.count_handed_out(pool, size, used.requested);
                    live.push((used.id, id));
                }
                None => {
                    self.insert_free(id);
                    if range.is_none() && is_split {
                        self.add(pool, Counted::InactiveSplit, 1);
                        self.add(pool, Counted::InactiveSplitBytes, size);
                    }
                }
            }
        }
        self.total += held.size;
        self.card.take_held(held.size);
        self.add(pool, Counted::ReservedBytes, held.size);
        if range.is_none() {
            self.card.hold(held.address, held.size);
            self.add(pool, Counted::Segment, 1);
            if held.size >= self.settings.max_split {
                self.counts.oversize_segments.add(1);
            }
        }
        last
    }
}

/// The parts of a run of addresses: first byte, bytes, and the block in use there. `ends`: what
/// requests show of the ends of the blocks.
fn parts<'r>(
    recording: &'r Recording,
    held: &HeldRange,
    is_small: bool,
    recorded: &Settings,
    ends: &[Option<u64>],
) -> Vec<Part<'r>> {
    let end = held.address + held.size;
    let from = recording.blocks.partition_point(|block| block.address < held.address);
    let to = recording.blocks.partition_point(|block| block.address < end);
    let is_ordinary = !is_small && !held.is_expandable;
    let (mut at, mut parts) = (held.address, Vec::new());
    for (number, block) in (from..to).zip(&recording.blocks[from..to]) {
        // A damaged file may have blocks over one another.
        if block.address < at {
            continue;
        }
        if block.address > at {
            parts.push((at, block.address - at, None));
        }
        let next = recording.blocks[..to].get(number + 1).map_or(end, |next| next.address);
        let room = next - block.address;
        let size = block.size.unwrap_or_else(|| recorded.round(block.requested)).min(room);
        let is_alone = block.address == held.address && next == end;
        let is_whole = room - size <= SMALL_SIZE || is_alone && size >= recorded.max_split;
        let shown = ends[number].filter(|_| block.size.is_none()).map(|end| end - block.address);
        let shown = shown.filter(|&shown| shown > size && shown <= room.min(size + SMALL_SIZE));
        let size = match shown {
            _ if !is_ordinary => size,
            _ if is_whole => room,
            shown => shown.unwrap_or(size),
        };
        parts.push((block.address, size, Some(block)));
        at = block.address + size;
    }
    if at < end {
        parts.push((at, end - at, None));
    }
    parts
}

/// Where blocks that were in use at first end, as far as requests show it: the first request that
/// is served behind a block in use gets the start of the free bytes there.
fn ends_shown(recording: &Recording) -> Vec<Option<u64>> {
    let blocks = &recording.blocks;
    let position: BTreeMap<u32, usize> = blocks.iter().enumerate().map(|(at, block)| (block.id, at)).collect();
    let mut shown = vec![None; blocks.len()];
    if blocks.is_empty() {
        return shown;
    }
    let mut in_use = vec![true; blocks.len()];
    // What waits for another stream keeps its bytes until that has come so far.
    let mut waits: BTreeMap<u64, usize> = BTreeMap::new();
    let mut is_waiting = vec![false; blocks.len()];
    for call in &recording.calls {
        match call.call {
            Call::Alloc { .. } => {
                let Some(address) = call.address else { continue };
                let below = blocks.partition_point(|block| block.address <= address);
                let Some(at) = below.checked_sub(1) else { continue };
                if in_use[at] && blocks[at].address != address && shown[at].is_none() {
                    shown[at] = Some(address);
                }
            }
            Call::RecordStream { id, stream } => {
                if let Some(&at) = position.get(&id) {
                    is_waiting[at] = true;
                    waits.insert(stream, at);
                }
            }
            Call::Free { id } => {
                if let Some(&at) = position.get(&id) {
                    in_use[at] &= is_waiting[at];
                }
            }
            Call::Complete { stream } => {
                if let Some(at) = waits.remove(&stream) {
                    in_use[at] = false;
                }
            }
            _ => {}
        }
    }
    shown
}
