//! What a reader has done in the lessons, and is doing in the one that is open.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

pub use crate::learn::lessons::state::attempt::{Attempt, has_several, place_id};
use memplan_core::problem::Scope;
use memplan_teach::exercise::board::Ratio;
use memplan_teach::lesson::{Lesson, Scene, Task};

/// What is kept between visits.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Learned {
    /// By number of the lesson.
    pub lessons: BTreeMap<u32, Progress>,
    /// The smallest peak in each game, in bytes.
    #[serde(rename = "games", skip_serializing_if = "BTreeMap::is_empty")]
    pub best: BTreeMap<String, u64>,
    /// The boards on which each planner does worst, by its id, the worst first.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub tries: BTreeMap<String, Vec<Try>>,
}

/// A board on which a planner does badly.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(from = "KeptTry", into = "KeptTry")]
pub struct Try {
    /// The board as a link has it.
    pub board: String,
    /// Its peak in bytes.
    pub peak: u64,
    /// Its lower bound in bytes.
    pub bound: u64,
    /// Whether it comes from a file: nobody's own result.
    pub opened: bool,
}

impl Try {
    /// How far the planner is above the bound.
    pub fn ratio(&self) -> Ratio {
        Ratio { peak: self.peak, bound: self.bound }
    }
}

/// A board as it is kept: without the last number where it is the reader's own, else with 1.
#[derive(Serialize, Deserialize)]
struct KeptTry(String, u64, u64, #[serde(default, skip_serializing_if = "is_own")] u64);

fn is_own(opened: &u64) -> bool {
    *opened == 0
}

impl From<KeptTry> for Try {
    fn from(KeptTry(board, peak, bound, opened): KeptTry) -> Try {
        Try { board, peak, bound, opened: opened == 1 }
    }
}

impl From<Try> for KeptTry {
    fn from(Try { board, peak, bound, opened }: Try) -> KeptTry {
        KeptTry(board, peak, bound, opened.into())
    }
}

/// Under which the best result of *Predict* is kept for a built-in example.
pub fn predict_entry(example: &str, planner: &str) -> String {
    format!("predict ex:{example} {planner}")
}

/// How many questions of *Predict* were answered right.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PredictBest {
    /// Right answers.
    pub right: u32,
    /// Questions that count.
    pub of: u32,
}

impl PredictBest {
    /// Returns the number that is kept: fewer misses are a smaller number, as a better result is in
    /// every game.
    pub fn kept(self) -> u64 {
        (u64::from(self.of - self.right.min(self.of)) << 16) + u64::from(self.of)
    }

    /// Reads that number; none for any other.
    pub fn read(kept: u64) -> Option<PredictBest> {
        let (missed, of) = (u32::try_from(kept >> 16).ok()?, (kept & 0xffff) as u32);
        Some(PredictBest { right: of.checked_sub(missed)?, of })
    }
}

/// How far a reader is in a lesson.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Progress {
    /// Number of paragraphs reached.
    #[serde(rename = "p")]
    pub reached: u32,
    /// Ids of the exercises that were answered right.
    #[serde(default, rename = "ok")]
    pub right: BTreeSet<String>,
    /// Ids of the exercises whose answer was shown.
    #[serde(default)]
    pub shown: BTreeSet<String>,
}

impl Learned {
    /// Returns the form in which it is kept.
    pub fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads that form; none for any other text.
    pub fn read(text: &str) -> Option<Learned> {
        serde_json::from_str(text).ok()
    }

    /// Returns this with what was done elsewhere, such as in another tab. Nothing done at all stays
    /// so: that was asked for.
    pub fn with(mut self, other: Learned) -> Learned {
        if self.is_empty() {
            return self;
        }
        for (entry, theirs) in other.best {
            let own = self.best.entry(entry).or_insert(theirs);
            *own = theirs.min(*own);
        }
        for (planner, theirs) in other.tries {
            // What was forgotten here stays so.
            self.tries.entry(planner).or_insert(theirs);
        }
        for (number, theirs) in other.lessons {
            let own = self.lessons.entry(number).or_default();
            own.reached = own.reached.max(theirs.reached);
            own.right.extend(theirs.right);
            own.shown.extend(theirs.shown);
            own.shown.retain(|task| !own.right.contains(task));
        }
        self
    }

    /// The reader's own board on which a planner does worst.
    pub fn best_try(&self, planner: &str) -> Option<&Try> {
        self.tries.get(planner)?.iter().find(|kept| !kept.opened)
    }

    /// Whether nothing was done.
    pub fn is_empty(&self) -> bool {
        self.lessons.is_empty() && self.best.is_empty() && self.tries.is_empty()
    }

    /// Returns how far the reader is in a lesson.
    pub fn of(&self, lesson: u32) -> Progress {
        self.lessons.get(&lesson).cloned().unwrap_or_default()
    }
}

impl Progress {
    /// Returns how many of these exercises were answered right, and of how many the answer was
    /// shown.
    pub fn answered(&self, tasks: &[String]) -> (usize, usize) {
        let count = |done: &BTreeSet<String>| tasks.iter().filter(|task| done.contains(*task)).count();
        (count(&self.right), count(&self.shown))
    }

    /// Returns true if all paragraphs were reached, and these exercises are done: elsewhere reading
    /// is enough.
    pub fn is_done(&self, paragraphs: u32, must: &[String]) -> bool {
        self.reached >= paragraphs && must.iter().all(|task| self.has_done(task))
    }

    /// Returns true if an exercise was answered right, or its answer was shown.
    pub fn has_done(&self, task: &str) -> bool {
        self.right.contains(task) || self.shown.contains(task)
    }
}

/// Where in the lessons: the index, or a paragraph of a lesson.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LearnPlace {
    /// Number of the lesson; none: the index.
    pub lesson: Option<u32>,
    /// Place of the paragraph, from 0.
    pub paragraph: usize,
}

/// Returns the exercise of a paragraph.
pub fn task_of(lesson: &Lesson, paragraph: usize) -> Option<&Task> {
    lesson.paragraphs.get(paragraph)?.task.as_ref()
}

/// Returns the paragraph whose exercise this is, and the exercise.
pub fn task_named<'a>(lesson: &'a Lesson, id: &str) -> Option<(usize, &'a Task)> {
    let tasks = lesson.paragraphs.iter().enumerate().filter_map(|(at, paragraph)| Some((at, paragraph.task.as_ref()?)));
    tasks.into_iter().find(|(_, task)| task.id == id)
}

/// What of a document a scene plans.
pub fn scope_of(scene: &Scene) -> Scope {
    Scope { align: scene.align, ..Scope::default() }
}

/// Returns the name of the scene that stands beside a paragraph: its own, or that of the last one
/// before it that has one.
pub fn scene_of(lesson: &Lesson, paragraph: usize) -> Option<&str> {
    let before = lesson.paragraphs.iter().take(paragraph + 1);
    before.filter_map(|paragraph| paragraph.scene.as_deref()).next_back()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_read_again() {
        let mut learned = Learned::default();
        let progress = Progress { reached: 4, right: ["a".to_string()].into(), shown: ["b".to_string()].into() };
        learned.lessons.insert(3, progress);
        assert_eq!(Learned::read(&learned.text()), Some(learned.clone()));
        assert_eq!(learned.text(), r#"{"lessons":{"3":{"p":4,"ok":["a"],"shown":["b"]}}}"#);
        learned.best.insert("pack ex:learn/\"nine\"".into(), 425_984);
        let kept = |opened| Try { board: "A.1.0.1".into(), peak: 3, bound: 2, opened };
        learned.tries.insert("best-fit".into(), vec![kept(false), kept(true)]);
        let text = r#"{"lessons":{"3":{"p":4,"ok":["a"],"shown":["b"]}},"games":{"pack ex:learn/\"nine\"":425984},"tries":{"best-fit":[["A.1.0.1",3,2],["A.1.0.1",3,2,1]]}}"#;
        assert_eq!(learned.text(), text);
        assert_eq!(Learned::read(text), Some(learned));
        assert_eq!(Learned::read(r#"{"lessons":{},"games":{"a":"b"}}"#), None);
        assert_eq!(Learned::read("learned"), None);
        assert_eq!(Learned::read(r#"{"lessons":{},"version":2}"#), None, "of another version");
        assert_eq!(Learned::read(r#"{"lessons":{"1":{"p":2}}}"#).map(|learned| learned.of(1).reached), Some(2));
    }

    #[test]
    fn fewer_misses_are_the_better_result() {
        let best = |right, of| PredictBest { right, of };
        assert_eq!(PredictBest::read(best(5, 8).kept()), Some(best(5, 8)));
        assert!(best(6, 8).kept() < best(5, 8).kept() && best(8, 8).kept() < best(6, 8).kept());
        assert_eq!(PredictBest::read(9 << 16 | 8), None, "more misses than questions");
    }

    #[test]
    fn two_tabs_keep_what_both_have_done() {
        let of = |lesson: u32, reached, right: &[&str], shown: &[&str]| {
            let set = |ids: &[&str]| ids.iter().map(|id| id.to_string()).collect();
            let lessons = [(lesson, Progress { reached, right: set(right), shown: set(shown) })].into();
            Learned { lessons, ..Learned::default() }
        };
        let both = of(1, 3, &["a"], &[]).with(of(1, 5, &["b"], &["a"]));
        assert_eq!(both, of(1, 5, &["a", "b"], &[]));
        assert_eq!(of(1, 3, &[], &[]).with(of(2, 1, &[], &[])).lessons.len(), 2);
        let best = |peak: u64| Learned { best: [("pack".to_string(), peak)].into(), ..Learned::default() };
        assert_eq!((best(7).with(best(5)), best(5).with(best(7))), (best(5), best(5)));
        assert_eq!(Learned::default().with(both), Learned::default(), "forgotten");
    }

    #[test]
    fn a_lesson_is_done_when_it_was_read_to_its_end() {
        let tasks = ["a".to_string(), "b".to_string()];
        let progress = |reached, right: &[&str], shown: &[&str]| Progress {
            reached,
            right: right.iter().map(|id| id.to_string()).collect(),
            shown: shown.iter().map(|id| id.to_string()).collect(),
        };
        assert!(progress(5, &["a"], &["b"]).is_done(5, &[]));
        assert!(!progress(4, &["a", "b"], &[]).is_done(5, &[]), "not read to the end");
        assert!(progress(5, &["a"], &[]).is_done(5, &[]), "an open exercise");
        assert!(!progress(5, &["a"], &[]).is_done(5, &tasks), "one that has to be done");
        assert!(progress(5, &["a"], &["b"]).is_done(5, &tasks));
        assert_eq!(progress(5, &["a"], &[]).answered(&tasks), (1, 0));
    }
}
