//! What panels keep of the events: folds over them that go on from frame to frame, and where the
//! notes of each kind stand. No frame goes through the events from the beginning.

use std::any::{Any, TypeId};
use std::rc::Rc;

use super::run::Run;
use memplan_core::trace::{Event, Note};

/// A state that the events of a run add up to.
pub trait Fold: Clone + 'static {
    /// The state before the first event.
    fn new(run: &Run) -> Self;

    /// Takes the next event. Must not ask the run for a fold.
    fn apply(&mut self, run: &Run, event: &Event);
}

/// One kind of fold: the latest state asked for, and those at the checkpoints of the timeline that
/// it has come by, each with the number of events before it.
struct Track<F> {
    checkpoints: Vec<(u32, F)>,
    latest: (u32, Rc<F>),
}

impl<F: Fold> Track<F> {
    fn new(run: &Run) -> Track<F> {
        let start = F::new(run);
        Track { latest: (0, Rc::new(start.clone())), checkpoints: vec![(0, start)] }
    }

    fn seek(&mut self, run: &Run, events: u32) -> Rc<F> {
        let next = self.checkpoints.partition_point(|(at, _)| *at <= events);
        if let Some((at, state)) = self.checkpoints[..next].last()
            && !(*at..=events).contains(&self.latest.0)
        {
            self.latest = (*at, Rc::new(state.clone()));
        }
        let mut due = self.checkpoints.last().and_then(|(at, _)| run.timeline.checkpoint_after(*at));
        let state = Rc::make_mut(&mut self.latest.1);
        for number in self.latest.0..events {
            if due == Some(number) {
                self.checkpoints.push((number, state.clone()));
                due = run.timeline.checkpoint_after(number);
            }
            state.apply(run, &run.timeline.events[number as usize]);
        }
        self.latest.0 = events;
        self.latest.1.clone()
    }
}

impl Run {
    /// The state of a fold after so many events.
    pub(super) fn fold<F: Fold>(&self, events: u32) -> Rc<F> {
        let events = events.min(self.timeline.events.len() as u32);
        let mut tracks = self.folds.tracks.borrow_mut();
        let track = tracks.entry(TypeId::of::<F>()).or_insert_with(|| Box::new(Track::<F>::new(self)));
        match track.downcast_mut::<Track<F>>() {
            Some(track) => track.seek(self, events),
            None => Track::new(self).seek(self, events),
        }
    }

    /// What is worked out once, from all events.
    pub(super) fn known<T: 'static>(&self, work_out: fn(&Run) -> T) -> Rc<T> {
        let known = self.folds.known.borrow().get(&TypeId::of::<T>()).map(Rc::clone);
        let known = known.unwrap_or_else(|| {
            let known: Rc<dyn Any> = Rc::new(work_out(self));
            self.folds.known.borrow_mut().insert(TypeId::of::<T>(), known.clone());
            known
        });
        known.downcast().unwrap_or_else(|_| Rc::new(work_out(self)))
    }

    /// The numbers of the events, among the first so many, that are such a note.
    fn numbers(&self, events: u32, note: Note) -> &[u32] {
        let notes = self.folds.notes.get_or_init(|| {
            let mut notes: Vec<Vec<u32>> = Vec::new();
            for (number, event) in self.timeline.events.iter().enumerate() {
                let Event::Note { note, .. } = *event else { continue };
                if notes.len() <= note as usize {
                    notes.resize(note as usize + 1, Vec::new());
                }
                notes[note as usize].push(number as u32);
            }
            notes
        });
        let numbers = notes.get(note as usize).map_or(&[][..], Vec::as_slice);
        &numbers[..numbers.partition_point(|number| *number < events)]
    }

    /// Whether such a note is among all events.
    pub(super) fn has_note(&self, note: Note) -> bool {
        !self.numbers(u32::MAX, note).is_empty()
    }

    /// The notes of these kinds among the first `events` events, in order: number of the event,
    /// then the note as `(note, subject, a, b)`.
    pub(super) fn noted<'a>(
        &'a self,
        events: u32,
        kinds: &[Note],
    ) -> impl DoubleEndedIterator<Item = (u32, (Note, u32, u64, u64))> + use<'a> {
        let mut numbers: Vec<u32> = kinds.iter().flat_map(|&note| self.numbers(events, note)).copied().collect();
        if kinds.len() > 1 {
            numbers.sort_unstable();
        }
        numbers.into_iter().filter_map(|number| match self.timeline.events[number as usize] {
            Event::Note { note, subject, a, b } => Some((number, (note, subject, a, b))),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Level;
    use crate::panel::{arena_objects, sections};
    use memplan_core::graph::Graph;
    use memplan_core::problem::{Problem, Scope, lifetimes, sample};
    use memplan_core::trace::Recorder;
    use memplan_formats::import::{self, Answers, Document};
    use memplan_planners::{Input, Planner, REGISTRY, origin};

    /// A run by a planner, with its case's options or the usual ones; none where it does not apply.
    fn run(planner: &dyn Planner, problem: &Problem, graph: Option<&Rc<Graph>>, of_case: bool) -> Option<Run> {
        let info = planner.info();
        let given = if of_case { info.case.options } else { &[] };
        let options = info.options(given.iter().copied()).ok()?;
        let mut recorder = Recorder::default();
        let input = Input { problem, graph: graph.map(|graph| &**graph) };
        let plan = planner.plan(input, &options, &mut recorder).ok()?;
        let run = Run::new(Rc::new(problem.clone()), origin(info.id, info.align), plan, recorder.events);
        Some(run.with_graph(graph.cloned()))
    }

    /// Whether the panels of frames, sought in any order, are those of a run that has seen no other
    /// frame. Checkpoints lie close together in tests.
    fn check(run: &Run, seed: u64) -> usize {
        let all = run.timeline.events.len() as u64;
        let mut state = seed;
        let mut shown = 0;
        for turn in 0..24 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let events = if turn % 3 == 2 {
                run.timeline.events_at(Level::Decisions, turn)
            } else {
                (state >> 33).checked_rem(all + 1).unwrap_or(0) as u32
            };
            let frame = run.frame(events);
            let kept = (sections(run, &frame), arena_objects(run, &frame));
            let tracks = run.folds.tracks.take();
            let anew = (sections(run, &frame), arena_objects(run, &frame));
            run.folds.tracks.replace(tracks);
            assert_eq!(kept, anew, "{} after {events} of {all}", run.planner);
            shown += kept.0.len();
        }
        shown
    }

    #[test]
    fn panels_from_checkpoints_are_those_from_the_beginning() {
        let mut shown = 0;
        for seed in 0..4 {
            let problem = sample(30, seed);
            for planner in REGISTRY {
                shown += run(*planner, &problem, None, false).map_or(0, |run| check(&run, seed));
            }
        }
        for name in ["two_branches", "cases/nnvm-assign", "cases/tvm-relay-texture", "cases/tvm-relay-devices"] {
            let path = format!("{}/../../www/graphs/{name}.json", env!("CARGO_MANIFEST_DIR"));
            let file = std::fs::read(path).expect("an example");
            let read = import::read(&file, Answers::default()).map(|read| read.document);
            let Ok(Document::Graph(graph)) = read else { panic!("{name} is a graph") };
            let problem = lifetimes(&graph, &Scope::default()).expect("sizes are known");
            let graph = Rc::new(graph);
            for planner in REGISTRY {
                for of_case in [false, true] {
                    shown += run(*planner, &problem, Some(&graph), of_case).map_or(0, |run| check(&run, 7));
                }
            }
        }
        assert!(shown > 10_000, "{shown}");
    }
}
