//! How the decisions of a planner are explained, as far as its events do not show it.

use super::Outcome;

/// Which decisions a function of the original makes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decides {
    /// Every decision that no earlier entry of the list covers.
    Everything,
    /// Decisions that end in this outcome.
    Outcome(Outcome),
    /// Decisions after a note [`super::Note::SearchBy`] that names this way, up to the next one.
    SearchBy(&'static str),
}

/// Rules that need sentences of their own, because the outcome or the verdict alone would explain
/// them wrongly.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sentences {
    /// Outcomes and verdicts explain the decisions.
    Usual,
    /// Whether a gap was needed depends on how the search ended: with a proof, without one, or
    /// before it began.
    Proof,
    /// The top of the arena is tried even where a gap fits.
    TopTried,
    /// A flow over all buffers hands the storages on, so that a free one may be none of a buffer's
    /// choices.
    Flow,
    /// Buffers are stacked: no gap is looked at.
    Stacked,
    /// Free storages are compared by their distance in time.
    Distance,
    /// Free buffers are handed on by shape and element size.
    Shapes,
    /// Free storages are handed on within one memory and element type.
    Types,
    /// The search begins at a size class and takes the oldest block of the first one that is not
    /// empty.
    Classes,
    /// Open slots are taken from below, each by the first buffer that fits no other.
    Slots,
    /// The user's own program decides: the line of its code is the rule.
    Own,
}

/// A part of the state panel that reads the events of one family of planners. All other parts show
/// whatever events they find.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StatePanel {
    /// Free buffers stacked by reuse key, and the lines of the wrapper code.
    ReuseStacks,
    /// Storage tokens with their reference counts, and the devices of the nodes. Replaces the table
    /// of storages.
    StorageTokens,
    /// Shared objects inside arenas, with the arenas and the algorithms tried.
    ArenaObjects,
    /// Shared objects, each a storage of its own.
    SharedObjects,
    /// Chunks with their free blocks, and the reads and views that buffers wait for.
    Chunks,
    /// Free buffers in the order in which they are looked at, the newest first.
    FreeBuffers,
    /// Segments of an allocator that caches, its free blocks in its own order, and its counters.
    CachedBlocks,
    /// Free blocks in lists by size class, with the bitmap of the lists that are not empty.
    SizeClasses,
    /// The load of the buffers that still wait for a place, and those of them that are live where
    /// it is largest.
    WaitingLoad,
    /// Open slots, and the rounds in which buffers that overlap are pushed up.
    OpenSlots,
}

/// How the decisions of a planner are explained: what its events alone do not show.
#[derive(Clone, Copy, Debug)]
pub struct Explanation {
    /// Functions of the original system and what each decides; the first entry that applies holds.
    pub functions: &'static [(Decides, &'static str)],
    /// Sentences beside the usual ones.
    pub sentences: Sentences,
    /// Outcomes for which the planner has a headline of its own, `why.<planner>.<outcome>`.
    pub headlines: &'static [Outcome],
    /// Parts of the state panel that are made for this planner.
    pub panels: &'static [StatePanel],
    /// Options whose values together name a way that was tried, in the order of the name:
    /// `spatial, tightest` sets two.
    pub way_options: &'static [&'static str],
    /// What sentences call a planner whose id is none for people, such as the path of its file.
    pub called: Option<&'static str>,
}

impl Explanation {
    /// Of a planner whose events explain it.
    pub const USUAL: Explanation = Explanation {
        functions: &[],
        sentences: Sentences::Usual,
        headlines: &[],
        panels: &[],
        way_options: &[],
        called: None,
    };

    /// Returns the function of the original that makes decisions with this outcome; `search_by` is
    /// the way that the last [`super::Note::SearchBy`] names.
    pub fn function(&self, outcome: Outcome, search_by: Option<&str>) -> Option<&'static str> {
        let applies = |decides: &Decides| match *decides {
            Decides::Everything => true,
            Decides::Outcome(wanted) => wanted == outcome,
            Decides::SearchBy(way) => Some(way) == search_by,
        };
        self.functions.iter().find(|(decides, _)| applies(decides)).map(|&(_, function)| function)
    }
}

impl Outcome {
    /// All outcomes.
    pub const ALL: [Outcome; 14] = [
        Outcome::NewPool,
        Outcome::Exact,
        Outcome::Split,
        Outcome::Grow,
        Outcome::AtEnd,
        Outcome::Apart,
        Outcome::Stated,
        Outcome::Nothing,
        Outcome::NewStorage,
        Outcome::Reuse,
        Outcome::Enlarge,
        Outcome::InPlace,
        Outcome::Gap,
        Outcome::Overlap,
    ];

    /// Ending of the keys of its sentences.
    pub const fn key(self) -> &'static str {
        match self {
            Outcome::NewPool => "new-pool",
            Outcome::Exact => "exact",
            Outcome::Split => "split",
            Outcome::Grow => "grow",
            Outcome::AtEnd => "at-end",
            Outcome::Apart => "apart",
            Outcome::Stated => "stated",
            Outcome::Nothing => "nothing",
            Outcome::NewStorage => "new-storage",
            Outcome::Reuse => "reuse",
            Outcome::Enlarge => "enlarge",
            Outcome::InPlace => "in-place",
            Outcome::Gap => "gap",
            Outcome::Overlap => "overlap",
        }
    }
}

/// Planner id that stands for the plan of the file itself.
pub const IMPORTED: &str = "imported";

/// Which planner made a run, as far as a replay needs it.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The planner's id; [`IMPORTED`] or another text for a plan that no planner made.
    pub planner: String,
    /// Alignment in bytes that the planner imposes.
    pub align: u64,
    /// How its decisions are explained.
    pub explanation: &'static Explanation,
    /// Returns the name behind a number of [`super::Slot::Way`].
    pub way_name: fn(u32) -> Option<&'static str>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_entry_that_applies_names_the_function() {
        let functions = &[
            (Decides::Outcome(Outcome::InPlace), "reuse"),
            (Decides::SearchBy("by size"), "sorted"),
            (Decides::Everything, "create"),
        ];
        let explanation = Explanation { functions, ..Explanation::USUAL };
        assert_eq!(explanation.function(Outcome::InPlace, Some("by size")), Some("reuse"));
        assert_eq!(explanation.function(Outcome::Gap, Some("by size")), Some("sorted"));
        assert_eq!(explanation.function(Outcome::Gap, None), Some("create"));
        assert_eq!(Explanation::USUAL.function(Outcome::Gap, None), None);
    }
}
