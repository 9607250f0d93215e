//! Measurements of the examples: the same figures as elsewhere, in every form.

use std::sync::atomic::{AtomicU32, Ordering};

use super::*;
use crate::{
    Answer, AnswerToWrite, Curve, DiffTask, Diffed, Engine, FitTask, LoadCurve, OwnProgram, Request, Source, Task,
    Undiffed, WriteForm, WriteTask, know_own, load_curves,
};
use memplan_core::base::Unit;
use memplan_core::base::shown::markdown;
use memplan_core::problem::BufferId;
use memplan_fit::{self as fit, Budget, Lever, Runtime, StoredIn};
use memplan_formats::import;
use memplan_planners::outside::Sheet;
use memplan_replay::{Level, Timeline};

fn engine(bytes: &[u8]) -> Engine {
    Engine::with_document(import::read(bytes, Answers::default()).expect("an example").document)
}

fn teaching() -> Engine {
    engine(include_bytes!("../../../../www/graphs/teaching.json"))
}

fn unet() -> Engine {
    engine(include_bytes!("../../../../www/graphs/unet_512.json"))
}

/// Checks that nothing is done twice.
struct Watching;

impl Listener for Watching {
    fn progress(&mut self, Progress { done, total, .. }: Progress) {
        assert!(done <= total, "{done} of {total}");
    }
}

fn asked(engine: &mut Engine, task: Task) -> Answer {
    let ticks = AtomicU32::new(0);
    let clock = || f64::from(ticks.fetch_add(1, Ordering::Relaxed));
    let request = Request { source: Source::Keep, scope: Scope::default(), task };
    engine.answer(&request, &clock, &mut Watching).expect("a document")
}

fn compared(engine: &mut Engine, task: CompareTask) -> Comparison {
    match asked(engine, Task::Compare(task)) {
        Answer::Compared(found) => found,
        other => panic!("{other:?}"),
    }
}

fn ranking(engine: &mut Engine, ids: &[&str]) -> Vec<RankingEntry> {
    let choices = ids.iter().map(|id| PlannerChoice::read(id)).collect();
    let Comparison::Ranking(entries) = compared(engine, CompareTask::Ranking(choices)) else { panic!("a ranking") };
    entries
}

#[test]
fn columns_hold_plans_and_figures_that_agree() {
    let choices = ["inductor-tree", "first-fit", "magic", "imported"].map(PlannerChoice::of).to_vec();
    let Comparison::Columns(columns, speed) = compared(&mut teaching(), CompareTask::Columns(choices)) else {
        panic!("columns")
    };
    assert_eq!(speed, 1.0);
    let (planned, found) = columns[0].result.as_ref().expect("planned");
    assert_eq!(found.figures.metrics.peak, planned.plan.peak(&planned.problem));
    assert_eq!(found.millis, Some(1.0));
    assert_eq!(found.frames, Timeline::new(planned.events.clone(), &planned.problem).frames(Level::All));
    let parts = found.figures.padding + found.figures.internal + found.figures.external;
    assert_eq!(parts, found.figures.metrics.waste);
    let why = |column: &MeasuredColumn| column.result.as_ref().err().map(|message| message.key.to_string());
    assert_eq!((why(&columns[1]), why(&columns[2])), (None, Some("fault.unknown-planner".into())));
    assert_eq!(why(&columns[3]), Some("compare.no-own-plan".into()));
}

#[test]
fn a_buffer_that_is_gone_takes_its_bytes_with_it() {
    let choice = PlannerChoice::of("first-fit");
    let planned = |engine: &mut Engine, task| match asked(engine, task) {
        Answer::Without(peaks) => peaks,
        other => panic!("{other:?}"),
    };
    let mut engine = teaching();
    let ids: Vec<BufferId> = (0..20).map(BufferId).collect();
    let peaks = planned(&mut engine, Task::Without(choice.clone(), ids.clone()));
    let Answer::Peaks(whole) = asked(&mut engine, Task::Peaks(vec![choice.clone()])) else { panic!("peaks") };
    let whole = whole[0].1.as_ref().expect("planned").peak;
    assert!(peaks.iter().flatten().any(|&peak| peak < whole), "{peaks:?} of {whole}");
    // As if the graph had given the buffer no bytes; others are as before.
    let again = planned(&mut engine, Task::Without(choice, vec![ids[3], ids[0]]));
    assert_eq!(again, [peaks[3], peaks[0]]);
    assert_eq!(peaks[19], None, "the graph has fewer buffers");
    let unknown = planned(&mut engine, Task::Without(PlannerChoice::of("magic"), ids));
    assert_eq!(unknown, []);
}

#[test]
fn answers_arrive_as_they_were_sent() {
    let choices = ["exact", "first-fit", "magic"].map(PlannerChoice::of).to_vec();
    for task in [
        CompareTask::Columns(choices.clone()),
        CompareTask::Ranking(choices),
        CompareTask::Sweep(PlannerChoice::of("naive"), Vary::Align),
    ] {
        let sent = compared(&mut teaching(), task);
        let bytes = postcard::to_stdvec(&sent).expect("plain data");
        let received: Comparison = postcard::from_bytes(&bytes).expect("the same data");
        assert_eq!(format!("{received:?}"), format!("{sent:?}"));
    }
}

#[test]
fn a_ranking_begins_with_the_lowest_peak() {
    let all = ranking(&mut teaching(), &[]);
    assert_eq!(all.len(), INFOS.iter().filter(|info| info.ranked).count());
    let peaks: Vec<u64> =
        all.iter().filter_map(|entry| Some(entry.result.as_ref().ok()?.figures.metrics.need())).collect();
    assert!(peaks.is_sorted() && peaks.len() > 10, "{peaks:?}");
    // Buffers alone: planners that need a graph say so.
    let mut buffers = engine(b"id,lower,upper,size\na,0,6,4\nb,3,8,4\n");
    let entries = ranking(&mut buffers, &["tvm-relay", "first-fit"]);
    assert_eq!(entries[0].choice.planner, "first-fit");
    assert_eq!(entries[1].result.as_ref().err().map(|why| why.key.to_string()), Some("fault.needs-graph".into()));
}

/// A comparison on so many threads, without the times, and the last progress.
fn on_threads(threads: usize, document: &Document, task: &CompareTask) -> (String, Progress) {
    struct Last(Progress);
    impl Listener for Last {
        fn progress(&mut self, progress: Progress) {
            self.0 = progress;
        }
    }
    let mut engine = Engine::with_document(document.clone()).on_threads(threads);
    let request = Request { source: Source::Keep, scope: Scope::default(), task: Task::Compare(task.clone()) };
    // A clock that stands still: no plan takes any time.
    let mut last = Last(Progress::default());
    let answer = engine.answer(&request, &|| 0.0, &mut last).expect("a document");
    (format!("{answer:?}"), last.0)
}

#[test]
fn threads_change_nothing_but_the_time() {
    let document = |bytes: &[u8]| import::read(bytes, Answers::default()).expect("an example").document;
    let usual = ["exact", "first-fit", "inductor-tree", "magic", "tvm-relay", "imported", "naive"];
    let usual: Vec<PlannerChoice> = usual.map(PlannerChoice::of).to_vec();
    let all = CompareTask::Ranking(Vec::new());
    let some = CompareTask::Ranking(usual.clone());
    let cases: [(&[u8], CompareTask); 6] = [
        (include_bytes!("../../../../www/graphs/teaching.json"), all),
        (include_bytes!("../../../../www/graphs/unet_512.json"), some.clone()),
        (include_bytes!("../../../../tests/data/tflite/small_cnn_int8.tflite"), some.clone()),
        (b"id,lower,upper,size\na,0,6,4\nb,3,8,4\n", some),
        (include_bytes!("../../../../www/graphs/teaching.json"), CompareTask::Columns(usual.clone())),
        (include_bytes!("../../../../www/graphs/diamond.json"), CompareTask::Sweep(usual[1].clone(), Vary::Align)),
    ];
    for (bytes, task) in cases {
        let document = document(bytes);
        let (alone, progress) = on_threads(1, &document, &task);
        for threads in [2, 5] {
            let (beside, reached) = on_threads(threads, &document, &task);
            assert_eq!(beside, alone, "{threads} threads");
            assert_eq!((reached.done, reached.total), (progress.total, progress.total), "{threads} threads");
        }
    }
}

#[test]
fn several_documents_are_ranked_as_each_by_itself() {
    let files: [&[u8]; 3] = [
        include_bytes!("../../../../www/graphs/teaching.json"),
        include_bytes!("../../../../www/graphs/diamond.json"),
        b"id,lower,upper,size\na,0,6,4\nb,3,8,4\n",
    ];
    let read = |bytes: &&[u8]| import::read(bytes, Answers::default()).expect("an example").document;
    let documents: Vec<(Document, Scope)> =
        files.iter().map(read).map(|document| (document, Scope::default())).collect();
    for choices in [&["first-fit"][..], &["best-fit", "naive", "tvm-relay"]] {
        let choices: Vec<PlannerChoice> = choices.iter().map(|id| PlannerChoice::of(id)).collect();
        let together = rankings(&documents, &choices, 2, &|| 0.0, &mut Watching);
        let each = |one: &(Document, Scope)| rankings(std::slice::from_ref(one), &choices, 1, &|| 0.0, &mut Watching);
        assert_eq!(together, documents.iter().flat_map(each).collect::<Vec<_>>());
    }
}

#[test]
fn a_plan_is_timed_until_that_took_long_enough() {
    // Each look at the clock costs so many milliseconds.
    let runs = |millis: u32| {
        let (now, mut runs) = (AtomicU32::new(0), 0);
        let median = median(&|| f64::from(now.fetch_add(millis, Ordering::Relaxed)), || {
            runs += 1;
            true
        });
        assert_eq!(median, f64::from(millis));
        runs
    };
    assert_eq!((runs(1), runs(30), runs(60), runs(10_000)), (5, 2, 1, 1));
}

#[test]
fn a_sweep_varies_one_value() {
    let task = CompareTask::Sweep(PlannerChoice::of("first-fit"), Vary::Align);
    let Comparison::Sweep(found) = compared(&mut teaching(), task) else { panic!("a sweep") };
    let values: Vec<u64> = found.iter().map(|(point, _)| point.value).collect();
    assert_eq!(values, (0..=12).map(|power| 1 << power).collect::<Vec<u64>>());
    let peak = |index: usize| found[index].1.as_ref().expect("planned").figures.metrics.peak;
    assert!(peak(12) > peak(0) && found[12].0.scope.align == 4096);
    // The bound is of unpadded bytes.
    let bounds = found.iter().map(|(_, found)| found.as_ref().expect("planned").figures.metrics.lower_bound);
    assert!(bounds.into_iter().all(|bound| bound == 1704));
    let speech = Speech::default();
    let figure = Figure::named("peak").expect("a figure");
    let chart = sweep_chart(&[(&PlannerChoice::of("first-fit"), &found)], &Vary::Align, figure, speech);
    assert_eq!(chart.series[0].points.len(), 13);
    assert_eq!((chart.unit, chart.level.map(|level| level.1)), (Some(Unit::B), Some(1704.0)));
    let graph = teaching();
    let graph = graph.document.as_ref().expect("held").graph();
    assert!(varies(graph, "tvm-relay").contains(&Vary::Option("match_range".into())));
    assert_eq!(points(graph, &PlannerChoice::of("beam"), &Vary::Option("k".into()), &Scope::default())[3].value, 8);
    assert!(points(graph, &PlannerChoice::of("beam"), &Vary::Symbol("s9".into()), &Scope::default()).is_empty());
}

#[test]
fn options_of_a_program_are_swept_within_their_limits() {
    use memplan_planners::outside::{OptionValue, Sheet, register};
    let options = vec![
        ("any".into(), OptionValue::Whole(4)),
        ("few".into(), OptionValue::Range { value: 3, min: 2, max: 5 }),
        ("flag".into(), OptionValue::Flag(true)),
        ("text".into(), OptionValue::Text("x".into())),
        ("way".into(), OptionValue::Choice { value: "up".into(), of: vec!["up".into(), "down".into()] }),
    ];
    let sheet = Sheet { options, ..Sheet::default() };
    register("own-swept", "mine", "", &sheet, |_| Err(Message::new("notice.crashed")));
    let swept = |key: &str| -> Vec<String> {
        let vary = Vary::Option(key.into());
        let points = points(None, &PlannerChoice::of("own-swept"), &vary, &Scope::default());
        assert!(points.iter().all(|point| point.choice.options[key] == point.words(&vary)));
        points.iter().map(|point| point.words(&vary)).collect()
    };
    assert_eq!(swept("any"), ["0", "1", "2", "4", "8", "16", "32", "64", "128", "256"]);
    assert_eq!(swept("few"), ["2", "3", "4", "5"]);
    assert_eq!(swept("flag"), ["false", "true"]);
    assert_eq!(swept("way"), ["up", "down"]);
    assert!(swept("text").is_empty());
    let names: Vec<String> = varies(None, "own-swept").iter().map(Vary::text).collect();
    assert_eq!(names, ["align", "any", "few", "flag", "way"]);
    let why = |planner: &str, asked: &str| not_varied(planner, |key| key == asked).map(|why| why.key.to_string());
    assert_eq!(why("own-swept", "text").as_deref(), Some("compare.sweep.text-own"));
    assert_eq!(why("executorch-suite", "algorithms").as_deref(), Some("compare.sweep.text"));
    assert_eq!((why("own-swept", "any"), why("first-fit", "text")), (None, None));
}

#[test]
fn many_graphs_give_a_row_each() {
    let files = vec![
        ("teaching".to_string(), include_bytes!("../../../../www/graphs/teaching.json").to_vec()),
        ("broken".to_string(), b"{".to_vec()),
    ];
    let task = CompareTask::Graphs(files, vec![PlannerChoice::of("first-fit")]);
    let Comparison::Graphs(rows) = compared(&mut teaching(), task) else { panic!("graphs") };
    assert_eq!(rows[0].1.as_ref().map(Vec::len), Ok(1));
    assert!(rows[1].1.is_err());
}

#[test]
fn choices_are_read_as_they_are_written() {
    for text in ["first-fit", "beam;k=4", "executorch-suite;algorithms=naive;greedy", "tvm-relay;a=1;b=2"] {
        assert_eq!(PlannerChoice::read(text).text(), text);
    }
    let suite = PlannerChoice::read("executorch-suite;algorithms=naive;greedy");
    assert_eq!(suite.options.get("algorithms").map(String::as_str), Some("naive;greedy"));
    // Parts of a list are no options of their own, also with an equals sign.
    let banked = PlannerChoice::read("executorch-banked;banks=fast=100;slow=9999;rules=conv=1");
    assert_eq!(banked.options.get("banks").map(String::as_str), Some("fast=100;slow=9999"));
    assert_eq!(banked.options.get("rules").map(String::as_str), Some("conv=1"));
}

#[test]
fn every_form_holds_the_same_figures() {
    let entries = ranking(&mut teaching(), &["first-fit", "inductor-tree", "magic"]);
    let speech = Speech::default();
    let sheet = FigureTable { rows: entries.iter().map(|entry| ("teaching", entry)).collect(), speech };
    let peak = entries[0].result.as_ref().expect("planned").figures.metrics.peak.to_string();
    let csv = sheet.write(TableFormat::Csv);
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let records: Vec<csv::StringRecord> = reader.records().map(|record| record.expect("even lines")).collect();
    assert_eq!((&records[0][2], records.len()), (peak.as_str(), 3));
    assert!(!records[2][FIGURES.len() + 2].is_empty(), "{csv}");
    let json: serde_json::Value = serde_json::from_str(&sheet.write(TableFormat::Json)).expect("valid");
    assert_eq!(json[0]["peak"].to_string(), peak);
    assert_eq!((json[0]["planner"] == entries[0].choice.planner, json[2]["error"].is_string()), (true, true));
    let markdown = sheet.write(TableFormat::Markdown);
    assert_eq!(markdown.lines().count(), 2 + 3);
    let plain = sheet.write(TableFormat::Plain);
    assert!(plain.lines().nth(1).is_some_and(|line| line.contains(" 1 704 B ")), "{plain}");
}

#[test]
fn a_planner_of_the_page_has_its_name_beside_its_id() {
    let program = OwnProgram::named("mine.rhai", "fn place(buffer, gaps) { 0 }");
    know_own(&program, &Sheet::default());
    let mut entries = ranking(&mut teaching(), &["first-fit"]);
    let own = RankingEntry { choice: PlannerChoice::of(&program.id), ..entries[0].clone() };
    entries.push(own);
    let speech = Speech::default();
    let sheet = FigureTable { rows: entries.iter().map(|entry| ("teaching", entry)).collect(), speech };
    let csv = sheet.write(TableFormat::Csv);
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    assert_eq!(reader.headers().expect("heads").iter().next_back(), Some("planner_name"));
    let records: Vec<csv::StringRecord> = reader.records().map(|record| record.expect("even lines")).collect();
    let ends: Vec<[&str; 2]> = records.iter().map(|record| [&record[1], &record[FIGURES.len() + 3]]).collect();
    assert_eq!(ends, [["first-fit", ""], [&program.id, "mine.rhai"]]);
    let json: serde_json::Value = serde_json::from_str(&sheet.write(TableFormat::Json)).expect("valid");
    assert_eq!((json[0].get("planner_name"), &json[1]["planner_name"]), (None, &"mine.rhai".into()));
    let named = format!("mine.rhai ({})", program.id);
    for form in [TableFormat::Markdown, TableFormat::Matrix] {
        assert!(sheet.write(form).contains(&markdown(&named)), "{}", sheet.write(form));
    }
    assert!(sheet.write(TableFormat::Plain).contains(&named));
    assert!(sheet.write(TableFormat::Narrow).contains("mine.rhai (own-"));
}

#[test]
fn a_matrix_has_a_line_a_planner_and_a_column_a_graph() {
    let tiny = ranking(&mut engine(b"id,lower,upper,size\na,0,6,4\nb,3,8,4\n"), &["first-fit", "tvm-relay", "naive"]);
    let teaching = ranking(&mut teaching(), &["naive", "first-fit", "tvm-relay"]);
    let rows = tiny.iter().map(|entry| ("tiny", entry)).chain(teaching.iter().map(|entry| ("teaching", entry)));
    let sheet = FigureTable { rows: rows.collect(), speech: Speech::default() };
    let text = sheet.write(TableFormat::Matrix);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "| planner | tiny | teaching |");
    // Nothing can be shared between a and b; the worked example has a load of 1704, and 3580 bytes
    // in all.
    let line = |planner: &str| lines.iter().find(|line| line.starts_with(&format!("| `{planner}`"))).copied();
    assert_eq!(line("naive"), Some("| `naive` | **1.000** | 2.101 |"));
    assert!(line("tvm-relay").is_some_and(|line| line.starts_with("| `tvm-relay` | – | ")), "{text}");
    assert_eq!(lines.len(), 5);
}

#[test]
fn the_best_of_a_row_is_marked_only_when_something_differs() {
    let entries = ranking(&mut teaching(), &["first-fit", "naive"]);
    let found: Vec<Option<&Measurement>> = entries.iter().map(|entry| entry.result.as_ref().ok()).collect();
    let best = |key: &str| Figure::named(key).expect("a figure").best_of(&found);
    assert_eq!((best("peak"), best("lower_bound")), (vec![true, false], vec![false, false]));
    let same = [found[0], found[0], None];
    assert_eq!(Figure::named("peak").expect("a figure").best_of(&same), [false; 3]);
}

#[test]
fn equal_needs_share_a_rank_and_what_leaves_buffers_out_has_none() {
    let speech = Speech::default();
    let entries = ranking(&mut unet(), &["best-fit", "greedy-by-size", "exact", "naive", "inductor-tree"]);
    let found: Vec<(&str, Option<usize>)> =
        entries.iter().map(|entry| entry.choice.planner.as_str()).zip(ranks(&entries)).collect();
    let expected = [
        ("greedy-by-size", Some(1)),
        ("exact", Some(1)),
        ("best-fit", Some(3)),
        ("naive", Some(4)),
        ("inductor-tree", None),
    ];
    assert_eq!(found, expected, "inductor-tree leaves one of 68 buffers out");
    let verdict = ranking_verdict(&entries, speech).expect("a plan");
    assert_eq!((&*verdict.key, speech.say(&verdict).contains('2')), ("compare.verdict.at-bound", true));
    // Without those at the bound one is the best, and without any whole plan none is.
    let verdict = |ids: &[&str]| {
        let kept: Vec<RankingEntry> =
            entries.iter().filter(|entry| ids.contains(&entry.choice.planner.as_str())).cloned().collect();
        ranking_verdict(&kept, speech).map(|verdict| verdict.key)
    };
    assert_eq!(verdict(&["best-fit", "naive"]), Some("compare.verdict.least".into()));
    assert_eq!(verdict(&["inductor-tree"]), None);
}

#[test]
fn a_plan_that_leaves_buffers_out_is_never_the_best() {
    let entries = ranking(&mut unet(), &["best-fit", "inductor-tree"]);
    let found: Vec<Option<&Measurement>> = entries.iter().map(|entry| entry.result.as_ref().ok()).collect();
    let left_out = found.iter().map(|found| found.expect("planned").figures.metrics.left_out() > 0);
    assert_eq!(left_out.collect::<Vec<bool>>(), [false, true]);
    for figure in &FIGURES {
        assert!(!figure.best_of(&found)[1], "{}", figure.key);
    }
}

#[test]
fn a_sweep_ends_in_a_sentence() {
    let speech = Speech::default();
    let swept = |planner: &str| {
        let task = CompareTask::Sweep(PlannerChoice::of(planner), Vary::Align);
        let Comparison::Sweep(found) = compared(&mut unet(), task) else { panic!("a sweep") };
        (PlannerChoice::of(planner), found)
    };
    let lines = ["best-fit", "greedy-by-size"].map(swept);
    let lines: Vec<_> = lines.iter().map(|(choice, found)| (choice, found.as_slice())).collect();
    let verdict = |key: &str| sweep_verdict(&lines, &Vary::Align, Figure::named(key).expect("a figure"), speech);
    let said: Vec<String> = verdict("peak").iter().map(|message| speech.say(message)).collect();
    assert_eq!(said.len(), 1, "one sentence for both: {said:?}");
    for words in ["makes no difference", "320", "256", "4\u{202f}096"] {
        assert!(said[0].contains(words), "{words}: {said:?}");
    }
    let chart = sweep_chart(&lines, &Vary::Align, Figure::named("peak").expect("a figure"), speech);
    assert_eq!((chart.series.len(), chart.places.len()), (2, 13));
    // The sizes of the worked example are no multiples of all alignments.
    let task = CompareTask::Sweep(PlannerChoice::of("first-fit"), Vary::Align);
    let Comparison::Sweep(found) = compared(&mut teaching(), task) else { panic!("a sweep") };
    let choice = PlannerChoice::of("first-fit");
    let said = sweep_verdict(&[(&choice, &found)], &Vary::Align, &FIGURES[0], speech);
    assert_eq!(said.iter().map(|message| message.key.to_string()).collect::<Vec<_>>(), ["compare.verdict.varies"]);
}

#[test]
fn many_graphs_end_in_a_sentence() {
    let choices = ["best-fit", "exact", "inductor-tree"].map(PlannerChoice::of).to_vec();
    let rows = vec![
        ("unet".to_string(), Ok(ranking(&mut unet(), &["best-fit", "exact", "inductor-tree"]))),
        ("teaching".to_string(), Ok(ranking(&mut teaching(), &["best-fit", "exact", "inductor-tree"]))),
        ("broken".to_string(), Err(Message::new("compare.waiting"))),
    ];
    let said = Speech::default().say(&graphs_verdict(&rows, &choices, Speech::default()).expect("a sentence"));
    assert!(said.contains("exact") && said.contains('2'), "{said}");
    assert!(said.contains("is not counted, so its ratio may be lower: Inductor AllocationTree"), "{said}");
    assert_eq!(graphs_verdict(&[], &choices, Speech::default()), None);
}

#[test]
fn plan_time_is_charted_against_the_number_of_buffers() {
    let Comparison::Growth(found) =
        compared(&mut teaching(), CompareTask::Growth(vec![PlannerChoice::of("first-fit")]))
    else {
        panic!("growth")
    };
    let counts: Vec<u32> = found[0].1.iter().map(|time| time.0).collect();
    assert_eq!(counts, [125, 250, 500, 1000, 2000, 4000]);
    let chart = growth_chart(&found, Speech::default());
    assert_eq!((chart.places.len(), chart.series[0].points[5]), (6, (5.0, 1.0)));
}

#[test]
fn a_plan_that_breaks_rules_is_compared_with_nothing() {
    let mut overlapping = engine(b"tensor_name,size,offset,start_time,end_time\na,4,0,0,5\nb,4,2,3,8\n");
    let entries = ranking(&mut overlapping, &["imported", "first-fit"]);
    let found: Vec<Option<&Measurement>> = entries.iter().map(|entry| entry.result.as_ref().ok()).collect();
    assert_eq!((entries[1].choice.planner.as_str(), found[1].map(|found| found.figures.broken)), ("imported", Some(1)));
    for figure in FIGURES.iter().filter(|figure| figure.better.is_some()) {
        assert_eq!(figure.value(found[1].expect("read")), FigureValue::Unknown, "{}", figure.key);
    }
    let rows = entries.iter().map(|entry| ("tiny", entry)).collect();
    let csv = FigureTable { rows, speech: Speech::default() }.write(TableFormat::Csv);
    let line = csv.lines().find(|line| line.contains("imported")).expect("a line");
    assert!(line.starts_with("tiny,imported,,8,,") && line.contains("false"), "{line}");
}

fn diffed(engine: &mut Engine, old: &[u8], planner: Option<&str>) -> Result<Diffed, Undiffed> {
    let task = DiffTask {
        old: old.to_vec(),
        choices: Answers::default(),
        names: ["old.json".into(), "new.json".into()],
        format: import::Format::MemoryGraph,
        planner: planner.map(PlannerChoice::read),
        without_weights: false,
    };
    let Answer::Diff(found) = asked(engine, Task::Diff(task)) else { panic!("a comparison") };
    *found
}

const LIST: &[u8] = b"id,lower,upper,size\na,0,2,8\nb,1,3,8\nc,2,4,16\n";

#[test]
fn two_documents_are_compared_with_their_plans() {
    let larger = String::from_utf8_lossy(LIST).replace("c,2,4,16", "c,2,4,64");
    let found = diffed(&mut engine(larger.as_bytes()), LIST, Some("first-fit")).expect("both have plans");
    assert_eq!((found.planner.as_str(), found.unrelated), ("first-fit", false));
    assert_eq!(found.figures[1].bound - found.figures[0].bound, 48);
    let [old, new] = &found.plans;
    for row in &found.rows {
        let name = |planned: &Planned, id: Option<BufferId>| id.map(|id| planned.problem.buffers[id].name.clone());
        assert_eq!(name(old, row.old), name(new, row.new), "{row:?}");
    }
    assert!(found.rows.iter().any(|row| &*row.note.key == "diff.row.larger"), "{:?}", found.rows);
    assert!(found.markdown.starts_with("<!-- memplan -->\n### Memory: "), "{}", found.markdown);
    let chart = load_curves("list", [(&found.figures[0]).into(), (&found.figures[1]).into()], &[], Speech::default());
    assert_eq!(chart.series.len(), 2);
}

/// The places of the steps of the old side in a chart of both.
fn old_places(old_steps: u32, new_steps: u32, matched: &[(u32, u32)]) -> Vec<f64> {
    let load = |steps: u32| (0..steps).map(|step| (step, u64::from(step) + 1)).collect::<Vec<_>>();
    let (old, new) = (load(old_steps), load(new_steps));
    let sides =
        [LoadCurve { peak: 9, steps: old_steps, load: &old }, LoadCurve { peak: 9, steps: new_steps, load: &new }];
    let chart = load_curves("both", sides, matched, Speech::default());
    chart.series[0].points.iter().map(|&(x, _)| x).collect()
}

#[test]
fn no_load_of_the_longer_document_is_without_width() {
    // Nothing is matched: each has its own steps.
    assert_eq!(old_places(4, 2, &[]), [0.0, 1.0, 2.0, 3.0, 4.0]);
    // Steps that came in between leave the others where they belong.
    assert_eq!(old_places(3, 6, &[(0, 0), (1, 4)]), [0.0, 4.0, 5.0, 6.0]);
    // Of more steps than there is room for, each has its share.
    assert_eq!(old_places(9, 4, &[(0, 0), (4, 1), (8, 2)]), [0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 3.0]);
    for matched in [&[(5, 0), (6, 1)][..], &[(3, 3)], &[(0, 3)], &[(9, 0)]] {
        let places = old_places(10, 4, matched);
        assert!(places.windows(2).all(|pair| pair[0] < pair[1]), "{matched:?}: {places:?}");
        assert!(places[0] >= 0.0 && places[10] <= 4.0, "{matched:?}: {places:?}");
    }
}

#[test]
fn a_document_and_itself_differ_in_nothing() {
    let text = include_bytes!("../../../../www/graphs/teaching.json");
    let found = diffed(&mut teaching(), text, None).expect("both have plans");
    assert!(found.rows.iter().all(|row| row.group == memplan_replay::diff::Group::Same), "{:?}", found.rows);
    assert_eq!(found.figures[0], found.figures[1]);
    assert!(found.plans[0].graph.is_some(), "a graph for the old side, which the page does not have");
}

#[test]
fn what_stands_against_a_comparison_is_told() {
    let broken = diffed(&mut teaching(), b"{", None).err();
    assert!(matches!(broken, Some(Undiffed::Old(Failure::Faults(_)))), "{broken:?}");
    let none = diffed(&mut teaching(), LIST, Some("imported")).err();
    assert_eq!(none, Some(Undiffed::NoPlan(Message::new("compare.no-own-plan"))));
    let graphless = diffed(&mut teaching(), LIST, Some("inductor-reuse")).err();
    assert!(matches!(graphless, Some(Undiffed::NoPlan(_))), "{graphless:?}");
}

#[test]
fn a_model_gets_a_plan_and_the_arena_before_and_after_is_told() {
    let written = |planner: &str, form| {
        let file = include_bytes!("../../../../tests/data/tflite/small_cnn_int8.tflite").to_vec();
        let task =
            WriteTask { file, answers: Answers::default(), planner: PlannerChoice::read(planner), form, answer: None };
        let Answer::Written(found) = asked(&mut teaching(), Task::Write(task)) else { panic!("a model") };
        *found
    };
    let figures = written("exact", WriteForm::Figures).expect("a plan");
    assert_eq!((figures.with, figures.without, figures.file.len()), (20_480, 22_528, 0));
    let model = written("exact", WriteForm::Model).expect("a plan");
    assert_eq!(model.file.get(4..8), Some(&b"TFL3"[..]));
    let table = written("exact", WriteForm::Table).expect("a plan");
    assert!(table.file.starts_with(b"#include <cstdint>"));
    assert!(written("naive", WriteForm::Figures).expect("a plan").with > figures.without);
    assert!(written("inductor-reuse", WriteForm::Figures).is_err(), "storages have no addresses");
}

#[test]
fn an_answer_is_written_in_its_order_and_refused_if_its_arena_is_larger_than_the_memory() {
    let written = |order: &[usize], room| {
        let file = include_bytes!("../../../../tests/data/tflite/small_cnn_int8.tflite").to_vec();
        let answer = Some(AnswerToWrite { order: order.to_vec(), room });
        let task = WriteTask {
            file,
            answers: Answers::default(),
            planner: PlannerChoice::read("exact"),
            form: WriteForm::Model,
            answer,
        };
        let Answer::Written(found) = asked(&mut teaching(), Task::Write(task)) else { panic!("a model") };
        *found
    };
    let order = [0, 1, 3, 6, 2, 4, 5, 7, 8, 9, 10, 11];
    let model = written(&order, 20_480).expect("a plan");
    assert_eq!(model.without, 22_528, "the model as it is, in its own order");
    let made = |bytes: &[u8]| {
        let document = import::read(bytes, Answers::default()).expect("a model").document;
        let graph = document.graph().expect("a graph");
        graph.nodes.iter().map(|node| graph.tensors[node.outputs[0]].name.to_string()).collect::<Vec<String>>()
    };
    let old = made(include_bytes!("../../../../tests/data/tflite/small_cnn_int8.tflite"));
    assert_eq!(made(&model.file), order.map(|position| old[position].clone()));
    let room = model.with - 1;
    let over = Message::new("fit.arena-over").bytes("with", model.with).bytes("room", room);
    assert_eq!(written(&order, room).err(), Some(over));
    assert!(written(&[1, 0], 20_480).is_err(), "no order of this model");
}

#[test]
fn the_first_answer_of_fit_does_not_wait_for_the_curve_of_prices() {
    let asked = |curve| {
        let memories = vec![StoredIn { name: "SRAM".into(), size: 32, cost: 1 }];
        let allow = Lever::list("planner,stripes").expect("levers");
        let request =
            fit::Request { budget: Budget { memories, ..Budget::default() }, allow, ..fit::Request::default() };
        let task = Task::Fit(FitTask { request, millis: 60_000, curve, runtime: Runtime::default() });
        let tiny = include_bytes!("../../../../tests/data/fit/tiny.json");
        let Answer::Fitted(found) = asked(&mut engine(tiny), task) else { panic!("an answer") };
        found.expect("an answer")
    };
    let (first, second) = (asked(Curve::Later), asked(Curve::AtTheEnd));
    assert!(first.record.result == "fits" && first.record.curve.is_empty() && !first.ended);
    assert!(second.record.result == "fits" && !second.record.curve.is_empty() && second.ended);
}

#[test]
fn a_program_gets_other_places_and_the_memory_before_and_after_is_told() {
    let written = |planner: &str, form| {
        let file = include_bytes!("../../../../tests/data/executorch/tiny_add_cat.pte").to_vec();
        let task =
            WriteTask { file, answers: Answers::default(), planner: PlannerChoice::read(planner), form, answer: None };
        let Answer::Written(found) = asked(&mut teaching(), Task::Write(task)) else { panic!("a program") };
        *found
    };
    let figures = written("best-fit", WriteForm::Figures).expect("a plan");
    assert_eq!((figures.with, figures.without, figures.bound, figures.file.len()), (896, 896, 896, 0));
    let program = written("naive", WriteForm::Model).expect("a plan");
    assert_eq!(program.file.get(4..8), Some(&b"ET12"[..]));
    assert!(program.with > program.without);
    let table = written("best-fit", WriteForm::Table).err();
    assert_eq!(table, Some(Message::new("pte.option").text("option", "--table")), "a program has no table of C++");
    assert!(written("inductor-reuse", WriteForm::Figures).is_err(), "storages have no addresses");
}

#[test]
fn an_onnx_model_gets_a_plan_as_entries_beside_its_values() {
    let written = |planner: &str, form| {
        let file = include_bytes!("../../../../tests/import/onnx/resnet18.onnx").to_vec();
        let task =
            WriteTask { file, answers: Answers::default(), planner: PlannerChoice::read(planner), form, answer: None };
        let Answer::Written(found) = asked(&mut teaching(), Task::Write(task)) else { panic!("a model") };
        *found
    };
    let figures = written("best-fit", WriteForm::Figures).expect("a plan");
    assert!(figures.bound <= figures.with && figures.with < figures.without && figures.file.is_empty());
    let model = written("best-fit", WriteForm::Model).expect("a plan");
    let read = import::read(&model.file, Answers::default()).expect("a model").document;
    let (problem, plan) = read.own_plan().expect("the plan that was written");
    assert_eq!(plan.peak(problem), figures.with);
    let table = written("best-fit", WriteForm::Table).err();
    assert_eq!(table, Some(Message::new("onnx-plan.option").text("option", "--table")), "there is no table of C++");
    assert!(written("inductor-reuse", WriteForm::Figures).is_err(), "storages have no addresses");
}

#[test]
fn a_long_run_with_few_events_is_the_timed_one() {
    use super::measuring::is_plan_time;
    assert!(is_plan_time(2_000.0, 10_000));
    assert!(!is_plan_time(2_000.0, 10_000_000), "much of it may be recording");
    assert!(!is_plan_time(200.0, 0), "the first of short runs is slower than others");
}
