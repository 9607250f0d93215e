//! What a search for changes finds in 0.2 s and in 5 s, and how long the whole answer takes: models
//! of docs/fit.md, and made-up chains of 10 000 operators. `cargo bench --bench fit`.

use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use memplan_core::graph::Graph;
use memplan_fit::{Budget, Lever, Request, StoredIn, fit};
use memplan_formats::import::{self, Answers, Document};

const MODELS: [(&str, u64, &str); 6] = [
    ("mobilenet_v2", 1_978_368, "planner,order,inplace,views,stripes"),
    ("resnet18", 2_021_376, "planner,order,inplace,views,stripes"),
    ("unet_512", 167_772_160, "planner,order,inplace,views,stripes"),
    ("sd15_unet", 84_127_744, "all"),
    ("sd15_unet", 78_950_400, "planner,order,inplace,views,recompute"),
    ("sd15_unet", 62_914_560, "planner,order,inplace,views,spill"),
];

fn main() {
    println!("| graph | budget | levers | 0.2 s | 5 s |\n|---|---:|---|---|---|");
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("tests/data/models");
    for (name, budget, allow) in MODELS {
        let bytes = std::fs::read(folder.join(format!("{name}.json.gz"))).expect("the model is there");
        row(name, &graph(&bytes), budget, allow);
    }
    for is_residual in [false, true] {
        let name = if is_residual { "10 000 operators, residual" } else { "10 000 operators, a chain" };
        row(name, &graph(made(2_500, is_residual).as_bytes()), 60_000, "all");
    }
}

fn graph(bytes: &[u8]) -> Graph {
    match import::read(bytes, Answers::default()).expect("readable").document {
        Document::Graph(graph) => graph,
        other => panic!("{other:?}"),
    }
}

fn row(name: &str, graph: &Graph, budget: u64, allow: &str) {
    let memory = |name: &str, size, cost| StoredIn { name: name.into(), size, cost };
    let memories = vec![memory("SRAM", budget, 1), memory("DRAM", 1 << 40, 4)];
    let request = Request {
        budget: Budget { memories, ..Budget::default() },
        allow: Lever::list(allow).expect("levers"),
        ..Request::default()
    };
    let cell = |limit: Duration| {
        let start = Instant::now();
        let record = fit(graph, &request, &|| start.elapsed() >= limit).expect("an answer").record;
        format!("{}, {} ms", record.result, start.elapsed().as_millis())
    };
    let (first, last) = (cell(Duration::from_millis(200)), cell(Duration::from_secs(5)));
    println!("| `{name}` | {budget} | {allow} | {first} | {last} |");
}

/// Blocks of two convolutions with an activation between and one after, or an addition of what the
/// block began with.
fn made(blocks: u32, is_residual: bool) -> String {
    let mut tensors = String::from(r#"{"name":"s0","dtype":"int8","shape":[1,8,56,56],"kind":"input"}"#);
    let mut nodes = Vec::new();
    for block in 0..blocks {
        let next = block + 1;
        for (name, shape) in [("w", "16,8,3,3"), ("v", "8,16,3,3")] {
            let _ = write!(tensors, r#",{{"name":"{name}{block}","dtype":"int8","shape":[{shape}],"kind":"weight"}}"#);
        }
        let last = if next == blocks { "output" } else { "intermediate" };
        let made =
            [("a", block, 16, "intermediate"), ("r", block, 16, "intermediate"), ("c", block, 8, "intermediate")];
        for (name, number, channels, kind) in made.into_iter().chain([("s", next, 8, last)]) {
            let shape = format!("1,{channels},56,56");
            let _ = write!(tensors, r#",{{"name":"{name}{number}","dtype":"int8","shape":[{shape}],"kind":"{kind}"}}"#);
        }
        let end = if is_residual {
            format!(r#""op":"add","inputs":["c{block}","s{block}"],"inplace":[[0,0],[1,0]]"#)
        } else {
            format!(r#""op":"relu","inputs":["c{block}"],"inplace":[[0,0]]"#)
        };
        nodes.extend([
            format!(r#"{{"name":"a{block}","op":"conv2d","inputs":["s{block}","w{block}"],"outputs":["a{block}"]}}"#),
            format!(
                r#"{{"name":"r{block}","op":"relu","inputs":["a{block}"],"outputs":["r{block}"],"inplace":[[0,0]]}}"#
            ),
            format!(r#"{{"name":"c{block}","op":"conv2d","inputs":["r{block}","v{block}"],"outputs":["c{block}"]}}"#),
            format!(r#"{{"name":"s{next}",{end},"outputs":["s{next}"]}}"#),
        ]);
    }
    format!(r#"{{"format":"memory-graph/1","name":"made","tensors":[{tensors}],"nodes":[{}]}}"#, nodes.join(","))
}
