//! ONNX models as exporters write them, against what onnx and ONNX Runtime themselves say of them
//! (`tests/import/onnx/`).

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use memplan_core::graph::{Dim, Graph, Kind, Tensor, TensorId};
use memplan_core::plan::check;
use memplan_core::problem::{Scope, lifetimes, lower_bound};
use memplan_core::trace::Silent;
use memplan_fit::transform::{Layout, RowRule, rule_of};
use memplan_formats::import::{self, Answers, Constants, Document, Imported, Question};
use memplan_planners::{Input, find};
use serde_json::Value;

fn folder() -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("tests/import/onnx")
}

fn file(name: &str) -> Vec<u8> {
    std::fs::read(folder().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn unpacked(name: &str) -> String {
    let mut text = String::new();
    flate2::read::GzDecoder::new(&file(name)[..]).read_to_string(&mut text).expect("gzip");
    text
}

fn read(name: &str) -> Imported {
    import::read(&file(name), Answers::default()).unwrap_or_else(|faults| panic!("{name}: {faults:?}"))
}

fn graph(imported: Imported) -> Graph {
    let Document::Graph(graph) = imported.document else { panic!("a graph") };
    graph
}

fn bytes(graph: &Graph, id: TensorId, symbols: &BTreeMap<String, u64>) -> u64 {
    graph.bytes_of(id, symbols).unwrap_or_else(|error| panic!("{}: {error}", graph.tensors[id].name))
}

/// Extents as JSON, symbols by name, `null` for an unknown one.
fn shape(tensor: &Tensor) -> Vec<Value> {
    let extent = |dim: &Dim| match dim {
        Dim::Fixed(extent) => (*extent).into(),
        Dim::Expr(expr) => expr.source().into(),
        Dim::Unknown => Value::Null,
    };
    tensor.shape.iter().map(extent).collect()
}

/// The tensors of one kind whose names are in `listed`, against name, type, shape and bytes there.
fn compare(graph: &Graph, listed: &Value, symbols: &BTreeMap<String, u64>) -> u64 {
    let by_name: BTreeMap<&str, TensorId> = graph.tensors.enumerate().map(|(id, tensor)| (&*tensor.name, id)).collect();
    let mut sum = 0;
    for want in listed.as_array().expect("a list") {
        let name = want["name"].as_str().expect("a name");
        let id = *by_name.get(name).unwrap_or_else(|| panic!("{name} is missing"));
        let tensor = &graph.tensors[id];
        assert_eq!(tensor.dtype.name(), want["dtype"], "{name}");
        assert_eq!(Value::from(shape(tensor)), want["shape"], "{name}");
        if let Some(want) = want["bytes"].as_u64() {
            assert_eq!(bytes(graph, id, symbols), want, "{name}");
            sum += want;
        }
    }
    sum
}

#[test]
fn nodes_tensors_and_bytes_equal_what_onnx_and_its_runtime_say() {
    for name in ["resnet18", "mobilenet_v2_dynamic_batch", "squeezenet1_1_value_info", "squeezenet1_1_no_value_info"] {
        let want: Value = serde_json::from_str(&unpacked(&format!("{name}.expected.json.gz"))).expect("JSON");
        // Some nodes copy weights alone.
        let kept = Answers { constants: Constants::Keep, ..Answers::default() };
        let read = import::read(&file(&format!("{name}.onnx")), kept);
        let graph = graph(read.unwrap_or_else(|faults| panic!("{name}: {faults:?}")));
        let symbols: BTreeMap<String, u64> = serde_json::from_value(want["symbols"].clone()).expect("numbers");
        assert_eq!(graph.symbols.keys().collect::<Vec<_>>(), symbols.keys().collect::<Vec<_>>(), "{name}");

        let mut ops: BTreeMap<&str, u64> = BTreeMap::new();
        graph.nodes.iter().for_each(|node| *ops.entry(&node.op).or_default() += 1);
        let mut want_ops: BTreeMap<&str, u64> = BTreeMap::new();
        for (op, count) in want["op_counts"].as_object().expect("an object") {
            want_ops.insert(op, count.as_u64().expect("a number"));
        }
        let constants = want_ops.remove("Constant").unwrap_or_default();
        assert_eq!(ops, want_ops, "{name}");
        assert_eq!(graph.nodes.len() as u64 + constants, want["node_count"], "{name}");

        let count = |kinds: &[Kind]| graph.tensors.iter().filter(|tensor| kinds.contains(&tensor.kind)).count() as u64;
        let size = |kinds: &[Kind]| -> u64 {
            let chosen = graph.tensors.enumerate().filter(|(_, tensor)| kinds.contains(&tensor.kind));
            chosen.map(|(id, _)| bytes(&graph, id, &symbols)).sum()
        };
        let made = [Kind::Intermediate, Kind::Output];
        let listed = want["tensors"].as_array().expect("a list");
        assert_eq!(count(&[Kind::Input]), want["graph_input_count"], "{name}");
        assert_eq!(count(&[Kind::Weight]), want["initializer_count"].as_u64().expect("a number") + constants, "{name}");
        assert_eq!(count(&made) + constants, listed.len() as u64, "{name}");
        let constant_bytes = want["constant_node_bytes"].as_u64().unwrap_or_default();
        assert_eq!(size(&[Kind::Weight]) - constant_bytes, want["initializer_bytes"], "{name}");
        assert_eq!(size(&made), want["activation_bytes"], "{name}");

        compare(&graph, &want["inputs"], &symbols);
        compare(&graph, &want["outputs"], &symbols);
        assert_eq!(compare(&graph, &want["initializers"], &symbols), want["initializer_bytes"], "{name}");
        assert_eq!(compare(&graph, &want["tensors"], &symbols), size(&made) + constant_bytes, "{name}");
    }
}

/// The name that ONNX has for a type, as `TensorProto.DataType` spells it.
fn onnx_name(dtype: &str) -> String {
    match dtype {
        "float32" => "FLOAT".to_string(),
        "float64" => "DOUBLE".to_string(),
        other => other.to_uppercase().replace('_', ""),
    }
}

/// What is wrong with one extent: where onnx knows it, ours must be the same; a name of onnx's is
/// compared as an expression.
fn differs(ours: &Value, theirs: &Value) -> bool {
    match theirs {
        Value::Null => false,
        theirs => ours != theirs,
    }
}

#[test]
fn shapes_equal_those_of_the_inference_of_onnx_for_every_operator() {
    let (mut cases, mut extents, mut more, mut sized) = (0, 0, 0, 0);
    let mut ops: BTreeMap<String, u64> = BTreeMap::new();
    let mut wrong = Vec::new();
    for line in unpacked("shapes.jsonl.gz").lines() {
        let case: Value = serde_json::from_str(line).expect("JSON");
        let label =
            format!("{} (case {}, opset {})", case["op"].as_str().expect("a name"), case["case"], case["opset"]);
        let model = base64::Engine::decode(&base64::prelude::BASE64_STANDARD, case["model"].as_str().expect("text"));
        let graph = match import::read(&model.expect("base64"), Answers::default()) {
            Ok(imported) => graph(imported),
            Err(faults) => {
                wrong.push(format!("{label}: {faults:?}"));
                continue;
            }
        };
        let by_name: BTreeMap<&str, &Tensor> = graph.tensors.iter().map(|tensor| (&*tensor.name, tensor)).collect();
        for (name, want) in case["want"].as_object().expect("an object") {
            let tensor = by_name.get(name.as_str()).unwrap_or_else(|| panic!("{label}: {name} is missing"));
            let ours = shape(tensor);
            if want[0] != onnx_name(tensor.dtype.name()).as_str() {
                wrong.push(format!("{label}: {name} is {}, onnx says {}", tensor.dtype.name(), want[0]));
            }
            let Some(theirs) = want[1].as_array() else { continue };
            let same =
                theirs.len() == ours.len() && !ours.iter().zip(theirs).any(|(ours, theirs)| differs(ours, theirs));
            if !same {
                wrong.push(format!("{label}: {name} is {}, onnx says {}", Value::from(ours), want[1]));
                continue;
            }
            extents += theirs.iter().filter(|extent| !extent.is_null()).count();
            more += ours.iter().zip(theirs).filter(|(ours, theirs)| theirs.is_null() && !ours.is_null()).count();
        }
        if let Some(wants) = case["sized"].as_object() {
            let values: BTreeMap<String, u64> = serde_json::from_value(case["values"].clone()).expect("numbers");
            for (name, want) in wants {
                let Some(theirs) = want[1].as_array() else { continue };
                for (dim, theirs) in by_name[name.as_str()].shape.iter().zip(theirs) {
                    let (Dim::Expr(expr), Some(theirs)) = (dim, theirs.as_u64()) else { continue };
                    let ours = expr.size(&values);
                    if ours != Ok(theirs) {
                        wrong.push(format!(
                            "{label}: {name}: {} is {ours:?} for {values:?}, onnx says {theirs}",
                            expr.source()
                        ));
                    }
                    sized += 1;
                }
            }
        }
        cases += 1;
        let op = case["op"].as_str().and_then(|op| op.split(" after ").next()).unwrap_or_default();
        *ops.entry(op.to_string()).or_default() += 1;
    }
    println!("{cases} cases of {} operators, {extents} extents equal, {more} known here and not to onnx", ops.len());
    println!("{sized} extents with symbols come to the numbers of onnx");
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(cases > 1500 && ops.len() > 150, "{cases} cases of {} operators", ops.len());
    assert!(sized > 500, "only {sized} extents with symbols");
}

/// Keys of the faults of a file, each with what it says in English.
fn faults(name: &str) -> Vec<(String, String)> {
    let Err(faults) = import::read(&file(&format!("odd/{name}.onnx")), Answers::default()) else {
        panic!("{name} is read")
    };
    let say = |fault: &memplan_core::graph::Fault| {
        (fault.message.key.to_string(), memplan_core::text::Speech::default().say(&fault.message))
    };
    faults.iter().map(say).collect()
}

fn odd(name: &str) -> Imported {
    read(&format!("odd/{name}.onnx"))
}

fn keys(imported: &Imported) -> Vec<String> {
    imported.warnings.iter().map(|warning| warning.message.key.to_string()).collect()
}

fn named<'a>(graph: &'a Graph, name: &str) -> &'a Tensor {
    graph.tensors.iter().find(|tensor| tensor.name == name).unwrap_or_else(|| panic!("{name} is missing"))
}

#[test]
fn faults_name_the_nodes_concerned() {
    for (name, key, part) in [
        ("undefined", "fault.onnx-undefined", "Node second reads h"),
        ("twice", "fault.onnx-twice", "Two tensors have the name h."),
    ] {
        let found = faults(name);
        assert_eq!(found.len(), 1, "{name}: {found:?}");
        assert!(found[0].0 == key && found[0].1.contains(part), "{name}: {found:?}");
    }
}

#[test]
fn nodes_in_any_order_are_sorted_and_the_report_says_so() {
    let order = odd("order");
    assert!(keys(&order).contains(&"warning.onnx-unsorted".to_string()), "{:?}", keys(&order));
    let names = |graph: &Graph| graph.nodes.iter().map(|node| node.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&graph(order)), ["between", "first", "second"]);
    assert!(!keys(&odd("function")).contains(&"warning.onnx-unsorted".to_string()));
}

#[test]
fn a_node_with_graphs_is_one_step() {
    let body = odd("body");
    assert_eq!(body.questions, []);
    let graph = graph(body);
    let [choice] = &graph.nodes.iter().collect::<Vec<_>>()[..] else { panic!("one node") };
    // The branches read `x` from outside, and the node makes what their only nodes make.
    let inputs: Vec<&str> = choice.inputs.iter().map(|&input| &*graph.tensors[input].name).collect();
    assert_eq!((&*choice.op, inputs, choice.outputs.len()), ("If", vec!["c", "x"], 1));
}

#[test]
fn the_report_says_that_a_loop_collects_more() {
    let count = |name: &str| keys(&odd(name)).iter().filter(|key| *key == "warning.onnx-loop").count();
    assert_eq!((count("loop"), count("body")), (1, 0));
}

#[test]
fn a_shape_for_no_tensor_is_refused_with_the_name_that_was_meant() {
    let stated = |name: &str, shape: &str| {
        let mut answers = Answers::default();
        answers.shapes.insert(name.into(), shape.into());
        import::read(&file("odd/image.onnx"), answers)
    };
    let refusal = |name: &str, shape: &str| {
        let Err(faults) = stated(name, shape) else { panic!("{name}={shape} is taken") };
        memplan_core::text::Speech::default().say(&faults[0].message)
    };
    let words = refusal("hh", "1, 2");
    assert!(words.contains("no tensor has this name. Did you mean h?"), "{words}");
    let words = refusal("logits", "1, 2");
    assert!(words.ends_with("no tensor has this name."), "{words}");
    let words = refusal("x", "1, 4, 64, 64");
    assert!(words.contains("whose shape is batch, 3, height, width in the file"), "{words}");
    // A shape of an input gives its symbols their values.
    let Ok(taken) = stated("x", "2, 3, 64, 32") else { panic!("the shape fits") };
    let taken = graph(taken);
    let hints: Vec<u64> = taken.symbols.values().map(|symbol| symbol.hint).collect();
    assert_eq!((hints, shape(named(&taken, "x"))[0].clone()), (vec![2, 64, 32], "batch".into()));
}

/// The most bytes at once in each of many small models equals a count over sizes of a run by ONNX
/// Runtime, and no plan is smaller.
#[test]
fn bounds_equal_those_counted_over_runs_of_onnx_runtime() {
    let (mut cases, mut measured, mut wrong) = (0, 0, Vec::new());
    for line in unpacked("bounds.jsonl.gz").lines() {
        let case: Value = serde_json::from_str(line).expect("JSON");
        let label = format!("{}: {}", case["kind"], case["name"]);
        let model = base64::Engine::decode(&base64::prelude::BASE64_STANDARD, case["model"].as_str().expect("text"));
        let constants = if case["constants"] == "keep" { Constants::Keep } else { Constants::Fold };
        let imported = match import::read(&model.expect("base64"), Answers { constants, ..Answers::default() }) {
            Ok(imported) => imported,
            Err(faults) => {
                wrong.push(format!("{label}: {faults:?}"));
                continue;
            }
        };
        cases += 1;
        let (warnings, facts) = (keys(&imported), imported.facts.clone());
        let graph = graph(imported);
        let symbols = serde_json::from_value(case["symbols"].clone()).expect("numbers");
        let problem = match lifetimes(&graph, &Scope { symbols, ..Scope::default() }) {
            Ok(problem) => problem,
            Err(error) => {
                wrong.push(format!("{label}: {error:?}"));
                continue;
            }
        };
        let (bound, nodes) = (lower_bound(&problem), graph.nodes.len() as u64);
        if case["bound"] != bound || case["nodes"] != nodes {
            wrong
                .push(format!("{label}: bound {bound}, {nodes} nodes, wanted {} and {}", case["bound"], case["nodes"]));
        }
        // What a run adds to the memory of the process, rounded to MiB.
        if let Some(taken) = case["taken"].as_u64() {
            let taken = taken << 20;
            assert!(bound < taken + (1 << 20), "{label}: bound {bound}, the runtime takes {taken}");
            assert!(case["tight"] == false || bound + (1 << 20) > taken, "{label}: bound {bound}, taken {taken}");
            measured += 1;
        }
        for weight in case["weights"].as_array().expect("a list") {
            assert_eq!(named(&graph, weight.as_str().expect("a name")).kind, Kind::Weight, "{label}");
        }
        let has_fact = |key: &str| facts.iter().any(|fact| fact.key == key);
        assert!(case["weights"].as_array().is_none_or(Vec::is_empty) || has_fact("fact.onnx-folded"), "{label}");
        let is_told = match case["kind"].as_str() {
            Some("unsorted") => warnings.contains(&"warning.onnx-unsorted".to_string()),
            Some("symbols") => has_fact("fact.onnx-symbols"),
            _ => true,
        };
        assert!(is_told, "{label}: {warnings:?} {facts:?}");
        let planner = find("first-fit").expect("a planner");
        let input = Input { problem: &problem, graph: Some(&graph) };
        let plan = planner.plan(input, &planner.info().defaults(), &mut Silent).expect("planned");
        assert_eq!(check(&problem, &plan), [], "{label}");
        let peak = plan.peak(&problem);
        assert!(peak >= bound, "{label}: peak {peak} below the bound {bound}");
    }
    println!("{cases} cases");
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(cases >= 101 && measured >= 6, "{cases} cases, {measured} of them measured");
}

#[test]
fn a_call_of_a_function_is_its_nodes() {
    let read = odd("function");
    assert!(read.facts.iter().any(|fact| fact.key == "fact.onnx-functions"), "{:?}", read.facts);
    let graph = graph(read);
    let made: Vec<(&str, &str)> =
        graph.nodes.iter().map(|node| (&*node.op, &*graph.tensors[node.outputs[0]].name)).collect();
    assert_eq!(made, [("Add", "y")]);
}

#[test]
fn what_has_no_size_is_asked_for_and_an_answer_goes_on() {
    // A sequence of two rows takes their bytes.
    let sequence = odd("sequence");
    assert_eq!(sequence.questions, []);
    assert_eq!(shape(named(&graph(sequence), "s")), [6]);
    let string = odd("string");
    let [Question::Shapes(open)] = &string.questions[..] else { panic!("{:?}", string.questions) };
    assert_eq!(open[0].tensor, "label");

    let custom = odd("custom");
    let command = |imported: &Imported| {
        let fact = imported.facts.iter().find(|fact| fact.key == "fact.onnx-infer-command");
        memplan_core::text::Speech::default().say(fact.expect("shapes are open"))
    };
    assert!(command(&custom).contains("onnx.load('model.onnx')"), "a file without a name");
    assert!(command(&custom).contains("not those of custom operators"), "{}", command(&custom));
    let named_so = Answers { file: "my net.onnx".into(), ..Answers::default() };
    let named_so = import::read(&file("odd/custom.onnx"), named_so).expect("a model");
    assert!(command(&named_so).ends_with("onnx.load('my net.onnx')), 'my net.onnx')\""), "{}", command(&named_so));
    assert!(keys(&custom).contains(&"warning.onnx-no-rule".to_string()), "{:?}", keys(&custom));
    let [Question::Shapes(open)] = &custom.questions[..] else { panic!("{:?}", custom.questions) };
    assert_eq!(open.iter().map(|open| &*open.tensor).collect::<Vec<_>>(), ["h", "g", "y"]);
    // The answer for the first resolves the others.
    let mut choices = Answers::default();
    choices.shapes.insert("h".into(), "float16 5, 7".into());
    let answered = import::read(&file("odd/custom.onnx"), choices.clone()).expect("a model");
    assert!(answered.questions.is_empty(), "{:?}", answered.questions);
    let answered = graph(answered);
    assert_eq!(shape(named(&answered, "y")), [5, 7]);
    assert_eq!(named(&answered, "y").dtype.name(), "float16");
    choices.shapes.insert("h".into(), "1,,2".into());
    assert!(import::read(&file("odd/custom.onnx"), choices).is_err());
}

#[test]
fn the_file_wins_against_the_operator_and_the_report_says_so() {
    let conflict = odd("conflict");
    let warning = conflict.warnings.iter().find(|warning| warning.message.key == "warning.onnx-conflict");
    let words = memplan_core::text::Speech::default().say(&warning.expect("a warning").message);
    assert!(words.contains("h: 2, 4 in the file, 2, 3 by the operator"), "{words}");
    assert_eq!(shape(named(&graph(conflict), "h")), [2, 4]);
}

#[test]
fn weights_listed_among_the_inputs_of_old_files_are_weights() {
    let old = graph(odd("old"));
    assert_eq!(named(&old, "w").kind, Kind::Weight);
    assert_eq!(named(&old, "x").kind, Kind::Input);
}

#[test]
fn names_become_symbols_and_made_up_ones_give_way() {
    let names = odd("names");
    let facts: Vec<&str> = names.facts.iter().map(|fact| &*fact.key).collect();
    assert!(facts.contains(&"fact.onnx-renamed") && facts.contains(&"fact.onnx-symbols"), "{facts:?}");
    let names = graph(names);
    assert_eq!(shape(named(&names, "x")), ["batch_size", "x_1"]);
    // The file says made_up and nothing: the operator knows both.
    assert_eq!(shape(named(&names, "y")), [Value::from("batch_size + n"), Value::from(4)]);
    assert_eq!(shape(named(&names, "v")), [Value::from("2*n"), Value::from(4)]);
    assert_eq!(names.symbols.keys().collect::<Vec<_>>(), ["batch_size", "n", "x_1"]);
    assert!(names.symbols.values().all(|symbol| symbol.hint == 1));
}

#[test]
fn a_symbol_is_large_enough_for_every_extent() {
    let image = odd("image");
    assert!(image.facts.iter().any(|fact| fact.key == "fact.onnx-hints"));
    let image = graph(image);
    let hints: Vec<(&str, u64)> = image.symbols.iter().map(|(name, symbol)| (&**name, symbol.hint)).collect();
    assert_eq!(hints, [("batch", 1), ("height", 8), ("width", 8)]);
}

/// A cut-off model is never read as a smaller one: what stands behind the nodes is missing.
#[test]
fn every_truncation_is_an_error_and_names_the_field_it_is_in() {
    let bytes = file("squeezenet1_1_no_value_info.onnx");
    let mut named = 0;
    for cut in 0..bytes.len() - 1 {
        let Err(faults) = import::read(&bytes[..cut], Answers::default()) else { panic!("cut at {cut} is read") };
        named += u64::from(faults[0].message.key == "fault.onnx-cut");
    }
    assert!(named as usize > bytes.len() * 9 / 10, "{named} of {}", bytes.len());
    let Err(faults) = import::read(&bytes[..5000], Answers::default()) else { panic!("cut is read") };
    let words = memplan_core::text::Speech::default().say(&faults[0].message);
    assert!(words.contains("and field graph.node[42] alone needs 189"), "{words}");
}

/// Protobuf length and key of a field, before its bytes.
fn field(tag: u8, bytes: &[u8]) -> Vec<u8> {
    let (mut field, mut length) = (vec![tag << 3 | 2], bytes.len());
    while length > 127 {
        field.push(length as u8 | 128);
        length >>= 7;
    }
    field.push(length as u8);
    [field, bytes.to_vec()].concat()
}

#[test]
fn hostile_models_are_answered_within_a_second() {
    let model = |graph: &[u8]| [&[8u8, 8][..], &field(7, graph), &field(8, &[16, 17])].concat();
    let node = |input: &str, output: &str, op: &str| {
        field(1, &[field(1, input.as_bytes()), field(2, output.as_bytes()), field(4, op.as_bytes())].concat())
    };
    let input = |dims: &[&str]| {
        let dims: Vec<u8> = dims.iter().flat_map(|dim| field(1, &field(2, dim.as_bytes()))).collect();
        field(11, &[field(1, b"x"), field(2, &field(1, &[&[8, 1][..], &field(2, &dims)].concat()))].concat())
    };
    let empty_nodes = model(&field(1, &[]).repeat(500_001));
    let empty_attributes = model(&field(1, &field(5, &[]).repeat(500_001)));
    let equal_names = model(&(0..20_000).flat_map(|_| node("x", "x", "Relu")).collect::<Vec<_>>());
    let huge_claim = [&[8u8, 8, 0x3a][..], &[0xff, 0xff, 0xff, 0xff, 7], &[0x2a, 0xff, 0xff, 0xff, 0xff, 7]].concat();
    let letters: Vec<String> = (0..40).map(|number| format!("symbol_of_some_length_{number}")).collect();
    let names: Vec<&str> = letters.iter().map(String::as_str).collect();
    let long_names = model(
        &[
            input(&names),
            (0..6_000)
                .flat_map(|n| node(&if n == 0 { "x".into() } else { format!("t{n}") }, &format!("t{}", n + 1), "Relu"))
                .collect(),
        ]
        .concat(),
    );
    let deep = (0..5_000).fold(Vec::new(), |inner, _| field(6, &field(1, &field(5, &inner))));
    let nested = model(&field(1, &field(5, &deep)));
    for (label, bytes) in [
        ("empty nodes", empty_nodes),
        ("empty attributes", empty_attributes),
        ("equal names", equal_names),
        ("huge claim", huge_claim),
        ("long names", long_names),
        ("nested", nested),
    ] {
        let keys = match import::read(&bytes, Answers::default()) {
            Ok(imported) => keys(&imported),
            Err(faults) => faults.iter().take(3).map(|fault| fault.message.key.to_string()).collect(),
        };
        println!("{label}: {} bytes, {keys:?}", bytes.len());
    }
}

#[test]
fn strides_paddings_and_dilations_of_windows_are_read() {
    let rule = |graph: &Graph, op: &str| {
        let first = graph.nodes.iter().find(|node| node.op == op).expect("a node");
        rule_of(graph, first, Layout::of(graph))
    };
    let window = |stride, pad, kernel, dilation| RowRule::Window { stride, pad, kernel, dilation };
    let whole = graph(read("resnet18.onnx"));
    assert_eq!(rule(&whole, "Conv"), window(2, 3, 7, 1));
    assert_eq!(rule(&whole, "MaxPool"), window(2, 1, 3, 1));
    // The first convolution, dilated: two varints after the name of the attribute.
    let mut bytes = file("resnet18.onnx");
    let at = bytes.windows(9).position(|part| part == b"dilations").expect("an attribute") + 9;
    assert_eq!(bytes[at..at + 4], [0x40, 1, 0x40, 1]);
    bytes[at..at + 4].copy_from_slice(&[0x40, 2, 0x40, 2]);
    let dilated = import::read(&bytes, Answers::default()).unwrap_or_else(|faults| panic!("{faults:?}"));
    assert_eq!(rule(&graph(dilated), "Conv"), window(2, 3, 7, 2));
}

/// What ONNX Runtime computes has the shapes and types that are inferred here.
#[test]
fn shapes_equal_those_of_what_onnx_runtime_computes() {
    let (mut cases, mut runs) = (0, 0);
    let mut wrong = Vec::new();
    for line in unpacked("runtime.jsonl.gz").lines() {
        let case: Value = serde_json::from_str(line).expect("JSON");
        let label = format!("{} (case {cases})", case["op"].as_str().expect("a name"));
        let model = base64::Engine::decode(&base64::prelude::BASE64_STANDARD, case["model"].as_str().expect("text"));
        let values: BTreeMap<String, u64> = serde_json::from_value(case["values"].clone()).expect("numbers");
        cases += 1;
        runs += u64::from(case.get("from").is_none());
        // Otherwise a node over weights alone would be none.
        let answers = Answers { constants: Constants::Keep, ..Answers::default() };
        let graph = match import::read(&model.expect("base64"), answers) {
            Ok(imported) => graph(imported),
            Err(faults) => {
                wrong.push(format!("{label}: {faults:?}"));
                continue;
            }
        };
        for (name, want) in case["want"].as_object().expect("an object") {
            let tensor = named(&graph, name);
            let ours: Vec<Value> = tensor
                .shape
                .iter()
                .map(|dim| match dim {
                    Dim::Fixed(extent) => (*extent).into(),
                    Dim::Expr(expr) => expr.size(&values).map_or(Value::Null, Value::from),
                    Dim::Unknown => Value::Null,
                })
                .collect();
            if want[0] != onnx_name(tensor.dtype.name()).as_str() || want[1] != Value::from(ours.clone()) {
                wrong.push(format!(
                    "{label}: {name} is {} {}, wanted {want}",
                    tensor.dtype.name(),
                    Value::from(shape(tensor))
                ));
            }
        }
    }
    println!("{cases} cases, {runs} of them run");
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(cases > 180 && runs > 180, "{cases} cases, {runs} run");
}

/// PyTorch's exporter states the extents of the indices of `nonzero` only once they are transposed.
#[test]
fn indices_have_the_extents_that_their_transpose_states() {
    let imported = read("odd/nonzero.onnx");
    assert!(imported.questions.is_empty(), "{:?}", imported.questions);
    let problem = lifetimes(&graph(imported), &Scope::default()).expect("every tensor has a size");
    let size = |name: &str| problem.buffers.iter().find(|buffer| buffer.name == name).map(|buffer| buffer.size);
    assert_eq!(size("val_1"), Some(2 * 8), "two indices of one element: u0 is 1");
}
