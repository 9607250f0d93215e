//! Names without effect: what a file holds is shown, and neither obeyed by a terminal, computed by
//! a spreadsheet nor rendered.

use super::{Folder, fine, memplan};

/// An escape that turns text red, one that clears the screen (in one letter), a mark that turns the
/// direction, a bell, markup.
const EVIL: &str = "\u{1b}[31mred\u{9b}2J\u{202e}\u{7}<b>|x";

/// A graph and a plan that collides, with names of that kind.
fn files(folder: &Folder) -> (String, String) {
    let name = serde_json::to_string(EVIL).expect("text");
    let tensors = [("input", "in"), ("intermediate", "mid"), ("output", "out")].map(|(kind, tail)| {
        let name = serde_json::to_string(&format!("{EVIL}{tail}")).expect("text");
        format!(r#"{{"name":{name},"dtype":"int8","shape":[64],"kind":"{kind}"}}"#)
    });
    let node = |from: &str, to: &str| {
        let [from, to] = [from, to].map(|tail| serde_json::to_string(&format!("{EVIL}{tail}")).expect("text"));
        format!(r#"{{"name":{to},"op":{name},"inputs":[{from}],"outputs":[{to}]}}"#)
    };
    let nodes = [node("in", "mid"), node("mid", "out")].join(",");
    let tensors = tensors.join(",");
    let graph = format!(r#"{{"format":"memory-graph/1","name":{name},"tensors":[{tensors}],"nodes":[{nodes}]}}"#);
    let plan = format!("id,lower,upper,size,offset\n\"{EVIL}\",0,4,8,0\nb{EVIL},0,4,8,4\n");
    (folder.file("graph.json", &graph), folder.file("plan.csv", &plan))
}

/// Asserts that text has lines and nothing else that a terminal obeys.
fn plain(text: &str, what: &[&str]) {
    let acts = |letter: char| letter != '\n' && (letter.is_control() || letter == '\u{202e}');
    assert!(!text.contains(acts), "{what:?}: {text:?}");
}

#[test]
fn names_have_no_effect_on_a_terminal() {
    let folder = Folder::new();
    let (graph, plan) = files(&folder);
    let mut seen = 0;
    for arguments in [
        &["check", &plan][..],
        &["compare", &graph, "--planners", "naive,first-fit"],
        &["compare", &graph, &plan, "--planners", "naive"],
        &["compare", &graph, "--planners", "naive", "--format", "markdown"],
        &["alive", &graph, "--planner", "naive"],
        &["gap", &graph, "--planner", "naive"],
        &["gap", &graph, "--planner", "naive", "--format", "markdown"],
        &["dependencies", &graph, "--planner", "greedy-by-size"],
        &["metrics", &graph, "--planner", "naive", "--format", "markdown"],
        &["plan", &graph, "--planner", "naive", "--symbol", &format!("{EVIL}=1")],
        &["plan", &plan, "--planner", "naive", "--set", "fixed=true", "-o", &folder.path("out.json")],
        &["plan", &folder.path(EVIL), "--planner", "naive"],
        &["svg", &graph, "--planner", "naive"],
    ] {
        let output = memplan(arguments);
        for stream in [output.stdout, output.stderr] {
            let text = String::from_utf8(stream).expect("text");
            plain(&text, arguments);
            seen += usize::from(text.contains("\\u001b") || text.contains("\u{fffd}"));
        }
    }
    assert!(seen >= 8, "names were shown by {seen} commands only");
}

#[test]
fn names_are_no_markup_in_tables() {
    let folder = Folder::new();
    let (graph, plan) = files(&folder);
    for arguments in [
        &["gap", &graph, "--planner", "naive", "--format", "markdown"][..],
        &["compare", &graph, &plan, "--planners", "naive", "--format", "markdown"],
        &["compare", &graph, &plan, "--planners", "naive", "--format", "matrix"],
        &["metrics", &graph, "--planner", "naive", "--format", "markdown"],
    ] {
        let text = fine(arguments);
        assert!(text.contains(r"\<b\>\|x") && !text.contains("<b>"), "{arguments:?}: {text}");
    }
}

#[test]
fn names_are_no_formulas_and_read_back() {
    let folder = Folder::new();
    let input = folder.file("b.csv", "id,lower,upper,size\n=1+1,0,2,8\n' ,1,3,4\n'x,1,3,4\n -y,1,2,4\n");
    for format in ["csv", "csv-times"] {
        let text = fine(&["plan", &input, "--planner", "naive", "--format", format]);
        let names: Vec<&str> = text.lines().skip(1).filter_map(|line| line.split(',').next()).collect();
        assert_eq!(names, ["'=1+1", "' ", "'x", "'-y"], "{text}");
        let again = folder.file("again.csv", &text);
        assert_eq!(fine(&["plan", &again, "--planner", "naive", "--format", format]), text);
    }
    let table = fine(&["metrics", &folder.file("=c.csv", "id,lower,upper,size\na,0,2,8\n"), "--planner", "naive"]);
    assert!(table.lines().nth(1).is_some_and(|line| line.starts_with("'=c,naive,0,8,")), "{table}");
    let table = fine(&[
        "compare",
        &folder.file("+d.csv", "id,lower,upper,size\na,0,2,8\n"),
        "--planners",
        "naive",
        "--format",
        "csv",
    ]);
    assert!(table.lines().nth(1).is_some_and(|line| line.starts_with("'+d,naive,")), "{table}");
}
