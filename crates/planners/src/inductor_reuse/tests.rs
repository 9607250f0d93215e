//! Small graphs on which one rule decides.

use super::*;
use memplan_core::graph::{Dim, Dtype, Expr, Graph, Node, Tensor, TensorId};
use memplan_core::plan::check;
use memplan_core::problem::{Scope, lifetimes};
use memplan_core::trace::{Recorder, Silent};

/// A graph of one node a tensor: name, extent in elements, names that its node reads. The last one
/// is the output.
fn graph(made: &[(&str, &str, &[&str])]) -> Graph {
    let mut graph = Graph::default();
    let device = graph.devices.push("cpu".into());
    graph.symbols.insert("s0".into(), memplan_core::graph::Symbol { hint: 64, min: None, max: None });
    let mut ids: HashMap<&str, TensorId> = HashMap::new();
    for (index, (name, extent, reads)) in made.iter().enumerate() {
        let id = graph.tensors.push(Tensor {
            name: name.to_string(),
            dtype: Dtype::Float32,
            shape: vec![extent.parse().map_or_else(|_| Dim::Expr(Expr::parse(extent).unwrap()), Dim::Fixed)],
            kind: if index + 1 == made.len() { Kind::Output } else { Kind::Intermediate },
            bytes: None,
            device,
            own_device: true,
            align: None,
            mem_id: None,
            role: None,
        });
        ids.insert(name, id);
        graph.nodes.push(Node {
            name: format!("make_{name}"),
            op: "op".into(),
            inputs: reads.iter().map(|name| ids[name]).collect(),
            outputs: vec![id],
            device: None,
            inplace: vec![],
            ignore_inputs: vec![],
            attrs: Default::default(),
        });
    }
    graph
}

/// Storage numbers in order of birth, all storages together and the most held at a time, and the
/// verdicts on storages looked at.
fn plan(graph: &Graph, options: &[(&str, &str)]) -> (Vec<u32>, (u64, u64), Vec<Verdict>) {
    let problem = lifetimes(graph, &Scope::default()).expect("sizes are known");
    let input = Input { problem: &problem, graph: Some(graph) };
    let options = INFO.options(options.iter().copied()).expect("known");
    let mut recorder = Recorder::default();
    let plan = InductorReuse.plan(input, &options, &mut recorder).expect("applicable");
    assert_eq!(check(&problem, &plan), []);
    assert_eq!(InductorReuse.plan(input, &options, &mut Silent).as_ref(), Ok(&plan));
    let verdicts = recorder.events.iter().filter_map(|event| match event {
        Event::AskStorage { verdict, .. } => Some(*verdict),
        _ => None,
    });
    let storages = plan.places.iter().flatten().map(|place| place.pool.0).collect();
    (storages, (plan.peak(&problem), plan.held(&problem).expect("storages go back")), verdicts.collect())
}

/// a and b (400 bytes each) are dead from node 3 on, the peak of 840 is over; c and d need as much
/// again later.
const GAP: &[(&str, &str, &[&str])] = &[
    ("a", "100", &[]),
    ("b", "100", &[]),
    ("m", "10", &["a", "b"]),
    ("m2", "10", &["m"]),
    ("m4", "10", &["m2"]),
    ("c", "100", &["m4"]),
    ("d", "100", &["c"]),
];

#[test]
fn a_takeover_over_a_gap_is_accepted_until_it_would_raise_the_peak() {
    use Verdict::*;
    let (storages, bytes, verdicts) = plan(&graph(GAP), &[]);
    // d would be the fourth hundred: 480 + 400 is above 840.
    assert_eq!(storages, [0, 1, 2, 3, 2, 1, 4]);
    assert_eq!(bytes, (400 + 400 + 40 + 40 + 400, 840));
    assert_eq!(verdicts, [OtherKey, Chosen, Chosen, RaisesPeak]);
    let (storages, bytes, _) = plan(&graph(GAP), &[("peak_test", "false")]);
    assert_eq!(storages, [0, 1, 2, 3, 2, 1, 0]);
    assert_eq!(bytes, (400 + 400 + 40 + 40, 880), "fewer storages, but more is held");
}

#[test]
fn a_length_is_text() {
    // 64 is what s0 stands for; 2*s0 - s0 is s0 in other words.
    let drawn = graph(&[
        ("a", "s0", &[]),
        ("x", "8", &["a"]),
        ("b", "64", &["x"]),
        ("y", "9", &["b"]),
        ("c", "2*s0-s0", &["y"]),
    ]);
    let (storages, ..) = plan(&drawn, &[("peak_test", "false")]);
    assert_eq!(storages, [0, 1, 2, 3, 0]);
}

#[test]
fn frees_of_one_node_go_in_string_order() {
    let drawn =
        graph(&[("buf2", "64", &[]), ("buf10", "64", &[]), ("m", "8", &["buf2", "buf10"]), ("n", "64", &["m"])]);
    let (storages, ..) = plan(&drawn, &[]);
    assert_eq!(storages, [0, 1, 2, 0], "buf2 is freed after buf10 and lies on top");
}

#[test]
fn alignment_and_arena_are_parts_of_the_key() {
    let chain: &[(&str, &str, &[&str])] = &[("a", "64", &[]), ("x", "8", &["a"]), ("b", "64", &["x"])];
    assert_eq!(plan(&graph(chain), &[]).0, [0, 1, 0]);
    let mut aligned = graph(chain);
    aligned.tensors[TensorId(2)].align = Some(256);
    assert_eq!(plan(&aligned, &[]).0, [0, 1, 2]);
    let mut apart = graph(chain);
    apart.tensors[TensorId(2)].mem_id = Some(1);
    assert_eq!(plan(&apart, &[]).0, [0, 1, 2]);
}

#[test]
fn in_place_takeovers_follow_the_permissions() {
    let permitted = |last: &str| {
        let mut drawn = graph(&[("a", "100", &[]), ("b", "100", &["a"]), ("c", last, &["b"]), ("d", "100", &["c"])]);
        drawn.nodes.iter_mut().skip(1).for_each(|node| node.inplace = vec![(0, 0)]);
        drawn
    };
    let on = [("inplace_buffers", "true")];
    assert_eq!(plan(&permitted("100"), &[]).0, [0, 1, 0, 1]);
    assert_eq!(plan(&permitted("100"), &on).0, [0, 0, 0, 0]);
    // 95 % may overwrite, but nothing larger than itself may overwrite it.
    assert_eq!(plan(&permitted("95"), &on).0, [0, 0, 0, 1]);
    assert_eq!(plan(&permitted("94"), &on).0, [0, 0, 1, 0]);
}

#[test]
fn parallel_branches_share_nothing() {
    let drawn = graph(&[
        ("s", "8", &[]),
        ("l1", "64", &["s"]),
        ("l2", "9", &["l1"]),
        ("r1", "64", &["s"]),
        ("r2", "10", &["r1"]),
        ("e", "64", &["l2", "r2"]),
    ]);
    assert_eq!(plan(&drawn, &[]).0, [0, 1, 2, 1, 3, 1]);
    let (storages, _, verdicts) = plan(&drawn, &[("branch_safe", "true")]);
    assert_eq!(storages[3], 3, "r1 does not wait for l1");
    assert!(verdicts.contains(&Verdict::Parallel));
}

#[test]
fn every_outcome_and_page_has_its_words() {
    let rules = ["order", "new-storage", "reuse", "in-place"].map(|word| format!("rule.inductor-reuse.{word}"));
    let pages = ["what", "rule", "time", "weak", "differs"].map(|word| format!("how.inductor-reuse.{word}"));
    for key in rules.iter().chain(&pages) {
        assert!(memplan_core::text::Locale::has(key), "{key}");
    }
}

#[test]
fn without_a_graph_there_is_no_element_type() {
    let input = Input { problem: &Problem::default(), graph: None };
    let wanted = Err(PlanError::NotApplicable(NotApplicable::NeedsGraph));
    assert_eq!(InductorReuse.plan(input, &INFO.defaults(), &mut Silent), wanted);
}
