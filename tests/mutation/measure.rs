//! What one input takes: bytes by an allocator that counts, and time of the processor, which does
//! not depend on what else the machine does.

// An allocator is unsafe by its trait.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Counts the bytes in use, and the most that there were.
struct Counting;

static USED: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

fn grow(bytes: usize) {
    let used = USED.fetch_add(bytes, Relaxed) + bytes;
    MOST.fetch_max(used, Relaxed);
}

// SAFETY: every call is passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        USED.fetch_sub(layout.size(), Relaxed);
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        grow(size);
        USED.fetch_sub(layout.size(), Relaxed);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

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
    let before = USED.load(Relaxed);
    MOST.store(before, Relaxed);
    let (cpu, clock) = (processor_time(), Instant::now());
    let result = work();
    let time = cpu.zip(processor_time()).map_or_else(|| clock.elapsed(), |(from, to)| to.saturating_sub(from));
    (Taken { time, bytes: MOST.load(Relaxed).saturating_sub(before) }, result)
}

/// What this thread has computed so far, as Linux counts it.
fn processor_time() -> Option<Duration> {
    let line = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    line.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}
