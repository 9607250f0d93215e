//! What is alive at the step of the largest load of built-in graphs: sums, makers, readers, groups.

use memplan_core::base::Id;
use memplan_core::graph::{Graph, Kind, NodeId};
use memplan_core::problem::{Alive, Falls, Fullest, Problem, Scope, Shared, alive, lifetimes};
use memplan_formats::import::{Answers, read};

/// A graph with its problem.
fn built_in(text: &str) -> (Graph, Problem) {
    problem_of(text.as_bytes())
}

fn problem_of(file: &[u8]) -> (Graph, Problem) {
    let read = read(file, Answers::default()).expect("a graph");
    let graph = read.document.graph().expect("a graph").clone();
    let problem = lifetimes(&graph, &Scope::default()).expect("sizes");
    (graph, problem)
}

#[test]
fn every_built_in_network_adds_up_to_its_largest_load() {
    for text in [
        include_str!("../../www/graphs/teaching.json"),
        include_str!("../../www/graphs/resnet18.json"),
        include_str!("../../www/graphs/mobilenet_v2.json"),
        include_str!("../../www/graphs/unet_512.json"),
        include_str!("../../www/graphs/bert_base_seq128.json"),
        include_str!("../../www/graphs/gpt2_small_seq256.json"),
        include_str!("../../www/graphs/resnet18_train_b8.json"),
    ] {
        let (graph, problem) = built_in(text);
        let fullest = Fullest::new(&problem);
        let step = fullest.step().expect("it takes bytes");
        let load = fullest.load.by_step(problem.steps);
        let smallest = load.iter().position(|load| *load == fullest.bound);
        assert_eq!((fullest.most, Some(step as usize)), (fullest.bound, smallest), "{}", graph.name);
        for step in [step, 0, problem.steps - 1] {
            let list = alive(&problem, Some(&graph), step);
            let rows = || list.groups.iter().flat_map(|group| &group.rows).chain(&list.small);
            assert_eq!(rows().map(|row| row.bytes).sum::<u64>(), load[step as usize], "{}", graph.name);
            assert_eq!(list.load, load[step as usize]);
            for row in rows() {
                let live = problem.buffers[row.buffer].live;
                assert!(row.maker.is_none_or(|node| node.index() as u32 == live.start));
                assert!(row.reader.is_none_or(|node| node.index() as u32 + 1 == live.end));
                assert!(row.maker.is_some() || problem.buffers[row.buffer].kind == Kind::Input);
            }
        }
    }
}

#[test]
fn the_largest_load_of_a_network_is_told_row_by_row() {
    let (graph, problem) = built_in(include_str!("../../www/graphs/unet_512.json"));
    let fullest = Fullest::new(&problem);
    let step = fullest.step().expect("it takes bytes");
    let list = alive(&problem, Some(&graph), step);
    let name = |node: Option<NodeId>| node.map(|node| graph.nodes[node].name.as_str());
    let rows: Vec<_> = (list.groups.iter().flat_map(|group| &group.rows))
        .map(|row| {
            let buffer = problem.buffers[row.buffer].name.as_str();
            (buffer, row.bytes, name(row.maker), name(row.reader), fullest.falls(&problem, row.buffer))
        })
        .collect();
    let half = Falls { bytes: 67_108_864, stays: None };
    assert_eq!((list.load, step, fullest.count()), (268_435_456, 59, 1));
    assert_eq!(
        rows,
        [
            ("cat_3", 134_217_728, Some("cat_3"), Some("conv2d_16"), half),
            ("relu_1", 67_108_864, Some("relu_1"), Some("cat_3"), half),
            ("conv_transpose2d_3", 67_108_864, Some("conv_transpose2d_3"), Some("cat_3"), half),
        ]
    );
}

#[test]
fn a_network_that_is_equally_full_at_two_steps_falls_only_by_what_lives_at_both() {
    let (graph, problem) = problem_of(include_bytes!("../data/models/sd15_unet.json.gz"));
    let fullest = Fullest::new(&problem);
    let step = fullest.step().expect("it takes bytes");
    let list = alive(&problem, Some(&graph), step);
    let rows = || list.groups.iter().flat_map(|group| &group.rows).chain(&list.small);
    assert_eq!((step, fullest.next(step), fullest.count()), (133, Some(974), 2));
    assert_eq!((rows().count(), rows().map(|row| row.bytes).sum::<u64>(), list.load), (9, 105_099_264, 105_099_264));
    let mut falls: Vec<(&str, u64)> = rows()
        .map(|row| (problem.buffers[row.buffer].name.as_str(), fullest.falls(&problem, row.buffer).bytes))
        .filter(|(_, bytes)| *bytes > 0)
        .collect();
    falls.sort_by_key(|(name, bytes)| (std::cmp::Reverse(*bytes), *name));
    assert_eq!(falls, [("add_5", 5_242_880), ("conv2d", 5_242_880), ("text", 236_544), ("linear_1", 5120)]);
}

#[test]
fn buffers_of_one_module_stand_together_and_small_ones_are_folded() {
    let node = |name: &str, module: &str, inputs: &str| {
        format!(
            r#"{{"name":"{name}","op":"conv","inputs":[{inputs}],"outputs":["{name}"],"attrs":{{"module":"{module}"}}}}"#
        )
    };
    let tensor = |name: &str, bytes: u64, kind: &str| {
        format!(r#"{{"name":"{name}","dtype":"uint8","shape":[{bytes}],"kind":"{kind}"}}"#)
    };
    let tensors = [
        tensor("x", 50, "input"),
        tensor("a", 400, "intermediate"),
        tensor("b", 200, "intermediate"),
        tensor("c", 340, "intermediate"),
        tensor("s", 5, "intermediate"),
        tensor("t", 5, "intermediate"),
        tensor("y", 1, "output"),
    ];
    let nodes = [
        node("a", "net.block.0.ff", r#""x""#),
        node("b", "net.block.0.ff.act", r#""x""#),
        node("c", "net.stem", r#""x""#),
        node("s", "net.block.1", r#""x""#),
        node("t", "net.block.1", r#""x""#),
        node("y", "net.head", r#""a","b","c","s","t","x""#),
    ];
    let text = format!(
        r#"{{"format":"memory-graph/1","name":"g","tensors":[{}],"nodes":[{}]}}"#,
        tensors.join(","),
        nodes.join(",")
    );
    let (graph, problem) = built_in(&text);
    let fullest = Fullest::new(&problem);
    assert_eq!(fullest.step(), Some(5));
    let list = alive(&problem, Some(&graph), 5);
    let names = |rows: &[Alive]| {
        let names = rows.iter().map(|row| problem.buffers[row.buffer].name.as_str());
        names.collect::<Vec<_>>().join(" ")
    };
    let groups: Vec<_> = list.groups.iter().map(|group| (&group.shared, names(&group.rows), group.bytes)).collect();
    let module = Shared::Module("block.0.ff".into());
    assert_eq!(
        groups,
        [
            (&module, "a b".to_string(), 600),
            (&Shared::Rest, "c".to_string(), 340),
            (&Shared::Outside, "x".to_string(), 50)
        ]
    );
    assert_eq!((names(&list.small), list.made), ("s t y".to_string(), problem.buffer_named("y")));
}
