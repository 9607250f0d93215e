//! What a reader may look for by typing: buffers and nodes by name, an address, a step, a frame, a
//! planner; and where a name leads that is none of the document.

use crate::open::state::examples::examples;
use memplan_core::base::{Family, Names, Term};
use memplan_core::graph::{NodeId, TensorId};
use memplan_core::problem::BufferId;
use memplan_core::text::Speech;
use memplan_planners::{INFOS, Info};
use memplan_replay::{Level, Run};
use memplan_teach::lesson::IndexEntry;

/// Most matches kept.
const LIMIT: usize = 1000;

/// Matches listed under the box.
pub const LISTED: usize = 8;

/// Something found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Found {
    /// A buffer, or the buffer of a node.
    Buffer(BufferId),
    /// A frame of the present level.
    Frame(u32),
    /// Id of a planner.
    Planner(&'static str),
}

/// Everything that `text` names: `#37` a frame, `@12` what is alive at a step, `0x1a00` or `1.5MiB`
/// what uses an address, `>fit` planners; all else is a part of the name of a buffer, of a tensor
/// in it, or of the node or operator that makes it.
pub fn find(run: &Run, level: Level, text: &str, speech: Speech) -> Vec<Found> {
    let text = text.trim();
    let rest = text.get(1..).unwrap_or_default().trim();
    match text.chars().next() {
        None => Vec::new(),
        Some('#') => {
            let frame = rest.parse().ok().filter(|&frame: &u32| frame < run.timeline.frames(level));
            frame.map(Found::Frame).into_iter().collect()
        }
        Some('@') => match rest.parse::<u32>() {
            Ok(step) => buffers(run, |id| run.problem.buffers[id].live.contains(step)),
            Err(_) => Vec::new(),
        },
        Some('>') => planners(&rest.to_lowercase(), speech),
        _ => match address(text) {
            Some(address) => buffers(run, |id| covers(run, id, address)),
            None => named(run, &text.to_lowercase()),
        },
    }
}

/// Where a name leads that is none of the document.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Destination {
    /// Place of a built-in example in their list.
    Example(usize),
    /// Id of a planner.
    Planner(&'static str),
    /// Number of a lesson.
    Lesson(u32),
    /// A term with a definition.
    Term(Term),
}

/// Most destinations listed of one kind.
const DESTINATIONS: usize = 4;

/// Examples, planners, lessons and terms that `text` names; nothing where it asks for something
/// else, such as a step. `lessons` is the index, as far as it is there.
pub fn destinations(text: &str, lessons: &[IndexEntry], speech: Speech) -> Vec<Destination> {
    let part = text.trim().to_lowercase();
    if part.is_empty() || part.starts_with(['#', '@', '>']) {
        return Vec::new();
    }
    // Whole names first, then beginnings, then parts.
    let rank = |names: &[String]| names.iter().filter_map(|name| rank_of(&name.to_lowercase(), &part)).min();
    let best = |found: Vec<(Option<u8>, Destination)>| {
        let mut found: Vec<(u8, Destination)> =
            found.into_iter().filter_map(|(rank, destination)| Some((rank?, destination))).collect();
        found.sort_by_key(|(rank, _)| *rank);
        found.into_iter().take(DESTINATIONS).map(|(_, destination)| destination)
    };
    let example = |(at, name): (usize, String)| (rank(&[name]), Destination::Example(at));
    let planner = |info: &&'static Info| {
        let names = [info.id.into(), info.system.into(), info.name.into(), info.full_title(speech)];
        (rank(&names), Destination::Planner(info.id))
    };
    let lesson =
        |entry: &IndexEntry| (rank(&[entry.title.of(speech.locale).into()]), Destination::Lesson(entry.number));
    let term = |&term: &Term| (rank(&[speech.word(&Family::DEFINE_NAME.of([term.name()]))]), Destination::Term(term));
    let names = examples().iter().map(|example| example.name.clone()).enumerate();
    let examples = best(names.map(example).collect());
    let planners = best(INFOS.iter().map(planner).collect());
    let lessons = best(lessons.iter().map(lesson).collect());
    let terms = best(Term::ALL.iter().map(term).collect());
    examples.chain(planners).chain(lessons).chain(terms).collect()
}

/// 0 for the whole name, 1 for its beginning, 2 for a part of it.
fn rank_of(name: &str, part: &str) -> Option<u8> {
    match name.find(part) {
        Some(_) if name == part => Some(0),
        Some(0) => Some(1),
        Some(_) => Some(2),
        None => None,
    }
}

fn buffers(run: &Run, wanted: impl Fn(BufferId) -> bool) -> Vec<Found> {
    run.problem.buffers.ids().filter(|&id| wanted(id)).map(Found::Buffer).take(LIMIT).collect()
}

/// By name in files, by the original's name, or by the name on the page.
fn planners(part: &str, speech: Speech) -> Vec<Found> {
    let matches = |text: &str| text.to_lowercase().contains(part);
    let names = |info: &Info| [info.id.into(), info.system.into(), info.name.into(), info.full_title(speech)];
    let found = INFOS.iter().filter(|info| names(info).iter().any(|name: &String| matches(name)));
    found.map(|info| Found::Planner(info.id)).collect()
}

fn covers(run: &Run, id: BufferId, address: u64) -> bool {
    let size = run.problem.buffers[id].size;
    run.plan.places[id].is_some_and(|place| place.offset <= address && address - place.offset < size)
}

/// Bytes written as `0x1a00` or with a unit; a plain number may be a name.
fn address(text: &str) -> Option<u64> {
    if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        return u64::from_str_radix(digits, 16).ok();
    }
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (figure, unit) = text.split_at(split);
    let factor = match unit.trim().to_ascii_lowercase().as_str() {
        "b" => 1.0,
        "k" | "kib" => 1024.0,
        "m" | "mib" => 1024.0 * 1024.0,
        "g" | "gib" => 1024.0 * 1024.0 * 1024.0,
        _ => return None,
    };
    let figure = memplan_core::base::decimal(figure)?;
    (figure * factor <= memplan_core::base::MAX_SAFE as f64).then_some((figure * factor) as u64)
}

/// Whole names first, then beginnings, then parts; each in order of birth.
fn named(run: &Run, part: &str) -> Vec<Found> {
    let mut found: Vec<(u8, BufferId)> = Vec::new();
    let graph = run.graph.as_ref();
    // The node that makes each tensor.
    let mut makers: Names<TensorId, u32> = Names::default();
    for (id, node) in graph.iter().flat_map(|graph| graph.nodes.enumerate()) {
        makers.extend(node.outputs.iter().map(|&output| (output, id.0)));
    }
    for (id, buffer) in run.problem.buffers.enumerate() {
        let rank = |name: &str| rank_of(&name.to_lowercase(), part);
        let tensors = graph.into_iter().flat_map(|graph| {
            buffer.tensors.iter().filter_map(|&tensor| graph.tensors.get(tensor)).map(|tensor| tensor.name.as_str())
        });
        // What is there from the start is made by no node.
        let maker = graph.and_then(|graph| {
            let start = buffer.live.start;
            let is_made = buffer.tensors.iter().any(|tensor| makers.get(tensor) == Some(&start));
            graph.nodes.get(NodeId(start)).filter(|_| is_made)
        });
        let made_by = maker.into_iter().flat_map(|node| [node.name.as_str(), node.op.as_str()]);
        let best = [buffer.name.as_str()].into_iter().chain(tensors).chain(made_by).filter_map(rank).min();
        found.extend(best.map(|best| (best, id)));
    }
    found.sort();
    found.into_iter().take(LIMIT).map(|(_, id)| Found::Buffer(id)).collect()
}

/// Position of the first match that is listed: the list ends with the current match once that is
/// past the first page.
pub fn first_listed(at: Option<usize>) -> usize {
    at.map_or(0, |here| (here + 1).saturating_sub(LISTED))
}

/// Whether a key goes to the match before (true) or after (false) the current one; `None` for all
/// other keys.
pub fn direction(key: &str, has_shift: bool) -> Option<bool> {
    match key {
        "Enter" => Some(has_shift),
        "ArrowDown" => Some(false),
        "ArrowUp" => Some(true),
        _ => None,
    }
}

/// Position of the next match, or with `back` of the one before. Both go round at the ends; without
/// a current match they begin at the first and the last one.
pub fn next_match(here: Option<usize>, back: bool, count: usize) -> usize {
    let last = count.saturating_sub(1);
    match here {
        None if back => last,
        None => 0,
        Some(here) if back => here.checked_sub(1).map_or(last, |above| above.min(last)),
        Some(here) if here < last => here + 1,
        Some(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use memplan_core::problem::{Scope, lifetimes};
    use memplan_core::trace::Recorder;
    use memplan_formats::import::{self, Answers, Document};
    use memplan_planners::{self as planner, Input, origin};

    fn run() -> Run {
        let file = include_bytes!("../../../www/graphs/teaching.json");
        let read = import::read(file, Answers::default()).expect("valid");
        let Document::Graph(graph) = read.document else { panic!("a graph") };
        let problem = Rc::new(lifetimes(&graph, &Scope::default()).expect("sizes"));
        let planner = planner::find("inductor-tree").expect("registered");
        let mut recorder = Recorder::default();
        let input = Input { problem: &problem, graph: Some(&graph) };
        let plan = planner.plan(input, &planner.info().defaults(), &mut recorder).expect("applicable");
        Run::new(problem, origin("inductor-tree", 64), plan, recorder.events).with_graph(Some(Rc::new(graph)))
    }

    fn names(run: &Run, text: &str) -> String {
        let name = |found: Found| match found {
            Found::Buffer(id) => run.problem.buffers[id].name.clone(),
            Found::Frame(frame) => format!("#{frame}"),
            Found::Planner(id) => format!(">{id}"),
        };
        find(run, Level::Decisions, text, Speech::default()).into_iter().map(name).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn names_steps_addresses_frames_and_planners_are_found() {
        let run = run();
        assert_eq!(names(&run, "g"), "G");
        assert_eq!(names(&run, "conv"), "B", "by the operator that makes it");
        assert_eq!(names(&run, "#3"), "#3");
        assert_eq!(names(&run, "#300"), "");
        // A lives [0, 3) at 0, G lives [2, 4) at 1792.
        assert!(names(&run, "@2").contains('A') && names(&run, "@2").contains('G'));
        assert!(!names(&run, "@5").contains('A'));
        assert_eq!(names(&run, "0x700"), "G");
        assert_eq!(names(&run, "1800 B"), "G");
        assert_eq!(names(&run, "1.75KiB"), "G");
        assert_eq!(names(&run, ">worst"), ">worst-fit");
        for nothing in ["", "  ", "#x", "@", ">no such", "0xzz", "999999999999GiB", "é"] {
            assert_eq!(names(&run, nothing), "", "{nothing}");
        }
    }

    #[test]
    fn a_name_of_another_example_a_planner_a_lesson_or_a_term_leads_there() {
        let entry = |number: u32, title: &str| {
            let words = serde_json::json!({ "en": title, "zh": title });
            let picture = serde_json::json!({ "planner": "x", "bound": 0, "peak": "", "setting": null, "boxes": [] });
            serde_json::json!({ "number": number, "id": "x", "part": 1, "title": words, "able": words, "minutes": 5,
                "paragraphs": 1, "tasks": [], "picture": picture, "games": {} })
        };
        let lessons: Vec<IndexEntry> =
            serde_json::from_value(serde_json::json!([entry(3, "Where a buffer fits")])).expect("an index");
        let found = |text: &str| destinations(text, &lessons, Speech::default());
        let unet = examples().iter().position(|example| example.name == "unet_512").expect("an example");
        assert_eq!(found("UNet_512"), [Destination::Example(unet)]);
        assert_eq!(found("best fit").first(), Some(&Destination::Planner("best-fit")), "{:?}", found("best fit"));
        assert_eq!(found("lower bound"), [Destination::Planner("lower-bound"), Destination::Term(Term::LowerBound)]);
        assert_eq!(found("where a"), [Destination::Lesson(3)]);
        for nothing in ["", "#3", "@2", ">fit", "no such name"] {
            assert_eq!(found(nothing), [], "{nothing}");
        }
    }

    #[test]
    fn keys_go_round_the_matches() {
        assert_eq!(next_match(None, false, 3), 0);
        assert_eq!(next_match(None, true, 3), 2);
        assert_eq!([0, 1, 2].map(|here| next_match(Some(here), false, 3)), [1, 2, 0]);
        assert_eq!([0, 1, 2].map(|here| next_match(Some(here), true, 3)), [2, 0, 1]);
        // Fewer matches than before.
        assert_eq!(next_match(Some(7), true, 3), 2);
        assert_eq!(next_match(Some(7), false, 3), 0);
        assert_eq!(next_match(None, true, 0), 0);
    }

    #[test]
    fn enter_goes_on_and_with_shift_back() {
        assert_eq!(direction("Enter", false), Some(false));
        assert_eq!(direction("Enter", true), Some(true));
        assert_eq!(direction("ArrowUp", false), Some(true));
        assert_eq!(direction("a", false), None);
    }

    #[test]
    fn the_list_follows_the_current_match() {
        assert_eq!([None, Some(0), Some(LISTED - 1)].map(first_listed), [0, 0, 0]);
        assert_eq!(first_listed(Some(LISTED)), 1);
    }
}
