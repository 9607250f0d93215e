//! A TFLite file with any contents behind its identifier: a document or faults; its own plan can be checked.
#![no_main]

use libfuzzer_sys::fuzz_target;
use memplan::import::{self, Answers};
use memplan::plan::{check, metrics};

fuzz_target!(|bytes: &[u8]| {
    let mut bytes = bytes.to_vec();
    if bytes.len() >= 8 {
        bytes[4..8].copy_from_slice(b"TFL3");
    }
    survive(&bytes);
});

fn survive(bytes: &[u8]) {
    if let Ok(read) = import::read(bytes, Answers::default())
        && let Some((problem, plan)) = read.document.own_plan()
    {
        check(problem, plan);
        metrics(problem, plan);
    }
}
