//! What a finished plan is doubtful for is said on standard error; the plan and the exit code stay.

use super::*;

/// The lines on standard error but for notes.
fn warned(arguments: &[&str]) -> Vec<String> {
    let output = memplan(arguments);
    assert_eq!(code(&output), 0, "{arguments:?}: {}", stderr(&output));
    assert!(serde_json::from_slice::<Value>(&output.stdout).is_ok(), "standard output holds the plan alone");
    stderr(&output).lines().filter(|line| !line.starts_with("note: ")).map(str::to_string).collect()
}

#[test]
fn sizes_without_a_bound_are_told() {
    let folder = Folder::new();
    let graph = folder.file("tiny.json", GRAPH);
    let words = warned(&["plan", &graph, "--planner", "executorch-greedy", "--set", "sizes=upper"]);
    assert_eq!(words.len(), 2, "x and a have s0 in their shapes: {words:?}");
    assert!(words[0].contains("size of x has no upper bound") && words[0].contains("128"), "{words:?}");
    assert!(words[1].contains("size of a "), "{words:?}");
    assert_eq!(warned(&["plan", &graph, "--planner", "executorch-greedy"]), [""; 0], "hints were asked for");
    let bounded = folder.file("bounded.json", GRAPH.replace(r#""min":1"#, r#""min":1,"max":4"#));
    assert_eq!(warned(&["plan", &bounded, "--planner", "executorch-greedy", "--set", "sizes=upper"]), [""; 0]);
}

#[test]
fn rules_that_fit_nothing_are_told() {
    let folder = Folder::new();
    let graph = folder.file("tiny.json", GRAPH);
    let rules = "rules=mul=2;conv*=3;kind:weight=4;kind:input=2";
    for planner in ["executorch-naive", "executorch-suite"] {
        let words = warned(&["plan", &graph, "--planner", planner, "--set", rules]);
        let named = ["conv*=3", "kind:weight=4"].map(|rule| format!("rule {rule} of the option "));
        assert_eq!(words.len(), 2, "weights are not planned: {words:?}");
        assert!(words.iter().zip(named).all(|(line, rule)| line.contains(&rule)), "{words:?}");
    }
    let fits = ["plan", &graph, "--planner", "executorch-naive", "--with", "inputs,weights", "--set"];
    assert_eq!(warned(&[fits.as_slice(), &["rules=kind:weight=4"]].concat()), [""; 0]);
}

#[test]
fn a_warning_is_told_only_where_it_concerns_what_is_done() {
    let folder = Folder::new();
    let gaps = folder.file("gaps.csv", "id,lower,upper,size,gaps\na,0,6,4,2-4\nb,2,4,4,\n");
    let about_gaps = |words: &[String]| words.iter().filter(|line| line.contains("whole live range")).count();
    assert_eq!(about_gaps(&warned(&["plan", &gaps, "--planner", "first-fit"])), 1);
    assert_eq!(warned(&["plan", &gaps, "--planner", "exact"]), [""; 0]);
    let broken = folder.file("broken.csv", "id,lower,upper,size,offset\na,0,6,4,0\nb,3,8,4,2\n");
    let checked = memplan(&["check", &broken]);
    assert_eq!((code(&checked), stderr(&checked).contains("Planners start from the buffers")), (1, false));
    assert!(warned(&["plan", &broken, "--planner", "naive"])[0].contains("Planners start from the buffers"));
}

/// On the command line, sizes are asked for by the option, and every tensor is named.
#[test]
fn tensors_without_a_size_are_all_named_with_the_option_that_states_them() {
    let custom = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/import/onnx/odd/custom.onnx");
    let output = memplan(&["plan", custom, "--planner", "first-fit"]);
    let words = stderr(&output);
    assert_eq!(code(&output), 2, "{words}");
    assert!(words.contains("3 of 4 tensors have no size: h, g, y.") && words.contains("--shape \"h=1,64"), "{words}");
    assert!(!words.contains("report"), "{words}");
    let output = memplan(&["plan", custom, "--planner", "first-fit", "--shape", "hh=1,2"]);
    assert!(stderr(&output).contains("Did you mean h?"), "{}", stderr(&output));
    assert_eq!(code(&memplan(&["plan", custom, "--planner", "first-fit", "--shape", "h=4,5"])), 0);
}

#[test]
fn many_warnings_of_a_kind_take_four_lines() {
    let folder = Folder::new();
    let graph = |unread: usize| {
        let names: Vec<String> = (0..unread).map(|number| format!("u{number}")).collect();
        let tensor = |name: &String| format!(r#"{{"name":"{name}","dtype":"int8","shape":[8],"kind":"intermediate"}}"#);
        let tensors: Vec<String> = names.iter().map(tensor).collect();
        format!(
            r#"{{"format":"memory-graph/1","name":"unread","tensors":[{{"name":"x","dtype":"int8","shape":[8],"kind":"input"}},
{}],"nodes":[{{"name":"split","op":"split","inputs":["x"],"outputs":{names:?}}}]}}"#,
            tensors.join(",\n")
        )
    };
    let words = warned(&["plan", &folder.file("many.json", graph(90)), "--planner", "first-fit"]);
    assert_eq!(words.len(), 4, "{words:?}");
    assert!(words[2].contains("`u2`") && words[3].contains("87 more") && words[3].contains("u3, u4"), "{words:?}");
    assert!(words[3].contains("u42, …") && !words[3].contains("u43"), "{words:?}");
    let few = warned(&["plan", &folder.file("few.json", graph(4)), "--planner", "first-fit"]);
    assert_eq!(few.len(), 4, "one more line would say no less: {few:?}");
}
