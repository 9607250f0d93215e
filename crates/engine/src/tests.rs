//! Requests as the page sends them.

use super::link::{carried, unpack};
use super::plan::planner_for;
use super::*;
use memplan_core::base::Message;
use memplan_core::plan::Proof;
use memplan_core::problem::{BufferId, Scope};
use memplan_core::text::Locale;
use memplan_core::trace::Event;
use memplan_formats::import::{self, Answers, Format};
use memplan_planners::{FIRST, MANY_LISTED, MANY_TENSORS};
use memplan_replay::{Level, why};

/// What the engine answers that is asked for a plan.
fn planned_by(
    engine: &mut Engine,
    source: Source,
    task: PlanTask,
    listener: &mut dyn Listener,
) -> Result<Done, Failure> {
    let request = Request { source, scope: Scope::default(), task: Task::Plan(task) };
    engine.answer(&request, &|| 0.0, listener).map(|answer| match answer {
        Answer::Planned(done) => *done,
        other => panic!("{other:?}"),
    })
}

fn plan(engine: &mut Engine, source: Source, planner: &str) -> Result<Done, Failure> {
    planned_by(engine, source, PlanTask::of(planner), &mut NoListener)
}

fn export(engine: &mut Engine, source: Source, planner: &str, export: Export) -> Result<String, Message> {
    let request = Request { source, scope: Scope::default(), task: Task::Export(PlanTask::of(planner), export) };
    match engine.answer(&request, &|| 0.0, &mut NoListener) {
        Ok(Answer::Exported(file)) => file.map(|file| String::from_utf8(file).expect("text")),
        other => panic!("{other:?}"),
    }
}

fn file_of_tests(path: &str) -> Source {
    let path = format!("{}/../../tests/{path}", env!("CARGO_MANIFEST_DIR"));
    Source::File { file: std::fs::read(&path).expect("a file of the tests"), choices: Answers::default() }
}

#[test]
fn a_snapshot_keeps_its_recording_in_a_page_that_is_one_file() {
    let snapshot = file_of_tests("golden/data/cuda_allocator/snapshots/plain.pickle.gz");
    let request =
        Request { source: snapshot, scope: Scope::default(), task: Task::Export(PlanTask::of(IMPORTED), Export::Html) };
    let answer = Engine::default().answer(&request, &|| 0.0, &mut NoListener);
    let Ok(Answer::Exported(Ok(file))) = answer else { panic!("{answer:?}") };
    assert!(reading::is_reading(&file));
    let own = export(&mut Engine::default(), teaching(), "naive", Export::Html).expect("a graph");
    assert!(own.starts_with('{'), "{own}");
}

fn teaching() -> Source {
    let bytes = include_bytes!("../../../www/graphs/teaching.json").to_vec();
    Source::File { file: bytes, choices: Answers::default() }
}

#[test]
fn a_document_is_kept_for_the_next_planner() {
    let mut engine = Engine::default();
    let first = plan(&mut engine, teaching(), "").expect("the example opens");
    assert_eq!(first.planned.map(|planned| planned.planner), Ok("inductor-tree".into()));
    let second = plan(&mut engine, Source::Keep, "naive").expect("it is kept");
    assert!(second.opened.is_none());
    assert_eq!(second.planned.map(|planned| planned.plan.peak(&planned.problem)), Ok(3580));
}

/// Takes every plan that is reported, or those after the first `after`.
#[derive(Default)]
struct Collector {
    after: u32,
    asked: u32,
    progress: Progress,
    plans: Vec<(u64, Planned)>,
}

impl Listener for Collector {
    fn progress(&mut self, progress: Progress) {
        self.progress = progress;
    }

    fn is_best_due(&mut self) -> bool {
        self.asked += 1;
        self.asked > self.after
    }

    fn best(&mut self, done: Done) {
        let planned = done.planned.expect("it has a plan");
        self.plans.push((planned.plan.peak(&planned.problem), planned));
    }
}

#[test]
fn a_search_gives_its_best_plan_so_far() {
    // Climbs offer their plan again until it is taken; the exact search of this one ends too soon
    // for that.
    let climbs = ["hill-climb", "usmp-hill-climb"];
    let later = climbs.map(|planner| (planner, 3));
    for (planner, after) in ["exact", "best", climbs[0], climbs[1]].map(|planner| (planner, 0)).into_iter().chain(later)
    {
        let mut engine = Engine::with_document(Document::Buffers(memplan_core::problem::sample(70, 5)));
        let mut collector = Collector { after, ..Collector::default() };
        let done = planned_by(&mut engine, Source::Keep, PlanTask::of(planner), &mut collector).expect("a document");
        let last = done.planned.expect("planned");
        assert!(!collector.plans.is_empty(), "{planner}, {after}");
        let peaks: Vec<u64> = collector.plans.iter().map(|(peak, _)| *peak).collect();
        assert!(peaks.is_sorted_by(|a, b| a >= b), "{planner}: {peaks:?}");
        for (peak, planned) in &collector.plans {
            assert_eq!((&*planned.planner, &*planned.violations), (planner, [].as_slice()));
            assert!(planned.events.len() > planned.problem.buffers.len());
            let (Proof::Optimal { bound } | Proof::Best { bound }) = planned.plan.proof else { panic!("a bound") };
            assert!(bound <= *peak && last.plan.peak(&last.problem) <= *peak, "{planner}");
        }
        let (peak, bound) = collector.progress.best.expect("reported");
        assert!(bound <= peak && peak >= last.plan.peak(&last.problem), "{planner}");
    }
}

#[test]
fn a_plan_kept_from_a_search_has_words_of_its_own() {
    let mut engine = Engine::with_document(Document::Buffers(memplan_core::problem::sample(70, 5)));
    let mut collector = Collector::default();
    planned_by(&mut engine, Source::Keep, PlanTask::of("exact"), &mut collector)
        .expect("a document")
        .planned
        .expect("planned");
    let (_, planned) = collector.plans.swap_remove(0);
    let run = planned.into_run(None);
    for at in 0..run.timeline.frames(Level::Decisions) {
        let why = why(&run, &run.frame(run.timeline.events_at(Level::Decisions, at)));
        let rule = why.rule.expect("a rule").key;
        assert_eq!(rule, if at == 0 { "rule.kept.order" } else { "rule.kept.stated" });
        assert!(at == 0 || why.headline.key == "why.kept.stated");
        for key in [rule, why.headline.key] {
            assert!([Locale::En, Locale::Zh].iter().all(|locale| locale.template(&key) != key), "{key} has words");
        }
        let effect = why.effect.map(|effect| effect.key.into_owned());
        let known = [None, Some("effect.growth"), Some("effect.none"), Some("effect.reuse")];
        assert!(known.contains(&effect.as_deref()), "{effect:?} claims what was not looked at");
    }
}

#[test]
fn a_large_graph_is_opened_by_a_quick_planner_and_planned_by_any() {
    let mut engine = Engine::with_document(Document::Graph(memplan_core::graph::sample(MANY_TENSORS as u32 + 1, 1)));
    for (own_plan, asked, shown) in
        [(true, FIRST[0], FIRST[1]), (true, "naive", "naive"), (false, "best-fit", "best-fit")]
    {
        let (source, task) = (Source::Keep, PlanTask { own_plan, ..PlanTask::of(asked) });
        let done = planned_by(&mut engine, source, task, &mut NoListener).expect("a document");
        assert_eq!(done.planned.expect("a plan").planner, shown);
    }
}

#[test]
fn buffers_that_collide_are_named_to_the_picture() {
    let csv = b"id,lower,upper,size,offset\na,0,4,8,0\nb,2,6,8,4\nc,5,9,8,12\n".to_vec();
    let source = Source::File { file: csv, choices: Answers::default() };
    let done = plan(&mut Engine::default(), source, "").expect("it opens");
    let planned = done.planned.expect("its own plan");
    assert_eq!(planned.collisions, [(BufferId(0), BufferId(1))]);
    assert_eq!(planned.violations.len(), 1);
}

#[test]
fn the_best_plan_so_far_has_all_memories() {
    let mut problem = memplan_core::problem::sample(60, 2);
    let other = problem.memories.push(memplan_core::problem::Memory { device: "cuda".into(), mem_id: None });
    problem.buffers.iter_mut().skip(1).step_by(2).for_each(|buffer| buffer.memory = other);
    let mut collector = Collector::default();
    let mut engine = Engine::with_document(Document::Buffers(problem));
    let done = planned_by(&mut engine, Source::Keep, PlanTask::of("exact"), &mut collector).expect("a document");
    assert!(done.planned.is_ok() && !collector.plans.is_empty());
    for (peak, planned) in collector.plans {
        assert!(planned.violations.is_empty() && planned.plan.pools.len() == 2);
        assert!(peak >= memplan_core::problem::lower_bound(&planned.problem));
    }
}

#[test]
fn every_file_is_of_the_plan_that_is_shown() {
    let mut engine = Engine::default();
    let shown = plan(&mut engine, teaching(), "first-fit").expect("opens").planned.expect("planned");
    let mut write_by = |planner: &str, form| export(&mut engine, Source::Keep, planner, form);
    let storages = write_by("nnvm", Export::GraphExecutor).expect("storages");
    let read = import::read(storages.as_bytes(), Answers::default()).expect("it reads back");
    assert_eq!(read.format, Format::GraphExecutor);
    let mut write = |export| write_by("first-fit", export);
    assert!(write(Export::GraphExecutor).is_err(), "it has addresses");
    for export in Export::ALL.into_iter().filter(|export| !export.needs_storages()) {
        let text = write(export).unwrap_or_else(|message| panic!("{export:?}: {message:?}"));
        assert!(text.len() > 40 && text.ends_with('\n'), "{export:?}");
        if !matches!(export, Export::Plan | Export::Csv | Export::CsvTimes | Export::Trace) {
            continue;
        }
        let read = import::read(text.as_bytes(), Answers::default()).expect("it reads back").document;
        let (problem, plan) = read.own_plan().expect("a plan");
        assert_eq!(plan.peak(problem), shown.plan.peak(&shown.problem), "{export:?}");
    }
    let read = import::read(write(Export::Graph).expect("a graph").as_bytes(), Answers::default());
    assert!(matches!(read.map(|read| read.document), Ok(Document::Graph(_))));
    let csv = b"id,lower,upper,size\na,0,1,8\n".to_vec();
    let buffers = Source::File { file: csv, choices: Answers::default() };
    let none = export(&mut engine, buffers, "", Export::Graph);
    assert_eq!(none.map_err(|message| message.key.into_owned()), Err("export.no-graph".into()));
}

#[test]
fn only_files_that_need_words_hold_sentences() {
    let file = include_bytes!("../../../www/graphs/two_branches.json").to_vec();
    let source = Source::File { file, choices: Answers::default() };
    let mut engine = Engine::default();
    let shown = plan(&mut engine, source, "inductor-tree").expect("opens").planned;
    let plan = shown.expect("planned").plan;
    let (_, why) = plan.unplanned.first().expect("the plan leaves buffers out");
    let sentence = memplan_core::text::Speech::default().say(&why.message());
    let mut holding = Vec::new();
    for export in Export::ALL {
        let written = super::tests::export(&mut engine, Source::Keep, "inductor-tree", export);
        let holds = written.is_ok_and(|text| text.contains(&sentence));
        assert_eq!(holds, export.needs_words(), "{export:?}");
        holding.extend(holds.then_some(export));
    }
    assert_eq!(holding, [Export::Plan]);
}

#[test]
fn a_window_keeps_the_places_of_its_decisions_only() {
    let looked_at = |window: Option<(u32, u32)>| {
        let (source, task) = (teaching(), PlanTask { window, ..PlanTask::of("first-fit") });
        let planned =
            planned_by(&mut Engine::default(), source, task, &mut NoListener).expect("opens").planned.expect("planned");
        let mut decisions = Vec::new();
        for event in planned.events {
            match event {
                Event::Begin { .. } => decisions.push(false),
                Event::Block { .. } => decisions.iter_mut().last().into_iter().for_each(|last| *last = true),
                _ => {}
            }
        }
        decisions
    };
    assert!(looked_at(None).iter().filter(|looked| **looked).count() > 3);
    let narrow = looked_at(Some((2, 4)));
    let kept: Vec<usize> = (0..narrow.len()).filter(|&decision| narrow[decision]).collect();
    assert_eq!(kept, [2, 3]);
}

#[test]
fn a_broken_file_leaves_the_document_before() {
    let mut engine = Engine::default();
    plan(&mut engine, teaching(), "").expect("the example opens");
    let broken = Source::File { file: b"{\"format\":".to_vec(), choices: Answers::default() };
    assert!(matches!(plan(&mut engine, broken, ""), Err(Failure::Faults(faults)) if faults.len() == 1));
    assert!(plan(&mut engine, Source::Keep, "").is_ok());
}

#[test]
fn a_large_graph_is_first_shown_by_a_planner_that_is_quick_on_it() {
    for (nodes, planner) in [(MANY_TENSORS, "inductor-tree"), (MANY_TENSORS + 1, "first-fit")] {
        let document = Document::Graph(memplan_core::graph::sample(nodes as u32, 1));
        assert_eq!(planner_for(&document, None, ""), planner, "{nodes} nodes");
        assert_eq!(planner_for(&document, None, "naive"), "naive");
    }
}

#[test]
fn a_file_is_first_shown_by_the_planner_of_its_tool_and_a_list_by_the_portfolio() {
    let graph = Document::Graph(memplan_core::graph::sample(8, 1));
    for (format, planner) in [
        (Format::TfLite, "tflite-arena"),
        (Format::ExecuTorch, "executorch-greedy"),
        (Format::GraphExecutor, "tvm-relay"),
        (Format::SymbolJson, "nnvm"),
        (Format::Hlo, "xla-heap"),
        (Format::Onnx, FIRST[0]),
        (Format::MemoryGraph, FIRST[0]),
    ] {
        assert_eq!(planner_for(&graph, Some(format), ""), planner);
        assert_eq!(planner_for(&graph, Some(format), "naive"), "naive");
    }
    let list = |count| Document::Buffers(memplan_core::problem::sample(count, 1));
    assert_eq!(planner_for(&list(MANY_LISTED as u32), Some(Format::BufferCsv), ""), "best");
    assert_eq!(planner_for(&list(MANY_LISTED as u32 + 1), Some(Format::BufferCsv), ""), "first-fit");
}

#[test]
fn a_list_opened_by_hand_leaves_the_planner_of_the_graph_before_with_its_options() {
    let list = Source::File { file: b"id,lower,upper,size\na,0,2,8\n".to_vec(), choices: Answers::default() };
    let options = [("memory_pool".to_string(), "none".to_string())].into();
    let (source, task) = (list, PlanTask { own_plan: true, options, ..PlanTask::of(FIRST[0]) });
    let done = planned_by(&mut Engine::default(), source, task, &mut NoListener).expect("it opens");
    assert_eq!(done.planned.expect("a plan").planner, "best");
}

#[test]
fn an_unknown_planner_is_a_sentence_not_a_failure() {
    let mut engine = Engine::default();
    let done = plan(&mut engine, teaching(), "magic").expect("the document opens");
    assert_eq!(done.planned.map(|_| ()).map_err(|none| none.why.key.into_owned()), Err("fault.unknown-planner".into()));
}

/// The document that a link with this text opens.
fn through_a_link(text: &str) -> Document {
    import::read(&unpack(text.as_bytes()).expect("packed"), Answers::default()).expect("it opens").document
}

#[test]
fn a_link_carries_the_graph_of_a_file_that_is_too_long_for_it() {
    let spaced = |text: &str| text.to_string() + &(0..200_000).map(|n| [' ', '\n'][n % 7 / 6]).collect::<String>();
    let text = spaced(include_str!("../../../www/graphs/teaching.json"));
    let source = Source::File { file: text.into_bytes(), choices: Answers::default() };
    let mut engine = Engine::default();
    let opened = plan(&mut engine, source, "").expect("opens").opened.expect("a document");
    let read = through_a_link(&opened.packed.document.expect("short enough"));
    assert_eq!((read.graph(), opened.packed.plan), (opened.graph.as_ref(), None));
    let csv = spaced("id,lower,upper,size,offset\na,0,4,8,0\nb,2,6,8,8\n");
    let source = Source::File { file: csv.into_bytes(), choices: Answers::default() };
    let opened = plan(&mut engine, source, "").expect("opens").opened.expect("a document");
    let read = through_a_link(&opened.packed.document.expect("short enough"));
    assert_eq!(read.own_plan(), engine.document.as_ref().expect("it is open").own_plan());
}

#[test]
fn a_link_carries_what_was_answered_about_a_file() {
    let bytes = b"tensor_name,size,start_time,end_time\na,4,0,3\nb,4,3,5\n".to_vec();
    let peak = |document: &Document| {
        let Document::Buffers(problem) = document else { panic!("buffers") };
        memplan_core::problem::lower_bound(problem)
    };
    for (end, load) in [(import::EndRule::Format, 8), (import::EndRule::Exclusive, 4)] {
        let choices = Answers { end, ..Answers::default() };
        let source = Source::File { file: bytes.clone(), choices };
        let mut engine = Engine::default();
        let opened = plan(&mut engine, source, "").expect("opens").opened.expect("a document");
        let text = opened.packed.document.expect("short enough");
        assert_eq!(
            (peak(engine.document.as_ref().expect("open")), peak(&through_a_link(&text))),
            (load, load),
            "{end:?}"
        );
    }
}

#[test]
fn a_link_to_a_model_carries_its_graph_and_its_own_plan() {
    let mut engine = Engine::default();
    plan(&mut engine, teaching(), "first-fit").expect("opens");
    let graph = engine.document.as_ref().expect("open").graph().expect("a graph").clone();
    let planned = plan(&mut engine, Source::Keep, "first-fit").expect("kept").planned.expect("planned");
    let document = Document::Planned(graph.clone(), planned.problem, planned.plan);
    let carried = carried(&[7; 1 << 20], &Answers::default(), &document);
    assert_eq!(through_a_link(&carried.document.expect("short enough")).graph(), Some(&graph));
    let read = through_a_link(&carried.plan.expect("short enough"));
    let peak = |document: &Document| document.own_plan().map(|(problem, plan)| plan.peak(problem));
    assert_eq!(peak(&read), peak(&document));
}
