//! Small files that the tests drop on the page.

use std::fmt::Write as _;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

/// A graph of four tensors.
pub const GRAPH: &str = r#"{"format":"memory-graph/1","name":"little",
 "tensors":[{"name":"x","dtype":"float32","shape":[256],"kind":"input"},
            {"name":"a","dtype":"float32","shape":[512],"kind":"intermediate"},
            {"name":"b","dtype":"float32","shape":[128],"kind":"intermediate"},
            {"name":"y","dtype":"float32","shape":[256],"kind":"output"}],
 "nodes":[{"name":"n0","op":"conv2d","inputs":["x"],"outputs":["a"]},
          {"name":"n1","op":"relu","inputs":["a"],"outputs":["b"]},
          {"name":"n2","op":"add","inputs":["b"],"outputs":["y"]}]}"#;

/// The same graph with a comma too many: line 3, column 73.
pub const BROKEN: &str = r#"{"format":"memory-graph/1","name":"little",
 "tensors":[{"name":"x","dtype":"float32","shape":[256],"kind":"input"},
            {"name":"a","dtype":"float32","shape":[512],"kind":"output",}],
 "nodes":[]}"#;

/// A graph with faults in five places.
pub const FAULTY: &str = r#"{"format":"memory-graph/1","name":"faulty",
 "tensors":[{"name":"x","dtype":"fp32","shape":[256],"kind":"input"},
            {"name":"x","dtype":"float32","shape":[-4],"kind":"intermediate"},
            {"name":"y","dtype":"float32","shape":[256],"kind":"thing"}],
 "nodes":[{"name":"n0","op":"conv2d","inputs":["z"],"outputs":["y"]},
          {"op":"relu","inputs":["y"],"outputs":[]}]}"#;

/// Where the faults of [`FAULTY`] are.
pub const FAULTY_PATHS: [&str; 5] =
    ["tensors[0].dtype", "tensors[1].name", "tensors[1].shape[0]", "tensors[2].kind", "nodes[0].inputs[0]"];

/// Buffers without addresses; the ends are inclusive.
pub const BUFFERS: &str = "name,size,start,end\na,1000,0,2\nb,600,1,3\nc,400,3,4\n";

/// A plan of which two pairs of buffers collide.
pub const COLLIDING_PLAN: &str = "tensor_name,size,offset,start_time,end_time
conv1_weight,102400,0,1,10
layer1_activation,204800,102400,5,15
pool1_output,102400,102400,16,25
conv2_weight,204800,0,11,30
layer2_activation,409600,204800,20,35
output,102400,614400,36,40
";

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("writing to memory does not fail")
}

/// A `split` of one tensor into several, and the `cat` that reads them all.
pub fn split_and_concatenated(parts: usize) -> String {
    let names: Vec<String> = (0..parts).map(|part| format!("y{part}")).collect();
    let tensor =
        |name: &str, size: usize, kind: &str| json!({"name": name, "dtype": "float32", "shape": [size], "kind": kind});
    let whole = [tensor("x", parts, "input"), tensor("z", parts, "output")];
    let tensors: Vec<Value> =
        whole.into_iter().chain(names.iter().map(|name| tensor(name, 1, "intermediate"))).collect();
    json!({"format": "memory-graph/1", "name": "wide", "tensors": tensors, "nodes": [
        {"name": "split", "op": "split", "inputs": ["x"], "outputs": names},
        {"name": "cat", "op": "cat", "inputs": names, "outputs": ["z"]},
    ]})
    .to_string()
}

/// A training step of a deep chain, as JSON: every layer keeps its activation until the backward
/// pass comes back to it, with a short-lived temporary beside it. Six tensors a layer, sizes that
/// differ from layer to layer.
pub fn training_chain(layers: usize) -> String {
    let mut tensors = String::from(r#"{"name":"in","dtype":"float32","shape":[1024],"kind":"input"}"#);
    let mut forward = String::new();
    let mut backward = String::new();
    // Writing to a string cannot fail.
    let mut tensor = |name: String, size: usize| {
        let _ = write!(
            tensors,
            ",\n{{\"name\":\"{name}\",\"dtype\":\"float32\",\"shape\":[{size}],\"kind\":\"intermediate\"}}"
        );
    };
    for layer in 0..layers {
        let size = 256 + 64 * (layer * 7 % 23);
        tensor(format!("act{layer}"), size);
        tensor(format!("mask{layer}"), size / 4);
        tensor(format!("tmp{layer}"), size * 2);
        tensor(format!("grad{layer}"), size);
        tensor(format!("wide{layer}"), size * 3);
        tensor(format!("step{layer}"), 64);
        let before = if layer == 0 { "in".to_string() } else { format!("act{}", layer - 1) };
        let _ = write!(
            forward,
            "{}{{\"name\":\"f{layer}\",\"op\":\"linear\",\"inputs\":[\"{before}\"],\"outputs\":[\"tmp{layer}\"]}},\n\
             {{\"name\":\"g{layer}\",\"op\":\"gelu\",\"inputs\":[\"tmp{layer}\"],\"outputs\":[\"act{layer}\",\"mask{layer}\"]}}",
            if layer == 0 { "" } else { ",\n" }
        );
    }
    for layer in (0..layers).rev() {
        let after = if layer + 1 == layers { format!("act{layer}") } else { format!("grad{}", layer + 1) };
        let _ = write!(
            backward,
            ",\n{{\"name\":\"b{layer}\",\"op\":\"gelu_backward\",\"inputs\":[\"{after}\",\"act{layer}\",\"mask{layer}\"],\"outputs\":[\"wide{layer}\"]}},\n\
             {{\"name\":\"d{layer}\",\"op\":\"linear_backward\",\"inputs\":[\"wide{layer}\"],\"outputs\":[\"grad{layer}\",\"step{layer}\"]}}"
        );
    }
    format!(
        "{{\"format\":\"memory-graph/1\",\"name\":\"training chain\",\n\"tensors\":[{tensors}],\n\"nodes\":[{forward}{backward}]}}"
    )
}
