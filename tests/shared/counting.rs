//! Counts what a thread asks of the allocator. Other threads, such as those of tests that run
//! beside, do not count.

// An allocator is unsafe by its trait.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What a thread has asked for so far, in bytes.
#[derive(Clone, Copy)]
struct Counts {
    /// Bytes in use. Memory that another thread allocated may be freed here.
    now: isize,
    /// Most bytes in use at once since [`counted`] began.
    most: isize,
    /// All bytes ever asked for: memory that is filled and freed again and again counts each time.
    total: usize,
    /// Allocations of at least `large` bytes.
    copies: usize,
    large: usize,
}

thread_local! {
    // Without a destructor, so that the allocator may use it at any time.
    static COUNTS: Cell<Counts> = const { Cell::new(Counts { now: 0, most: 0, total: 0, copies: 0, large: usize::MAX }) };
}

/// Memory that was asked for by some work. Not every program looks at every count.
#[derive(Clone, Copy, Default)]
#[allow(dead_code)]
pub struct Counted {
    /// Most bytes at once, beyond those in use before.
    pub most: usize,
    /// All bytes asked for.
    pub total: usize,
    /// Allocations of at least the size that was given to [`counted`].
    pub copies: usize,
}

/// Does some work on this thread and counts what it allocates. Calls are not nested.
pub fn counted<T>(large: usize, work: impl FnOnce() -> T) -> (Counted, T) {
    let before = COUNTS.get();
    COUNTS.set(Counts { most: before.now, copies: 0, large, ..before });
    let result = work();
    let after = COUNTS.get();
    COUNTS.set(Counts { large: usize::MAX, ..after });
    let most = usize::try_from(after.most - before.now).unwrap_or_default();
    (Counted { most, total: after.total - before.total, copies: after.copies }, result)
}

fn grow(size: usize, is_new: bool) {
    let mut counts = COUNTS.get();
    counts.now += size as isize;
    counts.most = counts.most.max(counts.now);
    counts.total += size;
    counts.copies += usize::from(is_new && size >= counts.large);
    COUNTS.set(counts);
}

fn shrink(size: usize) {
    let counts = COUNTS.get();
    COUNTS.set(Counts { now: counts.now - size as isize, ..counts });
}

// SAFETY: every call is passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grow(layout.size(), true);
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        grow(layout.size(), true);
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Large blocks are moved by the system without a copy.
        shrink(layout.size());
        grow(size, false);
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        shrink(layout.size());
        unsafe { System.dealloc(pointer, layout) }
    }
}
