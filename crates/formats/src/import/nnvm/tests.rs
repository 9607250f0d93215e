use std::collections::BTreeMap;

use super::super::{Answers, Document, Format, Imported, Parameters, Question, read};
use memplan_core::graph::{Dtype, Fault, Graph, Kind, TensorId};
use memplan_core::plan::{Plan, Unplanned, Violation, check};
use memplan_core::problem::Problem;

const SAMPLE: &str = include_str!("../../../../../tests/data/nnvm/graph_attrs.json");

fn imported(text: &str) -> Imported {
    read(text.as_bytes(), Answers::default()).unwrap_or_else(|faults| panic!("{faults:?}"))
}

fn planned(text: &str) -> (Graph, Problem, Plan) {
    match imported(text).document {
        Document::Planned(graph, problem, plan) => (graph, problem, plan),
        other => panic!("{other:?}"),
    }
}

fn faults(text: &str) -> Vec<(String, String)> {
    let place_and_key = |fault: Fault| (fault.path, fault.message.key.to_string());
    read(text.as_bytes(), Answers::default()).expect_err("a faulty file").into_iter().map(place_and_key).collect()
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
    let shared: Vec<_> = plan.shared.iter().map(|&(acceptor, donor)| (name(acceptor), name(donor))).collect();
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
    assert_eq!(
        plan.pools.iter().map(|pool| pool.name.as_str()).collect::<Vec<_>>(),
        ["storage 0", "storage 2", "storage 3"]
    );
    assert_eq!(check(&problem, &plan), []);
    let copied = planned(&chain("[0,1,2,3,2]", "[]"));
    assert_eq!(copied.1.buffers.len(), 4);
}

#[test]
fn takeovers_are_told_and_a_donor_that_lives_on_is_a_quirk() {
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
        let answers = Answers { parameters, ..Answers::default() };
        let read = read(text.as_bytes(), answers).expect("a valid file");
        assert!(read.questions.contains(&Question::Parameters));
        read.document.graph().expect("a graph").tensors.iter().take(2).map(|tensor| tensor.kind).collect::<Vec<_>>()
    };
    assert_eq!(kinds(Parameters::ByName), [Kind::Input, Kind::Weight]);
    assert_eq!(kinds(Parameters::Inputs), [Kind::Input, Kind::Input]);
    assert_eq!(kinds(Parameters::Weights), [Kind::Input, Kind::Weight]);
    // A storage that a weight shares with something else is drawn with both.
    let (_, problem, plan) = planned(&chain("[0,1,2,1,3]", "[]"));
    assert!(problem.buffers.iter().any(|buffer| buffer.kind == Kind::Weight));
    // They lie on different devices, and meet in time.
    let found = check(&problem, &plan);
    assert!(matches!(found[..], [Violation::SharedPool { .. }, Violation::Overlap { .. }]), "{found:?}");
}

#[test]
fn lanes_multiply_and_small_types_take_whole_bytes() {
    let wide =
        chain("[0,1,2,3,4]", "[]").replacen("\"float32\"", "\"int8x4\"", 1).replacen("\"float32\"", "\"int4\"", 1);
    let (graph, ..) = planned(&wide);
    assert_eq!(graph.tensors.iter().take(3).map(|tensor| tensor.bytes).collect::<Vec<_>>(), [Some(24), Some(3), None]);
    // An `x` of a name is no sign of lanes.
    let complex = chain("[0,1,2,3,4]", "[]").replacen("\"float32\"", "\"complex64\"", 1).replacen(
        "\"float32\"",
        "\"complex64x2\"",
        1,
    );
    let (graph, ..) = planned(&complex);
    assert_eq!(graph.tensors.iter().take(2).map(|tensor| tensor.bytes).collect::<Vec<_>>(), [None, Some(48)]);
    assert_eq!(graph.tensors[TensorId(0)].dtype, Dtype::Complex64);
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
        assert!(read(&text.as_bytes()[..end], Answers::default()).is_err(), "{end}");
    }
}

const SYMBOL: &str = include_str!("../../../../../tests/data/nnvm/symbol.json");

fn with_shapes(text: &str, shapes: &[(&str, &str)]) -> Imported {
    let shapes = shapes.iter().map(|(name, shape)| (name.to_string(), shape.to_string())).collect();
    let answers = Answers { shapes, ..Answers::default() };
    read(text.as_bytes(), answers).unwrap_or_else(|faults| panic!("{faults:?}"))
}

fn open(read: &Imported) -> Vec<&str> {
    let lists = read.questions.iter().filter_map(|question| match question {
        Question::Shapes(list) => Some(list.iter().map(|one| one.tensor.as_str())),
        _ => None,
    });
    lists.flatten().collect()
}

#[test]
fn a_symbol_asks_for_its_input_and_infers_the_rest_as_the_pass_did() {
    let asked = imported(SYMBOL);
    assert_eq!((asked.format, open(&asked)), (Format::SymbolJson, vec!["data"]));
    let read = with_shapes(SYMBOL, &[("data", "1, 3, 16, 16")]);
    assert!(open(&read).is_empty());
    let graph = read.document.graph().expect("a graph").clone();
    let (recorded, ..) = planned(SAMPLE);
    let tensors = |graph: &Graph| -> BTreeMap<String, (Kind, Vec<memplan_core::graph::Dim>)> {
        graph.tensors.iter().map(|tensor| (tensor.name.clone(), (tensor.kind, tensor.shape.clone()))).collect()
    };
    assert_eq!(tensors(&graph), tensors(&recorded));
}

/// A symbol of one node that reads variables `a`, `b`, …, as many as `inputs`.
fn one(op: &str, attrs: &str, inputs: usize, outputs: usize) -> String {
    let names = ["a", "b_weight", "c_bias", "d", "e"];
    let variables: Vec<_> =
        names[..inputs].iter().map(|name| format!(r#"{{"op":"null","name":"{name}","inputs":[]}}"#)).collect();
    let reads: Vec<_> = (0..inputs).map(|index| format!("[{index},0,0]")).collect();
    let rows: Vec<_> = (0..=inputs).chain([inputs + outputs]).map(|row| row.to_string()).collect();
    format!(
        r#"{{"nodes":[{},{{"op":"{op}","name":"y","attrs":{{{attrs}}},"inputs":[{}]}}],"arg_nodes":[],"node_row_ptr":[{}],"heads":[[{inputs},0,0]]}}"#,
        variables.join(","),
        reads.join(","),
        rows.join(",")
    )
}

/// Shapes of every entry in words, with `?` where unknown.
fn shapes(text: &str, stated: &[(&str, &str)]) -> String {
    let read = with_shapes(text, stated);
    let graph = read.document.graph().expect("a graph");
    graph.tensors.ids().map(|tensor| graph.shape_words(tensor)).collect::<Vec<_>>().join(" ")
}

#[test]
fn layers_give_their_outputs_and_their_weights_shapes() {
    let image = [("a", "2,6,9,9")];
    let cases = [
        (
            "Convolution",
            r#""kernel":"(3,3)","num_filter":"8","stride":"(2,2)","pad":"(1,1)","num_group":"2""#,
            3,
            "8×3×3×3 8 2×8×5×5",
        ),
        ("Convolution", r#""kernel":"(3,3)","num_filter":"8","dilate":"(2,2)","no_bias":"True""#, 2, "8×6×3×3 2×8×5×5"),
        (
            "conv2d",
            r#""kernel_size":"[3,3]","channels":"8","padding":"[1,1]","strides":"[1,1]""#,
            3,
            "8×6×3×3 8 2×8×9×9",
        ),
        (
            "Deconvolution",
            r#""kernel":"(4,4)","num_filter":"5","stride":"(2,2)","pad":"(1,1)","no_bias":"True""#,
            2,
            "6×5×4×4 2×5×18×18",
        ),
        ("FullyConnected", r#""num_hidden":"10""#, 3, "10×486 10 2×10"),
        ("FullyConnected", r#""num_hidden":"10","flatten":"False","no_bias":"True""#, 2, "10×9 2×6×9×10"),
        ("Pooling", r#""kernel":"(2,2)","stride":"(2,2)","pool_type":"max""#, 1, "2×6×4×4"),
        ("Pooling", r#""kernel":"(2,2)","stride":"(2,2)","pooling_convention":"full""#, 1, "2×6×5×5"),
        ("Pooling", r#""global_pool":"True","kernel":"(7,7)""#, 1, "2×6×1×1"),
        ("max_pool2d", r#""pool_size":"(3, 3)","strides":"(2, 2)","padding":"(1, 1)""#, 1, "2×6×5×5"),
        ("global_avg_pool2d", "", 1, "2×6×1×1"),
        ("LRN", r#""nsize":"5""#, 1, "2×6×9×9"),
        ("LeakyReLU", r#""act_type":"prelu""#, 2, "6 2×6×9×9"),
        ("UpSampling", r#""scale":"2","sample_type":"nearest""#, 1, "2×6×18×18"),
        ("SoftmaxOutput", r#""multi_output":"True""#, 2, "2×9×9 2×6×9×9"),
        ("Flatten", "", 1, "2×486"),
        ("Reshape", r#""shape":"(0, -1, 9)""#, 1, "2×54×9"),
        ("Reshape", r#""shape":"(-3, -2)""#, 1, "12×9×9"),
        ("Reshape", r#""shape":"(0, -4, 2, -1, -2)""#, 1, "2×2×3×9×9"),
        ("transpose", r#""axes":"(0, 2, 3, 1)""#, 1, "2×9×9×6"),
        ("slice_axis", r#""axis":"1","begin":"1","end":"-2""#, 1, "2×3×9×9"),
        ("slice", r#""begin":"(None, 2)","end":"(None, 5)""#, 1, "2×3×9×9"),
        ("mean", r#""axis":"(2, 3)","keepdims":"True""#, 1, "2×6×1×1"),
        ("sum", r#""axis":"1","exclude":"True""#, 1, "6"),
        ("Pad", r#""pad_width":"(0,0,0,0,1,2,3,4)""#, 1, "2×6×12×16"),
        ("_plus_scalar", r#""scalar":"1""#, 1, "2×6×9×9"),
        ("clip", r#""a_min":"0","a_max":"6""#, 1, "2×6×9×9"),
        ("elemwise_add", "", 2, "2×6×9×9 2×6×9×9"),
        ("no_such_operator", "", 1, "?"),
        ("Convolution", r#""kernel":"(3,3)","num_filter":"8","layout":"CHWN""#, 1, "?"),
        ("Pooling", r#""kernel":"(3,3)","layout":"CHWN""#, 1, "?"),
        ("Convolution", r#""kernel":"(30,30)","num_filter":"8""#, 1, "?"),
    ];
    for (op, attrs, inputs, expected) in cases {
        assert_eq!(shapes(&one(op, attrs, inputs, 1), &image), format!("2×6×9×9 {expected}"), "{op} {attrs}");
    }
    let parts = one("SliceChannel", r#""num_outputs":"3""#, 1, 3);
    assert_eq!(shapes(&parts, &image), "2×6×9×9 2×2×9×9 2×2×9×9 2×2×9×9");
    let table = one("Embedding", r#""input_dim":"100","output_dim":"16""#, 2, 1);
    assert_eq!(shapes(&table, &[("a", "4,7")]), "4×7 100×16 4×7×16");
    let two = one("broadcast_add", "", 2, 1);
    assert_eq!(shapes(&two, &[("a", "4,1,7"), ("b_weight", "5,1")]), "4×1×7 5×1 4×5×7");
    let lstm = one("RNN", r#""mode":"lstm","state_size":"5","num_layers":"2","bidirectional":"True""#, 4, 1);
    assert_eq!(shapes(&lstm, &[("a", "7,2,3")]), "7×2×3 1080 4×2×5 4×2×5 7×2×10");
    let joined = one("Concat", r#""dim":"1","num_args":"2""#, 2, 1);
    assert_eq!(shapes(&joined, &[("a", "2,3,4"), ("b_weight", "2,5,4")]), "2×3×4 2×5×4 2×8×4");
}

#[test]
fn operators_that_are_not_known_are_named_and_their_outputs_asked() {
    let read = with_shapes(&one("_contrib_Proposal", "", 1, 1), &[("a", "2,3")]);
    assert_eq!(open(&read), ["y"]);
    let warning =
        &read.warnings.iter().find(|fault| fault.message.key == "warning.shapes-unknown").expect("told").message;
    assert_eq!(warning.arg("ops"), Some(&memplan_core::base::Arg::Text("_contrib_Proposal".into())));
    let answered = with_shapes(&one("_contrib_Proposal", "", 1, 1), &[("a", "2,3"), ("y", "300, 5")]);
    assert!(open(&answered).is_empty() && answered.warnings.is_empty(), "{:?}", answered.warnings);
}
