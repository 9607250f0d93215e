//! Free choices that exclude each other: a copy or a view, and which input an output lies on. No
//! answer may depend on which of them comes first in the file, and no proof may hold for one of
//! them alone.

use memplan_core::graph::{Graph, NodeId};
use memplan_core::problem::{Scope, load};
use memplan_fit::transform::{Net, in_place, views};
use memplan_fit::{Answer, verify};

use super::brute::{largest_load, least_of_orders};
use super::random::{Numbers, random_graph};
use super::soundness::lines;
use super::{FREE, graph_of, request, solve, with};

/// The answer for a budget, if its report passes the check.
fn checked(graph: &Graph, bytes: u64, allow: &str) -> Answer {
    let request = request(bytes, allow);
    let answer = solve(graph, &request);
    assert_eq!(verify(graph, &request, &answer.record), Ok(()), "{bytes} {allow} {:?}", answer.record);
    answer
}

/// Result, bytes, and price of an answer, in multiplications and bytes together.
fn told(graph: &Graph, bytes: u64, allow: &str) -> (String, u64, u64) {
    let record = checked(graph, bytes, allow).record;
    (record.result, record.required.after, record.price.macs + record.price.bytes_moved)
}

fn fits(bytes: u64) -> (String, u64, u64) {
    ("fits".into(), bytes, 0)
}

fn impossible(bytes: u64) -> (String, u64, u64) {
    ("impossible".into(), bytes, 0)
}

/// y may lie on the copy of x, but not on x, which is the caller's.
const COPIED: &str = "x 100 input;r 100 intermediate;b 300 intermediate;y 100 intermediate;z 1 output";

#[test]
fn a_copy_of_a_graph_input_is_no_view_where_only_the_copy_is_overwritten() {
    let graph = lines(COPIED, r#"R reshape x r;B make r b;Y relu r y|,"inplace":[[0,0]];Z make b+y z"#);
    for allow in ["planner,order,inplace", FREE, "planner,inplace,views"] {
        assert_eq!(told(&graph, 450, allow), fits(401), "{allow}");
        assert_eq!(told(&graph, 401, allow), fits(401), "{allow}");
        assert_eq!(told(&graph, 400, allow), impossible(401), "{allow}");
    }
    assert_eq!(told(&graph, 450, &with("recompute")), fits(401));
    // The row of the lever is of the same copies as the answer.
    let rows = checked(&graph, 450, FREE).record.levers;
    let in_place = rows.iter().find(|row| row.lever == "inplace").expect("a row a lever");
    assert_eq!(in_place.peak, Some(401));
}

#[test]
fn a_view_of_a_graph_input_is_taken_where_the_copy_does_not_fit() {
    let graph = lines(
        "x 100 input;r 100 intermediate;b 300 intermediate;c 1 intermediate;y 100 intermediate;z 1 output",
        r#"R reshape x r;B make r b;C make b c;Y relu r y|,"inplace":[[0,0]];Z make c+y+x z"#,
    );
    assert_eq!(told(&graph, 401, FREE), fits(401));
    assert_eq!(told(&graph, 401, "planner,order,inplace"), impossible(501));
}

#[test]
fn a_copy_that_a_concatenation_could_take_is_no_proof_against_it() {
    // As a copy, r is made in y: 48 and x. As a view, r is copied into y at the end.
    let graph = lines(
        "x 16 input;a 16 intermediate;r 16 intermediate;b 32 intermediate;y 48 output",
        "A make x a;R reshape a r;B make r b;join cat r+b y",
    );
    assert_eq!(told(&graph, 48, "planner,views"), fits(48));
    assert_eq!(told(&graph, 47, "planner,views"), impossible(48));
}

#[test]
fn a_copy_in_another_memory_is_no_proof_against_it() {
    // A and Z can address the fast memory alone, so that a and g stay. As a view of a, r could not
    // leave before G.
    let stay = r#"|,"attrs":{"memories":["SRAM"]}"#;
    let graph = lines(
        "x 4 input;a 64 intermediate;r 64 intermediate;g 64 intermediate;z 4 output",
        &format!("A make x a{stay};R reshape a r;G make r g;Z make g z{stay}"),
    );
    assert_eq!(checked(&graph, 70, "planner,bank").record.result, "fits");
    assert_eq!(checked(&graph, 70, "planner,views,bank").record.result, "fits");
}

/// The graph with every copy as it is or as a view, in all combinations.
fn with_views(graph: &Graph) -> Vec<Graph> {
    let all = views(graph);
    let nodes: Vec<NodeId> = graph.nodes.ids().filter(|&id| all.nodes[id].attrs != graph.nodes[id].attrs).collect();
    let choice = |chosen: u32| {
        let mut some = graph.clone();
        let taken = nodes.iter().enumerate().filter(|(at, _)| chosen >> at & 1 == 1);
        taken.for_each(|(_, &id)| some.nodes[id] = all.nodes[id].clone());
        some
    };
    (0..1 << nodes.len()).map(choice).collect()
}

#[test]
fn proofs_hold_for_every_choice_of_views() {
    let mut numbers = Numbers(31);
    let (mut proofs, mut fitted) = (0, 0);
    for round in 0..80 {
        let mut graph = random_graph(&mut numbers);
        for node in graph.nodes.iter_mut() {
            if node.op == "upside_down" || node.op == "relu" && numbers.below(3) == 0 {
                node.op = "identity".into();
            }
        }
        let most = largest_load(&graph, false);
        let capacity = most / 2 + numbers.below(most - most / 2 + 1);
        for (allow, merges) in [(FREE, true), ("planner,order,views", false)] {
            let record = checked(&graph, capacity, allow).record;
            let least = || with_views(&graph).iter().map(|graph| least_of_orders(graph, merges, true)).min();
            match record.result.as_str() {
                "impossible" => {
                    proofs += 1;
                    let least = least().expect("a choice");
                    assert!(least >= record.required.after, "{round} {allow} {capacity}: {least} {record:?}");
                }
                "fits" => fitted += 1,
                _ => {}
            }
        }
    }
    assert!(proofs > 25 && fitted > 25, "{proofs} {fitted}");
}

/// Eight rows, a byte an element: y may lie on a, of which c needs three rows, and on b.
const DONORS: &str = r#"{"format":"memory-graph/1","name":"donors","tensors":[
{"name":"x","dtype":"int8","shape":[1,1,8,1],"kind":"input"},
{"name":"wa","dtype":"int8","shape":[4,1,1,1],"kind":"weight"},
{"name":"wb","dtype":"int8","shape":[4,1,1,1],"kind":"weight"},
{"name":"wc","dtype":"int8","shape":[1,4,3,1],"kind":"weight"},
{"name":"wd","dtype":"int8","shape":[12,4,1,1],"kind":"weight"},
{"name":"wh","dtype":"int8","shape":[1,12,1,1],"kind":"weight"},
{"name":"a","dtype":"int8","shape":[1,4,8,1],"kind":"intermediate"},
{"name":"b","dtype":"int8","shape":[1,4,8,1],"kind":"intermediate"},
{"name":"c","dtype":"int8","shape":[1,1,8,1],"kind":"intermediate"},
{"name":"y","dtype":"int8","shape":[1,4,8,1],"kind":"intermediate"},
{"name":"d","dtype":"int8","shape":[1,12,8,1],"kind":"intermediate"},
{"name":"h","dtype":"int8","shape":[1,1,8,1],"kind":"intermediate"},
{"name":"f","dtype":"int8","shape":[1,1,8,1],"kind":"output"}],
"nodes":[
{"name":"A","op":"conv2d","inputs":["x","wa"],"outputs":["a"],"attrs":{"stride":1,"padding":0}},
{"name":"B","op":"conv2d","inputs":["x","wb"],"outputs":["b"],"attrs":{"stride":1,"padding":0}},
{"name":"C","op":"conv2d","inputs":["a","wc"],"outputs":["c"],"attrs":{"stride":1,"padding":[1,0]}},
{"name":"Y","op":"add","inputs":["a","b"],"outputs":["y"],"inplace":PAIRS},
{"name":"D","op":"conv2d","inputs":["y","wd"],"outputs":["d"],"attrs":{"stride":1,"padding":0}},
{"name":"H","op":"conv2d","inputs":["d","wh"],"outputs":["h"],"attrs":{"stride":1,"padding":0}},
{"name":"F","op":"add","inputs":["h","c"],"outputs":["f"]}]}"#;

#[test]
fn stripes_take_the_input_that_has_the_rows_of_the_output_alone() {
    for pairs in ["[[0,0],[1,0]]", "[[1,0],[0,0]]", "[[1,0]]", "[[0,0]]"] {
        let graph = graph_of(&DONORS.replace("PAIRS", pairs));
        let record = checked(&graph, 40, "planner,inplace,stripes").record;
        assert_eq!((record.result.as_str(), record.required.after <= 40), ("fits", true), "{pairs} {record:?}");
    }
    let graph = graph_of(&DONORS.replace("PAIRS", "[[0,0],[1,0]]"));
    let least = |allow: &str| {
        let fits = |bytes: &u64| checked(&graph, *bytes, allow).record.result == "fits";
        let least = (20..80).find(fits).expect("some budget");
        let below = checked(&graph, least - 1, allow).record;
        assert_eq!((below.result.as_str(), below.required.after), ("impossible", least), "{allow}");
        least
    };
    assert_eq!(least("planner,inplace,stripes"), 33);
    assert_eq!(least("planner,stripes"), 37);
}

#[test]
fn stripes_count_nothing_as_overwritten_that_may_not_be() {
    let mut numbers = Numbers(37);
    let mut striped = 0;
    for round in 0..400 {
        let graph = random_graph(&mut numbers);
        let most = largest_load(&graph, false);
        let answer = checked(&graph, most / 4 * 3 + numbers.below(most / 4 + 1), "planner,stripes");
        // The change that is told last has the peak of the plan, unless the planner found no such
        // plan.
        if let (Some(last), Some(finished)) = (answer.record.moves.last(), &answer.finished) {
            striped += 1;
            let most = load(&finished.problem, |_| true).max();
            assert!(most <= last.peak.after, "{round}: {most} {last:?}");
        }
    }
    assert!(striped > 10, "{striped}");
}

#[test]
fn an_input_is_given_to_one_output_alone() {
    // Nobody reads u, so that v may not be told from it by its end.
    let graph = lines(
        "x 4 input;a 10 intermediate;u 10 intermediate;v 10 intermediate;z 4 output",
        r#"A make x a;UV split a u+v|,"inplace":[[0,0],[0,1]];Z make v z"#,
    );
    for allow in ["planner,inplace", FREE] {
        assert_eq!(told(&graph, 14, allow), impossible(20), "{allow}");
        assert_eq!(told(&graph, 20, allow), fits(20), "{allow}");
    }
    let finished = checked(&graph, 20, FREE).finished.expect("it fits");
    let place = |name: &str| {
        let tensor = finished.graph.tensors.enumerate().find(|(_, tensor)| tensor.name == name).expect("a tensor").0;
        finished.problem.buffer_of(tensor)
    };
    assert_ne!(place("u"), place("v"));
}

#[test]
fn every_output_lies_on_an_input_if_any_choice_allows_that() {
    let graph = lines(
        "x 4 input;a 10 intermediate;b 10 intermediate;u 10 intermediate;v 10 intermediate;z 4 output",
        r#"A make x a;B make x b;UV pair a+b u+v|,"inplace":[[0,0],[1,0],[0,1]];Z make u+v z"#,
    );
    for allow in ["planner,inplace", FREE] {
        assert_eq!(told(&graph, 24, allow), fits(24), "{allow}");
        assert_eq!(told(&graph, 23, allow), impossible(24), "{allow}");
    }
    // Of three outputs on two inputs, the smallest has bytes of its own.
    let sizes = lines(
        "x 1 input;a 10 intermediate;b 20 intermediate;u 10 intermediate;v 20 intermediate;w 20 intermediate;z 1 output",
        r#"A make x a;B make x b;UVW triple a+b u+v+w|,"inplace":[[1,1],[0,0],[1,2]];Z make u+v+w z"#,
    );
    assert_eq!(told(&sizes, 51, FREE), fits(51));
    assert_eq!(told(&sizes, 50, FREE), impossible(51));
}

#[test]
fn what_an_operator_writes_over_already_is_no_output_of_it() {
    // y is a by the file; that b could be overwritten instead is no more of use.
    let graph = lines(
        "x 4 input;a 10 intermediate;b 10 intermediate;y 10 intermediate;z 4 output",
        r#"A make x a;B make x b;Y add a+b y|,"inplace":[[0,0],[1,0]],"attrs":{"alias":0};Z make y z"#,
    );
    let net = Net::of(&graph, &Scope::default(), &|_| true).expect("sizes");
    assert_eq!(net.merged().pairs, []);
    assert_eq!(in_place(&graph, &net.merged().pairs, &net.root), graph);
    assert_eq!(told(&graph, 24, "planner,inplace"), fits(24));
    assert_eq!(told(&graph, 23, "planner,inplace"), impossible(24));
}
