//! `--json`: an object with a field `format`, in every command that prints a result.

use super::*;

#[test]
fn every_result_is_an_object_with_its_format() {
    let folder = Folder::new();
    let graph = folder.file("g.json", GRAPH);
    let plan = folder.path("plan.json");
    fine(&["plan", &graph, "--planner", "naive", "-o", &plan]);
    let out = folder.path("out.tflite");
    let model = "tests/data/tflite/small_cnn_int8.tflite";
    for (arguments, format) in [
        (vec!["plan", &graph, "--planner", "naive"], "memory-plan/1"),
        (vec!["check", &plan], "check/1"),
        (vec!["compare", &graph, "--planner", "naive"], "compare/1"),
        (vec!["alive", &graph, "--planner", "naive"], "alive/1"),
        (vec!["chart", &graph, "--planner", "naive"], "chart/1"),
        (vec!["dependencies", &graph, "--planner", "naive"], "dependencies/1"),
        (vec!["diff", &graph, &graph], "diff/1"),
        (vec!["fit", &graph, "--memory", "SRAM=1MiB"], "fit/1"),
        (vec!["exercise", "--kind", "predict", "--planner", "first-fit"], "exercise/1"),
        (vec!["exercise", "--kind", "perfect", "--buffers", "100"], "exercise/1"),
        (vec!["exercise", "--kind", "break", "--planner", "first-fit", "--tries", "10"], "exercise/1"),
        (vec!["frame", &graph, "--planner", "naive", "--at", "1"], "memory-frame/1"),
        (vec!["frames", &graph, "--planner", "naive"], "memory-frames/1"),
        (vec!["gap", &graph, "--planner", "naive"], "gap/1"),
        (vec!["metrics", &graph, "--planner", "naive"], "metrics/1"),
        (vec!["list", "--examples"], "examples/1"),
        (vec!["whatif", "tests/golden/data/cuda_allocator/snapshots/plain.pickle.gz"], "whatif/1"),
        (vec!["write", model, "--planner", "exact", "-o", &out], "write/1"),
    ] {
        let record = json(&fine(&[&arguments[..], &["--json"]].concat()));
        assert_eq!(record["format"], format, "{arguments:?}");
    }
    // Lists that were printed before the format stay lists, of objects that name it.
    let list = json(&fine(&["list", "--json"]));
    assert_eq!((list[0]["format"].as_str(), list[0]["id"].is_string()), (Some("planner/1"), true));
    assert!(json(&fine(&["compare", &graph, "--planner", "naive", "--format", "json"])).is_array());
}

#[test]
fn records_have_the_figures() {
    let folder = Folder::new();
    let graph = folder.file("g.json", GRAPH);
    let rows = json(&fine(&["metrics", &graph, "--planner", "naive", "--json"]));
    let row = &rows["rows"][0];
    assert_eq!((&row["planner"], &row["peak"], &row["violations"]), (&"naive".into(), &356.into(), &0.into()));
    let rows = json(&fine(&["compare", &graph, "--planner", "naive", "--json"]));
    assert_eq!(rows["rows"][0]["peak"], 356);
    let broken = folder.file("colliding.csv", COLLIDING);
    let output = memplan(&["check", &broken, "--json"]);
    let record = json(&stdout(&output));
    assert_eq!((code(&output), &record["valid"]), (1, &false.into()));
    let findings = record["findings"].as_array().expect("findings");
    assert_eq!((findings.len(), &findings[0]["kind"]), (2, &"overlap".into()));
    let row = json(&fine(&["metrics", &broken, "--planner", "imported", "--json"]))["rows"][0].clone();
    assert_eq!((&row["violations"], &row["peak"]), (&2.into(), &Value::Null));
}
