//! Two models as TensorFlow 2.21.0 converted them, against what was read from them by its own
//! reader, and our planner against the addresses that its interpreter gave their tensors
//! (`tests/data/tflite`, one recording beside each file). What TensorFlow Lite Micro asks for is
//! compared with its recording interpreter.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::PathBuf;

use base64::Engine;
use base64::prelude::BASE64_STANDARD as BASE64;
use memplan_core::graph::{Dim, Graph, Kind};
use memplan_core::plan::{Plan, check};
use memplan_core::problem::{Buffer, Live, Problem, Scope, lifetimes, lower_bound};
use memplan_core::trace::Silent;
use memplan_fit::transform::{Layout, RowRule, rule_of};
use memplan_formats::import::{self, Answers, Document};
use memplan_formats::tflm::{self, Model, Who};
use memplan_planners::{Input, find};
use serde_json::Value;

const FILES: [&str; 2] = ["small_cnn_float32", "small_cnn_int8"];

fn file(name: &str) -> Vec<u8> {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("tests/data/tflite").join(name);
    std::fs::read(path).expect("the file is there")
}

fn model(name: &str) -> Graph {
    let read = import::read(&file(&format!("{name}.tflite")), Answers::default()).expect("readable");
    assert!(read.warnings.is_empty() && read.questions.is_empty(), "{name}: {:?} {:?}", read.warnings, read.questions);
    match read.document {
        Document::Graph(graph) => graph,
        other => panic!("{name}: {other:?}"),
    }
}

fn recording(name: &str) -> Value {
    let packed = file(&format!("{name}.expected.json.gz"));
    let mut text = String::new();
    flate2::read::GzDecoder::new(&packed[..]).read_to_string(&mut text).expect("gzip");
    serde_json::from_str(&text).expect("JSON")
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], |list| list)
}

fn whole(value: &Value, key: &str) -> u64 {
    value[key].as_u64().unwrap_or_else(|| panic!("{key} in {value}"))
}

#[test]
fn tensors_and_operators_are_as_recorded() {
    for name in FILES {
        let (graph, recorded) = (model(name), recording(name));
        let tensors: Vec<&Value> =
            list(&recorded, "tensors").iter().filter(|there| there["temporary"] != true).collect();
        assert_eq!(
            (graph.tensors.len(), tensors.len()),
            (whole(&recorded, "tensor_count") as usize, graph.tensors.len())
        );
        let mut constant = 0;
        for ((id, tensor), there) in graph.tensors.enumerate().zip(&tensors) {
            let shape: Vec<Dim> = list(there, "shape").iter().filter_map(Value::as_u64).map(Dim::Fixed).collect();
            let bytes = graph.bytes_of(id, &BTreeMap::new()).expect("a size");
            assert_eq!(tensor.name, there["name"].as_str().expect("a name"));
            assert_eq!((tensor.dtype.name(), &tensor.shape), (there["dtype"].as_str().expect("a type"), &shape));
            assert_eq!(tensor.kind == Kind::Weight, there["constant"] == true, "{}", tensor.name);
            match there["bytes"].as_u64() {
                Some(stated) => assert_eq!(bytes, stated, "{}", tensor.name),
                None => constant += bytes,
            }
        }
        assert_eq!(constant, whole(&recorded, "constant_bytes"));
        let operators = list(&recorded, "operators");
        assert_eq!(graph.nodes.len(), operators.len());
        for (node, there) in graph.nodes.iter().zip(operators) {
            let indices = |key: &str| -> Vec<u32> {
                list(there, key).iter().filter_map(|index| index.as_i64()?.try_into().ok()).collect()
            };
            let ids = |tensors: &[memplan_core::graph::TensorId]| tensors.iter().map(|id| id.0).collect::<Vec<u32>>();
            assert_eq!(node.op, there["op"].as_str().expect("a name"));
            assert_eq!(
                (ids(&node.inputs), ids(&node.outputs)),
                (indices("inputs"), indices("outputs")),
                "{}",
                node.name
            );
        }
    }
}

#[test]
fn live_ranges_and_bytes_are_as_recorded() {
    for name in FILES {
        let (graph, recorded) = (model(name), recording(name));
        let problem = lifetimes(&graph, &Scope::default()).expect("sizes are known");
        assert_eq!(problem.unshared(), whole(&recorded, "activation_bytes"));
        assert_eq!(lower_bound(&problem), whole(&recorded, "live_peak_bytes"));
        for buffer in problem.buffers.iter() {
            let there = &list(&recorded, "tensors")[buffer.tensors[0].0 as usize];
            let (first, last) = (there["first"].as_i64().expect("a step"), whole(there, "last") as u32);
            let live = Live::new(first.max(0) as u32, (last + 1).min(problem.steps));
            assert_eq!(buffer.live, live, "{}", buffer.name);
        }
    }
}

#[test]
fn what_may_be_overwritten_is_what_the_interpreter_overwrites() {
    for name in FILES {
        let (graph, recorded) = (model(name), recording(name));
        let problem = lifetimes(&graph, &Scope::default()).expect("sizes are known");
        let plan = interpreter(&graph, &problem);
        let name_of = |id| problem.buffers[id].name.as_str();
        let shared: Vec<_> = plan.shared.iter().map(|&(acceptor, donor)| (name_of(donor), name_of(acceptor))).collect();
        let text = |pair: &Value, key: &str| pair[key].as_str().map(str::to_string).expect("a name");
        let pairs = list(&recorded, "in_place_pairs").iter().map(|pair| (text(pair, "input"), text(pair, "output")));
        assert_eq!(shared, pairs.collect::<Vec<_>>().iter().map(|(a, b)| (&a[..], &b[..])).collect::<Vec<_>>());
    }
}

fn interpreter(graph: &Graph, problem: &Problem) -> Plan {
    let planner = find("tflite-arena").expect("listed");
    let options = planner.info().options([("keep_inputs", "true"), ("inplace", "true")]).expect("declared");
    let plan = planner.plan(Input { problem, graph: Some(graph) }, &options, &mut Silent).expect("applicable");
    assert_eq!(check(problem, &plan), []);
    plan
}

/// The operator that asks for a scratch tensor. The interpreter does not tell; the shapes do: a
/// convolution unrolls its patches, `height × width × (window × channels)`, and what is left
/// belongs to the only MEAN.
fn asks_for(graph: &Graph, shape: &[Value]) -> u32 {
    let extent = |at: usize| shape.get(at).and_then(Value::as_u64);
    let unrolls = |node: &memplan_core::graph::Node| {
        let fixed = |tensor: memplan_core::graph::TensorId, axis: usize| match graph.tensors[tensor].shape.get(axis) {
            Some(Dim::Fixed(extent)) => *extent,
            _ => 0,
        };
        let window = || (1..4).map(|axis| fixed(node.inputs[1], axis)).product();
        node.op == "CONV_2D" && extent(3) == Some(window()) && extent(1) == Some(fixed(node.outputs[0], 1))
    };
    let asking = |node: &memplan_core::graph::Node| if shape.len() == 4 { unrolls(node) } else { node.op == "MEAN" };
    graph.nodes.iter().position(asking).expect("an operator asks for it") as u32
}

/// The interpreter's own addresses, with its optimised kernels and with the reference kernels,
/// which ask for less scratch. Scratch tensors are no part of the file, so they are added here. Of
/// equal sizes that begin at the same operator its unstable sort took a scratch tensor before a
/// result, hence they stand first.
#[test]
fn our_planner_gives_the_addresses_of_the_interpreter() {
    for name in FILES {
        let (graph, recorded) = (model(name), recording(name));
        let tensors = list(&recorded, "tensors");
        let temporary: Vec<&Value> = tensors.iter().filter(|there| there["temporary"] == true).collect();
        let reference = list(&recorded, "temporaries_ref").iter().collect();
        for (key, span, scratch) in
            [("arena_offset", "arena_span_bytes", temporary), ("arena_offset_ref", "arena_span_ref_bytes", reference)]
        {
            let read = lifetimes(&graph, &Scope::default()).expect("sizes are known");
            let mut problem = Problem { buffers: Default::default(), inplace: Vec::new(), ..read.clone() };
            for there in &scratch {
                let step = asks_for(&graph, list(there, "shape"));
                let live = Live::new(step, step + 1);
                let model = read.buffers.iter().next().expect("buffers").clone();
                let name = format!("scratch {}", there["index"]);
                let (size, kind) = (whole(there, "bytes"), Kind::Intermediate);
                problem.buffers.push(Buffer { name, size, live, kind, tensors: Vec::new(), ..model });
            }
            read.buffers.iter().for_each(|buffer| _ = problem.buffers.push(buffer.clone()));
            let shift = |mut pair: memplan_core::problem::Inplace| {
                pair.input.0 += scratch.len() as u32;
                pair.output.0 += scratch.len() as u32;
                pair
            };
            problem.inplace = read.inplace.iter().copied().map(shift).collect();
            let plan = interpreter(&graph, &problem);
            for (index, (id, buffer)) in problem.buffers.enumerate().enumerate() {
                let there = scratch.get(index).copied().unwrap_or_else(|| &tensors[buffer.tensors[0].0 as usize]);
                let offset = plan.places[id].expect("placed").offset;
                assert_eq!(offset, whole(there, key), "{name} {key} {}", buffer.name);
            }
            assert_eq!(plan.peak(&problem), whole(&recorded, span), "{name} {span}");
        }
    }
}

/// What the file alone gives: no scratch, hence two addresses differ, but the peak of the reference
/// kernels is the same.
#[test]
fn the_peak_without_scratch_is_that_of_the_reference_kernels() {
    for name in FILES {
        let (graph, recorded) = (model(name), recording(name));
        let problem = lifetimes(&graph, &Scope::default()).expect("sizes are known");
        assert_eq!(interpreter(&graph, &problem).peak(&problem), whole(&recorded, "arena_span_ref_bytes"));
    }
}

/// `tests/data/tflite/offline.py` put the plan of `tflm-greedy` into a copy of the int8 model.
#[test]
fn the_plan_in_the_file_is_the_one_put_in() {
    let read = import::read(&file("small_cnn_int8_offline.tflite"), Answers::default()).expect("readable");
    let Document::Planned(graph, problem, plan) = read.document else { panic!("a planned graph") };
    assert_eq!(graph, model("small_cnn_int8"));
    let planner = find("tflm-greedy").expect("listed");
    let input = Input { problem: &problem, graph: Some(&graph) };
    let again = planner.plan(input, &planner.info().defaults(), &mut Silent).expect("applicable");
    assert_eq!(plan.places, again.places);
    assert_eq!((plan.peak(&problem), check(&problem, &plan)), (22528, vec![]));
}

/// Models as the recording interpreter of TensorFlow Lite Micro's Python package
/// (0.dev20261023182759, 64 bits, reference kernels) loaded them: bytes of head and tail, and the
/// smallest arena that it accepts. `kernels` has models of a few operators, one for each kernel,
/// with each request for working memory; `exports` has small nets that TensorFlow 2.21.0 converted
/// or that were built by hand, with subgraphs, variables and reshapes.
fn recorded_arenas(name: &str) -> Vec<Value> {
    let mut text = String::new();
    let packed = file(&format!("{name}.json.gz"));
    flate2::read::GzDecoder::new(&packed[..]).read_to_string(&mut text).expect("gzip");
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn arenas_are_those_of_the_recording_interpreter() {
    let mut recorded = recorded_arenas("kernels");
    recorded.extend(recorded_arenas("exports"));
    let (mut wrong, mut far) = (Vec::new(), 0);
    for there in &recorded {
        let name = there["name"].as_str().expect("a name");
        let data = BASE64.decode(there["model"].as_str().expect("a model")).expect("base64");
        let model = Model::read(&data).expect(name);
        let arena = tflm::arena(&model, None, &|_, _| None).expect(name);
        let scratch = arena.requests.iter().filter(|request| matches!(request.who, Who::Scratch(_)));
        let scratch: Vec<u64> = scratch.map(|request| request.bytes).collect();
        let found = (arena.is_known(), arena.head, arena.tail.bytes, scratch);
        let requests = list(there, "scratch").iter().filter_map(Value::as_u64).collect();
        let requests = if there["scratch"].is_array() { requests } else { found.3.clone() };
        let expected = (true, whole(there, "head"), whole(there, "tail"), requests);
        if found != expected {
            wrong.push(format!("{name}: {found:?}, recorded {expected:?}"));
        }
        // What a small model needs to be loaded depends on what its kernels look at: a guess, but
        // never too small.
        let (total, smallest) = (arena.total(), whole(there, "smallest"));
        far += u64::from(total > smallest + 32);
        if !(smallest..=smallest + 224).contains(&total) {
            wrong.push(format!("{name}: arena {total}, smallest that works {smallest}"));
        }
    }
    assert!(wrong.is_empty() && recorded.len() > 250, "{} of {}:\n{}", wrong.len(), recorded.len(), wrong.join("\n"));
    assert!(far < 60, "{far} of {} are more than 32 bytes too large", recorded.len());
}

/// Handles of variables have a size, and none where a kernel brings their bytes.
#[test]
fn handles_of_variables_have_sizes() {
    for (name, made) in [("var", 2), ("lstm_None", 0)] {
        let recorded = recorded_arenas("exports");
        let there = recorded.iter().find(|there| there["name"] == name).expect("recorded");
        let data = BASE64.decode(there["model"].as_str().expect("a model")).expect("base64");
        let read = import::read(&data, Answers::default()).expect("readable");
        let graph = read.document.graph().expect("a graph");
        lifetimes(graph, &Scope::default()).expect("sizes are known");
        let handles = graph.nodes.iter().filter(|node| node.op == "VAR_HANDLE").flat_map(|node| &node.outputs);
        let sizes: Vec<_> = handles.map(|id| graph.bytes_of(*id, &BTreeMap::new())).collect();
        assert!(sizes.len() >= made && sizes.iter().all(|size| *size == Ok(0)), "{name}: {sizes:?}");
    }
}

/// A net that litert-torch exported: its paddings are operators of their own.
#[test]
fn paddings_have_row_rules() {
    let Document::Graph(graph) = import::read(&file("kws8.tflite"), Answers::default()).expect("readable").document
    else {
        panic!("a graph")
    };
    let layout = Layout::of(&graph);
    let pads: Vec<RowRule> =
        graph.nodes.iter().filter(|node| node.op == "PAD").map(|node| rule_of(&graph, node, layout)).collect();
    let shifts = |rule: &RowRule| matches!(rule, RowRule::Window { stride: 1, pad: 1, kernel: 1, dilation: 1 });
    assert!(pads.len() > 2 && pads.iter().all(shifts), "{pads:?}");
}

/// A net that Vela 5.2.0 compiled, of which the processor runs two operators between those of the
/// accelerator: all tensors lie in the accelerator's memory, of 9216 bytes by Vela's own account.
#[test]
fn what_runs_between_an_accelerators_operators_lies_in_its_memory() {
    let read = import::read(&file("vela_mixed.tflite"), Answers::default()).expect("readable");
    assert_eq!(read.warnings, []);
    let Document::Planned(graph, problem, plan) = read.document else { panic!("a planned graph") };
    assert_eq!((plan.peak(&problem), lower_bound(&problem), check(&problem, &plan)), (9216, 9216, vec![]));
    // Other planners have no freedom either.
    let problem = lifetimes(&graph, &Scope::default()).expect("sizes are known");
    assert_eq!((problem.buffers.len(), lower_bound(&problem)), (1, 9216));
    let data = file("vela_mixed.tflite");
    let model = Model::read(&data).expect("a model");
    assert_eq!(tflm::check_replaceable(&model, &data).expect_err("kept").key, "tflm.kept");
}
