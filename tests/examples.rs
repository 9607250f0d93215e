//! The list of built-in examples says what the graphs themselves say. `UPDATE_EXAMPLES=1` writes it anew.
#![cfg(feature = "app")]

use std::path::Path;

use memplan::app::examples::{Example, examples};
use memplan::import::{self, Document};
use memplan::planner::INFOS;
use memplan::problem::{Scope, lifetimes, load, lower_bound};

const LIST: [(&str, &str); 9] = [
    ("teaching", "tiny"),
    ("diamond", "tiny"),
    ("two_branches", "tiny"),
    ("resnet18", "networks"),
    ("mobilenet_v2", "networks"),
    ("unet_512", "networks"),
    ("bert_base_seq128", "networks"),
    ("gpt2_small_seq256", "networks"),
    ("resnet18_train_b8", "training"),
];

fn example(name: &str, group: &str) -> Example {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("www/graphs/{name}.json"));
    let read = import::read(&std::fs::read(path).expect("the file is there"), import::Choices::default());
    let Document::Graph(graph) = read.expect("a valid graph").document else { panic!("{name} is a graph") };
    let problem = lifetimes(&graph, &Scope::default()).expect("sizes are known");
    let load = load(&problem, |_| true);
    let span = load.len().div_ceil(64);
    let load = load.chunks(span).map(|span| span.iter().copied().max().unwrap_or(0)).collect();
    Example {
        name: name.into(),
        group: group.into(),
        buffers: problem.buffers.len(),
        bound: lower_bound(&problem),
        load,
    }
}

#[test]
fn the_list_is_true() {
    let cases = INFOS.iter().map(|info| example(&info.case_name(), "cases"));
    let expected: Vec<Example> = LIST.iter().map(|(name, group)| example(name, group)).chain(cases).collect();
    if std::env::var_os("UPDATE_EXAMPLES").is_some() {
        let lines: Vec<String> =
            expected.iter().map(|example| serde_json::to_string(example).expect("plain data")).collect();
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("www/graphs/index.json");
        std::fs::write(path, format!("[\n{}\n]\n", lines.join(",\n"))).expect("the folder is writable");
        return;
    }
    assert_eq!(examples(), expected);
}
