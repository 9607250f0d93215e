use super::super::{Choices, Document, Format, Imported, Parameters, Question, read};
use crate::graph::{Fault, Graph, Kind};
use crate::plan::{Plan, Unplanned, check};
use crate::problem::Problem;

const SAMPLE: &str = include_str!("../../../tests/data/nnvm/graph_attrs.json");

fn imported(text: &str) -> Imported {
    read(text.as_bytes(), Choices::default()).unwrap_or_else(|faults| panic!("{faults:?}"))
}

fn planned(text: &str) -> (Graph, Problem, Plan) {
    match imported(text).document {
        Document::Planned(graph, problem, plan) => (graph, problem, plan),
        other => panic!("{other:?}"),
    }
}

fn faults(text: &str) -> Vec<(String, String)> {
    let told = |fault: Fault| (fault.path, fault.message.key.to_string());
    read(text.as_bytes(), Choices::default()).expect_err("a faulty file").into_iter().map(told).collect()
}

/// `x -> a -> b -> c`, where `c` takes over what `b` took over from `a`; `w` is a weight.
fn chain(storage: &str, takeover: &str) -> String {
    format!(
        r#"{{"nodes":[{{"op":"null","name":"x","inputs":[]}},{{"op":"null","name":"p0","inputs":[]}},
{{"op":"tvm_op","name":"a","attrs":{{"func_name":"fused_add","num_outputs":"1","num_inputs":"2","flatten_data":"0"}},"inputs":[[0,0,0],[1,0,0]]}},
{{"op":"tvm_op","name":"b","attr":{{"func_name":"relu","num_outputs":"1","num_inputs":"1","flatten_data":"0"}},"inputs":[[2,0]]}},
{{"op":"tvm_op","name":"c","attrs":{{"func_name":"__nop","num_outputs":"1","num_inputs":"1","flatten_data":"0"}},"inputs":[[3,0,0]]}}],
"arg_nodes":[0,1],"heads":[[4,0,0]],"node_row_ptr":[0,1,2,3,4,5],
"attrs":{{"shape":["list_shape",[[2,3],[3],[2,3],[2,3],[6]]],"dltype":["list_str",["float32","float32","float32","float32","float32"]],
"storage_id":["list_int",{storage}],"storage_inplace_index":["list_int",{takeover}],"device_index":["list_int",[1,1,2,2,2]]}}}}"#
    )
}

#[test]
fn the_pass_of_nnvm_and_its_storages_are_read() {
    let read = imported(SAMPLE);
    assert_eq!((read.format, read.warnings.len()), (Format::GraphExecutor, 2), "{:?}", read.warnings);
    let (graph, problem, plan) = planned(SAMPLE);
    assert_eq!((graph.nodes.len(), graph.tensors.len()), (7, 18));
    let weights = graph.tensors.iter().filter(|tensor| tensor.kind == Kind::Weight).count();
    assert_eq!(weights, 8);
    // storage_allocated_bytes of the file is the same, or a third warning would say so.
    assert_eq!(plan.pools.iter().map(|pool| pool.size).collect::<Vec<_>>(), [8192, 8192, 40, 32]);
    assert_eq!(plan.peak(&problem), 16456);
    assert_eq!(check(&problem, &plan), []);
    let name = |id| problem.buffers[id].name.as_str();
    let shared: Vec<_> = plan.shared.iter().map(|&(taker, giver)| (name(taker), name(giver))).collect();
    assert_eq!(shared, [("relu0", "bn0.0"), ("flat0", "pool0"), ("prob", "fc0")]);
    let left_out: Vec<_> = plan.unplanned.iter().map(|&(id, reason)| (name(id), reason)).collect();
    assert_eq!(left_out, [("data", Unplanned::InputOfCaller)]);
}

#[test]
fn lists_are_indexed_by_entry_and_nodes_that_do_nothing_are_views() {
    let (graph, problem, plan) = planned(&chain("[0,1,2,3,3]", "[]"));
    let devices: Vec<_> = graph.tensors.iter().map(|tensor| graph.devices[tensor.device].as_str()).collect();
    assert_eq!(devices, ["cpu", "cpu", "cuda", "cuda", "cuda"]);
    assert_eq!(graph.nodes.iter().map(|node| node.op.as_str()).collect::<Vec<_>>(), ["fused_add", "relu", "__nop"]);
    let names: Vec<_> = problem.buffers.iter().map(|buffer| (buffer.name.as_str(), buffer.tensors.len())).collect();
    assert_eq!(names, [("x", 1), ("a", 1), ("b", 2)]);
    assert_eq!(plan.pools.iter().map(|pool| pool.name.as_str()).collect::<Vec<_>>(), ["storage 0", "storage 2", "storage 3"]);
    assert_eq!(check(&problem, &plan), []);
    let copied = planned(&chain("[0,1,2,3,2]", "[]"));
    assert_eq!(copied.1.buffers.len(), 4);
}

#[test]
fn takeovers_are_told_and_a_giver_that_lives_on_is_a_quirk() {
    let (_, problem, plan) = planned(&chain("[-1,-1,0,0,1]", "[-1,-1,-1,0,-1]"));
    assert_eq!(plan.shared.len(), 1);
    assert_eq!(check(&problem, &plan), []);
    let late = chain("[-1,-1,0,0,1]", "[-1,-1,-1,0,-1]").replace("[[3,0,0]]", "[[3,0,0],[2,0,0]]");
    let (_, problem, plan) = planned(&late);
    let found = check(&problem, &plan);
    assert!(found.len() == 1 && found[0].is_quirk_of(&plan), "{found:?}");
}

#[test]
fn weights_are_told_from_inputs_by_name_or_by_the_user() {
    let text = chain("[0,1,2,3,4]", "[]");
    let kinds = |parameters| {
        let choices = Choices { parameters, ..Choices::default() };
        let read = read(text.as_bytes(), choices).expect("a valid file");
        assert!(read.questions.contains(&Question::Parameters));
        read.document.graph().expect("a graph").tensors.iter().take(2).map(|tensor| tensor.kind).collect::<Vec<_>>()
    };
    assert_eq!(kinds(Parameters::ByName), [Kind::Input, Kind::Weight]);
    assert_eq!(kinds(Parameters::Inputs), [Kind::Input, Kind::Input]);
    assert_eq!(kinds(Parameters::Weights), [Kind::Input, Kind::Weight]);
    // A storage that a weight shares with something else is drawn with both.
    let (_, problem, plan) = planned(&chain("[0,1,2,1,3]", "[]"));
    assert!(problem.buffers.iter().any(|buffer| buffer.kind == Kind::Weight));
    assert_eq!(check(&problem, &plan).len(), 1);
}

#[test]
fn lanes_multiply_and_small_types_take_whole_bytes() {
    let wide = chain("[0,1,2,3,4]", "[]").replacen("\"float32\"", "\"int8x4\"", 1).replacen("\"float32\"", "\"int4\"", 1);
    let (graph, ..) = planned(&wide);
    assert_eq!(graph.tensors.iter().take(3).map(|tensor| tensor.bytes).collect::<Vec<_>>(), [Some(24), Some(3), None]);
}

#[test]
fn faults_name_their_place() {
    let good = chain("[0,1,2,3,4]", "[]");
    let fault = |from: &str, to: &str| faults(&good.replace(from, to)).remove(0);
    let of = |path: &str, key: &str| (path.to_string(), key.to_string());
    assert_eq!(fault("[[3,0,0]]", "[[3,1,0]]"), of("nodes[4].inputs[0]", "fault.nnvm-reference"));
    assert_eq!(fault("[[2,0]]", "[[4,0]]"), of("nodes[3].inputs", "fault.nnvm-order"));
    assert_eq!(fault("[[2,0]]", "[\"a\"]"), of("nodes[3].inputs[0]", "fault.wrong-type"));
    assert_eq!(fault("[[4,0,0]]", "[[18446744073709551615,0,0]]"), of("heads[0]", "fault.nnvm-reference"));
    assert_eq!(fault("[0,1,2,3,4,5]", "[0,1,2,3,4,99999999]"), of("nodes", "fault.too-many"));
    assert_eq!(fault("[0,1,2,3,4,5]", "[0,1,2,3,4]"), of("node_row_ptr", "fault.nnvm-rows"));
    assert_eq!(fault("[0,1,2,3,4]", "[0,1,2,3]"), of("attrs.storage_id", "fault.nnvm-entries"));
    assert_eq!(fault("\"float32\"]", "\"quaternion\"]"), of("attrs.dltype[4]", "fault.dtype"));
    assert_eq!(fault("[[2,3],[3]", "[[2,9007199254740993],[3]").1, "fault.too-large");
    assert_eq!(faults(r#"{"nodes":[],"arg_nodes":[]}"#), [of("nodes", "fault.nnvm-no-nodes")]);
}

#[test]
fn every_cut_is_a_fault() {
    let text = chain("[0,1,2,3,4]", "[]");
    for end in 0..text.len() {
        assert!(read(&text.as_bytes()[..end], Choices::default()).is_err(), "{end}");
    }
}
