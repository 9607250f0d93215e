//! One definition of "how far from the bound", whatever shows it: figures, tables, charts, files.

use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use memplan_core::plan::Distance;
use memplan_core::problem::{Scope, lower_bound, lower_bound_of};
use memplan_core::text::Speech;
use memplan_engine::{
    Answer, ChartBound, CompareTask, Comparison, Engine, FIGURES, FigureValue, MeasuredColumn, NoListener, PeakFound,
    PlannerChoice, Request, Source, Task, ranked,
};
use memplan_formats::export::{MetricsRow, metrics_csv};
use memplan_formats::import::{self, Answers};

/// The built-in graphs, counter-examples included.
fn graphs() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("www/graphs");
    let mut found = Vec::new();
    for folder in [folder.clone(), folder.join("cases")] {
        let files = std::fs::read_dir(&folder).expect("a folder").map(|file| file.expect("a file").path());
        for path in
            files.filter(|path| path.extension().is_some_and(|end| end == "json") && !path.ends_with("index.json"))
        {
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            found.push((name, std::fs::read(&path).expect("readable")));
        }
    }
    found.sort();
    assert!(found.len() > 20, "{}", found.len());
    found
}

#[test]
fn ratio_waste_tables_and_charts_are_measured_against_one_bound() {
    let mut partial = 0;
    for (name, bytes) in graphs() {
        let document = import::read(&bytes, Answers::default()).expect("a graph").document;
        let choices = ranked(document.graph().is_some(), document.own_plan().is_some());
        let request = Request {
            source: Source::Keep,
            scope: Scope::default(),
            task: Task::Compare(CompareTask::Columns(choices)),
        };
        // A clock so fast that nothing is timed twice.
        let now = AtomicU32::new(0);
        let clock = || f64::from(now.fetch_add(10_000, Ordering::Relaxed));
        let mut engine = Engine::with_document(document);
        let Ok(Answer::Compared(Comparison::Columns(columns, _))) = engine.answer(&request, &clock, &mut NoListener)
        else {
            panic!("columns")
        };
        partial += columns.into_iter().filter(|column| agree(&name, column)).count();
    }
    assert!(partial > 0, "some plans leave buffers out");
}

/// Checks a plan; true if it is measured against less than what was asked for.
fn agree(graph: &str, column: &MeasuredColumn) -> bool {
    // A planner may refuse a graph.
    let Ok((planned, found)) = &column.result else { return false };
    let choice = &column.choice;
    let (problem, plan) = (&planned.problem, &planned.plan);
    let what = format!("{graph}, {}", choice.text());
    let metrics = &found.figures.metrics;

    let places_nothing = plan.places.iter().all(Option::is_none);
    let all = lower_bound(problem);
    let bound = if places_nothing { all } else { lower_bound_of(problem, |id| plan.places[id].is_some()) };
    assert_eq!((metrics.bound(), metrics.lower_bound), (bound, all), "{what}");
    assert_eq!(metrics.has_own_bound(), bound != all, "{what}");
    assert_eq!(metrics.waste, metrics.need().saturating_sub(bound), "{what}");
    assert_eq!(metrics.ratio, (bound > 0).then(|| metrics.need() as f64 / bound as f64), "{what}");
    match metrics.distance() {
        Distance::At => assert_eq!(metrics.need(), bound, "{what}"),
        Distance::Above(bytes) => assert_eq!((metrics.waste, metrics.need()), (bytes, bound + bytes), "{what}"),
        Distance::Below(bytes) => assert_eq!((metrics.waste, metrics.need() + bytes), (0, bound), "{what}"),
    }

    let parts = found.figures.padding + found.figures.internal + found.figures.external;
    assert_eq!(parts, metrics.waste, "{what}");
    let value = |key: &str| FIGURES.iter().find(|figure| figure.key == key).expect("a figure").value(found);
    assert_eq!(value("bound"), FigureValue::Bytes(bound), "{what}");
    assert_eq!(value("lower_bound"), FigureValue::Bytes(all), "{what}");
    if found.figures.broken == 0 {
        assert_eq!(value("waste"), FigureValue::Bytes(metrics.waste), "{what}");
        let ratio = metrics.ratio.map_or(FigureValue::Unknown, FigureValue::Ratio);
        assert_eq!(value("ratio"), ratio, "{what}");
    }

    let left_out = if metrics.placed == 0 { 0 } else { metrics.left_out() };
    let sound = found.figures.is_sound();
    let peak = PeakFound::of(metrics, sound);
    assert_eq!(peak, PeakFound { peak: metrics.need(), bound, left_out, sound }, "{what}");
    assert_eq!(peak.is_whole(), found.figures.can_be_best(), "{what}");
    assert_eq!(ChartBound::of([metrics]).bytes(), bound, "{what}");
    let (graph, planner) = (graph.into(), choice.text());
    let row = MetricsRow { graph, planner, planner_name: None, violations: 0, metrics: metrics.clone() };
    let csv = metrics_csv(&[row]);
    let cells: Vec<&str> = csv.lines().nth(1).expect("a row").split(',').collect();
    let ratio = metrics.ratio.map_or_else(String::new, |ratio| format!("{ratio:.4}"));
    assert_eq!(
        cells[3..7],
        [&metrics.peak.to_string(), &bound.to_string(), &ratio, &metrics.waste.to_string()],
        "{what}"
    );
    bound != all
}

#[test]
fn a_chart_of_plans_with_several_bounds_has_that_of_everything() {
    let bytes =
        std::fs::read(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("www/graphs/two_branches.json"));
    let document = import::read(&bytes.expect("readable"), Answers::default()).expect("a graph").document;
    let task = Task::Compare(CompareTask::Ranking(["inductor-tree", "first-fit"].map(PlannerChoice::of).to_vec()));
    let request = Request { source: Source::Keep, scope: Scope::default(), task };
    let Ok(Answer::Compared(Comparison::Ranking(entries))) =
        Engine::with_document(document).answer(&request, &|| 0.0, &mut NoListener)
    else {
        panic!("a ranking")
    };
    let metrics: Vec<_> = entries.iter().map(|entry| &entry.result.as_ref().expect("a plan").figures.metrics).collect();
    let figures: Vec<_> = metrics.iter().map(|found| (found.peak, found.bound(), found.waste, found.ratio)).collect();
    const KIB: u64 = 1024;
    assert_eq!(figures, [(2176 * KIB, 2176 * KIB, 0, Some(1.0)), (2304 * KIB, 2048 * KIB, 256 * KIB, Some(1.125)),]);
    let bound = ChartBound::of(metrics.iter().copied());
    assert_eq!(bound.bytes(), 2176 * KIB);
    let chart = memplan_engine::peaks("two_branches", &[], bound, Speech::default());
    assert_eq!(chart.level.map(|(name, _)| name), Some(Speech::default().word("chart.bound-of-all")));
    let own = ChartBound::of([metrics[1]]);
    let chart = memplan_engine::peaks("two_branches", &[], own, Speech::default());
    // In the unit of the axis.
    assert_eq!((chart.level, chart.x.as_str()), (Some((Speech::default().word("chart.bound"), 2.0)), "MiB"));
}
