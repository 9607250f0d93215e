//! A job and its answer as the bytes that travel between page and worker.

use std::collections::BTreeMap;

use memplan::engine::{Deaf, Desk, Done, Failure, Job, Source};
use memplan::import::Answers;
use memplan::problem::Scope;
use wasm_bindgen_test::wasm_bindgen_test;

/// What arrives at the other side.
fn travelled<T: serde::Serialize + serde::de::DeserializeOwned>(value: &T) -> T {
    let bytes = postcard::to_stdvec(value).expect("plain data can be written");
    postcard::from_bytes(&bytes).expect("what was written can be read")
}

fn job(bytes: &[u8]) -> Job {
    let options = BTreeMap::from([("memory_pool".to_string(), "none".to_string())]);
    let source = Source::Bytes { bytes: bytes.to_vec(), choices: Answers::default() };
    Job {
        source,
        scope: Scope::default(),
        planner: "inductor-tree".into(),
        options,
        own_plan: false,
        window: None,
        diagram: false,
    }
}

#[wasm_bindgen_test]
fn a_job_and_its_answer_survive_the_way() {
    let sent = job(include_bytes!("../../www/graphs/resnet18.json"));
    let arrived = travelled(&sent);
    assert_eq!(format!("{arrived:?}"), format!("{sent:?}"));
    let answer: Result<Done, Failure> = Desk::default().work(&arrived, &mut Deaf);
    let heard = travelled(&answer);
    assert_eq!(format!("{heard:?}"), format!("{answer:?}"));
    let planned = heard.expect("the file is read").planned.expect("the planner applies");
    assert_eq!(planned.planner, "inductor-tree");
    assert!(!planned.events.is_empty());
}

#[wasm_bindgen_test]
fn faults_survive_the_way() {
    let answer: Result<Done, Failure> = Desk::default().work(&job(b"{\"format\":"), &mut Deaf);
    assert_eq!(travelled(&answer).map(|_| ()), answer.map(|_| ()));
}
