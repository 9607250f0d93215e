//! Any bytes as a plan file: a plan that can be checked or faults, never a panic; what is written of it reads back equal.
#![no_main]

use libfuzzer_sys::fuzz_target;
use memplan::export;
use memplan::import::{self, Answers, Document};
use memplan::plan::{PlanFile, check, metrics};

fuzz_target!(|bytes: &[u8]| {
    let Ok(read) = import::read(bytes, Answers::default()) else { return };
    let Document::Plan(problem, plan) = read.document else { return };
    check(&problem, &plan);
    metrics(&problem, &plan);
    let file = PlanFile::new(&problem, &plan, "", Default::default(), |message| message.key.to_string());
    let again = import::read(export::plan(&file).as_bytes(), Answers::default());
    let Ok(Document::Plan(_, same)) = again.map(|read| read.document) else { panic!("not read back") };
    assert_eq!(same.places, plan.places);
});
