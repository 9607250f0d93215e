//! How often the bytes of a file are copied between the page and a reader, counted as allocations
//! of the file's size.

use memplan_core::problem::Scope;
use memplan_engine::{Answer, Engine, NoListener, PlanTask, Request, Source, Task};
use memplan_formats::import::{Answers, sample_onnx};
use memplan_worker::{FileData, pack, unpack, with_files};

use crate::counting::counted;

/// The number of copies made by `work` of a file of `size` bytes.
fn copies<T>(size: usize, work: impl FnOnce() -> T) -> (usize, T) {
    let (counted, result) = counted(size, work);
    (counted.copies, result)
}

#[test]
fn a_large_file_is_copied_once_into_the_engine() {
    let small = vec![1u8; 1 << 20];
    assert_eq!((copies(1 << 20, || small.clone()).0, copies((1 << 20) + 1, || small.clone()).0), (1, 0));
    const SIZE: usize = 60 << 20;
    let bytes = sample_onnx(SIZE, 1 << 20, false);
    let half = bytes.len() / 2;
    let file = FileData::from(bytes);
    let request = || Request {
        source: Source::File { file: file.clone(), choices: Answers::default() },
        scope: Scope::default(),
        task: Task::Plan(PlanTask::of("first-fit")),
    };
    // In the page: the message has a handle of the file.
    let (sent, (message, files)) = copies(half, || pack(request()));
    assert_eq!(sent, 0);
    // In the worker: the copy out of the browser's memory, and none until the file has been read.
    let (received, reply) = copies(half, || {
        let files = files.iter().map(|file| file.bytes().expect("bytes").to_vec()).collect();
        let request = with_files(unpack(&message).expect("as packed"), files);
        Engine::default().answer(&request, &|| 0.0, &mut NoListener)
    });
    let Ok(Answer::Planned(done)) = reply else { panic!("a plan") };
    assert!(done.opened.is_some_and(|opened| opened.graph.is_some()));
    assert_eq!(received, 1);
}
