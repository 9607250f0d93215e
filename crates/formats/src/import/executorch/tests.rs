//! Small programs written for one effect each. A real one is read in
//! `tests/native/executorch_files.rs`.

use flatbuffers::{FlatBufferBuilder, TableFinishedWIPOffset, WIPOffset};

use super::*;
use crate::import::{Document, Imported, Question, read as read_any};
use memplan_core::plan::{Plan, check};
use memplan_core::problem::{Live, Problem};

type Table = WIPOffset<TableFinishedWIPOffset>;

#[derive(Clone)]
enum MadeValue {
    /// Extents, memory and offset, whether it has data, dynamism.
    Tensor(Vec<i32>, Option<(u32, u64)>, bool, i8),
    List(Vec<i32>),
    Number(i64),
    Flag(bool),
    /// Whole numbers, each a value by index.
    Numbers(Vec<i64>),
}

#[derive(Clone)]
enum MadeCall {
    Kernel(i32, Vec<i32>),
    Delegate(i32, Vec<i32>),
    Move(i32, i32),
    /// Condition and destination.
    Jump(i32, i32),
    Free(i32),
}

#[derive(Clone)]
struct Made {
    name: &'static str,
    values: Vec<MadeValue>,
    inputs: Vec<i32>,
    outputs: Vec<i32>,
    calls: Vec<MadeCall>,
    sizes: Vec<i64>,
}

const OPERATORS: [(&str, &str); 6] = [
    ("aten::add", "out"),
    ("aten::copy_", ""),
    ("executorch_prim::et_view", "default"),
    ("aten::convolution", "out"),
    ("cortex_m::quantized_avg_pool2d", "out"),
    ("executorch_prim::et_copy_index", "tensor"),
];

use MadeCall::{Delegate, Free, Jump, Kernel, Move};

fn placed(extent: i32, memory: u32, offset: u64) -> MadeValue {
    MadeValue::Tensor(vec![extent], Some((memory, offset)), false, 0)
}

/// `0 + constant 1 → 2`, `2 + 2 → 3`.
fn sum() -> Made {
    Made {
        name: "forward",
        values: vec![
            placed(4, 1, 0),
            MadeValue::Tensor(vec![4], None, true, 0),
            placed(4, 1, 16),
            placed(4, 1, 0),
            MadeValue::Number(7),
        ],
        inputs: vec![0],
        outputs: vec![3],
        calls: vec![Kernel(0, vec![0, 1, 4, 2, 2]), Kernel(0, vec![2, 2, 4, 3, 3])],
        sizes: vec![0, 32],
    }
}

fn union_table(fbb: &mut FlatBufferBuilder, key: u8, value: Table) -> Table {
    let table = fbb.start_table();
    fbb.push_slot::<u8>(4, key, 0);
    fbb.push_slot_always(6, value);
    fbb.end_table(table)
}

impl MadeValue {
    fn write(&self, fbb: &mut FlatBufferBuilder) -> Table {
        let (key, value) = match self {
            MadeValue::Tensor(sizes, place, data, dynamism) => {
                let sizes = fbb.create_vector(sizes);
                let place = place.map(|(memory, offset)| {
                    let table = fbb.start_table();
                    fbb.push_slot::<u32>(4, memory, 0);
                    fbb.push_slot::<u32>(6, offset as u32, 0);
                    fbb.push_slot::<u32>(8, (offset >> 32) as u32, 0);
                    fbb.end_table(table)
                });
                let table = fbb.start_table();
                fbb.push_slot::<i8>(4, 6, 0);
                fbb.push_slot_always(8, sizes);
                fbb.push_slot::<u32>(14, u32::from(*data), 0);
                place.into_iter().for_each(|place| fbb.push_slot_always(16, place));
                fbb.push_slot::<i8>(20, *dynamism, 0);
                (5, fbb.end_table(table))
            }
            MadeValue::List(items) => {
                let items = fbb.create_vector(items);
                let table = fbb.start_table();
                fbb.push_slot_always(4, items);
                (11, fbb.end_table(table))
            }
            MadeValue::Number(number) => {
                let table = fbb.start_table();
                fbb.push_slot::<i64>(4, *number, 0);
                (2, fbb.end_table(table))
            }
            MadeValue::Flag(flag) => {
                let table = fbb.start_table();
                fbb.push_slot::<bool>(4, *flag, false);
                (3, fbb.end_table(table))
            }
            MadeValue::Numbers(items) => {
                let items = fbb.create_vector(items);
                let table = fbb.start_table();
                fbb.push_slot_always(4, items);
                (7, fbb.end_table(table))
            }
        };
        union_table(fbb, key, value)
    }
}

impl MadeCall {
    fn write(&self, fbb: &mut FlatBufferBuilder) -> Table {
        let (key, first, args) = match self {
            Kernel(index, args) => (1, *index, Some(fbb.create_vector(args))),
            Delegate(index, args) => (2, *index, Some(fbb.create_vector(args))),
            Move(from, _) => (3, *from, None),
            Jump(condition, _) => (4, *condition, None),
            Free(value) => (5, *value, None),
        };
        let table = fbb.start_table();
        fbb.push_slot::<i32>(4, first, 0);
        args.into_iter().for_each(|args| fbb.push_slot_always(6, args));
        if let Move(_, to) | Jump(_, to) = self {
            fbb.push_slot::<i32>(6, *to, 0);
        }
        let value = fbb.end_table(table);
        union_table(fbb, key, value)
    }
}

impl Made {
    fn write(&self, fbb: &mut FlatBufferBuilder) -> Table {
        let values: Vec<Table> = self.values.iter().map(|value| value.write(fbb)).collect();
        let values = fbb.create_vector(&values);
        let calls: Vec<Table> = self.calls.iter().map(|call| call.write(fbb)).collect();
        let calls = fbb.create_vector(&calls);
        let table = fbb.start_table();
        fbb.push_slot_always(8, calls);
        let chain: Table = fbb.end_table(table);
        let chains = fbb.create_vector(&[chain]);
        let mut operators: Vec<Table> = Vec::new();
        for (name, overload) in OPERATORS {
            let (name, overload) = (fbb.create_string(name), fbb.create_string(overload));
            let table = fbb.start_table();
            fbb.push_slot_always(4, name);
            fbb.push_slot_always(6, overload);
            operators.push(fbb.end_table(table));
        }
        let operators = fbb.create_vector(&operators);
        let id = fbb.create_string("XnnpackBackend");
        let table = fbb.start_table();
        fbb.push_slot_always(4, id);
        let delegate: Table = fbb.end_table(table);
        let delegates = fbb.create_vector(&[delegate]);
        let (inputs, outputs) = (fbb.create_vector(&self.inputs), fbb.create_vector(&self.outputs));
        let (name, sizes) = (fbb.create_string(self.name), fbb.create_vector(&self.sizes));
        let table = fbb.start_table();
        fbb.push_slot_always(4, name);
        fbb.push_slot_always(8, values);
        fbb.push_slot_always(10, inputs);
        fbb.push_slot_always(12, outputs);
        fbb.push_slot_always(14, chains);
        fbb.push_slot_always(16, operators);
        fbb.push_slot_always(18, delegates);
        fbb.push_slot_always(20, sizes);
        fbb.end_table(table)
    }

    fn read(&self) -> Imported {
        read_any(&bytes(std::slice::from_ref(self)), Answers::default()).unwrap_or_else(|faults| panic!("{faults:?}"))
    }

    fn planned(&self) -> (memplan_core::graph::Graph, Problem, Plan) {
        match self.read().document {
            Document::Planned(graph, problem, plan) => (graph, problem, plan),
            other => panic!("{other:?}"),
        }
    }

    fn faults(&self) -> Vec<String> {
        let faults = read_any(&bytes(std::slice::from_ref(self)), Answers::default()).expect_err("refused");
        faults.iter().map(|fault| format!("{} {}", fault.path, fault.message.key)).collect()
    }
}

fn bytes(plans: &[Made]) -> Vec<u8> {
    let mut fbb = FlatBufferBuilder::new();
    let plans: Vec<Table> = plans.iter().map(|plan| plan.write(&mut fbb)).collect();
    let plans = fbb.create_vector(&plans);
    let table = fbb.start_table();
    fbb.push_slot_always(6, plans);
    let root = fbb.end_table(table);
    fbb.finish(root, Some("ET12"));
    fbb.finished_data().to_vec()
}

fn keys(read: &Imported) -> Vec<String> {
    read.warnings.iter().map(|fault| fault.message.key.to_string()).collect()
}

/// Tensors read and made, by name without `value`.
fn uses(graph: &memplan_core::graph::Graph) -> Vec<(String, String)> {
    let names = |ids: &[memplan_core::graph::TensorId]| {
        let name = |id: &memplan_core::graph::TensorId| graph.tensors[*id].name.replace("value ", "");
        ids.iter().map(name).collect::<Vec<_>>().join(" ")
    };
    graph.nodes.iter().map(|node| (names(&node.inputs), names(&node.outputs))).collect()
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect()
}

#[test]
fn the_last_arguments_are_what_is_made() {
    let (graph, problem, plan) = sum().planned();
    assert_eq!(uses(&graph), pairs(&[("0 1", "2"), ("2 2", "3")]));
    assert_eq!(
        problem.buffers.iter().map(|there| there.live).collect::<Vec<_>>(),
        [(0, 1), (0, 2), (1, 2)].map(|(a, b)| Live::new(a, b))
    );
    assert_eq!((plan.peak(&problem), check(&problem, &plan)), (32, vec![]));
}

#[test]
fn two_results_and_lists_with_gaps_are_understood() {
    let mut program = sum();
    program.values.push(MadeValue::List(vec![0, -1, 1, 4]));
    program.calls[0] = Kernel(0, vec![5, 2, 3, 2, 3]);
    program.calls[1] = Kernel(1, vec![3, 2, 4, 3]);
    // The second writes in place what the first made: a read, and nothing new.
    let (graph, ..) = program.planned();
    assert_eq!(uses(&graph), pairs(&[("0 1", "2 3"), ("3 2", "")]));
}

#[test]
fn what_is_read_before_it_is_made_outlives_the_run() {
    let mut program = sum();
    program.values[1] = placed(4, 2, 0);
    program.values.push(MadeValue::Tensor(vec![4], Some((2, 16)), true, 0));
    program.calls.push(Kernel(1, vec![5, 3, 4, 5]));
    program.sizes.push(32);
    let read = program.read();
    assert!(read.facts.iter().any(|fact| fact.key == "fact.pte-states"));
    let (graph, problem, plan) = program.planned();
    assert_eq!(uses(&graph)[2], ("5 3".to_string(), String::new()));
    let live = |name: &str| problem.buffers[problem.buffer_named(name).expect("named")].live;
    assert_eq!((live("value 1"), live("value 5")), (Live::new(0, 3), Live::new(0, 3)));
    assert_eq!(
        plan.pools.iter().map(|pool| (&pool.name[..], pool.size)).collect::<Vec<_>>(),
        [("arena 1", 32), ("arena 2", 32)]
    );
    assert_eq!(check(&problem, &plan), []);
}

#[test]
fn a_view_is_its_source() {
    let mut program = sum();
    program.values[3] = placed(4, 1, 16);
    program.calls[1] = Kernel(2, vec![2, 4, 3]);
    let (graph, problem, plan) = program.planned();
    assert_eq!(graph.nodes.iter().map(|node| node.aliases().count()).collect::<Vec<_>>(), [0, 1]);
    assert_eq!((problem.buffers.len(), check(&problem, &plan)), (2, vec![]));
}

/// `0 → 2 3`, whose results stand there once more as a list, then `3 → 1` and `2 → 1 → 5`.
#[test]
fn results_that_end_in_a_list_are_results() {
    let mut program = sum();
    program.values[1] = placed(4, 1, 48);
    program.values[3] = placed(4, 1, 32);
    program.values.extend([MadeValue::List(vec![2, 3]), placed(4, 1, 16)]);
    program.calls = vec![Kernel(0, vec![0, 4, 2, 3, 5]), Kernel(0, vec![3, 1, 1]), Kernel(0, vec![1, 1, 6, 6])];
    program.outputs = vec![6];
    program.sizes = vec![0, 64];
    let (graph, problem, plan) = program.planned();
    assert_eq!(uses(&graph), pairs(&[("0", "2 3"), ("3", "1"), ("1 1", "6")]));
    assert_eq!(check(&problem, &plan), []);
    // A list of which something was written before: that is written again.
    program.values.push(MadeValue::List(vec![2, 6]));
    program.calls[2] = Kernel(0, vec![1, 2, 6, 7]);
    assert_eq!(uses(&program.planned().0)[2], ("1 2".to_string(), "6".to_string()));
}

#[test]
fn a_value_that_nothing_writes_is_a_view_of_what_lies_there() {
    let mut program = sum();
    // Value 5 lies at value 2, value 6 at value 0, which value 3 takes over.
    program.values[3] = placed(4, 1, 0);
    program.values.extend([placed(4, 1, 16), placed(4, 1, 0)]);
    program.calls =
        vec![Kernel(0, vec![0, 1, 4, 2, 2]), Kernel(0, vec![5, 5, 4, 3, 3]), Kernel(0, vec![6, 5, 4, 2, 2])];
    program.outputs = vec![2];
    let read = program.read();
    let views = read.facts.iter().find(|fact| fact.key == "fact.pte-views").expect("told");
    assert_eq!(views.arg("count"), Some(&memplan_core::base::Arg::Count(2)));
    let (graph, problem, plan) = program.planned();
    assert_eq!(
        graph.nodes.iter().map(|node| node.name.as_str()).collect::<Vec<_>>()[1..4],
        ["view 5", "aten::add.out 1", "view 6"]
    );
    assert_eq!(uses(&graph), pairs(&[("0 1", "2"), ("2", "5"), ("5 5", "3"), ("3", "6"), ("6 5 2", "")]));
    assert_eq!((problem.buffers.len(), check(&problem, &plan)), (3, vec![]));
    // With another size it is something else: a state, which lies at the bytes of others.
    program.values[5] = placed(2, 1, 16);
    let (graph, problem, plan) = program.planned();
    assert_eq!(graph.nodes.len(), 4);
    assert!(!check(&problem, &plan).is_empty());
}

#[test]
fn an_operand_that_nothing_else_names_is_working_memory() {
    let mut program = sum();
    program.values.push(placed(4, 1, 32));
    program.calls.insert(1, Kernel(4, vec![2, 4, 5, 3, 3]));
    program.calls[2] = Kernel(0, vec![3, 1, 2, 2]);
    program.outputs = vec![2];
    program.sizes = vec![0, 48];
    let read = program.read();
    assert!(read.facts.iter().any(|fact| fact.key == "fact.pte-scratch"));
    let (graph, problem, plan) = program.planned();
    assert_eq!(uses(&graph), pairs(&[("0 1", "2"), ("2", "3 5"), ("3 1 2", "")]));
    let live = problem.buffers[problem.buffer_named("value 5").expect("named")].live;
    assert_eq!((live, check(&problem, &plan)), (Live::new(1, 2), vec![]));
    // Where an operator of ATen reads it, it holds something.
    program.calls[1] = Kernel(0, vec![2, 4, 5, 3, 3]);
    let (_, problem, _) = program.planned();
    let live = problem.buffers[problem.buffer_named("value 5").expect("named")].live;
    assert_eq!(live, Live::new(0, 3));
}

/// `if 0 { 1 → 4 } else { 2 → 5 }; → 3`, each branch by way of value 6 or 7.
fn fork() -> Made {
    let mut values = vec![placed(4, 1, 0), placed(4, 1, 16), placed(4, 1, 16), placed(4, 1, 96)];
    values.extend([placed(4, 1, 32), placed(4, 1, 48), placed(4, 1, 48), placed(4, 1, 32)]);
    values.extend([placed(4, 1, 64), MadeValue::Flag(false)]);
    Made {
        values,
        outputs: vec![3],
        calls: vec![
            // The second branch begins after the jump at the end of the first.
            Jump(0, 6),
            Kernel(0, vec![0, 1, 1]),
            Kernel(0, vec![1, 6, 6]),
            Kernel(0, vec![6, 4, 4]),
            Move(4, 8),
            Jump(9, 10),
            Kernel(0, vec![0, 2, 2]),
            Kernel(0, vec![2, 7, 7]),
            Kernel(0, vec![7, 5, 5]),
            Move(5, 8),
            Kernel(0, vec![8, 3, 3]),
        ],
        sizes: vec![0, 112],
        ..sum()
    }
}

#[test]
fn branches_are_never_alive_together() {
    let mut program = fork();
    let (graph, problem, plan) = program.planned();
    assert_eq!(check(&problem, &plan), []);
    let spans = |name: &str| {
        let spans = problem.buffers[problem.buffer_named(name).expect("named")].spans();
        spans.into_iter().map(|span| (span.live.start, span.live.end)).collect::<Vec<_>>()
    };
    assert_eq!(spans("value 4"), [(3, 6), (10, 11)], "not in the other branch");
    assert_eq!(spans("value 5"), [(8, 11)]);
    assert_eq!(spans("value 7"), [(7, 9)]);
    let joins = graph.nodes.iter().filter_map(|node| node.attrs.get("joins")).collect::<Vec<_>>();
    assert_eq!(joins, [&Attr::Text("value 4".into())]);
    // Results of both branches at one place count once; what overlaps them afterwards is a fault.
    program.values[5] = placed(4, 1, 32);
    program.values[7] = placed(4, 1, 64);
    program.values[3] = placed(4, 1, 80);
    assert!(matches!(program.planned(), (_, problem, plan) if check(&problem, &plan).is_empty()));
    program.values[3] = placed(4, 1, 32);
    let (_, problem, plan) = program.planned();
    assert_eq!(check(&problem, &plan).len(), 1);
}

#[test]
fn what_a_loop_needs_again_lives_until_it_ends() {
    // Instructions 1 to 3 are run again and again: 1 → 2, 2 → 5, and a part of 3.
    let mut program = fork();
    program.values[2] = placed(4, 1, 64);
    program.calls = vec![
        Kernel(0, vec![0, 1, 1]),
        Kernel(0, vec![1, 2, 2]),
        Kernel(0, vec![2, 5, 5]),
        Kernel(5, vec![3, 5, 9]),
        Jump(0, 1),
    ];
    let (graph, problem, plan) = program.planned();
    assert_eq!(check(&problem, &plan), []);
    let live = |name: &str| problem.buffers[problem.buffer_named(name).expect("named")].live;
    assert_eq!(
        (live("value 1"), live("value 2"), live("value 5")),
        (Live::new(0, 5), Live::new(1, 3), Live::new(2, 4))
    );
    assert_eq!(live("value 3"), Live::new(1, 5), "written in part each time");
    let last = graph.nodes.iter().last().expect("the jump");
    assert!(last.inputs.iter().any(|&input| graph.tensors[input].name == "value 1"));
}

#[test]
fn an_input_that_nothing_reads_takes_its_place_before_the_first_instruction() {
    let mut program = sum();
    program.values.push(placed(4, 1, 16));
    program.inputs.push(5);
    let (graph, problem, plan) = program.planned();
    assert_eq!(graph.nodes.iter().next().map(|node| &node.op[..]), Some("placeholder"));
    assert_eq!((problem.steps, check(&problem, &plan)), (3, vec![]));
}

#[test]
fn a_convolution_keeps_its_window() {
    let image = |offset| MadeValue::Tensor(vec![1, 2, 8, 8], Some((1, offset)), false, 0);
    let mut values = vec![image(0), MadeValue::Tensor(vec![2, 2, 3, 3], None, true, 0), image(512)];
    values.extend([1, 2, 0].map(MadeValue::Number));
    values.extend([MadeValue::Numbers(vec![3, 3]), MadeValue::Numbers(vec![4, 4]), MadeValue::Numbers(vec![])]);
    values.extend([MadeValue::Flag(false), MadeValue::Numbers(vec![0, 9])]);
    // Input, weight, no bias, stride, padding, dilation, transposed, output padding, groups, and
    // what is made.
    let program = Made {
        values,
        outputs: vec![2],
        calls: vec![Kernel(3, vec![0, 1, 5, 6, 7, 7, 9, 8, 3, 2, 2])],
        sizes: vec![0, 1024],
        ..sum()
    };
    let window = |program: &Made| {
        let (graph, ..) = program.planned();
        let node = graph.nodes.iter().next().expect("the convolution");
        let text = |(Attr::Text(text) | Attr::Json(text)): &Attr| text.clone();
        ["stride", "padding", "dilation", "transposed", "groups"].map(|name| node.attrs.get(name).map(text))
    };
    assert_eq!(window(&program), ["[1,1]", "[2,2]", "[2,2]", "false", "1"].map(|text| Some(text.to_string())));
    // What is no number, and a list that is longer than any window, are not known.
    let mut open = program.clone();
    open.calls = vec![Kernel(3, vec![0, 1, 5, 10, 7, 7, 9, 8, 3, 2, 2])];
    let unknown = Some("?".to_string());
    assert_eq!(window(&open)[0], unknown);
    open.values[10] = MadeValue::Numbers(vec![3; 7]);
    assert_eq!(window(&open)[0], unknown);
}

#[test]
fn delegates_and_jumps_are_shown_and_told() {
    let mut program = sum();
    program.calls = vec![Delegate(0, vec![0, 2]), Jump(0, 2), Move(2, 3), Free(2)];
    let read = program.read();
    assert_eq!(keys(&read), ["warning.pte-delegates", "warning.pte-jumps"]);
    let graph = read.document.graph().expect("nodes");
    assert_eq!(
        graph.nodes.iter().map(|node| &node.op[..]).collect::<Vec<_>>(),
        ["delegate XnnpackBackend", "jump_false", "move", "free"]
    );
    assert_eq!(uses(graph), pairs(&[("0", "2"), ("0", ""), ("2", "3"), ("2", "")]));
    assert_eq!(graph.nodes.iter().map(|node| node.aliases().count()).collect::<Vec<_>>(), [0, 0, 1, 0]);
}

#[test]
fn inputs_of_the_caller_have_no_place_and_unbounded_sizes_are_asked_for() {
    let mut program = sum();
    program.values[0] = MadeValue::Tensor(vec![4], None, false, 0);
    let (_, problem, plan) = program.planned();
    let unplanned: Vec<_> =
        plan.unplanned.iter().map(|&(id, reason)| (&problem.buffers[id].name[..], reason)).collect();
    assert_eq!(unplanned, [("value 0", memplan_core::plan::Unplanned::InputOfCaller)]);
    program.values[2] = MadeValue::Tensor(vec![4], None, false, UNBOUND);
    program.values[3] = MadeValue::Tensor(vec![4], Some((1, 0)), false, BOUND);
    let read = program.read();
    assert!(matches!(&read.questions[..], [Question::Shapes(open)] if open[0].tensor == "value 2"));
    assert!(read.facts.iter().any(|fact| fact.key == "fact.pte-bounds"));
}

#[test]
fn one_method_of_several_is_read() {
    let file = bytes(&[sum(), Made { name: "encode", calls: vec![], outputs: vec![], ..sum() }]);
    let read = |model: &str| read_any(&file, Answers { model: model.into(), ..Answers::default() });
    let first = read("").expect("readable");
    assert_eq!(first.questions, [Question::Model(vec!["forward".into(), "encode".into()])]);
    let second = read("encode").expect("readable").document;
    assert_eq!(second.graph().map(|graph| (graph.name.as_str(), graph.nodes.len())), Some(("encode", 0)));
    assert_eq!(read("backward2").expect_err("no such")[0].message.key, "fault.no-such-model");
    assert_eq!(read("decode").expect_err("near")[0].message.key, "fault.did-you-mean", "encode");
}

#[test]
fn offsets_have_two_halves() {
    let mut program = sum();
    program.values[2] = placed(4, 1, 3 << 32 | 16);
    let (_, problem, plan) = program.planned();
    assert_eq!(plan.peak(&problem), (3 << 32) + 32);
    program.values[2] = placed(4, 1, u64::MAX);
    assert_eq!(program.faults(), ["values[2].allocation_info fault.too-large"]);
}

#[test]
fn indices_that_lead_nowhere_are_faults() {
    let with = |call: MadeCall| Made { calls: vec![call], ..sum() }.faults();
    assert_eq!(with(Kernel(6, vec![])), ["instructions[0] fault.flat-index"]);
    assert_eq!(with(Kernel(0, vec![5])), ["instructions[0] fault.flat-index"]);
    assert_eq!(with(Kernel(0, vec![-1])), ["instructions[0] fault.flat-index"]);
    assert_eq!(with(Delegate(-1, vec![])), ["instructions[0] fault.flat-index"]);
    assert_eq!(with(Move(0, i32::MAX)), ["instructions[0] fault.flat-index"]);
    assert_eq!(Made { outputs: vec![9], ..sum() }.faults(), ["outputs[0] fault.flat-index"]);
    assert_eq!(read_any(&bytes(&[]), Answers::default()).expect_err("no method")[0].message.key, "fault.pte-no-method");
}

/// One long list that many instructions name: little to store, much to walk.
#[test]
fn a_list_named_again_and_again_is_refused() {
    let mut program = sum();
    program.values.push(MadeValue::List(vec![0; 20_000]));
    program.calls = (0..2_000).map(|_| Kernel(0, vec![5])).collect();
    assert!(program.faults()[0].ends_with("fault.pte-uses"), "{:?}", program.faults());
}

#[test]
fn the_header_is_not_believed() {
    let mut file = bytes(&[sum()]);
    // Room for a header after the root offset: the tables lie behind it.
    let root = u32::from_le_bytes(file[..4].try_into().expect("four bytes"));
    file.splice(8..8, [0; 32]);
    file[..4].copy_from_slice(&(root + 32).to_le_bytes());
    file[8..12].copy_from_slice(b"eh00");
    let length = file.len() as u64;
    file[16..24].copy_from_slice(&length.to_le_bytes());
    file.extend([0xAA; 64]);
    assert!(matches!(read_any(&file, Answers::default()).map(|read| read.document), Ok(Document::Planned(..))));
    for size in [length + 65, u64::MAX] {
        file[16..24].copy_from_slice(&size.to_le_bytes());
        let faults = read_any(&file, Answers::default()).expect_err("too long");
        assert_eq!(faults[0].message.key, "fault.flat-short");
    }
    file[16..24].copy_from_slice(&(length / 2).to_le_bytes());
    assert!(read_any(&file, Answers::default()).is_err());
}

#[test]
fn other_versions_are_read_as_far_as_they_go() {
    let mut file = bytes(&[sum()]);
    file[4..8].copy_from_slice(b"ET13");
    assert_eq!(keys(&read_any(&file, Answers::default()).expect("readable")), ["warning.pte-identifier"]);
}

#[test]
fn every_truncation_is_a_sentence_or_a_document() {
    let whole = bytes(&[sum()]);
    for end in 0..whole.len() {
        if let Err(faults) = read_any(&whole[..end], Answers::default()) {
            assert!(!faults.is_empty());
        }
    }
}
