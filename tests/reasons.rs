//! The sentences of the Why panel say what the planner did, not what another one of its kind would have done.

use std::rc::Rc;

use memplan::export;
use memplan::import::{self, Answers, Document};
use memplan::planner::{Input, find, origin};
use memplan::problem::{Scope, lifetimes};
use memplan::replay::panel::{Row, View, sections};
use memplan::replay::{Level, Run, record_all, why};
use memplan::text::{Locale, Speech};
use memplan::trace::Recorder;

fn run(planner: &str, given: &[(&str, &str)], file: &[u8]) -> Run {
    let (problem, graph) = match import::read(file, Answers::default()).map(|read| read.document) {
        Ok(Document::Graph(graph)) => (lifetimes(&graph, &Scope::default()).expect("sizes are known"), Some(graph)),
        Ok(Document::Buffers(problem)) => (problem, None),
        other => panic!("neither graph nor plan: {other:?}"),
    };
    let planner = find(planner).expect("registered");
    let options = planner.info().options(given.iter().copied()).expect("known options");
    let mut recorder = Recorder::default();
    let input = Input { problem: &problem, graph: graph.as_ref() };
    let plan = planner.plan(input, &options, &mut recorder).expect("planned");
    let run = Run::new(Rc::new(problem), origin(planner.info().id, planner.info().align), plan, recorder.events);
    run.with_graph(graph.map(Rc::new))
}

/// Headline, places and notes of the decision for a buffer, in words.
fn told(run: &Run, name: &str, locale: Locale) -> Vec<String> {
    let wanted = run.problem.buffer_named(name).expect("named");
    let decision = run.timeline.decisions.iter().position(|decision| decision.buffer == wanted).expect("decided");
    let frame = run.frame(run.timeline.events_at(Level::Decisions, decision as u32 + 1));
    let why = why(run, &frame);
    let speech = Speech { locale, ..Speech::default() };
    let mut told = vec![speech.say(&why.headline)];
    told.extend(why.rows.iter().map(|row| format!("{}: {}", speech.say(&row.place), speech.say(&row.verdict))));
    told.extend(why.rule.iter().chain(&why.notes).map(|message| speech.say(message)));
    told
}

/// c takes over a's bytes while a is still read: both hold the same.
const IDENTITY: &[u8] = br#"{"format":"memory-graph/1","name":"identity","tensors":[
    {"name":"x","dtype":"float32","shape":[128],"kind":"input"},
    {"name":"a","dtype":"float32","shape":[128],"kind":"intermediate"},
    {"name":"c","dtype":"float32","shape":[128],"kind":"intermediate"},
    {"name":"y","dtype":"float32","shape":[128],"kind":"output"}],"nodes":[
    {"name":"conv","op":"conv","inputs":["x"],"outputs":["a"]},
    {"name":"copy","op":"identity","inputs":["a"],"outputs":["c"],"inplace":[[0,0]],"attrs":{"inplace_identity":"1"}},
    {"name":"plus","op":"add","inputs":["a","c"],"outputs":["y"]}]}"#;

#[test]
fn an_identity_names_its_giver_even_while_that_lives_on() {
    let run = run("nnvm", &[("inplace", "true")], IDENTITY);
    assert_eq!(run.plan.shared, []);
    assert!(
        told(&run, "c", Locale::En)[0].ends_with("takes over the storage of a."),
        "{:?}",
        told(&run, "c", Locale::En)
    );
}

#[test]
fn reads_are_counted_for_a_storage_whoever_lies_in_it() {
    let run = run("nnvm", &[("inplace", "true")], IDENTITY);
    let told = told(&run, "c", Locale::En);
    // Two reads of a, and one that c brings; the copy itself is the first of them.
    assert!(told.contains(&"Reads left of storage 0: 2 \u{2192} 3 (c).".to_string()), "{told:?}");
    assert!(told.contains(&"Reads left of storage 0: 3 \u{2192} 2 (a).".to_string()), "{told:?}");
}

/// b goes above a although the bytes below d are free while b lives.
#[test]
fn usmp_says_that_it_goes_above_what_is_alive_and_looks_at_no_gap() {
    let case = include_bytes!("../www/graphs/cases/usmp-greedy-by-size.json");
    for (planner, name) in [("usmp-greedy-by-size", "b"), ("usmp-greedy-by-conflicts", "b")] {
        let run = run(planner, &[], case);
        for decision in &run.timeline.decisions[1..] {
            let name = &run.problem.buffers[decision.buffer].name;
            let told = told(&run, name, Locale::En);
            assert!(told.iter().any(|line| line.contains("above all live buffers")), "{told:?}");
            assert!(!told.iter().any(|line| line.contains("no gap fits") || line.contains("nothing fits")), "{told:?}");
        }
        let english = told(&run, name, Locale::En);
        assert!(english[0].contains("gaps are not used"), "{english:?}");
        assert!(english[1].ends_with("above all live buffers; gaps below are not examined"), "{english:?}");
    }
}

/// t2 is first offered the object of t0 and then takes that of t1, which is closer: t3 finds the one of t0 marked as used.
const MARKED: &[u8] = br#"{"format":"memory-graph/1","name":"marked","tensors":[
    {"name":"t0","dtype":"uint8","shape":[300],"kind":"intermediate"},
    {"name":"t1","dtype":"uint8","shape":[200],"kind":"intermediate"},
    {"name":"t2","dtype":"uint8","shape":[190],"kind":"intermediate"},
    {"name":"t3","dtype":"uint8","shape":[280],"kind":"intermediate"}],"nodes":[
    {"name":"n0","op":"f","inputs":[],"outputs":["t0","t1"]},
    {"name":"n1","op":"f","inputs":["t0","t1"],"outputs":[]},
    {"name":"n2","op":"f","inputs":[],"outputs":["t2","t3"]},
    {"name":"n3","op":"f","inputs":["t2","t3"],"outputs":[]}]}"#;

#[test]
fn an_object_that_is_only_marked_as_used_is_told_from_one_that_somebody_holds() {
    let run = run("executorch-greedy-v0.5", &[], MARKED);
    let told = told(&run, "t3", Locale::En);
    let marked = "empty, but marked as used up to step 3: t2 was close to taking it";
    assert!(told[1].ends_with(marked), "{told:?}");
    assert!(told[2].ends_with("not free: held by t2"), "{told:?}");
    let frame = run.frame(run.timeline.events_at(Level::Decisions, 3));
    let objects = sections(&run, &frame).into_iter().find(|section| section.id == "objects").expect("objects");
    let View::Table(table) = objects.view else { panic!("a table") };
    let words =
        |row: &Row| (row.cells[5].say(Speech::default()), row.changed.as_ref().map(|word| word.key.to_string()));
    let rows: Vec<_> = table.rows.iter().map(words).collect();
    let word = |word: &str| Some(format!("panel.objects.{word}"));
    assert_eq!(rows, [("4".to_string(), word("marked")), ("4".to_string(), word("taken"))]);
    assert_eq!(table.current, Some(1));
}

/// Values in texture memory, each made from the one before; widths 4, 8, 10, 6, 5 and 8.
const TEXTURES: &[u8] = br#"{"format":"memory-graph/1","name":"textures","tensors":[
    {"name":"x","dtype":"float32","shape":[1,4,8,8,4],"kind":"input","device":"4"},
    {"name":"t0","dtype":"float32","shape":[1,2,4,4,4],"kind":"intermediate","device":"4:global.texture"},
    {"name":"t1","dtype":"float32","shape":[1,2,4,8,4],"kind":"intermediate","device":"4:global.texture"},
    {"name":"t2","dtype":"float32","shape":[1,2,4,10,4],"kind":"intermediate","device":"4:global.texture"},
    {"name":"t3","dtype":"float32","shape":[1,2,4,6,4],"kind":"intermediate","device":"4:global.texture"},
    {"name":"t4","dtype":"float32","shape":[1,2,4,5,4],"kind":"intermediate","device":"4:global.texture"},
    {"name":"t5","dtype":"float32","shape":[1,2,4,8,4],"kind":"output","device":"4:global.texture"}],"nodes":[
    {"name":"op0","op":"op","inputs":["x"],"outputs":["t0"]},
    {"name":"op1","op":"op","inputs":["t0"],"outputs":["t1"]},
    {"name":"op2","op":"op","inputs":["t1"],"outputs":["t2"]},
    {"name":"op3","op":"op","inputs":["t2"],"outputs":["t3"]},
    {"name":"op4","op":"op","inputs":["t3"],"outputs":["t4"]},
    {"name":"op5","op":"op","inputs":["t4"],"outputs":["t5"]}]}"#;

#[test]
fn textures_are_told_by_their_sides() {
    let run = run("tvm-relay", &[], TEXTURES);
    let words = |name: &str| told(&run, name, Locale::En).join("\n");
    let of = |name: &str| {
        let words = words(name);
        for other in ["window", "Upwards", "downwards", "now a texture"] {
            assert!(!words.contains(other), "{name}: {words}");
        }
        words
    };
    assert!(of("t0").contains("gets a new texture, 4 wide and 8 high."), "{}", words("t0"));
    let grown = of("t2");
    assert!(grown.contains("enlarged to 10 wide and 8 high"), "{grown}");
    assert!(grown.contains("4 \u{d7} 8; 6 \u{d7} 0 added, 0 \u{d7} 0 wasted"), "{grown}");
    assert!(grown.contains("it gets one reference more than it has reads"), "{grown}");
    let taken = of("t3");
    assert!(taken.contains("takes a free texture, 8 wide and 8 high"), "{taken}");
    assert!(taken.contains("8 \u{d7} 8; 0 \u{d7} 0 added, 2 \u{d7} 0 wasted"), "{taken}");
    let last = of("t5");
    assert!(!last.contains("Storage 1"), "the enlarged one is not free: {last}");
    let frame = run.frame(run.timeline.events_at(Level::Decisions, u32::MAX));
    let tokens = sections(&run, &frame).into_iter().find(|section| section.id == "tokens").expect("tokens");
    let View::Table(table) = tokens.view else { panic!("a table") };
    assert_eq!(table.rows[1].cells[4].say(Speech::default()), "never freed: t2");
}

/// Two at a time do not fit into the fast memory.
#[test]
fn a_memory_that_is_full_is_named_and_listed_and_the_source_follows_the_search() {
    for (search, class) in [("position", "PositionBasedGreedyWithHierarchy"), ("gap", "GreedyWithHeuristic")] {
        let run = run("executorch-hierarchy", &[("sram", "500"), ("search", search)], MARKED);
        let told = told(&run, "t1", Locale::En);
        assert!(told[0].contains("in DRAM"), "{told:?}");
        assert_eq!(told[1], "SRAM, 0\u{2013}300\u{202f}B: no place below the limit of this memory");
        assert!(told[2].starts_with("DRAM, "), "{told:?}");
        assert!(told.contains(&"The tensor does not fit into SRAM (500\u{202f}B).".to_string()), "{told:?}");
        let frame = run.frame(run.timeline.events_at(Level::Decisions, 3));
        assert_eq!(why(&run, &frame).source, Some(format!("{class}.plan_spec").as_str()));
    }
}

/// Every number of a value.
fn numbers(value: &serde_json::Value, found: &mut Vec<f64>) {
    match value {
        serde_json::Value::Number(number) => found.extend(number.as_f64()),
        serde_json::Value::Array(items) => items.iter().for_each(|item| numbers(item, found)),
        serde_json::Value::Object(members) => members.values().for_each(|member| numbers(member, found)),
        _ => {}
    }
}

#[test]
fn frames_of_a_run_hold_no_number_that_javascript_would_round() {
    let teaching = include_bytes!("../www/graphs/teaching.json");
    for planner in ["first-fit", "greedy-by-size", "usmp-greedy-by-size", "executorch-hierarchy", "beam", "nnvm"] {
        let text = export::frames::frames(&record_all(&run(planner, &[], teaching), Level::All));
        let mut found = Vec::new();
        numbers(&serde_json::from_str(&text).expect("JSON"), &mut found);
        assert!(!found.is_empty());
        let largest = found.into_iter().fold(0.0, f64::max);
        assert!(largest < 9e15, "{planner}: {largest}");
    }
}
