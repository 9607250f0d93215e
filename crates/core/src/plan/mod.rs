//! Plans, the common form of every system's answer; their independent check and their
//! figures.

mod causes;
mod check;
mod dependencies;
mod figures;
mod file;
mod metrics;
mod misreading;
mod overlaps;
mod violation;
mod width;

use serde::{Deserialize, Serialize};

use crate::base::{Id, IdVec, Message, Names};
use crate::id_type;
use crate::problem::{BufferId, MemoryId, Problem};

pub use causes::{Cause, Causes, LiveAt, above, causes};
pub use check::{MOST_OVERLAPS, check, check_up_to, collides, faults, is_takeover};
pub use dependencies::{Dependencies, Dependency, Reuse, dependencies};
pub use figures::{Figures, Fragmentation, Reading, Standing, at_step, figures, peak_step, tops_over_time};
pub use file::{BufferRecord, FORMAT, PlanFile, PoolRecord, QuirkRecord, UnplannedRecord};
pub use metrics::{Distance, Metrics, metrics, whole as whole_metrics};
pub use misreading::misreading;
pub use violation::{BufferPairs, Violation};
pub use width::MAX_WIDTH;

id_type!(
    /// A pool of a [`Plan`]: a contiguous region, or a storage block of systems that give no
    /// addresses.
    PoolId
);

/// First step, step after the last one, first byte and byte after the last one of a buffer in a
/// plan.
pub type PlanBox = (u32, u32, u64, u64);

/// Where each buffer lies.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Plan {
    /// Pools in the order in which the planner opened them.
    pub pools: IdVec<PoolId, Pool>,
    /// One entry a buffer of the problem; `None` = this system leaves it unplanned, for the reason
    /// in `unplanned`.
    pub places: IdVec<BufferId, Option<Place>>,
    /// Buffers left out, each with the reason.
    pub unplanned: Vec<(BufferId, Unplanned)>,
    /// `(acceptor, donor)`: the acceptor overwrites the donor's storage in the one step in which
    /// both are alive.
    pub shared: Vec<(BufferId, BufferId)>,
    /// Overlaps that the original system makes too: kept as they are and reported.
    #[serde(default)]
    pub quirks: Vec<Quirk>,
    /// What its planner has proved of the peak.
    #[serde(default)]
    pub proof: Proof,
    /// Whether a storage goes back to an allocator after its last buffer: then the plan needs only
    /// the most bytes that are held at once, not all its storages together.
    #[serde(default)]
    pub returned: bool,
    /// Why memplan may misread the file that the buffers come from, in a sentence; none if the plan
    /// of the file's own system agrees with what was read, or if there is none. Set on that plan
    /// and on all that are made of the same reading.
    #[serde(default)]
    pub misreading: Option<Message>,
    /// What a user's own planner wrote about its run, and lines of its code: notes name them by
    /// their positions ([`crate::trace::Slot::Text`]).
    #[serde(default)]
    pub texts: Vec<String>,
}

/// What is known of the smallest peak, from a planner that searches; bounds in bytes, over all
/// memories.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum Proof {
    /// The planner proves nothing.
    #[default]
    None,
    /// No plan has a smaller peak than this one.
    Optimal {
        /// The proved bound in bytes, which is the peak.
        bound: u64,
    },
    /// The best that was found; no plan is below `bound`.
    Best {
        /// The proved bound in bytes.
        bound: u64,
    },
}

impl Proof {
    /// The proved bound, in bytes.
    pub fn bound(self) -> Option<u64> {
        match self {
            Proof::None => None,
            Proof::Optimal { bound } | Proof::Best { bound } => Some(bound),
        }
    }
}

/// Two buffers that the original's rule lets overwrite each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Quirk {
    /// The rule that fails.
    pub kind: QuirkKind,
    /// One buffer.
    pub a: BufferId,
    /// The other.
    pub b: BufferId,
}

/// The rule that fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum QuirkKind {
    /// A read that the operator declares not to need is not counted, so the storage is given away
    /// before it.
    IgnoredRead,
    /// A storage is counted as dead while another name for it is still read.
    UncountedAlias,
    /// The live range that the original gives one of them is empty, so its test for common steps
    /// sees none.
    EmptyRange,
    /// One is an unchanged copy of the other, so both may lie on the same bytes although both are
    /// needed.
    SameContents,
}

impl QuirkKind {
    /// All kinds in the order of declaration.
    pub const ALL: [QuirkKind; 4] =
        [QuirkKind::IgnoredRead, QuirkKind::UncountedAlias, QuirkKind::EmptyRange, QuirkKind::SameContents];

    /// Its name in files.
    pub const fn name(self) -> &'static str {
        match self {
            QuirkKind::IgnoredRead => "ignored_read",
            QuirkKind::UncountedAlias => "uncounted_alias",
            QuirkKind::EmptyRange => "empty_range",
            QuirkKind::SameContents => "same_contents",
        }
    }
}

impl Quirk {
    /// The sentence that explains the overlap.
    pub fn message(self, problem: &Problem) -> Message {
        let key = match self.kind {
            QuirkKind::IgnoredRead => "quirk.ignored-read",
            QuirkKind::UncountedAlias => "quirk.uncounted-alias",
            QuirkKind::EmptyRange => "quirk.empty-range",
            QuirkKind::SameContents => "quirk.same-contents",
        };
        let name = |id: BufferId| problem.buffers[id].name.clone();
        Message::new(key).name("a", name(self.a)).name("b", name(self.b))
    }
}

/// A contiguous region of memory, or a storage block.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Pool {
    /// Name that the planner or file gave it.
    pub name: String,
    /// Bytes: the end of the highest buffer, or the size of the storage block.
    pub size: u64,
    /// Device that the pool lies on.
    pub device: String,
    /// What may happen to its size.
    pub role: PoolRole,
}

/// The name of a pool in words: names that say only what it is and its number are those of
/// planners, and are translated; any other is a name of its own. Files keep the plain names.
pub fn pool_words(name: &str) -> Message {
    let number = |what: &str| name.strip_prefix(what)?.strip_prefix(' ')?.parse::<u32>().ok();
    match (number("arena"), number("storage")) {
        _ if name == "arena" => Message::new("pool.arena"),
        (Some(arena), _) => Message::new("pool.arena-number").count("n", arena),
        (_, Some(storage)) => Message::new("pool.storage").count("n", storage),
        _ => named(name),
    }
}

/// The name of a segment of an allocator that caches: what it is for, and its number.
fn segment_words(name: &str) -> Option<Message> {
    let (what, number) = name.split_once(" segment ")?;
    let key = match what {
        "small" => "pool.segment-small",
        "large" => "pool.segment-large",
        "expandable" => "pool.segment-expandable",
        "null" => "pool.segment-null",
        _ => return None,
    };
    Some(Message::new(key).count("n", number.parse::<u32>().ok()?))
}

/// The name of a pool that begins with its device, or of one that has a name of its own.
fn named(name: &str) -> Message {
    if let Some(words) = segment_words(name) {
        return words;
    }
    let chunk = name.rsplit_once("chunk ").and_then(|(device, number)| Some((device, number.parse::<u32>().ok()?)));
    match (name.strip_suffix(" copies"), chunk) {
        (Some(device), _) => Message::new("pool.copies").text("device", device),
        (None, Some(("", number))) => Message::new("pool.chunk").count("n", number),
        (None, Some((device, number))) => {
            Message::new("pool.chunk-of").text("device", device.trim_end()).count("n", number)
        }
        (None, None) => Message::new("pool.named").text("name", name),
    }
}

/// What a pool may do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum PoolRole {
    /// The only kind of pool of its planner.
    #[default]
    Arena,
    /// May be enlarged while it is the last of its device.
    Growing,
    /// Keeps the size it was opened with.
    Fixed,
    /// A storage block: buffers take turns in it, there are no addresses between blocks.
    Storage,
    /// No region at all: a planner that only computes a figure states it as the size.
    Figure,
}

/// Where a buffer lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Place {
    /// The pool.
    pub pool: PoolId,
    /// Bytes from the base of the pool.
    pub offset: u64,
}

/// Why a planner leaves out a buffer it was asked to place.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Unplanned {
    /// The caller owns the memory of graph inputs.
    InputOfCaller,
    /// Weights are constants outside the planned memory.
    WeightIsConstant,
    /// The caller keeps the graph outputs.
    OutputOfCaller,
    /// The device has no views of buffers, so that none can lie in an arena.
    NoViews,
    /// It has no extents, no known shape, or elements of less than a byte.
    NoExtents,
    /// The planner only computes a figure.
    NoPlaces,
    /// The file that the plan was read from lists the buffer as left out.
    StatedByFile,
    /// The card has no memory left for it, or the program ended before with that error.
    OutOfMemory,
}

impl Unplanned {
    /// The reason in words.
    pub fn message(self) -> Message {
        Message::new(match self {
            Unplanned::InputOfCaller => "unplanned.input",
            Unplanned::WeightIsConstant => "unplanned.weight",
            Unplanned::OutputOfCaller => "unplanned.output",
            Unplanned::NoViews => "unplanned.no-views",
            Unplanned::NoExtents => "unplanned.no-extents",
            Unplanned::NoPlaces => "unplanned.no-places",
            Unplanned::StatedByFile => "unplanned.stated-by-file",
            Unplanned::OutOfMemory => "unplanned.out-of-memory",
        })
    }
}

impl Plan {
    /// A plan with nothing placed yet.
    pub fn empty(problem: &Problem) -> Plan {
        Plan { places: IdVec::from_elem(None, problem.buffers.len()), ..Plan::default() }
    }

    /// The title of one of several pools: the name that its planner gave it, or its number if
    /// another pool has the same name.
    pub fn pool_title(&self, pool: PoolId) -> Message {
        let alone = |pool: &&Pool| {
            let is_named = pool.role == PoolRole::Arena && !pool.name.is_empty();
            let is_own = pool_words(&pool.name).key != "pool.arena";
            is_named
                && (self.pools.len() > 1 || is_own)
                && self.pools.iter().filter(|other| other.name == pool.name).count() == 1
        };
        let named = self.pools.get(pool).filter(alone);
        let is_storage = self.pools.get(pool).is_some_and(|pool| pool.role == PoolRole::Storage);
        let numbered = if is_storage { "pool.storage" } else { "pool.number" };
        named.map_or_else(|| Message::new(numbered).count("n", pool.0), |pool| pool_words(&pool.name))
    }

    /// Whether every buffer that is placed lies at the start of its pool, as planners of storages
    /// give them; false without any.
    pub fn is_of_storages(&self) -> bool {
        let mut placed = self.places.iter().flatten().peekable();
        placed.peek().is_some() && placed.all(|place| place.offset == 0)
    }

    /// The placed buffers as boxes, the pools on top of each other as on the stage.
    pub fn boxes(&self, problem: &Problem) -> Vec<PlanBox> {
        let pools = self.pools.iter().map(|pool| pool.size);
        let bases: Vec<u64> = pools.scan(0, |base, size| Some(std::mem::replace(base, *base + size))).collect();
        let boxes = problem.buffers.enumerate().filter_map(|(id, buffer)| {
            let place = self.places[id]?;
            let from = bases.get(place.pool.0 as usize)? + place.offset;
            Some((buffer.live.start, buffer.live.end, from, from + buffer.size))
        });
        boxes.collect()
    }

    /// Sum over the pools of the highest end address in each.
    pub fn peak(&self, problem: &Problem) -> u64 {
        let figure = |pool: &Pool| if pool.role == PoolRole::Figure { pool.size } else { 0 };
        let mut tops: Vec<u64> = self.pools.iter().map(figure).collect();
        for (id, place) in self.places.enumerate() {
            if let Some(place) = place {
                let top = &mut tops[place.pool.0 as usize];
                *top = (*top).max(place.offset.saturating_add(problem.buffers[id].size));
            }
        }
        tops.into_iter().fold(0, u64::saturating_add)
    }

    /// The buffer whose storage each acceptor took over.
    pub fn donors(&self) -> Names<BufferId, BufferId> {
        self.shared.iter().rev().copied().collect()
    }

    /// The most bytes of storages that are held at one step, summed over the memories; none unless
    /// storages go [back](Plan::returned). A storage is held from the start of its first buffer to
    /// the end of its last.
    pub fn held(&self, problem: &Problem) -> Option<u64> {
        if !self.returned {
            return None;
        }
        let mut lives: Vec<Option<(MemoryId, u32, u32)>> = vec![None; self.pools.len()];
        for (id, place) in self.places.enumerate() {
            if let Some(life) = place.and_then(|place| lives.get_mut(place.pool.index())) {
                let buffer = &problem.buffers[id];
                let (memory, start, end) = life.unwrap_or((buffer.memory, u32::MAX, 0));
                *life = Some((memory, start.min(buffer.live.start), end.max(buffer.live.end)));
            }
        }
        let mut changes: Vec<(MemoryId, u32, i128)> = Vec::with_capacity(2 * lives.len());
        for (pool, life) in self.pools.iter().zip(lives) {
            let Some((memory, start, end)) = life else { continue };
            changes.extend([(memory, start, i128::from(pool.size)), (memory, end, -i128::from(pool.size))]);
        }
        // What one step frees is free in the next one.
        changes.sort_unstable();
        let most = |changes: &[(MemoryId, u32, i128)]| {
            let sums = changes.iter().scan(0, |sum, (.., bytes)| {
                *sum += bytes;
                Some(*sum)
            });
            u64::try_from(sums.max().unwrap_or(0)).unwrap_or(u64::MAX)
        };
        Some(changes.chunk_by(|a, b| a.0 == b.0).map(most).fold(0, u64::saturating_add))
    }

    /// Bytes that the plan needs: the most held at once if storages go back to an allocator, else
    /// the peak.
    pub fn need(&self, problem: &Problem) -> u64 {
        self.held(problem).unwrap_or_else(|| self.peak(problem))
    }

    /// The buffer whose storage `acceptor` took over, if it did. Linear in the takeovers.
    pub fn donor(&self, acceptor: BufferId) -> Option<BufferId> {
        self.shared.iter().find(|(id, _)| *id == acceptor).map(|(_, donor)| *donor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{Buffer, Live, Memory};
    use crate::text::{Locale, Speech};

    #[test]
    fn names_made_by_planners_are_translated_and_own_names_are_not() {
        let sentence = |locale, name| Speech { locale, ..Speech::default() }.say(&pool_words(name));
        let both = |name| (sentence(Locale::En, name), sentence(Locale::Zh, name));
        assert_eq!(both("arena 3"), ("arena 3".into(), "内存区 3".into()));
        assert_eq!(both("storage 0"), ("storage 0".into(), "存储块 0".into()));
        assert_eq!(both("arena").1, "内存区");
        for own in ["SRAM", "arena x", "arenas 1", "my pool", "pool0", ""] {
            assert_eq!(both(own), (own.to_string(), own.to_string()));
        }
    }

    #[test]
    fn a_storage_is_held_from_its_first_buffer_to_its_last_and_memories_are_summed() {
        let buffer = |name: &str, size, live, memory| Buffer { memory, ..Buffer::of(name, size, live) };
        let (one, other) = (MemoryId(0), MemoryId(1));
        let problem = Problem {
            buffers: vec![
                buffer("a", 8, Live::new(0, 2), one),
                // Waits in step 2 for its next buffer.
                buffer("b", 8, Live::new(3, 5), one),
                buffer("c", 4, Live::new(2, 3), one),
                buffer("d", 2, Live::new(5, 6), one),
                buffer("e", 1, Live::new(5, 6), other),
            ]
            .into(),
            memories: vec![Memory { device: "cpu".into(), mem_id: None }; 2].into(),
            steps: 6,
            ..Problem::default()
        };
        let pool = |size| Pool { name: String::new(), size, device: "cpu".into(), role: PoolRole::Storage };
        let place = |pool| Some(Place { pool: PoolId(pool), offset: 0 });
        let plan = Plan {
            pools: [8, 4, 2, 1].map(pool).to_vec().into(),
            places: [0, 0, 1, 2, 3].map(place).to_vec().into(),
            returned: true,
            ..Plan::default()
        };
        assert_eq!((plan.peak(&problem), plan.held(&problem), plan.need(&problem)), (15, Some(12 + 1), 13));
        let kept = Plan { returned: false, ..plan };
        assert_eq!((kept.held(&problem), kept.need(&problem)), (None, 15));
    }
}
