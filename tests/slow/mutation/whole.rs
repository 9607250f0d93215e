//! All that a file can meet, in one call: read, planned, checked, drawn, written in every format,
//! and that read back. The fuzz targets (`fuzz/fuzz_targets`) and the mutation test share it.

use std::collections::BTreeMap;

use memplan_core::graph::Graph;
use memplan_core::plan::{Plan, Violation, check, metrics};
use memplan_core::problem::{Problem, Scope};
use memplan_core::text::{Locale, Speech};
use memplan_engine::IMPORTED;
use memplan_engine::api;
use memplan_formats::export;
use memplan_formats::import::{self, Answers, Document};
use memplan_planners::{REGISTRY, info};
use memplan_replay::{Level, Run, gap, record_all, record_gap};
use memplan_scene::paint::{self, Shown, Theme};
use memplan_scene::{Index, Style};

/// Searches of a moment.
const BUDGETS: [(&str, &str); 4] = [("nodes", "2000"), ("attempts", "30"), ("states", "300"), ("work", "1")];

/// Most frames of which all are written: each is as large as the plan.
const MOST_FRAMES: u32 = 200;

/// Most buffers of a run of which pages and all frames are made; the rest goes for any number.
const MOST_BUFFERS: usize = 2000;

/// Largest text that is read back. A trace with every step of a plan may have a hundred thousand
/// times the bytes of the plan; the limits of time and memory are for what is small.
const MOST_TEXT: usize = 16 << 20;

/// Shapes of what stored files leave open, so that inference is reached.
fn answers() -> Answers {
    Answers { shapes: [("data".to_string(), "1, 3, 16, 16".to_string())].into(), ..Answers::default() }
}

/// Takes bytes the whole way, by one planner of all, the one of this turn. Whether they were a
/// document.
///
/// # Panics
/// If anything on the way does, if a plan breaks rules that its planner must keep, or if a file
/// that was written does not read.
pub fn whole(bytes: &[u8], turn: u64) -> bool {
    let Ok(read) = import::read(bytes, answers()) else { return false };
    let document = read.document;
    if let Some((problem, plan)) = document.own_plan() {
        check(problem, plan);
        metrics(problem, plan);
        take(&document, IMPORTED, turn);
    }
    let planner = REGISTRY[(turn % REGISTRY.len() as u64) as usize].info();
    take(&document, planner.id, turn);
    true
}

/// Plans, draws and writes by one planner. One that does not apply, or finds no plan, says so.
fn take(document: &Document, planner: &str, turn: u64) {
    let specs = info(planner).map_or(&[][..], |info| info.options);
    let own = BUDGETS.into_iter().filter(|(key, _)| specs.iter().any(|spec| spec.key == *key));
    let given: BTreeMap<String, String> = own.map(|(key, value)| (key.to_string(), value.to_string())).collect();
    let Ok((run, options)) = api::replay(document, planner, &given, &Scope::default()) else { return };
    let must_keep = info(planner).is_some_and(|info| info.ranked);
    if must_keep {
        let broken = check(&run.problem, &run.plan).into_iter().find(|violation| {
            // The input may state positions that collide; they are no planner's fault. Quirks are
            // its original's.
            !matches!(violation, Violation::NotWhereFixed { .. }) && !violation.is_quirk_of(&run.plan)
        });
        assert!(broken.is_none(), "{planner} gave an invalid plan: {broken:?}");
    }
    draw(&run, turn);
    write(&run, document.graph(), planner, options, must_keep);
}

/// The first and the last frame, and one page.
fn draw(run: &Run, turn: u64) {
    let level = Level::ALL[(turn % Level::ALL.len() as u64) as usize];
    let last = run.timeline.frames(level).saturating_sub(1);
    let speech = Speech { locale: Locale::ALL[(turn % 2) as usize], ..Speech::default() };
    for at in [0, last] {
        let frame = run.frame(run.timeline.events_at(level, at));
        let svg = paint::export_svg(run, &frame, (800.0, 500.0), Theme::Light, speech);
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"), "half a picture");
        assert!(!svg.contains(|letter: char| letter.is_control() && letter != '\n'), "letters that XML cannot hold");
        if at == last && run.problem.buffers.len() <= MOST_BUFFERS {
            let shown = Shown { level, options: BTreeMap::new(), link: "" };
            paint::print_page(run, &Index::new(run), &frame, &Style { speech, ..Style::default() }, &shown);
        }
    }
}

/// Every format; what was written reads.
fn write(run: &Run, graph: Option<&Graph>, planner: &str, options: BTreeMap<String, String>, is_sound: bool) {
    let (problem, plan): (&Problem, &Plan) = (&run.problem, &run.plan);
    let mut texts = Vec::new();
    if let Some(graph) = graph {
        texts.push(("graph", export::graph(graph)));
        texts.extend(export::graph_executor(graph, problem, plan).ok().map(|text| ("graph executor", text)));
    }
    if plan.places.iter().any(Option::is_some) {
        texts.push(("plan", export::plan(&api::plan_file(problem, plan, planner, options))));
        texts.push(("csv", export::csv(problem, Some(plan))));
        texts.push(("csv-times", export::csv_times(problem, Some(plan))));
        texts.push(("trace", export::trace(problem, Some(plan))));
        texts.extend(export::trace_by_step(problem, Some(plan), graph).ok().map(|text| ("trace by step", text)));
    }
    for (format, text) in texts.into_iter().filter(|(_, text)| text.len() <= MOST_TEXT) {
        match import::read(text.as_bytes(), answers()).map(|read| read.document) {
            Ok(Document::Plan(again, same)) if format == "plan" => {
                // What is left out is listed last.
                let found = (places(&again, &same), places(problem, plan));
                assert!(found.0 == found.1, "{planner}: the plan is another one when it is read back: {found:?}");
            }
            Ok(_) => {}
            // A plan that breaks rules may break those of a format.
            Err(faults) => assert!(!is_sound, "{planner}: {format} does not read back: {:?}", faults.first()),
        }
    }
    if problem.buffers.len() <= MOST_BUFFERS {
        if run.timeline.frames(Level::Decisions) <= MOST_FRAMES {
            export::frames::frames(&record_all(run, Level::Decisions));
        }
        export::gap::gap(&record_gap(run, &gap(run, 20)));
    }
    let row = export::MetricsRow {
        graph: problem.name.clone(),
        planner: planner.into(),
        planner_name: None,
        violations: 0,
        metrics: metrics(problem, plan),
    };
    export::metrics_csv(std::slice::from_ref(&row));
    export::metrics_markdown(&[row]);
}

/// Pool and offset of every buffer, by name.
fn places<'p>(problem: &'p Problem, plan: &Plan) -> BTreeMap<&'p str, Option<(u32, u64)>> {
    let place = |id| plan.places[id].map(|place| (place.pool.0, place.offset));
    problem.buffers.enumerate().map(|(id, buffer)| (buffer.name.as_str(), place(id))).collect()
}
