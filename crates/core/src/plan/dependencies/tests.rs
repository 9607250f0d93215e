//! Diamonds with known answers, and random graphs against a table of all paths.

use super::*;
use crate::graph::{Dtype, Kind, RawGraph, RawNode, RawTensor, Reach, check};
use crate::plan::{Place, Pool, PoolRole};
use crate::problem::{Scope, lifetimes};

/// One node a tensor, each with its size and what it reads; all of them in one pool at the given
/// offsets.
fn case(nodes: &[(&str, u64, &[&str], u64)]) -> (Graph, Problem, Plan) {
    let tensor = |&(name, size, ..): &(&str, u64, &[&str], u64)| RawTensor {
        name: Some(name.into()),
        dtype: Some(Dtype::UInt8),
        shape: Some(vec![]),
        kind: Some(Kind::Intermediate),
        bytes: Some(size),
        ..RawTensor::default()
    };
    let node = |&(name, _, reads, _): &(&str, u64, &[&str], u64)| RawNode {
        name: Some(name.to_uppercase()),
        op: Some("op".into()),
        inputs: reads.iter().map(|read| read.to_string()).collect(),
        outputs: vec![name.into()],
        ..RawNode::default()
    };
    let raw = RawGraph {
        name: "drawn".into(),
        tensors: nodes.iter().map(tensor).collect(),
        nodes: nodes.iter().map(node).collect(),
        ..RawGraph::default()
    };
    let graph = check(raw).expect("a valid graph").0;
    let problem = lifetimes(&graph, &Scope::default()).expect("sizes are known");
    let mut plan = Plan::empty(&problem);
    plan.pools.push(Pool { name: "arena".into(), size: 1 << 40, device: "cpu".into(), role: PoolRole::Arena });
    for &(name, _, _, offset) in nodes {
        let id = problem.buffer_named(name).expect("named");
        plan.places[id] = Some(Place { pool: PoolId(0), offset });
    }
    (graph, problem, plan)
}

/// `A>B old/new 4` a line, and the longest path before and after.
fn added(nodes: &[(&str, u64, &[&str], u64)]) -> (Vec<String>, (u32, u32)) {
    let (graph, problem, plan) = case(nodes);
    let found = dependencies(&graph, &problem, &plan).expect("small");
    let line = |dependency: &Dependency| {
        let mut line = format!("{}>{}", graph.nodes[dependency.first].name, graph.nodes[dependency.then].name);
        for reuse in &dependency.reuses {
            let name = |id: BufferId| &problem.buffers[id].name;
            line += &format!(" {}/{} {}", name(reuse.old), name(reuse.new), reuse.bytes);
        }
        line
    };
    (found.list.iter().map(line).collect(), (found.longest_before, found.longest_after))
}

#[test]
fn a_diamond_that_shares_nothing_adds_nothing() {
    let apart = [("x", 4, &[][..], 0), ("a", 4, &["x"], 4), ("b", 4, &["x"], 8), ("y", 4, &["a", "b"], 12)];
    assert_eq!(added(&apart), (vec![], (3, 3)));
    // y takes x's bytes, but comes after both readers of x anyway.
    let mut ordered = apart;
    ordered[3].3 = 0;
    assert_eq!(added(&ordered), (vec![], (3, 3)));
}

#[test]
fn a_branch_on_the_bytes_of_the_other_waits_for_it() {
    // x feeds a → b and c → d, which meet in y. c takes the last 2 bytes of a: C must wait for B,
    // the last to read a.
    let nodes = [
        ("x", 4, &[][..], 0),
        ("a", 4, &["x"], 4),
        ("b", 4, &["a"], 8),
        ("c", 4, &["x"], 6),
        ("d", 4, &["c"], 16),
        ("y", 4, &["b", "d"], 20),
    ];
    let mut nodes = nodes;
    nodes[2].3 = 12;
    assert_eq!(added(&nodes), (vec!["B>C a/c 2".into()], (4, 6)));
    // d takes x's bytes: it is made after C, which reads x, and must wait for A, which C waits for
    // already.
    nodes[4].3 = 0;
    assert_eq!(added(&nodes), (vec!["B>C a/c 2".into()], (4, 6)));
    // Without c on a, d waits for A by itself.
    nodes[3].3 = 24;
    assert_eq!(added(&nodes), (vec!["A>D x/d 4".into()], (4, 4)));
}

#[test]
fn only_the_last_buffer_on_a_byte_counts() {
    // p, q, r in turn on the same bytes, each its own branch: R waits for Q's readers, and so for
    // P's.
    let nodes = [
        ("p", 8, &[][..], 0),
        ("pp", 1, &["p"], 100),
        ("q", 4, &[], 2),
        ("qq", 1, &["q"], 101),
        ("r", 8, &[], 0),
        ("y", 1, &["pp", "qq", "r"], 102),
    ];
    // Of r's bytes, q was the last on 4 and p on the other 4; PP before R follows from PP before Q.
    assert_eq!(added(&nodes), (vec!["PP>Q p/q 4".into(), "QQ>R q/r 4".into()], (3, 6)));
}

#[test]
fn one_order_may_have_several_causes_and_one_buffer_several_last_users() {
    let nodes = [
        ("x", 4, &[][..], 0),
        ("s", 1, &["x"], 50),
        ("t", 1, &["x"], 51),
        ("w", 4, &[], 0),
        ("y", 1, &["s", "t", "w"], 52),
    ];
    assert_eq!(added(&nodes).0, ["S>W x/w 4", "T>W x/w 4"]);
    let nodes = [("a", 4, &[][..], 0), ("b", 4, &[], 4), ("s", 1, &["a", "b"], 50), ("w", 8, &[], 0)];
    assert_eq!(added(&nodes).0, ["S>W a/w 4 b/w 4"]);
    // Written and never read: its maker is its only user.
    let nodes = [("a", 4, &[][..], 0), ("w", 4, &[], 0)];
    assert_eq!(added(&nodes), (vec!["A>W a/w 4".into()], (1, 2)));
}

#[test]
fn a_taker_in_place_waits_for_the_other_readers() {
    // t writes over x, which r reads too; t itself is no reason to wait.
    let nodes = [("x", 4, &[][..], 0), ("r", 1, &["x"], 9), ("t", 4, &["x"], 0), ("y", 1, &["r", "t"], 10)];
    assert_eq!(added(&nodes).0, ["R>T x/t 4"]);
}

#[test]
fn other_pools_and_empty_buffers_share_nothing() {
    let (graph, problem, mut plan) = case(&[("a", 4, &[], 0), ("z", 0, &[], 0), ("w", 4, &[], 0)]);
    let second = plan.pools.push(plan.pools[PoolId(0)].clone());
    plan.places[problem.buffer_named("w").expect("named")] = Some(Place { pool: second, offset: 0 });
    assert_eq!(dependencies(&graph, &problem, &plan).expect("small").list, []);
}

#[test]
fn a_graph_that_is_too_large_gives_none() {
    let mut graph = Graph::default();
    for index in 0..=MAX_NODES {
        graph.nodes.push(crate::graph::Node {
            name: index.to_string(),
            op: "op".into(),
            inputs: vec![],
            outputs: vec![],
            device: None,
            inplace: vec![],
            ignore_inputs: vec![],
            attrs: Default::default(),
        });
    }
    let empty = (Problem::default(), Plan::default());
    assert_eq!(dependencies(&graph, &empty.0, &empty.1), None);
    let small = Graph::default();
    let none = Dependencies { list: vec![], longest_before: 0, longest_after: 0 };
    assert_eq!(dependencies(&small, &empty.0, &empty.1), Some(none));
}

/// Random plans, some with more than 64 waiting nodes: the list against all paths, worked out one
/// by one.
#[test]
fn the_list_is_the_transitive_reduction() {
    let mut seed = 7u64;
    let mut random = move |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    let mut longest = 0;
    for _ in 0..60 {
        let count = 1 + random(140);
        let names: Vec<String> = (0..count).map(|index| format!("t{index}")).collect();
        let reads: Vec<Vec<&str>> = (0..count)
            .map(|index| (0..random(3).min(index)).map(|_| names[index - 1 - random(index.min(12))].as_str()).collect())
            .collect();
        // Time sorts out nothing here: any offsets will do, since a plan that breaks the rules must
        // not upset the list.
        let nodes: Vec<(&str, u64, &[&str], u64)> = (0..count)
            .map(|index| (names[index].as_str(), 1 + random(4) as u64, &reads[index][..], random(12) as u64))
            .collect();
        let (graph, problem, plan) = case(&nodes);
        let found = dependencies(&graph, &problem, &plan).expect("small");
        let reach = Reach::new(&graph).expect("small");
        let path = |from: NodeId, to: NodeId| reach.path(from, to);
        // Every order that consecutive owners of a byte ask for, straight from the words.
        let mut wanted: Vec<(NodeId, NodeId)> = Vec::new();
        for new in problem.buffers.ids() {
            for byte in 0..problem.buffers[new].size {
                let at = plan.places[new].expect("placed").offset + byte;
                let owner = problem.buffers.ids().filter(|&old| {
                    let offset = plan.places[old].expect("placed").offset;
                    old < new && (offset..offset + problem.buffers[old].size).contains(&at)
                });
                let Some(old) = owner.max() else { continue };
                let tensor = problem.buffers[old].tensors[0];
                let users = graph
                    .nodes
                    .enumerate()
                    .filter(|(_, node)| node.inputs.contains(&tensor) || node.outputs.contains(&tensor));
                wanted.extend(users.map(|(user, _)| (user, NodeId(new.0))).filter(|(user, then)| user < then));
            }
        }
        wanted.retain(|&(first, then)| !path(first, then));
        wanted.sort_by_key(|&(first, then)| (then, first));
        wanted.dedup();
        // All paths with these orders added, by Warshall's closure.
        let edge = |from: usize, to: usize| {
            path(NodeId(from as u32), NodeId(to as u32)) || wanted.contains(&(NodeId(from as u32), NodeId(to as u32)))
        };
        let mut all: Vec<Vec<bool>> = (0..count).map(|from| (0..count).map(|to| edge(from, to)).collect()).collect();
        for middle in 0..count {
            let through = all[middle].clone();
            for row in all.iter_mut().filter(|row| row[middle]) {
                row.iter_mut().zip(&through).for_each(|(here, there)| *here |= there);
            }
        }
        let implied = |&(first, then): &(NodeId, NodeId)| {
            (first.index() + 1..then.index()).any(|middle| all[first.index()][middle] && all[middle][then.index()])
        };
        let expected: Vec<(NodeId, NodeId)> = wanted.iter().copied().filter(|pair| !implied(pair)).collect();
        let listed: Vec<(NodeId, NodeId)> = found.list.iter().map(|found| (found.first, found.then)).collect();
        assert_eq!(listed, expected);
        longest = longest.max(listed.len());
    }
    assert!(longest > 64, "one batch of targets is not enough to test with: {longest}");
}
