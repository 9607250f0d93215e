//! What the engine answers: documents, plans, and searches that are stopped.

use std::rc::Rc;

use crate::open::state::document::{Bytes, Document, Job, Origin};
use crate::shell::state::State;
use crate::shell::state::notice::Notice;
use crate::shell::state::panels::{Overlay, Tab};
use crate::step::state::peak::First;
use memplan_core::base::Message;
use memplan_engine::{Answer, Done, Failure, NoPlan, Opened, Planned, START, Task, is_of_another_tool};
use memplan_formats::import::Question;
use memplan_replay::Level;

impl State {
    /// What is asked for follows what is shown again, after a job that gave nothing.
    pub(crate) fn fall_back(&mut self) {
        if self.predicting.is_waiting() {
            self.stop_predicting();
        }
        if let Some(run) = &self.document.run {
            self.document.planner = run.planner.clone();
        }
    }

    /// Ends a search with the best plan that it has found so far; false if there is none.
    pub(crate) fn keep_best(&mut self) -> bool {
        let Some(job) = self.job().cloned() else { return false };
        let Some(working) = self.document.status.working_mut() else { return false };
        let known = working.progress.0.and_then(|progress| progress.best);
        let done = working.best.take().and_then(|answer| postcard::from_bytes::<Done>(&answer.0).ok());
        let Some(done) = done else { return false };
        self.answered(job.number, Ok(Answer::Planned(Box::new(done))), None);
        // Nobody can run just this part of the search again to write it to a file.
        self.document.shown = None;
        let Some(run) = &self.document.run else { return false };
        let peak = run.metrics.peak;
        let bound = known.map_or(run.metrics.bound(), |(_, bound)| bound);
        // The user has stopped the search: nothing went wrong.
        let title = Message::new("notice.kept-best").bytes("peak", peak).bytes("bound", bound);
        self.document.notice = Some(Rc::new(Notice { quiet: true, ..Notice::of(title) }));
        true
    }

    /// The worker answered. Answers of jobs that are no longer wanted are dropped.
    pub(crate) fn answered(&mut self, number: u32, result: Result<Answer, Failure>, written: Option<Bytes>) {
        let Some(job) = self.job().cloned().filter(|job| job.number == number) else { return };
        self.document.status.end_job();
        match (result, job.task.as_deref()) {
            (Ok(answer), task) => self.take_answer(&job, task, answer, written),
            (Err(failure), Some(task)) => self.give_up(task, &failure.message()),
            (Err(failure), None) if job.export.is_some() => self.notify(failure.message()),
            (Err(failure), None) => self.not_read(&job, failure),
        }
    }

    /// Hands an answer to the feature that asked.
    fn take_answer(&mut self, job: &Job, task: Option<&Task<Bytes>>, answer: Answer, written: Option<Bytes>) {
        match (answer, task) {
            (Answer::Planned(done), _) => self.take_done(job, *done, written),
            (Answer::Exported(Ok(contents)), _) => {
                if let Some(export) = job.export {
                    self.save_export(export, contents);
                }
            }
            (Answer::Exported(Err(why)), _) => self.notify(why),
            (answer, Some(task)) => self.take_answer_of(task, answer),
            // Of no one that still asks.
            (_, None) => {}
        }
    }

    fn take_done(&mut self, job: &Job, done: Done, written: Option<Bytes>) {
        // The notice of a visited link stays; opening a file by hand makes the old notice obsolete.
        if job.place.is_none() {
            self.document.notice = None;
        }
        if let Some(why) = self.document.unstarted.take() {
            self.notify(why.message());
        }
        self.batch_done();
        if let Some(opened) = done.opened.filter(|_| !job.same_document || self.document.open.is_none()) {
            self.take_document(job, opened, written);
        }
        if job.diagram {
            self.editing.diagram = done.diagram.map(Rc::new);
        }
        let planned = match done.planned {
            Err(no_plan) => match self.own_has_no_plan(job, no_plan) {
                Some(no_plan) => Err(no_plan),
                None => return,
            },
            planned => planned,
        };
        match planned {
            Ok(planned) => self.take_plan(job, planned),
            // A link whose options the planner refuses still shows its document.
            Err(NoPlan { why, conflict }) if !job.same_document && !job.options.is_empty() => {
                self.document.options.clear();
                let place = job.place.clone().unwrap_or_default();
                self.submit(job.origin.clone(), job.bytes.clone(), job.choices.clone(), true, Some(place));
                let title = Message::new("notice.options-refused").text("planner", &job.planner).inner("why", why);
                self.document.notice = Some(Rc::new(Notice { conflict, ..Notice::of(title) }));
            }
            Err(NoPlan { why: title, conflict }) => {
                self.fall_back();
                // Ids are those of the buffers shown as long as the same are planned.
                let is_same = self.document.shown.as_ref().is_some_and(|shown| shown.scope == job.scope);
                let conflict = if is_same { conflict } else { Vec::new() };
                self.document.notice = Some(Rc::new(Notice { conflict, ..Notice::of(title) }));
            }
        }
    }

    /// A document could not be read or planned at all.
    fn not_read(&mut self, job: &Job, failure: Failure) {
        // The embedding page must not learn whether a file exists at an address, or can be read.
        let is_private = matches!(job.origin, Origin::Remote(_));
        match failure {
            Failure::Faults(faults) if job.draft.is_some() => {
                if let Some(editing) = &mut self.editing.session {
                    Rc::make_mut(editing).faults = faults;
                }
            }
            Failure::Faults(faults) => {
                let title =
                    Message::new("notice.faults").count("n", faults.len() as u64).text("name", job.origin.name());
                self.not_opened(Notice { faults, ..Notice::of(title) });
            }
            Failure::Large(count) => self.ask_about(Rc::new(job.clone()), count),
            Failure::NoReaders if self.settings.one_file => {
                self.not_opened(Notice::of(Message::new("notice.no-readers-inside")));
            }
            failure @ Failure::NoReaders => {
                self.not_opened(Notice::of(failure.message()));
            }
            Failure::NotRead => {
                let title = Message::new("notice.not-read").text("name", job.origin.name());
                self.not_opened(Notice::of(title));
            }
            failure @ (Failure::NoDocument | Failure::NoWords(_) | Failure::NoWriter) => self.notify(failure.message()),
        }
        if let Some(notice) = self.document.notice.as_mut().filter(|_| is_private) {
            Rc::make_mut(notice).private = true;
        }
    }

    /// The worker is gone before it answered.
    pub(crate) fn stopped(&mut self, job: &Job) {
        if job.same_document || job.draft.is_some() {
            return self.notify(Message::new("notice.crashed"));
        }
        let title = Message::new("notice.crashed-opening").text("name", job.origin.name());
        self.not_opened(Notice::of(title));
    }

    pub(crate) fn take_document(&mut self, job: &Job, opened: Opened, written: Option<Bytes>) {
        let written = written.or_else(|| opened.written.map(Bytes::from));
        // Names of other tools there are of no use: "main", "forward". A link carries the graph of
        // such a file with it.
        let is_own = opened.format.is_own() && !is_of_another_tool(job.origin.name());
        let is_named = job.draft.is_some() || is_own || matches!(job.origin, Origin::Example(_));
        let name = if opened.name.is_empty() || !is_named { job.origin.name().into() } else { opened.name };
        match (&job.draft, &mut self.editing.session) {
            (Some(_), Some(editing)) => Rc::make_mut(editing).faults.clear(),
            _ => self.leave_session(),
        }
        self.editing.diagram = None;
        // There is nothing that a student could do about them.
        let is_own = self.settings.embed.is_none() && self.teaching.assigned.is_none();
        self.document.remarks = job.draft.is_none() && !matches!(job.origin, Origin::Example(_)) && is_own;
        if opened.questions.iter().any(|question| matches!(question, Question::Shapes(_))) {
            // Nothing can be planned before the user has stated the sizes.
            self.view.overlay = Some(Overlay::Report);
        }
        if job.draft.is_none() && job.place.is_none() {
            self.keep_older();
        }
        self.document.open = Some(Rc::new(Document {
            key: job.key,
            origin: job.origin.clone(),
            name,
            format: opened.format,
            graph: opened.graph.map(Rc::new),
            has_plan: opened.has_plan,
            recorded: opened.recorded,
            facts: opened.facts,
            warnings: opened.warnings,
            questions: opened.questions,
            packed: Rc::new(opened.packed),
            bytes: written.unwrap_or_else(|| job.bytes.clone()),
            choices: job.choices.clone(),
        }));
        if job.draft.is_some() {
            // What was shown stays until the new plan is there, and determines the frame to show.
            return;
        }
        if job.place.is_none() {
            self.view.panels.tab = None;
        }
        self.document.run = None;
        self.document.violations = Rc::default();
        self.stepping.selection = None;
        self.stepping.outlined = None;
        self.stepping.node = None;
        self.stepping.lane = None;
        if matches!(&job.origin, Origin::Example(name) if name == START) {
            return;
        }
        self.introduction.on = false;
        self.introduction.opened |= job.place.is_none();
        if matches!(self.view.panels.left_tab, Tab::Start | Tab::Files) {
            self.view.panels.left_tab = Tab::Graph;
        }
        if self.view.panels.tab == Some(Tab::Start) {
            self.view.panels.tab = None;
        }
    }

    pub(crate) fn take_plan(&mut self, job: &Job, mut planned: Planned) {
        let focus = self.document.run.as_ref().and_then(|run| {
            let decision = run.timeline.decision_at(self.stepping.cursor)?;
            let at_end =
                run.timeline.frame_at(Level::Decisions, self.stepping.cursor) as usize == run.timeline.decisions.len();
            ((job.same_document || job.draft.is_some()) && !at_end)
                .then(|| run.problem.buffers[run.timeline.decisions[decision].buffer].name.clone())
        });
        let selected = self
            .document
            .run
            .as_ref()
            .zip(self.stepping.selection)
            .map(|(run, id)| run.problem.buffers[id].name.clone());
        if planned.planner != job.planner {
            // The options are those of the planner that was asked for.
            self.document.options.clear();
        }
        self.document.is_fitted = planned.planner != job.planner || self.document.is_fitted;
        self.document.planner = planned.planner.clone();
        // Who began to write while it was planned goes on.
        if planned.planner != job.planner && !self.own.is_written && self.own.refused.is_none() {
            self.own_follows();
        }
        let violations = std::mem::take(&mut planned.violations);
        self.document.hides_violations &= *self.document.violations == violations;
        self.document.violations = Rc::new(violations);
        let run = planned.into_run(self.document.open.as_ref().and_then(|document| document.graph.as_ref()));
        self.stepping.node = None;
        // The same buffer's placement by another planner, rather than the same number.
        let kept = focus.and_then(|name| run.timeline.decision_of(run.problem.buffer_named(&name)?));
        let kept = kept.map(|decision| run.timeline.decisions[decision].end);
        let kept = self.first_changed(&run).or(kept);
        let first = self.begin_at(job, &run, kept);
        let selected = job.place.as_ref().and_then(|place| place.selection.clone()).or(selected);
        self.stepping.selection = selected.and_then(|name| run.problem.buffer_named(&name));
        // Its buffers have numbers, which only the same problem gives again.
        let is_same = self.document.run.as_ref().is_some_and(|before| before.problem == run.problem);
        self.stepping.outlined = self.stepping.outlined.take().filter(|_| is_same);
        self.document.run = Some(Rc::new(run));
        self.document.shown = Some(Rc::new(job.clone()));
        self.keep_own_peak();
        self.moved();
        match job.place.as_ref().and_then(|place| place.step) {
            Some(step) => self.move_cursor(Some(step)),
            None if first == Some(First::Peak) && !self.predicting.on => self.show_peak(),
            None => {}
        }
        // Looked at more closely it is the same run: what was answered stays.
        if job.window.is_none() {
            self.begin_predicting();
        }
    }
}
