//! What the speaker alone sees while a plan is presented: the expected answer, what to say, and
//! what comes next.

use serde::Serialize;

use crate::learn::lessons::state::progress::task_of;
use crate::shell::state::State;
use memplan_core::base::Message;
use memplan_planners as planner;
use memplan_replay::{Run, why};
use memplan_teach::exercise::question;
use memplan_teach::lesson::{Choice, Lesson, Task, TaskKind, Words, plain};

/// The speaker's view of what is presented, in words.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Spoken {
    /// What is presented.
    pub title: String,
    /// How many of its stops or frames are behind.
    pub at: usize,
    /// How many there are.
    pub of: usize,
    /// What the audience reads.
    pub shows: String,
    /// The answer that is expected; empty where nothing is asked.
    pub answer: String,
    /// Whether the audience sees the answer.
    pub is_revealed: bool,
    /// Why the answer is right, and what else there is to say.
    pub notes: Vec<String>,
    /// What the next stop or frame shows; empty at the end.
    pub next: String,
}

impl State {
    /// The words of a lesson without their marks.
    pub fn plain_words(&self, words: &Words) -> String {
        let speech = self.speech();
        let lesson = |number| speech.say(&Message::new("learn.lesson").count("n", number));
        plain(words.of(self.settings.locale), speech, lesson)
    }

    /// The texts of those choices of an exercise that are wanted; none of other exercises.
    pub fn choices_in_words(&self, task: &Task, is_wanted: impl Fn(&Choice) -> bool) -> Vec<String> {
        let TaskKind::Choose(list) = &task.kind else { return Vec::new() };
        let words = |choice: &Choice| {
            if choice.is_buffer { choice.id.clone() } else { self.plain_words(&choice.text) }
        };
        list.iter().filter(|choice| is_wanted(choice)).map(words).collect()
    }

    /// The answer of an exercise in a lesson.
    pub fn answer_in_words(&self, task: &Task) -> String {
        match &task.kind {
            TaskKind::Number { value, is_bytes: true, .. } => self.speech().bytes(*value as u64),
            TaskKind::Number { value, .. } => value.to_string(),
            TaskKind::Write { solution, .. } => solution.clone(),
            _ => self.choices_in_words(task, |choice| choice.right).join(" · "),
        }
    }

    /// What the speaker sees of what is presented; none while nothing is.
    pub fn spoken(&self) -> Option<Spoken> {
        self.presenting()?;
        match self.presented_lesson().cloned() {
            Some(lesson) => Some(self.spoken_of_lesson(&lesson)),
            None => self.document.run.as_deref().map(|run| self.spoken_of_plan(run)),
        }
    }

    fn spoken_of_lesson(&self, lesson: &Lesson) -> Spoken {
        let at = self.learning.staged;
        let (done, of) = self.presented_stops().unwrap_or_default();
        let text = |at: usize| lesson.paragraphs.get(at)?.text.as_ref().map(|text| self.plain_words(text));
        let asks = |task: &Task| {
            let others = self.choices_in_words(task, |choice| !choice.is_buffer);
            let asked = [vec![self.plain_words(&task.ask)], others].concat();
            asked.join(" · ")
        };
        let caption = self.scene_beside().and_then(|scene| scene.caption.as_ref()).map(|words| self.plain_words(words));
        let (task, is_revealed) = self.presented_task().unzip();
        let reason = task.map(|task| self.plain_words(&task.right));
        let answer = task.map(|task| self.answer_in_words(task)).unwrap_or_default();
        let next = self.next_stop().and_then(|next| {
            // The answer is what comes next while it is kept back.
            let other = || task_of(lesson, next).map(asks).or_else(|| text(next));
            if next != at {
                return other();
            }
            Some(self.speech().say(&Message::new("present.then-answer").text("answer", answer.clone())))
        });
        Spoken {
            title: format!("{} · {}", lesson.number, lesson.title.of(self.settings.locale)),
            at: done,
            of,
            shows: task.map(asks).or(caption).unwrap_or_default(),
            answer,
            is_revealed: is_revealed.unwrap_or(false),
            notes: [reason, text(at)].into_iter().flatten().collect(),
            next: next.unwrap_or_default(),
        }
    }

    fn spoken_of_plan(&self, run: &Run) -> Spoken {
        let speech = self.speech();
        let level = self.stepping.level;
        let (at, last) = (self.frame(), self.frames() - 1);
        let headline = |frame: u32| {
            let frame = run.frame(run.timeline.events_at(level, frame));
            speech.say(&why(run, &frame).headline)
        };
        let asked = self.asked_buffer(run);
        let decided = asked.and_then(|buffer| {
            let decision = run.timeline.decision_of(buffer)?;
            let frame = run.frame(run.timeline.decisions[decision].end);
            Some(speech.say(&why(run, &frame).headline))
        });
        let here = why(run, &run.frame(self.stepping.cursor));
        let notes = [here.rule, here.effect].into_iter().flatten().filter(|_| asked.is_none());
        let name = self.document.open.as_ref().map(|document| document.name.clone()).unwrap_or_default();
        Spoken {
            title: format!("{name} · {}", planner::title_of(&run.planner, speech)),
            at: at as usize,
            of: last as usize,
            shows: asked.map_or_else(|| headline(at), |buffer| speech.say(&question(run, buffer))),
            answer: decided.unwrap_or_default(),
            is_revealed: false,
            notes: notes.map(|note| speech.say(&note)).collect(),
            next: if at < last && asked.is_none() { headline(at + 1) } else { String::new() },
        }
    }
}
