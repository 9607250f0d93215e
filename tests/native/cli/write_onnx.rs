//! Plans written into ONNX models, beside what onnxsim 0.8.1 writes into them
//! (`tests/data/onnx_plan/make.py`).

use memplan_formats::onnx_plan::{Outline, outline};
use serde_json::{Value, json};

use super::{Folder, code, fine, memplan, stderr};

fn model(name: &str) -> String {
    format!("{}/../../tests/data/onnx_plan/{name}.onnx", env!("CARGO_MANIFEST_DIR"))
}

fn outlined(path: &str) -> Outline {
    outline(&std::fs::read(path).expect("a file")).expect("a model")
}

/// All entries of a graph and of those in its nodes.
fn entries(outline: &Outline) -> Value {
    let inner: Vec<Value> = outline.nodes.iter().flat_map(|node| &node.subgraphs).map(entries).collect();
    json!([outline.name, outline.entries, outline.value_entries, inner])
}

/// Writes the plan of a planner into a model, and returns what is told.
fn write(name: &str, planner: &str, out: &str) -> String {
    let output = memplan(&["write", &model(name), "--planner", planner, "-o", out, "--force"]);
    assert_eq!(code(&output), 0, "{name}, {planner}: {}", stderr(&output));
    stderr(&output)
}

#[test]
fn the_entries_are_those_of_onnxsim_also_inside_nodes() {
    let folder = Folder::new();
    let out = folder.path("written.onnx");
    for name in ["branches", "constants", "overlap_captured", "overwritten", "reshape_again", "view_again"] {
        write(name, "onnxsim", &out);
        let (ours, theirs) = (entries(&outlined(&out)), entries(&outlined(&model(&format!("{name}.annotated")))));
        assert_eq!(ours, theirs, "{name}");
    }
    // Inside its nodes the file states the shapes of results alone.
    assert!(write("branches", "onnxsim", &out).contains("arena 12416 B with the plan"));
}

#[test]
fn what_is_no_tensor_gets_neither_place_nor_type() {
    let folder = Folder::new();
    let out = folder.path("written.onnx");
    for (name, planners, wanted) in [
        ("sequence", &["onnxsim", "first-fit", "greedy-by-size"][..], &["both"][..]),
        (
            "kinds",
            &["onnxsim"],
            &[
                "again", "called", "chosen", "got", "looped", "made", "mapped", "may", "maybe", "none", "rows",
                "shorter",
            ],
        ),
    ] {
        for planner in planners {
            write(name, planner, &out);
            let outline = outlined(&out);
            assert_eq!(outline.others.iter().collect::<Vec<_>>(), wanted, "{name}");
            for other in &outline.others {
                let is_there = outline.values.contains_key(other) || outline.value_entries.contains_key(other);
                assert!(!is_there, "{other} by {planner}");
            }
            assert!(outline.values.contains_key("c") || name == "kinds", "tensors are described");
        }
    }
}

#[test]
fn a_view_whose_source_is_read_again_is_no_collision() {
    let folder = Folder::new();
    let (out, again) = (folder.path("written.onnx"), folder.path("again.onnx"));
    for name in ["view_again", "reshape_again"] {
        for planner in ["onnxsim", "first-fit", "greedy-by-size", "best"] {
            write(name, planner, &out);
            let told = fine(&["check", &out]);
            assert!(told.starts_with("valid"), "{name} by {planner}: {told}");
            let output = memplan(&["write", &out, "--planner", "imported", "-o", &again, "--force"]);
            assert_eq!(code(&output), 0, "{}", stderr(&output));
            assert_eq!(std::fs::read(&out).ok(), std::fs::read(&again).ok(), "{name} by {planner}");
        }
    }
}

#[test]
fn places_of_constants_are_read() {
    let folder = Folder::new();
    let out = folder.path("written.onnx");
    let annotated = model("constants.annotated");
    let told = fine(&["check", &annotated]);
    assert!(told.starts_with("valid: 6 buffers in 1 pool, peak 272 bytes"), "{told}");
    // Another planner plans the steps that the file's plan has.
    let output = memplan(&["write", &annotated, "--planner", "first-fit", "-o", &out]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(fine(&["check", &out]).starts_with("valid: 6 buffers"));
    assert!(outlined(&out).value_entries.contains_key("extents"));
}

/// What overwrites bytes that are read later collides, whether a view lies there or not.
#[test]
fn real_collisions_of_views_are_found() {
    for name in ["overlap_captured", "overlap_written"] {
        let output = memplan(&["check", &model(&format!("{name}.annotated"))]);
        let told = String::from_utf8_lossy(&output.stdout).to_string();
        assert!(code(&output) != 0 && told.contains("c hold the same bytes"), "{name}: {told}");
    }
}

#[test]
fn an_arena_below_the_bound_is_explained() {
    let folder = Folder::new();
    let out = folder.path("written.onnx");
    let told = write("overwritten", "onnxsim", &out);
    assert!(
        told.contains("arena 80 B") && told.contains("bound 96 B") && told.contains("overwrite operands"),
        "{told}"
    );
    assert!(!write("view_again", "onnxsim", &out).contains("overwrite operands"));
}
