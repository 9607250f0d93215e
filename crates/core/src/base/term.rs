//! Terms of the page that have a definition. Locale files mark them in sentences as
//! `((bound|words))`; what is shown of a term comes from `define` in replay.

macro_rules! terms {
    ($($(#[$doc:meta])+ $name:ident $id:literal),* $(,)?) => {
        /// A term with a definition.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Term { $($(#[$doc])+ $name),* }

        impl Term {
            /// All terms, in the order in which they are listed.
            pub const ALL: &[Term] = &[$(Term::$name),*];

            /// Returns the id in locale files.
            pub const fn name(self) -> &'static str {
                match self { $(Term::$name => $id),* }
            }
        }
    };
}

terms! {
    /// Bytes that need a place.
    Buffer "buffer",
    /// One position in the order of execution.
    Step "step",
    /// The steps during which a buffer holds its bytes.
    LiveRange "live-range",
    /// The bytes live at one step.
    Load "load",
    /// The largest load.
    LowerBound "bound",
    /// The bytes that a plan needs.
    Peak "peak",
    /// The peak of the buffers placed so far.
    PeakSoFar "peak-so-far",
    /// Peak minus lower bound.
    Waste "waste",
    /// Peak over lower bound.
    Ratio "ratio",
    /// A plan with a proof.
    Optimal "optimal",
    /// A plan without a proof.
    BestFound "best-found",
    /// Buffers that have their place.
    Placed "placed",
    /// Buffers that a planner does not place.
    LeftOut "left-out",
    /// Bytes from the start of a pool.
    Offset "offset",
    /// A contiguous region of a plan.
    Pool "pool",
    /// A pool in which buffers have offsets.
    Arena "arena",
    /// A pool that one buffer after the other uses as a whole.
    Storage "storage",
    /// Bytes shared by buffers of disjoint live ranges.
    SharedObject "shared-object",
    /// Free bytes between live buffers.
    Gap "gap",
    /// Free bytes in several gaps.
    Fragmentation "fragmentation",
    /// The end of the highest live buffer.
    Top "top",
    /// What offsets are multiples of.
    Alignment "alignment",
    /// A place that a decision looked at.
    Candidate "candidate",
    /// An output on the bytes of an input.
    InPlace "in-place",
    /// By first live step.
    Birth "birth",
    /// After its live range.
    Dead "dead",
    /// An arena as cuts of time and bytes.
    Tree "tree",
    /// Children that use the same bytes one after the other.
    Temporal "temporal",
    /// Two neighbouring regions.
    Spatial "spatial",
    /// A leaf that holds one buffer.
    Allocation "allocation",
    /// A leaf without buffer.
    Empty "empty",
    /// A part of the tree that a buffer may take.
    Slot "slot",
    /// A partial plan of a search.
    State "state",
    /// Neighbouring free bytes of a free list.
    FreeBlock "free-block",
    /// A tensor that reads the bytes of another one.
    View "view",
    /// What buffers that reuse each other have in common.
    Key "key",
    /// The sizes that a free storage may have.
    MatchWindow "match-window",
    /// A piece of memory of ggml.
    Chunk "chunk",
    /// Two buffers alive at the same step in one memory.
    Conflict "conflict",
}

impl Term {
    /// Returns the term of an id; none for any other text.
    pub fn from_name(name: &str) -> Option<Term> {
        Term::ALL.iter().copied().find(|term| term.name() == name)
    }
}
