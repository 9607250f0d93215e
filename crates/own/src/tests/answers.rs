//! Programs in other languages: `memory-problem/1`.

use memplan_core::plan::check;
use memplan_core::problem::five_buffers;
use memplan_core::trace::{Event, Note, Silent};
use memplan_planners::{Input, Planner};
use serde_json::json;

use super::{offsets, planned, three, words};
use crate::{Own, problem_text};

fn answering(answer: &'static str) -> Own {
    Own::of_answers("exec:x", "x", vec![Own::option("k")], Box::new(|_, _| Ok(answer.into())))
}

#[test]
fn a_problem_is_one_object_with_everything_that_a_program_may_read() {
    let (graph, problem) = (five_buffers::graph(), five_buffers::problem());
    let own = answering("");
    let options = own.info().options([("k", "4")]).expect("an option");
    let value: serde_json::Value = serde_json::from_str(&problem_text(&problem, Some(&graph), &options)).expect("JSON");
    assert_eq!(value["format"], "memory-problem/1");
    assert_eq!(value["steps"], 6);
    assert_eq!(value["options"], json!({ "k": "4" }));
    let b = json!({ "id": 1, "name": "b", "size": 1024, "align": 1, "start": 1, "end": 4,
                    "kind": "intermediate", "memory": 0, "readers": [2, 3] });
    assert_eq!(value["buffers"][1], b);
    assert_eq!(value["nodes"][2], json!({ "name": "make_c", "op": "f", "step": 2, "inputs": [1], "outputs": [2, 3] }));
    assert_eq!(value["memories"].as_array().map(Vec::len), Some(problem.memories.len()));
}

#[test]
fn an_answer_is_a_list_of_offsets_or_lines_of_events() {
    let problem = three();
    assert_eq!(offsets(&planned(&answering("[0, 4, 0]\n"), &problem).expect("planned").0), [0, 4, 0]);
    let lines = "{\"note\": \"by hand\", \"line\": 3}\n\n{\"place\": \"a\", \"offset\": 0, \"line\": 4}\n\
                 {\"look\": 1, \"offset\": 0, \"reason\": \"a is there\"}\n{\"place\": 1, \"offset\": 4}\n\
                 {\"place\": \"c\", \"offset\": 0}\n";
    let (plan, events) = planned(&answering(lines), &problem).expect("planned");
    assert_eq!(offsets(&plan), [0, 4, 0]);
    assert!(check(&problem, &plan).is_empty());
    assert_eq!(plan.texts, ["", "by hand", "a is there"]);
    assert!(matches!(events[1], Event::Note { note: Note::CodeLine, subject: 0, a: 3, .. }), "{events:?}");
}

#[test]
fn an_answer_that_is_none_is_a_sentence() {
    let cases = [
        ("", "The answer is empty. Print a list of offsets, or one event on each line."),
        ("[0, 4]", "The answer has 2 offsets, and there are 3 buffers."),
        ("[0, -4, 0]", "The answer for b: -4 is no offset. An offset is a whole number of bytes from 0."),
        (
            "{\"place\": \"a\", \"offset\": 0}\nhello",
            "Line 2 of the answer: This is no JSON (expected value at line 1 column 1).",
        ),
        ("{\"put\": 0}", "Line 1 of the answer: An event is an object with `place`, `look` or `note`."),
        ("{\"place\": \"d\", \"offset\": 0}", "Line 1 of the answer: There is no buffer `d`."),
        ("{\"place\": 7, \"offset\": 0}", "Line 1 of the answer: There is no buffer `7`."),
        (
            "{\"place\": 0, \"offset\": 0.5}",
            "Line 1 of the answer: 0.5 is no offset. An offset is a whole number of bytes from 0.",
        ),
        (
            "{\"place\": 0, \"offset\": 0}\n{\"place\": 0, \"offset\": 8}",
            "Event 2 is about a, which already has its place.",
        ),
        ("{\"place\": 0, \"offset\": 0}", "The program gave no place to 2 buffers: b, c."),
    ];
    for (answer, expected) in cases {
        let own = answering(answer);
        let problem = three();
        let error = own.plan(Input { problem: &problem, graph: None }, &own.info().defaults(), &mut Silent);
        assert_eq!(words(error.expect_err("wrong").message()), format!("x: {expected}"), "{answer}");
    }
}
