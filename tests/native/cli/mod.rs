//! The command line as its users meet it: files in, files, words and exit codes out.

mod alive;
mod arena;
mod ci;
mod codes;
mod compare;
mod diff;
mod exercise;
mod files;
mod fit;
mod folders;
mod gap;
mod help;
mod html;
mod inductor;
mod json;
mod mcp;
mod misread;
mod names;
mod notes;
mod own;
mod planners;
mod refusals;
mod svg;
mod view;
mod warnings;
mod whatif;
mod write;
mod write_onnx;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use memplan_core::graph::Kind;
use memplan_core::problem::Scope;
use memplan_engine::{
    Answer, CompareTask, Comparison, Engine, FIGURES, FigureValue, NoListener, PlannerChoice, Request, Source, Task,
};
use memplan_formats::import::{self, Answers, Document};
use serde_json::Value;

const GRAPH: &str = r#"{"format":"memory-graph/1","name":"tiny",
"symbols":{"s0":{"hint":2,"min":1}},
"tensors":[
{"name":"x","dtype":"float32","shape":["s0",16],"kind":"input"},
{"name":"w","dtype":"float32","shape":[16],"kind":"weight"},
{"name":"a","dtype":"float32","shape":["s0",16],"kind":"intermediate"},
{"name":"v","dtype":"float32","shape":["s0",4,4],"kind":"intermediate"},
{"name":"y","dtype":"int8","shape":[100],"kind":"output"}],
"nodes":[
{"name":"mul","op":"mul","inputs":["x","w"],"outputs":["a"]},
{"name":"view","op":"view","inputs":["a"],"outputs":["v"],"attrs":{"alias":"true"}},
{"name":"cast","op":"cast","inputs":["v"],"outputs":["y"]}]}"#;

const BUFFERS: &str = "id,lower,upper,size\na,0,6,4\nb,3,8,4\nc,4,6,3\nd,4,7,3\ne,6,8,2\nf,6,9,1\ng,7,8,6\n";

const COLLIDING: &str = "tensor_name,size,offset,start_time,end_time
conv1_weight,102400,0,1,10
layer1_activation,204800,102400,5,15
pool1_output,102400,102400,16,25
conv2_weight,204800,0,11,30
layer2_activation,409600,204800,20,35
output,102400,614400,36,40
";

/// A folder of its own for each test.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("cli-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&path).expect("a folder for temporary files");
        Folder(path)
    }

    fn file(&self, name: &str, contents: impl AsRef<[u8]>) -> String {
        fs::write(self.0.join(name), contents).expect("a temporary file");
        self.path(name)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("a printable path").to_string()
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(&self.0)
            .expect("the folder")
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn memplan(arguments: &[&str]) -> Output {
    crate::program().args(arguments).output().expect("the program starts")
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("an exit code")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("text")
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("text")
}

/// Runs and demands success.
fn fine(arguments: &[&str]) -> String {
    let output = memplan(arguments);
    assert_eq!(code(&output), 0, "{arguments:?}: {}", stderr(&output));
    stdout(&output)
}

/// Runs and demands exit code 2 and no output; gives the words without notes about the files.
fn refused(arguments: &[&str]) -> String {
    let output = memplan(arguments);
    assert_eq!((code(&output), stdout(&output)), (2, String::new()), "{arguments:?}: {}", stderr(&output));
    stderr(&output).lines().filter(|line| !line.starts_with("note: ")).map(|line| format!("{line}\n")).collect()
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

fn offsets(plan: &Value) -> Vec<(String, u64)> {
    let buffers = plan["buffers"].as_array().expect("buffers");
    let offset = |buffer: &Value| (buffer["name"].as_str().unwrap().to_string(), buffer["offset"].as_u64().unwrap());
    buffers.iter().map(offset).collect()
}

#[test]
fn a_model_is_converted_with_the_values_of_its_symbols() {
    let folder = Folder::new();
    let (model, out) = ("tests/import/onnx/mobilenet_v2_dynamic_batch.onnx", folder.path("graph.json"));
    // The recorded run computes what weights alone give, too.
    fine(&["convert", model, "--constants", "keep", "--symbol", "batch=3", "-o", &out]);
    let text = fs::read(&out).expect("the graph was written");
    let read = import::read(&text, Answers::default()).expect("a valid graph");
    let Document::Graph(graph) = read.document else { panic!("a graph") };
    assert_eq!(graph.symbols["batch"].hint, 3);
    // Recorded for a batch of 4.
    let values = graph.symbol_values(&[("batch".to_string(), 4)].into());
    let made = graph.tensors.enumerate().filter(|(_, tensor)| !matches!(tensor.kind, Kind::Input | Kind::Weight));
    assert_eq!(made.map(|(id, _)| graph.bytes_of(id, &values).expect("known")).sum::<u64>(), 208_112_800);
    let words = refused(&["convert", model, "--symbol", "other=3", "-o", &folder.path("none.json")]);
    assert!(words.contains("This file has no symbol `other`"), "{words}");
}

#[test]
fn list_names_planners_and_their_options() {
    let text = fine(&["list"]);
    assert!(text.contains("first-fit") && text.contains("intervals") && text.contains("tie = index"), "{text}");
    let list = json(&fine(&["list", "--json"]));
    let ids: Vec<&str> = list.as_array().unwrap().iter().map(|planner| planner["id"].as_str().unwrap()).collect();
    assert!(ids.contains(&"inductor-tree") && ids.contains(&"best-fit"), "{ids:?}");
    let planner = |id: &str| list.as_array().unwrap().iter().find(|planner| planner["id"] == id).unwrap();
    assert_eq!(planner("inductor-tree")["needs"], "graph");
    assert_eq!(planner("first-fit")["needs"], "intervals");
    let tie = &planner("first-fit")["options"][0];
    assert_eq!((&tie["key"], &tie["default"]), (&Value::from("tie"), &Value::from("index")));
    assert_eq!(tie["allowed"], serde_json::json!(["index", "size", "long"]));
}

#[test]
fn a_planned_file_passes_the_check() {
    let folder = Folder::new();
    for (name, contents) in [("tiny.json", GRAPH), ("seven.csv", BUFFERS)] {
        let input = folder.file(name, contents);
        for id in ["first-fit", "best-fit", "worst-fit", "naive"] {
            let plan = folder.path("plan.json");
            assert_eq!(fine(&["plan", &input, "--planner", id, "-o", &plan]), "");
            let words = fine(&["check", &plan]);
            assert!(words.starts_with("valid: ") && words.ends_with('\n'), "{words}");
        }
    }
}

#[test]
fn a_plan_on_standard_output_is_the_file() {
    let folder = Folder::new();
    let input = folder.file("seven.csv", BUFFERS);
    let plan = json(&fine(&["plan", &input, "--planner", "best-fit"]));
    assert_eq!((&plan["format"], &plan["planner"]), (&Value::from("memory-plan/1"), &Value::from("best-fit")));
    assert_eq!(plan["options"]["tie"], "index");
    assert_eq!((&plan["metrics"]["peak"], &plan["metrics"]["lower_bound"]), (&Value::from(17), &Value::from(14)));
    let expected = [("a", 0), ("b", 4), ("c", 8), ("d", 11), ("e", 8), ("f", 10), ("g", 11)];
    assert_eq!(offsets(&plan), expected.map(|(name, offset)| (name.to_string(), offset)));
    let first = json(&fine(&["plan", &input, "--planner", "first-fit", "--set", "tie=size", "--with", "none"]));
    assert_eq!((&first["options"]["tie"], &first["metrics"]["buffers"]), (&Value::from("size"), &Value::from(7)));
}

#[test]
fn the_scope_decides_what_of_a_graph_is_planned() {
    let folder = Folder::new();
    let input = folder.file("tiny.json", GRAPH);
    let planned = |more: &[&str]| {
        let mut arguments = vec!["plan", &input, "--planner", "naive"];
        arguments.extend(more);
        let plan = json(&fine(&arguments));
        let buffers = plan["buffers"].as_array().unwrap().clone();
        let size = |buffer: &Value| (buffer["name"].as_str().unwrap().to_string(), buffer["size"].as_u64().unwrap());
        (buffers.iter().map(size).collect::<Vec<_>>(), offsets(&plan))
    };
    let names = |more: &[&str]| planned(more).0.into_iter().map(|(name, _)| name).collect::<Vec<_>>().join(" ");
    assert_eq!(names(&[]), "x a y");
    assert_eq!(names(&["--with", "none"]), "a");
    assert_eq!(names(&["--with", "weights,outputs"]), "w a y");
    assert_eq!(names(&["--with", "none", "--views", "copy"]), "a v");
    assert_eq!(planned(&["--with", "none", "--symbol", "s0=8"]).0, [("a".to_string(), 512)]);
    let (sizes, places) = planned(&["--align", "256", "--with", "outputs"]);
    assert_eq!(sizes, [("a".to_string(), 128), ("y".to_string(), 100)], "sizes stay unpadded");
    assert_eq!(places[1].1, 256);
}

#[test]
fn check_lists_every_collision_with_both_names() {
    let folder = Folder::new();
    let output = memplan(&["check", &folder.file("colliding.csv", COLLIDING)]);
    assert_eq!(code(&output), 1);
    let words = stdout(&output);
    let lines: Vec<&str> = words.lines().collect();
    assert_eq!(lines.len(), 2, "{words}");
    for (line, other) in lines.into_iter().zip(["layer1_activation", "pool1_output"]) {
        assert!(line.contains("conv2_weight") && line.contains(other), "{line}");
    }
    assert!(refused(&["check", &folder.file("seven.csv", BUFFERS)]).contains("no plan"));
    assert!(refused(&["check", &folder.file("tiny.json", GRAPH)]).contains("no plan"));
}

#[test]
fn check_finds_what_was_spoiled_by_hand() {
    let folder = Folder::new();
    let input = folder.file("seven.csv", BUFFERS);
    let good = fine(&["plan", &input, "--planner", "first-fit"]);
    let spoiled = good.replace(
        r#""name":"b","size":4,"start":3,"end":8,"pool":0,"offset":4"#,
        r#""name":"b","size":4,"start":3,"end":8,"pool":0,"offset":2"#,
    );
    assert_ne!(good, spoiled);
    let output = memplan(&["check", &folder.file("spoiled.json", spoiled)]);
    assert_eq!(code(&output), 1);
    assert!(stdout(&output).starts_with("a and b "), "{}", stdout(&output));
}

#[test]
fn check_knows_the_overlaps_that_the_original_makes_too() {
    let folder = Folder::new();
    // `a` is read by `last` only as an ignored input: its storage is given away before.
    let graph = include_str!("../../data/ignored_input.json");
    let plan = folder.path("plan.json");
    fine(&["plan", &folder.file("g.json", graph), "--planner", "nnvm", "-o", &plan]);
    let text = fs::read_to_string(&plan).unwrap();
    assert_eq!(json(&text)["quirks"], serde_json::json!([{"kind": "ignored_read", "a": "a", "b": "b"}]));
    let output = memplan(&["check", &plan]);
    assert_eq!(code(&output), 0);
    let words = stdout(&output);
    assert!(words.starts_with("The original does this too: a and b ") && words.contains("\nvalid: "), "{words}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("1 overlap, made by the original system too"));
    // The same overlap without the reason, or with one about other buffers, is a violation.
    let mut bare = json(&text);
    bare.as_object_mut().unwrap().remove("quirks");
    let output = memplan(&["check", &folder.file("bare.json", bare.to_string())]);
    assert_eq!((code(&output), stdout(&output).starts_with("a and b ")), (1, true));
    let wrong = text.replace("ignored_read", "whim").replace(r#""b":"b""#, r#""b":"c""#);
    let words = refused(&["check", &folder.file("wrong.json", wrong)]);
    assert!(words.contains("quirks[0].kind") && words.contains("quirks[0].b"), "{words}");
}

#[test]
fn stated_offsets_are_kept_only_when_asked_for() {
    let folder = Folder::new();
    let input = folder.file("fixed.csv", "id,lower,upper,size,offset\na,0,2,8,64\nb,0,2,8,\n");
    let plan = folder.path("plan.json");
    let offset_of_a = |arguments: &[&str]| {
        let mut all = vec!["plan", &input, "-o", &plan, "--planner"];
        all.extend(arguments);
        fine(&all);
        fine(&["check", &plan]);
        offsets(&json(&fs::read_to_string(&plan).unwrap()))[0].1
    };
    assert_eq!(offset_of_a(&["first-fit"]), 0);
    assert_eq!(offset_of_a(&["first-fit", "--set", "fixed=true"]), 64);
    assert_eq!(offset_of_a(&["naive", "--set", "fixed=true"]), 64);
}

#[test]
fn a_plan_file_is_planned_anew() {
    let folder = Folder::new();
    let worse = folder.path("worse.json");
    fine(&["plan", &folder.file("seven.csv", BUFFERS), "--planner", "naive", "-o", &worse]);
    let better = json(&fine(&["plan", &worse, "--planner", "first-fit"]));
    assert_eq!(better["metrics"]["peak"], 14);
}

#[test]
fn formats_are_converted_and_packed() {
    let folder = Folder::new();
    let read = |path: &str| {
        let bytes = fs::read(path).expect("the output");
        import::read(&bytes, Answers::default()).expect("a file that reads back").document
    };
    let graph = folder.file("tiny.json", GRAPH);
    let packed = folder.path("tiny.json.gz");
    fine(&["convert", &graph, "-o", &packed]);
    assert!(fs::read(&packed).unwrap().starts_with(&[0x1f, 0x8b]));
    assert_eq!(read(&packed), read(&graph));
    let csv = folder.path("tiny.csv");
    fine(&["convert", &packed, "-o", &csv, "--with", "weights"]);
    assert_eq!(
        fs::read_to_string(&csv).unwrap(),
        "id,lower,upper,size,kind\nw,0,3,64,weight\na,0,3,128,intermediate\n"
    );

    let plan_csv = folder.file("colliding.csv", COLLIDING);
    let (plan_json, again) = (folder.path("plan.json"), folder.path("again.csv.gz"));
    fine(&["convert", &plan_csv, "-o", &plan_json]);
    fine(&["convert", &plan_json, "-o", &again]);
    assert_eq!(read(&again), read(&plan_csv));
    let Document::Plan(_, plan) = read(&plan_json) else { panic!("a plan") };
    let Document::Plan(_, same) = read(&plan_csv) else { panic!("a plan") };
    assert_eq!(plan, same);
}

#[test]
fn every_format_of_a_plan_reads_back() {
    let folder = Folder::new();
    let input = folder.file("seven.csv", BUFFERS);
    let plan_of = |path: &str| match import::read(&fs::read(path).expect("the output"), Answers::default()) {
        Ok(read) => match read.document {
            Document::Plan(problem, plan) => (plan.peak(&problem), problem.buffers.len(), problem.steps),
            other => panic!("{other:?}"),
        },
        Err(faults) => panic!("{faults:?}"),
    };
    for format in ["memory-plan", "csv", "csv-times", "trace"] {
        let path = folder.path(&format!("{format}.out"));
        fine(&["plan", &input, "--planner", "first-fit", "--format", format, "-o", &path]);
        assert_eq!(plan_of(&path), (14, 7, 9), "{format}");
        assert!(fine(&["check", &path]).starts_with("valid: "));
        let again = folder.path("again.trace.json.gz");
        fine(&["convert", &path, "--format", "trace", "-o", &again]);
        assert_eq!(plan_of(&again), (14, 7, 9), "{format}");
    }
    let times = fs::read_to_string(folder.path("csv-times.out")).expect("the output");
    assert_eq!(times.lines().nth(1), Some("a,4,0,0,5"), "the last step is included");
    let trace = json(&fine(&["plan", &input, "--planner", "first-fit", "--format", "trace-executorch"]));
    assert_eq!(trace["traceEvents"].as_array().map(Vec::len), Some(6 + 5 + 2 + 3 + 2 + 3 + 1));
    let graph = folder.file("tiny.json", GRAPH);
    let trace = json(&fine(&["plan", &graph, "--planner", "naive", "--format", "trace-executorch"]));
    assert!(trace["traceEvents"].as_array().unwrap().iter().any(|event| event["args"]["op_name"] == "mul"));
    assert!(refused(&["convert", &input, "--format", "memory-graph", "-o", &folder.path("x")]).contains("graph"));
    assert!(refused(&["convert", &input, "--format", "memory-plan", "-o", &folder.path("x")]).contains("memplan plan"));
}

#[test]
fn facts_and_warnings_go_to_standard_error() {
    let folder = Folder::new();
    let input = folder.file("colliding.csv", COLLIDING);
    let output = memplan(&["convert", &input, "-o", &folder.path("plan.json")]);
    let words = stderr(&output);
    assert_eq!(code(&output), 0);
    assert!(words.contains("`end_time` is read as the last step") && words.contains("2 places"), "{words}");
    let snapshot = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/import/cuda_snapshot/two_devices.pickle.gz");
    let path = folder.path("snapshot.csv");
    let output = memplan(&["convert", snapshot, "-o", &path]);
    assert!(stderr(&output).contains("The run-time allocator used"), "{}", stderr(&output));
    assert!(fine(&["check", &path]).starts_with("valid: "));
    let hostile = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/import/cuda_snapshot/hostile-4.pickle");
    let words = refused(&["convert", hostile, "-o", &path]);
    assert!(words.contains("posix.system") && words.contains("nothing was run"), "{words}");
}

#[test]
fn frames_of_a_run_are_written() {
    let folder = Folder::new();
    let input = folder.file("seven.csv", BUFFERS);
    let frames = json(&fine(&["frames", &input, "--planner", "best-fit"]));
    let list = frames["frames"].as_array().expect("a list");
    assert_eq!((list.len(), &list[0]["focus"]), (8, &Value::Null));
    assert_eq!(list[7]["peak"], 17);
    let all = folder.path("all.json");
    fine(&["frames", &input, "--planner", "best-fit", "--level", "all", "-o", &all]);
    let all = json(&fs::read_to_string(all).expect("the output"));
    assert!(all["frames"].as_array().expect("a list").len() > 8);
}

#[test]
fn figures_of_planners_are_a_table() {
    let folder = Folder::new();
    let input = folder.file("seven.csv", BUFFERS);
    let text = fine(&["metrics", &input, "--planner", "first-fit", "--planner", "best-fit"]);
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!((rows.len(), rows[0][3], rows[1][3], rows[2][3]), (3, "peak", "14", "17"));
    let all = fine(&["metrics", &input, "--format", "markdown"]);
    assert!(all.lines().count() > 5 && all.contains("| first-fit |") && !all.contains("inductor-tree"), "{all}");
    // The collisions of a file's own plan make its peak no result; the planners' peaks are.
    let colliding = folder.file("colliding.csv", COLLIDING);
    let text = fine(&["metrics", &colliding, "--planner", "imported", "--planner", "first-fit"]);
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!((rows[1][1], rows[1][2], rows[1][3]), ("imported", "2", ""));
    assert_eq!((rows[2][1], rows[2][2], rows[2][3].is_empty()), ("first-fit", "0", false));
    assert!(refused(&["metrics", &input, "--planner", "imported"]).contains("no plan"));
    assert!(refused(&["metrics", &input, "--planner", "inductor-tree"]).contains("graph"));
}

const BRANCHES: &str = r#"{"format":"memory-graph/1","name":"branches","tensors":[
{"name":"x","dtype":"uint8","shape":[64],"kind":"intermediate"},
{"name":"a","dtype":"uint8","shape":[64],"kind":"intermediate"},
{"name":"b","dtype":"uint8","shape":[64],"kind":"intermediate"},
{"name":"c","dtype":"uint8","shape":[64],"kind":"intermediate"},
{"name":"y","dtype":"uint8","shape":[64],"kind":"output"}],
"nodes":[
{"name":"X","op":"op","inputs":[],"outputs":["x"]},
{"name":"A","op":"op","inputs":["x"],"outputs":["a"]},
{"name":"B","op":"op","inputs":["a"],"outputs":["b"]},
{"name":"C","op":"op","inputs":["x"],"outputs":["c"]},
{"name":"Y","op":"op","inputs":["b","c"],"outputs":["y"]}]}"#;

#[test]
fn dependencies_are_the_orders_that_a_plan_adds() {
    let folder = Folder::new();
    let graph = folder.file("branches.json", BRANCHES);
    // c takes the bytes of a, which B reads: C may no longer run before B.
    let text = fine(&["dependencies", &graph, "--planner", "first-fit"]);
    let figures = "1 implicit dependency; nodes on the longest path: 4 without, 5 with";
    assert_eq!(text, format!("B before C: c reuses 64 B of a\n{figures}\n"));
    let found = json(&fine(&["dependencies", &graph, "--planner", "first-fit", "--json"]));
    assert_eq!(found["longest_path"], serde_json::json!({ "without": 4, "with": 5 }));
    let reuses = serde_json::json!([{ "old": "a", "new": "c", "bytes": 64 }]);
    assert_eq!(found["dependencies"], serde_json::json!([{ "first": "B", "then": "C", "reuses": reuses }]));
    let safe = fine(&["dependencies", &graph, "--planner", "first-fit", "--set", "branch_safe=true"]);
    assert_eq!(safe, "0 implicit dependencies; nodes on the longest path: 4 without, 4 with\n");
}

#[test]
fn dependencies_and_branches_need_a_graph() {
    let folder = Folder::new();
    let buffers = folder.file("buffers.csv", BUFFERS);
    let words = refused(&["dependencies", &buffers, "--planner", "first-fit"]);
    assert!(words.contains("buffers.csv") && words.contains("computed only for graphs"), "{words}");
    let words = refused(&["plan", &buffers, "--planner", "first-fit", "--set", "branch_safe=true"]);
    assert!(words.contains("needs a graph"), "{words}");
}

#[test]
fn a_capacity_without_a_plan_is_its_own_exit_code() {
    let folder = Folder::new();
    let (file, out) = (folder.file("b.csv", BUFFERS), folder.path("plan.json"));
    let plan = |capacity: &str| {
        let capacity = format!("capacity={capacity}");
        memplan(&["plan", &file, "--planner", "exact", "--set", &capacity, "-o", &out])
    };
    let refused = plan("13");
    assert_eq!((code(&refused), folder.names()), (3, vec!["b.csv".to_string()]));
    let words = stderr(&refused);
    assert!(words.contains("13 bytes") && words.contains("a, b, c, d"), "{words}");
    assert_eq!(code(&plan("14")), 0);
    let written: Value = serde_json::from_slice(&fs::read(&out).expect("the plan")).expect("JSON");
    let metrics = &written["metrics"];
    assert_eq!((metrics["peak"].as_u64(), metrics["proved_bound"].as_u64()), (Some(14), Some(14)));
    assert_eq!(metrics["optimal"].as_bool(), Some(true));
    assert_eq!(code(&memplan(&["check", &out])), 0);
    assert_eq!(code(&plan("much")), 2);
}
