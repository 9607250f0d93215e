//! Beam search: the states that it holds at a moment with what became of the others, and the scores
//! over the generations.

mod opened;

pub use opened::opened;

use std::rc::Rc;

use super::{Cell, Lane, Row, Section, Table, View};
use crate::{Decision, Frame, Run};
use memplan_core::base::Message;
use memplan_core::problem::BufferId;
use memplan_core::trace::{Event, Fate, Note};

/// Most buffers of a thumbnail, the latest of the state.
const MAX_PLACES: usize = 256;

/// One successor as reported.
#[derive(Clone, Copy)]
struct Emitted {
    fate: Fate,
    parent: u16,
    rank: u32,
    offset: u64,
    score: u64,
}

/// What was reported about the placement of one buffer; nothing where the run was too long to keep
/// it.
struct Generation {
    buffer: BufferId,
    emitted: Vec<Emitted>,
    /// Successors made and kept, and the rank that the final plan descends from, once reported.
    summary: Option<(u64, u64, u64)>,
}

impl Generation {
    fn kept(&self) -> impl Iterator<Item = &Emitted> {
        self.emitted.iter().filter(|emitted| emitted.fate == Fate::Kept)
    }

    /// In the order of the lanes: the kept by rank, then those given up.
    fn ordered(&self) -> impl Iterator<Item = &Emitted> {
        self.kept().chain(self.emitted.iter().filter(|emitted| emitted.fate != Fate::Kept))
    }
}

/// The generations up to the last one whose successors were reported: before a decision reports its
/// own, the states of the one before are what there is.
fn emitted_generations(run: &Run, frame: &Frame) -> Option<Vec<Rc<Generation>>> {
    let mut generations = generations(run, frame)?;
    let last = generations.iter().rposition(|generation| !generation.emitted.is_empty())?;
    generations.truncate(last + 1);
    Some(generations)
}

/// The generations up to a frame in the memory of its buffer; none if the run reports no states.
fn generations(run: &Run, frame: &Frame) -> Option<Vec<Rc<Generation>>> {
    let focus = frame.focus?;
    let memory = run.problem.buffers[focus].memory;
    let now = frame.decision?;
    let whole = run.known(whole_generations);
    let decisions = run.timeline.decisions[..=now].iter().zip(whole.iter()).enumerate();
    let generation = |(index, (decision, whole)): (usize, (&Decision, &Rc<Generation>))| {
        let buffer = &run.problem.buffers[decision.buffer];
        let cut = || Rc::new(generation(run, decision, decision.end.min(frame.events)));
        let is_of_memory = buffer.memory == memory && buffer.size > 0;
        is_of_memory.then(|| if index < now { whole.clone() } else { cut() })
    };
    let generations: Vec<Rc<Generation>> = decisions.filter_map(generation).collect();
    generations.iter().any(|generation| !generation.emitted.is_empty()).then_some(generations)
}

/// By decision: its generation once it has ended.
fn whole_generations(run: &Run) -> Vec<Rc<Generation>> {
    run.timeline.decisions.iter().map(|decision| Rc::new(generation(run, decision, decision.end))).collect()
}

/// What a decision reports in the first `to` events.
fn generation(run: &Run, decision: &Decision, to: u32) -> Generation {
    let mut generation = Generation { buffer: decision.buffer, emitted: Vec::new(), summary: None };
    for event in &run.timeline.events[decision.begin as usize..to as usize] {
        match *event {
            Event::Lane { fate, parent, rank, offset, score } => {
                generation.emitted.push(Emitted { fate, parent, rank, offset, score });
            }
            Event::Note { note: Note::Generation, subject, a, b } => {
                generation.summary = Some((a, b, subject as u64));
            }
            _ => {}
        }
    }
    generation
}

/// The kept states in order of rank, then the successors that were given up, best first.
pub fn lanes(run: &Run, frame: &Frame) -> Option<Section> {
    let generations = emitted_generations(run, frame)?;
    let generation = generations.last()?;
    let kept = generation.kept().count() as u64;
    let lane = |emitted: &Emitted| {
        let title = match emitted.fate {
            Fate::Kept => Message::new("lane.state").count("rank", emitted.rank),
            Fate::Duplicate | Fate::Cut => Message::new("lane.successor").count("rank", emitted.parent),
        };
        let pruned = match emitted.fate {
            Fate::Kept => None,
            Fate::Duplicate => Some(Message::new("lane.duplicate").count("rank", emitted.rank)),
            Fate::Cut => Some(Message::new("lane.cut").count("k", kept)),
        };
        let wins = generation.summary.is_some_and(|(_, _, winner)| winner == emitted.rank as u64);
        Lane {
            title: title.bytes("score", emitted.score),
            parent: (generations.len() > 1).then_some(emitted.parent as usize),
            pruned,
            current: emitted.fate == Fate::Kept && wins,
            places: lineage(&generations, emitted, MAX_PLACES),
        }
    };
    let lanes = generation.ordered().map(lane).collect();
    Some(Section { id: "lanes", view: View::Lanes(lanes) })
}

/// The latest buffers of a state with their places, at most `most`, as far back as every generation
/// was reported.
fn lineage(generations: &[Rc<Generation>], emitted: &Emitted, most: usize) -> Vec<(BufferId, u64)> {
    let mut places = Vec::new();
    let mut state = Some(emitted);
    for (index, generation) in generations.iter().enumerate().rev().take(most) {
        let Some(emitted) = state else { break };
        places.push((generation.buffer, emitted.offset));
        let before = index.checked_sub(1).map(|before| &generations[before]);
        state = before.and_then(|before| before.kept().nth(emitted.parent as usize));
    }
    places.reverse();
    places
}

/// One line a generation: how many successors, how good the best and the worst kept are, and which
/// one wins in the end.
pub fn scores(run: &Run, frame: &Frame) -> Option<Section> {
    let generations = generations(run, frame)?;
    let scores = |generation: &Rc<Generation>| {
        let scores = || generation.kept().map(|emitted| emitted.score);
        Some((scores().min()?, scores().max()?, generation.summary?))
    };
    let highest = generations.iter().filter_map(scores).map(|(_, worst, _)| worst).max()?;
    let row = |(index, generation): (usize, &Rc<Generation>)| {
        let (best, worst, (made, kept, winner)) = scores(generation)?;
        let cells = vec![
            Cell::count(index as u64 + 1),
            Cell::name(run, generation.buffer),
            Cell::count(made),
            Cell::count(kept),
            Cell::bytes(best),
            Cell::bytes(worst),
            Cell::count(winner),
            Cell::Bar(best as f64 / highest.max(1) as f64),
        ];
        Some(Row { cells, buffer: Some(generation.buffer), ..Row::default() })
    };
    let rows: Vec<Row> = generations.iter().enumerate().filter_map(row).collect();
    let columns = ["#generation", "buffer", "#successors", "#kept", "#best", "#worst", "#winner", "score"];
    let current = rows.len().checked_sub(1);
    Some(Section { id: "generations", view: View::Table(Table::new(&columns, rows, current)) })
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::Level;
    use memplan_core::base::Arg;
    use memplan_core::problem::{Problem, sample};
    use memplan_core::text::Speech;
    use memplan_core::trace::Recorder;
    use memplan_planners::{Input, find, origin};

    fn run(problem: Problem, k: &str) -> Run {
        let planner = find("beam").unwrap();
        let options = planner.info().options([("k", k)]).unwrap();
        let mut recorder = Recorder::default();
        let plan = planner.plan(Input { problem: &problem, graph: None }, &options, &mut recorder).unwrap();
        Run::new(Rc::new(problem), origin("beam", 1), plan, recorder.events)
    }

    fn lanes_of(section: Option<Section>) -> Vec<Lane> {
        match section {
            Some(Section { id: "lanes", view: View::Lanes(lanes) }) => lanes,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_winning_lane_is_the_plan_so_far() {
        let run = run(sample(60, 5), "4");
        let mut parents = 0;
        for number in 1..=60 {
            let frame = run.frame(run.timeline.events_at(Level::Decisions, number));
            let lanes = lanes_of(lanes(&run, &frame));
            let kept: Vec<&Lane> = lanes.iter().filter(|lane| lane.pruned.is_none()).collect();
            assert!(!kept.is_empty() && kept.len() <= 4);
            let winner: Vec<&&Lane> = kept.iter().filter(|lane| lane.current).collect();
            assert_eq!(winner.len(), 1, "frame {number}");
            for &(buffer, offset) in &winner[0].places {
                assert_eq!(frame.places[buffer].map(|place| place.offset), Some(offset));
            }
            assert_eq!(winner[0].places.len() as u32, number.min(MAX_PLACES as u32));
            assert!(lanes.iter().all(|lane| lane.parent.is_some() == (number > 1)));
            assert!(lanes.iter().filter_map(|lane| lane.parent).all(|parent| parent < parents));
            parents = kept.len();
            for lane in &lanes {
                assert!(!Speech::default().say(&lane.title).contains('{'));
            }
        }
    }

    #[test]
    fn scores_never_fall_and_the_last_is_the_peak() {
        let run = run(sample(60, 5), "4");
        let frame = run.frame(run.timeline.events_at(Level::Decisions, u32::MAX));
        let Some(Section { view: View::Table(table), .. }) = scores(&run, &frame) else { panic!("no table") };
        assert_eq!((table.rows.len(), table.current), (60, Some(59)));
        let best = |row: &Row| match row.cells[4] {
            Cell::Value(Arg::Bytes(bytes)) => bytes,
            ref other => panic!("{other:?}"),
        };
        let best: Vec<u64> = table.rows.iter().map(best).collect();
        assert!(best.is_sorted());
        assert_eq!(best.last(), Some(&run.metrics.peak));
    }

    #[test]
    fn other_planners_and_the_start_have_no_lanes() {
        let run = run(sample(9, 5), "4");
        assert_eq!(lanes(&run, &run.frame(0)), None);
        let problem = sample(9, 5);
        let planner = find("first-fit").unwrap();
        let mut recorder = Recorder::default();
        let input = Input { problem: &problem, graph: None };
        let plan = planner.plan(input, &planner.info().defaults(), &mut recorder).unwrap();
        let other = Run::new(Rc::new(problem), origin("first-fit", 1), plan, recorder.events);
        let frame = other.frame(other.timeline.events_at(Level::Decisions, u32::MAX));
        assert_eq!((lanes(&other, &frame), scores(&other, &frame)), (None, None));
    }
}
