//! Places that are chosen on the plan.

use crate::learn::lessons::state::progress::place_id;
use crate::learn::lessons::state::tests::{lessons, opened};
use crate::shell::state::State;
use crate::shell::state::action::{Action, StepAction};
use crate::step::state::offering::Offer;
use memplan_replay::Level;
use memplan_scene::GuessTone;
use memplan_teach::lesson::{LegalPlace, Task, TaskKind};

/// What a place is asked for, as the plan finds it out.
fn offer(state: &State) -> Option<Offer> {
    let run = state.document.run.as_ref()?;
    state.offer(run, &run.frame(run.timeline.events_at(Level::Decisions, state.frame())))
}

#[test]
fn every_place_of_an_exercise_is_chosen_on_the_plan() {
    let mut count = 0;
    for lesson in lessons() {
        for (at, asked) in lesson.paragraphs.iter().enumerate().filter_map(|(at, p)| Some((at, p.task.as_ref()?))) {
            let state = opened(&lesson, at);
            let is_order = matches!(asked.kind, TaskKind::Order { .. });
            assert_eq!(state.orders_nodes(), is_order, "names of nodes stand under the axis where they are ordered");
            let is_next_named = opened(&lesson, at + 1).orders_nodes();
            assert!(is_next_named || !is_order, "lesson {}: the answer has the same names", lesson.number);
            let Task { id, kind: TaskKind::Place { buffer, places }, .. } = asked else {
                assert_eq!(offer(&state), None, "lesson {} exercise {}", lesson.number, asked.id);
                continue;
            };
            count += 1;
            let offered = offer(&state).expect("places");
            assert_eq!(offered.places.len(), places.len());
            let size = state.document.run.as_ref().map_or(0, |run| run.problem.buffers[offered.buffer].size);
            let reaches = |place: &LegalPlace| place.offset + size <= state.height_of_places();
            assert!(places.iter().all(reaches), "lesson {}: the plan has no room for a place", lesson.number);
            let run = state.document.run.clone().expect("a run");
            assert_eq!(run.problem.buffers[offered.buffer].name, *buffer);
            for (on_plan, listed) in offered.places.iter().zip(places) {
                let chosen = state.clone().reduce(offered.choose(on_plan.spot()));
                assert!(chosen.learning.attempts[id].chosen.contains(&place_id(listed)), "lesson {}", lesson.number);
                assert_eq!(chosen.learning.attempts[id].over, listed.right, "a click is the answer");
                if listed.right {
                    assert_eq!(offer(&chosen), None, "an answer stands");
                    continue;
                }
                let before = offered.guess(on_plan.spot()).map(|guess| guess.tone);
                let again = offer(&chosen).expect("still asked");
                assert_eq!(again.chosen, Some(on_plan.spot()), "the list and the plan are one choice");
                let tone = again.guess(on_plan.spot()).map(|guess| guess.tone);
                let grows = on_plan.grows_by > 0;
                assert_eq!(before, Some(if grows { GuessTone::Grows } else { GuessTone::Stays }));
                assert_eq!(tone, Some(if grows { GuessTone::Grows } else { GuessTone::Free }), "no praise");
            }
            assert!(places.iter().any(|place| place.right), "a right place");
        }
    }
    assert!(count > 2);
}

#[test]
fn who_looks_around_chooses_no_place() {
    let lesson = &lessons()[2];
    let at = lesson
        .paragraphs
        .iter()
        .position(|p| matches!(&p.task, Some(task) if matches!(task.kind, TaskKind::Place { .. })));
    let state = opened(lesson, at.expect("a place is asked for"));
    assert!(offer(&state).is_some());
    let away = state.reduce(Action::Step(StepAction::Seek(2)));
    assert!(away.is_away());
    assert_eq!(offer(&away), None);
}
