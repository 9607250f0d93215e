//! A file whose own plan contradicts what is read from it: nothing is listed as the plan's fault,
//! and nothing is written or proved.

use std::collections::BTreeMap;

use memplan_formats::pte::Program;
use memplan_formats::tflm::{self, Model};

use super::*;

const SENTENCE: &str = "memplan may misread this file, so nothing is written or proved.";

fn stored(path: &str) -> Vec<u8> {
    fs::read(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(path)).expect("a stored file")
}

/// A program whose tensors all lie at the start of their memory.
fn program() -> Vec<u8> {
    let data = stored("tests/data/executorch/tiny_add_cat.pte");
    let program = Program::read(&data).expect("a program");
    let offsets = vec![Some(0); program.slots.len()];
    let memories = program.slots.iter().flatten().map(|slot| (slot.memory, 1024));
    program.write(&offsets, &memories.collect::<BTreeMap<_, _>>()).expect("places for all")
}

/// A model whose offline plan puts all tensors on the same bytes.
fn model() -> Vec<u8> {
    let data = stored("tests/data/tflite/small_cnn_int8.tflite");
    let count = Model::read(&data).expect("a model").tensors();
    tflm::write(&data, &vec![0; count]).expect("a plan")
}

/// Key, payload and all bytes of a field of a message, and what follows it.
type Field<'a> = (u64, &'a [u8], &'a [u8], &'a [u8]);

/// Reads the first field of a message.
fn field(bytes: &[u8]) -> Option<Field<'_>> {
    let (key, rest) = varint(bytes)?;
    let (payload, rest) = match key & 7 {
        0 => rest.split_at(rest.len() - varint(rest)?.1.len()),
        1 => rest.split_at(8),
        2 => {
            let (length, rest) = varint(rest)?;
            rest.split_at(length as usize)
        }
        _ => rest.split_at(4),
    };
    Some((key, payload, &bytes[..bytes.len() - rest.len()], rest))
}

fn varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let end = bytes.iter().position(|byte| byte & 0x80 == 0)?;
    let value = bytes[..=end].iter().rev().fold(0, |value, byte| value << 7 | u64::from(byte & 0x7f));
    Some((value, &bytes[end + 1..]))
}

fn length(mut value: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value > 0x7f {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

/// The message without the last field of a path of messages: a number that is missing is 0.
fn without(mut bytes: &[u8], path: &[u64]) -> Vec<u8> {
    let mut out = Vec::new();
    while let Some((key, payload, whole, rest)) = field(bytes) {
        match path {
            [last] if key >> 3 == *last => {}
            [first, more @ ..] if key >> 3 == *first && !more.is_empty() => {
                let inner = without(payload, more);
                out.extend(length(key as usize));
                out.extend(length(inner.len()));
                out.extend(inner);
            }
            _ => out.extend_from_slice(whole),
        }
        bytes = rest;
    }
    out
}

/// A dump in which every value lies at the start of its allocation: `assignment`, `allocations`,
/// `assigned`, `offset`.
fn dump() -> Vec<u8> {
    without(&stored("fuzz/corpus/hlo/cond_branches.hlo.pb"), &[3, 3, 9, 2])
}

/// A graph in which one storage holds two results that are alive together.
fn executor() -> String {
    let text = String::from_utf8(stored("tests/data/nnvm/graph_attrs.json")).expect("text");
    let plain: String = text.split_whitespace().collect();
    let ids = "[-1,-1,-1,0,-1,-1,-1,-1,1,3,2,1,0,0,-1,-1,2,2]";
    assert!(plain.contains(ids), "{plain}");
    plain.replace(ids, "[-1,-1,-1,0,-1,-1,-1,-1,0,3,2,0,0,0,-1,-1,2,2]")
}

/// A snapshot in which a block is allocated on half of another one.
fn snapshot() -> Vec<u8> {
    stored("tests/import/cuda_snapshot/overlap.pickle")
}

/// A trace in which every value has the same address.
fn trace() -> String {
    let packed = stored("tests/data/executorch/tiny_add_cat.trace.offsets.json.gz");
    let mut trace: Value = serde_json::from_reader(flate2::read::GzDecoder::new(&packed[..])).expect("JSON");
    for event in trace["traceEvents"].as_array_mut().expect("events") {
        event["ts"] = 0.into();
    }
    trace.to_string()
}

fn samples(folder: &Folder) -> Vec<String> {
    vec![
        folder.file("a.pte", program()),
        folder.file("a.tflite", model()),
        folder.file("a.hlo.pb", dump()),
        folder.file("executor.json", executor()),
        folder.file("a.pickle", snapshot()),
        folder.file("trace.json", trace()),
    ]
}

/// Runs and demands the exit code of such a file; gives the words.
fn misread(arguments: &[&str]) -> String {
    let output = memplan(arguments);
    let (said, told) = (stdout(&output), stderr(&output));
    assert_eq!(code(&output), 5, "{arguments:?}: {said}{told}");
    assert!(said.is_empty(), "{arguments:?}: {said}");
    assert!(told.contains(SENTENCE), "{arguments:?}: {told}");
    told
}

#[test]
fn check_names_the_first_contradiction_instead_of_a_list() {
    let folder = Folder::new();
    for path in samples(&folder) {
        let told = misread(&["check", &path]);
        let lines: Vec<&str> = told.lines().filter(|line| line.contains("hold the same bytes")).collect();
        assert_eq!(lines.len(), 1, "{path}: {told}");
        assert!(lines[0].contains("at the same steps ["), "{path}: {told}");
        assert!(!told.contains("invalid"), "{path}: {told}");
    }
}

#[test]
fn figures_and_differences_come_with_the_sentence() {
    let folder = Folder::new();
    for path in samples(&folder) {
        let output = memplan(&["metrics", &path]);
        assert_eq!((code(&output), stderr(&output).matches(SENTENCE).count()), (0, 1), "{path}: {}", stderr(&output));
        let table = stdout(&output);
        let of = |id: &str| table.lines().any(|line| line.contains(&format!(",{id},")));
        assert!(of("imported") && of("first-fit") && !of("exact") && !of("best"), "{path}: {table}");
        let output = memplan(&["diff", &path, &path]);
        assert_eq!(code(&output), 0, "{path}: {}", stderr(&output));
        assert!(stdout(&output).contains("The old version: memplan may misread"), "{path}: {}", stdout(&output));
        let record = json(&fine(&["diff", &path, &path, "--format", "json"]));
        let why = record["models"][0]["new"]["misread"].as_str().expect("a sentence");
        assert!(why.starts_with(SENTENCE), "{path}: {why}");
        let rows = json(&fine(&["compare", &path, "--planners", "imported,exact", "--format", "json"]));
        let row = |id: &str| rows.as_array().expect("rows").iter().find(|row| row["planner"] == id).expect("a row");
        assert!(row("imported")["valid"].is_null(), "{path}: {rows}");
        assert!(row("exact")["error"].as_str().is_some_and(|why| why.starts_with(SENTENCE)), "{path}: {rows}");
    }
}

#[test]
fn nothing_is_written_or_proved() {
    let folder = Folder::new();
    let out = folder.path("out");
    for path in samples(&folder) {
        misread(&["plan", &path, "--planner", "exact"]);
        misread(&["plan", &path, "--planner", "best"]);
        misread(&["metrics", &path, "--planner", "exact"]);
        misread(&["gap", &path, "--planner", "first-fit"]);
        // A plan that claims nothing is made all the same.
        let output = memplan(&["plan", &path, "--planner", "first-fit"]);
        assert_eq!((code(&output), stderr(&output).contains(SENTENCE)), (0, true), "{path}");
        let fit = memplan(&["fit", &path, "--memory", "RAM=1MiB"]);
        assert_eq!((code(&fit), stdout(&fit)), (5, String::new()), "{path}: {}", stderr(&fit));
    }
    for path in ["a.pte", "a.tflite"].map(|name| folder.path(name)) {
        misread(&["write", &path, "--planner", "first-fit", "-o", &out, "--force"]);
        misread(&["fit", &path, "--memory", "RAM=1MiB", "--write", &out]);
    }
    assert!(!Path::new(&out).exists());
}

#[test]
fn a_plan_that_the_user_hands_in_is_checked_as_it_is() {
    let folder = Folder::new();
    let csv = folder.file("a.csv", "id,lower,upper,size,offset\na,0,6,4,0\nb,3,8,4,2\nc,3,8,4,2\n");
    let plan = folder.path("a.json");
    fine(&["convert", &csv, "--format", "memory-plan", "-o", &plan]);
    let trace = folder.path("trace.json");
    fine(&["convert", &csv, "--format", "trace", "-o", &trace]);
    for path in [csv, plan, trace] {
        let output = memplan(&["check", &path]);
        assert_eq!(code(&output), 1, "{path}: {}", stderr(&output));
        assert_eq!(stdout(&output).matches("hold the same bytes").count(), 3, "{path}: {}", stdout(&output));
        assert!(stderr(&output).contains("invalid: 3 violations"), "{path}: {}", stderr(&output));
        fine(&["plan", &path, "--planner", "exact"]);
    }
}
