//! What the reader found out and assumed is on standard error, in every command that reads a file.

use super::*;

const DYNAMIC: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/import/onnx/mobilenet_v2_dynamic_batch.onnx");

const TWO_MODELS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/pt2/two_models.pt2");

/// Commands with the arguments before and after the file.
fn reading(folder: &Folder) -> Vec<(Vec<String>, Vec<String>)> {
    let out = folder.path("out.json");
    let words = |text: &str| text.split_whitespace().map(|word| word.replace("OUT", &out)).collect::<Vec<_>>();
    [
        ("plan", "--planner first-fit -o OUT --force"),
        ("alive", "--planner first-fit"),
        ("compare", "--planner first-fit"),
        ("chart", "--planner first-fit"),
        ("dependencies", "--planner first-fit"),
        ("frame", "--planner first-fit --at 1"),
        ("frames", "--planner first-fit -o OUT"),
        ("gap", "--planner first-fit"),
        ("metrics", "--planner first-fit"),
        ("svg", "--planner first-fit"),
        ("convert", "-o OUT"),
        ("fit", "--memory SRAM=1GiB"),
    ]
    .map(|(before, after)| (words(before), words(after)))
    .into()
}

#[test]
fn every_command_tells_what_the_reader_assumed() {
    let folder = Folder::new();
    for (before, after) in reading(&folder) {
        let words: Vec<&str> = before.iter().map(|word| &**word).chain([DYNAMIC]).collect();
        let words: Vec<&str> = words.into_iter().chain(after.iter().map(|word| &**word)).collect();
        let told = memplan(&words);
        assert_eq!(code(&told), 0, "{words:?}: {}", stderr(&told));
        let notes = stderr(&told);
        assert_eq!(notes.matches("note: Value of the symbol: batch = 1.").count(), 1, "{words:?}: {notes}");
        assert_eq!(notes.matches("batch").count(), 1, "{words:?}: told once, with the option: {notes}");
        assert!(notes.contains("note: ONNX IR version") || notes.contains("note: Written by"), "{words:?}: {notes}");
        let quiet = memplan(&[&words[..], &["--quiet"]].concat());
        assert!(!stderr(&quiet).contains("note: ") && !stderr(&quiet).contains("warning: "), "{}", stderr(&quiet));
        assert_eq!(quiet.stdout.is_empty(), told.stdout.is_empty(), "{words:?}: the answer stays");
    }
}

#[test]
fn notes_have_the_values_that_were_given() {
    let output = memplan(&["metrics", DYNAMIC, "--planner", "naive", "--symbol", "batch=3"]);
    assert!(stderr(&output).contains("batch = 3."), "{}", stderr(&output));
    let folder = Folder::new();
    let tiny = folder.file("tiny.json", GRAPH);
    let output = memplan(&["compare", DYNAMIC, &tiny, "--planner", "naive", "--symbol", "s0=4"]);
    let notes = stderr(&output);
    assert!(notes.contains(&format!("note: {DYNAMIC}: Value of the symbol: batch = 1.")), "{notes}");
    assert!(notes.contains(&format!("note: {tiny}: Value of the symbol: s0 = 4.")), "{notes}");
}

#[test]
fn the_other_models_of_a_file_are_told() {
    let output = memplan(&["plan", TWO_MODELS, "--planner", "naive"]);
    assert!(stderr(&output).contains("Choose one with --model"), "{}", stderr(&output));
}

#[test]
fn unknown_names_are_refused_with_the_one_that_was_meant() {
    let folder = Folder::new();
    let graph = folder.file("g.json", GRAPH.replace("\"s0\"", "\"batch\""));
    let refusal = |more: &[&str]| refused(&[&["plan", &*graph], more].concat());
    let words = refusal(&["--planner", "first-fit", "--symbol", "bacth=3"]);
    assert!(words.contains("no symbol `bacth`") && words.contains("Did you mean `batch`?"), "{words}");
    let words = refusal(&["--planner", "first-fit", "--symbol", "zzz=3"]);
    assert!(words.contains("Its symbols: batch.") && !words.contains("Did you mean"), "{words}");
    let words = refusal(&["--planner", "first-fit", "--set", "tei=size"]);
    assert!(words.contains("Did you mean `tie`?"), "{words}");
    let words = refusal(&["--planner", "frist-fit"]);
    assert!(words.contains("Unknown planner `frist-fit`") && words.contains("Did you mean `first-fit`?"), "{words}");
    let words = refusal(&["--planner", "naive", "--shape", "V=2,3"]);
    assert!(words.contains("no tensor has this name") && words.contains("Did you mean"), "{words}");
    let words = refusal(&["--planner", "naive", "--shape", "y=200"]);
    assert!(words.contains("the shape of `y` is [100] in the file"), "{words}");
    fine(&["plan", &graph, "--planner", "naive", "--shape", "y=100"]);
    let buffers = folder.file("b.csv", BUFFERS);
    let words = refused(&["plan", &buffers, "--planner", "naive", "--symbol", "s0=3"]);
    assert!(words.contains("no symbol `s0`") && words.contains("fixed"), "{words}");
    let words = refused(&["plan", &buffers, "--planner", "naive", "--shape", "a=3"]);
    assert!(words.contains("no tensor `a`"), "{words}");
    let longer = folder.file("c.csv", COLLIDING);
    let words = refused(&["plan", &longer, "--planner", "naive", "--shape", "conv1_wieght=3"]);
    assert!(words.contains("Did you mean `conv1_weight`?"), "{words}");
    let words = refused(&["plan", "ex:mobilenet_v3", "--planner", "naive"]);
    assert!(words.contains("Did you mean `mobilenet_v2`?"), "{words}");
    let words = refused(&["plan", TWO_MODELS, "--planner", "naive", "--model", "brunch"]);
    assert!(words.contains("Its models: attention, branch.") && words.contains("Did you mean `branch`?"), "{words}");
    let words = refused(&["fit", &graph, "--memory", "SRAM=1MiB", "--allow", "order,plannr"]);
    assert!(words.contains("Did you mean `planner`?"), "{words}");
    // All commands that take symbols.
    for command in ["compare", "metrics", "chart", "worksheet"] {
        let words = refused(&[command, &graph, "--planner", "naive", "--symbol", "bach=3"]);
        assert!(words.contains("Did you mean `batch`?"), "{command}: {words}");
    }
}

#[test]
fn values_of_symbols_open_a_graph_whose_own_leave_it_without_sizes() {
    let folder = Folder::new();
    let graph =
        folder.file("g.json", GRAPH.replace("[\"s0\",16],\"kind\":\"input\"", "[\"s0-4\",16],\"kind\":\"input\""));
    let words = refused(&["metrics", &graph, "--planner", "naive"]);
    assert!(words.contains("value -2 is negative. Set others with --symbol NAME=VALUE."), "{words}");
    fine(&["metrics", &graph, "--planner", "naive", "--symbol", "s0=9"]);
}

#[test]
fn many_faults_of_a_kind_are_told_in_one_line() {
    let folder = Folder::new();
    let tensor = |n: u32| format!(r#"{{"name":"t{n}","kind":"input","dtype":"float32","shape":["s0-4"]}}"#);
    let tensors: Vec<String> = (0..500).map(tensor).collect();
    let graph = format!(
        r#"{{"format":"memory-graph/1","symbols":{{"s0":{{"hint":2}}}},"tensors":[{}],"nodes":[]}}"#,
        tensors.join(",")
    );
    let words = refused(&["plan", &folder.file("g.json", graph), "--planner", "naive"]);
    assert!(words.lines().count() < 6 && words.contains("more faults like the last one, about"), "{words}");
}

#[test]
fn quiet_leaves_out_notes_and_keeps_results() {
    let folder = Folder::new();
    let model = "tests/data/tflite/small_cnn_int8.tflite";
    let fit = ["fit", model, "--memory", "SRAM=1MiB"];
    assert!(stderr(&memplan(&fit)).contains("tail"));
    let quiet = memplan(&[&fit[..], &["-q"]].concat());
    assert_eq!((code(&quiet), &*stderr(&quiet)), (0, ""));
    assert!(stdout(&quiet).starts_with("fits: "));
    let write = |more: &[&str]| {
        let out = folder.path("out.tflite");
        memplan(&[&["write", model, "--planner", "exact", "-o", &out, "--force"], more].concat())
    };
    let (told, quiet, both) = (write(&[]), write(&["-q"]), write(&["-q", "--json"]));
    assert!(stderr(&told).contains("with the plan") && stderr(&told).lines().count() > 1, "{}", stderr(&told));
    // Without JSON, the sentence is the result.
    assert!(stderr(&quiet).contains("with the plan") && stderr(&quiet).lines().count() == 1, "{}", stderr(&quiet));
    assert_eq!((stderr(&both), &json(&stdout(&both))["format"]), (String::new(), &"write/1".into()));
}

#[test]
fn an_exercise_tells_the_values_of_symbols() {
    let folder = Folder::new();
    let graph = folder.file("g.json", GRAPH);
    let output = memplan(&["exercise", "--kind", "order", &graph]);
    assert!(stderr(&output).contains("note: Value of the symbol: s0 = 2."), "{}{}", stderr(&output), stdout(&output));
}
