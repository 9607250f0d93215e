//! What makes a graph fit: the worked example of docs/fit.md, certificates, and changed graphs that compute the same.

use std::collections::{BTreeMap, BTreeSet};

use memplan::fit::{Answer, Bounds, Budget, Lever, Prefer, Request, StoredIn, fit, verify};
use memplan::graph::Graph;
use memplan::import::{self, Answers, Document};
use memplan::plan::check;
use memplan::problem::Scope;

fn graph_of(text: &str) -> Graph {
    match import::read(text.as_bytes(), Answers::default()).unwrap_or_else(|faults| panic!("{faults:?}")).document {
        Document::Graph(graph) => graph,
        other => panic!("{other:?}"),
    }
}

fn request(bytes: u64, allow: &str) -> Request {
    let memory = |name: &str, size, cost| StoredIn { name: name.into(), size, cost };
    Request {
        budget: Budget { memories: vec![memory("SRAM", bytes, 1), memory("DRAM", 1 << 40, 4)], ..Budget::default() },
        allow: Lever::list(allow).expect("levers"),
        limits: Bounds::default(),
        prefer: Prefer::Macs,
        scope: Scope::default(),
        curve: false,
    }
}

const FREE: &str = "planner,order,inplace,views";

fn with(paid: &str) -> String {
    format!("{FREE},{paid}")
}

fn solve(graph: &Graph, request: &Request) -> Answer {
    let answer = fit(graph, request, &|| false).unwrap_or_else(|message| panic!("{message:?}"));
    if let Some(finished) = &answer.finished {
        assert_eq!(check(&finished.problem, &finished.plan), []);
        assert!(finished.peak <= answer.record.budget.available);
    }
    assert_eq!(answer.finished.is_some(), answer.record.result == "fits");
    answer
}

/// Eight rows, a byte an element; channels x 1, p 2, a b c 4, d e 2.
const WORKED: &str = r#"{"format":"memory-graph/1","name":"worked","tensors":[
{"name":"x","dtype":"int8","shape":[1,1,8,1],"kind":"input"},
{"name":"wp","dtype":"int8","shape":[2,1,1,1],"kind":"weight"},
{"name":"wa","dtype":"int8","shape":[4,2,3,1],"kind":"weight"},
{"name":"wc","dtype":"int8","shape":[4,4,3,1],"kind":"weight"},
{"name":"wd","dtype":"int8","shape":[2,4,1,1],"kind":"weight"},
{"name":"p","dtype":"int8","shape":[1,2,8,1],"kind":"intermediate"},
{"name":"a","dtype":"int8","shape":[1,4,8,1],"kind":"intermediate"},
{"name":"b","dtype":"int8","shape":[1,4,8,1],"kind":"intermediate"},
{"name":"c","dtype":"int8","shape":[1,4,8,1],"kind":"intermediate"},
{"name":"d","dtype":"int8","shape":[1,2,8,1],"kind":"intermediate"},
{"name":"e","dtype":"int8","shape":[1,2,8,1],"kind":"output"}],
"nodes":[
{"name":"p","op":"conv2d","inputs":["x","wp"],"outputs":["p"]},
{"name":"a","op":"conv2d","inputs":["p","wa"],"outputs":["a"]},
{"name":"b","op":"relu","inputs":["a"],"outputs":["b"],"inplace":[[0,0]]},
{"name":"c","op":"conv2d","inputs":["b","wc"],"outputs":["c"]},
{"name":"d","op":"conv2d","inputs":["c","wd"],"outputs":["d"]},
{"name":"e","op":"add","inputs":["d","p"],"outputs":["e"],"inplace":[[0,0],[1,0]]}]}"#;

#[test]
fn the_worked_example_has_the_figures_of_the_document() {
    let graph = graph_of(WORKED);
    let of = |bytes, allow: &str| solve(&graph, &request(bytes, allow)).record;
    let figures = |bytes, paid: &str| {
        let record = of(bytes, &with(paid));
        (record.result.clone(), record.required.after, record.price.macs, record.price.bytes_moved)
    };
    let fits = |peak, macs, bytes| ("fits".to_string(), peak, macs, bytes);
    assert_eq!(of(80, "planner").required.after, 80);
    assert_eq!(figures(80, "stripes"), fits(80, 0, 0));
    // c, d and e in four stripes read the weights less often than in eight, which 70 bytes need.
    assert_eq!(figures(72, "stripes"), fits(72, 0, 0));
    assert_eq!(figures(70, "stripes"), fits(70, 0, 0));
    assert_eq!(figures(72, "recompute"), fits(72, 16, 0));
    assert_eq!(figures(64, "spill"), fits(64, 0, 32));
    assert_eq!(figures(64, "stripes"), fits(64, 96, 0));
    assert_eq!(figures(68, "stripes"), fits(68, 48, 0));
    assert_eq!(figures(56, "stripes"), fits(56, 144, 0));
    assert_eq!(figures(48, "stripes"), fits(48, 336, 0));
    let out = of(47, &with("stripes"));
    assert_eq!((out.result.as_str(), out.required.after), ("impossible", 48));
    let out = of(79, FREE);
    let certificate = out.certificate.expect("a certificate");
    let storages: Vec<(&str, u64, &str)> =
        certificate.storages.iter().map(|one| (one.name.as_str(), one.bytes, one.role.as_str())).collect();
    assert_eq!((certificate.op.as_str(), certificate.bound), ("c", 80));
    assert_eq!(storages, [("p", 16, "resting"), ("a", 32, "read"), ("c", 32, "made")]);
    // With everything, of either preference the cheaper.
    let all = of(64, "all");
    assert_eq!((all.result.as_str(), all.price.macs), ("fits", 0));
    let by_bytes = solve(&graph, &Request { prefer: Prefer::Bytes, ..request(64, "all") }).record;
    assert_eq!(by_bytes.price.bytes_moved, 0);
    assert!(by_bytes.price.macs <= 96, "{by_bytes:?}");
}

fn loads(answer: &Answer) -> Vec<u64> {
    let finished = answer.finished.as_ref().expect("a plan");
    let fast = |buffer: &memplan::problem::Buffer| finished.problem.memories[buffer.memory].device != "DRAM";
    let at = |step| {
        finished
            .problem
            .buffers
            .iter()
            .filter(|buffer| fast(buffer) && buffer.live.contains(step))
            .map(|b| b.size)
            .sum()
    };
    (0..finished.problem.steps).map(at).collect()
}

#[test]
fn the_worked_example_has_these_loads_step_by_step() {
    let graph = graph_of(WORKED);
    let of = |bytes, allow: &str| loads(&solve(&graph, &request(bytes, allow)));
    assert_eq!(of(80, "planner"), [24, 48, 80, 80, 64, 48]);
    assert_eq!(of(80, "planner,inplace"), [24, 48, 48, 80, 64, 32]);
    assert_eq!(of(72, &with("recompute")), [24, 56, 40, 72, 56, 40, 32]);
    assert_eq!(of(64, &with("spill")), [24, 48, 48, 32, 64, 48, 32, 32]);
}

#[test]
fn a_certificate_is_verified_and_refused_after_any_change() {
    let graph = graph_of(WORKED);
    for (bytes, allow) in [(79, FREE), (79, "planner"), (47, "planner,inplace,stripes"), (63, "planner,inplace,spill")]
    {
        let request = request(bytes, allow);
        let record = solve(&graph, &request).record;
        assert_eq!(record.result, "impossible", "{bytes} {allow}");
        assert_eq!(verify(&graph, &request, &record, &|| false), Ok(()));
        let mut other = record.clone();
        let certificate = other.certificate.as_mut().expect("one");
        certificate.op = "p".into();
        assert!(verify(&graph, &request, &other, &|| false).is_err());
        for index in 0..record.certificate.as_ref().map_or(0, |one| one.storages.len()) {
            let mut other = record.clone();
            other.certificate.as_mut().expect("one").storages[index].bytes += 1;
            assert!(verify(&graph, &request, &other, &|| false).is_err());
        }
        let mut other = record.clone();
        other.budget.available += 1;
        assert!(verify(&graph, &request, &other, &|| false).is_err());
        let mut larger = graph.clone();
        for tensor in larger.tensors.iter_mut().filter(|tensor| tensor.kind != memplan::graph::Kind::Weight) {
            tensor.bytes = Some(40);
        }
        assert!(verify(&larger, &request, &record, &|| false).is_err());
    }
}

#[test]
fn bad_budgets_are_refused_in_a_sentence() {
    let graph = graph_of(WORKED);
    let key = |request: &Request| fit(&graph, request, &|| false).expect_err("refused").key.to_string();
    let mut none = request(64, "all");
    none.budget.memories.clear();
    assert_eq!(key(&none), "fit.memory-missing");
    let mut twice = request(64, "all");
    twice.budget.memories[1].name = "SRAM".into();
    assert_eq!(key(&twice), "fit.memory-twice");
    let mut full = request(64, "all");
    full.budget.persistent = Some(64);
    assert_eq!(key(&full), "fit.nothing-left");
    let mut scratch = request(64, "all");
    scratch.budget.by_operator = BTreeMap::from([("nobody".to_string(), 8)]);
    assert_eq!(key(&scratch), "fit.scratch-unknown");
    let mut device = request(64, "all");
    device.budget.memories[1].name = "cpu".into();
    assert_eq!(key(&device), "fit.memory-device");
    let mut vast = request(64, "all");
    vast.budget.memories[0].size = u64::MAX;
    assert_eq!(key(&vast), "fit.memory-vast");
    assert_eq!(Lever::list("planner,magic").expect_err("no lever").key, "fit.no-lever");
    assert_eq!(Lever::list("planner").expect("one"), BTreeSet::from([Lever::Planner]));
}
