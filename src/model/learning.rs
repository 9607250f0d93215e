//! What a reader has done in the lessons, and is doing in the one that is open.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

pub use crate::model::attempt::{Attempt, has_several, place_id};
use memplan_core::base::shown::json_text;
use memplan_teach::exercise::board::Ratio;
use memplan_teach::lesson::{Lesson, Task};

/// What is kept between visits.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Learned {
    /// By number of the lesson.
    pub lessons: BTreeMap<u32, Progress>,
    /// The smallest peak in each game, in bytes.
    pub best: BTreeMap<String, u64>,
    /// The boards on which each planner does worst, by its id, the worst first.
    pub tries: BTreeMap<String, Vec<Try>>,
}

/// A board on which a planner does badly.
#[derive(Clone, PartialEq, Eq, Debug)]
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

    fn read(kept: &Value) -> Option<Try> {
        let Value::Array(parts) = kept else { return None };
        let [board, peak, bound, more @ ..] = parts.as_slice() else { return None };
        let opened = match more {
            [] => false,
            [opened] => opened.as_u64()? == 1,
            _ => return None,
        };
        Some(Try { board: board.as_str()?.to_string(), peak: peak.as_u64()?, bound: bound.as_u64()?, opened })
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
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    /// Number of paragraphs reached.
    pub reached: u32,
    /// Ids of the exercises that were answered right.
    pub right: BTreeSet<String>,
    /// Ids of the exercises whose answer was shown.
    pub shown: BTreeSet<String>,
}

impl Learned {
    /// Returns the form in which it is kept.
    pub fn text(&self) -> String {
        let ids = |ids: &BTreeSet<String>| ids.iter().map(|id| json_text(id)).collect::<Vec<_>>().join(",");
        let lesson = |(number, done): (&u32, &Progress)| {
            let Progress { reached, right, shown } = done;
            format!(r#""{number}":{{"p":{reached},"ok":[{}],"shown":[{}]}}"#, ids(right), ids(shown))
        };
        let lessons = self.lessons.iter().map(lesson).collect::<Vec<_>>().join(",");
        let game = |(entry, best): (&String, &u64)| format!("{}:{best}", json_text(entry));
        let best = self.best.iter().map(game).collect::<Vec<_>>().join(",");
        let best = if best.is_empty() { best } else { format!(r#","games":{{{best}}}"#) };
        let kept = |kept: &Try| {
            let opened = if kept.opened { ",1" } else { "" };
            format!("[{},{},{}{opened}]", json_text(&kept.board), kept.peak, kept.bound)
        };
        let list = |list: &Vec<Try>| list.iter().map(kept).collect::<Vec<_>>().join(",");
        let planner = |(planner, tries): (&String, &Vec<Try>)| format!("{}:[{}]", json_text(planner), list(tries));
        let tries = self.tries.iter().map(planner).collect::<Vec<_>>().join(",");
        let tries = if tries.is_empty() { tries } else { format!(r#","tries":{{{tries}}}"#) };
        format!(r#"{{"lessons":{{{lessons}}}{best}{tries}}}"#)
    }

    /// Reads that form; none for any other text.
    pub fn read(text: &str) -> Option<Learned> {
        let Ok(Value::Object(mut kept)) = serde_json::from_str(text) else { return None };
        let mut map = |name: &str| match kept.remove(name) {
            Some(Value::Object(map)) => Some(map),
            Some(_) => None,
            None => Some(Map::new()),
        };
        let (lessons, best, tries) = (map("lessons")?, map("games")?, map("tries")?);
        let lesson = |(number, done): (String, Value)| Some((number.parse().ok()?, Progress::read(done)?));
        let lessons = lessons.into_iter().map(lesson).collect::<Option<_>>()?;
        let best = best.into_iter().map(|(entry, peak)| Some((entry, peak.as_u64()?))).collect::<Option<_>>()?;
        let list = |(planner, list): (String, Value)| {
            let Value::Array(list) = list else { return None };
            Some((planner, list.iter().map(Try::read).collect::<Option<Vec<_>>>()?))
        };
        let tries = tries.into_iter().map(list).collect::<Option<_>>()?;
        kept.is_empty().then_some(Learned { lessons, best, tries })
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
    /// Reads what is kept of a lesson; none for anything else.
    fn read(kept: Value) -> Option<Progress> {
        let Value::Object(mut kept) = kept else { return None };
        let mut ids = |name| match kept.remove(name) {
            Some(Value::Array(ids)) => ids.iter().map(|id| Some(id.as_str()?.to_string())).collect(),
            Some(_) => None,
            None => Some(BTreeSet::new()),
        };
        let (right, shown) = (ids("ok")?, ids("shown")?);
        let reached = u32::try_from(kept.remove("p")?.as_u64()?).ok()?;
        kept.is_empty().then_some(Progress { reached, right, shown })
    }

    /// Returns how many of these exercises were answered right, and of how many the answer was
    /// shown.
    pub fn answered(&self, tasks: &[String]) -> (usize, usize) {
        let count = |done: &BTreeSet<String>| tasks.iter().filter(|task| done.contains(*task)).count();
        (count(&self.right), count(&self.shown))
    }

    /// Returns true if all paragraphs were reached: reading is enough.
    pub fn is_done(&self, paragraphs: u32) -> bool {
        self.reached >= paragraphs
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
        assert_eq!(Learned::read(&learned.text()), Some(learned));
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
        assert!(progress(5, &["a"], &["b"]).is_done(5));
        assert!(!progress(4, &["a", "b"], &[]).is_done(5), "not read to the end");
        assert!(progress(5, &["a"], &[]).is_done(5), "an open exercise");
        assert_eq!(progress(5, &["a"], &[]).answered(&tasks), (1, 0));
    }
}
