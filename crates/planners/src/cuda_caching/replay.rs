//! A recording, call by call, through an allocator.

use super::allocator::{Allocator, BlockState, Refusal};
use super::blocks::BlockId;
use super::card::{Addresses, Card};
use super::settings::Settings;
use memplan_core::problem::{Call, RecordedCall, Recording};

/// A recording that is played to an allocator with settings of its own.
#[derive(Clone, Debug)]
pub struct Replay<'a> {
    /// The allocator, in the state after the last call.
    pub allocator: Allocator,
    recording: &'a Recording,
    /// The block of each allocation.
    live: Vec<Option<BlockId>>,
    next: usize,
}

/// The memory that the process could have, as far as a recording shows it: what a request that
/// failed states, else less than what a request needed for which the cache was given back.
pub(super) fn recorded_card(recording: &Recording) -> Option<u64> {
    let stated = recording.failed.iter().filter_map(|failed| failed.within_reach);
    let least = stated.chain(recording.retried.map(|bytes| bytes.saturating_sub(1))).min();
    least.map(|bytes| bytes.max(recording.reserved))
}

/// An allocator that holds what a recording held at first, and the block of each allocation that
/// was in use. Its card hands out the recorded addresses as long as the sizes agree. `keeps`: what
/// becomes of free blocks is kept from the start.
pub(super) fn loaded(
    recording: &Recording,
    recorded: &Settings,
    settings: Settings,
    total: u64,
    keeps: bool,
) -> (Allocator, Vec<(u32, BlockId)>) {
    let mut card = Card::new(total, Addresses::Up);
    let held = recording.held.iter().map(|held| held.address.saturating_add(held.size));
    let segments = recording.segments.iter().map(|&(address, size)| address.saturating_add(size));
    let maps = recording.maps.iter().map(|&address| address.saturating_add(total).saturating_add(total / 4));
    let above = held.chain(segments).chain(maps).max().unwrap_or(0);
    // Real cards have 2^48 addresses; those of a damaged file leave room above them, too.
    card.follow(recording.segments.iter().copied(), recording.maps.clone(), above.min(1 << 60));
    let mut allocator = Allocator::new(card, settings);
    allocator.changes = keeps.then(Vec::new);
    let live = allocator.load(recording, recorded);
    (allocator, live)
}

/// What came of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Came {
    /// An allocation got this block.
    Block(BlockId),
    /// An allocation got nothing.
    Refused(Refusal),
    /// An allocation that failed in the recording got a block here, which was given back at once:
    /// what the program would have done with it is not recorded.
    Unexpected,
    /// Another call, or a request of 0 bytes.
    Nothing,
}

impl<'a> Replay<'a> {
    /// A replay on a card of `total` bytes. What the recording held at first, with the settings
    /// `recorded`, is there even if the card has less.
    pub fn new(recording: &'a Recording, recorded: &Settings, settings: Settings, total: u64) -> Replay<'a> {
        let (allocator, held) = loaded(recording, recorded, settings, total, false);
        let mut live = vec![None; recording.owners.len()];
        for (id, block) in held {
            live[id as usize] = Some(block);
        }
        Replay { allocator, recording, live, next: 0 }
    }

    /// The block of an allocation that is in use.
    fn block(&self, id: u32) -> Option<BlockId> {
        self.live.get(id as usize).copied().flatten()
    }

    /// Number and bytes of each allocation that is in use.
    pub fn in_use(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        (0..).zip(&self.live).filter_map(|(id, block)| Some((id, self.allocator.size((*block)?))))
    }

    /// The call that comes next.
    pub fn call(&self) -> Option<RecordedCall> {
        self.recording.calls.get(self.next).copied()
    }

    /// Leaves the next call out.
    pub fn pass(&mut self) {
        self.next += 1;
    }

    /// Makes the next call; none after the last one.
    pub fn step(&mut self) -> Option<(RecordedCall, Came)> {
        let call = self.call()?;
        self.next += 1;
        Some((call, self.make(call)))
    }

    fn make(&mut self, RecordedCall { call, address, .. }: RecordedCall) -> Came {
        match call {
            Call::Alloc { id, bytes, stream } => {
                return match self.allocator.malloc(bytes, stream) {
                    Ok(None) => Came::Nothing,
                    Ok(Some(block)) if address.is_none() => {
                        self.allocator.free(block);
                        Came::Unexpected
                    }
                    Ok(Some(block)) => {
                        self.live[id as usize] = Some(block);
                        Came::Block(block)
                    }
                    Err(refusal) => Came::Refused(refusal),
                };
            }
            Call::Free { id } => {
                if let Some(block) = self.live[id as usize].take() {
                    self.allocator.free(block);
                }
            }
            Call::RecordStream { id, stream } => {
                if let Some(block) = self.block(id) {
                    self.allocator.record_stream(block, stream);
                }
            }
            Call::Complete { stream } => self.allocator.card.complete(stream),
            Call::EmptyCache => self.allocator.empty_cache(),
            Call::BeginPool { pool } => self.allocator.begin_pool(pool),
            Call::EndPool { pool } => self.allocator.end_pool(pool),
            Call::ReleasePool { pool } => self.allocator.leave_pool(pool),
            Call::EmptyPool { pool } => self.allocator.empty_pool(pool),
        }
        Came::Nothing
    }
}

/// How far a replay with the recorded settings agrees with the recording.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Fidelity {
    /// Recorded requests.
    pub requests: u64,
    /// Those that got the recorded address, or failed as recorded.
    pub equal: u64,
    /// Recorded requests that failed.
    pub failures: u64,
    /// Those that fail again.
    pub equal_failures: u64,
    /// Step of the first one that did not, with the recorded and the other address; none is a
    /// request that failed.
    pub first_difference: Option<Difference>,
    /// Recorded segments at the end.
    pub segments: u64,
    /// Those that the replay ends with, block by block.
    pub equal_segments: u64,
    /// Segments that the replay ends with.
    pub own_segments: u64,
}

/// A request that parts a replay from its recording.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Difference {
    /// Step of the problem: number of the event.
    pub step: u32,
    /// Bytes asked for.
    pub bytes: u64,
    /// The recorded address; none if the request failed.
    pub recorded: Option<u64>,
    /// The address of the replay; none if the request failed.
    pub replayed: Option<u64>,
}

impl Fidelity {
    /// Whether nothing differs.
    pub fn is_whole(&self) -> bool {
        self.equal == self.requests && self.equal_segments == self.segments && self.own_segments == self.segments
    }
}

/// Replays a recording with the settings that it was made with, on a card of `total` bytes.
pub fn fidelity(recording: &Recording, settings: &Settings, total: u64) -> Fidelity {
    let mut replay = Replay::new(recording, settings, settings.clone(), total);
    let mut fidelity = Fidelity::default();
    while let Some((call, came)) = replay.step() {
        replay.allocator.trace.clear();
        let Call::Alloc { bytes, .. } = call.call else { continue };
        fidelity.requests += 1;
        let replayed = if let Came::Block(block) = came { Some(replay.allocator.address(block)) } else { None };
        let is_equal = replayed == call.address && came != Came::Unexpected;
        fidelity.equal += u64::from(is_equal);
        fidelity.failures += u64::from(call.address.is_none());
        fidelity.equal_failures += u64::from(is_equal && call.address.is_none());
        if !is_equal && fidelity.first_difference.is_none() {
            let recorded = call.address;
            fidelity.first_difference = Some(Difference { step: call.step, bytes, recorded, replayed });
        }
    }
    let own = replay.allocator.segments();
    let blocks = |at: usize| own[at].blocks.iter().map(|block| (block.size, block.state != BlockState::Free));
    fidelity.segments = recording.last.len() as u64;
    fidelity.own_segments = own.len() as u64;
    for segment in &recording.last {
        let at = own.binary_search_by_key(&segment.address, |own| own.address);
        let is_equal = at.is_ok_and(|at| blocks(at).eq(segment.blocks.iter().copied()));
        fidelity.equal_segments += u64::from(is_equal);
    }
    fidelity
}
