//! One state of the beam as a frame of its own, to be drawn like the plan.

use super::{emitted_generations, lineage};
use crate::{Frame, Run};
use memplan_core::base::Message;
use memplan_core::plan::Place;
use memplan_core::trace::Fate;

/// The frame as it would be if the search had only the state at `index` of the lanes: its buffers
/// at its places, those that it has not placed yet absent, other memories as they are. With it the
/// sentence that names the state. None if there is no such lane at this frame. Where the run was
/// too long to keep every generation, the places reported before are absent too.
pub fn opened(run: &Run, frame: &Frame, index: usize) -> Option<(Message, Frame)> {
    let generations = emitted_generations(run, frame)?;
    let generation = generations.last()?;
    let emitted = generation.ordered().nth(index)?;
    let title = match emitted.fate {
        Fate::Kept => {
            Message::new("lane.shown").count("rank", emitted.rank).count("kept", generation.kept().count() as u64)
        }
        Fate::Duplicate | Fate::Cut => Message::new("lane.shown-given-up").count("rank", emitted.parent),
    };
    let title = title.count("generation", generations.len() as u64).bytes("score", emitted.score);

    let mut shown = frame.clone();
    let memory = run.problem.buffers[generation.buffer].memory;
    for id in run.problem.buffers.ids().filter(|&id| run.problem.buffers[id].memory == memory) {
        shown.places[id] = None;
    }
    for (id, offset) in lineage(&generations, emitted, usize::MAX) {
        // Every state places a buffer in the pool of its memory, as the plan does.
        shown.places[id] = run.plan.places[id].map(|place| Place { pool: place.pool, offset });
    }
    let end = |(id, place): (_, &Option<Place>)| {
        Some((place.as_ref()?.pool, place.as_ref()?.offset.saturating_add(run.problem.buffers[id].size)))
    };
    for pool in &mut shown.pools {
        let ends = shown.places.enumerate().filter_map(end).filter(|(of, _)| *of == pool.id);
        pool.end = ends.map(|(_, end)| end).max().unwrap_or(0);
        // What this frame did to the plan is not what the state did.
        pool.end_before = pool.end;
    }
    shown.peak = shown.pools.iter().map(|pool| pool.end).sum();
    shown.peak_before = shown.peak;
    shown.placed = shown.places.iter().flatten().count() as u32;
    shown.focus = Some(generation.buffer);
    shown.decision = run.timeline.decision_of(generation.buffer);
    shown.settled = true;
    shown.outcome = None;
    shown.candidates.clear();
    shown.missed = None;
    shown.freed.clear();
    shown.state.places = shown.places.clone();
    shown.state.placed = shown.placed;
    for (pool, seen) in shown.state.pools.iter_mut().zip(&shown.pools) {
        pool.end = seen.end;
    }
    Some((title, shown))
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::super::lanes;
    use super::*;
    use crate::Level;
    use crate::panel::View;
    use memplan_core::problem::sample;
    use memplan_core::text::Speech;
    use memplan_core::trace::Recorder;
    use memplan_planners::{Input, find, origin};

    fn run(buffers: u32) -> Run {
        let problem = sample(buffers, 5);
        let planner = find("beam").unwrap();
        let options = planner.info().options([("k", "4")]).unwrap();
        let mut recorder = Recorder::default();
        let plan = planner.plan(Input { problem: &problem, graph: None }, &options, &mut recorder).unwrap();
        Run::new(Rc::new(problem), origin("beam", 1), plan, recorder.events)
    }

    #[test]
    fn every_lane_opens_as_the_places_it_shows() {
        let run = run(60);
        for number in [1, 17, 60] {
            let frame = run.frame(run.timeline.events_at(Level::Decisions, number));
            let Some(View::Lanes(lanes)) = lanes(&run, &frame).map(|section| section.view) else { panic!("no lanes") };
            for (index, lane) in lanes.iter().enumerate() {
                let (title, shown) = opened(&run, &frame, index).expect("the lane opens");
                let placed: Vec<_> =
                    shown.places.enumerate().filter_map(|(id, place)| Some((id, (*place)?.offset))).collect();
                let mut wanted = lane.places.clone();
                wanted.sort_unstable();
                assert_eq!(placed, wanted, "frame {number}, lane {index}");
                assert_eq!(shown.placed, number);
                let end = |&(id, offset): &(_, u64)| offset + run.problem.buffers[id].size;
                assert_eq!(shown.peak, wanted.iter().map(end).max().unwrap_or(0));
                assert!(shown.candidates.is_empty() && shown.settled && shown.focus == frame.focus);
                let text = Speech::default().say(&title);
                assert!(text.contains(&format!("eneration {number}")) && !text.contains('{'), "{text}");
            }
            assert!(opened(&run, &frame, lanes.len()).is_none());
        }
        assert!(opened(&run, &run.frame(0), 0).is_none());
    }

    #[test]
    fn the_winning_state_of_the_last_generation_is_the_plan_however_long_it_is() {
        let run = run(400);
        let frame = run.frame(run.timeline.events_at(Level::Decisions, u32::MAX));
        let Some(View::Lanes(lanes)) = lanes(&run, &frame).map(|section| section.view) else { panic!("no lanes") };
        let winner = lanes.iter().position(|lane| lane.current).expect("one wins");
        let (_, shown) = opened(&run, &frame, winner).expect("the lane opens");
        assert_eq!((&shown.places, shown.peak), (&frame.places, frame.peak));
    }
}
