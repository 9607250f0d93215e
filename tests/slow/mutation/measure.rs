//! What one input takes: bytes by an allocator that counts, and time of the processor, which does
//! not depend on what else the machine does.

use std::fs;
use std::time::{Duration, Instant};

use crate::counting::counted;

/// What some work took.
#[derive(Clone, Copy, Default)]
pub struct Taken {
    /// Time of the processor; where the system does not tell it, of the clock.
    pub time: Duration,
    /// Most bytes at once, beyond those in use before.
    pub bytes: usize,
}

/// Does some work on this thread.
pub fn taken<T>(work: impl FnOnce() -> T) -> (Taken, T) {
    let (cpu, clock) = (processor_time(), Instant::now());
    let (counted, result) = counted(usize::MAX, work);
    let time = cpu.zip(processor_time()).map_or_else(|| clock.elapsed(), |(from, to)| to.saturating_sub(from));
    (Taken { time, bytes: counted.most }, result)
}

/// What this thread has computed so far, as Linux counts it.
fn processor_time() -> Option<Duration> {
    let line = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    line.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}
