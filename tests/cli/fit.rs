//! `memplan fit`: the cheapest changes that fit, in three forms, with exit codes and reports that are checked.

use super::{Folder, code, fine, json, memplan, stderr, stdout};

const TINY: &str = include_str!("../data/fit/tiny.json");

#[test]
fn a_graph_is_made_to_fit_and_its_plan_passes_the_check() {
    let folder = Folder::new();
    let input = folder.file("tiny.json", TINY);
    let (graph, plan, report) = (folder.path("graph.json"), folder.path("plan.json"), folder.path("report.json"));
    let common = ["fit", &input, "--memory", "SRAM=32", "--scratch", "0", "--persistent", "0", "--allow", "all"];
    let with = |more: &[&str]| fine(&[&common[..], more].concat()).replace('\u{202f}', " ");
    let text = with(&["--graph", &graph, "--plan", &plan]);
    assert!(text.starts_with("fits: ") && text.contains("grow..join in "), "{text}");
    fine(&["check", &plan]);
    let again = fine(&["fit", &graph, "--memory", "SRAM=32", "--allow", "planner"]);
    assert!(again.starts_with("fits: "), "what was written fits as it is: {again}");
    assert!(with(&["--format", "markdown"]).starts_with("### tiny\n\nfits: "));
    with(&["--format", "json", "--curve", "-o", &report]);
    let record = json(&std::fs::read_to_string(&report).expect("a report"));
    assert_eq!((&record["format"], &record["result"]), (&"fit/1".into(), &"fits".into()));
    // The middle convolution has a kernel of one: stripes down to one row cost nothing.
    assert_eq!(record["curve"], json("[[24,0,0]]"));
}

#[test]
fn exit_codes_tell_proved_from_not_found_and_reports_are_checked() {
    let folder = Folder::new();
    let input = folder.file("tiny.json", TINY);
    let report = folder.path("report.json");
    let status = |arguments: &[&str]| memplan(arguments).status.code();
    let proved = ["fit", &input, "--memory", "SRAM=32", "--format", "json", "-o", &report];
    assert_eq!(status(&proved), Some(3));
    assert_eq!(status(&["fit", &input, "--memory", "SRAM=32", "--verify", &report]), Some(0));
    assert_eq!(status(&["fit", &input, "--memory", "SRAM=33", "--verify", &report]), Some(2));
    assert_eq!(status(&["fit", &input, "--memory", "SRAM=1", "--memory", "DRAM=2", "--allow", "all"]), Some(4));
    for wrong in [
        &["--memory", "SRAM=0"][..],
        &["--memory", "SRAM"],
        &["--memory", "SRAM=-4"],
        &["--memory", "SRAM=1K", "--memory", "SRAM=2K"],
        &["--memory", "SRAM=1K", "--allow", "magic"],
        &["--memory", "SRAM=1K", "--persistent", "2K"],
        &["--memory", "SRAM=1K", "--limit", "time=4"],
        &["--memory", "SRAM=1K", "--seconds", "soon"],
    ] {
        assert_eq!(status(&[&["fit", &input], wrong].concat()), Some(2), "{wrong:?}");
    }
    let scratch = folder.file("scratch.csv", "op,bytes\nnobody,4\n");
    assert_eq!(status(&["fit", &input, "--memory", "SRAM=1K", "--scratch", &scratch]), Some(2));
}

#[test]
fn a_model_takes_its_plan_along_if_nothing_but_plan_and_order_changes() {
    const MODEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/tflite/small_cnn_int8.tflite");
    let folder = Folder::new();
    let (out, next) = (folder.path("out.tflite"), folder.path("next.tflite"));
    let fit = |memory: &str, allow: &str, out: &str| {
        let memory = format!("SRAM={memory}");
        memplan(&["fit", MODEL, "--memory", &memory, "--allow", allow, "--write", out])
    };
    let done = fit("20480", "planner,order", &out);
    assert_eq!(code(&done), 0, "{}", stderr(&done));
    assert!(stderr(&done).contains("head 20480 B with the plan, 22528 B without"), "{}", stderr(&done));
    assert!(fine(&["check", &out]).starts_with("valid: 13 buffers in 1 pool, peak 20480 bytes"));
    // Stripes are beyond what a plan in a model can express, and what does not fit is not written.
    let done = fit("12K", "planner,order,stripes", &next);
    assert_eq!(code(&done), 2, "{}", stderr(&done));
    assert!(stderr(&done).contains("planner and order alone"), "{}", stderr(&done));
    assert!(stdout(&done).contains("fits"), "the answer is told before the refusal: {}", stdout(&done));
    assert_eq!(code(&fit("1K", "planner,order", &next)), 3);
    // What is no model is told before the search.
    let graph = folder.file("tiny.json", TINY);
    let done = memplan(&["fit", &graph, "--memory", "SRAM=1K", "--write", &next]);
    assert!(code(&done) == 2 && stdout(&done).is_empty(), "{}", stderr(&done));
    assert!(stderr(&done).contains("neither a TensorFlow Lite model"), "{}", stderr(&done));
    assert!(!std::path::Path::new(&next).exists());
    let done = fit("20480", "planner,order", &out);
    assert!(code(&done) == 2 && stderr(&done).contains("exists"), "{}", stderr(&done));
    assert!(!stderr(&done).contains("--force"), "{}", stderr(&done));
}
