//! Branches that a plan keeps parallel, and the orders that it adds to the graph otherwise.

use super::*;

/// Every node that some path leads to from `start`, found by walking along the tensors each time
/// anew.
fn reached_from(graph: &Graph, start: usize) -> BTreeSet<usize> {
    let nodes = graph.nodes.as_slice();
    let mut reached = BTreeSet::new();
    let mut waiting = vec![start];
    while let Some(node) = waiting.pop() {
        for (reader, there) in nodes.iter().enumerate() {
            let reads = there.inputs.iter().any(|input| nodes[node].outputs.contains(input));
            if reads && reached.insert(reader) {
                waiting.push(reader);
            }
        }
    }
    reached
}

/// The slow, obvious relation of branches: pairs of buffers for which no path of the graph leads
/// from every use of the one to the node that makes the other.
fn parallel_pairs(graph: &Graph, problem: &Problem) -> Vec<(BufferId, BufferId)> {
    let reached: Vec<BTreeSet<usize>> = (0..graph.nodes.len()).map(|node| reached_from(graph, node)).collect();
    let nodes = graph.nodes.as_slice();
    let holds = |buffer: BufferId, tensors: &[TensorId]| {
        tensors.iter().any(|tensor| problem.buffers[buffer].tensors.contains(tensor))
    };
    let uses = |buffer: BufferId, node: &Node| holds(buffer, &node.inputs) || holds(buffer, &node.outputs);
    let ordered = |first: BufferId, second: BufferId| {
        let Some(maker) = nodes.iter().position(|node| holds(second, &node.outputs)) else { return false };
        let mut users = (0..nodes.len()).filter(|&node| uses(first, &nodes[node]));
        users.all(|user| user == maker || reached[user].contains(&maker))
    };
    let pairs = problem.buffers.ids().flat_map(|a| problem.buffers.ids().filter(move |&b| a < b).map(move |b| (a, b)));
    pairs.filter(|&(a, b)| !ordered(a, b) && !ordered(b, a)).collect()
}

/// Names of the pairs that have a byte in common.
fn sharing(problem: &Problem, plan: &Plan, pairs: &[(BufferId, BufferId)]) -> Vec<(String, String)> {
    let span = |buffer: BufferId| {
        let place = plan.places[buffer]?;
        Some((place.pool, place.offset, place.offset + problem.buffers[buffer].size))
    };
    let share = |&&(a, b): &&(BufferId, BufferId)| match (span(a), span(b)) {
        (Some(a), Some(b)) => a.0 == b.0 && a.1.max(b.1) < a.2.min(b.2),
        _ => false,
    };
    let name = |buffer: BufferId| problem.buffers[buffer].name.clone();
    pairs.iter().filter(share).map(|&(a, b)| (name(a), name(b))).collect()
}

fn takes_branch_safe(planner: &dyn Planner) -> bool {
    planner.info().options.iter().any(|spec| spec.key == BRANCH_SAFE.key)
}

#[test]
fn every_ranked_planner_can_keep_branches_parallel() {
    for planner in REGISTRY.iter().filter(|planner| planner.info().ranked) {
        assert!(takes_branch_safe(*planner), "{} does not list {}", planner.info().id, BRANCH_SAFE.key);
    }
}

/// Two branches `x → a → b` and `x → c → d` of equal sizes that meet in `y`; they run one after the
/// other.
fn two_branches() -> Graph {
    let drawn =
        |reads: &[&str]| format!("[{}]", reads.iter().map(|read| format!("{read:?}")).collect::<Vec<_>>().join(","));
    let nodes = [("x", &[][..]), ("a", &["x"]), ("b", &["a"]), ("c", &["x"]), ("d", &["c"]), ("y", &["b", "d"])];
    let tensors: Vec<String> = nodes
        .iter()
        .map(|(name, _)| format!(r#"{{"name":"{name}","dtype":"uint8","shape":[64],"kind":"intermediate"}}"#))
        .collect();
    let nodes: Vec<String> = nodes
        .iter()
        .map(|(name, reads)| format!(r#"{{"name":"{name}","op":"op","inputs":{},"outputs":["{name}"]}}"#, drawn(reads)))
        .collect();
    let text = format!(
        r#"{{"format":"memory-graph/1","name":"branches","tensors":[{}],"nodes":[{}]}}"#,
        tensors.join(","),
        nodes.join(",")
    );
    match import::read(text.as_bytes(), Answers::default()).map(|read| read.document) {
        Ok(Document::Graph(graph)) => graph,
        other => panic!("{other:?} is no graph"),
    }
}

#[test]
fn the_check_of_branches_finds_what_is_shared_across_them() {
    let graph = two_branches();
    let problem = lifetimes(&graph, &Scope::default()).expect("sizes are known");
    let input = Input { problem: &problem, graph: Some(&graph) };
    let planner = find("first-fit").expect("listed");
    let plan = |given: &[(&str, &str)]| {
        let options = planner.info().options(given.iter().copied()).expect("declared");
        planner.plan(input, &options, &mut Silent).expect("applicable")
    };
    let pair = |a: &str, b: &str| (a.to_string(), b.to_string());
    let pairs = parallel_pairs(&graph, &problem);
    let parallel_sharing = |plan: &Plan| sharing(&problem, plan, &pairs);
    // First fit: x 0, a 64, b 128, c 64 (after a), d 0 (after x, which a reads too), y 64 (after
    // c).
    let shared = plan(&[]);
    assert_eq!(parallel_sharing(&shared), [pair("x", "d"), pair("a", "c")]);
    assert_eq!(parallel_sharing(&plan(&[(BRANCH_SAFE.key, "true")])), []);
    // One byte in common is enough.
    let mut touching = shared.clone();
    let place = |name: &str, offset: u64, plan: &mut Plan| {
        let id = problem.buffer_named(name).expect("named");
        plan.places[id].as_mut().expect("placed").offset = offset;
    };
    place("c", 127, &mut touching);
    assert!(parallel_sharing(&touching).contains(&pair("a", "c")));
    place("c", 1000, &mut touching);
    assert_eq!(parallel_sharing(&touching), [pair("x", "d")]);
    // Reached: from a only b and y, and nothing from y.
    assert_eq!(reached_from(&graph, 1), BTreeSet::from([2, 5]));
    assert_eq!(reached_from(&graph, 5), BTreeSet::new());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn branch_safe_plans_share_only_what_the_graph_orders(graph in graphs(), scope in scopes()) {
        let problem = lifetimes(&graph, &scope).expect("sizes are known");
        for planner in REGISTRY.iter().filter(|planner| takes_branch_safe(**planner)) {
            for options in option_sets(*planner) {
                let set = |(key, value)| if key == BRANCH_SAFE.key { (key, "true") } else { (key, value) };
                let given: Vec<(&str, &str)> = options.iter().map(set).collect();
                let options = planner.info().options(given).expect("declared");
                let made = run(*planner, &problem, Some(&graph), &scope, &options, &mut Silent).expect("applicable");
                let ran = made.reordered.as_ref().unwrap_or(&graph);
                let found = sharing(&made.problem, &made.plan, &parallel_pairs(ran, &made.problem));
                let added = dependencies(ran, &made.problem, &made.plan).expect("small");
                prop_assert_eq!((added.list.len(), added.longest_after), (0, added.longest_before), "{}", planner.info().id);
                prop_assert!(found.is_empty(), "{} {:?}: {:?}", planner.info().id, options, found);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn a_plan_adds_an_order_exactly_where_branches_share(graph in graphs(), scope in scopes()) {
        let problem = lifetimes(&graph, &scope).expect("sizes are known");
        for planner in REGISTRY.iter().filter(|planner| planner.info().ranked) {
            let options = quick(planner.info());
            let made = run(*planner, &problem, Some(&graph), &scope, &options, &mut Silent).expect("applicable");
            let ran = made.reordered.as_ref().unwrap_or(&graph);
            let Made { problem, plan, .. } = &made;
            // Where the original's rule fails, what is overwritten too early asks for no order.
            if plan.quirks.is_empty() {
                let added = dependencies(ran, problem, plan).expect("small");
                let shared = sharing(problem, plan, &parallel_pairs(ran, problem));
                prop_assert_eq!(added.list.is_empty(), shared.is_empty(), "{}: {:?} {:?}", planner.info().id, added, shared);
            }
        }
    }
}
