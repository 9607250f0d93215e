//! Lessons: which one is open, what stands beside its text, and what the reader answers.

pub mod action;
pub mod answering;
pub mod attempt;
pub mod drafts;
pub mod gliding;
mod leaving;
pub mod link_keys;
pub mod progress;
#[cfg(test)]
pub(crate) mod tests;
pub mod writing;

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::learn::lessons::state::progress::{Attempt, LearnPlace, Learned, scene_of, scope_of, task_named, task_of};
use crate::open::state::document::Origin;
use crate::open::state::link::{LinkPlace, Restored};
use crate::shell::state::State;
use crate::shell::state::action::{LearnAction, TaskAction};
use crate::shell::state::panels::Mode;
use memplan_core::base::Term;
use memplan_replay::Level;
use memplan_scene::ColorBy;
use memplan_teach::lesson::{IndexEntry, Lesson, Scene, Task, TaskKind};

/// What is known of the lessons.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Learning {
    /// Where the reader is.
    pub place: LearnPlace,
    /// The index, once it is there.
    pub index: Option<Rc<Vec<IndexEntry>>>,
    /// The lesson that is open, once it is there.
    pub lesson: Option<Rc<Lesson>>,
    /// What was wanted could not be fetched.
    pub failed: bool,
    /// The paragraph whose scene was put beside the text last.
    pub staged: usize,
    /// That scene is on its way.
    pub arriving: bool,
    /// A move of the exercise whose scene is on its way, made once it is there.
    pub waiting: Option<(String, TaskAction)>,
    /// Its document is being fetched or planned.
    pub underway: bool,
    /// Its frame is stepped to.
    pub gliding: bool,
    /// How many times a link, a key or an opened lesson led to a paragraph; the page scrolls there
    /// each time.
    pub jumps: u32,
    /// Counts the scenes that were asked for.
    pub asked: u32,
    /// What the reader tries, by id of the exercise.
    pub attempts: BTreeMap<String, Attempt>,
    /// The same of the lessons that were left, by their numbers.
    left: BTreeMap<u32, BTreeMap<String, Attempt>>,
    /// What was done in all lessons.
    pub learned: Learned,
}

/// What a scene needs that is not shown.
#[derive(Clone, Debug)]
pub struct WantedScene {
    /// Counts the scenes that were asked for.
    pub asked: u32,
    /// Planner, options and what is planned.
    pub restored: Restored,
    /// The moment.
    pub place: LinkPlace,
    /// Name of the built-in example.
    pub document: String,
}

impl State {
    pub(crate) fn on_learn(&mut self, action: LearnAction) {
        match action {
            LearnAction::Open(place) => self.open_lesson(place),
            LearnAction::Index(index) => {
                self.learning.index = Some(index);
                self.learning.failed = false;
            }
            LearnAction::Lesson(lesson) => self.lesson_came(lesson),
            LearnAction::Failed => self.learning.failed = true,
            LearnAction::Paragraph(at) => self.read(at),
            LearnAction::Go(at) => {
                self.read(at);
                self.learning.jumps += 1;
            }
            LearnAction::Pick(buffer) => self.choose_on_plan(buffer),
            LearnAction::NextParagraph { forward } => self.read_on(forward),
            LearnAction::Show(at) => {
                self.read(at);
                self.stage(at);
            }
            LearnAction::Back => self.stage(self.learning.place.paragraph),
            LearnAction::Task(id, answer) => self.on_task(&id, answer),
            LearnAction::Drag { buffer, offset, goes_on } => {
                let task = self.open_task().filter(|_| self.is_to_pack()).map(|task| task.id.clone());
                let put = TaskAction::Put { buffer, offset, goes_on };
                task.into_iter().for_each(|id| self.on_task(&id, put.clone()));
            }
            LearnAction::Learned(learned) => self.learning.learned = learned,
        }
    }

    pub(crate) fn open_lesson(&mut self, place: LearnPlace) {
        self.view.mode = Mode::Learn;
        self.view.overlay = None;
        self.teaching.corner = None;
        self.game = None;
        let before = std::mem::replace(&mut self.learning.place, place);
        self.learning.failed = false;
        if before.lesson != place.lesson {
            self.learning.lesson = None;
            self.change_attempts(before.lesson);
        } else if let Some(lesson) = self.learning.lesson.clone() {
            self.lesson_came(lesson);
        }
    }

    fn lesson_came(&mut self, lesson: Rc<Lesson>) {
        if self.learning.place.lesson != Some(lesson.number) {
            return;
        }
        let last = lesson.paragraphs.len().saturating_sub(1);
        self.learning.failed = false;
        self.learning.lesson = Some(lesson);
        let at = self.learning.place.paragraph.min(last);
        self.read(at);
        self.stage(at);
        self.learning.jumps += 1;
    }

    /// The reader has reached a paragraph. While they look around on the plan, that stays as it is.
    fn read(&mut self, at: usize) {
        let Some(lesson) = self.learning.lesson.clone().filter(|lesson| at < lesson.paragraphs.len()) else { return };
        let is_away = self.is_away();
        self.learning.place.paragraph = at;
        if self.teaching.assigned.is_none() {
            let progress = self.learning.learned.lessons.entry(lesson.number).or_default();
            progress.reached = progress.reached.max(at as u32 + 1);
        }
        // A plan that was made by hand belongs to its exercise alone.
        let is_other = self.scene_beside_at(&lesson, at) != self.scene_beside_at(&lesson, self.learning.staged)
            || self.is_packing() && at != self.learning.staged;
        if !is_away && is_other {
            self.stage(at);
        } else if !is_away && at != self.learning.staged {
            self.learning.staged = at;
            self.forget_moves();
        }
    }

    /// The next paragraph, or the one before.
    fn read_on(&mut self, forward: bool) {
        self.view.defined = None;
        let at = self.learning.place.paragraph;
        let next = if forward { at + 1 } else { at.saturating_sub(1) };
        self.read(next);
        self.learning.jumps += 1;
    }

    /// The paragraph of the next exercise, or of the first one after the last.
    pub(crate) fn next_exercise(&self) -> Option<usize> {
        let lesson = self.learning.lesson.as_deref()?;
        let has_task = |at: &usize| task_of(lesson, *at).is_some();
        let here = self.learning.place.paragraph;
        let after = (here + 1..lesson.paragraphs.len()).find(has_task);
        after.or_else(|| (0..=here).find(has_task))
    }

    /// Puts the scene of a paragraph beside the text: at once where only the frame differs.
    pub(crate) fn stage(&mut self, at: usize) {
        self.learning.staged = at;
        let Some(scene) = self.scene_beside().cloned() else { return };
        self.learning.asked += 1;
        // Another scene may still be on its way: then nothing is shown in between.
        let is_calm = !std::mem::replace(&mut self.learning.arriving, true);
        (self.learning.underway, self.learning.gliding) = (false, false);
        self.learning.waiting = None;
        // What was wrong before has nothing to do with this scene.
        self.document.notice = None;
        self.forget_moves();
        let is_same = self.document.status.is_idle() && self.document.notice.is_none() && self.shows_run_of(&scene);
        if is_same {
            self.arrange(&scene);
            self.stepping.level = Level::Decisions;
            self.go_to_scene(&scene, is_calm);
            self.learning.arriving = false;
        }
    }

    /// Shows a paragraph with its scene, as in front of an audience.
    pub(crate) fn show_stop(&mut self, at: usize) {
        self.view.defined = None;
        self.read(at);
        self.stage(at);
    }

    /// What of a scene is neither document nor frame.
    fn arrange(&mut self, scene: &Scene) {
        self.view.window = scene.view.map(|seen| seen.window());
        self.view.color_by = scene.colour.as_deref().and_then(ColorBy::from_name).unwrap_or_default();
        self.stepping.playing = false;
        self.stepping.lane = None;
    }

    pub(crate) fn select_in(&mut self, scene: &Scene) {
        let run = self.document.run.clone();
        self.stepping.selection = run.and_then(|run| run.buffer_named(scene.select.as_deref()?));
        self.stepping.step = scene.step;
    }

    /// Whether the plan that is shown is that of a scene, at any frame.
    pub(crate) fn shows_run_of(&self, scene: &Scene) -> bool {
        let is_document = |origin: &Origin| matches!(origin, Origin::Example(name) if *name == scene.document);
        self.document.open.as_ref().is_some_and(|document| is_document(&document.origin))
            && self.document.run.as_ref().is_some_and(|run| run.planner == scene.planner)
            && self.document.options == scene.options
            && self.document.scope == scope_of(scene)
    }

    /// The frame at which a scene stands: one further once its buffer was placed by the reader.
    pub(crate) fn frame_of_scene(&self, scene: &Scene) -> u32 {
        let task = self.learning.lesson.as_ref().and_then(|lesson| task_of(lesson, self.learning.staged));
        let is_placed =
            task.is_some_and(|task| matches!(task.kind, TaskKind::Place { .. }) && self.is_answer_shown(task));
        scene.frame + u32::from(is_placed)
    }

    /// Whether the plan may show the answer of an exercise.
    fn is_answer_shown(&self, task: &Task) -> bool {
        match self.presented_task() {
            Some((presented, revealed)) => revealed && presented.id == task.id,
            None => self.learning.attempts.get(&task.id).is_some_and(|attempt| attempt.over),
        }
    }

    /// The name of the scene beside a paragraph: that of the answer once its exercise is over.
    fn scene_beside_at<'a>(&self, lesson: &'a Lesson, at: usize) -> Option<&'a str> {
        let answered = task_of(lesson, at).filter(|task| self.is_answer_shown(task));
        answered.and_then(|task| task.shows.as_deref()).or_else(|| scene_of(lesson, at))
    }

    /// The scene that was put beside the text last.
    pub fn scene_beside(&self) -> Option<&Scene> {
        let lesson = self.learning.lesson.as_deref().filter(|_| self.view.mode == Mode::Learn)?;
        lesson.scenes.get(self.scene_beside_at(lesson, self.learning.staged)?)
    }

    /// Whether the reader of a lesson looks around: another planner, document or frame than the
    /// lesson has.
    pub fn is_away(&self) -> bool {
        let is_there = !self.learning.arriving && !self.learning.gliding && self.document.status.is_idle();
        let Some(scene) = self.scene_beside().filter(|_| is_there) else { return false };
        !(self.is_packing() || self.shows_run_of(scene) && self.frame() == self.frame_of_scene(scene))
    }

    /// The term that is lit on the plan: the one that is defined, else that of the scene.
    pub fn lit_term(&self) -> Option<Term> {
        let of_scene = || Term::from_name(self.scene_beside().filter(|_| !self.is_away())?.term.as_deref()?);
        self.view.defined.map(|shown| shown.term).or_else(of_scene)
    }

    /// What a scene needs, until it is there.
    pub fn wanted_scene(&self) -> Option<WantedScene> {
        let scene = self.scene_beside().filter(|_| self.learning.arriving)?;
        let restored = Restored {
            planner: Some(scene.planner.clone()),
            options: scene.options.clone(),
            scope: Some(scope_of(scene)),
            color_by: scene.colour.as_deref().and_then(ColorBy::from_name),
            view: scene.view.map(|seen| seen.window()),
            no_slice: !self.view.look.slice,
            learn: Some(self.learning.place),
            present: self.view.presenting.is_some(),
            ..Restored::default()
        };
        let place =
            LinkPlace { frame: Some(self.frame_of_scene(scene)), selection: scene.select.clone(), step: scene.step };
        Some(WantedScene { asked: self.learning.asked, restored, place, document: scene.document.clone() })
    }

    /// Notes that the scene asked for is there, or will not come: then the reader counts as away.
    pub(crate) fn learn_on(&mut self) {
        if !self.learning.arriving {
            return;
        }
        let is_idle = self.document.status.is_idle();
        if self.learning.underway && is_idle {
            (self.learning.arriving, self.learning.underway) = (false, false);
            self.make_waiting_move();
        }
        self.learning.underway |= !is_idle && self.learning.arriving;
    }

    /// The exercise that the plan belongs to: that of the paragraph whose scene is shown, while it
    /// is open.
    pub fn open_task(&self) -> Option<&Task> {
        let lesson = self.learning.lesson.as_deref().filter(|_| self.view.mode == Mode::Learn)?;
        let task = task_of(lesson, self.learning.staged)?;
        let is_over = self.learning.attempts.get(&task.id).is_some_and(|attempt| attempt.over);
        (!is_over).then_some(task)
    }

    /// The exercise of the paragraph whose scene is shown.
    pub(crate) fn staged_task(&self) -> Option<&Task> {
        task_of(self.learning.lesson.as_deref().filter(|_| self.view.mode == Mode::Learn)?, self.learning.staged)
    }

    /// Whether buffers of the plan can be moved: the open exercise beside it asks for that.
    pub fn is_to_pack(&self) -> bool {
        let is_pack = |task: &Task| matches!(task.kind, TaskKind::Pack { .. });
        self.open_task().is_some_and(is_pack) && !self.is_away() && !self.learning.arriving
    }

    /// Whether figures of the plan are kept back: an exercise of the lesson that may ask for them
    /// is open.
    pub fn keeps_figures_back(&self) -> bool {
        if self.has_open_figures() {
            return true;
        }
        let Some(lesson) = self.learning.lesson.as_deref().filter(|_| self.view.mode == Mode::Learn) else {
            return false;
        };
        let progress = self.learning.learned.of(lesson.number);
        let mut tasks = lesson.paragraphs.iter().filter_map(|paragraph| paragraph.task.as_ref());
        tasks.any(|task| !progress.has_done(&task.id))
    }

    /// Whether the plan shown is that of an exercise.
    pub fn is_beside(&self, id: &str) -> bool {
        let lesson = self.learning.lesson.as_deref();
        let task = lesson.and_then(|lesson| task_of(lesson, self.learning.staged));
        task.is_some_and(|task| task.id == id) && !self.is_away() && !self.learning.arriving
    }

    /// The exercise of this id with its paragraph.
    pub fn task(&self, id: &str) -> Option<(usize, Task)> {
        let lesson = self.learning.lesson.as_deref()?;
        task_named(lesson, id).map(|(at, task)| (at, task.clone()))
    }
}
