//! Sizes in words: no text of any frame has a number below one of its unit, or a range whose ends
//! read alike.

use std::rc::Rc;

use memplan_core::graph::Graph;
use memplan_core::plan::PoolId;
use memplan_core::problem::{Scope, lifetimes};
use memplan_core::text::{Locale, Speech};
use memplan_core::trace::Recorder;
use memplan_engine::{
    Answer, CompareTask, Comparison, Engine, FIGURES, FigureTable, NoListener, PlannerChoice, Request, Task,
};
use memplan_engine::{RankingEntry, Source, TableFormat};
use memplan_formats::import::{self, Answers, Document};
use memplan_planners::{self as planner, REGISTRY, origin};
use memplan_replay::panel::{View as PanelView, opened, sections};
use memplan_replay::{Level, Open, Run, tree_rows, why};
use memplan_scene::{Index, Marks, Picture, Shape, Style, View, stage};

const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];

/// Most frames of a run that are looked at, spread over all of it.
const FRAMES: u32 = if cfg!(debug_assertions) { 6 } else { 40 };

/// Graphs with more buffers are left to optimised runs.
const LARGE: usize = if cfg!(debug_assertions) { 150 } else { usize::MAX };

fn examples() -> Vec<(String, Graph)> {
    let folder = std::path::PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("www/graphs");
    let folders = [folder.join("cases"), folder];
    let files = folders.iter().flat_map(|folder| std::fs::read_dir(folder).expect("built-in examples"));
    let mut paths: Vec<_> = files.map(|entry| entry.expect("readable").path()).collect();
    paths.retain(|path| path.is_file() && !path.ends_with("index.json"));
    paths.sort();
    let read = |path: &std::path::PathBuf| {
        let bytes = std::fs::read(path).expect("readable");
        match import::read(&bytes, Answers::default()).expect("a valid file").document {
            Document::Graph(graph) => Some((path.display().to_string(), graph)),
            _ => None,
        }
    };
    paths.iter().filter_map(read).collect()
}

fn run(planner: &dyn planner::Planner, graph: &Graph) -> Option<Run> {
    let problem = Rc::new(lifetimes(graph, &Scope::default()).ok()?);
    let mut recorder = Recorder::default();
    let input = planner::Input { problem: &problem, graph: Some(graph) };
    let info = planner.info();
    let plan = planner.plan(input, &info.defaults(), &mut recorder).ok()?;
    Some(Run::new(problem, origin(info.id, info.align), plan, recorder.events).with_graph(Some(Rc::new(graph.clone()))))
}

/// Everything that a frame says: why, state, tree, picture.
fn texts(run: &Run, index: &Index, at: u32, speech: Speech) -> Vec<String> {
    let frame = run.frame(run.timeline.events_at(Level::Decisions, at));
    let why = why(run, &frame);
    let mut texts = vec![speech.say(&why.headline)];
    texts.extend(why.rows.iter().flat_map(|row| [speech.say(&row.place), speech.say(&row.verdict)]));
    texts.extend(why.notes.iter().chain(&why.rule).chain(&why.effect).map(|message| speech.say(message)));
    for section in sections(run, &frame) {
        match section.view {
            PanelView::Table(table) => {
                texts.extend(table.rows.iter().flat_map(|row| &row.cells).map(|cell| cell.say(speech)));
            }
            PanelView::Lanes(lanes) => {
                texts.extend(lanes.iter().map(|lane| speech.say(&lane.title)));
                texts.extend((0..lanes.len()).filter_map(|lane| Some(speech.say(&opened(run, &frame, lane)?.0))));
            }
            PanelView::Strip(chips) => texts.extend(chips.iter().map(|chip| speech.say(&chip.words))),
            PanelView::Ruler(ruler) => texts.push(speech.bytes(ruler.request)),
        }
    }
    for pool in 0..frame.layouts.len() as u32 {
        let rows = tree_rows(run, &frame, PoolId(pool), Open::All);
        texts.extend(rows.iter().map(|row| speech.span(row.offset, row.offset + row.bytes)));
    }
    let size = (1100.0, 620.0);
    let style = Style { speech, titles: true, ..Style::default() };
    let view = View::fit(index, size, &style);
    let drawn = stage(Picture::new(run, index, &frame, &view, size, &style), &Marks::default());
    let layers = drawn.base.layers.iter().chain(&drawn.frame.layers);
    for mark in layers.flat_map(|layer| &layer.marks) {
        texts.extend(mark.title.iter().map(|title| title.to_string()));
        if let Shape::Text(text) = &mark.shape {
            texts.push(text.words.clone());
        }
    }
    texts
}

/// What is wrong with the sizes of a text.
fn fault(text: &str) -> Option<&'static str> {
    let text = text.replace('\u{202f}', " ");
    let words: Vec<&str> = text.split([' ', '(', ')', ',', ';', '[', ']']).collect();
    for pair in words.windows(2).filter(|pair| UNITS.contains(&pair[1].trim_end_matches(['.', ':', '。']))) {
        let figure = pair[0].rsplit(['–', '−', '+']).next().unwrap_or_default();
        if figure.starts_with("0.") {
            return Some("less than one of its unit");
        }
    }
    let is_figure = |letter: char| letter.is_ascii_digit() || letter == '.' || letter == ' ';
    for (at, dash) in text.match_indices('–') {
        let (before, after) = (&text[..at], &text[at + dash.len()..]);
        let end = after.find(|letter| !is_figure(letter)).unwrap_or(after.len());
        let (high, unit) = (after[..end].trim(), after[end..].split(|letter: char| !letter.is_alphabetic()).next());
        if high.is_empty() || !unit.is_some_and(|unit| UNITS.contains(&unit)) {
            continue;
        }
        let low = before.rsplit(|letter| !is_figure(letter)).next().unwrap_or_default().trim();
        if low == high {
            return Some("a range whose ends read alike");
        }
    }
    None
}

#[test]
fn faults_are_found() {
    assert!(fault("at 0.0000038\u{202f}MiB.").is_some() && fault("from 0.5\u{202f}KiB on").is_some());
    assert!(fault("0.06–0.06\u{202f}KiB").is_some() && fault("pool 1, 1\u{202f}024–1\u{202f}024\u{202f}B").is_some());
    assert!(fault("0–0.0049\u{202f}MiB").is_some());
    for fine in ["0–39.1\u{202f}KiB", "1.06\u{202f}×", "64\u{202f}B–10.6\u{202f}KiB", "0\u{202f}B", "steps 5–5 of 10"]
    {
        assert_eq!(fault(fine), None, "{fine}");
    }
}

#[test]
fn no_text_of_any_frame_rounds_a_size_to_nothing() {
    for (name, graph) in examples().iter().filter(|(_, graph)| graph.tensors.len() <= LARGE) {
        for planner in REGISTRY {
            let Some(run) = run(*planner, graph) else { continue };
            let ops = graph.nodes.iter().map(|node| node.op.as_str());
            let index = Index::new(&run).with_ops(&run.problem, ops);
            let last = run.timeline.frames(Level::Decisions) - 1;
            for at in (0..=last).step_by((last / FRAMES).max(1) as usize).chain([last]) {
                for locale in Locale::ALL {
                    let speech = Speech { locale, ..Speech::default() };
                    for text in texts(&run, &index, at, speech) {
                        let found = fault(&text);
                        assert_eq!(found, None, "{name}, {}, frame {at}: {text}", planner.info().id);
                    }
                }
            }
        }
    }
}

#[test]
fn every_size_of_a_table_has_its_own_unit() {
    for (name, graph) in examples().into_iter().filter(|(_, graph)| graph.tensors.len() <= LARGE) {
        let mut engine = Engine::with_document(Document::Graph(graph));
        let choices = ["first-fit", "inductor-tree", "tflm-greedy"].map(PlannerChoice::of).to_vec();
        let task = Task::Compare(CompareTask::Ranking(choices));
        let request = Request { source: Source::Keep, scope: Scope::default(), task };
        let Ok(Answer::Compared(Comparison::Ranking(entries))) = engine.answer(&request, &|| 0.0, &mut NoListener)
        else {
            panic!("a ranking");
        };
        let rows: Vec<(&str, &RankingEntry)> = entries.iter().map(|entry| (name.as_str(), entry)).collect();
        for form in [TableFormat::Plain, TableFormat::Markdown] {
            let text = FigureTable { rows: rows.clone(), speech: Speech::default() }.write(form);
            assert_eq!(text.lines().find_map(fault), None, "{text}");
        }
        let found = entries.iter().filter_map(|entry| entry.result.as_ref().ok());
        for value in found.flat_map(|found| FIGURES.iter().map(move |figure| figure.value(found))) {
            let words = value.words(Speech::default());
            assert_eq!(value.exact().is_some(), UNITS.iter().any(|unit| words.ends_with(unit)), "{words}");
        }
    }
}
