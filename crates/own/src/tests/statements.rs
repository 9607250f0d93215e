use std::borrow::Cow;
use std::collections::BTreeMap;

use memplan_core::problem::{BufferId, Problem};
use memplan_core::trace::{Event, Recorder};
use memplan_planners::outside::{Ask, Given, Sheet, Statements, Told};
use memplan_planners::{Input, Planner};

use super::{ID, three};
use crate::{CLASSICS, Own, answer, answer_packed};

const FIRST_FIT: &str = "fn place(buffer, gaps) {
    let tried = 0;
    for gap in gaps {
        tried += 1;
        if gap.size >= buffer.size { return gap.start; }
    }
}";

fn statements(code: &str, problem: &Problem, buffer: impl Into<Option<u32>>) -> Statements {
    let buffer = buffer.into().map(BufferId);
    let given = Given { code: code.into(), problem: Cow::Borrowed(problem), graph: None, options: BTreeMap::new() };
    match answer(Ask::Statements { given, buffer }) {
        Told::Statements(Ok(found)) => found,
        other => panic!("{other:?}"),
    }
}

/// Lines, each once in a row.
fn lines(found: &Statements) -> Vec<u32> {
    let mut lines: Vec<u32> = found.kept.iter().map(|statement| statement.line).collect();
    lines.dedup();
    lines
}

#[test]
fn the_statements_of_one_buffer_are_kept_with_what_they_see() {
    // The third buffer finds a gap of 4 bytes at once; the second lies on top of the first.
    let found = statements(FIRST_FIT, &three(), 1);
    assert_eq!(found.left_out, 0);
    let last = found.kept.last().expect("statements");
    assert_eq!(last.line, 5);
    let value = |name: &str| last.values.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
    assert_eq!((value("buffer"), value("gap"), value("tried")), (Some("b"), Some("[4, …)"), Some("1")));
    assert_eq!(value("gaps"), Some("1: [4, …)"));
    assert_eq!(lines(&found)[..4], [1, 2, 3, 4]);
}

#[test]
fn each_turn_of_a_loop_begins_at_its_head_with_what_the_turn_before_held() {
    let code = "fn place(buffer, gaps) {
    let best = 0;
    for n in [5, 6] {
        let half = n / 2;
        best = n;
    }
    best
}";
    let found = statements(code, &three(), 0);
    assert_eq!(lines(&found), [1, 2, 3, 4, 5, 3, 4, 5, 7]);
    let head = found.kept.iter().rfind(|statement| statement.line == 3).expect("the second turn");
    let value = |name: &str| head.values.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
    assert_eq!((value("n"), value("best")), (Some("5"), Some("5")));
}

#[test]
fn a_gap_is_shown_from_where_the_buffer_would_lie() {
    let mut problem = three();
    problem.buffers.iter_mut().for_each(|buffer| buffer.align = 64);
    let found = statements("fn place(buffer, gaps) {\n    let gap = gaps[-1];\n    gap.start\n}", &problem, 1);
    let last = found.kept.last().expect("statements");
    assert!(last.values.contains(&("gap".into(), "[64, …)".into())), "{:?}", last.values);
}

#[test]
fn a_statement_has_the_places_that_were_looked_at_before_it() {
    let looked = |code: &str, buffer: u32| {
        let found = statements(code, &three(), buffer);
        let all: Vec<(u32, u32)> = found.kept.iter().map(|statement| (statement.line, statement.looked)).collect();
        (all, found.places.iter().map(|place| place.0).collect::<Vec<_>>())
    };
    let best = "fn place(buffer, gaps) {
    let best = ();
    for gap in gaps {
        if gap.size >= buffer.size {
            best = gap;
        }
    }
    best.start
}";
    let turns = [(1, 0), (2, 0), (3, 0), (4, 0), (5, 1), (3, 1), (4, 1), (5, 2), (8, 2)];
    assert_eq!(looked(best, 2), (turns.to_vec(), vec![0, 6]));
    let plan = "fn plan(problem) {
    for buffer in problem.buffers {
        look(buffer, 1, \"no\");
        look(buffer, 2, \"no\");
        place(buffer, 9);
    }
}";
    let (all, places) = looked(plan, 1);
    assert_eq!((all.last(), places), (Some(&(5, 2)), vec![1, 2]));
    assert!(all.contains(&(3, 0)) && all.contains(&(4, 1)), "{all:?}");
}

#[test]
fn what_order_does_is_kept_without_a_buffer() {
    let order = "fn order(buffers) {
    let sorted = buffers;
    sorted.reverse();
    sorted
}
";
    let found = statements(&format!("{order}{FIRST_FIT}"), &three(), None::<u32>);
    assert_eq!(lines(&found), [1, 2, 3, 4]);
    let sorted = found.kept.last().and_then(|last| last.values.iter().find(|(name, _)| name == "sorted"));
    assert_eq!(sorted.map(|(_, value)| value.as_str()), Some("3: c, b, a"));
    // The same program for a buffer has its own statements alone.
    assert!(lines(&statements(&format!("{order}{FIRST_FIT}"), &three(), 0)).iter().all(|&line| line > 5));
    assert_eq!(statements(FIRST_FIT, &three(), None::<u32>).kept, []);
    assert_eq!(
        statements("fn plan(problem) { for b in problem.buffers { place(b, 0); } }", &three(), None::<u32>).kept,
        []
    );
}

#[test]
fn a_condition_shows_the_values_that_are_compared() {
    let of = |code: &str, buffer: u32| {
        let found = statements(code, &three(), buffer);
        found.kept.into_iter().filter_map(|statement| Some((statement.line, statement.condition?))).collect::<Vec<_>>()
    };
    let last = of(FIRST_FIT, 1).pop().expect("a condition");
    assert_eq!(last, (5, ("∞ ≥ 2".to_string(), true)));
    let body = |condition: &str| {
        format!(
            "const STATE = #{{ n: 3 }};\nfn place(buffer, gaps) {{\n    let k = 2;\n    if {condition} {{ k = 1; }}\n    gaps[-1].start\n}}"
        )
    };
    let decided = |condition: &str| of(&body(condition), 1).pop().map(|(_, decided)| decided);
    let is = |words: &str, holds: bool| Some((words.to_string(), holds));
    assert_eq!(decided("k > 2"), is("2 > 2", false));
    assert_eq!(decided("k + 1 == this.n && k != 2"), is("3 = 3 && 2 ≠ 2", false));
    // What comes after the part that decides is not looked at.
    assert_eq!(decided("k > 2 && this.n == 3"), is("2 > 2", false));
    assert_eq!(decided("k < 3 || this.n == 3"), is("2 < 3", true));
    assert_eq!(decided("!(k <= 2)"), is("!(2 ≤ 2)", false));
    assert_eq!(decided("gaps.len() > 1"), None, "a call might have an effect");
    assert_eq!(decided("buffer.name == \"b\""), None, "only numbers and flags are shown");
    let while_loop =
        "fn place(buffer, gaps) {\n    let k = 2;\n    while k > 0 {\n        k -= 1;\n    }\n    gaps[-1].start\n}";
    let turns: Vec<String> = of(while_loop, 1).into_iter().map(|(_, (words, _))| words).collect();
    assert_eq!(turns, ["2 > 0", "1 > 0", "0 > 0"]);
}

#[test]
fn what_a_program_keeps_is_among_its_values() {
    let code =
        "const STATE = #{ last: 7 };\nfn place(buffer, gaps) {\n    this.last = buffer.size;\n    gaps[-1].start\n}";
    let found = statements(code, &three(), 0);
    let of_last = |index: usize| {
        let values = &found.kept[index].values;
        values.iter().find(|(name, _)| name == "this.last").map(|(_, value)| value.clone())
    };
    assert_eq!((of_last(0), of_last(found.kept.len() - 1)), (Some("7".into()), Some("4".into())));
}

#[test]
fn a_program_that_does_everything_itself_is_watched_from_one_place_to_the_next() {
    let code = "fn plan(problem) {
    let top = 0;
    for buffer in problem.buffers {
        place(buffer, top);
        top += buffer.size;
    }
}";
    assert_eq!(lines(&statements(code, &three(), 0)), [1, 2, 3, 4]);
    assert_eq!(lines(&statements(code, &three(), 2)), [5, 4]);
}

#[test]
fn of_many_statements_the_last_ones_are_kept() {
    let code =
        "fn place(buffer, gaps) {\n    let n = 0;\n    while n < 3000 {\n        n += 1;\n    }\n    gaps[-1].start\n}";
    let found = statements(code, &three(), 0);
    assert!(found.left_out > 0 && found.kept.len() == 2_000, "{} kept", found.kept.len());
    assert_eq!(found.kept.last().map(|statement| statement.line), Some(6));
}

#[test]
fn answers_as_bytes_are_those_of_the_planner() {
    let problem = three();
    let own = Own::of_code(ID, ID, FIRST_FIT.into()).expect("readable");
    let options = own.info().defaults();
    let input = Input { problem: &problem, graph: None };
    let mut recorder = Recorder::default();
    let plan = own.plan(input, &options, &mut recorder).expect("planned");
    let ask = |ask: &Ask| -> Told {
        postcard::from_bytes(&answer_packed(&postcard::to_stdvec(ask).expect("plain values"))).expect("an answer")
    };
    let told = ask(&Ask::Plan { given: Given::of(FIRST_FIT, input, &options), window: None });
    assert_eq!(told, Told::Planned(Ok((plan, recorder.events))));
    let Told::Planned(Ok((_, events))) =
        ask(&Ask::Plan { given: Given::of(FIRST_FIT, input, &options), window: Some((0, 0)) })
    else {
        panic!("planned")
    };
    assert!(!events.iter().any(|event| matches!(event, Event::Block { .. })), "no places looked at were wanted");
    assert!(matches!(ask(&Ask::Read(FIRST_FIT.into())), Told::Read(Ok(Sheet { align: 1, .. }))));
    assert!(matches!(ask(&Ask::Read("fn".into())), Told::Read(Err(_))));
    assert_eq!(
        ask(&Ask::Classic("best-fit".into())),
        Told::Classic(CLASSICS.iter().find(|c| c.planner == "best-fit").map(|c| c.code.to_string()))
    );
    assert_eq!(ask(&Ask::Classic("exact".into())), Told::Classic(None));
    assert!(answer_packed(b"\xff").is_empty());
}
