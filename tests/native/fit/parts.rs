//! Concatenations whose inputs lie in their output.

use memplan_core::graph::{Attr, Graph};
use memplan_core::problem::{Scope, lifetimes, stated_parts};
use memplan_core::text::{Locale, Speech};
use memplan_fit::{FitRecord, Runtime, report_markdown, report_text, verify};

use super::{graph_of, request, solve};

/// Eight rows, a byte an element: a has 2 channels, b 4, y all 6, z 1. `cat` are the attributes of
/// the concatenation, `rest` tensors and nodes besides.
fn joined(cat: &str, rest: (&str, &str)) -> Graph {
    let (tensors, nodes) = rest;
    graph_of(&format!(
        r#"{{"format":"memory-graph/1","name":"joined","tensors":[
        {{"name":"x","dtype":"int8","shape":[1,1,8,1],"kind":"input"}},
        {{"name":"wa","dtype":"int8","shape":[2,1,1,1],"kind":"weight"}},
        {{"name":"wb","dtype":"int8","shape":[4,1,1,1],"kind":"weight"}},
        {{"name":"wz","dtype":"int8","shape":[1,6,1,1],"kind":"weight"}},
        {{"name":"a","dtype":"int8","shape":[1,2,8,1],"kind":"intermediate"}},
        {{"name":"b","dtype":"int8","shape":[1,4,8,1],"kind":"intermediate"}},
        {{"name":"y","dtype":"int8","shape":[1,6,8,1],"kind":"intermediate"}},
        {tensors}
        {{"name":"z","dtype":"int8","shape":[1,1,8,1],"kind":"output"}}],
        "nodes":[
        {{"name":"make b","op":"conv2d","inputs":["x","wb"],"outputs":["b"]}},
        {{"name":"make a","op":"conv2d","inputs":["x","wa"],"outputs":["a"]}},
        {{"name":"join","op":"cat","inputs":["a","b"],"outputs":["y"]{cat}}},
        {nodes}
        {{"name":"make z","op":"conv2d","inputs":["y","wz"],"outputs":["z"]}}]}}"#
    ))
}

fn plain() -> Graph {
    joined("", ("", ""))
}

#[test]
fn inputs_lie_in_the_output_from_their_own_birth_on() {
    // As it is, 16 and 32 are alive beside 48.
    let apart = solve(&plain(), &request(96, "planner")).record;
    assert_eq!((apart.result.as_str(), apart.required.before), ("fits", 96));
    assert_eq!(solve(&plain(), &request(95, "planner")).record.result, "impossible");
    let answer = solve(&plain(), &request(56, "planner,views"));
    assert_eq!((answer.record.required.after, answer.record.price.macs, answer.record.optimal), (56, 0, true));
    let finished = answer.finished.expect("it fits");
    let join = finished.graph.nodes.iter().find(|node| node.op == "cat").expect("it stays");
    assert_eq!(join.attrs.get("parts"), Some(&Attr::Json("[[0,2],[2,6]]".into())));
    // The later part is made first: while it is alone, the bytes below it are free.
    let buffer = &finished.problem.buffers[finished.problem.buffer_named("y").expect("it has a place")];
    let used: Vec<_> = (0..4).map(|step| buffer.used_at(step)).collect();
    assert_eq!((buffer.size, used), (48, vec![16..48, 0..48, 0..48, 0..48]));
    assert_eq!(buffer.tensors.len(), 3);
    // What fits as it is is left as it is.
    let graph = solve(&plain(), &request(96, "planner,views")).finished.expect("it fits").graph;
    assert!(graph.nodes.iter().all(|node| stated_parts(node).is_none()));
}

#[test]
fn the_change_is_told_in_words() {
    let record = solve(&plain(), &request(56, "planner,views")).record;
    let moves: Vec<_> = record.moves.iter().map(|one| (one.lever.as_str(), &one.why.key, &one.tensors)).collect();
    assert_eq!(moves, [("views", &"fit.move-parts".to_string(), &vec!["y".to_string()])]);
    let words = |locale| report_text(&record, Runtime::Compiled, Speech { locale, ..Speech::default() });
    assert!(words(Locale::En).contains("1  inputs of concatenations lie in their output (1)"));
    assert!(words(Locale::Zh).contains("拼接的输入直接位于其输出中（1 处）"));
    let marked = report_markdown(&record, Runtime::Compiled, Speech { locale: Locale::En, ..Speech::default() });
    assert!(marked.contains("1. inputs of concatenations lie in their output"), "{marked}");
}

#[test]
fn a_bound_counts_no_copy_and_is_verified() {
    for allow in ["planner,views", "planner,order,views", "planner,inplace,views,recompute"] {
        let request = request(55, allow);
        let record = solve(&plain(), &request).record;
        let certificate = record.certificate.clone().expect(allow);
        let storages: Vec<(&str, u64)> =
            certificate.storages.iter().map(|one| (one.name.as_str(), one.bytes)).collect();
        assert_eq!(certificate.bound, 56, "{allow}");
        assert!(storages.contains(&("a", 16)) && storages.contains(&("b", 32)), "{storages:?}");
        assert_eq!(verify(&plain(), &request, &record), Ok(()));
        let mut other: FitRecord = record.clone();
        other.certificate.as_mut().expect("one").storages[0].bytes += 1;
        assert!(verify(&plain(), &request, &other).is_err());
        let mut other: FitRecord = record;
        other.certificate.as_mut().expect("one").bound += 1;
        assert!(verify(&plain(), &request, &other).is_err());
    }
}

/// The reason why views gain nothing at `graph`.
fn reason(graph: &Graph) -> String {
    let record = solve(graph, &request(1 << 20, "planner,views")).record;
    let row = record.levers.into_iter().find(|row| row.lever == "views").expect("a row");
    row.reason.map(|why| why.key).unwrap_or_default()
}

#[test]
fn what_copies_names_the_reason() {
    let tensor = |name: &str, shape: &str, kind: &str| {
        format!(r#"{{"name":"{name}","dtype":"int8","shape":{shape},"kind":"{kind}"}},"#)
    };
    let node = |op: &str, inputs: &str, output: &str, attrs: &str| {
        format!(r#"{{"name":"{output} node","op":"{op}","inputs":{inputs},"outputs":["{output}"]{attrs}}},"#)
    };
    let more = |tensors: &str, nodes: &str| reason(&joined("", (tensors, nodes)));
    assert_eq!(reason(&plain()), "");
    for attrs in [r#","attrs":{"axis":1}"#, r#","attrs":{"dim":"-3"}"#] {
        assert_eq!(reason(&joined(attrs, ("", ""))), "", "{attrs}");
    }
    assert_eq!(reason(&joined(r#","attrs":{"axis":2}"#, ("", ""))), "fit.parts-axis");
    assert_eq!(reason(&joined(r#","attrs":{"axis":-9}"#, ("", ""))), "fit.parts-axis");
    let again = tensor("v", "[1,6,8,1]", "output") + &tensor("unused", "[1]", "intermediate");
    let unused = node("relu", r#"["x"]"#, "unused", "");
    assert_eq!(more(&again, &(node("cat", r#"["a","b"]"#, "v", "") + &unused)), "fit.parts-twice");
    let pair = tensor("v", "[1,8,8,1]", "output");
    assert_eq!(more(&pair, &node("cat", r#"["y","a"]"#, "v", "")), "fit.parts-twice");
    let written = tensor("v", "[1,2,8,1]", "output");
    assert_eq!(more(&written, &node("relu_", r#"["a"]"#, "v", r#","attrs":{"alias":"true"}"#)), "fit.parts-shared");
    let mut kept = plain();
    let named = |graph: &Graph, name: &str| {
        graph.tensors.enumerate().find(|(_, tensor)| tensor.name == name).map(|(id, _)| id).expect("a tensor")
    };
    let (a, y) = (named(&kept, "a"), named(&kept, "y"));
    kept.tensors[a].kind = memplan_core::graph::Kind::Output;
    assert_eq!(reason(&kept), "fit.parts-kept");
    let mut typed = plain();
    typed.tensors[a].dtype = memplan_core::graph::Dtype::UInt8;
    assert_eq!(reason(&typed), "fit.parts-type");
    let mut aligned = plain();
    let b = named(&aligned, "b");
    aligned.tensors[b].align = Some(32);
    assert_eq!(reason(&aligned), "fit.parts-align");
    let mut padded = plain();
    padded.tensors[y].bytes = Some(64);
    assert_eq!(reason(&padded), "fit.parts-axis");
}

#[test]
fn a_concatenation_along_an_inner_axis_copies() {
    let of = |a: &str, b: &str, y: &str| {
        reason(&graph_of(&format!(
            r#"{{"format":"memory-graph/1","name":"axes","tensors":[
            {{"name":"x","dtype":"int8","shape":[4],"kind":"input"}},
            {{"name":"a","dtype":"int8","shape":{a},"kind":"intermediate"}},
            {{"name":"b","dtype":"int8","shape":{b},"kind":"intermediate"}},
            {{"name":"y","dtype":"int8","shape":{y},"kind":"output"}}],
            "nodes":[
            {{"name":"make a","op":"make","inputs":["x"],"outputs":["a"]}},
            {{"name":"make b","op":"make","inputs":["x"],"outputs":["b"]}},
            {{"name":"join","op":"concat","inputs":["a","b"],"outputs":["y"]}}]}}"#
        )))
    };
    assert_eq!(of("[2,3]", "[5,3]", "[7,3]"), "");
    assert_eq!(of("[1,1,2]", "[1,1,3]", "[1,1,5]"), "");
    assert_eq!(of("[2,3]", "[2,4]", "[2,7]"), "fit.parts-axis");
    assert_eq!(of("[2,3]", "[2,3]", "[3,4]"), "fit.parts-axis");
}

#[test]
fn an_attribute_that_cannot_be_followed_copies() {
    let buffers = |attrs: &str, change: &dyn Fn(&mut Graph)| {
        let mut graph = joined(attrs, ("", ""));
        change(&mut graph);
        lifetimes(&graph, &Scope::default()).expect("sizes").buffers.len()
    };
    let stated = |text: &str| format!(r#","attrs":{{"parts":{text}}}"#);
    assert_eq!(buffers(&stated("[[0,2],[2,6]]"), &|_| ()), 3);
    let wrong = ["[[0,3],[3,6]]", "[[0,2],[3,7]]", "[[0,2]]", "[[2,6],[0,2]]", "[[0,0],[0,6]]", "7", r#""0,2""#];
    for text in wrong {
        assert_eq!(buffers(&stated(text), &|_| ()), 5, "{text}");
    }
    let output = |graph: &mut Graph| {
        let tensor = graph.tensors.iter_mut().find(|tensor| tensor.name == "a").expect("a tensor");
        tensor.kind = memplan_core::graph::Kind::Output;
    };
    assert_eq!(buffers(&stated("[[0,2],[2,6]]"), &output), 5);
}

/// Planners that go through the graph either give a sound plan or say why they do not.
#[test]
fn every_planner_is_right_about_parts_or_refuses_them() {
    let finished = solve(&plain(), &request(56, "planner,views")).finished.expect("it fits");
    let problem = lifetimes(&finished.graph, &Scope::default()).expect("sizes");
    let mut refused = Vec::new();
    for planner in memplan_planners::REGISTRY {
        let info = planner.info();
        let options = info.options([]).expect("defaults");
        let input = memplan_planners::Input { problem: &problem, graph: Some(&finished.graph) };
        match planner.plan(input, &options, &mut memplan_core::trace::Silent) {
            Ok(plan) => assert_eq!(memplan_core::plan::check(&problem, &plan), [], "{}", info.id),
            Err(memplan_planners::PlanError::Refused(message)) if message.key == "fault.parts" => refused.push(info.id),
            Err(other) => panic!("{} {other:?}", info.id),
        }
    }
    assert_eq!(refused.len(), 6, "{refused:?}");
}

#[test]
fn a_format_of_whole_storages_refuses_parts() {
    let finished = solve(&plain(), &request(56, "planner,views")).finished.expect("it fits");
    let problem = lifetimes(&finished.graph, &Scope::default()).expect("sizes");
    let planner = memplan_planners::find("shared-objects-by-size").expect("a planner");
    let input = memplan_planners::Input { problem: &problem, graph: Some(&finished.graph) };
    let options = planner.info().options([]).expect("defaults");
    let plan = planner.plan(input, &options, &mut memplan_core::trace::Silent).expect("a plan");
    let refused = memplan_formats::export::graph_executor(&finished.graph, &problem, &plan).expect_err("refused");
    assert_eq!(refused.key, "fault.export-parts");
}
