//! The places that an open question or exercise offers on the plan.

use crate::learn::lessons::state::progress::{scene_of, task_of};
use crate::shell::state::State;
use crate::shell::state::action::{Action, LearnAction, PredictAction, TaskAction};
use crate::shell::state::panels::Mode;
use memplan_core::plan::{Place, PoolId};
use memplan_core::problem::BufferId;
use memplan_replay::{Frame, Run};
use memplan_scene::{Guess, GuessTone};
use memplan_teach::exercise::{self, Kind};
use memplan_teach::lesson::{LegalPlace, TaskKind};

/// A buffer that a place is asked for.
#[derive(Clone, PartialEq, Debug)]
pub struct Offer {
    /// The buffer.
    pub buffer: BufferId,
    /// Its places.
    pub places: Vec<exercise::Place>,
    /// The one that is chosen: in *Predict* not yet checked, in a lesson wrong.
    pub chosen: Option<Place>,
    /// The offsets of those that were answered and are wrong.
    wrong: Vec<u64>,
    /// Id of the exercise of a lesson that asks; none: a question of *Predict*.
    task: Option<String>,
}

impl Offer {
    /// Returns what chooses a place.
    pub fn choose(&self, place: Place) -> Action {
        match &self.task {
            Some(id) => Action::Learn(LearnAction::Task(id.clone(), TaskAction::Choose(place.offset.to_string()))),
            None => Action::Predict(PredictAction::Choose(place)),
        }
    }

    /// Returns the mark of a place on the plan; none for a place that is not offered.
    pub fn guess(&self, place: Place) -> Option<Guess> {
        let grows = self.places.iter().find(|offered| offered.spot() == place)?.grows_by > 0;
        let tone = match grows {
            true => GuessTone::Grows,
            // After a wrong answer, that nothing grows there would sound like praise.
            false if self.wrong.contains(&place.offset) => GuessTone::Free,
            false => GuessTone::Stays,
        };
        Some(Guess { buffer: self.buffer, place, tone })
    }
}

impl State {
    /// The highest address that a place which the open lesson asks for reaches in the plan shown:
    /// the plan has room for it at every frame, so that nothing changes its size as one reads.
    pub fn height_of_places(&self) -> u64 {
        let lesson = self.learning.lesson.as_deref().filter(|_| self.view.mode == Mode::Learn);
        let Some((lesson, run)) = lesson.zip(self.document.run.as_deref()) else { return 0 };
        let reach = |at: usize| {
            let TaskKind::Place { buffer, places } = &task_of(lesson, at)?.kind else { return None };
            let scene = lesson.scenes.get(scene_of(lesson, at)?)?;
            let size = run.problem.buffers[run.buffer_named(buffer)?].size;
            let highest = places.iter().map(|place| place.offset).max()?;
            self.shows_run_of(scene).then_some(highest + size)
        };
        (0..lesson.paragraphs.len()).filter_map(reach).max().unwrap_or(0)
    }

    /// The buffer that a place is asked for at the frame shown, with its places.
    pub fn offer(&self, run: &Run, frame: &Frame) -> Option<Offer> {
        if let Some(buffer) = self.asked_buffer(run) {
            let places = exercise::options(run, frame, buffer);
            return Some(Offer { buffer, places, chosen: self.predicting.chosen, wrong: Vec::new(), task: None });
        }
        let task = self.open_task().filter(|task| self.is_beside(&task.id))?;
        let TaskKind::Place { buffer, places } = &task.kind else { return None };
        let buffer = run.buffer_named(buffer)?;
        let size = run.problem.buffers[buffer].size;
        let place = |place: &LegalPlace| exercise::Place {
            // Lessons ask for places in plans of one arena only.
            pool: PoolId(0),
            offset: place.offset,
            room: place.room.unwrap_or(u64::MAX),
            grows_by: (place.offset + size).saturating_sub(frame.peak),
            kind: if place.room.is_some() { Kind::Gap } else { Kind::Top },
        };
        let places: Vec<exercise::Place> = places.iter().map(place).collect();
        let attempt = self.learning.attempts.get(&task.id);
        let offset = attempt.and_then(|attempt| attempt.chosen.iter().next()?.parse().ok());
        let chosen = offset.map(|offset| Place { pool: PoolId(0), offset });
        let wrong = attempt.iter().flat_map(|attempt| &attempt.tried).filter_map(|tried| tried.parse().ok()).collect();
        Some(Offer { buffer, places, chosen, wrong, task: Some(task.id.clone()) })
    }
}
