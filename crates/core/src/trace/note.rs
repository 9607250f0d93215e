//! Facts that are reported and shown but move no bytes: each with a sentence of its own,
//! `note.<key>` in the locale files.

use serde::{Deserialize, Serialize};

/// What one of the three numbers of a note is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Slot {
    /// Nothing.
    Unused,
    /// A [`crate::problem::BufferId`].
    Buffer,
    /// A [`crate::graph::NodeId`], which is also a step.
    Node,
    /// A pool or storage.
    Pool,
    /// A pool of addresses, shown by its name if no other has it.
    Arena,
    /// A [`crate::problem::MemoryId`], shown as its device.
    Memory,
    /// A plain number.
    Count,
    /// A size in bytes.
    Bytes,
    /// An index of [`SEARCH_ORDERS`], shown as its letters.
    Order,
    /// A device type as planners number them: one above a [`crate::graph::DeviceId`]; 0 is none.
    Device,
    /// A way that a search tries, shown by [`super::Origin::way_name`].
    Way,
    /// An index of [`crate::plan::Plan::texts`].
    Text,
}

/// Orders in which an exact search tries buffers at equal offsets, as words of letters: larger
/// first, letter by letter.
pub const SEARCH_ORDERS: [&str; 3] = ["TWA", "TAW", "WAT"];

/// Declares the kinds of notes: name, key and the meaning of `subject`, `a` and `b` with their
/// argument names.
macro_rules! notes {
    ($($(#[$doc:meta])* $name:ident = $key:literal [$($slot:ident $arg:literal),*];)*) => {
        /// A kind of note.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
        pub enum Note {
            $($(#[$doc])* $name,)*
        }

        impl Note {
            /// Every kind, for tests.
            pub const ALL: &'static [Note] = &[$(Note::$name,)*];

            /// Ending of its key in the locale files.
            pub const fn key(self) -> &'static str {
                match self {
                    $(Note::$name => $key,)*
                }
            }

            /// Whether it belongs to the event after it, and so has no frame of its own.
            pub const fn leads(self) -> bool {
                matches!(
                    self,
                    Note::CodeLine
                        | Note::OwnReason
                        | Note::CacheLook
                        | Note::CacheReplay
                        | Note::CacheFreed
                )
            }

            /// Whether it reports the check of an input and an output that may share bytes.
            pub fn is_in_place(self) -> bool {
                self.key().starts_with("in-place-")
            }

            /// Whether it reports the rounds after the last placement, in which buffers move.
            pub fn is_of_rounds(self) -> bool {
                matches!(self, Note::Round | Note::Overlap | Note::Lifted | Note::RoundColor | Note::RoundsOver)
            }

            /// Meaning and argument name of its numbers, in the order `subject`, `a`, `b`.
            pub const fn slots(self) -> &'static [(Slot, &'static str)] {
                match self {
                    $(Note::$name => &[$((Slot::$slot, $arg)),*],)*
                }
            }
        }
    };
}

notes! {
    /// The planner turns to a node of the graph.
    Node = "node" [Node "node"];
    /// A setting is tried out: its value and the bytes it leads to.
    Try = "try" [Count "value", Bytes "total"];
    /// The setting that is kept, with its bytes.
    Keep = "keep" [Count "value", Bytes "total"];
    /// A parameter or constant is held by one reference more than it has reads.
    Held = "held" [Buffer "name"];
    /// A reshape goes on in the storage of its argument.
    Reshape = "reshape" [Buffer "name", Buffer "donor", Pool "storage"];
    /// Sides of the texture that is used.
    Texture = "texture" [Pool "storage", Count "width", Count "height"];
    /// Sides of the texture that a value asks for.
    TextureRequest = "texture-request" [Buffer "name", Count "width", Count "height"];
    /// Sides of a free texture that is looked at.
    TextureFree = "texture-free" [Pool "storage", Count "width", Count "height"];
    /// An enlarged texture gets a reference more than it has reads.
    TextureKept = "texture-kept" [Pool "storage"];
    /// A value below a copy gets the device that the copy reads from.
    DeviceSource = "device-source" [Buffer "name", Device "device", Node "node"];
    /// The value of a copy gets the device that the copy writes to.
    DeviceTarget = "device-target" [Buffer "name", Device "device", Node "node"];
    /// A value that no copy decides for gets the device of the result.
    DeviceRest = "device-rest" [Buffer "name", Device "device"];
    /// The highest estimate before any storage is reused, and the first node that reaches it.
    ReusePeak = "reuse-peak" [Node "node", Bytes "peak"];
    /// Frees after the last kernel that are cut before the walk.
    ReuseTail = "reuse-tail" [Count "n"];
    /// No free buffer has the key that is looked up; how many others are free.
    ReuseNone = "reuse-none" [Count "n"];
    /// The newest free buffer of the key, and how many older ones are not looked at.
    ReuseNewest = "reuse-newest" [Buffer "donor", Count "older"];
    /// The newest free buffer of the key, and the only one.
    ReuseOnly = "reuse-only" [Buffer "donor"];
    /// It was freed at the node just before.
    ReuseAdjacent = "reuse-adjacent" [Buffer "donor", Node "freed", Node "node"];
    /// What it costs to keep it until now, and the highest estimate between.
    ReuseGap = "reuse-gap" [Buffer "donor", Bytes "size", Bytes "between"];
    /// Both together are at most the estimated peak.
    ReuseFits = "reuse-fits" [Unused "", Bytes "sum", Bytes "peak"];
    /// Both together are above it.
    ReuseRaises = "reuse-raises" [Unused "", Bytes "sum", Bytes "peak"];
    /// The test against the estimated peak is switched off.
    ReuseUntested = "reuse-untested" [Buffer "donor"];
    /// At the end: the most bytes held at the same time, and all storages together.
    ReuseHeld = "reuse-held" [Unused "", Bytes "held", Bytes "sum"];
    /// The uses of a buffer are over: it enters a list of free buffers, which has so many then.
    ListEnter = "list-enter" [Buffer "name", Count "n"];
    /// The newest free buffer of a shape is handed on; how many others stay in the list.
    ListTake = "list-take" [Buffer "donor", Count "n"];
    /// No free buffer has the shape of a result; how many others are in the list.
    ListNone = "list-none" [Buffer "name", Count "n"];
    /// The list of free buffers is not looked at for a result that nobody reads.
    ListClosed = "list-closed" [Buffer "name"];
    /// The list of free buffers is not looked at for a result without known extents.
    ListUnknown = "list-unknown" [Buffer "name"];
    /// The bytes of a buffer that nobody reads are held to the end.
    HeldToEnd = "held-to-end" [Buffer "name"];
    /// A buffer is the room for the graphs inside a node, such as the branches of an `If`.
    BodyReserved = "body-reserved" [Buffer "name", Node "node"];
    /// The values that overwrite a buffer one after the other are placed with it, up to this one.
    JoinedTo = "joined-to" [Buffer "name", Buffer "last"];
    /// A result of the graph is left out of the plan.
    Discarded = "discarded" [Buffer "name"];
    /// Bytes asked of the allocator.
    Request = "request" [Buffer "name", Bytes "size"];
    /// The match range with the smallest and largest size that it lets a request take.
    Window = "window" [Count "range", Bytes "low", Bytes "high"];
    /// The colour group of a node: nodes of one colour never run at the same time.
    Color = "color" [Node "node", Count "color"];
    /// A storage is refused: colour of the node that gave it back, colour of the node that asks.
    OtherColor = "other-color" [Pool "pool", Count "there", Count "here"];
    /// An output takes over an input's storage: reads left of the input, reads that the output
    /// brings.
    InPlaceGranted = "in-place-granted" [Buffer "donor", Count "left", Count "reads"];
    /// An output is the same contents as an input: reads left of the input, reads that the output
    /// brings.
    InPlaceIdentity = "in-place-identity" [Buffer "donor", Count "left", Count "reads"];
    /// No takeover: an earlier pair of the node took this input.
    InPlaceTaken = "in-place-taken" [Buffer "donor"];
    /// No takeover: the input's memory is not the planner's.
    InPlaceOutside = "in-place-outside" [Buffer "donor"];
    /// No takeover: the node looks at none of its inputs.
    InPlaceIgnoresAll = "in-place-ignores-all" [Buffer "donor"];
    /// No takeover: the number of reads left is not 1.
    InPlaceReads = "in-place-reads" [Buffer "donor", Count "left"];
    /// No takeover: nobody reads the output.
    InPlaceUnread = "in-place-unread" [Buffer "donor"];
    /// No takeover: numbers of elements of input and output.
    InPlaceElements = "in-place-elements" [Buffer "donor", Count "input", Count "output"];
    /// No takeover: bits of an element of input and output.
    InPlaceWidth = "in-place-width" [Buffer "donor", Count "input", Count "output"];
    /// No takeover: bytes of input and output.
    InPlaceBytes = "in-place-bytes" [Buffer "donor", Bytes "input", Bytes "output"];
    /// No takeover: shape or element size of input and output differ.
    InPlaceShape = "in-place-shape" [Buffer "donor"];
    /// No takeover: input and output belong to different memories.
    InPlaceMemory = "in-place-memory" [Buffer "donor"];
    /// No takeover: no path of the graph orders what used the storage and the output.
    InPlaceParallel = "in-place-parallel" [Buffer "donor"];
    /// A takeover by the rule of systems that count no reads: the input dies at this node and all
    /// else suits.
    InPlaceDies = "in-place-dies" [Buffer "donor"];
    /// No takeover: one of the two is an input, output or weight of the graph that the rule leaves
    /// out.
    InPlaceKind = "in-place-kind" [Buffer "donor"];
    /// No takeover: too small to be worth it.
    InPlaceSmall = "in-place-small" [Buffer "donor", Bytes "size"];
    /// No takeover: alignments of input and output.
    InPlaceAlign = "in-place-align" [Buffer "donor", Count "input", Count "output"];
    /// No takeover: one of the two has a stated position.
    InPlaceStated = "in-place-stated" [Buffer "donor"];
    /// No takeover: the input lives on, or does not live before the node.
    InPlaceAlive = "in-place-alive" [Buffer "donor"];
    /// No takeover: the input is read more than once.
    InPlaceReadMore = "in-place-read-more" [Buffer "donor"];
    /// No takeover: too small a share of the input's bytes would be used, or more than all.
    InPlaceShare = "in-place-share" [Buffer "donor", Bytes "input", Bytes "output"];
    /// No takeover: device, arena, element type or alignment differ.
    InPlaceKey = "in-place-key" [Buffer "donor"];
    /// An assign that copies into its variable.
    AssignCopy = "assign-copy" [Node "node"];
    /// An assign that does nothing: its right-hand side is made in the variable's storage.
    AssignNothing = "assign-nothing" [Node "node"];
    /// A value gets its storage, or another one, after the walk.
    Decorated = "decorated" [Buffer "name", Pool "pool"];
    /// A storage of the pool that the run time makes: bytes of its array and its memory.
    Room = "room" [Pool "pool", Bytes "size", Memory "device"];
    /// The run time cannot be set up: a value has no storage.
    NoRoom = "no-room" [Buffer "name"];
    /// The run time cannot be set up: values of two devices meet in a storage.
    TwoDevices = "two-devices" [Pool "pool"];
    /// A request to an allocator with size classes: bytes asked for, and the size at whose class
    /// the search begins.
    ClassSearch = "class-search" [Buffer "name", Bytes "size", Bytes "from"];
    /// A buffer that a copy names stays open longer: the step at which it is closed.
    ClassHold = "class-hold" [Buffer "name", Count "step"];
    /// A free block leaves the list of its size class: first byte and size.
    ClassLeave = "class-leave" [Arena "pool", Bytes "offset", Bytes "size"];
    /// A free block is put at the end of the list of its size class.
    ClassEnter = "class-enter" [Arena "pool", Bytes "offset", Bytes "size"];
    /// Two free blocks that touch became one, which is put at the end of the list of its size
    /// class.
    ClassJoin = "class-join" [Arena "pool", Bytes "offset", Bytes "size"];
    /// A request to an allocator with chunks: bytes asked for, and rounded up to the alignment.
    ChunkRequest = "chunk-request" [Buffer "name", Bytes "size", Bytes "rounded"];
    /// A chunk comes into being: its bytes.
    ChunkNew = "chunk-new" [Arena "pool", Bytes "size"];
    /// A chunk without a limit comes into being.
    ChunkEndless = "chunk-endless" [Arena "pool"];
    /// The free blocks of this chunk are looked at next.
    ChunkLook = "chunk-look" [Arena "pool"];
    /// No block but the last ones of the lists is large enough. That of this chunk is looked at
    /// next: the highest end there.
    EndLook = "end-look" [Arena "pool", Bytes "end"];
    /// What is left of the free block that was taken: first byte and size.
    FreeCut = "free-cut" [Arena "pool", Bytes "offset", Bytes "size"];
    /// Nothing is left of the free block that was taken: its end.
    FreeUsedUp = "free-used-up" [Arena "pool", Bytes "offset"];
    /// The same of the last block of a chunk without a limit: where it begins now.
    EndCut = "end-cut" [Arena "pool", Bytes "offset"];
    /// The lower part of a free block stays free below what was taken, because branches are kept
    /// apart.
    FreeLeft = "free-left" [Arena "pool", Bytes "offset", Bytes "size"];
    /// Freed bytes touch no free block and become one: first byte and size.
    FreedAlone = "freed-alone" [Arena "pool", Bytes "offset", Bytes "size"];
    /// Freed bytes join the free block below: first byte and size of both together.
    FreedBelow = "freed-below" [Arena "pool", Bytes "offset", Bytes "size"];
    /// Freed bytes join the free block above: first byte and size of both together.
    FreedAbove = "freed-above" [Arena "pool", Bytes "offset", Bytes "size"];
    /// Freed bytes join the free blocks below and above: first byte and size of all.
    FreedBoth = "freed-both" [Arena "pool", Bytes "offset", Bytes "size"];
    /// Freed bytes join the last block of a chunk without a limit: where it begins now.
    FreedToEnd = "freed-to-end" [Arena "pool", Bytes "offset"];
    /// The calls of a recorded program are repeated.
    CacheReplay = "cache-replay" [Memory "device"];
    /// A segment, or a part of an expandable one, was held when the recording began: first byte and
    /// bytes.
    CacheHad = "cache-had" [Arena "pool", Bytes "offset", Bytes "size"];
    /// A buffer was in use when the recording began: the bytes of its block.
    CacheKept = "cache-kept" [Buffer "name", Bytes "size"];
    /// A request to an allocator that caches: bytes asked for, and rounded.
    CacheRequest = "cache-request" [Buffer "name", Bytes "size", Bytes "rounded"];
    /// The free blocks of this segment are looked at next.
    CacheLook = "cache-look" [Arena "pool"];
    /// No free block is large enough: the largest one, and what is obtained from the card instead.
    CacheNoneFits = "cache-none-fits" [Buffer "name", Bytes "largest", Bytes "segment"];
    /// The smallest block that fits may not be split, and the request may not have it: its size and
    /// the limit.
    CacheOversize = "cache-oversize" [Unused "", Bytes "size", Bytes "limit"];
    /// The smallest block that fits is too much larger than the request, and may not be split.
    CacheWasteful = "cache-wasteful" [Unused "", Bytes "size", Bytes "rounded"];
    /// Segments that stood unused for longest were given back before new memory was obtained.
    CacheCollected = "cache-collected" [Unused "", Bytes "size"];
    /// Large free segments were given back for the request.
    CacheReleased = "cache-released" [Unused "", Bytes "size"];
    /// The whole cache was given back. Outside of a request the third number is the step.
    CacheEmptied = "cache-emptied" [Unused "", Bytes "size"];
    /// A segment was obtained from the card.
    CacheSegment = "cache-segment" [Arena "pool", Bytes "size"];
    /// A part of an expandable segment got memory: first byte and bytes.
    CacheMapped = "cache-mapped" [Arena "pool", Bytes "offset", Bytes "size"];
    /// A segment, or a part of an expandable one, was given back: first byte and bytes.
    CacheBack = "cache-back" [Arena "pool", Bytes "offset", Bytes "size"];
    /// The rest of the block was split off and stays free: its bytes, and those of the block.
    CacheSplit = "cache-split" [Unused "", Bytes "rest", Bytes "block"];
    /// The rest of the block is too small to be split off: its bytes, and those of the block.
    CacheWhole = "cache-whole" [Unused "", Bytes "rest", Bytes "block"];
    /// A block joins the free ones: first byte and bytes.
    CacheEnter = "cache-enter" [Arena "pool", Bytes "offset", Bytes "size"];
    /// A block leaves the free ones: first byte and bytes.
    CacheLeave = "cache-leave" [Arena "pool", Bytes "offset", Bytes "size"];
    /// A buffer was given back: the bytes of its block, and the step.
    CacheFreed = "cache-freed" [Buffer "name", Bytes "size", Count "step"];
    /// A buffer was given back, but its block waits for another stream.
    CacheWaits = "cache-waits" [Buffer "name"];
    /// Bytes obtained from the card and bytes of allocated blocks, after a request.
    CacheHeld = "cache-held" [Memory "device", Bytes "reserved", Bytes "allocated"];
    /// Their largest values.
    CachePeak = "cache-peak" [Memory "device", Bytes "reserved", Bytes "allocated"];
    /// How often memory was obtained from the card and given back.
    CacheCalls = "cache-calls" [Memory "device", Count "obtained", Count "given"];
    /// Out of memory: the buffer, what was asked of the card for it, and what the card has left.
    CacheOom = "cache-oom" [Buffer "name", Bytes "segment", Bytes "free"];
    /// Out of memory: what is held, and how much of it is allocated.
    CacheOomHeld = "cache-oom-held" [Unused "", Bytes "reserved", Bytes "allocated"];
    /// Out of memory: the largest free block of the pool, and the rounded request.
    CacheOomLargest = "cache-oom-largest" [Buffer "name", Bytes "largest", Bytes "rounded"];
    /// Out of memory: what the process may hold, and what it holds.
    CacheOomLimit = "cache-oom-limit" [Unused "", Bytes "limit", Bytes "reserved"];
    /// Reads and views of a tensor that are still to come.
    ReadsLeft = "reads-left" [Buffer "name", Count "reads", Count "views"];
    /// A view of the buffer was read: reads of the view, and views of the buffer, that are still to
    /// come.
    ViewReadsLeft = "view-reads-left" [Buffer "name", Count "reads", Count "views"];
    /// The node makes a view, which needs no place: the buffer, and its views that are still to be
    /// read.
    ViewMade = "view-made" [Buffer "name", Count "views"];
    /// No takeover: the source has its data elsewhere. Its index among the inputs of the node.
    SourceOutside = "source-outside" [Count "source"];
    /// No takeover: the source is a view of the buffer.
    InPlaceView = "in-place-view" [Buffer "donor"];
    /// No takeover: the source is an output, which keeps its bytes.
    InPlaceKept = "in-place-kept" [Buffer "donor"];
    /// No takeover: reads and views of the source that are still to come, this read included.
    InPlaceCounts = "in-place-counts" [Buffer "donor", Count "left", Count "views"];
    /// The bytes of a donor behind a taker that asks for fewer are freed.
    TakeoverRest = "takeover-rest" [Buffer "name", Bytes "size"];
    /// A buffer whose place was taken over before its reads were counted gets another one.
    PlacedAgain = "placed-again" [Buffer "name"];
    /// The last read is done, but an output keeps its place.
    KeptOutput = "kept-output" [Buffer "name"];
    /// At the end: an output that keeps its place.
    HeldOutput = "held-output" [Buffer "name"];
    /// At the end: nothing ever read the buffer, or a view of it, so it was never freed.
    HeldUnread = "held-unread" [Buffer "name"];
    /// A shared object comes into being: its index in its arena, bytes, and first byte in the
    /// arena.
    Object = "object" [Count "object", Bytes "size", Bytes "start"];
    /// A shared object grows, in bytes.
    ObjectGrows = "object-grows" [Count "object", Bytes "from", Bytes "to"];
    /// A shared object was the pick for a moment and stays marked as used up to a step.
    ObjectMarked = "object-marked" [Count "object", Bytes "size", Count "step"];
    /// The shared object that holds the buffer: where inside, and the bytes above it in the object.
    Member = "member" [Count "object", Bytes "inside", Bytes "left"];
    /// Room for the upper bound of a symbolic size is reserved: bytes held now and bytes reserved.
    Bound = "bound" [Buffer "name", Bytes "held", Bytes "reserved"];
    /// A symbolic size has no upper bound: its value at the hints stands in.
    Unbounded = "unbounded" [Buffer "name", Bytes "size"];
    /// The naive algorithm of a suite ran on the buffers of a device: its number and the sum of its
    /// arenas.
    TriedNaive = "tried-naive" [Memory "device", Count "number", Bytes "total"];
    /// The same of greedy.
    TriedGreedy = "tried-greedy" [Memory "device", Count "number", Bytes "total"];
    /// The same of greedy without stacking.
    TriedNoOverlap = "tried-no-overlap" [Memory "device", Count "number", Bytes "total"];
    /// The same of the greedy of v0.5.
    TriedClosest = "tried-closest" [Memory "device", Count "number", Bytes "total"];
    /// How places are searched from here on.
    SearchBy = "search-by" [Way "way"];
    /// A memory of limited size has no place for the buffer: its pool and bytes.
    MemoryFull = "memory-full" [Arena "pool", Bytes "size"];
    /// A memory of a map, with its bytes and its place in the order of preference.
    Bank = "bank" [Arena "pool", Bytes "size", Count "turn"];
    /// The buffer is pinned to a memory of the map.
    BankPin = "bank-pin" [Arena "pool"];
    /// A memory of the map is passed over: what a new object costs, and the bytes left.
    BankFull = "bank-full" [Arena "pool", Bytes "cost", Bytes "left"];
    /// A memory of the map takes the buffer into an object that it has: nothing is spent.
    BankRide = "bank-ride" [Arena "pool"];
    /// A memory of the map makes a new object: its cost, and the bytes that were left.
    BankTakes = "bank-takes" [Arena "pool", Bytes "cost", Bytes "left"];
    /// The addresses of an arena are final: its pool and the bytes it reserves, with rounding and
    /// bounds.
    ArenaFinal = "arena-final" [Arena "pool", Bytes "size"];
    /// The algorithm of a suite that is kept.
    SuiteKept = "suite-kept" [Memory "device", Count "number", Bytes "total"];
    /// The position of the buffer among the positional maxima, from 1.
    Position = "position" [Buffer "name", Count "position"];
    /// A buffer joins a flow: the bytes by which its cost grows, and how many earlier ones change
    /// their donor for it.
    FlowPath = "flow-path" [Buffer "name", Bytes "cost", Count "changed"];
    /// The cost of the whole flow, and how many buffers take over from another.
    FlowCost = "flow-cost" [Unused "", Bytes "cost", Count "n"];
    /// The flow hands a buffer on: its donor, and the bytes by which it is larger.
    FlowFrom = "flow-from" [Buffer "name", Buffer "donor", Bytes "rise"];
    /// The flow begins a new object, at the cost of all bytes of the buffer.
    FlowNew = "flow-new" [Buffer "name", Bytes "size"];
    /// How many buffers of its memory are alive together with the buffer.
    Conflicts = "conflicts" [Buffer "name", Count "conflicts"];
    /// The broadest step of those at which the buffer waits, and the sum of the sizes alive there.
    Breadth = "breadth" [Buffer "name", Count "step", Bytes "breadth"];
    /// The ticks of a clock of allocations and frees in which the buffer lives.
    Ticks = "ticks" [Buffer "name", Count "from", Count "to"];
    /// Buffers that lie in one place, each overwriting the one before: their number, and the last
    /// tick of them all.
    TickChain = "tick-chain" [Buffer "name", Count "n", Count "to"];
    /// A generation of a search: the rank that the final plan descends from, successors made and
    /// successors kept.
    Generation = "generation" [Count "rank", Count "made", Count "kept"];
    /// Every size is rounded up to a multiple of so many bytes.
    Rounds = "rounds" [Unused "", Bytes "align"];
    /// The step at which the buffers that still wait have the largest load, and that load.
    WaitingPeak = "waiting-peak" [Count "step", Bytes "load"];
    /// One of several ways was tried, with the sum of its arenas.
    TryWay = "try-way" [Way "way", Bytes "total"];
    /// The way that is kept.
    KeepWay = "keep-way" [Way "way", Bytes "total"];
    /// A way that the budget leaves no time for.
    SkipWay = "skip-way" [Way "way"];
    /// A climb: where it began, the peak there and the best peak that it reached.
    Climbed = "climbed" [Way "way", Bytes "from", Bytes "total"];
    /// An attempt of a climb that is taken: its number, and the peak that counted before and counts
    /// now.
    Taken = "taken" [Count "attempt", Bytes "from", Bytes "total"];
    /// A worse one that is taken by chance.
    TakenWorse = "taken-worse" [Count "attempt", Bytes "from", Bytes "total"];
    /// How many attempts there were.
    ClimbEnd = "climb-end" [Count "attempts"];
    /// The work that is allowed was used up before the attempts asked for.
    ClimbWork = "climb-work" [Count "attempts"];
    /// The place of a range in the first order of a climb: the largest load during its life, and
    /// its turn.
    Urgency = "urgency" [Buffer "name", Bytes "load", Count "turn"];
    /// An attempt of a climb begins: the range that ends highest, and its end.
    Bottleneck = "bottleneck" [Buffer "name", Bytes "end", Count "attempt"];
    /// A range lies on the end of another, which pushed it there.
    RestsOn = "rests-on" [Buffer "name", Buffer "below"];
    /// Ranges that affect the highest one, those of them not alive together with it, and attempts
    /// since the last gain.
    Turns = "turns" [Count "turns", Count "far", Count "stuck"];
    /// The first range to swap is drawn from those not alive together with the highest one.
    DrawFar = "draw-far" [Count "drawn"];
    /// The first range to swap is drawn from all that affect the highest one.
    DrawAny = "draw-any" [Count "drawn"];
    /// Two ranges swap their turns in the order of placement.
    Swap = "swap" [Buffer "name", Buffer "other"];
    /// Two more swap, because nothing was gained for long.
    SwapStuck = "swap-stuck" [Buffer "name", Buffer "other"];
    /// The attempt reached a smaller size.
    SwapBetter = "swap-better" [Count "attempt", Bytes "from", Bytes "total"];
    /// The attempt reached the same size, and is kept.
    SwapEqual = "swap-equal" [Count "attempt", Bytes "total"];
    /// The attempt was stopped, because it took more at this turn already.
    SwapWorse = "swap-worse" [Count "attempt", Bytes "total", Count "turn"];
    /// How many attempts there were, the last 500 without a gain.
    ClimbIdle = "climb-idle" [Count "attempts"];
    /// How many attempts there were until only one range could be swapped.
    ClimbSingle = "climb-single" [Count "attempts"];
    /// The peak is the lower bound: no plan is smaller.
    AtBound = "at-bound" [Unused "", Bytes "total"];
    /// The peak is above the lower bound; whether a smaller one exists is not known.
    AboveBound = "above-bound" [Unused "", Bytes "total", Bytes "bound"];
    /// A node in the new order: its step in the file and the bytes alive while it runs now.
    Reordered = "reordered" [Node "node", Count "old", Bytes "load"];
    /// The bytes alive at a step of the order of the file.
    LoadBefore = "load-before" [Count "step", Bytes "load"];
    /// The new order: nodes that moved, most bytes alive before and now.
    NewOrder = "new-order" [Count "moved", Bytes "before", Bytes "after"];
    /// No order has a lower peak; how many sets of nodes were looked at.
    OrderProved = "order-proved" [Unused "", Count "states"];
    /// The search ended before it could prove anything; how many sets of nodes were looked at.
    OrderUnproved = "order-unproved" [Unused "", Count "states"];
    /// A slot opens: whatever lives within its steps may begin at its offset.
    SlotOpen = "slot-open" [Count "from", Bytes "offset", Count "until"];
    /// The lowest open slot is taken.
    SlotTake = "slot-take" [Count "from", Bytes "offset", Count "until"];
    /// The lowest open slot is dropped: every buffer that waits meets another open slot too.
    SlotDrop = "slot-drop" [Count "from", Bytes "offset", Count "until"];
    /// It opens again higher, above the partitions of the memory that are in use there.
    SlotMove = "slot-move" [Count "from", Bytes "offset", Count "until"];
    /// A round begins: how many pairs of buffers overlap although they may not.
    Round = "round" [Count "round", Count "pairs"];
    /// Two buffers overlap although they may not.
    Overlap = "overlap" [Buffer "name", Buffer "other"];
    /// A buffer moves above everything that it overlaps.
    Lifted = "lifted" [Buffer "name", Bytes "from", Bytes "to"];
    /// The colour for which a buffer moves.
    RoundColor = "round-color" [Buffer "name", Count "color"];
    /// Nothing overlaps any more: how many rounds there were.
    RoundsOver = "rounds-over" [Count "rounds", Bytes "total"];
    /// A search for a plan within a capacity begins: memory, capacity, nodes allowed.
    SearchAsk = "search-ask" [Memory "device", Bytes "capacity", Count "nodes"];
    /// A run of the search with an order begins: nodes allowed, nodes used so far.
    SearchWord = "search-word" [Order "word", Count "nodes", Count "used"];
    /// A try to fill every step begins: blocks that are left when buffers that must lie side by
    /// side are joined, nodes allowed.
    SearchGlued = "search-glued" [Memory "device", Count "blocks", Count "nodes"];
    /// A pass that allows some waste begins: the capacity, blocks that are placed.
    SearchNarrowed = "search-narrowed" [Memory "device", Bytes "capacity", Count "blocks"];
    /// Many short searches in orders changed by chance begin: nodes of all and of each.
    SearchRestarted = "search-restarted" [Memory "device", Count "nodes", Count "each"];
    /// A node: its number, how many buffers are placed, and how many candidates it has.
    SearchNode = "search-node" [Count "depth", Count "node", Count "candidates"];
    /// Passed over: it lies before the last placement, so the plan is met elsewhere.
    SearchCanonical = "search-canonical" [Buffer "name", Bytes "offset"];
    /// Passed over: another buffer fits below it, so the gap would be pointless.
    SearchDominated = "search-dominated" [Buffer "name", Bytes "offset", Bytes "height"];
    /// Refused: the rest of a section ends above the capacity.
    SearchSection = "search-section" [Buffer "name", Count "step", Bytes "over"];
    /// Refused: another buffer is pushed too high.
    SearchPushed = "search-pushed" [Buffer "name", Buffer "other", Bytes "over"];
    /// A buffer that was passed over can no longer be placed: nothing that may lie at the offset or
    /// above lifts it in time.
    SearchStuck = "search-stuck" [Buffer "name", Bytes "offset"];
    /// Placed for the time being.
    SearchPlace = "search-place" [Buffer "name", Bytes "offset"];
    /// The rest falls into parts that share nothing.
    SearchSplit = "search-split" [Count "depth", Count "parts"];
    /// All candidates of a node failed.
    SearchBack = "search-back" [Count "depth", Count "node"];
    /// A plan was found: its peak, nodes so far.
    SearchFound = "search-found" [Memory "device", Bytes "peak", Count "nodes"];
    /// The whole tree was walked without a plan: the capacity that is too small, nodes so far.
    SearchNone = "search-none" [Memory "device", Bytes "capacity", Count "nodes"];
    /// The nodes were used up: the capacity that stays undecided, nodes so far.
    SearchOpen = "search-open" [Memory "device", Bytes "capacity", Count "nodes"];
    /// Best peak and proved bound of a memory.
    SearchBest = "search-best" [Memory "device", Bytes "peak", Bytes "bound"];
    /// The line of a user's own planner that leads to the event after it: its text and its number,
    /// from 1.
    CodeLine = "code-line" [Text "code", Count "line"];
    /// Why an own planner looks at the place after it: its words and the offset.
    OwnReason = "own-reason" [Text "text", Bytes "offset"];
    /// Something that an own planner reports.
    OwnNote = "own-note" [Text "text"];
}
