//! Which changes the rules permit: scratch, outputs in place, operators that may run again, views,
//! windows, and multiplications.

use std::collections::BTreeMap;

use memplan::base::Id;
use memplan::fit::{Request, Runtime};
use memplan::graph::{Graph, TensorId};
use memplan::problem::Scope;
use memplan::transform::{Layout, Net, RowRule, in_place, macs, scratch, views};

use super::brute::least_of_orders;
use super::execute::execute;
use super::random::{Numbers, random_graph};
use super::{Locale, Speech, WORKED, graph_of, request, solve, told_text, with, worked};

fn with_scratch(bytes: u64, allow: &str, by_operator: &[(&str, u64)]) -> Request {
    let mut request = request(bytes, allow);
    request.budget.by_operator = by_operator.iter().map(|&(op, bytes)| (op.to_string(), bytes)).collect();
    request
}

fn of_nodes(nodes: &[(&str, &str)]) -> Graph {
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
    let words = told_text(&record, Runtime::Compiled, Speech { locale: Locale::En, ..Speech::default() });
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
fn channels_are_last_where_a_name_is_of_tflite_alone() {
    let layout = |ops: &[&str]| Layout::of(&of_nodes(&ops.iter().map(|op| (*op, "")).collect::<Vec<_>>()));
    assert_eq!(layout(&["Conv", "LRN", "LSTM"]), Layout::ChannelsFirst);
    assert_eq!(layout(&["GRU", "RNN", "Relu"]), Layout::ChannelsFirst);
    assert_eq!(layout(&["conv2d", "relu"]), Layout::ChannelsFirst);
    assert_eq!(layout(&["CONV_2D", "LSTM"]), Layout::ChannelsLast);
}

#[test]
fn a_window_that_does_not_explain_the_shapes_is_refused() {
    let rule = |h: u64, ho: u64, attrs: &str| {
        let graph = graph_of(&format!(
            r#"{{"format":"memory-graph/1","name":"window","tensors":[
            {{"name":"x","dtype":"int8","shape":[1,1,{h},8],"kind":"input"}},
            {{"name":"y","dtype":"int8","shape":[1,1,{ho},8],"kind":"output"}}],
            "nodes":[{{"name":"n","op":"max_pool2d","inputs":["x"],"outputs":["y"],"attrs":{{{attrs}}}}}]}}"#
        ));
        Net::of(&graph, &Scope::default(), &|_| true).expect("sizes").ops[0].rule
    };
    let pinned = RowRule::Pinned("fit.pinned-stride");
    let window = |stride, pad, kernel| RowRule::Window { stride, pad, kernel, dilation: 1 };
    let of = |kernel: u64, stride: u64, pad: u64| {
        format!(r#""kernel":[{kernel},1],"stride":[{stride},1],"padding":[{pad},0]"#)
    };
    assert_eq!(rule(8, 4, &of(2, 2, 0)), window(2, 0, 2));
    assert_eq!(rule(8, 5, &of(2, 2, 0)), pinned);
    assert_eq!(rule(9, 5, &of(2, 2, 0)), pinned);
    assert_eq!(rule(9, 5, &(of(2, 2, 0) + r#","ceil_mode":"true""#)), window(2, 0, 2));
    assert_eq!(rule(8, 4, &of(3, 2, 1)), window(2, 1, 3));
    assert_eq!(rule(8, 8, r#""kernel":[3,3],"stride":[2,2],"padding":"SAME""#), pinned);
    assert_eq!(rule(8, 6, r#""kernel":[3,3],"stride":[1,1],"padding":"VALID""#), window(1, 0, 3));
    // Before and after the rows, as ONNX states it.
    assert_eq!(rule(8, 4, r#""kernel_shape":[3,1],"strides":[2,1],"pads":[0,0,1,0]"#), window(2, 0, 3));
    // Figures beyond any image.
    assert_eq!(rule(8, 8, &of(3, u64::MAX, 1)), pinned);
    assert_eq!(
        rule(8, 8, r#""kernel":[3,3],"stride":[1,1],"padding":[1,1],"dilation":[9223372036854775807,1]"#),
        pinned
    );
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
    let text = include_str!("../data/fit/tiny.json").replace("[1,4,1,1]", "[1,4,3,1]");
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
    let words = told_text(&record, Runtime::Compiled, Speech { locale: Locale::En, ..Speech::default() });
    assert!(words.contains("cheapest of all stripes over up to 28 operators; with the other levers"), "{words}");
}

#[test]
fn what_was_found_is_over_the_budget_and_a_memory_that_is_too_small_is_named() {
    let graph = graph_of(include_str!("../data/fit/tiny.json"));
    let mut request = request(1, "all");
    request.budget.memories[1].size = 2;
    let record = solve(&graph, &request).record;
    assert_eq!((record.result.as_str(), record.search.small.as_slice()), ("unknown", &["DRAM".to_string()][..]));
    assert!(record.required.after > 1, "{record:?}");
    let words = told_text(&record, Runtime::Compiled, Speech { locale: Locale::En, ..Speech::default() });
    assert!(words.contains("Too small for what was moved there: DRAM. State a larger memory."), "{words}");
    assert!(!words.contains("0\u{202f}B over") && !words.contains("0 B over"), "{words}");
}

#[test]
fn names_are_short_in_words_and_whole_in_figures() {
    let long = format!("net/block/{}", "deep/".repeat(40));
    let fused = format!("{long}relu;{long}add;{long}conv");
    let text = WORKED.replace(r#""a""#, &format!(r#""{fused}""#));
    let record = solve(&graph_of(&text), &request(79, super::FREE)).record;
    let words = told_text(&record, Runtime::Compiled, Speech { locale: Locale::En, ..Speech::default() });
    assert!(words.lines().all(|line| line.chars().count() < 200), "{words}");
    let proof = record.certificate.expect("a proof");
    assert!(proof.storages.iter().any(|storage| storage.name == fused));
    // The proof is one line.
    let line = words.lines().find(|line| line.contains("c needs 80")).expect("a line");
    assert!(line.contains("reads net/block/deep/") && line.contains("makes c 32") && line.contains("p 16"), "{line}");
}

#[test]
fn scratch_of_operators_is_stated_once() {
    let lines = |text| memplan::fit::read_scratch(text);
    assert_eq!(lines("op,bytes\na,4\nb,0\n"), Ok(BTreeMap::from([("a".to_string(), 4), ("b".to_string(), 0)])));
    let fault = lines("op,bytes\na,4\nb,8\na,5\n").expect_err("twice");
    assert_eq!((fault.line, fault.text, fault.is_twice), (4, "a,5", true));
    let fault = lines("a 4\n").expect_err("no pair");
    assert_eq!((fault.line, fault.is_twice), (1, false));
}

/// The rule for rows of the first operator that reads an image and makes one, both of one channel
/// and one column.
fn rule_of_rows(op: &str, (h, ho): (u64, u64), weight: &str, attrs: &str) -> RowRule {
    let shape = |rows: u64| if op == op.to_uppercase() { [1, rows, 1, 1] } else { [1, 1, rows, 1] };
    let (inputs, tensor) = match weight {
        "" => (r#"["x"]"#, String::new()),
        _ => (r#"["x","w"]"#, format!(r#"{{"name":"w","dtype":"int8","shape":{weight},"kind":"weight"}},"#)),
    };
    let graph = graph_of(&format!(
        r#"{{"format":"memory-graph/1","name":"rows","tensors":[{tensor}
        {{"name":"x","dtype":"int8","shape":{:?},"kind":"input"}},
        {{"name":"y","dtype":"int8","shape":{:?},"kind":"output"}}],
        "nodes":[{{"name":"n","op":"{op}","inputs":{inputs},"outputs":["y"],"attrs":{{{attrs}}}}}]}}"#,
        shape(h),
        shape(ho)
    ));
    Net::of(&graph, &Scope::default(), &|_| true).expect("sizes").ops[0].rule
}

#[test]
fn an_output_row_of_one_input_row_is_believed_only_if_nothing_says_otherwise() {
    let pinned = RowRule::Pinned("fit.pinned-stride");
    for op in ["ConvTranspose", "conv_transpose2d", "TRANSPOSE_CONV"] {
        let weight = if op == "TRANSPOSE_CONV" { "[1,3,1,1]" } else { "[1,1,3,1]" };
        let rule = |attrs: &str| rule_of_rows(op, (4, 12), weight, attrs);
        assert_eq!(rule(""), RowRule::Scale, "{op}");
        assert_eq!(rule(r#""strides":[3,3],"pads":[0,0,0,0],"dilations":[1,1]"#), RowRule::Scale);
        assert_eq!(rule(r#""stride":3,"padding":0,"output_padding":"[0, 0]","dilation":1"#), RowRule::Scale);
        assert_eq!(rule(r#""strides":[3,3],"padding":"VALID""#), RowRule::Scale);
        // Output row 2 is made of input rows 0 and 1.
        assert_eq!(rule(r#""strides":[3,3],"pads":[1,1,1,1],"output_padding":[2,2]"#), pinned, "{op}");
        assert_eq!(rule(r#""strides":[3,3],"output_padding":[2,2]"#), pinned);
        assert_eq!(rule(r#""strides":[2,2]"#), pinned);
        assert_eq!(rule(r#""strides":[3,3],"pads":[0,0,1,1]"#), pinned);
        assert_eq!(rule(r#""strides":[3,3],"pads":[-1,0,0,0]"#), pinned, "no number that is understood");
        assert_eq!(rule(r#""strides":[3,3],"dilations":[2,2]"#), pinned);
        assert_eq!(rule(r#""strides":[3,3],"padding":"same as before""#), pinned);
    }
}

#[test]
fn a_convolution_that_is_either_is_transposed_where_it_says_so() {
    let pinned = RowRule::Pinned("fit.pinned-stride");
    let window = |stride| RowRule::Window { stride, pad: 0, kernel: 3, dilation: 1 };
    for op in ["convolution", "aten::convolution.out"] {
        let rule = |rows, attrs: &str| rule_of_rows(op, rows, "[1,1,3,1]", attrs);
        let wide = r#""stride":[3,1],"padding":[0,0],"dilation":[1,1],"output_padding":[0,0],"transposed":"#;
        assert_eq!(rule((4, 12), &format!("{wide}true")), RowRule::Scale, "{op}");
        assert_eq!(rule((12, 4), &format!("{wide}false")), window(3));
        assert_eq!(rule((4, 12), &format!("{wide}false")), pinned);
        assert_eq!(rule((4, 12), r#""stride":[2,1],"padding":[0,0],"transposed":true"#), pinned);
    }
}

#[test]
fn windows_are_read_as_every_format_states_them() {
    let window = |stride, pad, dilation| RowRule::Window { stride, pad, kernel: 3, dilation };
    let rule = |op: &str, rows, attrs: &str| rule_of_rows(op, rows, "[1,1,3,1]", attrs);
    // NNVM.
    assert_eq!(rule("Convolution", (9, 5), r#""kernel":"(3, 1)","stride":"(2, 1)","pad":"(1, 0)""#), window(2, 1, 1));
    let dilated = r#""kernel":"(3, 1)","stride":"(1, 1)","pad":"(2, 0)","dilate":"(2, 1)","layout":"None""#;
    assert_eq!(rule("Convolution", (9, 9), dilated), window(1, 2, 2));
    let pooled = |rest: &str| rule("Pooling", (8, 4), &format!(r#""kernel":"(3, 1)","stride":"(2, 1)"{rest}"#));
    assert_eq!(pooled(r#","pooling_convention":"full""#), window(2, 0, 1));
    assert_eq!(pooled(""), RowRule::Pinned("fit.pinned-stride"));
    let pinned = RowRule::Pinned("fit.pinned-stride");
    assert_eq!(rule("convolution", (9, 7), r#""stride":"[1, 1]","padding":"[-1, 0]""#), pinned);
    // XLA has its window elsewhere.
    assert_eq!(rule("convolution", (9, 9), ""), pinned);
    assert_eq!(rule("Convolution", (9, 9), r#""kernel":"(3, 1)""#), window(1, 1, 1));
    // Rows and columns of the image in another order.
    let turned = r#""strides":"[1, 1]","padding":"[1, 0]","data_layout":"NHWC""#;
    assert_eq!(rule("conv2d", (9, 9), turned), RowRule::Pinned("fit.pinned-layout"));
    assert_eq!(rule("conv2d", (9, 9), &turned.replace("NHWC", "NCHW")), window(1, 1, 1));
    // What is stated and cannot be read is not taken for the default.
    for open in [r#""dilation":"(2L, 1L)""#, r#""padding":"?""#, r#""stride":"?""#] {
        assert_eq!(rule("conv2d", (9, 9), open), pinned, "{open}");
    }
    // Batches whose mean is taken over all rows.
    assert_eq!(rule("BatchNormalization", (9, 9), r#""training_mode":1"#), RowRule::Pinned("fit.pinned-op"));
    assert_eq!(rule("batch_norm", (9, 9), r#""training":true"#), RowRule::Pinned("fit.pinned-op"));
    assert_eq!(rule("batch_norm", (9, 9), r#""training":false"#), RowRule::Same);
}

#[test]
fn a_weight_that_the_graph_computes_is_read_whole() {
    let graph = |op: &str, kind: &str| {
        let graph = graph_of(&format!(
            r#"{{"format":"memory-graph/1","name":"made","tensors":[
            {{"name":"x","dtype":"int8","shape":[1,1,8,1],"kind":"input"}},
            {{"name":"v","dtype":"int8","shape":[1,1,3,1],"kind":"input"}},
            {{"name":"w","dtype":"int8","shape":[1,1,3,1],"kind":"{kind}"}},
            {{"name":"y","dtype":"int8","shape":[1,1,8,1],"kind":"output"}}],
            "nodes":[{}
            {{"name":"c","op":"{op}","inputs":["x","w"],"outputs":["y"],"attrs":{{"kernel":[3,1],"stride":[1,1],"padding":[1,0]}}}}]}}"#,
            if kind == "input" { "" } else { r#"{"name":"r","op":"relu","inputs":["v"],"outputs":["w"]},"# }
        ));
        Net::of(&graph, &Scope::default(), &|_| true).expect("sizes").ops.last().expect("an operator").rule
    };
    assert_eq!(graph("conv2d", "intermediate"), RowRule::Pinned("fit.pinned-weight"));
    let window = RowRule::Window { stride: 1, pad: 1, kernel: 3, dilation: 1 };
    assert_eq!(graph("conv2d", "input"), window);
}

#[test]
fn a_resize_to_the_corners_needs_other_rows() {
    let pinned = RowRule::Pinned("fit.pinned-stride");
    let rule = |op: &str, attrs: &str| rule_of_rows(op, (4, 12), "", attrs);
    for op in ["RESIZE_NEAREST_NEIGHBOR", "upsample_nearest2d"] {
        assert_eq!(rule(op, ""), RowRule::Scale);
        // Row 2 is that of round(2 * 3 / 11), which is 1.
        assert_eq!(rule(op, r#""align_corners":true"#), pinned);
        assert_eq!(rule(op, r#""align_corners":"false","half_pixel_centers":"false""#), RowRule::Scale);
        // PyTorch writes factors with a point; one that is no whole number takes other rows.
        for stated in [r#""scale_factors":[3.0,3.0]"#, r#""scales_h":"3.0""#, r#""scale_factor":null"#] {
            assert_eq!(rule(op, stated), RowRule::Scale, "{stated}");
        }
        assert_eq!(rule(op, r#""scale_factors":[3.1,3.1]"#), pinned);
        // The centre of a row lies between its edges.
        assert_eq!(rule(op, r#""half_pixel_centers":true"#), RowRule::Scale);
    }
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
fn a_window_of_any_size_is_explained_at_once() {
    let rule = |h: u64, kernel: u64, ho: u64| {
        let graph = graph_of(&format!(
            r#"{{"format":"memory-graph/1","name":"window","tensors":[
            {{"name":"x","dtype":"int8","shape":[1,1,{h},{h}],"kind":"input"}},
            {{"name":"w","dtype":"int8","shape":[1,1,{kernel},{kernel}],"kind":"weight"}},
            {{"name":"y","dtype":"int8","shape":[1,1,{ho},{ho}],"kind":"output"}}],
            "nodes":[{{"name":"n","op":"conv2d","inputs":["x","w"],"outputs":["y"]}}]}}"#
        ));
        Net::of(&graph, &Scope::default(), &|_| true).expect("sizes").ops[0].rule
    };
    let start = std::time::Instant::now();
    let pinned = RowRule::Pinned("fit.pinned-stride");
    assert_eq!(rule(65_536, 65_535, 2), pinned);
    assert_eq!(rule(65_536, 32_767, 3), pinned);
    assert_eq!(rule(65_536, 3, 65_536), RowRule::Window { stride: 1, pad: 1, kernel: 3, dilation: 1 });
    assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
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
