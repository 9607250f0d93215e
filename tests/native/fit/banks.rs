//! Storages in two memories: proofs that no choice of memories is enough, against all choices.

use memplan_core::graph::{Attr, Graph};
use memplan_core::problem::Scope;
use memplan_fit::transform::Net;
use memplan_fit::{FitRecord, Lever, Request, verify};

use super::random::{Numbers, random_graph};
use super::{FREE, graph_of, request, solve, with};

/// The graph with operators by chance that can address the fast memory alone.
fn with_memories(numbers: &mut Numbers, mut graph: Graph) -> Graph {
    for id in graph.nodes.ids().collect::<Vec<_>>() {
        if numbers.below(3) == 0 {
            graph.nodes[id].attrs_mut().insert("memories".into(), Attr::Json(r#"["SRAM"]"#.into()));
        }
    }
    graph
}

/// Bytes moved by the cheapest choice of memories that keeps every step within both, with every
/// storage in one of them for good; none if there is no choice. A byte costs 3 more in the slow
/// one.
fn cheapest(graph: &Graph, fast: u64, slow: u64) -> Option<u64> {
    let net = Net::of(graph, &Scope::default(), &|_| true).expect("sizes");
    let near = |at: usize| {
        let uses = graph.nodes.iter().zip(&net.ops).filter(|(_, op)| op.reads.contains(&at) || op.makes.contains(&at));
        uses.into_iter().any(|(node, _)| node.attrs.contains_key("memories"))
    };
    let uses = net.uses(&net.plain());
    let storages: Vec<usize> = (0..net.bytes.len()).filter(|&at| net.bytes[at] > 0).collect();
    let choices = (0u32..1 << storages.len()).filter(|&away| {
        let is_away = |number: usize| away >> number & 1 == 1;
        let within = |step: usize| {
            let alive = storages.iter().enumerate().filter(|&(_, &at)| net.life[at].0 <= step && step < net.life[at].1);
            let (far, here): (Vec<_>, Vec<_>) = alive.partition(|&(number, _)| is_away(number));
            let sum = |list: &[(usize, &usize)]| list.iter().map(|&(_, &at)| net.bytes[at]).sum::<u64>();
            sum(&here) <= fast && sum(&far) <= slow
        };
        let may = storages.iter().enumerate().all(|(number, &at)| !is_away(number) || !near(at));
        may && (0..net.ops.len()).all(within)
    });
    let price = |away: u32| {
        let moved = storages.iter().enumerate().filter(|(number, _)| away >> number & 1 == 1);
        moved.map(|(_, &at)| 3 * net.bytes[at] * uses[at].len() as u64).sum::<u64>()
    };
    choices.map(price).min()
}

#[test]
fn what_no_choice_of_memories_meets_is_proved_and_never_claimed_otherwise() {
    let mut numbers = Numbers(29);
    let (mut proved, mut elsewhere, mut fitted, mut optimal) = (0, 0, 0, 0);
    for _ in 0..500 {
        let graph = {
            let graph = random_graph(&mut numbers);
            with_memories(&mut numbers, graph)
        };
        let most = solve(&graph, &request(1 << 30, "planner")).record.required.before;
        let (fast, slow) = (1 + numbers.below(most), 1 + numbers.below(most));
        let mut asked: Request = request(fast, "planner,bank");
        asked.budget.memories[1].size = slow;
        let record = solve(&graph, &asked).record;
        match record.result.as_str() {
            "fits" => {
                fitted += 1;
                let least = cheapest(&graph, fast, slow).expect("a choice");
                assert!(record.price.bytes_moved >= least, "{least} {record:?}");
                if record.optimal {
                    optimal += u32::from(least > 0);
                    assert_eq!(record.price.bytes_moved, least, "{record:?}");
                }
            }
            "impossible" => {
                proved += 1;
                assert_eq!(cheapest(&graph, fast, slow), None, "{fast} {slow}");
                let proof = record.certificate.as_ref().expect("a proof");
                assert_eq!(proof.kind, "memories");
                elsewhere += u32::from(proof.elsewhere > 0);
                let sum: u64 = proof.storages.iter().map(|storage| storage.bytes).sum();
                assert_eq!(sum, proof.bound + proof.elsewhere);
                let mut forged = record.clone();
                forged.certificate.as_mut().expect("a proof").elsewhere += 1;
                assert!(verify(&graph, &asked, &forged).is_err());
                let mut larger = asked.clone();
                larger.budget.memories[1].size += 1;
                assert!(verify(&graph, &larger, &record).is_err());
            }
            _ => {}
        }
        assert_eq!(verify(&graph, &asked, &record), Ok(()));
    }
    assert!(proved > 60 && elsewhere > 20 && fitted > 60 && optimal > 30, "{proved} {elsewhere} {fitted} {optimal}");
}

/// The copy `r` of `a` and `a` itself move together if the copy is a name, and apart at less cost.
#[test]
fn what_moves_with_another_name_is_not_proved_cheapest() {
    let tensors = [
        ("x", 4, "input"),
        ("a", 8, "intermediate"),
        ("p", 64, "intermediate"),
        ("q", 4, "intermediate"),
        ("r", 8, "intermediate"),
        ("t", 4, "intermediate"),
        ("u", 4, "intermediate"),
        ("y", 4, "output"),
    ];
    let tensors = tensors
        .map(|(name, bytes, kind)| format!(r#"{{"name":"{name}","dtype":"int8","shape":[{bytes}],"kind":"{kind}"}}"#));
    let nodes = [
        ("f", r#""x""#, "a"),
        ("g", r#""x""#, "p"),
        ("h", r#""p""#, "q"),
        ("reshape", r#""a""#, "r"),
        ("f", r#""r","q""#, "t"),
        ("f", r#""r","t""#, "u"),
        ("f", r#""r","u""#, "y"),
    ];
    let nodes = nodes
        .map(|(op, reads, made)| format!(r#"{{"name":"{made}","op":"{op}","inputs":[{reads}],"outputs":["{made}"]}}"#));
    let graph = graph_of(&format!(
        r#"{{"format":"memory-graph/1","name":"named","tensors":[{}],"nodes":[{}]}}"#,
        tensors.join(","),
        nodes.join(",")
    ));
    let apart = solve(&graph, &request(68, "planner,bank")).record;
    let named = solve(&graph, &request(68, "planner,views,bank")).record;
    assert!(apart.optimal && apart.price.bytes_moved == 48, "{apart:?}");
    assert!(!named.optimal && named.price.bytes_moved >= 48, "{named:?}");
    let forged = FitRecord { optimal: true, ..named.clone() };
    assert!(verify(&graph, &request(68, "planner,views,bank"), &forged).is_err());
}

/// `x` must be in the fast memory for `a`, and need not be for `b` if it comes back elsewhere.
#[test]
fn what_leaves_may_come_back_to_another_memory() {
    let tensor =
        |name: &str, kind: &str| format!(r#"{{"name":"{name}","dtype":"int8","shape":[1,1,8,1],"kind":"{kind}"}}"#);
    let tensors = [("x", "input"), ("a", "intermediate"), ("b", "intermediate"), ("c", "output")];
    let tensors: Vec<String> = tensors.iter().map(|(name, kind)| tensor(name, kind)).collect();
    let graph = graph_of(&format!(
        r#"{{"format":"memory-graph/1","name":"memories","tensors":[{}],"nodes":[
        {{"name":"a","op":"one","inputs":["x"],"outputs":["a"],"attrs":{{"memories":["SRAM"]}}}},
        {{"name":"b","op":"two","inputs":["x","a"],"outputs":["b"]}},
        {{"name":"c","op":"one","inputs":["b"],"outputs":["c"],"attrs":{{"memories":["SRAM"]}}}}]}}"#,
        tensors.join(",")
    ));
    let of = |allow: &str| solve(&graph, &request(16, allow)).record;
    let alone = of("planner,bank");
    assert_eq!((alone.result.as_str(), alone.required.after), ("impossible", 24));
    let names: Vec<String> = alone.certificate.expect("a proof").storages.into_iter().map(|one| one.name).collect();
    assert_eq!(names, ["x", "a", "b"]);
    assert_ne!(of("planner,bank,spill").result, "impossible");
    assert_ne!(of("planner,bank,recompute").result, "impossible");
}

#[test]
fn no_change_is_advised_that_the_slower_memory_has_no_room_for() {
    let tensor = |name: &str, bytes: u64, kind: &str| {
        format!(r#"{{"name":"{name}","dtype":"uint8","shape":[{bytes}],"kind":"{kind}"}}"#)
    };
    let node =
        |from: &str, to: &str| format!(r#"{{"name":"{to}","op":"conv","inputs":["{from}"],"outputs":["{to}"]}}"#);
    let graph = graph_of(&format!(
        r#"{{"format":"memory-graph/1","name":"chain","tensors":[{},{},{},{}],"nodes":[{},{},{}]}}"#,
        tensor("x", 10, "input"),
        tensor("a", 400, "intermediate"),
        tensor("b", 400, "intermediate"),
        tensor("y", 10, "output"),
        node("x", "a"),
        node("a", "b"),
        node("b", "y"),
    ));
    for (slower, would_do) in [(1_000, true), (300, false)] {
        let mut request = request(500, FREE);
        request.budget.memories[1].size = slower;
        let record = solve(&graph, &request).record;
        let advised: Vec<&str> = record.remedies().map(|row| row.lever.as_str()).collect();
        assert_eq!(advised.contains(&"bank"), would_do, "{slower}: {advised:?}");
        // What is advised does it.
        for lever in advised {
            let allowed = Request { allow: Lever::list(&with(lever)).expect("levers"), ..request.clone() };
            assert_eq!(solve(&graph, &allowed).record.result, "fits", "{lever}");
        }
    }
}
