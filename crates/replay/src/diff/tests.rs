//! Small graphs, changed in one place each, with expectations written by hand.

use super::*;
use memplan_core::graph::{Dim, Dtype, HandOver, NodeId, Stated, TensorId};
use memplan_core::problem::{Scope, lifetimes};
use memplan_core::trace::Silent;
use memplan_planners::{self as planner, Input};

/// A chain of four element-wise operators on 1 KiB: x → a → b → c → y.
fn chain() -> Graph {
    let text = r#"{"format":"memory-graph/1","name":"chain","tensors":[
{"name":"x","dtype":"float32","shape":[256],"kind":"input"},
{"name":"a","dtype":"float32","shape":[256],"kind":"intermediate"},
{"name":"b","dtype":"float32","shape":[256],"kind":"intermediate"},
{"name":"c","dtype":"float32","shape":[256],"kind":"intermediate"},
{"name":"y","dtype":"float32","shape":[256],"kind":"output"}],
"nodes":[
{"name":"n_a","op":"conv","inputs":["x"],"outputs":["a"]},
{"name":"n_b","op":"relu","inputs":["a"],"outputs":["b"],"inplace":[[0,0]]},
{"name":"n_c","op":"conv","inputs":["b"],"outputs":["c"]},
{"name":"n_y","op":"relu","inputs":["c"],"outputs":["y"]}]}"#;
    match memplan_formats::import::read(text.as_bytes(), memplan_formats::import::Answers::default())
        .expect("a valid graph")
        .document
    {
        memplan_formats::import::Document::Graph(graph) => graph,
        _ => panic!("a graph"),
    }
}

fn tensor(graph: &Graph, name: &str) -> TensorId {
    graph.tensors.enumerate().find(|(_, tensor)| tensor.name == name).map(|(id, _)| id).expect("a tensor")
}

fn compared(old: &Graph, new: &Graph, planner: &str) -> (Diff, Vec<(Group, String)>) {
    let (id, flag) = planner.split_once(';').unwrap_or((planner, ""));
    let planner = planner::find(id).expect("registered");
    let given = Some((flag, "true")).filter(|_| !flag.is_empty());
    let options = planner.info().options(given).expect("options of the planner");
    let planned = |graph: &Graph| {
        let problem = lifetimes(graph, &Scope::default()).expect("sizes");
        let input = Input { problem: &problem, graph: Some(graph) };
        let plan = planner.plan(input, &options, &mut Silent).expect("applicable");
        (problem, plan)
    };
    let ((a, plan_a), (b, plan_b)) = (planned(old), planned(new));
    let before = Side { problem: &a, graph: Some(old), plan: &plan_a };
    let after = Side { problem: &b, graph: Some(new), plan: &plan_b };
    let found = diff(before, after, Counted::default());
    let name = |row: &Row| match (row.new, row.old) {
        (Some(id), _) => b.buffers[id].name.clone(),
        (_, Some(id)) => a.buffers[id].name.clone(),
        _ => String::new(),
    };
    let rows = found.rows.iter().map(|row| (row.group, name(row))).collect();
    (found, rows)
}

fn renamed(graph: &Graph) -> Graph {
    let mut graph = graph.clone();
    for id in graph.tensors.ids() {
        graph.tensors[id].name.insert_str(0, "other/");
    }
    for id in graph.nodes.ids() {
        graph.nodes[id].name.insert_str(0, "other/");
    }
    graph
}

#[test]
fn a_graph_against_itself_has_no_difference() {
    let (found, rows) = compared(&chain(), &chain(), "first-fit");
    assert!(rows.iter().all(|(group, _)| *group == Group::Same), "{rows:?}");
    assert_eq!((found.change().0, found.blame()), (0, Blame::None));
    assert_eq!(found.matches.count(Confidence::Certain), 5);
    assert!(
        found.added.is_empty() && found.removed.is_empty() && found.moved.is_empty() && found.reuses_lost.is_empty()
    );
}

#[test]
fn with_other_names_everything_is_matched_by_structure() {
    let (found, rows) = compared(&chain(), &renamed(&chain()), "first-fit");
    assert!(rows.iter().all(|(group, _)| *group == Group::Same), "{rows:?}");
    // The input has no operator of its own: it is the operand of one.
    assert_eq!(
        [Confidence::Certain, Confidence::Likely, Confidence::Guess].map(|sure| found.matches.count(sure)),
        [0, 4, 1]
    );
    assert!(!found.is_unrelated);
}

#[test]
fn a_wider_layer_is_larger_at_the_peak() {
    let mut new = chain();
    let b = tensor(&new, "b");
    new.tensors[b].shape = vec![Dim::Fixed(512)];
    let (found, rows) = compared(&chain(), &new, "first-fit");
    assert_eq!((found.old.bound, found.new.bound, found.change().0), (2048, 3072, 2048));
    // b does not fit between what is there, and goes on top.
    assert_eq!(found.blame(), Blame::Both { graph: 1024, plan: 1024 });
    // Step 1, where a and b live, is the peak now; before it was step 0, where x and a live.
    assert_eq!(rows, [(Group::Entered, "b".into()), (Group::Left, "x".into()), (Group::Same, "a".into())], "{rows:?}");
}

#[test]
fn a_skip_connection_keeps_a_tensor_alive() {
    let mut new = chain();
    let (a, last) = (tensor(&new, "a"), NodeId(3));
    new.nodes[last].inputs.push(a);
    let (found, rows) = compared(&chain(), &new, "first-fit");
    assert_eq!((found.old.bound, found.new.bound, found.change().0), (2048, 3072, 1024));
    assert!(rows.contains(&(Group::Entered, "a".into())) || rows.contains(&(Group::Lifetime, "a".into())), "{rows:?}");
}

#[test]
fn another_element_type_is_a_change_of_size() {
    let mut new = chain();
    for name in ["x", "a"] {
        let id = tensor(&new, name);
        new.tensors[id].dtype = Dtype::Float16;
    }
    let (found, rows) = compared(&chain(), &new, "first-fit");
    assert!(found.rows.iter().any(|row| row.retyped), "{rows:?}");
    assert_eq!((found.old.peak, found.new.peak), (2048, 2048));
}

#[test]
fn a_doubled_batch_doubles_every_size_under_every_name() {
    let mut new = chain();
    for id in new.tensors.ids() {
        new.tensors[id].shape = vec![Dim::Fixed(512)];
    }
    for other in [new.clone(), renamed(&new)] {
        let (found, rows) = compared(&chain(), &other, "first-fit");
        assert_eq!((found.old.peak * 2, found.change().1), (found.new.peak, Some(1.0)));
        assert!(!found.is_unrelated && found.added.is_empty() && found.removed.is_empty(), "{rows:?}");
        assert_eq!(rows.iter().filter(|(group, _)| *group == Group::Size).count(), 2, "{rows:?}");
    }
}

#[test]
fn an_operator_added_removed_or_moved_is_named() {
    let mut new = chain();
    let dropped = tensor(&new, "b");
    // y reads b: c is no longer needed by anybody, and its operator goes.
    new.nodes[NodeId(3)].inputs = vec![dropped];
    let nodes: Vec<_> = new.nodes.iter().filter(|node| node.name != "n_c").cloned().collect();
    new.nodes = nodes.into();
    let (found, _) = compared(&chain(), &new, "first-fit");
    assert_eq!((found.added.len(), &*found.removed), (0, &[2][..]));
    let (found, _) = compared(&new, &chain(), "first-fit");
    assert_eq!((&*found.added, found.removed.len()), (&[2][..], 0));
}

#[test]
fn graphs_without_a_common_part_are_not_listed() {
    let mut other = renamed(&chain());
    for id in other.nodes.ids() {
        other.nodes[id].op = format!("odd_{}", id.index());
    }
    for id in other.tensors.ids() {
        other.tensors[id].shape = vec![Dim::Fixed(7 + id.index() as u64)];
    }
    let (found, rows) = compared(&chain(), &other, "first-fit");
    assert!(found.is_unrelated && rows.is_empty(), "{rows:?}");
}

#[test]
fn an_update_in_place_ends_for_the_first_reason_that_holds() {
    let planner = "tflite-arena;inplace";
    let mut forbidden = chain();
    forbidden.nodes[NodeId(1)].inplace.clear();
    let (found, _) = compared(&chain(), &forbidden, planner);
    let listed: Vec<_> = found.lost.iter().map(|loss| (loss.name.as_str(), loss.bytes, &loss.why)).collect();
    assert_eq!(listed, [("a", 1024, &Broken::Forbidden)]);
    let mut read = chain();
    let a = tensor(&read, "a");
    read.nodes[NodeId(3)].inputs.push(a);
    let (found, _) = compared(&chain(), &read, planner);
    assert_eq!(found.lost[0].why, Broken::ReadLater { step: 3, by: "n_y".into() });
    let (back, _) = compared(&read, &chain(), planner);
    assert_eq!((back.lost, back.won.len()), (Vec::new(), 1), "mirrored");
}

#[test]
fn what_an_xla_module_hands_over_is_what_it_states() {
    let mut donated = chain();
    donated.nodes.ids().collect::<Vec<_>>().into_iter().for_each(|id| donated.nodes[id].inplace.clear());
    let [x, a, b] = ["x", "a", "b"].map(|name| tensor(&donated, name));
    let pair = |donor, acceptor| HandOver { donor, acceptor };
    donated.stated = Stated { inputs_are_there: true, handed: vec![pair(x, a), pair(a, b)], ..Stated::default() };
    let (same, _) = compared(&donated, &donated, "first-fit");
    assert_eq!((same.lost.len(), same.won.len()), (0, 0), "one chain is one buffer");
    let mut kept = donated.clone();
    kept.stated.handed.remove(0);
    kept.stated.kept = vec![x];
    let (found, _) = compared(&donated, &kept, "first-fit");
    let listed: Vec<_> = found.lost.iter().map(|loss| (loss.name.as_str(), &loss.why)).collect();
    assert_eq!(listed, [("x", &Broken::Kept)]);
    let mut apart = donated.clone();
    apart.stated.handed.remove(1);
    let (found, _) = compared(&donated, &apart, "first-fit");
    let listed: Vec<_> = found.lost.iter().map(|loss| (loss.name.as_str(), &loss.why)).collect();
    assert_eq!(listed, [("a", &Broken::Unknown)], "unused permissions are not in such a file");
}
