//! A program and two memory traces as ExecuTorch 1.5.1 wrote them (`tests/data/executorch`),
//! against what its own deserialiser read from the program and what its planner was given.

use std::io::Read;
use std::path::PathBuf;

use memplan_core::graph::{Graph, Kind};
use memplan_core::plan::{Plan, Violation, check, metrics};
use memplan_core::problem::{Live, Problem, Scope, lifetimes, lower_bound};
use memplan_core::trace::Silent;
use memplan_engine::PlannedProgram;
use memplan_formats::export;
use memplan_formats::import::{self, Answers, Document, Imported};
use memplan_planners::{Input, find};
use serde_json::Value;

fn file(name: &str) -> Vec<u8> {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("tests/data/executorch").join(name);
    std::fs::read(path).expect("the file is there")
}

fn json(name: &str) -> Value {
    let mut text = String::new();
    flate2::read::GzDecoder::new(&file(name)[..]).read_to_string(&mut text).expect("gzip");
    serde_json::from_str(&text).expect("JSON")
}

/// The bytes of a program, which may be compressed.
fn program(name: &str) -> Vec<u8> {
    let mut bytes = file(name);
    if name.ends_with(".gz") {
        bytes = Vec::new();
        flate2::read::GzDecoder::new(&file(name)[..]).read_to_end(&mut bytes).expect("gzip");
    }
    bytes
}

fn planned(bytes: &[u8]) -> (Graph, Problem, Plan) {
    let read = import::read(bytes, Answers::default()).expect("readable");
    let Document::Planned(graph, problem, plan) = read.document else { panic!("a planned graph") };
    (graph, problem, plan)
}

fn read(name: &str) -> Imported {
    let read = import::read(&file(name), Answers::default()).expect("readable");
    assert!(read.warnings.is_empty() && read.questions.is_empty(), "{name}: {:?} {:?}", read.warnings, read.questions);
    read
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().unwrap_or_else(|| panic!("{key}"))
}

fn whole(value: &Value, key: &str) -> u64 {
    value[key].as_u64().unwrap_or_else(|| panic!("{key} in {value}"))
}

/// Name, bytes, live range and offset of every buffer.
fn rows(problem: &Problem, plan: &Plan) -> Vec<(String, u64, Live, u64)> {
    let row = |id| {
        let buffer = &problem.buffers[id];
        (buffer.name.clone(), buffer.size, buffer.live, plan.places[id].expect("placed").offset)
    };
    problem.buffers.ids().map(row).collect()
}

#[test]
fn the_program_holds_what_its_own_reader_found() {
    let recorded = json("tiny_add_cat.expected.json.gz");
    let Document::Planned(graph, problem, plan) = read("tiny_add_cat.pte").document else { panic!("a planned graph") };
    let index =
        |name: &str| name.strip_prefix("value ").and_then(|index| index.parse::<usize>().ok()).expect("a value");
    let values = list(&recorded, "values");
    let tensors = values.iter().filter(|value| value["type"] == "Tensor").count();
    assert_eq!(graph.tensors.len(), tensors);
    let outputs: Vec<u64> = list(&recorded, "outputs").iter().filter_map(Value::as_u64).collect();
    let inputs: Vec<u64> = list(&recorded, "inputs").iter().filter_map(Value::as_u64).collect();
    for (id, tensor) in graph.tensors.enumerate() {
        let at = index(&tensor.name) as u64;
        let value = &values[at as usize];
        let shape: Vec<String> = list(value, "sizes").iter().map(Value::to_string).collect();
        assert_eq!((tensor.dtype.name(), graph.shape_words(id)), ("float32", shape.join("×")), "{}", tensor.name);
        let kind = match () {
            () if inputs.contains(&at) => Kind::Input,
            () if outputs.contains(&at) => Kind::Output,
            () if whole(value, "data_buffer_idx") > 0 => Kind::Weight,
            () => Kind::Intermediate,
        };
        assert_eq!(tensor.kind, kind, "{}", tensor.name);
    }
    for (id, buffer) in problem.buffers.enumerate() {
        let place = plan.places[id].expect("every value but the constant is planned");
        assert_eq!(place.offset, whole(&values[index(&buffer.name)]["allocation_info"], "offset"), "{}", buffer.name);
    }
    let pools: Vec<Option<u64>> = plan.pools.iter().map(|pool| Some(pool.size)).collect();
    assert_eq!(pools, [recorded["non_const_buffer_sizes"][1].as_u64()]);
    assert_eq!(check(&problem, &plan), []);
    let instructions = list(&recorded, "instructions");
    assert_eq!(graph.nodes.len(), instructions.len());
    for (node, there) in graph.nodes.iter().zip(instructions) {
        assert_eq!(node.op, there["op"].as_str().expect("a name"));
        // The out argument stands there twice, a list is the tensors in it, everything else is no
        // tensor.
        let mut expected: Vec<usize> = Vec::new();
        for arg in list(there, "args").iter().filter_map(Value::as_u64) {
            let value = &values[arg as usize];
            match value["type"].as_str() {
                Some("Tensor") => expected.push(arg as usize),
                Some("TensorList") => {
                    expected.extend(list(value, "items").iter().filter_map(Value::as_u64).map(|item| item as usize))
                }
                _ => {}
            }
        }
        let out = expected.pop().expect("an out argument");
        assert_eq!(expected.pop(), Some(out), "{}", node.name);
        let named = |ids: &[memplan_core::graph::TensorId]| {
            ids.iter().map(|&id| index(&graph.tensors[id].name)).collect::<Vec<_>>()
        };
        assert_eq!((named(&node.inputs), named(&node.outputs)), (expected, vec![out]), "{}", node.name);
    }
}

#[test]
fn the_trace_holds_what_the_planner_was_given_and_gave() {
    let recorded = json("tiny_add_cat.planner.json.gz");
    let Document::Plan(problem, plan) = read("tiny_add_cat.trace.offsets.json.gz").document else { panic!("a plan") };
    let greedy = list(&recorded, "runs").iter().find(|run| run["algorithm"] == "greedy").expect("the default");
    let expected: Vec<_> = list(&recorded, "specs")
        .iter()
        .zip(list(&greedy["expected"], "specs"))
        .map(|(spec, placed)| {
            let step = |at: usize| spec["lifetime"][at].as_u64().expect("a step") as u32;
            let name = spec["name"].as_str().expect("a name").to_string();
            (name, whole(spec, "nbytes"), Live::new(step(0), step(1) + 1), whole(placed, "mem_offset"))
        })
        .collect();
    assert_eq!(rows(&problem, &plan), expected);
    assert_eq!(check(&problem, &plan), []);
}

#[test]
fn the_trace_without_offsets_has_the_same_buffers() {
    let Document::Plan(placed, _) = read("tiny_add_cat.trace.offsets.json.gz").document else { panic!("a plan") };
    let Document::Buffers(packed) = read("tiny_add_cat.trace.packed.json.gz").document else { panic!("buffers") };
    let rows = |problem: &Problem| -> Vec<(String, u64, Live)> {
        problem.buffers.iter().map(|buffer| (buffer.name.clone(), buffer.size, buffer.live)).collect()
    };
    assert_eq!(rows(&packed), rows(&placed));
}

/// Program and trace are of one model: the same places, and live ranges that are shorter in the
/// program, as it says.
#[test]
fn program_and_trace_agree() {
    let Document::Planned(_, problem, plan) = read("tiny_add_cat.pte").document else { panic!("a planned graph") };
    let Document::Plan(traced, places) = read("tiny_add_cat.trace.offsets.json.gz").document else { panic!("a plan") };
    assert_eq!(problem.buffers.len(), traced.buffers.len());
    let (program, trace) = (rows(&problem, &plan), rows(&traced, &places));
    for ((name, size, live, offset), (_, there, longer, other)) in program.iter().zip(&trace) {
        assert_eq!((size, offset), (there, other), "{name}");
        assert!(live.len() <= longer.len(), "{name}");
    }
}

/// Programs exported from networks by ExecuTorch 1.5.1 (`scripts/run-programs`), each with the
/// peak of its own plan and the lower bound. ExecuTorch's runtime computed the same outputs, bit by
/// bit, with the plans that are written below, but for `cortex_pool.pte`, whose kernels it lacks.
const PROGRAMS: [(&str, u64, u64); 24] = [
    ("cond.pte", 2304, 1792),
    ("cond_naive.pte", 3136, 1792),
    ("condseq.pte", 1296, 772),
    ("convbn.pte", 13824, 13824),
    ("cortex_pool.pte", 768, 640),
    ("count.pte", 112, 96),
    ("flatten_greedy.pte.gz", 22568, 22568),
    ("kv.pte", 1312, 1280),
    ("map.pte", 224, 208),
    ("map_of_scan.pte", 1216, 1184),
    ("map_result.pte", 384, 384),
    ("moe.pte", 1720, 1640),
    ("moe_noio.pte", 1720, 1640),
    ("names.pte", 1312, 1280),
    ("pool.pte", 4096, 4096),
    ("quantized.pte", 5376, 5376),
    ("returned_input.pte", 768, 768),
    ("scan.pte", 272, 224),
    ("scan_result.pte", 480, 448),
    ("split.pte", 3744, 3456),
    ("tiny_add_cat.pte", 896, 896),
    ("unused.pte", 224, 216),
    ("views.pte", 320, 256),
    ("xnnpack_split.pte", 3456, 3456),
];

#[test]
fn the_plan_of_a_real_program_is_valid_and_not_below_the_bound() {
    for (name, peak, bound) in PROGRAMS {
        let (graph, problem, plan) = planned(&program(name));
        // Planners see the graph alone, and must not prove that less is enough.
        let asked = lower_bound(&lifetimes(&graph, &Scope::default()).expect("sizes"));
        assert!(asked >= bound, "{name}: {asked} of {bound}");
        assert_eq!(check(&problem, &plan), [], "{name}");
        let figures = metrics(&problem, &plan);
        assert_eq!((figures.peak, figures.bound()), (peak, bound), "{name}");
    }
}

#[test]
fn plans_are_written_into_real_programs() {
    for (name, _, bound) in PROGRAMS {
        let bytes = program(name);
        let old = PlannedProgram::read(&bytes).unwrap_or_else(|why| panic!("{name}: {why:?}"));
        let asked = old.asked();
        for id in ["executorch-greedy", "first-fit", "naive"] {
            let planner = find(id).expect("registered");
            let input = Input { problem: &asked, graph: None };
            let plan = planner.plan(input, &planner.info().defaults(), &mut Silent).expect("applicable");
            let written = old.written(&asked, &plan).unwrap_or_else(|why| panic!("{name} {id}: {why:?}"));
            let (graph, problem, own) = planned(&written.data);
            assert_eq!(check(&problem, &own), [], "{name} {id}");
            assert_eq!(graph, planned(&bytes).0, "{name} {id}: values and instructions stay");
            // Results of two branches lie at one place now, which the old plan may not do.
            assert!(written.bound <= bound && metrics(&problem, &own).bound() <= bound, "{name} {id}");
        }
    }
}

/// ExecuTorch plans both `cond` from the same address, so that the second overwrites the result of
/// the first: its runtime returns twice the second result instead of the sum of both.
#[test]
fn a_plan_that_really_overwrites_a_result_is_invalid_and_never_replaced() {
    let bytes = program("two_conds.pte");
    let (_, problem, plan) = planned(&bytes);
    let name = |id| problem.buffers[id].name.clone();
    let pairs: Vec<_> = check(&problem, &plan)
        .into_iter()
        .filter_map(|found| match found {
            Violation::Overlap { a, b, .. } => Some((name(a), name(b))),
            _ => None,
        })
        .collect();
    let pair = |a: &str, b: &str| (a.to_string(), b.to_string());
    assert_eq!(pairs, [pair("value 12", "value 22"), pair("value 12", "value 25")]);
    let Err(refused) = PlannedProgram::read(&bytes) else { panic!("refused") };
    assert_eq!(refused.message().key, "pte.own-invalid");
    // The reader names the known fault, and only where it is met.
    let is_named = |name| {
        let read = import::read(&program(name), Answers::default()).expect("readable");
        read.warnings.iter().any(|warning| warning.message.key == "warning.pte-conds")
    };
    assert_eq!(["two_conds.pte", "condseq.pte", "cond.pte"].map(is_named), [true, false, false]);
}

/// The trace of a program counts the steps of the graph that was planned, which has allocations.
#[test]
fn a_trace_that_is_written_has_the_live_ranges_of_the_planner() {
    let Document::Plan(traced, _) = read("tiny_add_cat.trace.offsets.json.gz").document else { panic!("a plan") };
    let lives = |problem: &Problem| problem.buffers.iter().map(|buffer| buffer.live).collect::<Vec<_>>();
    let (graph, problem, plan) = planned(&program("tiny_add_cat.pte"));
    let text = export::trace_by_step(&problem, Some(&plan), Some(&graph)).expect("few events");
    let Document::Plan(ours, places) = import::read(text.as_bytes(), Answers::default()).expect("readable").document
    else {
        panic!("a plan")
    };
    assert_eq!((lives(&ours), check(&ours, &places)), (lives(&traced), vec![]));
}

/// Only one branch of a `cond` runs, so that buffers of both may hold the same bytes.
#[test]
fn a_trace_leaves_out_steps_at_which_another_branch_runs() {
    for name in ["cond.pte", "cond_naive.pte", "condseq.pte"] {
        let (graph, problem, plan) = planned(&program(name));
        let text = export::trace_by_step(&problem, Some(&plan), Some(&graph)).expect("few events");
        let read = import::read(text.as_bytes(), Answers::default()).expect("readable").document;
        let Document::Plan(ours, places) = read else { panic!("a plan") };
        assert_eq!(check(&ours, &places), [], "{name}");
        let gaps = |problem: &Problem| problem.buffers.iter().filter(|buffer| !buffer.gaps.is_empty()).count();
        assert!(gaps(&ours) > 0 && gaps(&ours) <= gaps(&problem), "{name}");
        let peak = |problem: &Problem, plan: &Plan| metrics(problem, plan).peak;
        assert_eq!(peak(&ours, &places), peak(&problem, &plan), "{name}");
    }
}

/// Both buffers that the program changes live through the whole run, all else as in any program.
#[test]
fn a_trace_draws_what_the_program_changes_through_the_whole_run() {
    let (graph, problem, plan) = planned(&program("count.pte"));
    let text = export::trace_by_step(&problem, Some(&plan), Some(&graph)).expect("few events");
    let Document::Plan(ours, places) = import::read(text.as_bytes(), Answers::default()).expect("readable").document
    else {
        panic!("a plan")
    };
    assert_eq!(check(&ours, &places), []);
    let live = |name: &str| ours.buffers[ours.buffer_named(name).expect("named")].live;
    // Four placeholders (one of a constant), an allocation for each of five results, seven
    // instructions, two views and the return of the output.
    assert_eq!((live("value 0"), live("value 1")), (Live::new(0, 19), Live::new(0, 19)));
    assert_eq!((live("value 4"), live("value 13")), (Live::new(4, 8), Live::new(14, 19)));
}
