//! The sentences of the Why panel say what the planner did, not what another one of its kind would
//! have done.

use std::rc::Rc;

use memplan_core::base::Term;
use memplan_core::problem::{Scope, lifetimes};
use memplan_core::text::{Locale, Speech};
use memplan_core::trace::Recorder;
use memplan_formats::export;
use memplan_formats::import::{self, Answers, Document};
use memplan_planners::{Input, find, origin};
use memplan_replay::panel::{Row, View, sections};
use memplan_replay::{Level, Run, define, next, record_all, why};

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
fn reason_lines(run: &Run, name: &str, locale: Locale) -> Vec<String> {
    let wanted = run.problem.buffer_named(name).expect("named");
    let decision = run.timeline.decisions.iter().position(|decision| decision.buffer == wanted).expect("decided");
    let frame = run.frame(run.timeline.events_at(Level::Decisions, decision as u32 + 1));
    let why = why(run, &frame);
    let speech = Speech { locale, ..Speech::default() };
    let mut lines = vec![speech.say(&why.headline)];
    lines.extend(why.rows.iter().map(|row| format!("{}: {}", speech.say(&row.place), speech.say(&row.verdict))));
    lines.extend(why.rule.iter().chain(&why.notes).map(|message| speech.say(message)));
    lines
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
fn an_identity_names_its_donor_even_while_that_lives_on() {
    let run = run("nnvm", &[("inplace", "true")], IDENTITY);
    assert_eq!(run.plan.shared, []);
    assert!(
        reason_lines(&run, "c", Locale::En)[0].ends_with("takes over the storage of a."),
        "{:?}",
        reason_lines(&run, "c", Locale::En)
    );
}

#[test]
fn reads_are_counted_for_a_storage_whoever_lies_in_it() {
    let run = run("nnvm", &[("inplace", "true")], IDENTITY);
    let lines = reason_lines(&run, "c", Locale::En);
    // Two reads of a, and one that c brings; the copy itself is the first of them.
    assert!(lines.contains(&"References to storage 0: 2 \u{2192} 3 (c).".to_string()), "{lines:?}");
    assert!(lines.contains(&"References to storage 0: 3 \u{2192} 2 (a).".to_string()), "{lines:?}");
}

/// b goes above a although the bytes below d are free while b lives.
#[test]
fn usmp_says_that_it_goes_above_what_is_alive_and_looks_at_no_gap() {
    let case = include_bytes!("../../www/graphs/cases/usmp-greedy-by-size.json");
    for (planner, name) in [("usmp-greedy-by-size", "b"), ("usmp-greedy-by-conflicts", "b")] {
        let run = run(planner, &[], case);
        for decision in &run.timeline.decisions[1..] {
            let name = &run.problem.buffers[decision.buffer].name;
            let lines = reason_lines(&run, name, Locale::En);
            assert!(lines.iter().any(|line| line.contains("above all live buffers")), "{lines:?}");
            assert!(
                !lines.iter().any(|line| line.contains("no gap fits") || line.contains("nothing fits")),
                "{lines:?}"
            );
        }
        let english = reason_lines(&run, name, Locale::En);
        assert!(english[0].contains("gaps are not used"), "{english:?}");
        assert!(english[1].ends_with("above all live buffers; gaps below are not examined"), "{english:?}");
    }
}

/// t2 is first offered the object of t0 and then takes that of t1, which is closer: t3 finds the
/// one of t0 marked as used.
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
    let lines = reason_lines(&run, "t3", Locale::En);
    let marked = "empty, but marked as used up to step 3: t2 was close to taking it";
    assert!(lines[1].ends_with(marked), "{lines:?}");
    assert!(lines[2].ends_with("not free: held by t2"), "{lines:?}");
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
    let words = |name: &str| reason_lines(&run, name, Locale::En).join("\n");
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
        let lines = reason_lines(&run, "t1", Locale::En);
        assert!(lines[0].contains("in DRAM"), "{lines:?}");
        assert_eq!(lines[1], "SRAM, 0\u{2013}300\u{202f}B: no place below the limit of this memory");
        assert!(lines[2].starts_with("DRAM, "), "{lines:?}");
        assert!(lines.contains(&"The tensor does not fit into SRAM (500\u{202f}B).".to_string()), "{lines:?}");
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
    let teaching = include_bytes!("../../www/graphs/teaching.json");
    for planner in ["first-fit", "greedy-by-size", "usmp-greedy-by-size", "executorch-hierarchy", "beam", "nnvm"] {
        let text = export::frames::frames(&record_all(&run(planner, &[], teaching), Level::All));
        let mut found = Vec::new();
        numbers(&serde_json::from_str(&text).expect("JSON"), &mut found);
        assert!(!found.is_empty());
        let largest = found.into_iter().fold(0.0, f64::max);
        assert!(largest < 9e15, "{planner}: {largest}");
    }
}

const TEACHING: &[u8] = include_bytes!("../../www/graphs/teaching.json");

/// What a term amounts to at a frame, in words with plain blanks.
fn here(run: &Run, frame: u32, term: Term, locale: Locale) -> Option<String> {
    let frame = run.frame(run.timeline.events_at(Level::Decisions, frame));
    let speech = Speech { locale, ..Speech::default() };
    define(term, Some((run, &frame))).figures.map(|message| speech.say(&message).replace('\u{202f}', " "))
}

#[test]
fn definitions_carry_the_figures_of_the_document() {
    let (first, tree) = (run("first-fit", &[], TEACHING), run("inductor-tree", &[], TEACHING));
    let words = |run: &Run, frame: u32, term: Term| here(run, frame, term, Locale::En).unwrap_or_default();
    assert_eq!(words(&first, 1, Term::LiveRange), "A is live from step 0 to step 2.");
    assert_eq!(words(&first, 1, Term::LowerBound), "At step 2, A, B, G are live together: 1 704 B.");
    assert_eq!(words(&first, 1, Term::Load), "It is largest at step 2: 1 704 B in 3 buffers.");
    assert_eq!(words(&first, 1, Term::PeakSoFar), "1 of 8 buffers are placed, up to 1 000 B.");
    // Before the end nothing tells how the plan ends.
    for term in Term::ALL {
        let text = words(&tree, 1, *term);
        assert!(!text.contains("1 856") && !text.contains("152"), "{term:?} gives the end away: {text}");
    }
    assert_eq!(words(&tree, 1, Term::Waste), "It is known once all buffers are placed.");
    assert_eq!(words(&tree, 8, Term::Waste), "1 856 − 1 704 = 152 B.");
    assert_eq!(words(&tree, 8, Term::Ratio), "1 856 / 1 704 = 1.09.");
    assert_eq!(words(&tree, 8, Term::Peak), "This plan needs 1 856 B in 1 pool.");
    assert_eq!(words(&first, 8, Term::Waste), "This plan has none: its peak, 1 704 B, is the lower bound.");
    // The tree of the last frame: every buffer has a leaf.
    assert_eq!(words(&tree, 8, Term::Allocation), "8 in the tree at this frame.");
    assert_eq!(here(&first, 8, Term::Allocation, Locale::En), None);
    // G goes on top although 64 B lie free: 24 of padding are free, too.
    assert!(words(&tree, 8, Term::Gap).starts_with("At step 2, "), "{}", words(&tree, 8, Term::Gap));
    for locale in Locale::ALL {
        for term in Term::ALL {
            let speech = Speech { locale, ..Speech::default() };
            let frame = tree.frame(tree.timeline.events_at(Level::Decisions, 8));
            let defined = define(*term, Some((&tree, &frame)));
            for message in [Some(defined.name), Some(defined.meaning), defined.figures].into_iter().flatten() {
                let words = speech.say(&message);
                assert!(!words.is_empty() && !words.contains(['{', '|']), "{term:?}: {words}");
            }
        }
    }
}

#[test]
fn bytes_in_a_gap_are_neither_live_nor_in_the_way() {
    // At step 1 a holds none of its bytes.
    let run = run("first-fit", &[], b"id,lower,upper,size,gaps\na,0,4,10,1-2\nb,1,2,12,\n");
    let words = |frame: u32, term: Term| here(&run, frame, term, Locale::En).unwrap_or_default();
    assert_eq!(words(2, Term::Load), "It is largest at step 1: 12 B in 1 buffer.");
    assert_eq!(words(2, Term::LowerBound), "At step 1, b are live together: 12 B.");
    let free = run.metrics.peak - 12;
    let expected = if free == 0 { "At step 1, no byte" } else { "At step 1, 10 B" };
    assert!(words(2, Term::Gap).starts_with(expected), "{}", words(2, Term::Gap));
}

#[test]
fn a_peak_below_the_bound_is_not_called_the_bound() {
    // c takes over the bytes of a, which lives on.
    let run = run("nnvm", &[("inplace", "true")], IDENTITY);
    assert_eq!((run.metrics.peak, run.metrics.bound()), (1024, 1536));
    let words = here(&run, u32::MAX, Term::Waste, Locale::En).expect("the plan is over");
    let wanted = "This plan has none: its peak, 1 KiB, is 512 B below the lower bound, because buffers share bytes while both are live.";
    assert_eq!(words, wanted);
}

#[test]
fn the_next_buffer_is_asked_for() {
    let run = run("first-fit", &[], TEACHING);
    let speech = Speech::default();
    let asked = |frame: u32| {
        let next = next(&run, &run.frame(run.timeline.events_at(Level::Decisions, frame)))?;
        let say = |message| speech.say(message).replace('\u{202f}', " ");
        Some((say(&next.title), say(&next.beside)))
    };
    let (title, beside) = asked(1).expect("seven wait");
    assert_eq!(title, "Next: E, 256 B, live only at step 0");
    assert_eq!(
        beside,
        "A is live at that time too, so E may not share bytes with it. Where will E go, and will the peak grow?"
    );
    let (title, beside) = asked(0).expect("eight wait");
    assert_eq!(title, "Next: A, 1 000 B, live from step 0 to step 2");
    assert!(beside.starts_with("No placed buffer is live"), "{beside}");
    assert!(asked(4).expect("four wait").1.starts_with("B, G are live at that time too"), "{:?}", asked(4));
    assert_eq!(asked(8), None);
}
