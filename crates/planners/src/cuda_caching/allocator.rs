//! The allocator as a state machine: requests, frees, and the search for a free block.
//!
//! **From**: `DeviceCachingAllocator` in `c10/cuda/CUDACachingAllocator.cpp`. Functions have its
//! names where a name says what they do. Memory is obtained in `obtain.rs` and given back in
//! `release.rs`.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;

use super::blocks::{Block, BlockId, Blocks, Key, Pool, Private, Range};
use super::card::Card;
use super::counts::{Counted, Counts};
use super::settings::{MIN_BLOCK, SMALL_SIZE, Settings, SettingsError, Ties};

/// Index of the small and of the large pool that all requests use.
const SMALL: usize = 0;
pub(super) const LARGE: usize = 1;

/// What the allocator does, under the names that a snapshot gives it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Action {
    /// A block was handed out; its size is what was asked for.
    Alloc,
    /// A block was given back by the program.
    FreeRequested,
    /// A block became free.
    FreeCompleted,
    /// A segment was obtained.
    SegmentAlloc,
    /// A segment was given back.
    SegmentFree,
    /// A part of an expandable segment got memory.
    SegmentMap,
    /// The memory of a part was given back.
    SegmentUnmap,
    /// A request failed; its address is the free memory of the card, its size is rounded.
    OutOfMemory,
}

impl Action {
    /// Its name in snapshots.
    pub const fn name(self) -> &'static str {
        match self {
            Action::Alloc => "alloc",
            Action::FreeRequested => "free_requested",
            Action::FreeCompleted => "free_completed",
            Action::SegmentAlloc => "segment_alloc",
            Action::SegmentFree => "segment_free",
            Action::SegmentMap => "segment_map",
            Action::SegmentUnmap => "segment_unmap",
            Action::OutOfMemory => "oom",
        }
    }
}

/// One thing that the allocator did.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Done {
    /// What.
    pub action: Action,
    /// Where.
    pub address: u64,
    /// Bytes.
    pub size: u64,
    /// The stream whose memory it is.
    pub stream: u64,
    /// The private pool, if it is of one.
    pub private: Option<u64>,
}

/// Why a request got nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// No memory was left after the whole cache had been given back.
    OutOfMemory,
    /// The card could never hold it (`throw_on_cudamalloc_oom`).
    Rejected,
    /// The real allocator would call `cudaFree` inside a segment here: its settings changed in a
    /// way that it does not survive.
    Breaks,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Refusal::OutOfMemory => "out of memory",
            Refusal::Rejected => "rejected",
            Refusal::Breaks => "the allocator would free a part of a segment",
        })
    }
}

impl std::error::Error for Refusal {}

/// What the search among the free blocks came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Search {
    /// None of the stream is large enough.
    #[default]
    NoneFits,
    /// The smallest that fits is as large as `max_split_size` or larger, and the request is not.
    Oversize(u64),
    /// The smallest that fits is larger than the request by `max_non_split_rounding` or more.
    Wasteful(u64),
    /// This one, of so many bytes.
    Found(u64),
}

/// How the last request was met. Sizes in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Account {
    /// The rounded size.
    pub rounded: u64,
    /// What would be, or was, obtained from the card for it.
    pub segment: u64,
    /// Whether it belongs to the small pool.
    pub is_small: bool,
    /// What the search came to.
    pub search: Search,
    /// Given back by the garbage collection.
    pub collected: u64,
    /// Given back because blocks of `max_split_size` or more stood free.
    pub released: u64,
    /// Given back with the whole cache; none if it was not.
    pub emptied: Option<u64>,
    /// The block that was used, before it was split.
    pub block: u64,
    /// What was split off and stays free; 0 if the block was not split.
    pub rest: u64,
}

/// A segment as a snapshot shows it: a run of mapped blocks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Segment {
    /// First byte.
    pub address: u64,
    /// Bytes.
    pub size: u64,
    /// The stream that it belongs to.
    pub stream: u64,
    /// Whether it is of a large pool.
    pub is_large: bool,
    /// Whether it is a part of an expandable segment.
    pub is_expandable: bool,
    /// Its private pool.
    pub private: Option<u64>,
    /// From front to back.
    pub blocks: Vec<SegmentBlock>,
}

/// A block of a [`Segment`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SegmentBlock {
    /// Bytes.
    pub size: u64,
    /// Bytes asked for; 0 if it is free.
    pub requested: u64,
    /// What it is used for.
    pub state: BlockState,
}

/// What a block is used for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BlockState {
    /// Free.
    Free,
    /// Given back by the program, but another stream may still use it.
    Waiting,
    /// In use.
    Allocated,
}

/// A free block, for lists of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FreeBlock {
    /// First byte.
    pub address: u64,
    /// Bytes.
    pub size: u64,
    /// The stream that may have it.
    pub stream: u64,
}

/// A change of the free blocks of a pool.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FreeChange {
    /// Whether a block joins the free ones; else it leaves them.
    pub enters: bool,
    /// The block.
    pub block: FreeBlock,
}

/// Which bytes a request may have: from an address, so many. Always true but for planners that keep
/// branches of a graph apart.
pub type MayUse<'a> = &'a dyn Fn(u64, u64) -> bool;

/// PyTorch's allocator of one card.
#[derive(Clone, Debug)]
pub struct Allocator {
    /// The settings in force.
    pub settings: Settings,
    /// The card below.
    pub card: Card,
    /// What is counted.
    pub counts: Counts,
    /// What was done since it was last taken.
    pub trace: Vec<Done>,
    /// What became of free blocks since it was last taken; none if nobody wants to know.
    pub changes: Option<Vec<FreeChange>>,
    /// How the last request was met.
    pub account: Account,
    pub(super) blocks: Blocks,
    pub(super) pools: Vec<Pool>,
    /// Bytes that the process may hold.
    pub(super) limit: Option<u64>,
    /// Bytes obtained from the card.
    pub(super) total: u64,
    pub(super) ranges: Vec<Range>,
    /// Numbers given to segments or blocks so far.
    made: u64,
    /// Blocks that wait, by stream, each with its event.
    pending: BTreeMap<u64, VecDeque<(u64, BlockId)>>,
    /// Private pools that requests go to, the last one first.
    routes: Vec<u64>,
    pub(super) private: BTreeMap<u64, Private>,
    /// Private pools without a user.
    pub(super) freeable: Vec<u64>,
    captures: bool,
    /// Blocks freed during a capture that other streams used.
    deferred: Vec<BlockId>,
    /// Streams recorded during a capture.
    capture_uses: BTreeMap<BlockId, BTreeSet<u64>>,
}

impl Allocator {
    /// An allocator without memory.
    pub fn new(card: Card, settings: Settings) -> Allocator {
        let pool = |is_small| Pool { is_small, ..Pool::default() };
        let fraction = settings.fraction;
        let mut allocator = Allocator {
            settings,
            card,
            counts: Counts::default(),
            trace: Vec::new(),
            changes: None,
            account: Account::default(),
            blocks: Blocks::default(),
            pools: vec![pool(true), pool(false)],
            limit: None,
            total: 0,
            ranges: Vec::new(),
            made: 0,
            pending: BTreeMap::new(),
            routes: Vec::new(),
            private: BTreeMap::new(),
            freeable: Vec::new(),
            captures: false,
            deferred: Vec::new(),
            capture_uses: BTreeMap::new(),
        };
        if fraction < 1.0 {
            allocator.set_memory_fraction(fraction);
        }
        allocator
    }

    /// Limits the process to a part of the card, 0 to 1.
    pub fn set_memory_fraction(&mut self, part: f64) {
        let is_limit = part < 1.0 || self.settings.version.full_fraction_is_a_limit();
        self.limit = is_limit.then_some((part * self.card.total as f64) as u64);
    }

    /// Reads another text of settings.
    ///
    /// # Errors
    /// [`SettingsError`] for the first key or value that the version refuses.
    pub fn set(&mut self, text: &str) -> Result<(), SettingsError> {
        self.settings.apply(text)
    }

    /// Bytes obtained from the card.
    pub fn reserved(&self) -> u64 {
        self.total
    }

    /// Bytes that the process may hold, if it is limited.
    pub fn limit(&self) -> Option<u64> {
        self.limit
    }

    /// Hands out a block; none for a request of 0 bytes.
    ///
    /// # Errors
    /// [`Refusal`]. What was given back on the way stays given back.
    pub fn malloc(&mut self, requested: u64, stream: u64) -> Result<Option<BlockId>, Refusal> {
        self.malloc_where(requested, stream, &|_, _| true)
    }

    /// The same among the bytes that the request may have.
    ///
    /// # Errors
    /// [`Refusal`]. What was given back on the way stays given back.
    pub fn malloc_where(&mut self, requested: u64, stream: u64, may_use: MayUse) -> Result<Option<BlockId>, Refusal> {
        if requested == 0 {
            return Ok(None);
        }
        self.process_events();
        let size = self.settings.round(requested);
        let pool = self.pool_for(size);
        let segment = self.settings.segment(size);
        self.account = Account { rounded: size, segment, is_small: self.pools[pool].is_small, ..Account::default() };
        let mut block = self.find_free(pool, stream, size, may_use);
        if block.is_none() {
            if self.collects_garbage() {
                self.account.collected = self.collect_garbage();
            }
            block = self.obtain(pool, stream, size, segment, may_use)?;
            if block.is_none() && self.release_available(pool, stream, size)? {
                block = self.obtain(pool, stream, size, segment, may_use)?;
            }
            if block.is_none() && !self.is_capturing() {
                let before = self.total;
                self.empty_cache();
                self.account.emptied = Some(before - self.total);
                self.counts.alloc_retries += 1;
                block = self.obtain(pool, stream, size, segment, may_use)?;
            }
        }
        let Some(block) = block else {
            let free = self.card.free();
            self.note(Action::OutOfMemory, free, size, stream, pool);
            self.counts.ooms += 1;
            return Err(Refusal::OutOfMemory);
        };
        Ok(Some(self.hand_out(block, requested, size)))
    }

    /// Takes a block back. It waits if other streams used it.
    pub fn free(&mut self, id: BlockId) {
        let block = &mut self.blocks[id];
        block.is_allocated = false;
        let (pool, size, address, requested, stream) =
            (block.pool, block.size, block.address, block.requested, block.stream);
        let waits = !block.uses.is_empty();
        self.sub(pool, Counted::Allocation, 1);
        self.sub(pool, Counted::AllocatedBytes, size);
        self.note(Action::FreeRequested, address, requested, stream, pool);
        if size >= self.settings.max_split {
            self.counts.oversize_allocations.sub(1);
        }
        if !waits {
            self.free_block(id);
        } else if self.is_capturing() {
            self.deferred.push(id);
        } else {
            self.insert_events(id);
        }
    }

    /// Another stream uses a block: it is free only after that stream has come so far.
    pub fn record_stream(&mut self, id: BlockId, stream: u64) {
        if stream != self.blocks[id].stream {
            self.blocks[id].uses.insert(stream);
            if self.is_capturing() {
                self.capture_uses.entry(id).or_default().insert(stream);
            }
        }
    }

    /// Sends requests to a private pool from now on.
    pub fn begin_pool(&mut self, number: u64) {
        match self.private.get_mut(&number) {
            Some(private) => private.uses += 1,
            None => {
                let first = self.pools.len();
                let pool = |is_small| Pool { is_small, private: Some(number), ..Pool::default() };
                self.pools.extend([pool(true), pool(false)]);
                self.private.insert(number, Private { small: first, large: first + 1, uses: 1, held: 0 });
            }
        }
        self.routes.push(number);
    }

    /// Sends requests to a private pool no more.
    pub fn end_pool(&mut self, number: u64) {
        if let Some(at) = self.routes.iter().position(|&route| route == number) {
            self.routes.remove(at);
        }
    }

    /// A user of a private pool needs it no more.
    pub fn release_pool(&mut self, number: u64) {
        let Some(private) = self.private.get_mut(&number) else { return };
        private.uses = private.uses.saturating_sub(1);
        if private.uses == 0 && !self.freeable.contains(&number) {
            self.freeable.push(number);
        }
    }

    /// No user needs a private pool any more.
    pub fn leave_pool(&mut self, number: u64) {
        if let Some(private) = self.private.get_mut(&number) {
            private.uses = 1;
            self.release_pool(number);
        }
    }

    /// The current stream begins or ends to capture a graph.
    pub fn set_capture(&mut self, captures: bool) {
        self.captures = captures;
    }

    /// Whether a graph is being captured, as far as the version knows.
    pub(super) fn is_capturing(&self) -> bool {
        if self.settings.version.pool_means_capture() { !self.routes.is_empty() } else { self.captures }
    }

    /// First byte of a block.
    pub fn address(&self, id: BlockId) -> u64 {
        self.blocks[id].address
    }

    /// Bytes of a block.
    pub fn size(&self, id: BlockId) -> u64 {
        self.blocks[id].size
    }

    /// First byte and bytes of the address range of the expandable segment that an address lies in.
    pub fn expandable_range(&self, address: u64) -> Option<(u64, u64)> {
        let holds = |range: &&Range| range.address <= address && address - range.address < range.size;
        self.ranges.iter().rev().find(holds).map(|range| (range.address, range.size))
    }

    /// The free blocks that a request of so many bytes looks among, in the allocator's own order:
    /// those of the pool and the stream.
    pub fn free_blocks(&self, requested: u64, stream: u64) -> impl Iterator<Item = FreeBlock> + '_ {
        let pool = &self.pools[self.pool_for(self.settings.round(requested))];
        let own = pool.free.range(Key::from(stream, 0)..).take_while(move |(key, _)| key.stream == stream);
        own.map(|(key, _)| FreeBlock { address: key.address, size: key.size, stream: key.stream })
    }

    /// Bytes of the largest free block of the pool that a request of so many bytes would use.
    pub fn largest_free(&self, requested: u64, stream: u64) -> u64 {
        self.free_blocks(requested, stream).last().map_or(0, |block| block.size)
    }

    /// What a snapshot shows, by address.
    pub fn segments(&self) -> Vec<Segment> {
        let is_first = |block: &Block| block.is_mapped && block.prev.is_none_or(|prev| !self.blocks[prev].is_mapped);
        let mut segments: Vec<Segment> =
            self.blocks.ids().filter(|&id| is_first(&self.blocks[id])).map(|id| self.segment_from(id)).collect();
        segments.sort_unstable_by_key(|segment| segment.address);
        segments
    }

    /// The run of mapped blocks that begins with this one.
    fn segment_from(&self, first: BlockId) -> Segment {
        let &Block { address, stream, pool, range, .. } = &self.blocks[first];
        let mut blocks = Vec::new();
        let mut next = Some(first);
        while let Some(block) = next.map(|id| &self.blocks[id]).filter(|block| block.is_mapped) {
            let state = match () {
                () if block.is_allocated => BlockState::Allocated,
                () if block.is_busy() => BlockState::Waiting,
                () => BlockState::Free,
            };
            let requested = if state == BlockState::Free { 0 } else { block.requested };
            blocks.push(SegmentBlock { size: block.size, requested, state });
            next = block.next;
        }
        let size = blocks.iter().map(|block| block.size).sum();
        let Pool { is_small, private, .. } = self.pools[pool];
        Segment { address, size, stream, is_large: !is_small, is_expandable: range.is_some(), private, blocks }
    }

    /// The pool for a rounded size.
    fn pool_for(&self, size: u64) -> usize {
        let is_small = size <= SMALL_SIZE;
        match self.routes.last().and_then(|route| self.private.get(route)) {
            Some(private) if is_small => private.small,
            Some(private) => private.large,
            None if is_small => SMALL,
            None => LARGE,
        }
    }

    /// Whether cached segments are given back before new memory is obtained.
    pub(super) fn collects_garbage(&self) -> bool {
        self.limit.is_some() && self.settings.garbage_collection > 0.0
    }

    /// Takes the smallest free block that fits, unless a rule on large blocks refuses it
    /// (`get_free_block`).
    fn find_free(&mut self, pool: usize, stream: u64, size: u64, may_use: MayUse) -> Option<BlockId> {
        if self.collects_garbage() {
            self.pools[pool].calls += 1;
        }
        let found = self.smallest(pool, stream, size, may_use)?;
        let found_size = self.blocks[found].size;
        let is_large = size >= self.settings.max_split;
        if !is_large && found_size >= self.settings.max_split {
            self.account.search = Search::Oversize(found_size);
            return None;
        }
        if is_large && found_size >= size.saturating_add(self.settings.max_non_split_rounding) {
            self.account.search = Search::Wasteful(found_size);
            return None;
        }
        self.account.search = Search::Found(found_size);
        self.take_out(found);
        Some(found)
    }

    fn smallest(&self, pool: usize, stream: u64, size: u64, may_use: MayUse) -> Option<BlockId> {
        let all = self.pools[pool].free.range(Key::from(stream, size)..);
        let own = all.take_while(|(key, _)| key.stream == stream);
        let mut fitting = own.filter(|(key, _)| may_use(key.address, size)).map(|(_, &id)| id);
        let is_expandable = |id: BlockId| self.blocks[id].range.is_some();
        let mut found = fitting.next()?;
        if !is_expandable(found) {
            return Some(found);
        }
        if !self.settings.expandable {
            return fitting.find(|&id| !is_expandable(id));
        }
        // The free end of an expandable segment counts as large as it can grow. The walk stops at
        // the first successor that is not better.
        for next in fitting {
            if !is_expandable(found) || self.reach(next) >= self.reach(found) {
                break;
            }
            found = next;
        }
        Some(found)
    }

    /// Bytes of a block with the part behind it that can be mapped.
    fn reach(&self, id: BlockId) -> u64 {
        let block = &self.blocks[id];
        let behind = block.next.map(|next| &self.blocks[next]).filter(|next| !next.is_mapped);
        block.size + behind.map_or(0, |next| next.size)
    }

    /// Splits a block if its rest is worth it, and marks it allocated (`alloc_found_block`).
    fn hand_out(&mut self, found: BlockId, requested: u64, size: u64) -> BlockId {
        let &Block { pool, range, size: found_size, address, stream, born, prev, .. } = &self.blocks[found];
        let was_split = self.blocks[found].is_split();
        let rest = found_size - size;
        self.account.block = found_size;
        let mut id = found;
        if self.should_split(pool, size, rest) {
            self.account.rest = rest;
            let born = self.number_of(Some(born));
            let front = Block {
                pool,
                stream,
                address,
                size,
                prev,
                next: Some(found),
                is_mapped: true,
                range,
                born,
                ..Block::default()
            };
            id = self.blocks.push(front);
            if let Some(prev) = prev {
                self.blocks[prev].next = Some(id);
            }
            let behind = &mut self.blocks[found];
            behind.prev = Some(id);
            behind.address += size;
            behind.size = rest;
            self.insert_free(found);
            if range.is_none() && was_split {
                self.sub(pool, Counted::InactiveSplitBytes, size);
            } else if range.is_none() {
                self.add(pool, Counted::InactiveSplitBytes, rest);
                self.add(pool, Counted::InactiveSplit, 1);
            }
        } else if was_split && range.is_none() {
            self.sub(pool, Counted::InactiveSplitBytes, found_size);
            self.sub(pool, Counted::InactiveSplit, 1);
        }
        let block = &mut self.blocks[id];
        (block.is_allocated, block.requested) = (true, requested);
        let (address, size) = (block.address, block.size);
        self.note(Action::Alloc, address, requested, stream, pool);
        self.count_handed_out(pool, size, requested);
        id
    }

    /// Counts a block that is in use from now on.
    pub(super) fn count_handed_out(&mut self, pool: usize, size: u64, requested: u64) {
        self.add(pool, Counted::Allocation, 1);
        self.add(pool, Counted::AllocatedBytes, size);
        self.add(pool, Counted::Active, 1);
        self.add(pool, Counted::ActiveBytes, size);
        self.add(pool, Counted::RequestedBytes, requested);
        if size >= self.settings.max_split {
            self.counts.oversize_allocations.add(1);
        }
    }

    fn should_split(&self, pool: usize, size: u64, rest: u64) -> bool {
        if self.pools[pool].is_small || self.settings.expandable {
            rest >= MIN_BLOCK
        } else {
            size < self.settings.max_split && rest > SMALL_SIZE
        }
    }

    /// Makes a block free and joins it with free neighbours.
    fn free_block(&mut self, id: BlockId) {
        let &Block { pool, size, address, requested, stream, range, prev, next, .. } = &self.blocks[id];
        self.note(Action::FreeCompleted, address, requested, stream, pool);
        let (mut pieces, mut bytes) = (0i64, 0i64);
        for other in [prev, next].into_iter().flatten() {
            let joined = self.merge(id, other);
            pieces -= i64::from(joined > 0);
            bytes -= joined as i64;
        }
        self.insert_free(id);
        if self.blocks[id].is_split() {
            pieces += 1;
            bytes += self.blocks[id].size as i64;
        }
        if range.is_none() {
            let is_small = self.pools[pool].is_small;
            self.counts.change(is_small, Counted::InactiveSplit, pieces);
            self.counts.change(is_small, Counted::InactiveSplitBytes, bytes);
        }
        self.sub(pool, Counted::Active, 1);
        self.sub(pool, Counted::ActiveBytes, size);
        self.sub(pool, Counted::RequestedBytes, requested);
    }

    /// Joins a neighbour that is not busy and mapped alike into a block; returns the bytes it had,
    /// or 0 (`try_merge_blocks`).
    pub(super) fn merge(&mut self, id: BlockId, other: BlockId) -> u64 {
        let (block, gone) = (&self.blocks[id], &self.blocks[other]);
        if gone.is_busy() || gone.is_mapped != block.is_mapped {
            return 0;
        }
        let is_before = block.prev == Some(other);
        let (size, address, prev, next) = (gone.size, gone.address, gone.prev, gone.next);
        if gone.is_mapped {
            self.take_out(other)
        } else {
            self.take_out_unmapped(other)
        }
        let block = &mut self.blocks[id];
        block.size += size;
        if is_before {
            (block.address, block.prev) = (address, prev);
            if let Some(prev) = prev {
                self.blocks[prev].next = Some(id);
            }
        } else {
            block.next = next;
            if let Some(next) = next {
                self.blocks[next].prev = Some(id);
            }
        }
        self.blocks.drop(other);
        size
    }

    /// Puts a block among the free ones of its pool.
    pub(super) fn insert_free(&mut self, id: BlockId) {
        let pool = &mut self.pools[self.blocks[id].pool];
        self.blocks[id].age_base = pool.calls;
        let key = self.blocks[id].key();
        pool.free.insert(key, id);
        self.report(true, key);
    }

    pub(super) fn take_out(&mut self, id: BlockId) {
        let block = &self.blocks[id];
        let key = block.key();
        self.pools[block.pool].free.remove(&key);
        self.report(false, key);
    }

    fn report(&mut self, enters: bool, Key { stream, size, address, .. }: Key) {
        if let Some(changes) = &mut self.changes {
            changes.push(FreeChange { enters, block: FreeBlock { address, size, stream } });
        }
    }

    pub(super) fn insert_unmapped(&mut self, id: BlockId) {
        let block = &self.blocks[id];
        self.pools[block.pool].unmapped.insert((block.stream, block.address), id);
    }

    pub(super) fn take_out_unmapped(&mut self, id: BlockId) {
        let block = &self.blocks[id];
        self.pools[block.pool].unmapped.remove(&(block.stream, block.address));
    }

    /// What decides between equal sizes before the address does, for a new block; `segment` is the
    /// number of its segment, none if that is new.
    pub(super) fn number_of(&mut self, segment: Option<u64>) -> u64 {
        match (self.settings.version.ties(), segment) {
            (Ties::Address, _) => 0,
            (Ties::Segment, Some(number)) => number,
            _ => {
                self.made += 1;
                self.made
            }
        }
    }

    pub(super) fn note(&mut self, action: Action, address: u64, size: u64, stream: u64, pool: usize) {
        let private = self.pools[pool].private;
        self.trace.push(Done { action, address, size, stream, private });
    }

    pub(super) fn add(&mut self, pool: usize, what: Counted, more: u64) {
        self.counts.add(self.pools[pool].is_small, what, more);
    }

    pub(super) fn sub(&mut self, pool: usize, what: Counted, less: u64) {
        self.counts.sub(self.pools[pool].is_small, what, less);
    }

    /// Makes a block wait for the streams that used it.
    fn insert_events(&mut self, id: BlockId) {
        for stream in std::mem::take(&mut self.blocks[id].uses) {
            let event = self.card.record(stream);
            self.blocks[id].events += 1;
            self.pending.entry(stream).or_default().push_back((event, id));
        }
    }

    /// Looks at what was freed during a capture.
    fn flush_deferred(&mut self) {
        for id in std::mem::take(&mut self.deferred) {
            if let Some(captured) = self.capture_uses.remove(&id) {
                self.blocks[id].uses.retain(|stream| !captured.contains(stream));
            }
            self.insert_events(id);
            if self.blocks[id].events == 0 {
                self.free_block(id);
            }
        }
    }

    /// Frees blocks whose streams have come far enough. The next request does so before all else;
    /// during a capture nothing is done.
    pub fn process_events(&mut self) {
        if self.is_capturing() {
            return;
        }
        self.flush_deferred();
        let streams: Vec<u64> = self.pending.keys().copied().collect();
        for stream in streams {
            while let Some(&(event, id)) = self.pending.get(&stream).and_then(VecDeque::front) {
                if !self.card.is_done(stream, event) {
                    break;
                }
                self.pending.get_mut(&stream).map(VecDeque::pop_front);
                self.finish(id);
            }
        }
        self.pending.retain(|_, queue| !queue.is_empty());
    }

    /// Waits for all events.
    pub(super) fn synchronize(&mut self) {
        self.counts.sync_all_streams += 1;
        self.flush_deferred();
        for (stream, queue) in std::mem::take(&mut self.pending) {
            for (event, id) in queue {
                self.card.wait(stream, event);
                self.finish(id);
            }
        }
    }

    fn finish(&mut self, id: BlockId) {
        self.blocks[id].events -= 1;
        if self.blocks[id].events == 0 {
            self.free_block(id);
        }
    }
}
