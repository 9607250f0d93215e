use super::program::{Argument, Binding, Block, Branches, Function, How, Tensor};
use super::run::{Planned, run};
use super::size::Size;
use super::*;
use memplan_core::plan::check;
use memplan_core::problem::{self, BufferId, lifetimes};
use memplan_core::trace::{Event, Note, Recorder, Silent};
use memplan_formats::import::{self, Answers, Document};

fn allocate(variable: u32, bytes: u64) -> Binding {
    let (buffer, size) = (BufferId(variable), Size::Bytes(bytes));
    Binding::Allocate { variable, tensor: Tensor { size, bytes, key: 0, is_symbolic: false, buffer, held: 0 } }
}

fn call(arguments: &[u32]) -> Binding {
    let arguments = arguments.iter().map(|&variable| Argument::Variable(variable)).collect();
    Binding::Call { step: 0, how: How::Counts, arguments }
}

fn planned(blocks: Vec<Vec<Binding>>, result: Argument) -> Result<Planned, Stopped> {
    let blocks = blocks.into_iter().map(|bindings| Block { bindings }).collect();
    let function = Function { variables: 10, blocks, result, plans_dynamic_results: false };
    run(&function, &problem::Branches::default(), &|_| 0, &mut Silent)
}

/// Storage of each tensor, in the order in which they are allocated.
fn storages(planned: &Planned) -> Vec<Option<u32>> {
    planned.tensors.iter().map(|(_, placed)| placed.storage).collect()
}

fn sizes(planned: &Planned) -> Vec<u64> {
    planned.storages.iter().map(|storage| storage.bytes).collect()
}

/// The worked example.
#[test]
fn the_smallest_storage_within_the_range_is_taken() {
    let bindings = vec![
        allocate(0, 4096),
        allocate(1, 1024),
        allocate(2, 2048),
        call(&[0, 1, 2]),
        allocate(3, 900),
        call(&[3]),
        allocate(4, 5000),
        call(&[4]),
    ];
    let planned = planned(vec![bindings], Argument::Other).expect("planned");
    assert_eq!(storages(&planned), [Some(0), Some(1), Some(2), Some(1), Some(0)]);
    assert_eq!(sizes(&planned), [5000, 1024, 2048]);
}

#[test]
fn what_is_returned_read_elsewhere_or_read_by_no_kernel_is_left_out() {
    let discarding = Binding::Call { step: 0, how: How::Discards, arguments: vec![Argument::Variable(2)] };
    let first = vec![allocate(0, 8), call(&[0]), allocate(1, 8), call(&[1]), allocate(2, 8), call(&[2]), discarding];
    let second = vec![call(&[1]), allocate(3, 8), call(&[3])];
    let planned = planned(vec![first, second], Argument::Variable(0)).expect("planned");
    assert_eq!(storages(&planned), [None, None, None, Some(0)]);
}

#[test]
fn a_false_branch_may_take_a_storage_of_the_true_one() {
    let branch = |variable| (vec![Block { bindings: vec![allocate(variable, 8), call(&[variable])] }], Argument::Other);
    let both = Branches { condition: Argument::Other, branches: [branch(0), branch(1)] };
    let bindings = vec![Binding::If(Box::new(both)), allocate(2, 8), call(&[2])];
    let planned = planned(vec![bindings], Argument::Other).expect("planned");
    assert_eq!(storages(&planned), [Some(0), Some(0), Some(0)]);
    let faults: Vec<bool> = planned.tensors.iter().map(|(_, placed)| placed.is_out_of_scope).collect();
    assert_eq!(faults, [false, true, true]);
}

#[test]
fn a_tensor_of_another_block_twice_in_one_argument_stops_the_pass() {
    let pair = Argument::Tuple(vec![Argument::Variable(0), Argument::Variable(0)]);
    let second = vec![Binding::Call { step: 0, how: How::Counts, arguments: vec![pair] }];
    let first = vec![allocate(0, 8), call(&[0])];
    assert_eq!(planned(vec![first, second], Argument::Other), Err(Stopped::Twice));
}

fn read(text: &str) -> Graph {
    match import::read(text.as_bytes(), Answers::default()).map(|read| read.document) {
        Ok(Document::Graph(graph)) => graph,
        other => panic!("{other:?}"),
    }
}

/// `a` is bounded, `b` and `c` have no bound, `v` is a view, and half a byte counts as one.
const GRAPH: &str = r#"{"format":"memory-graph/1","name":"g",
    "symbols":{"n":{"hint":4,"max":64},"m":{"hint":4}},"tensors":[
    {"name":"x","dtype":"float32","shape":[16],"kind":"input"},
    {"name":"a","dtype":"float32","shape":["n"],"kind":"intermediate"},
    {"name":"b","dtype":"float32","shape":["m*2"],"kind":"intermediate"},
    {"name":"v","dtype":"float32","shape":["m","2"],"kind":"intermediate"},
    {"name":"c","dtype":"float32","shape":["m+m"],"kind":"intermediate"},
    {"name":"d","dtype":"int4","shape":[8],"kind":"intermediate"},
    {"name":"y","dtype":"float32","shape":[1],"kind":"output"}],
    "nodes":[{"name":"n0","op":"f","inputs":["x"],"outputs":["a"]},
    {"name":"n1","op":"f","inputs":["a"],"outputs":["b"]},
    {"name":"n2","op":"view","inputs":["b"],"outputs":["v"],"attrs":{"alias":"true"}},
    {"name":"n3","op":"f","inputs":["v"],"outputs":["d"]},
    {"name":"n4","op":"f","inputs":["d"],"outputs":["c"]},
    {"name":"n5","op":"f","inputs":["c"],"outputs":["y"]}]}"#;

/// Sizes and storages of the intermediates of a chain of tensors with these shapes.
fn chain(symbols: &str, shapes: &[&str]) -> Vec<(u64, Option<u32>)> {
    let tensor = |(at, shape): (usize, &&str)| {
        format!(r#"{{"name":"t{at}","dtype":"float32","shape":[{shape}],"kind":"intermediate"}}"#)
    };
    let tensors: Vec<String> = shapes.iter().enumerate().map(tensor).collect();
    let node = |at: usize| {
        let from = if at == 0 { "x".to_string() } else { format!("t{}", at - 1) };
        let to = if at == shapes.len() { "y".to_string() } else { format!("t{at}") };
        format!(r#"{{"name":"n{at}","op":"f","inputs":["{from}"],"outputs":["{to}"]}}"#)
    };
    let nodes: Vec<String> = (0..=shapes.len()).map(node).collect();
    let graph = read(&format!(
        r#"{{"format":"memory-graph/1","name":"g","symbols":{{{symbols}}},"tensors":[
        {{"name":"x","dtype":"float32","shape":[4],"kind":"input"}},{},
        {{"name":"y","dtype":"float32","shape":[4],"kind":"output"}}],"nodes":[{}]}}"#,
        tensors.join(","),
        nodes.join(",")
    ));
    let (scope, options) = (Scope::default(), INFO.defaults());
    let problem = lifetimes(&graph, &scope).expect("sizes are known");
    let made = crate::run(&Relax, &problem, Some(&graph), &scope, &options, &mut Silent).expect("applicable");
    let lies = |at: usize| {
        let id = made.problem.buffer_named(&format!("t{at}")).expect("named");
        (made.problem.buffers[id].size, made.plan.places[id].map(|place| place.pool.0))
    };
    (0..shapes.len()).map(lies).collect()
}

/// Of TVM 0.27: `132 * m` bytes each.
#[test]
fn symbols_without_a_bound_stand_at_their_value_beside_bounded_ones() {
    let symbols = r#""n":{"hint":8,"max":33},"m":{"hint":8}"#;
    let shape = r#""n","m""#;
    assert_eq!(chain(symbols, &[shape, shape]), [(1056, Some(0)), (1056, Some(1))]);
}

/// Of TVM 0.27: `b*t` as one extent is `Select(b >= 0, 77*b, 0)`, which is not provably `77*b`.
/// Where `b` is known not to be below 0, it is.
#[test]
fn a_product_of_a_bounded_and_a_free_symbol_is_no_product_of_two_extents() {
    let shapes = [r#""b*t",4"#, r#""b*t",4"#, r#""b","t",4"#, r#""b","t",4"#, r#""t*b",4"#];
    let storages = |symbols: &str| chain(symbols, &shapes).into_iter().map(|(_, storage)| storage).collect::<Vec<_>>();
    let free = r#""b":{"hint":8},"t":{"hint":8,"max":77}"#;
    assert_eq!(storages(free), [0, 1, 2, 3, 0].map(Some));
    let above_0 = r#""b":{"hint":8,"min":1},"t":{"hint":8,"max":77}"#;
    assert_eq!(storages(above_0), [0, 1, 0, 1, 0].map(Some));
}

#[test]
fn a_graph_is_planned_at_the_upper_bounds_of_its_symbols() {
    let graph = read(&GRAPH.replace("\"2\"]", "2]"));
    let mut problem = lifetimes(&graph, &Scope::default()).expect("sizes are known");
    let options = INFO.defaults();
    Relax.prepare(&mut problem, Some(&graph), &Scope::default(), &options).expect("applicable");
    let id = |name: &str| problem.buffer_named(name).expect("named");
    assert_eq!((problem.buffers[id("a")].size, problem.buffers[id("d")].size), (256, 8));
    let mut recorder = Recorder::default();
    let input = Input { problem: &problem, graph: Some(&graph) };
    let plan = Relax.plan(input, &options, &mut recorder).expect("applicable");
    assert_eq!(check(&problem, &plan), []);
    let storage = |name: &str| plan.places[id(name)].map(|place| place.pool.0);
    // `c` is provably as large as `b`, whatever `m` is.
    assert_eq!(["a", "b", "d", "c", "y", "x"].map(storage), [Some(0), Some(1), Some(2), Some(1), None, None]);
    let is_discarded = |event: &&Event| matches!(event, Event::Note { note: Note::Discarded, .. });
    // Only what would else be planned: the result.
    assert_eq!(recorder.events.iter().filter(is_discarded).count(), 1);
    struct Stop;
    impl Probe for Stop {
        fn event(&mut self, _: Event) {}
        fn pulse(&mut self, _: u64, _: u64) -> std::ops::ControlFlow<()> {
            std::ops::ControlFlow::Break(())
        }
    }
    assert_eq!(Relax.plan(input, &options, &mut Stop), Err(PlanError::Cancelled));
}
