//! What another setting, or another card, would have done to a recorded program.
//!
//! The calls are repeated as they were recorded: the program is taken to behave the same, whatever
//! the settings. After a request that fails nothing more is known of it, so a run ends there.

use std::collections::BTreeMap;

use super::allocator::Refusal;
use super::counts::Counted;
use super::replay::{Came, Fidelity, Replay, fidelity, recorded_card};
use super::settings::{MIB, Settings, SettingsError, Version, pairs};
use super::{CudaCaching, settings_fault};
use crate::OptionKind;
use memplan_core::base::Message;
use memplan_core::problem::{Call, RecordedCall, Recording};
use serde::{Deserialize, Serialize};

/// Memory of a card that never runs out, in bytes.
const ENDLESS: u64 = 1 << 42;

/// Most moments that a curve has.
const MOMENTS: usize = 400;

/// Changes of settings that are tried unless others are named. Garbage collection is not among
/// them: it does nothing unless the process is limited to a part of the card.
const USUAL: [&str; 11] = [
    "expandable_segments:True",
    "large_segment_size_mb:12",
    "large_segment_size_mb:64",
    "large_segment_size_mb:12,expandable_segments:True",
    "roundup_power2_divisions:4",
    "roundup_power2_divisions:8",
    "roundup_power2_divisions:8,expandable_segments:True",
    "max_split_size_mb:20",
    "max_split_size_mb:64",
    "max_split_size_mb:256",
    "max_split_size_mb:64,roundup_power2_divisions:8",
];

/// A version of each set of rules, the newest first.
const RULES: [Version; 4] =
    [Version::NEWEST, Version { major: 2, minor: 12 }, Version { major: 2, minor: 11 }, Version { major: 2, minor: 9 }];

/// A recorded program with the settings that it ran with.
#[derive(Clone, Debug)]
pub struct WhatIf<'a> {
    recording: &'a Recording,
    recorded: Settings,
}

/// What a change of the settings leads to. Sizes in bytes.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Measured {
    /// Most bytes obtained from a card that never runs out.
    pub reserved: u64,
    /// Most bytes of allocated blocks.
    pub allocated: u64,
    /// Step at which they are allocated.
    pub allocated_step: u32,
    /// Most bytes that were obtained and not allocated, just after a request.
    pub gap: u64,
    /// How often memory was obtained from the card: `cudaMalloc`, or a map of an expandable
    /// segment.
    pub obtained: u64,
    /// What happens on the card that was asked for.
    pub on_card: Option<OnCard>,
    /// Bytes of the smallest card on which the program runs, in whole MiB.
    pub smallest: Option<u64>,
    /// Step, bytes obtained and bytes allocated; of a stretch of steps the largest. On the card if
    /// one was asked for.
    pub curve: Vec<(u32, u64, u64)>,
}

/// How a program runs on a card. Sizes in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct OnCard {
    /// How often memory was obtained.
    pub obtained: u64,
    /// How often memory was given back.
    pub given: u64,
    /// The request at which it ended; none if it runs.
    pub stop: Option<Stop>,
    /// The first request that failed in the recording and was left out, because it is larger than
    /// any card that is asked about.
    pub left_out: Option<LeftOut>,
}

/// A request that is left out. Sizes in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LeftOut {
    /// Step of the problem: number of the event.
    pub step: u32,
    /// Bytes asked for, rounded.
    pub bytes: u64,
}

/// What is allocated when most is, under the recorded settings on a card that never runs out. Sizes
/// in bytes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AtPeak {
    /// Step at which most bytes are allocated.
    pub step: u32,
    /// Bytes of allocated blocks.
    pub allocated: u64,
    /// Bytes of blocks that the program gave back, but other streams may still use.
    pub waiting: u64,
    /// Number of each allocation with the bytes of its block: together what is allocated.
    pub blocks: Vec<(u32, u64)>,
}

/// A request that fails. Sizes in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Stop {
    /// Step of the problem: number of the event.
    pub step: u32,
    /// Number of its allocation.
    pub id: u32,
    /// Bytes asked for.
    pub bytes: u64,
    /// Its rounded size.
    pub rounded: u64,
    /// What was asked of the card for it.
    pub segment: u64,
    /// What was given back before it failed.
    pub given: u64,
    /// What the card had left in the end.
    pub free: u64,
    /// Bytes obtained in the end.
    pub reserved: u64,
    /// Bytes of allocated blocks.
    pub allocated: u64,
    /// The largest free block that the request may use.
    pub largest: u64,
    /// Whether it failed in the recording too.
    pub is_recorded: bool,
}

/// What a run shows.
#[derive(Default)]
struct Ran {
    reserved: u64,
    allocated: u64,
    allocated_step: u32,
    gap: u64,
    obtained: u64,
    given: u64,
    stop: Option<Stop>,
    left_out: Option<LeftOut>,
    curve: Vec<(u32, u64, u64)>,
}

impl<'a> WhatIf<'a> {
    /// A recorded program under the rules of a version of PyTorch, such as `2.12`; of the newest
    /// one if there is none.
    ///
    /// # Errors
    /// The text names no version, or the version does not take the recorded settings.
    pub fn new(recording: &'a Recording, version: Option<&str>) -> Result<WhatIf<'a>, Message> {
        let unknown = |text: &str| Message::new("whatif.no-version").text("version", text);
        let version = version.map(|text| Version::of(text).ok_or_else(|| unknown(text))).transpose()?;
        let version = version.unwrap_or(Version::NEWEST);
        let recorded = Settings::of(&recording.settings, version).map_err(|error| settings_fault(&error, version))?;
        Ok(WhatIf { recording, recorded })
    }

    /// The version whose rules hold.
    pub fn version(&self) -> String {
        self.recorded.version.to_string()
    }

    /// Repeats the recording with the settings that it was made with, and with the memory that the
    /// process had as far as that is known. If that differs, and the process could hold what it
    /// held on a card of `card` bytes, that card counts if more is equal on it.
    pub fn check(&self, card: Option<u64>) -> Fidelity {
        let on = |total: u64| fidelity(self.recording, &self.recorded, total);
        let first = on(self.recorded_card().unwrap_or_else(|| self.least_card()));
        let other = card.filter(|&card| !first.is_whole() && self.recorded.limit(card) >= self.recording.reserved);
        let rank = |fidelity: &Fidelity| (fidelity.is_whole(), fidelity.equal, fidelity.equal_segments);
        other.map(on).filter(|other| rank(other) > rank(&first)).unwrap_or(first)
    }

    /// The newest version of PyTorch under whose rules the replay is the recording; none if there
    /// is none, or it is the version whose rules hold.
    pub fn exact_version(&self, card: Option<u64>) -> Option<String> {
        let others = RULES.into_iter().filter(|&version| version != self.recorded.version);
        let exact = others.filter_map(|version| {
            let recorded = Settings::of(&self.recording.settings, version).ok()?;
            let other = WhatIf { recording: self.recording, recorded };
            other.check(card).is_whole().then(|| version.to_string())
        });
        exact.into_iter().next()
    }

    /// Bytes of the smallest card of whose memory the process may hold what it held.
    fn least_card(&self) -> u64 {
        let fraction = self.recorded.fraction;
        let reserved = self.recording.reserved;
        let card = if fraction < 1.0 { (reserved as f64 / fraction.max(1e-3)).ceil() as u64 + 1 } else { reserved };
        card.max(MIB)
    }

    /// The text of the recorded settings with a change: of a key that occurs twice the last value
    /// holds.
    pub fn text(&self, change: &str) -> String {
        let both = [self.recording.settings.trim(), change.trim()];
        both.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(",")
    }

    fn settings(&self, change: &str) -> Result<Settings, SettingsError> {
        Settings::of(&self.text(change), self.recorded.version)
    }

    /// The usual changes that change anything, in their order.
    pub fn usual(&self) -> Vec<String> {
        let off = self.recorded.expandable.then_some("expandable_segments:False");
        let all = off.into_iter().chain(USUAL);
        let differs = |change: &&str| self.settings(change).is_ok_and(|settings| settings != self.recorded);
        // What is on already is no part of a change.
        let is_news = |change: &&str| !self.recorded.expandable || !change.contains("expandable_segments:True");
        all.filter(differs).filter(is_news).map(str::to_string).collect()
    }

    /// The memory that the process could have, as far as the recording shows it: what a request
    /// that failed states, else less than what a request needed for which the cache was given back.
    pub fn recorded_card(&self) -> Option<u64> {
        recorded_card(self.recording)
    }

    /// Measures a change: on a card that never runs out, on a card of `card` bytes, and the
    /// smallest card.
    ///
    /// # Errors
    /// The allocator would not take the settings, or not survive them; or the card is smaller than
    /// what was held when the recording began.
    pub fn measure(&self, change: &str, card: Option<u64>) -> Result<Measured, Message> {
        let settings = self.settings(change).map_err(|error| settings_fault(&error, self.recorded.version))?;
        if let Some(card) = card.filter(|&card| settings.limit(card) < self.held()) {
            let held = self.held();
            return Err(if card < held {
                Message::new("whatif.held").bytes("held", held)
            } else {
                Message::new("whatif.held-part").bytes("held", held).bytes("limit", settings.limit(card))
            });
        }
        let known = card.or_else(|| self.recorded_card());
        if settings.fraction < 1.0 && known.is_none() {
            return Err(Message::new("fault.cuda-fraction"));
        }
        // What failed then and is larger than the whole card says nothing now.
        let largest = known.unwrap_or(0);
        let endless = self.run(&settings, ENDLESS, largest)?;
        let on_card = card.map(|card| self.run(&settings, card, largest)).transpose()?;
        let enough = card.filter(|_| on_card.as_ref().is_some_and(|ran| ran.stop.is_none()));
        let smallest = self.smallest(&settings, &endless, largest, enough)?;
        let curve = on_card.as_ref().map_or(&endless.curve, |ran| &ran.curve).clone();
        Ok(Measured {
            reserved: endless.reserved,
            allocated: endless.allocated,
            allocated_step: endless.allocated_step,
            gap: endless.gap,
            obtained: endless.obtained,
            on_card: on_card.map(|Ran { obtained, given, stop, left_out, .. }| OnCard {
                obtained,
                given,
                stop,
                left_out,
            }),
            smallest,
            curve,
        })
    }

    /// What is allocated when most is.
    ///
    /// # Errors
    /// The allocator would not survive the recorded settings.
    pub fn at_peak(&self) -> Result<AtPeak, Message> {
        let largest = self.recorded_card().unwrap_or(0);
        let Ran { allocated, allocated_step: step, .. } = self.run(&self.recorded, ENDLESS, largest)?;
        let mut replay = Replay::new(self.recording, &self.recorded, self.recorded.clone(), ENDLESS);
        while replay.allocator.counts.now(Counted::AllocatedBytes) < allocated {
            match replay.call() {
                None => break,
                Some(call) if is_left_out(&call, largest) => replay.pass(),
                Some(_) => _ = replay.step(),
            }
            replay.allocator.trace.clear();
        }
        let waiting = replay.allocator.counts.now(Counted::ActiveBytes).saturating_sub(allocated);
        Ok(AtPeak { step, allocated, waiting, blocks: replay.in_use().collect() })
    }

    /// Bytes that were held when the recording began.
    fn held(&self) -> u64 {
        self.recording.held.iter().fold(0, |sum, held| sum.saturating_add(held.size))
    }

    /// The smallest card in whole MiB on which all requests are served, and which has what was held
    /// at first. No run needs more than that, or than one on an endless card obtains, or than a
    /// card that is known to be enough; below it the size is halved, as if a larger card were never
    /// worse.
    fn smallest(
        &self,
        settings: &Settings,
        endless: &Ran,
        largest: u64,
        enough: Option<u64>,
    ) -> Result<Option<u64>, Message> {
        let runs = |mib: u64| -> Result<bool, Message> {
            let has_held = settings.limit(mib * MIB) >= self.held();
            Ok(has_held && self.run(settings, mib * MIB, largest)?.stop.is_none())
        };
        let most = endless.reserved.max(self.held());
        let mut high = (most as f64 / settings.fraction.max(1e-3)) as u64 / MIB + 1;
        let enough = enough.map(|card| card / MIB).filter(|&mib| mib < high);
        match enough {
            Some(mib) if runs(mib)? => high = mib,
            _ if runs(high)? => {}
            _ => return Ok(None),
        }
        let mut low = self.needed(settings, largest).max(self.held()).saturating_sub(1) / MIB;
        while high > low.saturating_add(1) {
            let middle = low + (high - low) / 2;
            if runs(middle)? { high = middle } else { low = middle }
        }
        Ok(Some(high * MIB))
    }

    /// Bytes that no card can do without: the most that is in use at a time, each request with its
    /// rounded size. A block may be larger than that on a card with more room: it is not split
    /// where its rest would be too small, or `max_split_size_mb` forbids it.
    fn needed(&self, settings: &Settings, largest: u64) -> u64 {
        let mut sizes = vec![0; self.recording.owners.len()];
        let mut now = 0u64;
        for block in &self.recording.blocks {
            sizes[block.id as usize] = block.requested;
            now = now.saturating_add(block.requested);
        }
        let mut most = now;
        for call in self.recording.calls.iter().filter(|call| !is_left_out(call, largest)) {
            match call.call {
                Call::Alloc { id, bytes, .. } if bytes > 0 => {
                    let size = settings.round(bytes);
                    most = most.max(now.saturating_add(size));
                    if call.address.is_some() {
                        sizes[id as usize] = size;
                        now = now.saturating_add(size);
                    }
                }
                Call::Free { id } => now = now.saturating_sub(std::mem::take(&mut sizes[id as usize])),
                _ => {}
            }
        }
        most
    }

    /// Repeats the calls on a card of `total` bytes, up to the first request that fails. Requests
    /// that failed in the recording and are above `largest` bytes are left out.
    fn run(&self, settings: &Settings, total: u64, largest: u64) -> Result<Ran, Message> {
        let mut replay = Replay::new(self.recording, &self.recorded, settings.clone(), total);
        let allocated = replay.allocator.counts.now(Counted::AllocatedBytes);
        let mut ran = Ran { reserved: self.held(), allocated, ..Ran::default() };
        if self.recording.is_cut() {
            ran.curve.push((0, ran.reserved, allocated));
        }
        let last = self.recording.calls.last().map_or(0, |call| call.step);
        let stretch = (last as usize / MOMENTS + 1) as u32;
        while let Some(call) = replay.call() {
            let (id, bytes, stream) = match call.call {
                Call::Alloc { id, bytes, stream } => (id, bytes, stream),
                _ => (0, 0, 0),
            };
            let is_request = bytes > 0;
            if is_left_out(&call, largest) {
                ran.left_out.get_or_insert(LeftOut { step: call.step, bytes });
                replay.pass();
                continue;
            }
            let before = replay.allocator.reserved();
            let came = replay.step().map_or(Came::Nothing, |(_, came)| came);
            replay.allocator.trace.clear();
            let counts = &replay.allocator.counts;
            let (reserved, allocated) = (counts.now(Counted::ReservedBytes), counts.now(Counted::AllocatedBytes));
            ran.reserved = ran.reserved.max(reserved);
            if allocated > ran.allocated {
                (ran.allocated, ran.allocated_step) = (allocated, call.step);
            }
            if is_request {
                ran.gap = ran.gap.max(reserved.saturating_sub(allocated));
            }
            match ran.curve.last_mut().filter(|(from, ..)| call.step - *from < stretch) {
                Some((_, most, used)) => (*most, *used) = ((*most).max(reserved), (*used).max(allocated)),
                None => ran.curve.push((call.step, reserved, allocated)),
            }
            match came {
                Came::Refused(Refusal::Breaks) => return Err(Message::new("fault.cuda-breaks")),
                Came::Refused(_) => {
                    let account = replay.allocator.account;
                    ran.stop = Some(Stop {
                        step: call.step,
                        id,
                        bytes,
                        rounded: account.rounded,
                        segment: account.segment,
                        given: before.saturating_sub(reserved),
                        free: replay.allocator.card.free(),
                        reserved,
                        allocated,
                        largest: replay.allocator.largest_free(bytes, stream),
                        is_recorded: call.address.is_none(),
                    });
                    break;
                }
                Came::Block(_) | Came::Unexpected | Came::Nothing => {}
            }
        }
        let counts = &replay.allocator.counts;
        (ran.obtained, ran.given) = (counts.device_allocs, counts.device_frees);
        Ok(ran)
    }
}

/// Whether a call failed in the recording and is above `largest` bytes: no card that is asked about
/// has so many.
fn is_left_out(call: &RecordedCall, largest: u64) -> bool {
    call.address.is_none() && matches!(call.call, Call::Alloc { bytes, .. } if bytes > largest)
}

/// Number of settings that a change names.
pub(super) fn settings_named(change: &str) -> usize {
    // Values in brackets have colons too, and no letters before them.
    change.split(',').filter(|part| part.trim_start().starts_with(|first: char| first.is_ascii_alphabetic())).count()
}

/// The planner that shows the plan of a change, by its id, and its options: those that the change
/// names, and the bytes of the card. A change that takes a recorded setting back cannot come on top
/// of it, so then the options stand for the recorded settings too, as far as there are such.
pub fn planned_as(recorded: &str, change: &str, card: Option<u64>) -> (&'static str, BTreeMap<String, String>) {
    let info = CudaCaching::INFO;
    let takes_back =
        ["expandable_segments:False", "throw_on_cudamalloc_oom:False"].iter().any(|off| change.contains(off));
    let text = if takes_back { format!("{recorded},{change}") } else { change.to_string() };
    let mut options = BTreeMap::new();
    for (key, value) in pairs(text.trim_start_matches(',')).unwrap_or_default() {
        let Some(spec) = info.options.iter().find(|spec| spec.key == key) else { continue };
        let value = value.to_string();
        let value = if matches!(spec.kind, OptionKind::Flag) { value.to_lowercase() } else { value };
        options.insert(key, value);
    }
    options.extend(card.map(|card| ("card".to_string(), card.to_string())));
    options.extend(takes_back.then(|| ("recorded".to_string(), "false".to_string())));
    let is_default = |key: &str, value: &str| info.options.iter().any(|spec| spec.key == key && spec.default == value);
    options.retain(|key, value| !is_default(key, value));
    (info.id, options)
}

/// The cheapest of several changes that run on the card asked for: the fewest settings, then the
/// smallest card; by its position.
pub fn cheapest<'m>(measured: impl IntoIterator<Item = (&'m str, Option<&'m Measured>)>) -> Option<usize> {
    let runs = measured.into_iter().enumerate().filter_map(|(at, (change, measured))| {
        let measured = measured?;
        measured.on_card.filter(|on_card| on_card.stop.is_none())?;
        Some(((settings_named(change), measured.smallest.unwrap_or(u64::MAX), at), at))
    });
    runs.min().map(|(_, at)| at)
}
