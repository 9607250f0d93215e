//! Kernels beside the shared memory of a card, against what Triton says of the changed kernel.

use std::collections::BTreeMap;

use memplan_fit::{Card, KernelChange, KernelFit, KernelResult, fit_kernel, limit_of};
use memplan_formats::import::{self, Answers};
use serde::Deserialize;

use crate::{program, top};

#[derive(Deserialize)]
struct Recorded {
    now: u64,
    changes: BTreeMap<String, u64>,
}

fn name(change: &KernelChange) -> String {
    match change {
        KernelChange::Stages { from, to } => format!("stages {from} to {to}"),
        KernelChange::Halved { extent } => format!("halved {extent}"),
        KernelChange::WithoutScratch { name } => format!("without {name}"),
    }
}

fn fitted(file: &str, card: Option<&str>) -> KernelFit {
    let bytes = std::fs::read(top().join(file)).expect("a kernel");
    let problem = import::read(&bytes, Answers::default()).expect("readable").document.buffers().expect("buffers");
    let limit = limit_of(&problem, card).expect("a limit");
    fit_kernel(&problem, limit).expect("an answer")
}

#[test]
fn changes_take_what_triton_takes_for_the_changed_kernel() {
    let text = std::fs::read_to_string(top().join("tests/data/triton/totals.json")).expect("the totals");
    let files: BTreeMap<String, Recorded> = serde_json::from_str(&text).expect("totals");
    assert_eq!(files.len(), 2);
    for (file, recorded) in files {
        let found = fitted(&format!("tests/data/triton/{file}.ttgir.gz"), None);
        assert_eq!(found.total, recorded.now, "{file}");
        let said: BTreeMap<String, u64> =
            found.changes.iter().map(|change| (name(&change.change), change.total)).collect();
        for (change, total) in recorded.changes {
            assert_eq!(said.get(&change), Some(&total), "{file}: {change} in {said:?}");
        }
    }
}

#[test]
fn the_mildest_change_that_does_is_first() {
    let file = "tests/data/triton/matmul_sm80_stages_4.ttgir.gz";
    let own = fitted(file, None);
    assert_eq!((own.target.as_deref(), own.limit), (Some("cuda:80"), 163 << 10));
    // What a conversion needs at the end is not in the file, so that nothing is claimed of it.
    assert_eq!((own.result, own.unsized_scratch), (KernelResult::FitsInPart, 1));
    let turing = fitted(file, Some("sm_75"));
    assert_eq!((turing.limit, turing.result), (64 << 10, KernelResult::TooLarge));
    let first = &turing.changes[0];
    assert_eq!((name(&first.change), first.total, first.fits), ("stages 3 to 2".into(), 65_536, true));
    let tiny = fitted(file, Some("1 KiB"));
    assert!(tiny.changes.iter().all(|change| !change.fits) && !tiny.is_solved());
    assert!(tiny.changes.is_sorted_by_key(|change| change.total));
}

#[test]
fn cards_are_found_by_their_usual_names() {
    for name in ["sm_90", "sm90", "sm_90a", "cuda:90", " SM_90 "] {
        assert_eq!(Card::find(name).map(|card| card.bytes), Some(227 << 10), "{name}");
    }
    assert_eq!(Card::find("gfx942").map(Card::short).as_deref(), Some("gfx942"));
    assert_eq!(Card::find("hip:gfx1250").map(|card| card.bytes), Some(320 << 10));
    assert!(Card::find("sm_12").is_none() && Card::find("").is_none());
}

#[test]
fn the_command_line_sets_a_kernel_against_a_card() {
    let run = |args: &[&str]| {
        let file = "tests/data/triton/attention_sm90_stages_4.ttgir.gz";
        let output = program().args(["fit", file]).args(args).output().expect("it runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        (output.status.code(), text, String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, text, _) = run(&["--card", "sm_75"]);
    assert_eq!(code, Some(0), "a change brings it below: {text}");
    assert!(text.contains("✓      65536"), "{text}");
    let (code, json, _) = run(&["--memory", "shared=1KiB", "--json"]);
    assert_eq!(code, Some(4));
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!((json["format"].as_str(), json["limit"].as_u64()), (Some("kernel-fit/1"), Some(1024)));
    let (code, _, error) = run(&["--card", "sm_1"]);
    assert!(code == Some(2) && error.contains("sm_1"), "{error}");
    let graph = program().args(["fit", "ex:tiny", "--card", "sm_80"]).output().expect("it runs");
    assert_eq!(graph.status.code(), Some(2));
}

#[test]
fn a_kernel_opens_with_the_planner_of_its_compiler() {
    let bytes = std::fs::read(top().join("tests/data/triton/matmul_sm80_stages_4.ttgir.gz")).expect("a kernel");
    let read = import::read(&bytes, Answers::default()).expect("readable");
    let first = memplan_engine::first_planner(&read.document, Some(read.format));
    assert_eq!(Some(first), memplan_planners::of_format(read.format));
    assert_eq!(first, memplan_planners::KERNELS);
}
