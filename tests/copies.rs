//! How often the bytes of a file are copied between the page and a reader, counted as allocations
//! of the file's size.

// An allocator is unsafe by its trait.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use memplan::engine::{Engine, NoListener, PlanRequest, Source};
use memplan::import::{Answers, sample_onnx};
use memplan::problem::Scope;
use memplan::worker::{FileData, WorkerCommand, WorkerReply, pack, unpack, with_files};

/// Counts allocations of at least `LARGE` bytes: a copy of a file needs one.
struct Counting;

static LARGE: AtomicUsize = AtomicUsize::new(usize::MAX);
static COUNT: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.size() >= LARGE.load(Relaxed) {
            COUNT.fetch_add(1, Relaxed);
        }
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The number of copies made by `work` of a file of `size` bytes.
fn copies<T>(size: usize, work: impl FnOnce() -> T) -> (usize, T) {
    LARGE.store(size, Relaxed);
    COUNT.store(0, Relaxed);
    let result = work();
    LARGE.store(usize::MAX, Relaxed);
    (COUNT.load(Relaxed), result)
}

#[test]
fn a_large_file_is_copied_once_into_the_engine() {
    // The counter is shared by all tests of this file, so there is only one.
    let small = vec![1u8; 1 << 20];
    assert_eq!((copies(1 << 20, || small.clone()).0, copies((1 << 20) + 1, || small.clone()).0), (1, 0));
    const SIZE: usize = 60 << 20;
    let bytes = sample_onnx(SIZE, 1 << 20, false);
    let half = bytes.len() / 2;
    let file = FileData::from(bytes);
    let request = || PlanRequest {
        source: Source::File { file: file.clone(), choices: Answers::default() },
        scope: Scope::default(),
        planner: "first-fit".into(),
        options: Default::default(),
        own_plan: false,
        window: None,
        diagram: false,
    };
    // In the page: the message has a handle of the file.
    let (sent, (message, files)) = copies(half, || pack(WorkerCommand::Plan(request())));
    assert_eq!(sent, 0);
    // In the worker: the copy out of the browser's memory, and none until the file has been read.
    let (received, reply) = copies(half, || {
        let files = files.iter().map(|file| file.bytes().to_vec()).collect();
        with_files(unpack(&message).expect("as packed"), files).run(&mut Engine::default(), &|| 0.0, &mut NoListener)
    });
    let WorkerReply::Planned(done) = reply else { panic!("the reply to a plan request") };
    assert!(done.is_ok_and(|done| done.opened.is_some_and(|opened| opened.graph.is_some())));
    assert_eq!(received, 1);
}
