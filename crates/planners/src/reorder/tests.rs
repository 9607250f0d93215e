//! Orders: against all permutations, what must not move, and what the plan and its file say.

use super::*;
use memplan_core::base::IdVec;
use memplan_core::plan::check;
use memplan_core::problem::Views;
use memplan_core::trace::Recorder;
use memplan_formats::import::{self, Answers, Document};

/// A graph of byte tensors: `name size kind` and nodes `name op inputs → outputs`.
fn graph(tensors: &[(&str, u64, &str)], nodes: &[(&str, &str, &[&str], &[&str])]) -> Graph {
    let tensor = |(name, size, kind): &(&str, u64, &str)| {
        format!(r#"{{"name":"{name}","dtype":"uint8","shape":[{size}],"kind":"{kind}"}}"#)
    };
    let list = |names: &[&str]| names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(",");
    let node = |(name, op, inputs, outputs): &(&str, &str, &[&str], &[&str])| {
        let attrs = if *op == "view" { r#","attrs":{"alias":"true"}"# } else { "" };
        format!(r#"{{"name":"{name}","op":"{op}","inputs":[{}],"outputs":[{}]{attrs}}}"#, list(inputs), list(outputs))
    };
    let (tensors, nodes): (Vec<_>, Vec<_>) = (tensors.iter().map(tensor).collect(), nodes.iter().map(node).collect());
    let text = format!(
        r#"{{"format":"memory-graph/1","name":"g","tensors":[{}],"nodes":[{}]}}"#,
        tensors.join(","),
        nodes.join(",")
    );
    match import::read(text.as_bytes(), Answers::default()).map(|read| read.document) {
        Ok(Document::Graph(graph)) => graph,
        other => panic!("{other:?}"),
    }
}

/// Two branches that each grow large and shrink; the file runs both large nodes first.
fn wide() -> Graph {
    graph(
        &[
            ("x", 1, "input"),
            ("a", 50, "intermediate"),
            ("b", 60, "intermediate"),
            ("c", 2, "intermediate"),
            ("d", 3, "intermediate"),
            ("y", 1, "output"),
        ],
        &[
            ("grow_a", "f", &["x"], &["a"]),
            ("grow_b", "f", &["x"], &["b"]),
            ("cut_a", "f", &["a"], &["c"]),
            ("cut_b", "f", &["b"], &["d"]),
            ("join", "f", &["c", "d"], &["y"]),
        ],
    )
}

fn prepared(graph: &Graph, given: &[(&str, &str)]) -> (Problem, Option<Graph>) {
    let options = INFO.options(given.iter().copied()).expect("declared");
    let mut problem = lifetimes(graph, &Scope::default()).expect("sizes are known");
    let other = prepare(&mut problem, graph, &Scope::default(), &options).expect("prepared");
    (problem, other)
}

fn names(problem: &Problem) -> Vec<&str> {
    problem.order.as_ref().map(|order| order.nodes.iter().map(String::as_str).collect()).unwrap_or_default()
}

fn search_of(problem: &Problem) -> &OrderSearch {
    problem.order.as_ref().and_then(|order| order.search.as_ref()).expect("searched")
}

#[test]
fn one_branch_after_the_other_keeps_one_large_buffer_alive() {
    let graph = wide();
    assert_eq!(lower_bound(&lifetimes(&graph, &Scope::default()).expect("sizes")), 112);
    for how in ["exact", "beam"] {
        let (problem, other) = prepared(&graph, &[("reorder", how)]);
        // Cutting b while x is still needed takes 1 + 60 + 3; cutting it last, with c there, 2 + 60
        // + 3.
        assert_eq!(lower_bound(&problem), 64, "{how}");
        assert_eq!(names(&problem), ["grow_b", "cut_b", "grow_a", "cut_a", "join"], "{how}");
        assert!(other.is_some());
        let search = search_of(&problem);
        assert_eq!(search.file_steps, [1, 3, 0, 2, 4]);
        assert_eq!(search.load_before.iter().max(), Some(&112));
        // What one node needs alone is 63: a beam does not know that 64 is the least.
        assert_eq!(search.is_proved, how == "exact");
    }
}

#[test]
fn a_budget_that_is_used_up_is_no_proof() {
    let (problem, other) = prepared(&wide(), &[("states", "1")]);
    let search = search_of(&problem);
    assert!(!search.is_proved && search.states > 1);
    // What the beam found is kept.
    assert!(other.is_some());
    assert_eq!(lower_bound(&problem), 64);
}

#[test]
fn a_beam_that_would_take_too_long_gives_up_and_one_state_alone_goes_on() {
    let graph = wide();
    let model = Model::new(&graph, &lifetimes(&graph, &Scope::default()).expect("sizes are known"));
    let steps = |width: usize, mut work: u64| {
        let given = work;
        let found = beam::narrow(&model, 0..4, 1, width, &mut work);
        (found, given - work)
    };
    let (found, eight) = steps(8, u64::MAX);
    assert_eq!(found, Some(vec![1, 3, 0, 2]));
    let (found, one) = steps(1, u64::MAX);
    assert_eq!(found.map(|order| order.len()), Some(4));
    assert!(one < eight, "{one} steps of one state, {eight} of eight");
    assert_eq!(steps(8, eight - 1), (None, eight - 1));
    assert!(steps(1, eight - 1).0.is_some());
}

#[test]
fn nothing_is_better_than_what_it_finds() {
    let mut random = 12345u64;
    for round in 0..40 {
        let graph = drawn(&mut random);
        let (problem, other) = prepared(&graph, &[]);
        assert!(search_of(&problem).is_proved, "{round}");
        assert_eq!(lower_bound(&problem), least(&graph), "{round}: {graph:?}");
        let (beamed, _) = prepared(&graph, &[("reorder", "beam")]);
        assert!(lower_bound(&beamed) >= lower_bound(&problem), "{round}");
        let ran = other.as_ref().unwrap_or(&graph);
        let made = |id: NodeId| {
            ran.nodes[id].inputs.iter().all(|input| {
                let maker = ran.nodes.enumerate().find(|(_, node)| node.outputs.contains(input));
                maker.is_none_or(|(maker, _)| maker < id)
            })
        };
        assert!(ran.nodes.ids().all(made), "{round}: a reader before its maker");
    }
}

/// Seven nodes that each read up to two earlier results.
fn drawn(random: &mut u64) -> Graph {
    let mut draw = |below: u64| {
        *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*random >> 33) % below
    };
    let names: Vec<String> = (0..7).map(|index| format!("t{index}")).collect();
    let tensors: Vec<(&str, u64, &str)> = names
        .iter()
        .enumerate()
        .map(|(at, name)| (name.as_str(), 1 + draw(60), if at == 6 { "output" } else { "intermediate" }))
        .collect();
    let reads: Vec<Vec<&str>> = (0..7u64)
        .map(|at| {
            let mut reads: Vec<&str> =
                (0..2).filter(|_| at > 0).map(|_| names[draw(at.max(1)) as usize].as_str()).collect();
            reads.dedup();
            reads
        })
        .collect();
    let own: Vec<[&str; 1]> = names.iter().map(|name| [name.as_str()]).collect();
    let nodes: Vec<(&str, &str, &[&str], &[&str])> = (0..7)
        .map(|at| {
            (
                names[at].as_str(),
                if at == 3 && !reads[at].is_empty() { "view" } else { "f" },
                &reads[at][..],
                &own[at][..],
            )
        })
        .collect();
    graph(&tensors, &nodes)
}

/// The smallest bound over all orders, by trying every one.
fn least(graph: &Graph) -> u64 {
    fn go(graph: &Graph, order: &mut Vec<usize>, best: &mut u64) {
        let nodes = graph.nodes.as_slice();
        if order.len() == nodes.len() {
            let nodes: IdVec<NodeId, _> = order.iter().map(|&node| nodes[node].clone()).collect();
            let bound =
                lifetimes(&Graph { nodes, ..graph.clone() }, &Scope::default()).map(|problem| lower_bound(&problem));
            *best = (*best).min(bound.expect("sizes are known"));
            return;
        }
        for next in (0..nodes.len()).filter(|next| !order.contains(next)).collect::<Vec<_>>() {
            let is_made = |input| order.iter().any(|&node| nodes[node].outputs.contains(input));
            if nodes[next].inputs.iter().all(is_made) {
                order.push(next);
                go(graph, order, best);
                order.pop();
            }
        }
    }
    let mut best = u64::MAX;
    go(graph, &mut Vec::new(), &mut best);
    best
}

#[test]
fn nodes_with_effects_keep_their_order_and_writers_stay_between_readers() {
    let model = |graph: &Graph| Model::new(graph, &lifetimes(graph, &Scope::default()).expect("sizes")).before;
    let effects = graph(
        &[("p", 1, "input"), ("q", 1, "input"), ("a", 1, "intermediate"), ("b", 1, "output")],
        &[
            ("p", "placeholder", &[], &["p"]),
            ("q", "placeholder", &[], &["q"]),
            ("print", "print", &["q"], &[]),
            ("read", "f", &["p"], &["a"]),
            ("add", "aten.add_", &["p", "a"], &["b"]),
            ("again", "f", &["p"], &[]),
        ],
    );
    // add_ writes over p: after its readers so far and after print; whoever reads p later comes
    // after it.
    assert_eq!(model(&effects), [vec![], vec![0], vec![1], vec![0], vec![0, 2, 3], vec![0, 4]]);
}

#[test]
fn a_file_order_that_cannot_be_better_is_kept_and_proved() {
    let chain = graph(
        &[("x", 4, "input"), ("a", 8, "intermediate"), ("y", 4, "output")],
        &[("one", "f", &["x"], &["a"]), ("two", "f", &["a"], &["y"])],
    );
    let (problem, other) = prepared(&chain, &[]);
    assert!(other.is_none());
    assert_eq!((search_of(&problem).is_proved, search_of(&problem).states), (true, 0));
    assert_eq!(names(&problem), ["one", "two"]);
    let (problem, other) = prepared(&wide(), &[("reorder", "off")]);
    assert!(other.is_none() && problem.order.is_none());
}

#[test]
fn names_of_one_storage_stay_one_buffer() {
    let views = graph(
        &[
            ("x", 8, "input"),
            ("a", 40, "intermediate"),
            ("v", 40, "intermediate"),
            ("b", 50, "intermediate"),
            ("c", 1, "intermediate"),
            ("d", 1, "intermediate"),
            ("y", 1, "output"),
        ],
        &[
            ("a", "f", &["x"], &["a"]),
            ("v", "view", &["a"], &["v"]),
            ("b", "f", &["x"], &["b"]),
            ("c", "f", &["v"], &["c"]),
            ("d", "f", &["b"], &["d"]),
            ("y", "f", &["c", "d"], &["y"]),
        ],
    );
    for views_are in [Views::Share, Views::Copy] {
        let scope = Scope { views: views_are, ..Scope::default() };
        let mut problem = lifetimes(&views, &scope).expect("sizes are known");
        let before = problem.buffers.len();
        let other = prepare(&mut problem, &views, &scope, &INFO.defaults()).expect("prepared").expect("better");
        assert_eq!(problem.buffers.len(), before);
        assert_eq!(lifetimes(&other, &scope).map(|problem| problem.buffers), Ok(problem.buffers.clone()));
    }
}

#[test]
fn the_plan_is_that_of_the_new_order_and_tells_of_it() {
    let graph = wide();
    let (problem, other) = prepared(&graph, &[]);
    for planner in ["greedy-by-size", "best-fit", "hill-climb", "best"] {
        let options = INFO.options([("planner", planner)]).expect("declared");
        let mut recorder = Recorder::default();
        let plan =
            Reorder.plan(Input { problem: &problem, graph: other.as_ref() }, &options, &mut recorder).expect("planned");
        assert_eq!(check(&problem, &plan), []);
        assert!(plan.peak(&problem) < 112);
        let new = Event::Note { note: Note::NewOrder, subject: 4, a: 112, b: 64 };
        assert!(recorder.events.contains(&new), "{planner}");
    }
}
