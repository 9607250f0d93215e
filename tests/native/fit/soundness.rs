//! What concatenations in parts must not break: bounds, other planners, orders, and files that
//! state them wrongly.

use memplan_core::graph::{Attr, Graph, HandOver, Stated, TensorId};
use memplan_core::plan::{Plan, dependencies};
use memplan_core::problem::{Branches, Problem, Scope, ends, lifetimes, lower_bound};
use memplan_fit::fit;
use memplan_planners::reorder::Reorder;
use memplan_planners::{Planner, prepare};

use super::{Locale, Runtime, Speech, graph_of, report_text, request, solve};

/// A graph of one-dimensional tensors: `name bytes kind` and `name op inputs outputs|rest`, a line
/// each.
pub fn lines(tensors: &str, nodes: &str) -> Graph {
    let tensors = tensors.split(';').map(|line| {
        let [name, bytes, kind] = line.split_whitespace().collect::<Vec<_>>()[..] else { panic!("{line}") };
        format!(r#"{{"name":"{name}","dtype":"int8","shape":[{bytes}],"kind":"{kind}"}}"#)
    });
    let nodes = nodes.split(';').map(|line| {
        let (made, rest) = line.split_once('|').unwrap_or((line, ""));
        let [name, op, inputs, outputs] = made.split_whitespace().collect::<Vec<_>>()[..] else { panic!("{line}") };
        let [inputs, outputs] = [inputs, outputs].map(|list| list.split('+').collect::<Vec<&str>>());
        format!(r#"{{"name":"{name}","op":"{op}","inputs":{inputs:?},"outputs":{outputs:?}{rest}}}"#)
    });
    let (tensors, nodes) = (tensors.collect::<Vec<_>>().join(","), nodes.collect::<Vec<_>>().join(","));
    graph_of(&format!(r#"{{"format":"memory-graph/1","name":"lines","tensors":[{tensors}],"nodes":[{nodes}]}}"#))
}

/// `a` and `b` lie in `y`, which is read by `z`.
fn stated() -> Graph {
    lines(
        "x 8 input;a 16 intermediate;b 32 intermediate;y 48 intermediate;z 8 output",
        r#"A make x a;B make x b;join cat a+b y|,"attrs":{"parts":[[0,16],[16,48]]};Z make y z"#,
    )
}

fn problem(graph: &Graph) -> Problem {
    lifetimes(graph, &Scope::default()).expect("sizes are known")
}

fn buffers(graph: &Graph) -> usize {
    problem(graph).buffers.len()
}

#[test]
fn no_bound_counts_what_may_lie_on_a_part_that_is_made_again() {
    // o may lie on a, if a is made again before the concatenation: 8 + 32 + 32, not 32 + 32 + 32.
    let graph = lines(
        "x 8 input;a 32 intermediate;c 32 intermediate;o 32 intermediate;p 8 output;b 8 intermediate;y 40 output",
        r#"A conv2d x a;C conv2d x c;O add a+c o|,"inplace":[[0,0]];P conv2d o p;B conv2d x b;join cat a+b y"#,
    );
    let record = solve(&graph, &request(80, "planner,inplace,views,recompute")).record;
    assert_ne!(record.result, "impossible", "{:?}", record.certificate);
}

#[test]
fn a_graph_input_that_was_brought_back_is_overwritten() {
    // The caller keeps x: as it is, y lies beside it. What is brought back before R is no longer
    // the caller's.
    let graph = lines(
        "x 32 input;a 8 intermediate;b 8 intermediate;y 32 intermediate;z 8 output",
        r#"A make x a;B make a b;R relu x y|,"inplace":[[0,0]];Z make y+b z"#,
    );
    let allow = "planner,inplace,spill";
    let answer = solve(&graph, &request(48, allow));
    let record = &answer.record;
    assert_eq!((record.result.as_str(), record.required.before, record.price.bytes_moved), ("fits", 72, 32));
    // The graph moves what the price says: nothing goes out, because the caller gives a copy.
    let changed = answer.finished.expect("it fits").graph;
    let moved: Vec<&str> = changed.nodes.iter().map(|node| &*node.op).filter(|op| op.starts_with("memplan.")).collect();
    assert_eq!(moved, ["memplan.fill"]);
    assert!(
        changed.tensors.iter().any(|tensor| tensor.name == "x.kept" && tensor.kind == memplan_core::graph::Kind::Input)
    );
    // It is read nowhere else: nothing can be brought back before its first use.
    let alone = lines("x 32 input;y 32 intermediate;z 8 output", r#"R relu x y|,"inplace":[[0,0]];Z make y z"#);
    let record = solve(&alone, &request(63, allow)).record;
    assert_eq!((record.result.as_str(), record.required.after), ("impossible", 64));
}

#[test]
fn a_result_in_the_middle_of_the_last_stripes_stays_whole() {
    let graph = super::graph_of(
        r#"{"format":"memory-graph/1","name":"two results","tensors":[
        {"name":"x","dtype":"int8","shape":[1,1,8,1],"kind":"input"},
        {"name":"w","dtype":"int8","shape":[4,1,1,1],"kind":"weight"},
        {"name":"v","dtype":"int8","shape":[1,4,1,1],"kind":"weight"},
        {"name":"h","dtype":"int8","shape":[1,4,8,1],"kind":"intermediate"},
        {"name":"g","dtype":"int8","shape":[1,1,8,1],"kind":"output"},
        {"name":"y","dtype":"int8","shape":[1,1,8,1],"kind":"output"}],
        "nodes":[
        {"name":"H","op":"conv2d","inputs":["x","w"],"outputs":["h"]},
        {"name":"G","op":"conv2d","inputs":["h","v"],"outputs":["g"]},
        {"name":"Y","op":"relu","inputs":["g"],"outputs":["y"]}]}"#,
    );
    let answer = solve(&graph, &request(32, "planner,stripes"));
    let finished = answer.finished.expect("it fits");
    let results = |graph: &Graph| -> Vec<(String, String)> {
        let outputs = graph.tensors.enumerate().filter(|(_, tensor)| tensor.kind == memplan_core::graph::Kind::Output);
        outputs.map(|(id, tensor)| (tensor.name.clone(), graph.shape_words(id))).collect()
    };
    assert_eq!(results(&finished.graph), results(&graph));
}

#[test]
fn a_graph_that_was_changed_before_is_refused_with_the_remedy() {
    let why = fit(&stated(), &request(64, "planner,order"), &|| false).expect_err("refused");
    assert_eq!(why.key, "fit.has-parts");
}

/// 16 bytes would be proved, where the handover takes 8.
#[test]
fn a_graph_whose_file_states_its_storages_is_refused() {
    let mut graph = lines("x 8 input;y 8 intermediate;z 8 output", "Y relu x y;Z relu y z");
    let bound = |graph: &Graph| lower_bound(&lifetimes(graph, &Scope::default()).expect("sizes"));
    assert_eq!(bound(&graph), 16);
    let pair = |donor, acceptor| HandOver { donor: TensorId(donor), acceptor: TensorId(acceptor) };
    graph.stated.handed = vec![pair(0, 1), pair(1, 2)];
    assert_eq!(bound(&graph), 8);
    let refused = |graph: &Graph| fit(graph, &request(8, "planner,order"), &|| false).expect_err("refused").key;
    assert_eq!(refused(&graph), "fit.has-storages");
    // The caller keeps x, which the search would let end with its reader.
    graph.stated = Stated { kept: vec![TensorId(0)], ..Stated::default() };
    assert_eq!(refused(&graph), "fit.has-storages");
}

#[test]
fn an_answer_names_parts_that_help_only_with_something_else() {
    // 64 are alive at G, which stripes mend, and at the concatenation, which only parts do.
    let graph = super::graph_of(
        r#"{"format":"memory-graph/1","name":"later","tensors":[
        {"name":"x","dtype":"int8","shape":[1,2,8,1],"kind":"input"},
        {"name":"w","dtype":"int8","shape":[6,2,1,1],"kind":"weight"},
        {"name":"v","dtype":"int8","shape":[2,6,1,1],"kind":"weight"},
        {"name":"h","dtype":"int8","shape":[1,6,8,1],"kind":"intermediate"},
        {"name":"g","dtype":"int8","shape":[1,2,8,1],"kind":"intermediate"},
        {"name":"u","dtype":"int8","shape":[2,2,1,1],"kind":"weight"},
        {"name":"a","dtype":"int8","shape":[1,2,8,1],"kind":"intermediate"},
        {"name":"b","dtype":"int8","shape":[1,2,8,1],"kind":"intermediate"},
        {"name":"y","dtype":"int8","shape":[1,4,8,1],"kind":"intermediate"},
        {"name":"t","dtype":"int8","shape":[1,4,1,1],"kind":"weight"},
        {"name":"z","dtype":"int8","shape":[1,1,8,1],"kind":"output"}],
        "nodes":[
        {"name":"H","op":"conv2d","inputs":["x","w"],"outputs":["h"]},
        {"name":"G","op":"conv2d","inputs":["h","v"],"outputs":["g"]},
        {"name":"A","op":"mystery","inputs":["g","u"],"outputs":["a"]},
        {"name":"B","op":"mystery","inputs":["g","u"],"outputs":["b"]},
        {"name":"join","op":"cat","inputs":["a","b"],"outputs":["y"]},
        {"name":"Z","op":"mystery","inputs":["y","t"],"outputs":["z"]}]}"#,
    );
    let answer = solve(&graph, &request(48, "planner,views,stripes"));
    assert_eq!(answer.record.result, "fits");
    let told: Vec<&str> = answer.record.moves.iter().map(|told| told.why.key.as_str()).collect();
    assert_eq!(told, ["fit.move-parts", "fit.move-stripes"]);
    assert!(answer.finished.expect("it fits").graph.nodes.iter().any(|node| node.attrs.contains_key("parts")));
}

#[test]
fn an_attribute_is_followed_only_where_it_is_safe() {
    assert_eq!(buffers(&stated()), 3);
    // Another operator would make its output over its inputs.
    let mut other = stated();
    other.nodes.iter_mut().filter(|node| node.op == "cat").for_each(|node| node.op = "relu".into());
    assert_eq!(buffers(&other), 5);
    // A part at byte 16 cannot begin at a multiple of 64.
    let aligned = lifetimes(&stated(), &Scope { align: 64, ..Scope::default() }).expect("sizes").buffers.len();
    assert_eq!(aligned, 5);
    // Something is written over a part, before, at or after the last read of the output.
    let written = |order: &str| {
        lines(
            "x 8 input;a 16 intermediate;b 32 intermediate;y 48 intermediate;o 16 intermediate;z 8 output;q 8 output",
            &format!(
                r#"A make x a;B make x b;join cat a+b y|,"attrs":{{"parts":[[0,16],[16,48]]}};{order};Q make o q"#
            ),
        )
    };
    let over = r#"O relu a o|,"attrs":{"alias":0}"#;
    assert_eq!(
        buffers(&written(&format!("{over};Z make y z"))),
        6,
        "the output would be overwritten before it is read"
    );
    assert_eq!(buffers(&written(&format!("Z make y z;{over}"))), 4, "the output is read no more");
}

/// What is told in English of a graph that does not fit.
fn told(graph: &Graph, capacity: u64, allow: &str) -> String {
    let record = solve(graph, &request(capacity, allow)).record;
    assert_eq!(record.result, "impossible", "{record:?}");
    report_text(&record, Runtime::Compiled, Speech { locale: Locale::En, ..Speech::default() })
}

#[test]
fn a_concatenation_of_another_one_copies_and_the_answer_says_so() {
    // 32 + 16 + 48 at the outer one, whose first input is a concatenation itself.
    let graph = lines(
        "x 8 input;a 16 intermediate;b 16 intermediate;y 32 intermediate;c 16 intermediate;z 48 output",
        "A make x a;B make x b;inner cat a+b y;C make a c;outer cat y+c z",
    );
    let sentence = "outer copies its inputs: one of them is a concatenation itself.";
    let text = told(&graph, 95, "planner,inplace,views");
    // Beside the proof, and beside the lever that saves nothing.
    assert_eq!(text.matches(sentence).count(), 2, "{text}");
    assert_eq!(solve(&graph, &request(96, "planner,inplace,views")).record.result, "fits");
    // The inner one alone has no such reason.
    assert!(!text.contains("inner copies"), "{text}");
}

#[test]
fn a_concatenation_that_saves_nothing_in_its_order_copies_and_the_answer_says_so() {
    // Between a and c lie the bytes of b, which is made last: they would be in use from the first
    // part on.
    let between = |order: &str| {
        lines(
            "x 8 input;a 16 intermediate;b 16 intermediate;c 16 intermediate;y 48 output",
            &format!("{order};join cat a+b+c y"),
        )
    };
    let sentence = "join copies its inputs: in this order, they would take no less in its output.";
    let graph = between("A make x a;C make x c;B make a b");
    let text = told(&graph, 47, "planner,views,recompute");
    assert!(text.contains(sentence), "{text}");
    // Made one beside the other, they are made in the output.
    let graph = between("A make x a;B make a b;C make a c");
    let text = told(&graph, 47, "planner,views,recompute");
    assert!(!text.contains("copies its inputs"), "{text}");
    assert_eq!(solve(&graph, &request(48, "planner,views")).record.result, "fits");
}

#[test]
fn extents_that_cannot_be_added_up_are_no_parts() {
    let graph = graph_of(
        r#"{"format":"memory-graph/1","name":"vast","tensors":[
        {"name":"x","dtype":"int8","shape":[8],"kind":"input"},
        {"name":"a","dtype":"int8","shape":[9223372036854775808],"bytes":8,"kind":"intermediate"},
        {"name":"b","dtype":"int8","shape":[9223372036854775808],"bytes":8,"kind":"intermediate"},
        {"name":"y","dtype":"int8","shape":[18446744073709551615],"bytes":16,"kind":"output"}],
        "nodes":[
        {"name":"A","op":"make","inputs":["x"],"outputs":["a"]},
        {"name":"B","op":"make","inputs":["x"],"outputs":["b"]},
        {"name":"join","op":"cat","inputs":["a","b"],"outputs":["y"]}]}"#,
    );
    assert_eq!(solve(&graph, &request(16, "planner,views")).record.result, "impossible");
}

#[test]
fn planners_of_orders_and_branches_know_every_maker() {
    let graph = stated();
    let mut found = problem(&graph);
    let options = Reorder.info().options([]).expect("defaults");
    let refused = prepare(&Reorder, &mut found, Some(&graph), &Scope::default(), &options).expect_err("refused");
    assert!(format!("{refused:?}").contains("fault.parts-order"), "{refused:?}");
    assert_eq!(dependencies(&graph, &found, &Plan::default()), None);
    // z ends before y begins, but nothing leads from its reader to the maker of a.
    let parallel = lines(
        "x 8 input;z 16 intermediate;r 8 intermediate;a 16 intermediate;b 32 intermediate;y 48 output",
        r#"Z make x z;R make z r;B make r b;A make x a;join cat a+b y|,"attrs":{"parts":[[0,16],[16,48]]}"#,
    );
    let found = problem(&parallel);
    let named = |name: &str| found.buffer_named(name).expect("a buffer");
    let branches = Branches::of(&parallel, &found).expect("it is small");
    assert!(!branches.allow(named("z"), named("y")), "A may run while R reads z");
    // The storage is made by the node that makes the first part.
    let (maker, reader) = ends(&parallel, &found.buffers[named("y")]);
    assert_eq!(maker.map(|node| parallel.nodes[node].name.as_str()), Some("B"));
    assert_eq!(reader, None, "the caller has it");
}

#[test]
fn many_inputs_and_readers_take_no_square_of_time() {
    let count = 20_000;
    let mut graph = stated();
    let (join, a) = (graph.nodes.ids().nth(2).expect("join"), graph.tensors.ids().nth(1).expect("a"));
    let (tensor, maker) = (graph.tensors[a].clone(), graph.nodes.iter().next().expect("A").clone());
    let mut nodes: Vec<memplan_core::graph::Node> = Vec::new();
    let mut inputs = Vec::new();
    for at in 0..count {
        let id = graph.tensors.push(memplan_core::graph::Tensor { name: format!("p{at}"), ..tensor.clone() });
        inputs.push(id);
        nodes.push(memplan_core::graph::Node { name: format!("P{at}"), outputs: vec![id], ..maker.clone() });
    }
    let mut joining = graph.nodes[join].clone();
    let ranges: Vec<String> = (0..count).map(|at| format!("[{},{}]", 16 * at, 16 * at + 16)).collect();
    joining.attrs_mut().insert("parts".into(), Attr::Json(format!("[{}]", ranges.join(","))));
    joining.inputs = inputs;
    let whole = joining.outputs[0];
    graph.tensors[whole].shape = vec![memplan_core::graph::Dim::Fixed(16 * count)];
    let last = graph.nodes.iter().last().expect("Z").clone();
    graph.nodes = nodes.into_iter().chain([joining, last]).collect();
    let found = problem(&graph);
    let storage = &found.buffers[found.buffer_named("y").expect("a buffer")];
    // One gap for each input that is there before the last one: the square would be 400 million
    // steps.
    assert_eq!((storage.size, storage.gaps.len()), (16 * count, count as usize - 1));
}
