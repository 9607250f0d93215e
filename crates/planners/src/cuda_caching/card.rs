//! The card below the allocator: how much memory it has, which addresses it hands out, and which
//! events of its streams have finished.

use std::collections::{BTreeMap, VecDeque};

use super::settings::MIB;

/// Multiple that every range of addresses begins at.
const GRAIN: u64 = 2 * MIB;

/// Where addresses begin that go up, and end that go down.
const LOW: u64 = 1 << 32;
const HIGH: u64 = 1 << 48;

/// Which addresses a card hands out. Real ones have a rule of their own, which is not documented.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Addresses {
    /// From 2^32 upwards, none twice.
    Up,
    /// From 2^48 downwards, none twice.
    Down,
    /// The lowest gap at or above 2^32.
    Reuse,
}

/// Addresses that a recording holds: handed out again as long as the sizes agree.
#[derive(Clone, Debug, Default)]
struct Script {
    /// Address and bytes of each segment, in the order in which they were obtained.
    segments: VecDeque<(u64, u64)>,
    /// Where each piece of an expandable segment was mapped.
    maps: Vec<u64>,
}

/// A card. Sizes in bytes.
#[derive(Clone, Debug)]
pub struct Card {
    /// All memory.
    pub total: u64,
    /// What other processes hold.
    pub other: u64,
    /// Requests for memory that failed.
    pub failed: u64,
    used: u64,
    addresses: Addresses,
    up: u64,
    down: u64,
    /// Address and bytes of what is in use.
    ranges: BTreeMap<u64, u64>,
    script: Script,
    /// Events recorded and finished on each stream.
    streams: BTreeMap<u64, (u64, u64)>,
}

impl Card {
    /// A card of `total` bytes that nobody else uses.
    pub fn new(total: u64, addresses: Addresses) -> Card {
        Card {
            total,
            other: 0,
            failed: 0,
            used: 0,
            addresses,
            up: LOW,
            down: HIGH,
            ranges: BTreeMap::new(),
            script: Script::default(),
            streams: BTreeMap::new(),
        }
    }

    /// Hands out recorded addresses first: `segments` with their bytes in order, and for expandable
    /// segments those of `maps`. Others begin at `above`.
    pub fn follow(&mut self, segments: impl IntoIterator<Item = (u64, u64)>, maps: Vec<u64>, above: u64) {
        self.script = Script { segments: segments.into_iter().collect(), maps };
        self.up = self.up.max(above.next_multiple_of(GRAIN));
    }

    /// Bytes that nobody holds.
    pub fn free(&self) -> u64 {
        self.total.saturating_sub(self.used).saturating_sub(self.other)
    }

    /// Takes memory; false if there is not enough.
    pub fn take(&mut self, bytes: u64) -> bool {
        let has_room = bytes <= self.free();
        if has_room {
            self.used += bytes;
        } else {
            self.failed += 1;
        }
        has_room
    }

    /// Counts memory that a recording held before it began, however little the card has.
    pub(super) fn take_held(&mut self, bytes: u64) {
        self.used = self.used.saturating_add(bytes);
    }

    /// Gives memory back.
    pub fn give(&mut self, bytes: u64) {
        self.used = self.used.saturating_sub(bytes);
    }

    /// Returns the address of a new range; none if the addresses are used up.
    pub fn place(&mut self, bytes: u64) -> Option<u64> {
        let size = bytes.checked_next_multiple_of(GRAIN)?;
        let recorded = self.recorded(bytes);
        let address = match self.addresses {
            _ if recorded.is_some() => recorded?,
            Addresses::Up => {
                let address = self.up;
                self.up = self.up.checked_add(size)?;
                address
            }
            Addresses::Down => {
                self.down = self.down.checked_sub(size)?;
                self.down
            }
            Addresses::Reuse => {
                let mut address = LOW;
                for (&start, &length) in &self.ranges {
                    if start >= address && start - address >= size {
                        break;
                    }
                    address = start + length;
                }
                address
            }
        };
        address.checked_add(size)?;
        self.ranges.insert(address, size);
        Some(address)
    }

    /// The recorded address of a range of so many bytes, if the recording has one to give.
    fn recorded(&mut self, bytes: u64) -> Option<u64> {
        if self.script.segments.front().is_some_and(|&(_, size)| size == bytes) {
            return self.script.segments.pop_front().map(|(address, _)| address);
        }
        // Only the address range of an expandable segment is larger than the card.
        let is_reservation = bytes > self.total;
        let is_inside = |at: u64| {
            self.ranges.range(..=at).next_back().is_some_and(|(&start, &size)| at < start.saturating_add(size))
        };
        self.script.maps.iter().copied().find(|&at| is_reservation && !is_inside(at))
    }

    /// Counts a range as used that a recording held before it began.
    pub(super) fn hold(&mut self, address: u64, bytes: u64) {
        self.ranges.insert(address, bytes);
    }

    /// Gives a range of addresses back.
    pub fn leave(&mut self, address: u64) {
        self.ranges.remove(&address);
    }

    /// Records an event on a stream and returns its number there.
    pub fn record(&mut self, stream: u64) -> u64 {
        let (recorded, _) = self.streams.entry(stream).or_default();
        *recorded += 1;
        *recorded
    }

    /// Whether an event has finished.
    pub fn is_done(&self, stream: u64, event: u64) -> bool {
        self.streams.get(&stream).is_some_and(|&(_, finished)| event <= finished)
    }

    /// Waits for an event: it and all before it on its stream have finished.
    pub fn wait(&mut self, stream: u64, event: u64) {
        let (_, finished) = self.streams.entry(stream).or_default();
        *finished = (*finished).max(event);
    }

    /// All events recorded so far on a stream have finished.
    pub fn complete(&mut self, stream: u64) {
        let (recorded, finished) = self.streams.entry(stream).or_default();
        *finished = *recorded;
    }
}
