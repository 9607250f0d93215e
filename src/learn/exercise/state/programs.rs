//! An exercise that asks for a program, here or in a lesson: it is judged by the worker on sets of
//! buffers that are not shown before.

use crate::learn::exercise::state::stage::Stage;
use crate::learn::lessons::state::attempt::Attempt;
use crate::learn::lessons::state::writing::{WriteAction, Writing};
use crate::shell::state::State;
use memplan_core::base::Message;
use memplan_engine::{Failure, JudgedProgram, PictureLook, Taught, TeachTask};
use memplan_teach::lesson::{Judged, Task, TaskKind};
use memplan_worker::FileData;

impl State {
    /// Whether the exercise asks for a program.
    pub fn asks_program(&self) -> bool {
        let task = self.teaching.assigned.as_ref().and_then(|assigned| assigned.task.as_ref());
        task.is_some_and(|task| !task.template.is_empty())
    }

    /// Whether the program of a link is being judged.
    pub fn is_judging(&self, of: &str) -> bool {
        let wanted = self.teaching.wanted.as_ref().map(|wanted| &wanted.request);
        matches!(wanted, Some(TeachTask::Judge { link, .. }) if link == of)
    }

    /// Changes the program of the exercise, or has it judged.
    pub(crate) fn on_program(&mut self, action: WriteAction) {
        let Some(assigned) = self.teaching.assigned.as_mut().filter(|it| it.stage == Stage::Asking) else { return };
        match action {
            WriteAction::Type(code) | WriteAction::Kept(code) => assigned.writing.code = code,
            WriteAction::Check(look) => self.judge_assigned(None, look),
            WriteAction::Show(number, look) => self.judge_assigned(Some(number), look),
        }
    }

    fn judge_assigned(&mut self, wanted: Option<u32>, look: PictureLook) {
        let Some(assigned) = &self.teaching.assigned else { return };
        let (link, name, code) = (assigned.link.clone(), assigned.name.clone(), assigned.writing.code.clone());
        self.want_verdict(link, name, &code, (wanted, look));
    }

    /// The same in an exercise of a lesson.
    pub(crate) fn write_program(&mut self, task: &Task, attempt: &mut Attempt, action: WriteAction) {
        let TaskKind::Write { link, template, .. } = &task.kind else { return };
        let writing = attempt.writing.get_or_insert_with(|| Writing::of(template));
        match action {
            WriteAction::Type(code) | WriteAction::Kept(code) => writing.code = code,
            WriteAction::Check(look) => self.want_verdict(link.clone(), String::new(), &writing.code, (None, look)),
            WriteAction::Show(number, look) => {
                self.want_verdict(link.clone(), String::new(), &writing.code, (Some(number), look));
            }
        }
    }

    fn want_verdict(&mut self, link: String, name: String, code: &str, (wanted, look): (Option<u32>, PictureLook)) {
        let locale = self.settings.locale;
        self.want(TeachTask::Judge { link, name, code: code.into(), locale, look, wanted });
    }

    /// Takes the verdict on a program of the exercise, or of a lesson; one that only shows another
    /// set of buffers decides nothing anew.
    pub(crate) fn program_judged(&mut self, task: &TeachTask<FileData>, answer: Result<Taught, Failure>) {
        let TeachTask::Judge { link, code, wanted, .. } = task else { return };
        let answer = match answer {
            Ok(Taught::Judged(judged)) => Ok(judged),
            Ok(_) => return,
            Err(failure) => Err(failure.message()),
        };
        match self.teaching.assigned.as_mut().filter(|assigned| assigned.link == *link) {
            Some(assigned) => {
                let failed = answer.as_ref().ok().and_then(|judged| judged.failed.clone());
                assigned.writing.take(code, answer);
                if let Some(failed) = failed.filter(|failed| !failed.document.is_empty()) {
                    self.show_failed(failed.document, failed.frame);
                }
            }
            None => self.task_judged((link.as_str(), code.as_str()), wanted.is_some(), answer),
        }
    }

    fn task_judged(&mut self, (of, code): (&str, &str), is_look: bool, answer: Result<JudgedProgram, Message>) {
        let Some(lesson) = self.learning.lesson.clone() else { return };
        let mut tasks = lesson.paragraphs.iter().filter_map(|paragraph| paragraph.task.as_ref());
        let is_it = |task: &&Task| matches!(&task.kind, TaskKind::Write { link, .. } if link == of);
        let Some(task) = tasks.find(is_it) else { return };
        // What stands beside the text once it is right is another scene.
        let is_beside = self.staged_task().is_some_and(|staged| staged.id == task.id) && !self.is_away();
        let mut attempt = self.learning.attempts.remove(&task.id).unwrap_or_default();
        let right = answer.as_ref().is_ok_and(|judged| judged.right() == judged.verdicts.len());
        let is_wrong = answer.is_ok() && !right && !is_look;
        if let Some(writing) = &mut attempt.writing {
            writing.take(code, answer);
        }
        attempt.wrong += u32::from(is_wrong);
        let is_over = right && !attempt.over && !is_look;
        if is_over {
            attempt.note(Judged { right: true, feedback: None });
            self.task_over(task, &attempt);
        }
        self.learning.attempts.insert(task.id.clone(), attempt);
        if is_over && is_beside {
            self.show_on_plan(task);
        }
    }

    /// Begins to write, once the buffers to look at are there.
    pub(crate) fn begin_program(&mut self) {
        let notice = self.document.notice.as_ref().map(|notice| notice.title.clone());
        let is_there = self.document.run.is_some();
        let Some(assigned) = &mut self.teaching.assigned else { return };
        match notice {
            Some(why) => (assigned.failure, assigned.stage) = (Some(why), Stage::Ready),
            None if is_there => assigned.stage = Stage::Asking,
            None => {}
        }
    }
}
