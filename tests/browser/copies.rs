//! How often the bytes of a file are copied on their way through the browser, counted by the
//! functions that copy them.

use js_sys::{Array, Function, Uint8Array};
use memplan_core::problem::Scope;
use memplan_engine::{PlanTask, Request, Source, Task};
use memplan_formats::import::Answers;
use memplan_worker::{FileData, pack};
use wasm_bindgen::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::Blob;

#[wasm_bindgen(inline_js = "
// Counts calls that copy at least `size` bytes between arrays. Programs copy into and out of their
// memory by `set` and `slice`.
export function startCounting(size) {
  const array = Uint8Array.prototype, { set, slice } = Object.getPrototypeOf(array);
  globalThis.copies = 0;
  array.set = function (from, ...rest) { if (from.length >= size) globalThis.copies += 1; return set.call(this, from, ...rest); };
  array.slice = function (...range) { const copy = slice.apply(this, range); if (copy.length >= size) globalThis.copies += 1; return copy; };
}
export function stopCounting() {
  delete Uint8Array.prototype.set;
  delete Uint8Array.prototype.slice;
  return globalThis.copies;
}
")]
extern "C" {
    #[wasm_bindgen(js_name = startCounting)]
    fn start_counting(size: u32);
    #[wasm_bindgen(js_name = stopCounting)]
    fn stop_counting() -> u32;
}

#[wasm_bindgen(module = "/crates/engine/src/readers.js")]
extern "C" {
    #[wasm_bindgen(js_name = callReader)]
    fn call_reader(read: &Function, file: &[u8], choices: &[u8]) -> Vec<u8>;
}

const SIZE: u32 = 8 << 20;

#[wasm_bindgen_test]
async fn a_chosen_file_is_posted_as_a_handle_and_copied_once_into_the_engine() {
    let blob = Blob::new_with_u8_array_sequence(&Array::of1(&Uint8Array::new_with_length(SIZE))).expect("a blob");
    let file = FileData::from(blob);
    let request = Request {
        source: Source::File { file, choices: Answers::default() },
        scope: Scope::default(),
        task: Task::Plan(PlanTask::of("first-fit")),
    };
    start_counting(SIZE);
    let (message, files) = pack(request);
    let posted = files[0].to_js();
    assert!(posted.is_instance_of::<Blob>() && message.len() < 1_000);
    let read = files[0].read().await.expect("a blob can be read");
    assert_eq!(copies_so_far(), 0, "on the way to the worker");
    let bytes = read.to_vec();
    assert_eq!((bytes.len() as u32, stop_counting()), (SIZE, 1));
}

#[wasm_bindgen_test]
fn a_file_is_passed_to_the_reader_as_a_view() {
    let bytes = vec![7u8; SIZE as usize];
    // What `read` does with its arguments is the reader's own copy.
    let read = Function::new_with_args("file, choices", "return new Uint8Array([file.length / 2 ** 20, file[0]])");
    start_counting(SIZE);
    let answer = call_reader(&read, &bytes, &[]);
    assert_eq!((answer, stop_counting()), (vec![8, 7], 0));
}

fn copies_so_far() -> u32 {
    let copies = js_sys::Reflect::get(&js_sys::global(), &"copies".into()).ok();
    copies.and_then(|copies| copies.as_f64()).map_or(u32::MAX, |copies| copies as u32)
}
