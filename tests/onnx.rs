//! ONNX models as exporters write them, against what onnx and ONNX Runtime themselves say of them (`tests/import/onnx/`).

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use memplan::graph::{Dim, Graph, Kind, Tensor, TensorId};
use memplan::import::{self, Choices, Document, Imported};
use serde_json::Value;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/import/onnx")
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
    import::read(&file(name), Choices::default()).unwrap_or_else(|faults| panic!("{name}: {faults:?}"))
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
        let graph = graph(read(&format!("{name}.onnx")));
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

/// What is wrong with one extent: where onnx knows it, ours must be the same; a name of onnx's is compared as an expression.
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
        let label = format!("{} (case {}, opset {})", case["op"].as_str().expect("a name"), case["case"], case["opset"]);
        let model = base64::Engine::decode(&base64::prelude::BASE64_STANDARD, case["model"].as_str().expect("text"));
        let graph = match import::read(&model.expect("base64"), Choices::default()) {
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
            let same = theirs.len() == ours.len() && !ours.iter().zip(theirs).any(|(ours, theirs)| differs(ours, theirs));
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
                        wrong.push(format!("{label}: {name}: {} is {ours:?} for {values:?}, onnx says {theirs}", expr.source()));
                    }
                    sized += 1;
                }
            }
        }
        cases += 1;
        *ops.entry(case["op"].as_str().unwrap_or_default().to_string()).or_default() += 1;
    }
    println!("{cases} cases of {} operators, {extents} extents equal, {more} known here and not to onnx", ops.len());
    println!("{sized} extents with symbols come to the numbers of onnx");
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(cases > 1500 && ops.len() > 150, "{cases} cases of {} operators", ops.len());
    assert!(sized > 500, "only {sized} extents with symbols");
}
