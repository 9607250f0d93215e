//! Planners of users: a program in Rhai, another program, and an answer in a file.

use super::code as exit_code;
use super::*;

const CODE: &str = "const OPTIONS = #{ skip: 0 };
fn place(buffer, gaps) {
    for gap in gaps {
        if gap.size >= buffer.size { return gap.start + OPTIONS.skip; }
    }
}";

#[test]
fn a_program_is_a_planner_in_every_command() {
    let folder = Folder::new();
    let (graph, code) = (folder.file("g.json", GRAPH), folder.file("mine.rhai", CODE));
    let plan = json(&fine(&["plan", &graph, "--planner", &code]));
    let ours = json(&fine(&["plan", &graph, "--planner", "first-fit"]));
    assert_eq!((plan["planner"].as_str(), offsets(&plan)), (Some(&*code), offsets(&ours)));
    assert_eq!(plan["options"]["skip"], "0");
    let shifted = json(&fine(&["plan", &graph, "--planner", &format!("{code};skip=64")]));
    assert!(offsets(&shifted).iter().all(|(_, offset)| *offset >= 64), "{shifted}");
    for command in ["alive", "chart", "compare", "dependencies", "frames", "gap", "metrics", "svg", "worksheet"] {
        fine(&[command, &graph, "--planner", &code]);
    }
    fine(&["frame", &graph, "--planner", &code, "--of", "a"]);
    fine(&["diff", &graph, &graph, "--planner", &code]);
    fine(&["html", &graph, "--planner", &code, "--light"]);
    let model = "tests/data/tflite/small_cnn_int8.tflite";
    let large =
        folder.file("large.rhai", "fn order(b) { b.sort(|x, y| y.size - x.size); b }\nfn place(b, g) { g[-1].start }");
    fine(&["write", model, "--planner", &large, "-o", &folder.path("planned.tflite")]);
    let sweep = fine(&["chart", &graph, "--kind", "sweep", "--planner", &code, "--vary", "skip", "--json"]);
    assert!(sweep.contains("\"x\": \"skip\"") || sweep.contains("\"x\":\"skip\""), "{sweep}");
    let words =
        folder.file("words.rhai", "const OPTIONS = #{ way: \"up\" };\nfn place(buffer, gaps) { gaps[-1].start }");
    let why = refused(&["chart", &graph, "--kind", "sweep", "--planner", &words, "--vary", "way"]);
    assert!(why.contains("Free text has no values to go through: way.") && why.contains("of: ["), "{why}");
    let rows = fine(&["compare", &graph, "--planner", &format!("{code},first-fit"), "--format", "csv"]);
    assert_eq!(rows.lines().count(), 3, "{rows}");
    let figures = fine(&["metrics", &graph, "--planner", &format!("{code},first-fit")]);
    for table in [rows, figures] {
        let ends = |line: &str| line.ends_with(",mine.rhai");
        assert_eq!(table.lines().filter(|line| ends(line) && line.contains(&code)).count(), 1, "{table}");
        assert_eq!(table.lines().filter(|line| ends(line)).count(), 1, "{table}");
    }
}

#[test]
fn every_frame_has_the_line_that_led_to_it() {
    let folder = Folder::new();
    let (graph, code) = (folder.file("g.json", GRAPH), folder.file("mine.rhai", CODE));
    let frames = json(&fine(&["frames", &graph, "--planner", &code]));
    let rules = frames["frames"].as_array().expect("frames").iter().skip(1).map(|frame| &frame["why"]["rule"]);
    for rule in rules {
        assert_eq!((&rule["key"], &rule["args"]["line"]), (&"rule.own.line".into(), &4.into()), "{rule}");
    }
    let frame = fine(&["frame", &graph, "--planner", &code, "--of", "a"]);
    assert!(frame.contains("Your code, line 4: if gap.size >= buffer.size"), "{frame}");
}

/// A line is no frame of its own: it belongs to the place that is looked at or taken next.
#[test]
fn a_line_belongs_to_the_frame_after_it() {
    let folder = Folder::new();
    let code = "fn plan(problem) {
    let top = 0;
    for buffer in problem.buffers {
        look(buffer, 0, \"too low\");
        place(buffer, top);
        top += buffer.size;
    }
}";
    let (graph, code) = (folder.file("g.json", GRAPH), folder.file("mine.rhai", code));
    let frames = json(&fine(&["frames", &graph, "--planner", &code, "--level", "all"]));
    let frames = frames["frames"].as_array().expect("frames");
    // The start, then a look and a placement of each of the three buffers.
    assert_eq!(frames.len(), 7, "{frames:?}");
    let notes = |frame: &Value| frame["why"]["notes"].as_array().map_or(0, Vec::len);
    assert_eq!(frames.iter().map(notes).collect::<Vec<_>>(), [0, 1, 1, 1, 1, 1, 1]);
    assert_eq!((&frames[4]["why"]["rule"]["args"]["line"], &frames[4]["outcome"]), (&5.into(), &"at_end".into()));
}

#[test]
fn an_overlap_is_written_and_named() {
    let folder = Folder::new();
    let (graph, code) = (folder.file("g.json", GRAPH), folder.file("zero.rhai", "fn place(buffer, gaps) { 0 }"));
    let output = memplan(&["plan", &graph, "--planner", &code]);
    assert_eq!(exit_code(&output), 1);
    assert!(offsets(&json(&stdout(&output))).iter().all(|(_, offset)| *offset == 0));
    assert!(stderr(&output).contains("x and a hold the same bytes"), "{}", stderr(&output));
    let frame = fine(&["frame", &graph, "--planner", &code, "--of", "a"]);
    assert!(frame.contains("lies on bytes that another buffer uses") && frame.contains("\"overlap\""), "{frame}");
}

#[test]
fn a_fault_of_a_program_is_a_sentence_with_its_line() {
    let folder = Folder::new();
    let graph = folder.file("g.json", GRAPH);
    let code = folder.file("bad.rhai", "fn place(buffer, gaps) {\n  gaps[0].sise\n}");
    let words = refused(&["plan", &graph, "--planner", &code]);
    assert!(words.contains("Line 2, column 11: A Gap has no field `sise`") && words.contains("`size`?"), "{words}");
    let words = refused(&["plan", &graph, "--planner", &folder.path("none.rhai")]);
    assert!(words.contains("cannot read"), "{words}");
    let code = folder.file("good.rhai", CODE);
    let words = refused(&["plan", &graph, "--planner", &code, "--set", "skp=1"]);
    assert!(words.contains("Did you mean `skip`?"), "{words}");
    for command in ["html", "view"] {
        let words = refused(&[command, &graph, "--planner", &code]);
        assert!(words.contains("The page cannot run"), "{words}");
    }
}

#[test]
fn an_answer_in_a_file_is_a_planner() {
    let folder = Folder::new();
    let graph = folder.file("g.json", GRAPH);
    fine(&["convert", &graph, "--format", "memory-problem", "-o", &folder.path("problem.json")]);
    let problem = json(&fs::read_to_string(folder.path("problem.json")).expect("written"));
    assert_eq!(problem["format"], "memory-problem/1");
    let mut top = 0;
    let mut stacked = Vec::new();
    for buffer in problem["buffers"].as_array().expect("buffers") {
        stacked.push(top);
        top += buffer["size"].as_u64().expect("bytes");
    }
    let answer = folder.file("answer.json", format!("{stacked:?}"));
    let plan = json(&fine(&["plan", &graph, "--planner", &format!("answer:{answer}")]));
    assert_eq!(plan["metrics"]["peak"], top);
    let path = format!("answer:{answer}");
    let frame = fine(&["frame", &graph, "--of", "a", "--planner", &path]);
    assert!(frame.contains("answer decided so."), "its path says nothing to people: {frame}");
    let picture = fine(&["svg", &graph, "--planner", &path]);
    assert!(picture.contains("<title>Memory plan of tiny by answer</title>"), "{picture}");
    folder.file("answer.json", "[]");
    let words = refused(&["plan", &graph, "--planner", &path]);
    assert!(words.contains("answer: The answer has 0 offsets") && !words.contains("answer.json"), "{words}");
}

#[test]
#[cfg(unix)]
fn a_command_gets_the_problem_and_answers() {
    let folder = Folder::new();
    let graph = folder.file("g.json", GRAPH);
    let naive = json(&fine(&["plan", &graph, "--planner", "naive"]));
    let answer: Vec<u64> = offsets(&naive).iter().map(|(_, offset)| *offset).collect();
    let script = folder.file("mine.sh", format!("cat > \"$1\"; echo '{answer:?}'"));
    let seen = folder.path("seen.json");
    let command = format!("exec:sh '{script}' \"{seen}\";depth=3");
    let plan = json(&fine(&["plan", &graph, "--planner", &command]));
    assert_eq!(offsets(&plan), offsets(&naive));
    let problem = json(&fs::read_to_string(seen).expect("the problem"));
    assert_eq!((problem["options"]["depth"].as_str(), problem["options"]["seconds"].as_str()), (Some("3"), Some("10")));
    fine(&["compare", &graph, "--planner", "first-fit", "--planner", &command]);
    let failing = folder.file("failing.sh", "echo 'no such luck' >&2; exit 7");
    let words = refused(&["plan", &graph, "--planner", &format!("exec:sh {failing}")]);
    assert!(words.contains("The program ended with exit code 7: no such luck"), "{words}");
    let words = refused(&["plan", &graph, "--planner", "exec:sleep 20;seconds=1"]);
    assert!(words.contains("ended after 1 s without an answer"), "{words}");
    let words = refused(&["plan", &graph, "--planner", "exec:no-such-program-here"]);
    assert!(words.contains("The program cannot be started"), "{words}");
    let words = refused(&["plan", &graph, "--planner", "exec:echo hello"]);
    assert!(words.contains("Line 1 of the answer: This is no JSON"), "{words}");
    assert!(refused(&["plan", &graph, "--planner", "exec: "]).contains("needs a command"));
}

#[test]
fn nothing_but_the_command_line_names_a_program() {
    let folder = Folder::new();
    let (graph, code) = (folder.file("g.json", GRAPH), folder.file("mine.rhai", CODE));
    for planner in [&*code, "exec:echo []", "answer:x"] {
        let mut forbidden = crate::program();
        let output = forbidden.env("MEMPLAN_OWN_PLANNERS", "no").args(["plan", &graph, "--planner", planner]).output();
        let output = output.expect("the program starts");
        assert_eq!(exit_code(&output), 2);
        assert!(stderr(&output).contains("is a planner of your own"), "{}", stderr(&output));
    }
    // A name in a plan of a file makes no planner.
    let plan = fine(&["plan", &graph, "--planner", "first-fit"]);
    let named = plan.replacen("\"first-fit\"", "\"exec:touch hacked\"", 1);
    assert!(named.contains("exec:touch"));
    let file = folder.file("plan.json", named);
    fine(&["check", &file]);
    fine(&["frames", &file, "--planner", "imported"]);
}
