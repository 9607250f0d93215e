//! The same work without a browser: what the page has to show.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::rc::Rc;

use memplan_core::problem::Scope;
use memplan_core::text::{Locale, Speech};
use memplan_e2e::Page;
use memplan_e2e::page::Facts;
use memplan_engine::{Answer, Engine, NoListener, PlanTask, Request, Source, Task};
use memplan_formats::import::Answers;
use memplan_planners::origin;
use memplan_replay::{Level, Run, why};

/// Names of the built-in examples in the order of the list.
pub fn examples() -> Vec<String> {
    let list: Vec<serde_json::Value> = serde_json::from_slice(&example("index")).expect("a list");
    list.iter().map(|example| example["name"].as_str().expect("a name").to_string()).collect()
}

/// The file of a built-in example.
pub fn example(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../www/graphs/{name}.json"));
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A run of a planner with its usual options.
pub fn run(bytes: &[u8], planner: &str) -> Run {
    run_with(bytes, planner, &[], Scope::default())
}

/// A run of a planner.
pub fn run_with(bytes: &[u8], planner: &str, options: &[(&str, &str)], scope: Scope) -> Run {
    let options: BTreeMap<String, String> =
        options.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    work(bytes, planner, options, scope, Answers::default())
}

/// A run of a planner on what answers to a file's questions make of it.
pub fn run_choosing(bytes: &[u8], planner: &str, choices: Answers) -> Run {
    work(bytes, planner, BTreeMap::new(), Scope::default(), choices)
}

fn work(bytes: &[u8], planner: &str, options: BTreeMap<String, String>, scope: Scope, choices: Answers) -> Run {
    let source = Source::File { file: bytes.to_vec(), choices };
    let task = Task::Plan(PlanTask { options, ..PlanTask::of(planner) });
    let answer = Engine::default().answer(&Request { source, scope, task }, &|| 0.0, &mut NoListener);
    let Ok(Answer::Planned(done)) = answer else { panic!("the file is read") };
    let planned = done.planned.expect("the planner applies");
    let graph = done.opened.and_then(|opened| opened.graph).map(Rc::new);
    Run::new(Rc::new(planned.problem), origin(&planned.planner, planned.align), planned.plan, planned.events)
        .with_graph(graph)
}

/// How the page speaks.
pub fn speech(locale: Locale) -> Speech {
    Speech { locale, ..Speech::default() }
}

/// Waits until the page shows this run: figures that the document before has too, taken one by one,
/// would be no sign of it.
pub fn until_shown(page: &Page, what: &str, run: &Run) -> Facts {
    page.until_facts(what, |facts| {
        let figures = (facts.peak, facts.bound, facts.frames as usize);
        figures == (run.metrics.peak, run.metrics.lower_bound, run.timeline.decisions.len() + 1)
            && facts.planner == run.planner
    })
}

/// The headline of a frame in English, with single blanks.
pub fn headline(run: &Run, level: Level, frame: u32) -> String {
    let frame = run.frame(run.timeline.events_at(level, frame));
    single_blanks(&speech(Locale::En).say(&why(run, &frame).headline))
}

/// As the page's text is read: every kind of blank is one blank.
pub fn single_blanks(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
