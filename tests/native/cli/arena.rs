//! `memplan fit --arena`, and other commands, on small nets with the figures of TensorFlow Lite
//! Micro's recording interpreter (`tests/data/tflite/exports.json.gz`).

use std::io::Read;

use base64::Engine;
use base64::prelude::BASE64_STANDARD as BASE64;
use serde_json::Value;

use super::{Folder, code, fine, json, memplan, refused, stderr, stdout};

fn exports() -> Vec<Value> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/tflite/exports.json.gz");
    let packed = std::fs::read(path).expect("the file is there");
    let mut text = String::new();
    flate2::read::GzDecoder::new(&packed[..]).read_to_string(&mut text).expect("gzip");
    serde_json::from_str(&text).expect("JSON")
}

/// The file of an export, and what is recorded of it.
fn export(folder: &Folder, name: &str) -> (String, Value) {
    let there = exports().into_iter().find(|there| there["name"] == name).expect("recorded");
    let data = BASE64.decode(there["model"].as_str().expect("a model")).expect("base64");
    (folder.file(&format!("{name}.tflite"), data), there)
}

fn fit(path: &str, room: u64, allow: &str) -> std::process::Output {
    memplan(&["fit", path, "--memory", &format!("SRAM={room}B"), "--arena", "--allow", allow, "--seconds", "2"])
}

/// The number behind these words.
fn number(text: &str, words: &str) -> u64 {
    let rest = text.split(words).nth(1).unwrap_or_else(|| panic!("`{words}` in {text}"));
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap_or_else(|_| panic!("a number behind `{words}` in {text}"))
}

#[test]
fn what_fits_an_arena_is_what_write_states() {
    let folder = Folder::new();
    let mut refusals = 0;
    for there in exports() {
        let name = there["name"].as_str().expect("a name");
        let (path, _) = export(&folder, name);
        let out = folder.path(&format!("{name}.planned.tflite"));
        let written = memplan(&["write", &path, "--planner", "best", "-o", &out, "--force"]);
        assert_eq!(code(&written), 0, "{name}: {}", stderr(&written));
        let told = stderr(&written);
        let (with, without) = (number(&told, ".tflite: head "), number(&told, " with the plan, "));
        let total = number(&told, "the arena is about ");
        assert_eq!(Some(without), there["head"].as_u64(), "{name}: {told}");
        // The smallest arena that TensorFlow Lite Micro accepts is recorded for its own plan.
        let smallest = there["smallest"].as_u64().expect("recorded");
        if with == without {
            assert!((smallest..=smallest + 224).contains(&total), "{name}: {total}, accepted is {smallest}");
        }
        for allow in ["planner", "planner,inplace,views"] {
            let done = fit(&path, total, allow);
            assert_eq!(code(&done), 0, "{name} {allow}: {} {}", stdout(&done), stderr(&done));
            assert!(stdout(&done).starts_with("fits") && !stdout(&done).contains("not stated"), "{}", stdout(&done));
            let done = fit(&path, total - 16, allow);
            assert!([3, 4].contains(&code(&done)), "{name} {allow}: {} {}", stdout(&done), stderr(&done));
            assert!(stdout(&done).starts_with("does not fit"), "{name} {allow}: {}", stdout(&done));
            // No other lever is promised after the arena has refused what the tensors allow.
            let is_refused = stderr(&done).contains("With the answer that was found");
            refusals += usize::from(is_refused);
            assert!(!is_refused || !stdout(&done).contains("Allow "), "{name} {allow}: {}", stdout(&done));
        }
    }
    assert!(refusals > 0, "no answer was refused");
}

/// Branches of an IF take 2896 bytes with what is alive around them, 1600 without.
#[test]
fn tensors_of_subgraphs_count() {
    let folder = Folder::new();
    let (path, there) = export(&folder, "if_f");
    assert_eq!((&there["head"], &there["smallest"]), (&2896.into(), &5600.into()));
    for allow in ["planner", "planner,order", "planner,order,stripes"] {
        let done = fit(&path, 5000, allow);
        assert!([3, 4].contains(&code(&done)), "{allow}: {} {}", stdout(&done), stderr(&done));
    }
    assert_eq!(code(&fit(&path, 5600, "planner,order")), 0);
    // The report of an answer that fits passes the check.
    let report = folder.path("report.json");
    let common = ["fit", &path, "--memory", "SRAM=5600B", "--arena", "--allow", "planner"];
    fine(&[&common[..], &["--json", "-o", &report]].concat());
    assert_eq!(code(&memplan(&[&common[..], &["--verify", &report]].concat())), 0);
}

#[test]
fn the_planner_of_tensorflow_lite_micro_copies_views() {
    let folder = Folder::new();
    let (path, there) = export(&folder, "rsh");
    assert_eq!(there["head"], 38400);
    let peak = |arguments: &[&str]| {
        let rows = json(&fine(&[&["metrics", &path, "--json"], arguments].concat()));
        rows["rows"].as_array().expect("rows").iter().map(|row| row["peak"].as_u64()).collect::<Vec<_>>()
    };
    assert_eq!(peak(&["--planner", "tflm-greedy"]), [Some(38400)]);
    assert_eq!(peak(&["--planner", "tflm-greedy", "--views", "share"]), [Some(21600)]);
    // Other planners are asked for what the interpreter of TensorFlow Lite does.
    assert_eq!(peak(&["--planner", "greedy-by-size", "--planner", "tflm-greedy"]), [Some(21600), Some(38400)]);
    let planned = folder.path("plan.json");
    fine(&["plan", &path, "--planner", "tflm-greedy", "-o", &planned]);
    assert!(fine(&["check", &planned]).contains("peak 38400 bytes"));
    assert_eq!(code(&fit(&path, 39760, "planner")), 0);
    assert_eq!(code(&fit(&path, 39744, "planner,views")), 3);
}

/// A loop in which two tensors outgrow the extents that the file states: TensorFlow Lite Micro runs
/// the model without a plan, and reads destroyed handles with one.
#[test]
fn no_plan_is_written_where_a_tensor_of_a_loop_may_grow() {
    let folder = Folder::new();
    let (path, _) = export(&folder, "lstm_None");
    let out = folder.path("out.tflite");
    let write = ["write", &path, "--planner", "first-fit", "-o", &out];
    let words = refused(&write);
    assert!(words.contains("2 tensors of later subgraphs, first ") && words.contains("--force"), "{words}");
    assert!(!std::path::Path::new(&out).exists());
    let done = memplan(&[&write[..], &["--force"]].concat());
    assert!(code(&done) == 0 && stderr(&done).contains("destroys"), "{}", stderr(&done));
    // An extent that is left open in the first subgraph is what the model runs with.
    let (path, _) = export(&folder, "dynbatch");
    fine(&["write", &path, "--planner", "exact", "-o", &out, "--force"]);
}
