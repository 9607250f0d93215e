//! `--planner` in every command that takes a planner: options, repetition, the file's own plan.

use super::*;

#[test]
fn options_stand_beside_the_planner_in_every_command() {
    let folder = Folder::new();
    let graph = folder.file("g.json", GRAPH);
    let inline = "first-fit;tie=size";
    for command in ["plan", "alive", "dependencies", "frames", "gap", "svg"] {
        let with_set = fine(&[command, &graph, "--planner", "first-fit", "--set", "tie=size"]);
        assert_eq!(fine(&[command, &graph, "--planner", inline]), with_set, "{command}");
    }
    fine(&["frame", &graph, "--planner", inline, "--at", "1"]);
    for command in ["chart", "worksheet", "diff"] {
        let files = if command == "diff" { vec![&*graph, &*graph] } else { vec![&*graph] };
        fine(&[&[command], &files[..], &["--planner", inline]].concat());
    }
    let plan = json(&fine(&["plan", &graph, "--planner", "beam;k=4", "--set", "k=2"]));
    assert_eq!(plan["options"]["k"], "2", "--set is the last word");
    for command in ["compare", "metrics"] {
        let text = fine(&[command, &graph, "--planner", inline, "--planner", "naive", "--format", "csv"]);
        let rows: Vec<&str> = text.lines().skip(1).filter_map(|line| line.split(',').nth(1)).collect();
        assert_eq!((rows.len(), rows.contains(&inline), rows.contains(&"naive")), (2, true, true), "{text}");
        let list = fine(&[command, &graph, "--planner", "first-fit;tie=size,naive", "--format", "csv"]);
        assert_eq!(list.lines().count(), 3, "{list}");
        let alias = fine(&[command, &graph, "--planners", "naive,first-fit", "--format", "csv"]);
        assert_eq!(alias.lines().count(), 3, "{alias}");
    }
    let model = "tests/data/tflite/small_cnn_int8.tflite";
    fine(&["write", model, "--planner", "exact;nodes=1000", "-o", &folder.path("none"), "--force"]);
    let out = folder.path("out");
    for command in ["plan", "compare", "metrics", "gap", "write", "worksheet"] {
        let output = if command == "gap" { vec![] } else { vec!["-o", &*out] };
        let words = refused(&[&[command, &graph, "--planner", "first-fit;tei=size"], &output[..]].concat());
        assert!(words.contains("Did you mean `tie`?"), "{command}: {words}");
    }
}

#[test]
fn a_command_of_one_planner_says_so() {
    let folder = Folder::new();
    let graph = folder.file("g.json", GRAPH);
    for command in ["plan", "gap", "svg", "frames", "dependencies"] {
        let words = refused(&[command, &graph, "--planner", "naive", "--planner", "first-fit"]);
        assert!(words.contains("runs one planner") && words.contains("naive, first-fit"), "{words}");
    }
    let words = refused(&["diff", &graph, &graph, "--planner", "naive,first-fit"]);
    assert!(words.contains("runs one planner"), "{words}");
}

#[test]
fn the_own_plan_of_a_file_is_a_planner() {
    let folder = Folder::new();
    let plan = folder.file("plan.csv", "id,lower,upper,size,offset\na,0,4,8,0\nb,2,6,8,16\n");
    let program = "tests/data/executorch/tiny_add_cat.pte";
    for (file, peak) in [(&*plan, 24), (program, 896)] {
        let own = json(&fine(&["plan", file, "--planner", "imported"]));
        assert_eq!((&own["planner"], &own["metrics"]["peak"]), (&"imported".into(), &peak.into()));
        for command in ["alive", "frames", "gap", "svg", "metrics", "compare", "chart", "worksheet"] {
            fine(&[command, file, "--planner", "imported"]);
        }
        fine(&["frame", file, "--planner", "imported", "--at", "1"]);
        fine(&["diff", file, file, "--planner", "imported"]);
    }
    fine(&["dependencies", program, "--planner", "imported"]);
    let out = folder.path("same.pte");
    fine(&["write", program, "--planner", "imported", "-o", &out]);
    assert!(fine(&["check", &out]).contains("peak 896 bytes"));
    let bare = folder.file("b.csv", BUFFERS);
    for command in ["plan", "gap", "metrics", "frames", "svg"] {
        assert!(refused(&[command, &bare, "--planner", "imported"]).contains("no plan"), "{command}");
    }
    assert!(refused(&["plan", &plan, "--planner", "imported;tie=size"]).contains("no options"));
    // A plan that breaks rules is no success.
    let broken = folder.file("broken.csv", "id,lower,upper,size,offset\na,0,4,8,0\nb,2,6,8,4\n");
    assert_eq!(code(&memplan(&["plan", &broken, "--planner", "imported"])), 1);
}

#[test]
fn options_beside_a_planner_are_never_dropped() {
    let folder = Folder::new();
    let graph = folder.file("g.json", GRAPH);
    let told = |planner: &str| refused(&["plan", &graph, "--planner", planner]);
    assert!(told("first-fit;nonsense").contains("Unknown option `nonsense`"));
    assert!(told("first-fit;tei").contains("Did you mean `tie`?"));
    assert!(told("beam;k").contains("The option `k` has no value. Write k=VALUE."), "{}", told("beam;k"));
    assert!(told("beam;k=4;k=2").contains("`k` is given twice"));
    assert!(told("imported;k").contains("no options"));
    assert!(told("beam;k=4,nonsense").contains("beam;k=4, nonsense"));
    let of = |planner: &str| json(&fine(&["plan", &graph, "--planner", planner]))["options"].clone();
    assert_eq!(of(" beam ; k = 4; tie=size ;"), of("beam;k=4;tie=size"));
    for command in ["compare", "metrics", "chart", "view", "worksheet", "diff", "write"] {
        let second = if ["diff", "write"].contains(&command) { vec![&*graph] } else { vec![] };
        let second = if command == "write" { vec!["-o", second[0]] } else { second };
        let words = refused(&[&[command, &graph], &second[..], &["--planner", "beam;k"]].concat());
        assert!(words.contains("has no value"), "{command}: {words}");
    }
}

/// Commas and semicolons inside of a list belong to it.
#[test]
fn lists_are_values_of_options() {
    let folder = Folder::new();
    let graph = folder.file("g.json", GRAPH);
    let options = |planner: &str| json(&fine(&["plan", &graph, "--planner", planner]))["options"].clone();
    let set = |planner: &str, setting: &str| {
        json(&fine(&["plan", &graph, "--planner", planner, "--set", setting]))["options"].clone()
    };
    let banks = "banks=fast=300;slow=9999";
    assert_eq!(options(&format!("executorch-banked;{banks}")), set("executorch-banked", banks));
    assert_eq!(options(&format!("executorch-banked;{banks};sizes=upper"))["sizes"], "upper");
    assert_eq!(options("executorch-banked;banks=fast=300,slow=9999")["banks"], "fast=300,slow=9999");
    assert_eq!(options("executorch-suite;algorithms=greedy,naive")["algorithms"], "greedy,naive");
    // What is nearly an option is no part of a list.
    let words = refused(&["plan", &graph, "--planner", &format!("executorch-banked;{banks};sizse=upper")]);
    assert!(words.contains("Did you mean `sizes`?"), "{words}");
    let rows = |planners: &[&str]| {
        let text = fine(&[&["compare", &graph, "--format", "csv"], planners].concat());
        text.lines().count() - 1
    };
    assert_eq!(rows(&["--planner", "executorch-suite;algorithms=greedy,naive"]), 1);
    assert_eq!(rows(&["--planner", "naive,executorch-suite;algorithms=greedy,naive;sizes=upper,first-fit"]), 3);
    // A planner behind a list is refused, not taken for a second one or left out.
    let words = refused(&["plan", &graph, "--planner", "executorch-suite;algorithms=greedy,first-fit"]);
    assert!(words.contains("first-fit"), "{words}");
}

/// One row without a plan is no reason to keep the others back.
#[test]
fn a_planner_that_refuses_leaves_the_rows_of_the_others() {
    let folder = Folder::new();
    let buffers = folder.file("b.csv", BUFFERS);
    let output =
        memplan(&["metrics", &buffers, "--planner", "first-fit", "--planner", "inductor-tree", "--planner", "naive"]);
    let rows = String::from_utf8(output.stdout.clone()).expect("text");
    assert_ne!(code(&output), 0, "a planner that was named did not run");
    assert_eq!(rows.lines().count(), 3, "{rows}");
    assert!(stderr(&output).contains("graph"), "{}", stderr(&output));
    let alone = memplan(&["metrics", &buffers, "--planner", "inductor-tree"]);
    assert_eq!((code(&alone), alone.stdout.len()), (code(&output), 0));
}
