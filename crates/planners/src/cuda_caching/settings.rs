//! What PyTorch's text of settings (`PYTORCH_ALLOC_CONF`) says, by version, and the sizes that
//! follow from it.
//!
//! **From**: `c10/core/AllocatorConfig.cpp`, `c10/cuda/CUDAAllocatorConfig.cpp` and
//! `DeviceCachingAllocator::round_size`, `get_allocation_size`.

use std::fmt;

/// Bytes of a KiB, a MiB and a GiB count in these.
pub const MIB: u64 = 1 << 20;

/// Smallest block and granularity of blocks in bytes, `kMinBlockSize`.
pub const MIN_BLOCK: u64 = 512;

/// Largest rounded size of the small pool in bytes, `kSmallSize`.
pub const SMALL_SIZE: u64 = MIB;

/// Bytes of a segment of the small pool, and of a page of its expandable segments, `kSmallBuffer`.
pub const SMALL_BUFFER: u64 = 2 * MIB;

/// Requests of so many bytes or more get a segment of their own size, `kMinLargeAlloc`.
pub const MIN_LARGE_ALLOC: u64 = 10 * MIB;

/// Granularity of segments of their own size in bytes, `kRoundLarge`.
pub const ROUND_LARGE: u64 = 2 * MIB;

/// `max_split_size` of a text that does not name it.
pub const UNLIMITED: u64 = u64::MAX;

/// Number of intervals that `roundup_power2_divisions` can set one by one.
const INTERVALS: usize = 16;

/// A version of PyTorch, as far as the allocator differs: compared by its two first numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Version {
    /// The first number.
    pub major: u32,
    /// The second number.
    pub minor: u32,
}

impl Version {
    /// The newest version whose allocator was recorded.
    pub const NEWEST: Version = Version { major: 2, minor: 15 };

    /// Returns the version of a text such as `2.9.1` or `2.12`; none if it names no numbers.
    pub fn of(text: &str) -> Option<Version> {
        let mut parts = text.trim().split(['.', '+']);
        let major = parts.next()?.parse().ok()?;
        let minor = parts.next()?.parse().ok()?;
        Some(Version { major, minor })
    }

    fn is_before(self, minor: u32) -> bool {
        self < Version { major: 2, minor }
    }

    /// What decides between free blocks of equal size.
    pub fn ties(self) -> Ties {
        match self {
            _ if self.is_before(12) => Ties::Address,
            _ if self.is_before(13) => Ties::Block,
            _ => Ties::Segment,
        }
    }

    /// Whether a fraction of 1 set by a call is a limit.
    pub(super) fn full_fraction_is_a_limit(self) -> bool {
        self.is_before(10)
    }

    /// Whether `>` in a list of divisions overwrites the last size named before it.
    fn greater_includes_last(self) -> bool {
        self.is_before(10)
    }

    /// Whether a text that does not name `max_non_split_rounding_mb` leaves it as it was.
    fn keeps_non_split_rounding(self) -> bool {
        self.is_before(10)
    }

    /// Least number of `max_split_size_mb` and `max_non_split_rounding_mb`.
    fn least_mb(self) -> u64 {
        if self.is_before(10) { 21 } else { 20 }
    }

    /// Whether a request above the address range of an expandable segment fails at once.
    pub(super) fn checks_address_range(self) -> bool {
        !self.is_before(13)
    }

    /// Whether every use of a private pool counts as the capture of a graph.
    pub(super) fn pool_means_capture(self) -> bool {
        self.is_before(13)
    }

    /// Whether the version knows a key.
    fn knows(self, key: &str) -> bool {
        match key {
            "large_segment_size_mb" | "per_process_memory_fraction" => !self.is_before(10),
            "throw_on_cudamalloc_oom" => !self.is_before(12),
            _ => true,
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// What decides between free blocks of one stream and equal size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ties {
    /// The lowest address: up to 2.11.
    Address,
    /// The oldest block object, then the lowest address: 2.12.
    Block,
    /// The oldest segment, then the lowest address: from 2.13 on.
    Segment,
}

/// A text of settings that the allocator refuses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SettingsError {
    /// The key that is unknown or has a value that is not allowed; or the text where its form
    /// breaks.
    pub at: String,
}

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: not a setting of the allocator, or not a value that it takes", self.at)
    }
}

impl std::error::Error for SettingsError {}

/// The settings in force. A later text first resets `max_split_size_mb`,
/// `max_non_split_rounding_mb`, `roundup_power2_divisions` and `garbage_collection_threshold`; of
/// the others it changes those that it names.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// The version whose rules hold.
    pub version: Version,
    /// Bytes of a segment for requests above 1 MiB and below 10 MiB, and of a page of large
    /// expandable segments.
    pub large_segment: u64,
    /// Blocks of so many bytes or more are never split; [`UNLIMITED`] if not set.
    pub max_split: u64,
    /// Bytes by which such a block may be larger than a request that it is given to.
    pub max_non_split_rounding: u64,
    /// Part of the limit above which cached segments are given back; 0 is off.
    pub garbage_collection: f64,
    /// Divisions of the interval from 2^k MiB on, for k from 0; 0 and 1 round to 512 bytes.
    pub divisions: [u64; INTERVALS],
    /// Whether new memory comes from expandable segments.
    pub expandable: bool,
    /// Whether a request that the card could never hold is refused before it is tried.
    pub rejects: bool,
    /// Part of the card that the process may use, read once when the allocator is made.
    pub fraction: f64,
}

impl Settings {
    /// The settings of an empty text.
    pub fn new(version: Version) -> Settings {
        Settings {
            version,
            large_segment: 20 * MIB,
            max_split: UNLIMITED,
            max_non_split_rounding: 20 * MIB,
            garbage_collection: 0.0,
            divisions: [0; INTERVALS],
            expandable: false,
            rejects: false,
            fraction: 1.0,
        }
    }

    /// Returns the settings of a text.
    ///
    /// # Errors
    /// [`SettingsError`] for the first key or value that the version refuses.
    pub fn of(text: &str, version: Version) -> Result<Settings, SettingsError> {
        let mut settings = Settings::new(version);
        settings.apply(text)?;
        Ok(settings)
    }

    /// Reads a text, `key:value,key:value`, in which a value may be a list in brackets.
    ///
    /// # Errors
    /// [`SettingsError`] for the first key or value that the version refuses.
    pub fn apply(&mut self, text: &str) -> Result<(), SettingsError> {
        (self.max_split, self.garbage_collection, self.divisions) = (UNLIMITED, 0.0, [0; INTERVALS]);
        let pairs = pairs(text)?;
        // The least value of two other keys depends on this one, wherever it stands.
        for (key, value) in &pairs {
            if key == "large_segment_size_mb" && self.version.knows(key) {
                let mb = whole(key, value)?;
                if mb <= 10 {
                    return Err(refused(key));
                }
                self.large_segment = mb.min(UNLIMITED / MIB) * MIB;
            }
        }
        if !self.version.keeps_non_split_rounding() {
            self.max_non_split_rounding = self.large_segment;
        }
        pairs.iter().try_for_each(|(key, value)| self.set(key, value))
    }

    fn set(&mut self, key: &str, value: &Value) -> Result<(), SettingsError> {
        if !self.version.knows(key) {
            return Err(refused(key));
        }
        match key {
            "max_split_size_mb" | "max_non_split_rounding_mb" => {
                let mb = whole(key, value)?;
                if mb < self.version.least_mb().max(self.large_segment / MIB) {
                    return Err(refused(key));
                }
                let bytes = mb.min(UNLIMITED / MIB) * MIB;
                if key == "max_split_size_mb" {
                    self.max_split = bytes;
                } else {
                    self.max_non_split_rounding = bytes;
                }
            }
            "garbage_collection_threshold" => {
                let part = number(key, value)?;
                if !(part > 0.0 && part < 1.0) {
                    return Err(refused(key));
                }
                self.garbage_collection = part;
            }
            "expandable_segments" => self.expandable = flag(key, value)?,
            "throw_on_cudamalloc_oom" => self.rejects = flag(key, value)?,
            "roundup_power2_divisions" => self.set_divisions(key, value)?,
            "per_process_memory_fraction" => {
                let part = number(key, value)?;
                if !(0.0..=1.0).contains(&part) {
                    return Err(refused(key));
                }
                self.fraction = part;
            }
            "backend" if !matches!(value, Value::Word(word) if word == "native") => return Err(refused(key)),
            "large_segment_size_mb" | "backend" | "graph_capture_record_stream_reuse" => {}
            _ if key.starts_with("pinned_") || key.starts_with("release_lock_on_") => {}
            _ => return Err(refused(key)),
        }
        Ok(())
    }

    fn set_divisions(&mut self, key: &str, value: &Value) -> Result<(), SettingsError> {
        let power = |word: &str| -> Result<u64, SettingsError> {
            let number: u64 = word.parse().map_err(|_| refused(key))?;
            if number.is_power_of_two() { Ok(number) } else { Err(refused(key)) }
        };
        let list = match value {
            Value::Word(word) => {
                self.divisions = [power(word)?; INTERVALS];
                return Ok(());
            }
            Value::List(list) => list,
        };
        let mut last = None;
        for (size, divisions) in list {
            let divisions = if divisions == "0" { 0 } else { power(divisions)? };
            if size == ">" {
                let from = last.unwrap_or(0) + usize::from(!self.version.greater_includes_last());
                self.divisions.iter_mut().skip(from).for_each(|slot| *slot = divisions);
                continue;
            }
            let at = (power(size)?.ilog2() as usize).min(INTERVALS - 1);
            if last.is_none() {
                self.divisions[..at].fill(divisions);
            }
            self.divisions[at] = divisions;
            last = Some(at);
        }
        Ok(())
    }

    /// The number of divisions between two powers of two for a size in bytes.
    fn divisions_for(&self, size: u64) -> u64 {
        let interval = size.max(1).ilog2().saturating_sub(MIB.ilog2()) as usize;
        self.divisions[interval.min(INTERVALS - 1)]
    }

    /// The size of the block for so many bytes, `round_size`.
    pub fn round(&self, bytes: u64) -> u64 {
        if bytes < MIN_BLOCK {
            return MIN_BLOCK;
        }
        let divisions = self.divisions_for(bytes);
        if divisions <= 1 || bytes <= MIN_BLOCK.saturating_mul(divisions) {
            return bytes.checked_next_multiple_of(MIN_BLOCK).unwrap_or(UNLIMITED);
        }
        if bytes.is_power_of_two() {
            return bytes;
        }
        let step = (1u64 << bytes.ilog2()) / divisions;
        bytes.checked_next_multiple_of(step).unwrap_or(UNLIMITED)
    }

    /// The bytes that the process may hold of a card of so many.
    pub fn limit(&self, card: u64) -> u64 {
        if self.fraction < 1.0 { (self.fraction * card as f64) as u64 } else { card }
    }

    /// Whether a rounded size comes from the small pool.
    pub fn is_small(&self, rounded: u64) -> bool {
        rounded <= SMALL_SIZE
    }

    /// The bytes obtained from the card for a rounded size, `get_allocation_size`.
    pub fn segment(&self, rounded: u64) -> u64 {
        if self.is_small(rounded) {
            SMALL_BUFFER
        } else if rounded < MIN_LARGE_ALLOC {
            self.large_segment
        } else {
            rounded.checked_next_multiple_of(ROUND_LARGE).unwrap_or(UNLIMITED)
        }
    }
}

/// What stands behind a key.
#[derive(Debug)]
pub(super) enum Value {
    Word(String),
    /// Pairs `size:divisions`.
    List(Vec<(String, String)>),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Word(word) => f.write_str(word),
            Value::List(list) => {
                let pairs = list.iter().map(|(size, divisions)| format!("{size}:{divisions}"));
                write!(f, "[{}]", pairs.collect::<Vec<_>>().join(","))
            }
        }
    }
}

fn refused(at: &str) -> SettingsError {
    SettingsError { at: at.to_string() }
}

fn word<'a>(key: &str, value: &'a Value) -> Result<&'a str, SettingsError> {
    match value {
        Value::Word(word) => Ok(word),
        Value::List(_) => Err(refused(key)),
    }
}

fn whole(key: &str, value: &Value) -> Result<u64, SettingsError> {
    word(key, value)?.parse().map_err(|_| refused(key))
}

fn number(key: &str, value: &Value) -> Result<f64, SettingsError> {
    word(key, value)?.parse().map_err(|_| refused(key))
}

fn flag(key: &str, value: &Value) -> Result<bool, SettingsError> {
    match word(key, value)? {
        "True" => Ok(true),
        "False" => Ok(false),
        _ => Err(refused(key)),
    }
}

/// The keys of a text with their values. Blanks count nowhere.
pub(super) fn pairs(text: &str) -> Result<Vec<(String, Value)>, SettingsError> {
    let text: String = text.chars().filter(|letter| !letter.is_whitespace()).collect();
    let mut pairs = Vec::new();
    let mut rest = text.as_str();
    while !rest.is_empty() {
        let (key, after) = rest.split_once(':').ok_or_else(|| refused(rest))?;
        let (value, after) = match after.strip_prefix('[') {
            Some(list) => {
                let (list, after) = list.split_once(']').ok_or_else(|| refused(key))?;
                let pair = |pair: &str| {
                    let (size, divisions) = pair.split_once(':').ok_or_else(|| refused(key))?;
                    Ok((size.to_string(), divisions.to_string()))
                };
                let parts = list.split(',').filter(|part| !part.is_empty());
                (Value::List(parts.map(pair).collect::<Result<_, _>>()?), after)
            }
            None => {
                let end = after.find(',').unwrap_or(after.len());
                (Value::Word(after[..end].to_string()), &after[end..])
            }
        };
        pairs.push((key.to_string(), value));
        rest = match after.strip_prefix(',') {
            Some(next) => next,
            None if after.is_empty() => after,
            None => return Err(refused(after)),
        };
    }
    Ok(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(text: &str) -> Settings {
        Settings::of(text, Version::NEWEST).expect(text)
    }

    #[test]
    fn sizes_are_rounded_to_blocks_or_between_powers_of_two() {
        let plain = settings("");
        let rounded = [1, 511, 512, 513, 8_100_000].map(|bytes| plain.round(bytes));
        assert_eq!(rounded, [512, 512, 512, 1024, 8_100_352]);
        let four = settings("roundup_power2_divisions:4");
        // 1200 KiB lies between 1 and 2 MiB: steps of 256 KiB.
        assert_eq!(four.round(1200 << 10), 1280 << 10);
        // Up to 512 bytes a division, blocks are enough.
        assert_eq!((four.round(2048), four.round(2049)), (2048, 2560));
        let listed = settings("roundup_power2_divisions:[256:1,512:2,1024:4,>:8]");
        assert_eq!(listed.divisions, [1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 4, 8, 8, 8, 8, 8]);
        assert_eq!(settings("roundup_power2_divisions:[1:2,4:8]").divisions[..4], [2, 0, 8, 0]);
    }

    #[test]
    fn segments_have_three_kinds_of_sizes() {
        let plain = settings("");
        let of = |bytes| plain.segment(bytes);
        assert_eq!([MIB, MIB + 512, 10 * MIB - 512, 10 * MIB, 11 * MIB].map(of), [2, 20, 20, 10, 12].map(|n| n * MIB));
        assert_eq!(settings("large_segment_size_mb:12").segment(2 * MIB), 12 * MIB);
    }

    #[test]
    fn what_a_version_does_not_take_is_refused() {
        let refusal = |text, version| Settings::of(text, version).map_err(|error| error.at).err();
        let (old, new) = (Version { major: 2, minor: 9 }, Version::NEWEST);
        assert_eq!(refusal("max_split_size_mb:20", new), None);
        for text in ["max_split_size_mb:19", "max_split_size_mb:20,large_segment_size_mb:32", "max_split_size_mb:x"] {
            assert_eq!(refusal(text, new).as_deref(), Some("max_split_size_mb"), "{text}");
        }
        assert_eq!(refusal("max_split_size_mb:20", old).as_deref(), Some("max_split_size_mb"));
        assert_eq!(refusal("large_segment_size_mb:12", old).as_deref(), Some("large_segment_size_mb"));
        assert_eq!(refusal("garbage_collection_threshold:1", new).as_deref(), Some("garbage_collection_threshold"));
        assert_eq!(refusal("roundup_power2_divisions:3", new).as_deref(), Some("roundup_power2_divisions"));
        assert_eq!(refusal("backend:cudaMallocAsync", new).as_deref(), Some("backend"));
        assert_eq!(refusal("hello", new).as_deref(), Some("hello"));
        assert_eq!(refusal("expandable_segments:[1:2]x", new).as_deref(), Some("x"));
    }

    #[test]
    fn a_later_text_resets_four_settings_and_keeps_the_others() {
        let mut settings = settings("max_split_size_mb:32,expandable_segments:True,garbage_collection_threshold:0.5");
        settings.apply(" large_segment_size_mb : 32 ").expect("a text");
        assert_eq!((settings.max_split, settings.garbage_collection), (UNLIMITED, 0.0));
        assert_eq!((settings.expandable, settings.max_non_split_rounding), (true, 32 * MIB));
    }
}
