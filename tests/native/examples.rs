//! The list of built-in examples says what the graphs themselves say. `UPDATE_EXAMPLES=1` writes it
//! anew.

use std::path::Path;

use memplan::open::state::examples::{Example, Pictured, QUIRKS, SPECIALS, examples, pictured};
use memplan_core::plan::{Place, PoolId, QuirkKind, check};
use memplan_core::problem::{Scope, lifetimes, load, lower_bound};
use memplan_core::text::Locale;
use memplan_core::trace::{Event, Note, Recorder};
use memplan_formats::import::{self, Document};
use memplan_planners::{self as planner, INFOS};
use memplan_replay::{Level, Run};
use memplan_teach::choices;

const LIST: [(&str, &str); 9] = [
    ("teaching", "tiny"),
    ("diamond", "tiny"),
    ("two_branches", "tiny"),
    ("resnet18", "networks"),
    ("mobilenet_v2", "networks"),
    ("unet_512", "networks"),
    ("bert_base_seq128", "networks"),
    ("gpt2_small_seq256", "networks"),
    ("resnet18_train_b8", "training"),
];

fn example(name: &str, group: &str) -> Example {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(format!("www/graphs/{name}.json"));
    let read = import::read(&std::fs::read(path).expect("the file is there"), import::Answers::default());
    let Document::Graph(graph) = read.expect("a valid graph").document else { panic!("{name} is a graph") };
    let problem = lifetimes(&graph, &Scope::default()).expect("sizes are known");
    let load = load(&problem, |_| true).by_step(problem.steps);
    let span = load.len().div_ceil(64);
    let load = load.chunks(span).map(|span| span.iter().copied().max().unwrap_or(0)).collect();
    Example {
        name: name.into(),
        group: group.into(),
        buffers: problem.buffers.len(),
        bound: lower_bound(&problem),
        load,
    }
}

#[test]
fn the_list_is_true() {
    let cases = INFOS.iter().map(|info| example(&info.case_name(), "cases"));
    let expected: Vec<Example> = LIST.iter().map(|(name, group)| example(name, group)).chain(cases).collect();
    if std::env::var_os("UPDATE_EXAMPLES").is_some() {
        let lines: Vec<String> =
            expected.iter().map(|example| serde_json::to_string(example).expect("plain data")).collect();
        let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("www/graphs/index.json");
        std::fs::write(path, format!("[\n{}\n]\n", lines.join(",\n"))).expect("the folder is writable");
        return;
    }
    assert_eq!(examples(), expected);
}

/// The picture of the plan that the start offers is that of the plan, and the card says what
/// happens at its frame.
#[test]
fn the_striking_plan_is_true() {
    let (id, frame) = choices::STRIKING;
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .join(format!("www/graphs/{}.json", memplan_engine::START));
    let read = import::read(&std::fs::read(path).expect("the file is there"), import::Answers::default());
    let Document::Graph(graph) = read.expect("a valid graph").document else { panic!("a graph") };
    let problem = lifetimes(&graph, &Scope::default()).expect("sizes are known");
    let planner = planner::find(id).expect("registered");
    let mut recorder = Recorder::default();
    let input = planner::Input { problem: &problem, graph: Some(&graph) };
    let plan = planner.plan(input, &planner.info().defaults(), &mut recorder).expect("planned");
    let info = planner.info();
    let run = Run::new(problem.into(), planner::origin(info.id, info.align), plan, recorder.events);
    let shown = run.frame(run.timeline.events_at(Level::Decisions, frame));
    assert!(shown.missed.is_some() && shown.peak > shown.peak_before, "the arena grows although a place is free");
    let boxes = run.timeline.decisions.iter().map(|decision| {
        let (buffer, place) = (&run.problem.buffers[decision.buffer], run.plan.places[decision.buffer]);
        let offset = place.expect("placed").offset;
        (buffer.live.start, buffer.live.end, offset, offset + buffer.size)
    });
    let chosen = shown.decision.expect("a decision");
    let expected = Pictured { bound: run.metrics.lower_bound, chosen, boxes: boxes.collect() };
    if std::env::var_os("UPDATE_EXAMPLES").is_some() {
        let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("www/start.json");
        let text = serde_json::to_string(&expected).expect("plain data");
        std::fs::write(path, text + "\n").expect("the folder is writable");
        return;
    }
    assert_eq!(pictured(), &expected);
}

/// The plan of the recorded case with empty ranges: where the original puts each buffer, and which
/// overlap that is.
#[test]
fn the_plan_with_an_overlap_is_the_recorded_one() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    for &(id, name) in QUIRKS {
        assert!(planner::info(id).is_some(), "{id}");
        let file = std::fs::read(root.join(format!("www/graphs/{name}.json"))).expect("the file is there");
        let read = import::read(&file, import::Answers::default()).expect("a valid plan");
        let Document::Plan(problem, plan) = read.document else { panic!("{name} is a plan") };
        let packed =
            std::fs::read(root.join("tests/golden/data/inductor/m15_zero_length_range.json.gz")).expect("there");
        let record: serde_json::Value =
            serde_json::from_reader(flate2::read::GzDecoder::new(&packed[..])).expect("JSON in gzip");
        let placed = record["result"]["placements"].as_array().expect("placements");
        assert_eq!(placed.len(), problem.buffers.len());
        for row in placed {
            let id = problem.buffer_named(row["buf"].as_str().expect("a name")).expect("in the plan");
            let number = |key: &str| row[key].as_u64().expect("a number");
            assert_eq!(plan.places[id], Some(Place { pool: PoolId(0), offset: number("offset") }), "{row}");
            let buffer = &problem.buffers[id];
            // Storage with an empty range is written in the step of its allocation.
            let live = (number("begin"), number("end").max(number("begin") + 1));
            assert_eq!((u64::from(buffer.live.start), u64::from(buffer.live.end)), live, "{row}");
            assert_eq!(buffer.size, number("bytes"), "{row}");
        }
        assert_eq!(Some(plan.pools[PoolId(0)].size), record["result"]["pools"][0]["bytes"].as_u64());
        let found = check(&problem, &plan);
        assert!(found.len() == 1 && found[0].is_quirk_of(&plan), "{found:?}");
        assert_eq!(plan.quirks.iter().map(|quirk| quirk.kind).collect::<Vec<_>>(), [QuirkKind::EmptyRange]);
    }
}

/// What each of the examples of a planner's own parts is there for.
#[test]
fn the_special_examples_show_what_they_are_named_after() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let mut names = Vec::new();
    for special in SPECIALS {
        let file = std::fs::read(root.join(format!("www/graphs/{}.json", special.name))).expect("the file is there");
        let read = import::read(&file, import::Answers::default()).expect("valid");
        let Document::Graph(graph) = read.document else { panic!("{} is a graph", special.name) };
        let problem = lifetimes(&graph, &Scope::default()).expect("sizes are known");
        let planner = planner::find(special.planner).expect("registered");
        let options = planner.info().options(special.options.iter().copied()).expect("declared");
        let mut recorder = Recorder::default();
        let input = planner::Input { problem: &problem, graph: Some(&graph) };
        let plan = planner.plan(input, &options, &mut recorder).expect("planned");
        let has = |wanted: Note| {
            recorder.events.iter().any(|event| matches!(event, Event::Note { note, .. } if *note == wanted))
        };
        let shows = match special.name {
            "cases/nnvm-ignored-read" => plan.quirks.iter().any(|quirk| quirk.kind == QuirkKind::IgnoredRead),
            "cases/nnvm-assign" => has(Note::AssignCopy) && has(Note::AssignNothing),
            "cases/tvm-relay-devices" => has(Note::DeviceSource) && has(Note::DeviceTarget) && has(Note::DeviceRest),
            "cases/tvm-relay-texture" => has(Note::TextureKept),
            other => panic!("nobody knows what {other} is there for"),
        };
        assert!(shows, "{}", special.name);
        let faults = check(&problem, &plan);
        assert!(faults.iter().all(|fault| fault.is_quirk_of(&plan)), "{}: {faults:?}", special.name);
        assert!(Locale::has(&special.words().key), "{}", special.name);
        names.push(special.name);
    }
    // Files of the folder are listed somewhere.
    let listed = |name: &str| {
        names.contains(&name)
            || QUIRKS.iter().any(|(_, known)| *known == name)
            || INFOS.iter().any(|info| info.case_name() == name)
    };
    for file in std::fs::read_dir(root.join("www/graphs/cases")).expect("the folder is there") {
        let name = file.expect("readable").file_name().into_string().expect("a plain name");
        assert!(listed(&format!("cases/{}", name.trim_end_matches(".json"))), "{name} is not listed");
    }
}
