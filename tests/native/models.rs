//! Real networks: what we read of them equals what independent programs measured when the files
//! were made (`tests/data/models/stats.json`).

use std::path::{Path, PathBuf};

use memplan_core::graph::{Graph, Kind};
use memplan_core::problem::{Fullest, Problem, Scope, Views, alive, lifetimes, lower_bound};
use memplan_core::text::{Locale, Speech};
use memplan_formats::import::{self, Document};
use serde_json::Value;

fn folder() -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("tests/data/models")
}

fn models() -> Vec<(String, Graph, Value)> {
    let stats = std::fs::read_to_string(folder().join("stats.json")).expect("the figures are there");
    let stats: Value = serde_json::from_str(&stats).expect("the figures are JSON");
    let mut models = Vec::new();
    for (name, figures) in stats.as_object().expect("an object") {
        let file = figures["file"].as_str().expect("a file name");
        let packed = if file.ends_with(".gz") { file.to_string() } else { format!("{file}.gz") };
        let bytes = std::fs::read(folder().join(&packed)).unwrap_or_else(|error| panic!("{packed}: {error}"));
        let read =
            import::read(&bytes, import::Answers::default()).unwrap_or_else(|faults| panic!("{name}: {faults:?}"));
        let Document::Graph(graph) = read.document else { panic!("{name} is a graph") };
        models.push((name.clone(), graph, figures.clone()));
    }
    assert!(models.len() >= 23, "only {} models", models.len());
    models
}

fn problem(graph: &Graph, scope: Scope) -> Problem {
    lifetimes(graph, &scope).expect("sizes are known")
}

#[test]
fn counts_bytes_and_bounds_equal_the_recorded_ones() {
    for (name, graph, figures) in models() {
        let figure = |key: &str| figures[key].as_u64().unwrap_or_else(|| panic!("{name}: no {key}"));
        let inner = Scope { inputs: false, outputs: false, ..Scope::default() };
        let with_outputs = Scope { inputs: false, ..Scope::default() };
        assert_eq!(graph.nodes.len() as u64, figure("nodes"), "{name}: nodes");
        assert_eq!(graph.tensors.len() as u64, figure("tensors"), "{name}: tensors");
        let aliases = graph.nodes.iter().filter(|node| node.aliases().next().is_some()).count() as u64;
        assert_eq!(aliases, figure("alias_nodes"), "{name}: alias nodes");
        assert_eq!(lower_bound(&problem(&graph, inner.clone())), figure("lower_bound"), "{name}: lower bound");
        assert_eq!(
            lower_bound(&problem(&graph, with_outputs.clone())),
            figure("lower_bound_with_outputs"),
            "{name}: with outputs"
        );
        assert_eq!(
            lower_bound(&problem(&graph, Scope::default())),
            figure("lower_bound_with_io"),
            "{name}: with inputs and outputs"
        );
        assert_eq!(problem(&graph, with_outputs).unshared(), figure("activation_bytes"), "{name}: activation bytes");
        let copies = Scope { views: Views::Copy, ..inner };
        assert_eq!(lower_bound(&problem(&graph, copies)), figure("no_alias_lower_bound"), "{name}: views as copies");
        let weights = problem(&graph, Scope { weights: true, ..Scope::default() });
        let weights =
            weights.buffers.iter().filter(|buffer| buffer.kind == Kind::Weight).map(|buffer| buffer.size).sum::<u64>();
        assert_eq!(weights, figure("weight_bytes"), "{name}: weight bytes");
    }
}

#[test]
fn what_is_written_reads_back_equal() {
    for (name, graph, _) in models().into_iter().filter(|(_, graph, _)| graph.tensors.len() < 3000) {
        let text = memplan_formats::export::graph(&graph);
        let read = import::read(text.as_bytes(), import::Answers::default())
            .unwrap_or_else(|faults| panic!("{name}: {faults:?}"));
        assert_eq!(read.document, Document::Graph(graph), "{name}");
    }
}

#[test]
fn the_largest_load_adds_up_in_figures_that_can_be_read() {
    for (name, graph, figures) in models() {
        let problem = problem(&graph, Scope::default());
        let fullest = Fullest::new(&problem);
        let step = fullest.step().expect("it takes bytes");
        let load = fullest.load.by_step(problem.steps);
        let first = load.iter().position(|load| *load == fullest.most);
        assert_eq!((first, load.iter().max()), (Some(step as usize), Some(&fullest.most)), "{name}");
        assert_eq!(Some(fullest.most), figures["lower_bound_with_io"].as_u64(), "{name}: the largest load");
        let list = alive(&problem, Some(&graph), step);
        let rows = || list.groups.iter().flat_map(|group| &group.rows).chain(&list.small);
        let sum = rows().map(|row| row.bytes).sum::<u64>();
        assert_eq!((list.load, sum), (fullest.most, fullest.most), "{name}: what is alive");
        let falls = rows().map(|row| fullest.falls(&problem, row.buffer).bytes);
        for bytes in rows().map(|row| row.bytes).chain(falls).chain([list.load]) {
            let words = Locale::ALL.map(|locale| Speech { locale, ..Speech::default() }.bytes(bytes));
            assert!(words.iter().all(|words| !words.starts_with("0.")), "{name}: {bytes} bytes are {words:?}");
        }
    }
}
