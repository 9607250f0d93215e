//! What is written reads back equal, for every format and any problem or plan; what a format cannot
//! carry is named here.

use std::collections::{BTreeMap, BTreeSet};

use memplan_core::base::IdVec;
use memplan_core::graph::{Attr, Dim, Dtype, Graph, Kind, Node, Tensor, TensorId, attrs};
use memplan_core::plan::{
    Place, Plan, PlanFile, Pool, PoolId, PoolRole, Quirk, QuirkKind, Unplanned, Violation, check, metrics,
};
use memplan_core::problem::{Buffer, BufferId, Live, Memory, MemoryId, Problem, Scope, lifetimes};
use memplan_core::trace::Silent;
use memplan_formats::export;
use memplan_formats::import::{self, Answers, Document};
use memplan_planners::{Info, Input, REGISTRY, applicable, find};
use proptest::prelude::*;
use serde_json::Value;

/// Names that files must quote or escape.
const NAMES: [&str; 6] = ["a", "with, comma", "\"quoted\"", "tab\tinside", "缓冲区", "line\nbreak"];

fn problems() -> impl Strategy<Value = Problem> {
    let buffer = (0u64..5000, 0u32..40, 1u32..12, 0u32..7, 0usize..4, any::<prop::sample::Index>());
    (prop::collection::vec(buffer, 1..40), 1usize..4, 0u32..3).prop_map(|(drawn, memories, idle)| {
        let buffers = drawn.iter().enumerate().map(|(index, &(size, start, length, align, kind, memory))| Buffer {
            align: 1 << align,
            memory: MemoryId(memory.index(memories) as u32),
            kind: Kind::ALL[kind],
            ..Buffer::of(format!("{}{index}", NAMES[index % NAMES.len()]), size, Live::new(start, start + length))
        });
        let device = |index: usize| Memory { device: format!("dev{index}"), mem_id: (index == 2).then_some(7) };
        let buffers: IdVec<_, Buffer> = buffers.collect();
        let last = buffers.iter().map(|buffer| buffer.live.end).max().unwrap_or(1);
        Problem {
            name: "drawn \"one\"".into(),
            buffers,
            memories: (0..memories).map(device).collect(),
            steps: last + idle,
            ..Problem::default()
        }
    })
}

/// A tensor as drawn: extents, element type, lanes, device, whether it is an output, what its node
/// reads, whether the node may overwrite its first input.
type Drawn = (Vec<u64>, usize, u64, bool, bool, Vec<prop::sample::Index>, bool);

/// Graphs as TVM's executor runs them: whole extents, every element in whole bytes or lanes, one
/// output a node.
fn graphs() -> impl Strategy<Value = Graph> {
    let tensor = (
        prop::collection::vec(0u64..7, 0..4),
        0usize..4,
        1u64..4,
        prop::bool::weighted(0.2),
        prop::bool::weighted(0.2),
        prop::collection::vec(any::<prop::sample::Index>(), 1..4),
        any::<bool>(),
    );
    (prop::collection::vec(tensor, 2..24), 1usize..5).prop_map(|(drawn, given)| build(&drawn, given))
}

fn build(drawn: &[Drawn], given: usize) -> Graph {
    let mut graph = Graph { name: "drawn \"one\"".into(), ..Graph::default() };
    let devices = [graph.devices.push("cpu".into()), graph.devices.push("cuda".into())];
    for (index, (extents, dtype, lanes, abroad, output, reads, inplace)) in drawn.iter().enumerate() {
        let dtype = [Dtype::Float32, Dtype::UInt8, Dtype::Float16, Dtype::Int64][*dtype];
        let plain = extents.iter().product::<u64>() * dtype.bits() / 8;
        let name = format!("{}{index}", NAMES[index % NAMES.len()]);
        let kind = match () {
            () if index < given => [Kind::Input, Kind::Weight][index % 2],
            () if *output => Kind::Output,
            () => Kind::Intermediate,
        };
        let id = graph.tensors.push(Tensor {
            name: name.clone(),
            dtype,
            shape: extents.iter().map(|extent| Dim::Fixed(*extent)).collect(),
            kind,
            bytes: (*lanes > 1).then_some(plain * lanes),
            device: devices[usize::from(*abroad)],
            own_device: true,
            align: None,
            mem_id: None,
            role: None,
        });
        if index < given {
            continue;
        }
        let inputs: Vec<TensorId> = reads.iter().map(|read| TensorId(read.index(index) as u32)).collect();
        let size = |id: TensorId| (&graph.tensors[id].shape, graph.tensors[id].dtype, graph.tensors[id].bytes);
        let fits = size(inputs[0]) == size(id);
        graph.nodes.push(Node {
            name,
            op: format!("op{}", index % 3),
            inplace: if *inplace && fits { vec![(0, 0)] } else { vec![] },
            ignore_inputs: if index % 5 == 0 { vec![0] } else { vec![] },
            inputs,
            outputs: vec![id],
            device: None,
            attrs: attrs([("layout".to_string(), Attr::Text("NCHW \"packed\"".into()))]),
        });
    }
    graph
}

/// A graph with the devices of its tensors by name: their order in the list is the reader's.
fn spelled(graph: &Graph) -> (Graph, Vec<String>) {
    let mut plain = graph.clone();
    let names = graph.tensors.iter().map(|tensor| graph.devices[tensor.device].clone()).collect();
    plain.devices = IdVec::default();
    plain.tensors.iter_mut().for_each(|tensor| {
        tensor.device = Default::default();
        tensor.own_device = true;
    });
    (plain, names)
}

/// Options of planners that search for as long as they are let: their plans are written like any
/// other, only later.
const BUDGETS: [&str; 4] = ["nodes", "attempts", "states", "work"];

/// A plan by every planner that needs no graph, does not search and places everything.
fn plans(problem: &Problem) -> Vec<(&'static str, Plan)> {
    let searches = |info: &Info| info.options.iter().any(|spec| BUDGETS.contains(&spec.key));
    let usable = REGISTRY.iter().filter(|planner| {
        let info = planner.info();
        applicable(info, false).is_ok() && info.ranked && !searches(info)
    });
    let planned = usable.filter_map(|planner| {
        let input = Input { problem, graph: None };
        let plan = planner.plan(input, &planner.info().defaults(), &mut Silent).ok()?;
        plan.places.iter().all(Option::is_some).then_some((planner.info().id, plan))
    });
    planned.collect()
}

fn read(text: &str) -> Document {
    import::read(text.as_bytes(), Answers::default()).unwrap_or_else(|faults| panic!("{faults:?}\n{text}")).document
}

/// Planners that let buffers take over the storage of others, with the options for it.
const TAKING: [(&str, &[(&str, &str)]); 8] = [
    ("nnvm", &[("inplace", "true")]),
    ("inductor-reuse", &[("inplace_buffers", "true")]),
    ("inductor-tree", &[]),
    ("onnxruntime", &[]),
    ("onnxsim", &[]),
    ("tflite-arena", &[("inplace", "true")]),
    ("tvm-relay", &[]),
    ("xla-heap", &[("inplace", "true")]),
];

/// Asserts that a plan keeps its places, takeovers, faults and figures in every format that carries
/// places.
fn reads_back(problem: &Problem, plan: &Plan, id: &str) {
    if plan.places.iter().all(Option::is_none) {
        return;
    }
    let file = PlanFile::new(problem, plan, id, BTreeMap::new(), |message| message.key.to_string());
    let steps = export::trace_by_step(problem, Some(plan), None).expect("few events");
    let texts = [
        export::plan(&file),
        export::csv(problem, Some(plan)),
        export::csv_times(problem, Some(plan)),
        export::trace(problem, Some(plan)),
        steps,
    ];
    let takeovers = |problem: &Problem, plan: &Plan| -> BTreeSet<(String, String)> {
        let name = |id: BufferId| problem.buffers[id].name.clone();
        plan.shared.iter().map(|&(acceptor, donor)| (name(acceptor), name(donor))).collect()
    };
    // Bytes that are taken over count once where the plan is all that is known.
    let mut written = Document::Plan(problem.clone(), plan.clone());
    written.count_handed_bytes_once();
    let expected = written.own_plan().map(|(problem, plan)| metrics(problem, plan)).expect("a plan");
    for (number, text) in texts.into_iter().enumerate() {
        let Document::Plan(again, same) = read(&text) else { panic!("{id} {number}: a plan") };
        assert_eq!(placed(&again, &same), placed(problem, plan), "{id} {number}");
        assert_eq!(pools(&again, &same), pools(problem, plan), "{id} {number}");
        assert_eq!(takeovers(&again, &same), takeovers(problem, plan), "{id} {number}");
        // Traces alone do not say what the original breaks too.
        if number < 3 || plan.quirks.is_empty() {
            assert_eq!(quirks(&again, &same), quirks(problem, plan), "{id} {number}");
            let broken: Vec<Violation> =
                check(&again, &same).into_iter().filter(|violation| !violation.is_quirk_of(&same)).collect();
            assert_eq!(broken, [], "{id} {number}");
        }
        let found = metrics(&again, &same);
        assert_eq!(
            (found.peak, found.placed_lower_bound),
            (expected.peak, expected.placed_lower_bound),
            "{id} {number}"
        );
    }
}

/// Bytes, lives and addresses by name: what every format carries.
fn placed(problem: &Problem, plan: &Plan) -> BTreeMap<String, (u64, Live, u64)> {
    let entry = |(id, buffer): (_, &Buffer)| {
        let place = plan.places[id]?;
        Some((buffer.name.clone(), (buffer.size, buffer.live, place.offset)))
    };
    problem.buffers.enumerate().filter_map(entry).collect()
}

/// Overlaps that the original makes too, by name.
fn quirks(problem: &Problem, plan: &Plan) -> BTreeSet<(&'static str, String, String)> {
    let name = |id: BufferId| problem.buffers[id].name.clone();
    plan.quirks.iter().map(|quirk| (quirk.kind.name(), name(quirk.a), name(quirk.b))).collect()
}

/// Which buffers share a pool.
fn pools(problem: &Problem, plan: &Plan) -> BTreeSet<BTreeSet<String>> {
    let mut pools: BTreeMap<u32, BTreeSet<String>> = BTreeMap::new();
    for (id, buffer) in problem.buffers.enumerate() {
        if let Some(place) = plan.places[id] {
            pools.entry(place.pool.0).or_default().insert(buffer.name.clone());
        }
    }
    pools.into_values().collect()
}

/// Roles of pools are a planner's words for its headers: no file carries them.
fn without_roles(mut plan: Plan) -> Plan {
    plan.pools.iter_mut().for_each(|pool| pool.role = Default::default());
    // What was proved of a plan is not believed when it is read.
    plan.proof = Default::default();
    plan
}

/// The Trace Event Format as viewers take it: phases with their required fields, whole times that
/// are not negative, no two spans of a thread that overlap without one lying in the other.
fn strict(text: &str, nested: bool) -> usize {
    let file: Value = serde_json::from_str(text).expect("JSON");
    let events = file["traceEvents"].as_array().expect("a list");
    let mut threads: BTreeMap<(u64, u64), Vec<(u64, u64)>> = BTreeMap::new();
    for event in events {
        let whole = |key: &str| event[key].as_u64().unwrap_or_else(|| panic!("{key} of {event}"));
        assert!(event["name"].as_str().is_some_and(|name| !name.is_empty()), "{event}");
        let (pid, tid) = (whole("pid"), whole("tid"));
        match event["ph"].as_str() {
            Some("M") => assert!(event["name"] == "process_name" && event["args"]["name"].is_string(), "{event}"),
            Some("C") => {
                whole("ts");
                assert!(event["args"].as_object().is_some_and(|args| args.values().all(Value::is_u64)), "{event}");
            }
            Some("X") => {
                assert!(pid > 0 && event["cat"].is_string() && event["args"].is_object(), "{event}");
                threads.entry((pid, tid)).or_default().push((whole("ts"), whole("ts") + whole("dur")));
            }
            _ => panic!("{event}"),
        }
    }
    for spans in threads.values_mut().filter(|_| nested) {
        spans.sort_by_key(|&(start, end)| (start, std::cmp::Reverse(end)));
        let mut open: Vec<u64> = Vec::new();
        for &(start, end) in spans.iter() {
            open.retain(|&until| until > start);
            assert!(open.last().is_none_or(|&until| end <= until), "{start}..{end} crosses another span");
            open.push(end);
        }
    }
    events.len()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    /// A trace by time carries everything but what was left out, the capacity and the roles of
    /// pools.
    #[test]
    fn traces_by_time_read_back_equal(problem in problems()) {
        prop_assert_eq!(read(&export::trace(&problem, None)), Document::Buffers(problem.clone()));
        for (id, plan) in plans(&problem) {
            let text = export::trace(&problem, Some(&plan));
            strict(&text, true);
            let document = Document::Plan(problem.clone(), without_roles(plan));
            prop_assert_eq!(read(&text), document, "{}", id);
        }
    }

    /// Plan JSON carries a plan whole, with a memory a device: arenas of one device are its pools.
    #[test]
    fn plan_files_read_back_equal(problem in problems()) {
        for (id, plan) in plans(&problem) {
            let file = PlanFile::new(&problem, &plan, id, BTreeMap::new(), |message| message.key.to_string());
            let Document::Plan(again, same) = read(&export::plan(&file)) else { panic!("a plan") };
            prop_assert_eq!(&same, &without_roles(plan), "{}", id);
            prop_assert_eq!((&again.name, again.steps), (&problem.name, problem.steps));
            for (read, written) in again.buffers.iter().zip(problem.buffers.iter()) {
                prop_assert_eq!((&read.name, read.size, read.live, read.align, read.kind), (&written.name, written.size, written.live, written.align, written.kind));
                prop_assert_eq!(&again.memories[read.memory].device, &problem.memories[written.memory].device);
            }
        }
    }

    /// A CSV carries no name of the whole, no idle steps at the end, no pools without buffers.
    #[test]
    fn tables_read_back_equal(problem in problems()) {
        let Document::Buffers(again) = read(&export::csv(&problem, None)) else { panic!("buffers") };
        let life = |problem: &Problem| -> Vec<(String, u64, Live, u64, Kind, Memory)> {
            let row = |buffer: &Buffer| (buffer.name.clone(), buffer.size, buffer.live, buffer.align, buffer.kind, problem.memories[buffer.memory].clone());
            problem.buffers.iter().map(row).collect()
        };
        prop_assert_eq!(life(&again), life(&problem));
        for (id, plan) in plans(&problem) {
            for text in [export::csv(&problem, Some(&plan)), export::csv_times(&problem, Some(&plan))] {
                let Document::Plan(again, same) = read(&text) else { panic!("a plan") };
                prop_assert_eq!(placed(&again, &same), placed(&problem, &plan), "{}", id);
                prop_assert_eq!(pools(&again, &same), pools(&problem, &plan), "{}", id);
                prop_assert_eq!(check(&again, &same), vec![], "{}", id);
            }
        }
        let Document::Buffers(again) = read(&export::csv_times(&problem, None)) else { panic!("buffers") };
        let lives = |problem: &Problem| -> Vec<(String, u64, Live)> {
            problem.buffers.iter().map(|buffer| (buffer.name.clone(), buffer.size, buffer.live)).collect()
        };
        prop_assert_eq!(lives(&again), lives(&problem));
    }

    /// Graph executor JSON carries a graph and a plan of storages, by the planners that give
    /// storages; a plan with addresses is refused. Storages without buffers are lost.
    #[test]
    fn graph_executor_files_read_back_equal(graph in graphs()) {
        let problem = lifetimes(&graph, &Scope::default()).expect("sizes are known");
        let input = Input { problem: &problem, graph: Some(&graph) };
        let mut written = BTreeSet::new();
        let searches = |info: &Info| info.options.iter().any(|spec| BUDGETS.contains(&spec.key));
        for planner in REGISTRY.iter().filter(|planner| !searches(planner.info())) {
            let info = planner.info();
            // Outputs take over the storage of inputs only where that is asked for.
            let overwriting = info.options([("inplace", "true")]).ok();
            for options in [Some(info.defaults()), overwriting].into_iter().flatten() {
                let plan = planner.plan(input, &options, &mut Silent).expect("applicable");
                let text = match export::graph_executor(&graph, &problem, &plan) {
                    Ok(text) => text,
                    Err(refused) => {
                        prop_assert_eq!(&*refused.key, "fault.export-addresses", "{}", info.id);
                        prop_assert!(!plan.is_of_storages(), "{}", info.id);
                        continue;
                    }
                };
                written.insert(info.id);
                let Document::Planned(graph_back, again, same) = read(&text) else { panic!("a graph with its plan") };
                prop_assert_eq!(spelled(&graph_back), spelled(&graph), "{}", info.id);
                prop_assert_eq!(again.buffers, problem.buffers.clone(), "{}", info.id);
                prop_assert_eq!(placed(&problem, &same), placed(&problem, &plan), "{}", info.id);
                prop_assert_eq!(pools(&problem, &same), pools(&problem, &plan), "{}", info.id);
                prop_assert_eq!(same.shared, plan.shared, "{}", info.id);
            }
        }
        let placed = problem.buffers.iter().any(|buffer| buffer.kind != Kind::Input && buffer.kind != Kind::Weight);
        for storages in ["nnvm", "tvm-relay"] {
            prop_assert!(!placed || written.contains(storages), "{}", storages);
        }
    }

    /// Takeovers in place and pools that divide a memory are carried by every format of a plan, so
    /// that a plan which is valid and its bound stay what they are.
    #[test]
    fn takeovers_read_back_equal(graph in graphs()) {
        let problem = lifetimes(&graph, &Scope::default()).expect("sizes are known");
        for (id, given) in TAKING {
            let info = find(id).expect("registered").info();
            let options = info.options(given.iter().copied()).expect("known options");
            let input = Input { problem: &problem, graph: Some(&graph) };
            let plan = find(id).expect("registered").plan(input, &options, &mut Silent).expect("applicable");
            reads_back(&problem, &plan, id);
        }
    }

    /// In the layout of ExecuTorch's tool a buffer is the set of events of one name, offset, size
    /// and memory.
    #[test]
    fn traces_by_step_hold_every_step_of_every_buffer(problem in problems()) {
        for (id, plan) in plans(&problem) {
            let text = export::trace_by_step(&problem, Some(&plan), None).expect("few events");
            // Buffers of a step that share bytes in turn cross: only plans without takeovers lie
            // side by side.
            strict(&text, plan.shared.is_empty());
            let file: Value = serde_json::from_str(&text).expect("JSON");
            let mut lives: BTreeMap<(String, u64, u64, u64), Vec<u32>> = BTreeMap::new();
            for event in file["traceEvents"].as_array().expect("a list") {
                prop_assert_eq!(&event["args"]["Memory ID"], &event["pid"]);
                prop_assert_eq!(&event["args"]["bytes"], &event["dur"]);
                let whole = |key: &str| event[key].as_u64().expect("a whole number");
                let key = (event["name"].as_str().expect("a name").to_string(), whole("ts"), whole("dur"), whole("pid"));
                lives.entry(key).or_default().push(whole("tid") as u32);
            }
            let expected = problem.buffers.enumerate().map(|(id, buffer)| {
                let place = plan.places[id].expect("placed");
                let key = (buffer.name.clone(), place.offset, buffer.size, place.pool.0 as u64 + 1);
                (key, (buffer.live.start..buffer.live.end).collect::<Vec<u32>>())
            });
            prop_assert_eq!(lives, expected.collect::<BTreeMap<_, _>>(), "{}", id);
        }
    }
}

#[test]
fn takeovers_and_what_is_left_out_survive_where_they_can() {
    let buffer = |name: &str, start, end| Buffer::of(name, 8, Live::new(start, end));
    let problem = Problem {
        name: "takeover".into(),
        buffers: vec![buffer("a", 0, 3), buffer("b", 2, 4), buffer("w", 0, 4)].into(),
        memories: vec![Memory { device: "cpu".into(), mem_id: None }].into(),
        steps: 4,
        ..Problem::default()
    };
    let place = Some(Place { pool: PoolId(0), offset: 0 });
    let plan = Plan {
        pools: vec![Pool { name: "arena".into(), size: 8, device: "cpu".into(), role: PoolRole::Arena }].into(),
        places: vec![place, place, None].into(),
        unplanned: vec![(BufferId(2), Unplanned::WeightIsConstant)],
        shared: vec![(BufferId(1), BufferId(0))],
        ..Plan::default()
    };
    assert_eq!(check(&problem, &plan), []);
    let Document::Plan(again, same) = read(&export::trace(&problem, Some(&plan))) else { panic!("a plan") };
    assert_eq!((placed(&again, &same), &same.shared), (placed(&problem, &plan), &plan.shared));
    assert_eq!((again.buffers.len(), check(&again, &same)), (2, vec![]), "what is left out is not written");
    let file = PlanFile::new(&problem, &plan, "naive", BTreeMap::new(), |message| message.key.to_string());
    let Document::Plan(again, same) = read(&export::plan(&file)) else { panic!("a plan") };
    assert_eq!((again.buffers.len(), same.shared, same.unplanned.len()), (3, plan.shared.clone(), 1));
    reads_back(&problem, &plan, "by hand");
    let (table, times) = (export::csv(&problem, Some(&plan)), export::csv_times(&problem, Some(&plan)));
    assert_eq!(table, "id,lower,upper,size,offset,shares\na,0,3,8,0,\nb,2,4,8,0,a\n");
    assert_eq!(times, "tensor_name,size,offset,start_time,end_time,shares\na,8,0,0,2,\nb,8,0,2,3,a\n");
    let faults = import::read(table.replace("0,a", "0,x").as_bytes(), Answers::default()).expect_err("nobody is x");
    assert_eq!((&*faults[0].path, &*faults[0].message.key), ("row 3", "fault.plan-unknown-donor"));
    let steps = export::trace_by_step(&problem, Some(&plan), None).expect("few events");
    let faults = import::read(steps.replace(r#""shares": "a""#, r#""shares": "x""#).as_bytes(), Answers::default());
    assert_eq!(faults.expect_err("nobody is x")[0].message.key, "fault.plan-unknown-donor");
}

#[test]
fn overlaps_of_the_original_are_told_by_both_tables() {
    let file = include_bytes!("../data/ignored_input.json");
    let Ok(Document::Graph(graph)) = import::read(file, Answers::default()).map(|read| read.document) else {
        panic!("a graph")
    };
    let mut problem = lifetimes(&graph, &Scope::default()).expect("sizes are known");
    let planner = REGISTRY.iter().find(|planner| planner.info().id == "nnvm").expect("it is in the list");
    let input = Input { problem: &problem, graph: Some(&graph) };
    let plan = planner.plan(input, &planner.info().defaults(), &mut Silent).expect("applicable");
    let [Quirk { kind, a, b }] = plan.quirks[..] else { panic!("one overlap of the original") };
    // The cell keeps names apart whatever is in them.
    problem.buffers[b].name = "100%\n of:b, %20".into();
    reads_back(&problem, &plan, "nnvm");
    let several = Plan { quirks: vec![Quirk { kind, a, b }, Quirk { kind: QuirkKind::SameContents, a, b: a }], ..plan };
    reads_back(&problem, &several, "nnvm");
    for text in [export::csv(&problem, Some(&several)), export::csv_times(&problem, Some(&several))] {
        let cell = "ignored_read:100%25%0A%20of:b,%20%2520";
        assert!(text.contains(&format!("\"{cell} same_contents:")), "{text}");
        for (wrong, key) in [
            (text.replace("ignored_read", "whim"), "fault.plan-quirk"),
            (text.replace(cell, "ignored_read:x"), "fault.plan-unknown-buffer"),
        ] {
            let faults = import::read(wrong.as_bytes(), Answers::default()).expect_err("it is refused");
            assert_eq!(faults.iter().map(|fault| &*fault.message.key).collect::<Vec<_>>(), [key]);
        }
        // Without the reason it is a violation, and the reader says so.
        let bare = import::read(text.replace("quirks", "hint").as_bytes(), Answers::default()).expect("a plan");
        assert!(
            bare.warnings.iter().any(|warning| warning.message.key == "warning.plan-invalid"),
            "{:?}",
            bare.warnings
        );
        let read_back = import::read(text.as_bytes(), Answers::default()).expect("a plan");
        assert_eq!(read_back.warnings, []);
    }
}

#[test]
fn storages_that_xla_states_survive_as_memory_graph() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/data/xla");
    let mut handed = 0;
    for file in std::fs::read_dir(folder).expect("a folder") {
        let path = file.expect("a file").path();
        if !path.to_string_lossy().ends_with(".hlo.pb.gz") {
            continue;
        }
        // Modules without the buffers that XLA assigned are refused.
        let Ok(read) = import::read(&std::fs::read(&path).expect("readable"), Answers::default()) else { continue };
        let graph = read.document.graph().expect("a graph").clone();
        let Document::Graph(again) = self::read(&export::graph(&graph)) else { panic!("{path:?}") };
        assert_eq!(again, graph, "{path:?}");
        handed += graph.stated.handed.len();
    }
    assert!(handed > 10, "{handed}");
}

#[test]
fn plans_of_examples_keep_their_bound() {
    let file =
        std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../www/graphs/resnet18.json")).expect("an example");
    let Ok(Document::Graph(graph)) = import::read(&file, Answers::default()).map(|read| read.document) else {
        panic!("a graph")
    };
    assert_eq!(taken_over(&graph), ["inductor-reuse", "nnvm", "onnxruntime", "tflite-arena", "xla-heap"]);
    // A chain of nodes each of which may overwrite what it reads.
    let (tensor, node) = (
        |name: &str, kind: &str| format!(r#"{{"name":"{name}","dtype":"float32","shape":[3,5],"kind":"{kind}"}}"#),
        |from: &str, to: &str| {
            format!(r#"{{"name":"n{to}","op":"relu","inputs":["{from}"],"outputs":["{to}"],"inplace":[[0,0]]}}"#)
        },
    );
    let tensors = [("x", "input"), ("a", "intermediate"), ("b", "intermediate"), ("y", "output")];
    let text = format!(
        r#"{{"format":"memory-graph/1","name":"chain","tensors":[{}],"nodes":[{}]}}"#,
        tensors.map(|(name, kind)| tensor(name, kind)).join(","),
        [("x", "a"), ("a", "b"), ("b", "y")].map(|(from, to)| node(from, to)).join(",")
    );
    let Document::Graph(chain) = read(&text) else { panic!("a graph") };
    assert_eq!(taken_over(&chain), ["inductor-reuse", "nnvm", "onnxruntime", "tflite-arena", "xla-heap"]);
}

/// The planners whose plans of a graph take over in place, after reading back the plans of all.
fn taken_over(graph: &Graph) -> Vec<&'static str> {
    let problem = lifetimes(graph, &Scope::default()).expect("sizes are known");
    let input = Input { problem: &problem, graph: Some(graph) };
    let mut taken = Vec::new();
    for planner in REGISTRY.iter().filter(|planner| planner.info().ranked && planner.info().id != "best") {
        let info = planner.info();
        let given = TAKING.iter().find(|(id, _)| *id == info.id).map_or(&[][..], |(_, given)| given);
        let options = info.options(given.iter().copied()).expect("known options");
        let plan = planner.plan(input, &options, &mut Silent).expect("applicable");
        taken.extend((!plan.shared.is_empty()).then_some(info.id));
        reads_back(&problem, &plan, info.id);
    }
    taken
}
