//! The same failure has the same exit code in every command.

use super::*;

#[test]
fn a_planner_without_a_plan_ends_every_command_alike() {
    let folder = Folder::new();
    let list = folder.file("list.csv", BUFFERS);
    let misread = "tests/import/cuda_snapshot/overlap.pickle";
    for (file, planner, expected) in
        [(&*list, "exact;capacity=10", 3), (&*list, "imported", 2), (misread, "exact", 5), (&*list, "inductor-tree", 2)]
    {
        for command in ["plan", "metrics", "compare", "chart", "gap", "worksheet"] {
            let output = memplan(&[command, file, "--planner", planner]);
            assert_eq!(code(&output), expected, "{command} {planner}: {}", stderr(&output));
            assert!(!stderr(&output).contains("memory-plan/1 object"), "{}", stderr(&output));
        }
        let output = memplan(&["chart", file, "--kind", "peaks", "--planner", planner]);
        assert_eq!(code(&output), expected, "{planner}: {}", stderr(&output));
    }
    // A row with a reason beside one with a plan is a result.
    let text = fine(&["compare", &list, "--planner", "exact;capacity=10", "--planner", "naive"]);
    assert!(text.contains("capacity") || text.contains("fit"), "{text}");
    // The table is printed all the same.
    let output = memplan(&["compare", &list, "--planner", "exact;capacity=10", "--json"]);
    assert!(json(&stdout(&output))["rows"][0]["error"].is_string());
}

/// No reader is there from the start.
#[cfg(unix)]
#[test]
fn a_closed_pipe_leaves_the_exit_code() {
    let folder = Folder::new();
    let file = folder.file("colliding.csv", COLLIDING);
    for (arguments, expected) in [
        (vec!["check", &*file], 1),
        (vec!["check", &*file, "--json"], 1),
        (vec!["plan", &*file, "--planner", "imported"], 1),
        (vec!["plan", &*file, "--planner", "naive"], 0),
        (vec!["completions", "bash"], 0),
        (vec!["fit", "ex:two_branches", "--memory", "SRAM=1"], 3),
    ] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let mut command = crate::program();
        let output = command.args(&arguments).stdout(writer).stderr(Stdio::piped()).output().expect("it starts");
        assert_eq!(code(&output), expected, "{arguments:?}: {}", stderr(&output));
        assert!(!stderr(&output).contains("pipe"), "{}", stderr(&output));
    }
}

#[test]
fn the_peak_of_an_invalid_plan_is_no_saving() {
    let folder = Folder::new();
    let good = folder.file("good.csv", "id,lower,upper,size,offset\na,0,4,8,0\nb,2,6,8,8\n");
    let bad = folder.file("bad.csv", "id,lower,upper,size,offset\na,0,4,8,0\nb,2,6,8,4\n");
    for (old, new, side) in [(&good, &bad, "new"), (&bad, &good, "old")] {
        let text = fine(&["diff", old, new]).replace('\u{202f}', " ");
        assert!(text.contains(&format!("The plan of the {side} version has 1 violation")), "{text}");
        assert!(text.lines().next().is_some_and(|line| line.contains("invalid plan")), "{text}");
        assert!(!text.contains('−') && !text.contains('%') && !text.contains('+'), "{text}");
        let markdown = fine(&["diff", old, new, "--format", "markdown"]).replace('\u{202f}', " ");
        assert!(markdown.contains("invalid plan") && markdown.contains("1 violation"), "{markdown}");
        assert!(!markdown.contains('−') && !markdown.contains(" %"), "{markdown}");
        let record = json(&fine(&["diff", old, new, "--json"]));
        let model = &record["models"][0];
        assert_eq!((&model[side]["violations"], &model["change_bytes"]), (&1.into(), &0.into()));
        assert_eq!((&model["change_relative"], &model["blame"]), (&Value::Null, &"none".into()));
        let other = if side == "new" { "old" } else { "new" };
        assert_eq!(model[other].get("violations"), None);
        // A limit holds against no such peak.
        let limited = memplan(&["diff", old, new, "--fail-above", "50%"]);
        assert_eq!(code(&limited), 1, "{}", stdout(&limited));
        assert!(stdout(&limited).contains("failed: a plan breaks rules"), "{}", stdout(&limited));
        let record = json(&stdout(&memplan(&["diff", old, new, "--fail-above", "50%", "--json"])));
        assert_eq!(record["failed"], true);
    }
    for format in ["text", "markdown", "json"] {
        let output = memplan(&["gap", &bad, "--planner", "imported", "--format", format]);
        assert_eq!((code(&output), &*stdout(&output)), (1, ""), "{}", stderr(&output));
        assert!(stderr(&output).contains("a and b") && stderr(&output).contains("invalid: 1"), "{}", stderr(&output));
    }
    fine(&["gap", &good, "--planner", "imported"]);
}
