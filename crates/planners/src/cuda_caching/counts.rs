//! What the allocator counts: `torch.cuda.memory_stats()`.

/// A number with its history.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stat {
    /// Now.
    pub current: u64,
    /// The largest value.
    pub peak: u64,
    /// Sum of all increases.
    pub allocated: u64,
    /// Sum of all decreases.
    pub freed: u64,
}

impl Stat {
    pub(super) fn add(&mut self, more: u64) {
        self.current += more;
        self.allocated += more;
        self.peak = self.peak.max(self.current);
    }

    pub(super) fn sub(&mut self, less: u64) {
        self.current = self.current.saturating_sub(less);
        self.freed += less;
    }
}

/// What is counted for both pools together and for each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Counted {
    /// Bytes of allocated blocks.
    AllocatedBytes,
    /// Bytes obtained from the card.
    ReservedBytes,
    /// Bytes of blocks that are allocated or wait for a stream.
    ActiveBytes,
    /// Bytes of free blocks in segments of which a part is in use, so that they cannot be given
    /// back.
    InactiveSplitBytes,
    /// Bytes asked for in blocks that are allocated or wait.
    RequestedBytes,
    /// Allocated blocks.
    Allocation,
    /// Segments that are not expandable.
    Segment,
    /// Blocks that are allocated or wait.
    Active,
    /// Free blocks in segments of which a part is in use.
    InactiveSplit,
}

impl Counted {
    /// All, in the order in which PyTorch's answers were recorded.
    pub const ALL: [Counted; 9] = [
        Counted::AllocatedBytes,
        Counted::ReservedBytes,
        Counted::ActiveBytes,
        Counted::InactiveSplitBytes,
        Counted::RequestedBytes,
        Counted::Allocation,
        Counted::Segment,
        Counted::Active,
        Counted::InactiveSplit,
    ];

    /// Its name in `memory_stats()`.
    pub const fn name(self) -> &'static str {
        match self {
            Counted::AllocatedBytes => "allocated_bytes",
            Counted::ReservedBytes => "reserved_bytes",
            Counted::ActiveBytes => "active_bytes",
            Counted::InactiveSplitBytes => "inactive_split_bytes",
            Counted::RequestedBytes => "requested_bytes",
            Counted::Allocation => "allocation",
            Counted::Segment => "segment",
            Counted::Active => "active",
            Counted::InactiveSplit => "inactive_split",
        }
    }
}

/// All counters of an allocator.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// For each of [`Counted::ALL`]: all, small pool, large pool.
    stats: [[Stat; 3]; Counted::ALL.len()],
    /// Blocks of at least `max_split_size` in use.
    pub oversize_allocations: Stat,
    /// Segments of at least `max_split_size`.
    pub oversize_segments: Stat,
    /// Times that the whole cache was given back for a request.
    pub alloc_retries: u64,
    /// Requests that failed.
    pub ooms: u64,
    /// Times that all streams were waited for.
    pub sync_all_streams: u64,
    /// Segments and pieces of expandable segments obtained.
    pub device_allocs: u64,
    /// Segments and pieces of expandable segments given back.
    pub device_frees: u64,
    /// Requests refused before they were tried.
    pub oom_rejections: u64,
}

impl Counts {
    /// A number for all, the small pool and the large pool.
    pub fn of(&self, what: Counted) -> [Stat; 3] {
        self.stats[what as usize]
    }

    /// The current value for both pools.
    pub fn now(&self, what: Counted) -> u64 {
        self.stats[what as usize][0].current
    }

    /// The largest value for both pools.
    pub fn peak(&self, what: Counted) -> u64 {
        self.stats[what as usize][0].peak
    }

    pub(super) fn add(&mut self, is_small: bool, what: Counted, more: u64) {
        let [all, small, large] = &mut self.stats[what as usize];
        all.add(more);
        if is_small { small.add(more) } else { large.add(more) }
    }

    pub(super) fn sub(&mut self, is_small: bool, what: Counted, less: u64) {
        let [all, small, large] = &mut self.stats[what as usize];
        all.sub(less);
        if is_small { small.sub(less) } else { large.sub(less) }
    }

    /// Adds a change that may be negative; nothing for 0.
    pub(super) fn change(&mut self, is_small: bool, what: Counted, by: i64) {
        match by {
            0 => {}
            1.. => self.add(is_small, what, by.unsigned_abs()),
            _ => self.sub(is_small, what, by.unsigned_abs()),
        }
    }
}
