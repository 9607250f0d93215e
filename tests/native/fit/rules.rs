//! Which changes the rules permit: scratch, outputs in place, operators that may run again, views,
//! and multiplications.

use std::collections::BTreeMap;

use memplan_core::base::Id;
use memplan_core::graph::{Graph, NodeId, TensorId};
use memplan_core::problem::Scope;
use memplan_fit::transform::{Layout, Net, in_place, macs, scratch, views};
use memplan_fit::{Request, Runtime, every_operator};

use super::brute::least_of_orders;
use super::execute::execute;
use super::random::{Numbers, random_graph};
use super::{Locale, Speech, WORKED, graph_of, report_text, request, solve, with, worked};

fn with_scratch(bytes: u64, allow: &str, by_operator: &[(&str, u64)]) -> Request {
    let mut request = request(bytes, allow);
    request.budget.by_operator = by_operator.iter().map(|&(op, bytes)| (op.to_string(), bytes)).collect();
    request
}

pub fn of_nodes(nodes: &[(&str, &str)]) -> Graph {
    let tensor =
        |name: &str, kind: &str| format!(r#"{{"name":"{name}","dtype":"int8","shape":[1,1,8,1],"kind":"{kind}"}}"#);
    let mut tensors = vec![tensor("t0", "input")];
    let mut made = Vec::new();
    for (at, (op, rest)) in nodes.iter().enumerate() {
        let kind = if at + 1 == nodes.len() { "output" } else { "intermediate" };
        tensors.push(tensor(&format!("t{}", at + 1), kind));
        made.push(format!(r#"{{"name":"n{at}","op":"{op}","inputs":["t{at}"],"outputs":["t{}"]{rest}}}"#, at + 1));
    }
    let (tensors, nodes) = (tensors.join(","), made.join(","));
    graph_of(&format!(r#"{{"format":"memory-graph/1","name":"line","tensors":[{tensors}],"nodes":[{nodes}]}}"#))
}

#[test]
fn scratch_is_alive_in_every_stripe_and_clone_and_changes_no_rule() {
    let graph = worked();
    let vast = solve(&graph, &request(1 << 20, "planner")).finished.expect("a plan");
    let expected = execute(&vast.graph, &vast.problem, &vast.plan);
    let scratch: &[(&str, u64)] = &[("p", 5), ("a", 4), ("b", 3), ("c", 4), ("d", 2)];
    for (bytes, paid, lever) in [(64, "stripes", "stripes"), (76, "recompute", "recompute"), (70, "spill", "spill")] {
        let answer = solve(&graph, &with_scratch(bytes, &with(paid), scratch));
        assert!(answer.record.moves.iter().any(|one| one.lever == lever), "{paid} {:?}", answer.record);
        let finished = answer.finished.expect("it fits");
        assert_eq!(execute(&finished.graph, &finished.problem, &finished.plan), expected, "{paid}");
        let made = finished.graph.nodes.iter().filter(|node| node.op == "conv2d");
        for node in made {
            let scratch = node.scratch().unwrap_or_else(|| panic!("{} has no scratch", node.name));
            let buffer = finished.problem.buffer_of(scratch).expect("a buffer");
            // Each has its own: nothing else is alive there.
            assert_eq!(finished.problem.buffers[buffer].tensors, [scratch]);
        }
    }
}

#[test]
fn scratch_of_no_bytes_changes_nothing() {
    let graph = worked();
    for (bytes, allow) in [(48, with("stripes")), (47, "planner,inplace,stripes".into()), (72, with("recompute"))] {
        let plain = solve(&graph, &request(bytes, &allow)).record;
        let none = solve(&graph, &with_scratch(bytes, &allow, &[("p", 0), ("a", 0), ("c", 0)])).record;
        assert_eq!((&none.result, none.required, &none.moves), (&plain.result, plain.required, &plain.moves));
        assert_eq!((&none.certificate, &none.held), (&plain.certificate, &plain.held));
    }
}

#[test]
fn an_output_in_place_leaves_other_outputs_and_scratch_where_they_are() {
    let mut graph = graph_of(
        r#"{"format":"memory-graph/1","name":"pair","tensors":[
        {"name":"x","dtype":"int8","shape":[8],"kind":"input"},
        {"name":"a","dtype":"int8","shape":[8],"kind":"intermediate"},
        {"name":"b","dtype":"int8","shape":[8],"kind":"intermediate"},
        {"name":"c","dtype":"int8","shape":[8],"kind":"intermediate"},
        {"name":"d","dtype":"int8","shape":[8],"kind":"intermediate"},
        {"name":"y","dtype":"int8","shape":[8],"kind":"output"}],
        "nodes":[
        {"name":"A","op":"relu","inputs":["x"],"outputs":["a"]},
        {"name":"D","op":"relu","inputs":["x"],"outputs":["d"]},
        {"name":"P","op":"pair","inputs":["a","d"],"outputs":["b","c"],"inplace":[[0,1],[1,0]]},
        {"name":"Y","op":"add","inputs":["b","c"],"outputs":["y"]}]}"#,
    );
    scratch(&mut graph, 2, 4);
    let net = Net::of(&graph, &Scope::default(), &|_| true).expect("sizes");
    let merged = net.merged();
    assert_eq!(merged.pairs.len(), 2);
    let written = in_place(&graph, &merged.pairs, &net.root);
    let named = |id: TensorId| written.tensors[id].name.clone();
    let pairs: Vec<_> = written.nodes.iter().flat_map(|node| node.aliases().collect::<Vec<_>>()).collect();
    let pairs: Vec<_> = pairs.into_iter().map(|(from, to)| (named(from), named(to))).collect();
    assert_eq!(pairs, [("a".to_string(), "c".to_string()), ("d".to_string(), "b".to_string())]);
    let finished = solve(&graph, &request(24, "planner,inplace")).finished.expect("it fits");
    assert_eq!(finished.peak, 24, "x, a and d; at P the two and the scratch");
}

#[test]
fn operators_with_a_state_and_those_that_nobody_knows_run_once() {
    let nodes = |ops: &[&str]| of_nodes(&ops.iter().map(|op| (*op, "")).collect::<Vec<_>>());
    let keep = [
        "SVDF",
        "UNIDIRECTIONAL_SEQUENCE_LSTM",
        "READ_VARIABLE",
        "ASSIGN_VARIABLE",
        "VAR_HANDLE",
        "STABLEHLO_COMPOSITE",
        "STABLEHLO_CASE",
        "STABLEHLO_CUSTOM_CALL",
        "CALL_ONCE",
        "IF",
        "WHILE",
        "RANDOM_UNIFORM",
        "HASHTABLE_FIND",
        "all-reduce",
        "all-gather",
        "infeed",
        "outfeed",
        "conditional",
        "custom-call",
        "rng-bit-generator",
        "send-done",
        "add_",
        "aten::dropout",
        "vendor.custom",
        "batch_norm_train",
    ];
    for node in nodes(&keep).nodes.iter() {
        assert!(node.has_effects() && !node.is_pure(), "{}", node.op);
    }
    // Nothing says that these have a state, and nothing that they have none.
    for node in
        nodes(&["upside_down", "com.microsoft::Conv", "TFLite_Detection_PostProcess", "memplan.fill"]).nodes.iter()
    {
        assert!(!node.has_effects() && !node.is_pure(), "{}", node.op);
    }
    let again = [
        "CONV_2D",
        "DEPTHWISE_CONV_2D",
        "conv2d",
        "aten::conv2d",
        "Conv",
        "STABLEHLO_ADD",
        "fusion",
        "dot",
        "native_layer_norm",
        "MatMul",
        "silu",
        "HARD_SWISH",
        "scaled_dot_product_attention",
        "dynamic-update-slice",
    ];
    for node in nodes(&again).nodes.iter() {
        assert!(node.is_pure() && !node.has_effects(), "{}", node.op);
    }
    let custom = of_nodes(&[("conv2d", r#","attrs":{"custom":"true"}"#), ("relu", r#","attrs":{"mutates":"t1"}"#)]);
    assert!(custom.nodes.iter().all(|node| node.has_effects() && !node.is_pure()));
    // The answer names them, and none of them runs twice.
    let graph = of_nodes(&[("SVDF", ""), ("relu", ""), ("relu", "")]);
    let record = solve(&graph, &request(4, "planner,recompute")).record;
    assert_eq!(record.held.iter().map(|held| (&*held.key, held.ops.len())).collect::<Vec<_>>(), [("fit.held-turn", 1)]);
    let words = report_text(&record, Runtime::Compiled, Speech { locale: Locale::En, ..Speech::default() });
    assert!(words.contains("1 operator kept in turn and run once, because they have a state"), "{words}");
}

#[test]
fn nothing_is_made_again_from_what_was_written_in_between() {
    // K reads m, W writes over m, and k is read again at the end, which a clone of K would make
    // from the new m.
    let graph = |how: &str| {
        graph_of(&format!(
            r#"{{"format":"memory-graph/1","name":"written","tensors":[
            {{"name":"x","dtype":"int8","shape":[8],"kind":"input"}},
            {{"name":"m","dtype":"int8","shape":[8],"kind":"intermediate"}},
            {{"name":"k","dtype":"int8","shape":[32],"kind":"intermediate"}},
            {{"name":"l","dtype":"int8","shape":[8],"kind":"intermediate"}},
            {{"name":"n","dtype":"int8","shape":[8],"kind":"intermediate"}},
            {{"name":"q","dtype":"int8","shape":[64],"kind":"intermediate"}},
            {{"name":"r","dtype":"int8","shape":[8],"kind":"intermediate"}},
            {{"name":"y","dtype":"int8","shape":[8],"kind":"output"}}],
            "nodes":[
            {{"name":"M","op":"relu","inputs":["x"],"outputs":["m"]}},
            {{"name":"K","op":"relu","inputs":["m"],"outputs":["k"]}},
            {{"name":"L","op":"sum","inputs":["k"],"outputs":["l"]}},
            {{"name":"W","op":"write","inputs":["m","l"],"outputs":["n"]{how}}},
            {{"name":"Q","op":"relu","inputs":["n"],"outputs":["q"]}},
            {{"name":"R","op":"sum","inputs":["q"],"outputs":["r"]}},
            {{"name":"Y","op":"add","inputs":["k","m","r"],"outputs":["y"]}}]}}"#
        ))
    };
    let again = |how: &str| {
        let record = solve(&graph(how), &request(96, "planner,recompute")).record;
        record.moves.iter().flat_map(|one| one.tensors.clone()).collect::<Vec<_>>()
    };
    assert_eq!(again(""), ["k"], "nothing is written");
    assert_eq!(again(r#","attrs":{"alias":0}"#), [""; 0]);
    assert_eq!(again(r#","attrs":{"mutates":"m"}"#), [""; 0]);
}

#[test]
fn only_copies_that_change_nothing_become_names() {
    let named = |graph: &Graph| -> Vec<String> {
        let has_alias = |graph: &Graph, at| graph.nodes[at].aliases().next().is_some();
        let (after, ids) = (views(graph), graph.nodes.ids());
        ids.filter(|&id| has_alias(&after, id) && !has_alias(graph, id))
            .map(|id| graph.nodes[id].name.clone())
            .collect()
    };
    let view = r#","attrs":{"alias":"true"}"#;
    assert_eq!(named(&of_nodes(&[("relu", ""), ("reshape", ""), ("relu", "")])), ["n1"]);
    assert_eq!(named(&of_nodes(&[("relu", ""), ("view", view), ("reshape", ""), ("relu", "")])), ["n2"]);
    // What is read lies in another order than its name says, directly or through another view.
    assert_eq!(named(&of_nodes(&[("relu", ""), ("permute", view), ("reshape", ""), ("relu", "")])), [""; 0]);
    let through = of_nodes(&[("relu", ""), ("transpose", view), ("view", view), ("reshape", ""), ("relu", "")]);
    assert_eq!(named(&through), [""; 0]);
    // The reader of the file left it a copy.
    assert_eq!(named(&of_nodes(&[("relu", ""), ("reshape", r#","attrs":{"alias":"false"}"#), ("relu", "")])), [""; 0]);
    // Someone writes into one of the two.
    let written = of_nodes(&[("relu", ""), ("reshape", ""), ("add_", r#","attrs":{"alias":0}"#), ("relu", "")]);
    assert_eq!(named(&written), [""; 0]);
    // Another memory.
    let mut apart = of_nodes(&[("relu", ""), ("identity", ""), ("relu", "")]);
    let slow = apart.devices.push("DRAM".into());
    apart.tensors[TensorId::from_index(2)].device = slow;
    assert_eq!(named(&apart), [""; 0]);
}

#[test]
fn a_matrix_product_counts_the_extent_that_both_operands_share() {
    let count = |op: &str, attrs: &str, operands: &[(&str, &str)], output: &str| {
        let tensors: Vec<String> = operands
            .iter()
            .enumerate()
            .map(|(at, (shape, kind))| format!(r#"{{"name":"t{at}","dtype":"int8","shape":{shape},"kind":"{kind}"}}"#))
            .collect();
        let names: Vec<String> = (0..operands.len()).map(|at| format!("t{at}")).collect();
        let graph = graph_of(&format!(
            r#"{{"format":"memory-graph/1","name":"product","tensors":[{},
            {{"name":"y","dtype":"int8","shape":{output},"kind":"output"}}],
            "nodes":[{{"name":"n","op":"{op}","inputs":{names:?},"outputs":["y"],"attrs":{{{attrs}}}}}]}}"#,
            tensors.join(",")
        ));
        macs(&graph, graph.nodes.iter().next().expect("one"), Layout::of(&graph))
    };
    let (input, weight) = ("input", "weight");
    assert_eq!(count("linear", "", &[("[4,8]", input), ("[16,8]", weight)], "[4,16]"), 512);
    assert_eq!(count("FULLY_CONNECTED", "", &[("[1,2,2,2]", input), ("[16,8]", weight)], "[1,16]"), 128);
    assert_eq!(count("MatMul", "", &[("[4,8]", input), ("[8,16]", weight)], "[4,16]"), 512);
    assert_eq!(count("Gemm", "", &[("[4,8]", input), ("[8,16]", weight)], "[4,16]"), 512);
    assert_eq!(count("Gemm", r#""transA":1"#, &[("[8,4]", input), ("[8,16]", weight)], "[4,16]"), 512);
    assert_eq!(count("mm", "", &[("[4,8]", input), ("[8,16]", weight)], "[4,16]"), 512);
    assert_eq!(count("addmm", "", &[("[16]", weight), ("[4,8]", input), ("[8,16]", weight)], "[4,16]"), 512);
    let transposed = [("[4]", weight), ("[6,2,2,3]", weight), ("[1,4,4,3]", input)];
    // 48 elements of the input, each times 6 output channels and 4 elements of the kernel.
    assert_eq!(count("TRANSPOSE_CONV", "", &transposed, "[1,8,8,6]"), 48 * 24);
    assert_eq!(count("conv_transpose2d", "", &[("[1,3,4,4]", input), ("[3,6,2,2]", weight)], "[1,6,8,8]"), 48 * 24);
}

#[test]
fn the_ladder_tells_what_another_order_reaches_without_anything_else() {
    let mut numbers = Numbers(7);
    for _ in 0..16 {
        let graph = random_graph(&mut numbers);
        let record = solve(&graph, &request(16, "planner")).record;
        let row = record.levers.iter().find(|row| row.lever == "order").expect("a row");
        assert_eq!(row.peak, Some(least_of_orders(&graph, false, false)), "{:?}", graph.nodes);
    }
}

#[test]
fn a_price_is_proved_cheapest_where_the_other_levers_have_nothing_to_do() {
    // A chain: nothing rests, so that nothing can be made again, and there is one memory.
    let text = include_str!("../../data/fit/tiny.json").replace("[1,4,1,1]", "[1,4,3,1]");
    let graph = graph_of(&text);
    let least = |bytes| {
        let mut request = request(bytes, "all");
        request.budget.memories.truncate(1);
        solve(&graph, &request).record
    };
    let paid = (24..64).rev().map(least).find(|record| record.price.macs > 0).expect("stripes with a price");
    assert_eq!((paid.result.as_str(), paid.optimal), ("fits", true), "{paid:?}");
    // In the worked example p rests: what stripes cost is the least of stripes alone.
    let mut more = super::request(48, "all");
    more.budget.memories.truncate(1);
    let record = solve(&graph_of(WORKED), &more).record;
    assert_eq!((record.result.as_str(), record.price.macs, record.optimal), ("fits", 336, false));
    let words = report_text(&record, Runtime::Compiled, Speech { locale: Locale::En, ..Speech::default() });
    assert!(words.contains("cheapest of all stripes over up to 28 operators; with the other levers"), "{words}");
}

#[test]
fn what_was_found_is_over_the_budget_and_a_memory_that_is_too_small_is_named() {
    let graph = graph_of(include_str!("../../data/fit/tiny.json"));
    let mut request = request(1, "all");
    request.budget.memories[1].size = 2;
    let record = solve(&graph, &request).record;
    assert_eq!((record.result.as_str(), record.search.small.as_slice()), ("unknown", &["DRAM".to_string()][..]));
    assert!(record.required.after > 1, "{record:?}");
    let words = report_text(&record, Runtime::Compiled, Speech { locale: Locale::En, ..Speech::default() });
    assert!(words.contains("Too small for what was moved there: DRAM. State a larger memory."), "{words}");
    assert!(!words.contains("0\u{202f}B over") && !words.contains("0 B over"), "{words}");
}

#[test]
fn names_are_short_in_words_and_whole_in_figures() {
    let long = format!("net/block/{}", "deep/".repeat(40));
    let fused = format!("{long}relu;{long}add;{long}conv");
    let text = WORKED.replace(r#""a""#, &format!(r#""{fused}""#));
    let record = solve(&graph_of(&text), &request(79, super::FREE)).record;
    let words = report_text(&record, Runtime::Compiled, Speech { locale: Locale::En, ..Speech::default() });
    assert!(words.lines().all(|line| line.chars().count() < 200), "{words}");
    let proof = record.certificate.expect("a proof");
    assert!(proof.storages.iter().any(|storage| storage.name == fused));
    // The proof is one line.
    let line = words.lines().find(|line| line.contains("c needs 80")).expect("a line");
    assert!(line.contains("reads net/block/deep/") && line.contains("makes c 32") && line.contains("p 16"), "{line}");
}

#[test]
fn scratch_of_operators_is_stated_once() {
    let lines = |text| memplan_fit::read_scratch(text);
    assert_eq!(lines("op,bytes\na,4\nb,0\n"), Ok(BTreeMap::from([("a".to_string(), 4), ("b".to_string(), 0)])));
    let fault = lines("op,bytes\na,4\nb,8\na,5\n").expect_err("twice");
    assert_eq!((fault.line, fault.text, fault.is_twice), (4, "a,5", true));
    let fault = lines("a 4\n").expect_err("no pair");
    assert_eq!((fault.line, fault.is_twice), (1, false));
}

#[test]
fn the_list_of_all_operators_is_read_back() {
    let mut graph = graph_of(
        r#"{"format":"memory-graph/1","name":"named","tensors":[
        {"name":"x","dtype":"int8","shape":[8],"kind":"input"},
        {"name":"a","dtype":"int8","shape":[8],"kind":"intermediate"},
        {"name":"b","dtype":"int8","shape":[8],"kind":"intermediate"},
        {"name":"c","dtype":"int8","shape":[8],"kind":"intermediate"},
        {"name":"y","dtype":"int8","shape":[8],"kind":"output"}],
        "nodes":[
        {"name":"relu, the second","op":"relu","inputs":["x"],"outputs":["a"]},
        {"name":"again","op":"relu","inputs":["a"],"outputs":["b"]},
        {"name":"third","op":"relu","inputs":["b"],"outputs":["c"]},
        {"name":" padded","op":"relu","inputs":["c"],"outputs":["y"]}]}"#,
    );
    // Other formats have operators of one name.
    graph.nodes[NodeId::from_index(2)].name = "again".into();
    let lines = every_operator(&graph);
    assert_eq!(lines, "relu, the second,0\nagain,0\n", "in their order, once; what no line can hold is left out");
    assert_eq!(memplan_fit::read_scratch(&lines).map(|read| read.len()), Ok(2));
}

#[test]
fn figures_beyond_any_model_are_no_overflow() {
    // The weight says more bytes than its shape, which a stripe reads again and again.
    let graph = graph_of(
        r#"{"format":"memory-graph/1","name":"vast","tensors":[
        {"name":"x","dtype":"int8","shape":[1,1,8192,1],"kind":"input"},
        {"name":"w","dtype":"int8","shape":[1,1,1,1],"bytes":9007199254000000,"kind":"weight"},
        {"name":"a","dtype":"int8","shape":[1,1,8192,1],"kind":"intermediate"},
        {"name":"y","dtype":"int8","shape":[1,1,8192,1],"kind":"output"}],
        "nodes":[
        {"name":"A","op":"conv2d","inputs":["x","w"],"outputs":["a"],"attrs":{"stride":[1,1],"padding":[0,0]}},
        {"name":"Y","op":"relu","inputs":["a"],"outputs":["y"]}]}"#,
    );
    assert_eq!(solve(&graph, &request(16_400, "all")).record.result, "fits");
}

#[test]
fn a_memory_is_told_by_its_whole_name() {
    let lies = |stated: &str, name: &str| {
        let nodes = [("f", ""), ("f", "")].map(|(op, _)| (op, format!(r#","attrs":{{"memories":{stated}}}"#)));
        let graph = of_nodes(&nodes.iter().map(|(op, rest)| (*op, rest.as_str())).collect::<Vec<_>>());
        let mut request = request(10, "planner,bank");
        request.budget.memories[1].name = name.into();
        solve(&graph, &request).record.result
    };
    for stated in [r#"["SRAM","ext ram"]"#, r#"["SRAM", "ext ram"]"#, r#""SRAM, ext ram""#, r#""[ext ram,SRAM]""#] {
        assert_eq!(lies(stated, "ext ram"), "fits", "{stated}");
        assert_eq!(lies(stated, "ram"), "impossible", "{stated}");
        assert_eq!(lies(stated, "ext"), "impossible", "{stated}");
    }
    assert_eq!(lies(r#"["caf\u00e9 \"1\""]"#, "café \"1\""), "fits");
    assert_eq!(lies(r#"[]"#, "DRAM"), "impossible");
}
