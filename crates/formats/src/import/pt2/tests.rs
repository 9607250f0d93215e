use std::collections::BTreeMap;

use super::super::loose::Loose;
use super::super::{Answers, Document, Format, Imported, Question, read};
use super::sympy::translate;
use crate::import::pt2::meta::Meta;
use memplan_core::base::Arg;
use memplan_core::graph::{Attr, Fault, Graph, Kind, TensorId};
use memplan_core::problem::{BufferClass, Classes, Scope, lifetimes, lower_bound};

const TWO_BRANCHES: &[u8] = include_bytes!("../../../../../tests/data/pt2/two_branches.pt2");
const EXPECTED: &str = include_str!("../../../../../tests/data/pt2/two_branches.expected.json");
const ATTENTION: &[u8] = include_bytes!("../../../../../tests/data/pt2/attention.pt2");
const BRANCH: &[u8] = include_bytes!("../../../../../tests/data/pt2/branch.pt2");
const TRAINING: &[u8] = include_bytes!("../../../../../tests/data/pt2/training.pt2");
/// A `cond` in a branch of a `cond`.
const NESTED: &[u8] = include_bytes!("../../../../../tests/data/pt2/nested.pt2");
/// A `while_loop` with two states.
const LOOP: &[u8] = include_bytes!("../../../../../tests/data/pt2/loop.pt2");
const TWO_MODELS: &[u8] = include_bytes!("../../../../../tests/data/pt2/two_models.pt2");

fn imported(bytes: &[u8]) -> Imported {
    read(bytes, Answers::default()).unwrap_or_else(|faults| panic!("{faults:?}"))
}

fn graph(read: Imported) -> Graph {
    match read.document {
        Document::Graph(graph) => graph,
        other => panic!("{other:?}"),
    }
}

fn first_fault(bytes: &[u8]) -> (String, String) {
    let Fault { path, message } = read(bytes, Answers::default()).expect_err("a faulty file").remove(0);
    (path, message.key.to_string())
}

fn keys(faults: &[Fault]) -> Vec<&str> {
    faults.iter().map(|fault| fault.message.key.as_ref()).collect()
}

#[test]
fn a_real_archive_holds_what_torch_says_it_holds() {
    let read = imported(TWO_BRANCHES);
    assert_eq!((read.format, read.warnings.len(), read.questions.len()), (Format::ExportedProgram, 0, 0));
    let graph = graph(read);
    let expected: serde_json::Value = serde_json::from_str(EXPECTED).expect("JSON");
    let record = |tensor: TensorId| {
        let shape: Vec<u64> =
            graph.shape_words(tensor).split('×').map(|extent| extent.parse().expect("a number")).collect();
        serde_json::json!({"dtype": graph.tensors[tensor].dtype.name(), "shape": shape})
    };
    let of_kind = |kinds: &[Kind]| -> Vec<_> {
        graph.tensors.enumerate().filter(|(_, tensor)| kinds.contains(&tensor.kind)).map(|(id, _)| id).collect()
    };
    let inputs: Vec<_> = of_kind(&[Kind::Weight, Kind::Input])
        .into_iter()
        .map(|id| {
            let mut record = record(id);
            record["name"] = graph.tensors[id].name.as_str().into();
            record
        })
        .collect();
    assert_eq!(serde_json::Value::from(inputs), expected["inputs"]);
    let nodes: Vec<_> = graph
        .nodes
        .iter()
        .map(|node| {
            let outputs: Vec<_> = node.outputs.iter().map(|&id| record(id)).collect();
            serde_json::json!({"name": node.name, "outputs": outputs, "op": node.op})
        })
        .collect();
    assert_eq!(nodes.len() as u64, expected["call_function_count"]);
    for (node, expected) in nodes.iter().zip(expected["nodes"].as_array().expect("a list")) {
        assert_eq!((&node["name"], &node["outputs"]), (&expected["name"], &expected["outputs"]));
        let target = expected["target"].as_str().expect("text");
        assert_eq!(target.split('.').nth(1), node["op"].as_str());
    }
    let outputs: Vec<_> = of_kind(&[Kind::Output]).into_iter().map(|id| graph.tensors[id].name.as_str()).collect();
    assert_eq!(serde_json::json!(outputs), expected["user_outputs"]);
    assert_eq!((graph.name.as_str(), of_kind(&[Kind::Weight]).len()), ("two_branches", 10));
}

#[test]
fn symbols_keep_their_ranges_and_views_take_no_memory() {
    let graph = graph(imported(ATTENTION));
    let symbols: Vec<_> =
        graph.symbols.iter().map(|(name, symbol)| (name.as_str(), symbol.hint, symbol.min, symbol.max)).collect();
    assert_eq!(symbols, [("s27", 10, Some(4), Some(128)), ("s77", 3, Some(2), Some(64))]);
    let shape = |name: &str| {
        let found = graph.tensors.enumerate().find(|(_, tensor)| tensor.name == name);
        graph.shape_words(found.expect("a tensor").0)
    };
    assert_eq!(shape("reshape"), "s77×4*s27");
    assert_eq!(shape("slice_1"), "s77×FloorDiv(s27 + 1, 2)×2");
    assert_eq!(shape("cat"), "s77×2*s27×8");
    let views: Vec<_> =
        graph.nodes.iter().filter(|node| node.aliases().next().is_some()).map(|node| node.op.as_str()).collect();
    assert_eq!(views, ["add_", "chunk", "transpose", "reshape", "slice"]);
    let problem = lifetimes(&graph, &Scope::default()).expect("sizes are known");
    let sizes: Vec<_> = problem.buffers.iter().map(|buffer| (buffer.name.as_str(), buffer.size, buffer.kind)).collect();
    assert_eq!(
        sizes,
        [
            ("x", 960, Kind::Input),
            ("linear", 1440, Kind::Intermediate),
            ("matmul", 1200, Kind::Intermediate),
            ("softmax", 1200, Kind::Intermediate),
            ("matmul_1", 480, Kind::Intermediate),
            ("relu", 480, Kind::Output),
            ("getitem_3", 240, Kind::Output),
            ("getitem_4", 480, Kind::Intermediate),
            ("add", 960, Kind::Intermediate),
            ("cat", 1920, Kind::Output),
        ]
    );
    let larger = Scope { symbols: BTreeMap::from([("s27".to_string(), 20)]), ..Scope::default() };
    let larger = lifetimes(&graph, &larger).expect("sizes are known");
    assert_eq!(larger.buffers.iter().map(|buffer| buffer.size).max(), Some(4800));
}

#[test]
fn several_models_are_a_question() {
    let read = imported(TWO_MODELS);
    assert_eq!(read.questions, [Question::Model(vec!["attention".into(), "branch".into()])]);
    let first = graph(read);
    assert_eq!((first.name.as_str(), first.nodes.len()), ("attention", graph(imported(ATTENTION)).nodes.len()));
    let second =
        super::super::read(TWO_MODELS, Answers { model: "branch".into(), ..Answers::default() }).expect("valid");
    assert_eq!(graph(second).nodes.iter().last().map(|node| node.op.clone()), Some("cond".into()));
    let answers = Answers { model: "nothing".into(), ..Answers::default() };
    let fault = &super::super::read(TWO_MODELS, answers).expect_err("no such model")[0];
    assert_eq!(fault.message.key, "fault.no-such-model");
}

/// The nodes with graphs inside, with the bytes that these need.
fn bodies(read: &Imported) -> Vec<(String, u64)> {
    let told = read.facts.iter().filter(|fact| fact.key == "fact.body");
    let words = told.map(|fact| match &fact.args[..] {
        [(_, Arg::Text(node)), (_, Arg::Bytes(bytes))] => (node.clone(), *bytes),
        other => panic!("{other:?}"),
    });
    words.collect()
}

/// The profiler of torch 2.15.0 counts 270,338 and 81,945 bytes on a CPU, flags and counters
/// included, besides the input of 8,192 bytes.
#[test]
fn graphs_inside_nodes_take_the_memory_that_torch_takes() {
    let read = imported(NESTED);
    assert_eq!((bodies(&read), keys(&read.warnings)), (vec![("cond".to_string(), 262_145)], vec![]));
    let cond = graph(read);
    let node = cond.nodes.iter().find(|node| node.op == "cond").expect("a cond");
    let inside: Vec<String> = node.outputs.iter().map(|&tensor| cond.tensors[tensor].name.clone()).collect();
    assert_eq!(inside, ["getitem", "cond/body"], "the result, and what its branch needs besides");
    // The states before a turn, 8,200 bytes, stay until those after it are there.
    assert_eq!(bodies(&imported(LOOP)), [("while_loop".to_string(), 73_737)]);
}

#[test]
fn nodes_with_graphs_of_their_own_are_told() {
    let read = imported(BRANCH);
    assert_eq!(keys(&read.warnings), Vec::<String>::new());
    assert_eq!(bodies(&read), [("cond".to_string(), 64)]);
    assert_eq!(graph(read).nodes.iter().map(|node| node.op.as_str()).collect::<Vec<_>>(), ["sum", "gt", "cond"]);
}

/// A program of one node; `x` is an input, `b` a buffer of the model.
fn program(version: &str, target: &str, sizes: &str, strides: &str, outputs: &str) -> String {
    let meta = |sizes: &str, strides: &str| {
        format!(
            r#"{{"dtype":7,"sizes":{sizes},"strides":{strides},"device":{{"type":"cuda","index":1}},"storage_offset":{{"as_int":0}},"layout":7,"requires_grad":false}}"#
        )
    };
    let plain = meta(r#"[{"as_int":2},{"as_int":3}]"#, r#"[{"as_int":3},{"as_int":1}]"#);
    format!(
        r#"{{"graph_module":{{"graph":{{"inputs":[{{"as_tensor":{{"name":"b"}}}},{{"as_tensor":{{"name":"x"}}}}],"outputs":[{{"as_tensor":{{"name":"y"}}}}],
"nodes":[{{"target":"{target}","inputs":[{{"name":"self","arg":{{"as_tensor":{{"name":"x"}}}}}},{{"name":"other","arg":{{"as_optional_tensors":[{{"as_none":true}},{{"as_tensor":{{"name":"b"}}}}]}}}}],
"outputs":[{{"as_tensor":{{"name":"y"}}}}],"metadata":{{}}}}],"tensor_values":{{"x":{plain},"b":{plain},"y":{}}}}},
"signature":{{"input_specs":[{{"buffer":{{"arg":{{"name":"b"}},"buffer_name":"mean"}}}},{{"user_input":{{"arg":{{"as_tensor":{{"name":"x"}}}}}}}}],"output_specs":[{outputs}]}}}},
"range_constraints":{{"s0":{{"min_val":2,"max_val":9223372036854775806}}}},"schema_version":{version}}}"#,
        meta(sizes, strides)
    )
}

const PLAIN: [&str; 2] = [r#"[{"as_int":2},{"as_int":3}]"#, r#"[{"as_int":3},{"as_int":1}]"#];
const OUTPUT: &str = r#"{"user_output":{"arg":{"as_tensor":{"name":"y"}}}}"#;

#[test]
fn a_bare_model_is_read_and_values_written_back_may_lie_where_the_old_one_was() {
    let text = program(
        r#"{"major":9,"minor":0}"#,
        "torch.ops.aten._add.Tensor",
        PLAIN[0],
        PLAIN[1],
        r#"{"buffer_mutation":{"arg":{"name":"y"},"buffer_name":"mean"}}"#,
    );
    let read = imported(text.as_bytes());
    assert_eq!(keys(&read.warnings), ["warning.schema"]);
    assert!(read.facts.iter().any(|fact| fact.key == "fact.written-back"));
    let graph = graph(read);
    let node = graph.nodes.iter().next().expect("a node");
    assert_eq!((node.op.as_str(), &node.inplace[..], node.name.as_str()), ("add", &[(1, 0)][..], "y"));
    let kinds: Vec<_> = graph.tensors.iter().map(|tensor| (tensor.name.as_str(), tensor.kind)).collect();
    assert_eq!(kinds, [("b", Kind::Weight), ("x", Kind::Input), ("y", Kind::Output)]);
    assert_eq!(graph.devices.iter().collect::<Vec<_>>(), ["cuda:1"]);
}

#[test]
fn an_input_that_is_returned_or_changed_lives_to_the_end() {
    let last = |target: &str, outputs: &str| {
        let read = imported(program("8", target, PLAIN[0], PLAIN[1], outputs).as_bytes());
        let graph = graph(read);
        let node = graph.nodes.iter().last().expect("a node").clone();
        let names: Vec<String> = node.inputs.iter().map(|&input| graph.tensors[input].name.clone()).collect();
        (node.op, names)
    };
    let returned = format!(r#"{OUTPUT},{}"#, OUTPUT.replace("\"y\"", "\"x\""));
    assert_eq!(last("torch.ops.aten.add.Tensor", &returned), ("output".into(), vec!["x".into()]));
    assert_eq!(last("torch.ops.aten.add_.Tensor", OUTPUT), ("output".into(), vec!["x".into()]));
    let (op, _) = last("torch.ops.aten.add.Tensor", OUTPUT);
    assert_eq!(op, "add", "nothing is left to be read");
}

#[test]
fn gaps_between_elements_count_and_what_cannot_be_read_falls_back_on_the_hint() {
    let of = |sizes: &str, strides: &str| {
        imported(program("8", "torch.ops.aten.add.Tensor", sizes, strides, OUTPUT).as_bytes())
    };
    let gap = graph(of(PLAIN[0], r#"[{"as_int":8},{"as_int":1}]"#));
    // (1 + 8 + 2) elements of 4 bytes.
    assert_eq!(gap.tensors.iter().last().and_then(|tensor| tensor.bytes), Some(44));
    let last = graph(of(PLAIN[0], r#"[{"as_int":1},{"as_int":2}]"#));
    assert_eq!(last.tensors.iter().last().and_then(|tensor| tensor.bytes), None);
    let odd = r#"[{"as_int":2},{"as_expr":{"expr_str":"Piecewise((s0, True))","hint":{"as_int":5}}}]"#;
    let read = of(odd, "[]");
    assert_eq!(keys(&read.warnings), ["warning.extents-unread"]);
    let graph = graph(read);
    assert_eq!(graph.shape_words(TensorId(2)), "2×5");
    let read = of(r#"[{"as_expr":{"expr_str":"2*s0 + 1"}}]"#, "[]");
    assert_eq!(keys(&read.warnings), ["warning.symbols-without-value"]);
    let symbol = read.document.graph().expect("a graph").symbols["s0"];
    assert_eq!((symbol.hint, symbol.min, symbol.max), (2, Some(2), None));
}

#[test]
fn printouts_of_sympy_become_expressions() {
    let cases = [
        ("7", "7"),
        ("s77", "s77"),
        ("2*s0 + 1", "2*s0 + 1"),
        ("Symbol('s77', positive=True, integer=True)", "s77"),
        ("Mul(Integer(2), Symbol('s0', integer=True))", "2*s0"),
        ("Add(Mul(Integer(2), Symbol('s0')), Integer(-1))", "2*s0 - 1"),
        ("Mul(Integer(3), Add(Symbol('a'), Symbol('b')))", "3*(a + b)"),
        ("FloorDiv(Add(Symbol('s0'), Integer(1)), Integer(2))", "FloorDiv(s0 + 1, 2)"),
        ("(s0 + 1)//2", "FloorDiv(s0 + 1, 2)"),
        ("CeilToInt(IntTrueDiv(Symbol('s0'), Integer(2)))", "CeilDiv(s0, 2)"),
        ("CeilToInt(s0/4)", "CeilDiv(s0, 4)"),
        ("Mul(Rational(1, 2), Symbol('s0'))", "FloorDiv(s0, 2)"),
        ("Pow(Symbol('s0'), Integer(2))", "s0**2"),
        ("s0**2*3", "s0**2*3"),
        ("Max(1, s0 - 1)", "Max(1, s0 - 1)"),
        ("Min(Symbol('a'), Symbol('b'), Integer(8))", "Min(a, b, 8)"),
        ("Mod(s0, 8)", "Mod(s0, 8)"),
        ("PythonMod(s0, 8)", "Mod(s0, 8)"),
        ("ModularIndexing(s0, 4, 8)", "Mod(FloorDiv(s0, 4), 8)"),
        ("-s0 + 9", "-s0 + 9"),
    ];
    for (printed, expected) in cases {
        let read = translate(printed);
        assert_eq!(read.as_deref(), Some(expected), "{printed}");
        assert!(memplan_core::graph::Expr::parse(expected).is_ok(), "{expected}");
    }
    for wrong in [
        "",
        "sqrt(s0)",
        "Pow(s0, Rational(1, 2))",
        "1.5",
        "Where(a, b, c)",
        "s0 +",
        "(s0",
        "Symbol(s0)",
        &"(".repeat(500),
        &"-".repeat(500),
        &format!("{}s0", "s0 + ".repeat(300)),
    ] {
        assert_eq!(translate(wrong), None, "{wrong}");
    }
}

/// An archive written by hand, with the local header and directory of each entry.
fn zip(entries: &[(&str, &[u8], bool)]) -> Vec<u8> {
    use std::io::Write;
    let mut bytes = Vec::new();
    let mut archive = rawzip::ZipArchiveWriter::new(&mut bytes);
    for &(name, contents, packed) in entries {
        let method = if packed { rawzip::CompressionMethod::DEFLATE } else { rawzip::CompressionMethod::STORE };
        let (mut entry, config) = archive.new_file(name).compression_method(method).start().expect("a new entry");
        let descriptor = if packed {
            let encoder = flate2::write::DeflateEncoder::new(&mut entry, flate2::Compression::best());
            let mut writer = config.wrap(encoder);
            writer.write_all(contents).expect("written");
            let (encoder, descriptor) = writer.finish().expect("finished");
            encoder.finish().expect("finished");
            descriptor
        } else {
            let mut writer = config.wrap(&mut entry);
            writer.write_all(contents).expect("written");
            writer.finish().expect("finished").1
        };
        entry.finish(descriptor).expect("finished");
    }
    archive.finish().expect("finished");
    bytes
}

#[test]
fn packed_entries_and_archives_of_old_versions_are_read() {
    let text = program("8", "torch.ops.aten.add.Tensor", PLAIN[0], PLAIN[1], OUTPUT);
    for (name, title) in
        [("net/models/model.json", "net"), ("models/main.json", "main"), ("serialized_exported_program.json", "model")]
    {
        for packed in [false, true] {
            let read =
                imported(&zip(&[("net/data/weights/weight_0", &[0; 64], false), (name, text.as_bytes(), packed)]));
            assert_eq!(graph(read).name, title);
        }
    }
}

#[test]
fn archives_that_hold_no_program_say_so() {
    let of = |entries: &[(&str, &[u8], bool)]| first_fault(&zip(entries)).1;
    assert_eq!(of(&[("net/data.pkl", b"\x80\x02.", false), ("net/data/0", b"1234", false)]), "fault.torch-save");
    assert_eq!(of(&[("word/document.xml", b"<w/>", false)]), "fault.zip-no-model");
    assert_eq!(of(&[("net/models/model.json", b"{\"graph_module\":{}}", false)]), "fault.missing");
    assert_eq!(of(&[("net/models/model.json", b"[1]", false)]), "fault.not-an-object");
    assert_eq!(of(&[("net/models/model.json", b"{", false)]), "fault.json-syntax");
    assert_eq!(of(&[("net/models/model.json", b"\xff\xfe", false)]), "fault.model-not-text");
    let bomb = vec![b' '; 8 << 20];
    assert_eq!(of(&[("net/models/model.json", &bomb, true)]), "fault.zip-bomb");
    let mut damaged = zip(&[("net/models/model.json", b"{\"graph_module\":1}", false)]);
    let at = damaged.windows(4).position(|four| four == b"grap").expect("the text is there");
    damaged[at] = b'G';
    assert_eq!(first_fault(&damaged).1, "fault.zip");
}

#[test]
fn every_cut_and_every_changed_byte_of_a_small_archive_is_survived() {
    let text = program("8", "torch.ops.aten.view.default", PLAIN[0], PLAIN[1], OUTPUT);
    let small = zip(&[("net/models/model.json", text.as_bytes(), true)]);
    for end in 0..small.len() {
        assert!(read(&small[..end], Answers::default()).is_err(), "{end}");
    }
    for at in 0..small.len() {
        let mut damaged = small.clone();
        damaged[at] ^= 0x55;
        // Only a panic is a failure: some bytes mean nothing.
        let _ = read(&damaged, Answers::default());
    }
    for end in 0..text.len() {
        assert!(read(&text.as_bytes()[..end], Answers::default()).is_err(), "{end}");
    }
}

#[test]
fn faults_name_their_place() {
    let good = program("8", "torch.ops.aten.add.Tensor", PLAIN[0], PLAIN[1], OUTPUT);
    let fault = |from: &str, to: &str| first_fault(good.replacen(from, to, 1).as_bytes());
    let of = |path: &str, key: &str| (path.to_string(), key.to_string());
    assert_eq!(fault(r#""dtype":7"#, r#""dtype":77"#), of("graph_module.graph.tensor_values.x", "fault.scalar-type"));
    assert_eq!(fault(r#""target":"#, r#""goal":"#), of("graph_module.graph.nodes[0].target", "fault.missing"));
    let unknown = good.replace(r#"[{"as_none":true},{"as_tensor":{"name":"b"}}]"#, r#"[{"as_tensor":{"name":"q"}}]"#);
    assert_eq!(first_fault(unknown.as_bytes()), of("graph_module.graph.nodes[0].inputs[1]", "fault.unknown-tensor"));
}

#[test]
fn windows_are_carried_and_what_is_left_out_has_its_default() {
    let stated = |op: &str, arguments: &str| -> String {
        let Ok(Loose::Object(arguments)) = serde_json::from_str(arguments) else { panic!("{arguments}") };
        let attributes = super::super::aten::attributes(op, |_, name| super::program::stated(arguments.get(name)));
        let words = attributes.iter().map(|(name, Attr::Json(value) | Attr::Text(value))| format!("{name} {value}"));
        words.collect::<Vec<_>>().join(", ")
    };
    let cases = [
        ("conv2d", "{}", "stride 1, padding 0, dilation 1, groups 1"),
        (
            "conv2d",
            r#"{"stride":{"as_ints":[2,1]},"padding":{"as_string":"same"},"groups":{"as_int":8}}"#,
            "stride [2,1], padding same, dilation 1, groups 8",
        ),
        (
            "conv2d",
            r#"{"padding":{"as_sym_ints":[{"as_int":3},{"as_int":1}]}}"#,
            "stride 1, padding [3,1], dilation 1, groups 1",
        ),
        ("conv2d", r#"{"padding":{"as_sym_ints":[{"as_name":"s0"}]}}"#, "stride 1, padding ?, dilation 1, groups 1"),
        (
            "convolution",
            r#"{"stride":{"as_ints":[1]},"padding":{"as_ints":[0]},"transposed":{"as_bool":true}}"#,
            "stride [1], padding [0], transposed true",
        ),
        (
            "max_pool2d",
            r#"{"kernel_size":{"as_ints":[3,3]},"ceil_mode":{"as_bool":true}}"#,
            "kernel_size [3,3], stride [3,3], padding 0, dilation 1, ceil_mode true",
        ),
        (
            "avg_pool2d",
            r#"{"kernel_size":{"as_ints":[2,2]},"stride":{"as_ints":[]}}"#,
            "kernel_size [2,2], stride [2,2], padding 0, ceil_mode false",
        ),
        ("upsample_nearest2d", r#"{"scale_factors":{"as_floats":[2.0,2.0]}}"#, "scale_factors [2.0,2.0]"),
        ("upsample_nearest2d", r#"{"scale_factors":{"as_none":true}}"#, ""),
        ("batch_norm", r#"{"training":{"as_bool":true}}"#, "training true"),
        ("relu", "{}", ""),
    ];
    for (op, arguments, expected) in cases {
        assert_eq!(stated(op, arguments), expected, "{op} {arguments}");
    }
}

/// The most bytes of storages that are alive together when PyTorch runs the programs
/// (`tests/data/pt2/make.py`).
#[test]
fn results_given_by_keyword_merged_extents_and_doubled_symbols_are_as_pytorch_runs_them() {
    let files: [(&[u8], u64); 3] = [
        (include_bytes!("../../../../../tests/data/pt2/results.pt2"), 288),
        (include_bytes!("../../../../../tests/data/pt2/channels_last.pt2"), 1800),
        (include_bytes!("../../../../../tests/data/pt2/doubled.pt2"), 960),
    ];
    for (bytes, most) in files {
        let read = imported(bytes);
        assert!(!keys(&read.warnings).contains(&"warning.symbols-without-value"), "{:?}", read.warnings);
        let problem = lifetimes(&graph(read), &Scope { inputs: true, outputs: true, ..Scope::default() });
        let problem = problem.expect("sizes are known");
        assert_eq!(lower_bound(&problem), most, "{}", problem.name);
    }
}

#[test]
fn extents_merge_where_their_strides_allow_it() {
    let meta = |sizes: &[u64], strides: &[u64]| Meta::of(sizes, strides);
    let viewable = |sizes: &[u64], strides: &[u64], new: &[u64]| meta(sizes, strides).viewable_as(&meta(new, &[]));
    assert!(viewable(&[2, 3, 4], &[12, 4, 1], &[6, 4]) && viewable(&[2, 3, 4], &[12, 4, 1], &[24]));
    // Channels last: the image of one channel is one run of elements, several channels are not.
    assert!(viewable(&[2, 4, 5, 5], &[100, 1, 20, 4], &[2, 4, 25]));
    assert!(!viewable(&[2, 4, 5, 5], &[100, 1, 20, 4], &[2, 100]));
    assert!(!viewable(&[4, 3], &[1, 4], &[12]) && viewable(&[4, 3], &[1, 4], &[4, 3, 1]));
    assert!(
        viewable(&[3, 1, 4], &[4, 99, 1], &[12]) && viewable(&[0, 3], &[3, 1], &[0]) && viewable(&[], &[], &[1, 1])
    );
    assert!(viewable(&[6, 4], &[8, 1], &[2, 3, 4]) && !viewable(&[6, 4], &[8, 1], &[24]));
}

#[test]
fn a_step_of_training_has_its_loss_its_gradients_and_what_is_kept_for_them() {
    let graph = graph(imported(TRAINING));
    let problem = lifetimes(&graph, &Scope { weights: true, ..Scope::default() }).expect("sizes");
    let classes = Classes::of(&problem, Some(&graph)).expect("a step of training");
    let sorted = |class| {
        let of_class = problem.buffers.enumerate().filter(|(id, _)| classes.class(*id) == class);
        let mut sizes: Vec<u64> = of_class.map(|(_, buffer)| buffer.size).collect();
        sizes.sort();
        sizes
    };
    // Weights and biases of 8 × 16 and 16 × 4, and a gradient for each.
    let weights = [16, 64, 256, 512];
    assert_eq!(sorted(BufferClass::Weight), weights);
    assert_eq!(sorted(BufferClass::Gradient), weights);
    assert_eq!(sorted(BufferClass::Output), [4], "the loss");
    assert_eq!(sorted(BufferClass::Input), [256, 1024]);
    // The backward pass needs what relu made, the log of softmax, and which rows count.
    let kept: Vec<u64> = sorted(BufferClass::Activation);
    assert!(kept.contains(&2048) && kept.contains(&512), "{kept:?}");
}
