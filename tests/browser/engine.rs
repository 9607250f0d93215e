//! A request and its answer as the bytes that travel between page and worker.

use std::collections::BTreeMap;

use memplan_core::problem::Scope;
use memplan_engine::{Answer, Engine, Failure, NoListener, PlanTask, Request, Source, Task};
use memplan_formats::import::Answers;
use wasm_bindgen_test::wasm_bindgen_test;

/// What arrives at the other side.
fn travelled<T: serde::Serialize + serde::de::DeserializeOwned>(value: &T) -> T {
    let bytes = postcard::to_stdvec(value).expect("plain data can be written");
    postcard::from_bytes(&bytes).expect("what was written can be read")
}

fn request(bytes: &[u8]) -> Request {
    let options = BTreeMap::from([("memory_pool".to_string(), "none".to_string())]);
    let source = Source::File { file: bytes.to_vec(), choices: Answers::default() };
    let task = PlanTask { options, ..PlanTask::of("inductor-tree") };
    Request { source, scope: Scope::default(), task: Task::Plan(task) }
}

fn answer(request: &Request) -> Result<Answer, Failure> {
    Engine::default().answer(request, &|| 0.0, &mut NoListener)
}

#[wasm_bindgen_test]
fn a_request_and_its_answer_survive_the_way() {
    let sent = request(include_bytes!("../../www/graphs/resnet18.json"));
    let arrived = travelled(&sent);
    assert_eq!(format!("{arrived:?}"), format!("{sent:?}"));
    let answer = answer(&arrived);
    let received = travelled(&answer);
    assert_eq!(format!("{received:?}"), format!("{answer:?}"));
    let Ok(Answer::Planned(done)) = received else { panic!("a plan") };
    let planned = done.planned.expect("the planner applies");
    assert_eq!(planned.planner, "inductor-tree");
    assert!(!planned.events.is_empty());
}

#[wasm_bindgen_test]
fn faults_survive_the_way() {
    let answer = answer(&request(b"{\"format\":"));
    assert_eq!(travelled(&answer).map(|_| ()), answer.map(|_| ()));
}
