//! `memplan write`: plans in models, and what is refused.

use super::{Folder, code, fine, memplan, refused, stderr};

const MODEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/tflite/small_cnn_int8.tflite");

#[test]
fn a_written_model_opens_and_obeys_the_plan() {
    let folder = Folder::new();
    let out = folder.0.join("planned.tflite").display().to_string();
    let table = folder.0.join("plan.h").display().to_string();
    let output = memplan(&["write", MODEL, "--planner", "exact", "-o", &out, "--table", &table]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let told = stderr(&output);
    assert!(told.contains("head 20480 B with the plan, 22528 B without, bound 20480 B"), "{told}");
    // As TensorFlow Lite Micro's recording interpreter reports them.
    assert!(told.contains("Tail about 4256 B, so that the arena is about 24736 B"), "{told}");
    let (old, new) = (std::fs::read(MODEL).expect("a model"), std::fs::read(&out).expect("written"));
    assert!(new.ends_with(&old) && (new.len() - old.len()) % 16 == 0, "the old bytes stay");
    // The reader of the other commands takes the plan for that of the file.
    assert!(fine(&["check", &out]).starts_with("valid: 13 buffers in 1 pool, peak 20480 bytes"));
    // 13 tensors, and the three requests of MEAN.
    let header = std::fs::read_to_string(&table).expect("a table");
    assert!(header.contains("    16,        // buffer_count\n"), "{header}");
}

/// A model as Vela compiles it: the accelerator's memory holds input and output.
const ACCELERATOR: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/tflite/accelerator.tflite");

#[test]
fn a_plan_for_an_accelerator_is_valid_and_kept() {
    let folder = Folder::new();
    assert!(fine(&["check", ACCELERATOR]).starts_with("valid: 1 buffer in 1 pool, peak 4096 bytes"));
    let out = folder.0.join("out.tflite");
    let path = out.display().to_string();
    let words = refused(&["write", ACCELERATOR, "--planner", "exact", "-o", &path, "--force"]);
    assert!(words.contains("was kept") && words.contains("4096 B"), "{words}");
    let fit = ["fit", ACCELERATOR, "--memory", "RAM=4KiB"];
    assert!(fine(&fit).starts_with("fits: 4"));
    assert!(refused(&[&fit[..], &["--write", &path]].concat()).contains("was kept"));
    assert!(!out.exists());
}

#[test]
fn working_memory_that_is_not_known_is_named() {
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/tflite/unknown_operator.tflite");
    let folder = Folder::new();
    let out = folder.0.join("out.tflite").display().to_string();
    let write = ["write", model, "--planner", "exact", "-o", &out];
    let told = stderr(&memplan(&write));
    assert!(told.contains("at least 512 B") && told.contains("not known") && told.contains("Denoise_1"), "{told}");
    assert!(told.contains("Tail at least"), "{told}");
    let stated = memplan(&[&write[..], &["--force", "--scratch", "1=100"]].concat());
    assert!(stderr(&stated).contains("head 624 B with the plan") && !stderr(&stated).contains("Denoise_1"));
    let fit = memplan(&["fit", model, "--memory", "RAM=4KiB"]);
    assert!(stderr(&fit).contains("at least about") && stderr(&fit).contains("Denoise_1"), "{}", stderr(&fit));
}

#[test]
fn operators_are_reordered_only_when_asked_for() {
    let folder = Folder::new();
    let order = "0,1,3,6,2,4,5,7,8,9,10,11";
    for (name, more) in [("found", vec!["--reorder"]), ("given", vec!["--order", order])] {
        let out = folder.0.join(name).display().to_string();
        let output = memplan(&[&["write", MODEL, "--planner", "exact", "-o", &out][..], &more].concat());
        assert_eq!(code(&output), 0, "{name}: {}", stderr(&output));
        assert!(fine(&["check", &out]).starts_with("valid: 13 buffers"), "{name}");
    }
    let out = folder.0.join("wrong").display().to_string();
    let words = refused(&["write", MODEL, "--planner", "exact", "-o", &out, "--order", "1,0,2,3,4,5,6,7,8,9,10,11"]);
    assert!(words.contains("run before"), "{words}");
    let words = refused(&["write", MODEL, "--planner", "exact", "-o", &out, "--order", "0,0"]);
    assert!(words.contains("permutation"), "{words}");
}

#[test]
fn nothing_is_overwritten_and_no_worse_plan_is_written() {
    let folder = Folder::new();
    let out = folder.0.join("out.tflite");
    let path = out.display().to_string();
    let worse = ["write", MODEL, "--planner", "naive", "-o", &path];
    assert!(refused(&worse).contains("instead of 22528 B"));
    assert!(!out.exists());
    assert_eq!(code(&memplan(&[&worse[..], &["--force"]].concat())), 0);
    let again = ["write", MODEL, "--planner", "exact", "-o", &path];
    assert!(refused(&again).contains("exists"));
    assert_eq!(code(&memplan(&[&again[..], &["--force"]].concat())), 0);
    let copy = folder.0.join("copy.tflite");
    std::fs::copy(MODEL, &copy).expect("copied");
    let copy = copy.display().to_string();
    assert!(refused(&["write", &copy, "--planner", "exact", "-o", &copy, "--force"]).contains("the model itself"));
    assert_eq!(std::fs::read(&copy).expect("there"), std::fs::read(MODEL).expect("there"));
    let twice = ["write", MODEL, "--planner", "exact", "-o", &path, "--table", &path, "--force"];
    assert!(refused(&twice).contains("named twice"));
}

#[test]
fn what_cannot_be_written_is_said() {
    let folder = Folder::new();
    let out = folder.0.join("out.tflite").display().to_string();
    let graph = concat!(env!("CARGO_MANIFEST_DIR"), "/../../www/graphs/resnet18.json");
    let told = |more: &[&str]| refused(&[&["write"], more, &["-o", &out]].concat());
    assert!(told(&[graph, "--planner", "exact"]).contains("into .tflite, .pte and .onnx files only"));
    assert!(told(&[MODEL, "--planner", "shared-objects-by-size"]).contains("one arena"));
    assert!(told(&[MODEL, "--planner", "magic"]).contains("Unknown planner"));
    assert!(told(&[MODEL, "--planner", "exact", "--scratch", "x"]).contains("no working memory"));
    let damaged = folder.file("damaged.tflite", "\u{8}\0\0\0TFL3\0\0");
    assert!(told(&[&damaged, "--planner", "exact"]).contains("damaged"));
}

const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/executorch/tiny_add_cat.pte");

#[test]
fn a_written_program_reads_back_with_the_new_places() {
    let folder = Folder::new();
    let old = std::fs::read(PROGRAM).expect("a program");
    for (planner, expected) in [("first-fit", 896), ("exact", 896), ("executorch-greedy", 896), ("best-fit", 896)] {
        let out = folder.path(planner);
        let output = memplan(&["write", PROGRAM, "--planner", planner, "-o", &out]);
        assert_eq!(code(&output), 0, "{planner}: {}", stderr(&output));
        let told = stderr(&output);
        assert!(told.contains(&format!("planned memory {expected} B with the plan, 896 B as it was")), "{told}");
        assert!(fine(&["check", &out]).starts_with("valid: 8 buffers in 1 pool, peak 896 bytes"), "{planner}");
        // What is not a place stays: the instructions, the values and the constants, which the same
        // graph shows.
        let graph = |file: &str| {
            let json = folder.path("graph.json");
            fine(&["convert", file, "-o", &json, "--format", "memory-graph"]);
            std::fs::read_to_string(&json).expect("a graph")
        };
        assert_eq!(graph(&out), graph(PROGRAM), "{planner}");
        let new = std::fs::read(&out).expect("a program");
        assert!(new.ends_with(&old[2304..]), "{planner}: the weights stay");
        let base = u64::from_le_bytes(new[24..32].try_into().expect("8 bytes"));
        let length = u64::from_le_bytes(new[16..24].try_into().expect("8 bytes"));
        assert_eq!((base % 256, base >= length, base as usize + 256), (0, true, new.len()), "{planner}");
    }
}

#[test]
fn a_second_plan_is_written_where_the_first_one_stands() {
    let folder = Folder::new();
    let (moved, again) = (folder.path("moved.pte"), folder.path("again.pte"));
    for (from, to, planner) in [(PROGRAM, &moved, "naive"), (&moved, &again, "first-fit")] {
        let output = memplan(&["write", from, "--planner", planner, "-o", to, "--force"]);
        assert_eq!(code(&output), 0, "{planner}: {}", stderr(&output));
    }
    // With room for every number, a second plan is written in place.
    let length = |path: &str| std::fs::metadata(path).expect("a file").len();
    assert_eq!(length(&moved), length(&again));
    assert!(fine(&["check", &again]).contains("peak 896 bytes"));
}

/// The plan of a file, with the bytes of one tensor stated anew.
fn stated(folder: &Folder, file: &str, more: &[(&str, &str)]) -> String {
    let path = folder.path("stated.json");
    fine(&["convert", file, "-o", &path, "--format", "memory-plan"]);
    let text = std::fs::read_to_string(&path).expect("a plan");
    let text = more.iter().fold(text, |text, (old, new)| {
        assert!(text.contains(old), "{old} in {text}");
        text.replacen(old, new, 1)
    });
    folder.file("stated.json", text)
}

#[test]
fn a_plan_from_a_file_is_written_and_one_for_another_model_is_refused() {
    let folder = Folder::new();
    let (first, second) = (folder.path("first"), folder.path("second"));
    for (model, planner) in [(MODEL, "exact"), (PROGRAM, "best-fit")] {
        fine(&["write", model, "--planner", planner, "-o", &first, "--force"]);
        let plan = stated(&folder, &first, &[]);
        let written = ["write", model, "--plan", &plan, "-o", &second, "--force"];
        assert_eq!(code(&memplan(&written)), 0, "{}", stderr(&memplan(&written)));
        assert!(std::fs::read(&first).expect("there") == std::fs::read(&second).expect("there"), "{model}");
    }
    let told = |plan: &str| refused(&["write", PROGRAM, "--plan", plan, "-o", &second, "--force"]);
    let before = std::fs::read(&second).expect("there");
    let foreign = stated(&folder, MODEL.replace("int8", "int8_offline").as_str(), &[]);
    assert!(told(&foreign).contains("for another model: it has no place for value 1."), "{}", told(&foreign));
    let larger =
        stated(&folder, PROGRAM, &[("\"name\":\"value 2\",\"size\":128", "\"name\":\"value 2\",\"size\":144")]);
    assert!(told(&larger).contains("value 2 has 144 B in the plan and 128 B in the model"), "{}", told(&larger));
    let row = "{\"name\":\"value 1\",";
    let twice =
        format!("{{\"name\":\"value 99\",\"size\":16,\"start\":0,\"end\":1,\"pool\":0,\"offset\":880}},\n{row}");
    assert!(told(&stated(&folder, PROGRAM, &[(row, &twice)])).contains("it places value 99"));
    assert!(told(&folder.file("buffers.csv", super::BUFFERS)).contains("no plan"));
    assert_eq!(std::fs::read(&second).expect("there"), before, "what was there stays");
    assert_eq!(folder.names(), ["buffers.csv", "first", "second", "stated.json"], "no drafts are left");
}

#[test]
fn what_a_program_cannot_take_is_said() {
    let folder = Folder::new();
    let out = folder.path("out.pte");
    let told = |more: &[&str]| refused(&[&["write", PROGRAM, "-o", &out], more].concat());
    assert!(told(&["--planner", "shared-objects-by-size"]).contains("no addresses"));
    assert!(told(&["--planner", "naive"]).contains("instead of 896 B"));
    assert!(told(&["--planner", "exact", "--reorder"]).contains("--reorder is for .tflite files only"));
    assert!(told(&["--planner", "exact", "--scratch", "0=16"]).contains("--scratch"));
    let program = std::fs::read(PROGRAM).expect("a program");
    for cut in [9, 40, 100, 1200, 2000] {
        let damaged = folder.file("damaged.pte", &program[..cut]);
        refused(&["write", &damaged, "--planner", "exact", "-o", &out]);
    }
    assert_eq!(folder.names(), ["damaged.pte"]);
}

/// Working memory of kernels that are not the reference's takes its room in the plan.
#[test]
fn working_memory_leaves_room() {
    let folder = Folder::new();
    let out = folder.0.join("out.tflite").display().to_string();
    let output = memplan(&["write", MODEL, "--planner", "exact", "-o", &out, "--scratch", "0=4096"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(stderr(&output).contains("with the plan"), "{}", stderr(&output));
}

/// A chain of five nodes, as onnxsim was given it.
const CHAIN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/data/onnxsim/hand_chain.onnx");

#[test]
fn a_plan_is_written_into_an_onnx_model_and_read_again() {
    let folder = Folder::new();
    let out = folder.0.join("planned.onnx").display().to_string();
    let again = folder.0.join("again.onnx").display().to_string();
    for planner in ["onnxsim", "greedy-by-size"] {
        let output = memplan(&["write", CHAIN, "--planner", planner, "-o", &out, "--force"]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let told = stderr(&output);
        assert!(told.contains("arena 800 B with the plan, 1632 B without sharing, bound 800 B"), "{told}");
        assert!(fine(&["check", &out]).starts_with("valid: 6 buffers in 1 pool, peak 800 bytes"), "{planner}");
    }
    // The model's own plan, and one from a file, go into a model as well.
    let output = memplan(&["write", &out, "--planner", "imported", "-o", &again]);
    assert_eq!((code(&output), std::fs::read(&out).ok()), (0, std::fs::read(&again).ok()), "{}", stderr(&output));
    let output = memplan(&["write", CHAIN, "--plan", &out, "-o", &again, "--force"]);
    assert_eq!((code(&output), std::fs::read(&out).ok()), (0, std::fs::read(&again).ok()), "{}", stderr(&output));
    let words = refused(&["write", CHAIN, "--planner", "nnvm", "-o", &again, "--force"]);
    assert!(words.contains("one arena"), "{words}");
    let words = refused(&["write", CHAIN, "--planner", "first-fit", "-o", &again, "--force", "--order", "0"]);
    assert!(words.contains("--order is not for ONNX models"), "{words}");
}

/// What the file leaves open may be stated, and the plan covers it.
#[test]
fn shapes_that_an_onnx_model_leaves_open_may_be_stated() {
    let custom = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/import/onnx/odd/custom.onnx");
    let folder = Folder::new();
    let out = folder.0.join("planned.onnx").display().to_string();
    assert!(refused(&["write", custom, "--planner", "exact", "-o", &out]).contains("--shape \"h=1,64"));
    let output = memplan(&["write", custom, "--planner", "exact", "-o", &out, "--shape", "h=4,5"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let peak = |arguments: &[&str]| -> serde_json::Value {
        let metrics: serde_json::Value = serde_json::from_str(&fine(arguments)).expect("JSON");
        metrics["rows"][0]["peak"].clone()
    };
    let planned = peak(&["metrics", custom, "--planner", "exact", "--shape", "h=4,5", "--json"]);
    assert!(planned.as_u64().is_some_and(|bytes| bytes > 0), "{planned}");
    // The shapes are in the file now, so nothing needs to be stated again.
    assert_eq!(peak(&["metrics", &out, "--planner", "imported", "--json"]), planned);
    let words = refused(&["write", custom, "--planner", "exact", "-o", &out, "--force", "--shape", "hh=4,5"]);
    assert!(words.contains("Did you mean h?"), "{words}");
}
