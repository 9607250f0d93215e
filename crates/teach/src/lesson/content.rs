//! A lesson as the page fetches it: figures stand in the texts, answers are values.
//!
//! The files are postcard, as the messages of the worker are: a reader of JSON for so many types
//! would be 16 kB of the page.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::exercise::operators::Operators;
use crate::exercise::packing::Standing;
use memplan_core::base::Term;
use memplan_core::text::{Locale, Speech};
use memplan_scene::Window;

/// The index of all lessons, relative to the programs of the page.
pub const INDEX_FILE: &str = "lessons/index.bin";

/// Returns the file of a built-in example; the examples of lessons are lists of buffers.
pub fn example_file(name: &str) -> String {
    format!("{name}.{}", if name.starts_with("learn/") { "csv" } else { "json" })
}

/// Returns the file of a lesson, relative to the programs of the page.
pub fn lesson_file(number: u32) -> String {
    format!("lessons/{number:02}.bin")
}

/// Returns the bytes of the file that holds the index or a lesson.
pub fn to_file(content: &impl Serialize) -> Vec<u8> {
    // Plain values: writing them cannot fail.
    postcard::to_stdvec(content).unwrap_or_default()
}

/// Reads such a file; none for damaged bytes.
pub fn from_file<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    postcard::from_bytes(bytes).ok()
}

/// Returns the keys of a part's name and of what is said about it.
pub fn part_keys(part: u32) -> (&'static str, &'static str) {
    match part {
        1 => ("learn.part-1", "learn.part-1-about"),
        2 => ("learn.part-2", "learn.part-2-about"),
        _ => ("learn.part-3", "learn.part-3-about"),
    }
}

/// A text in both languages, with marks (see [`super::parts`]).
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Words {
    /// In English.
    pub en: String,
    /// In Chinese.
    pub zh: String,
}

impl Words {
    /// Returns the text in a language.
    pub fn of(&self, locale: Locale) -> &str {
        match locale {
            Locale::En => &self.en,
            Locale::Zh => &self.zh,
        }
    }
}

/// A lesson.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Lesson {
    /// Its number, from 1.
    pub number: u32,
    /// A short name that never changes, for links and stored progress.
    pub id: String,
    /// The part of the course, from 1.
    pub part: u32,
    /// What it is called.
    pub title: Words,
    /// What the reader can do afterwards.
    pub able: Words,
    /// Minutes that it takes.
    pub minutes: u32,
    /// The link of a game for who has read to the end, without `#`.
    pub challenge: Option<String>,
    /// What stands beside the text, by name.
    pub scenes: BTreeMap<String, Scene>,
    /// The text.
    pub paragraphs: Vec<Paragraph>,
}

impl Lesson {
    /// Returns the ids of the exercises without which the lesson is not done: all of them where
    /// programs are written, which nobody learns by reading, and none elsewhere.
    pub fn must(&self) -> Vec<String> {
        let tasks: Vec<&Task> = self.paragraphs.iter().filter_map(|paragraph| paragraph.task.as_ref()).collect();
        let writes = tasks.iter().any(|task| matches!(task.kind, TaskKind::Write { .. }));
        tasks.iter().filter(|_| writes).map(|task| task.id.clone()).collect()
    }
}

/// What the index shows of a lesson.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct IndexEntry {
    /// Its number, from 1.
    pub number: u32,
    /// See [`Lesson::id`].
    pub id: String,
    /// The part of the course, from 1.
    pub part: u32,
    /// What it is called.
    pub title: Words,
    /// What the reader can do afterwards.
    pub able: Words,
    /// Minutes that it takes.
    pub minutes: u32,
    /// Number of paragraphs.
    pub paragraphs: u32,
    /// Ids of its exercises, each with its question.
    pub tasks: Vec<(String, Words)>,
    /// See [`Lesson::must`].
    #[serde(default)]
    pub must: Vec<String>,
    /// The plan on its card.
    pub picture: Picture,
    /// Plans on the cards of games, by the name of the game.
    pub games: BTreeMap<String, Picture>,
}

/// A moment of a planner's run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Scene {
    /// Name of a built-in example.
    pub document: String,
    /// Id of the planner.
    pub planner: String,
    /// Its options, as far as they are not the defaults.
    pub options: BTreeMap<String, String>,
    /// Alignment of every buffer in bytes.
    pub align: u64,
    /// Number of the frame, counted by decisions.
    pub frame: u32,
    /// Where the cursor of the time axis stands.
    pub step: Option<u32>,
    /// The buffer that is outlined.
    pub select: Option<String>,
    /// Whether the planner's state stands beside the plan.
    pub panel: bool,
    /// Whether sizes on the picture are written with all their bytes, as the text does.
    pub exact: bool,
    /// What is kept off the picture.
    pub hide: Vec<Hidden>,
    /// Id of the term whose mark is lit.
    pub term: Option<String>,
    /// What colours tell, as in links.
    pub colour: Option<String>,
    /// The part of the plan that is seen; none: all of it.
    pub view: Option<Seen>,
    /// Whether the plan has no marks of the last decision.
    pub rest: bool,
    /// The line below the plan; none: the planner's own reason.
    pub caption: Option<Words>,
}

/// A part of a plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seen {
    /// Steps, from and to.
    pub steps: (u32, u32),
    /// Bytes along the address axis, from and to; none: all addresses.
    pub bytes: Option<(u64, u64)>,
}

impl Seen {
    /// Returns the same as the scene has it.
    pub fn window(&self) -> Window {
        let part = |(from, to): (u64, u64)| (from as f64, to as f64);
        Window { steps: (f64::from(self.steps.0), f64::from(self.steps.1)), bytes: self.bytes.map(part) }
    }
}

impl Scene {
    /// Whether the plan is shown without the marks of the last decision: where the text speaks of a
    /// step, or of the waste of the whole plan, or does not know decisions yet.
    pub fn rests(&self) -> bool {
        self.rest || self.step.is_some() || self.term.as_deref().and_then(Term::from_name) == Some(Term::Waste)
    }

    /// Whether something is kept off the picture.
    pub fn hides(&self, hidden: Hidden) -> bool {
        self.hide.contains(&hidden)
    }
}

/// A line that a scene keeps off the picture, as it would give an answer away.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Hidden {
    /// The load curve.
    Load,
    /// The lower bound.
    Bound,
    /// The peak.
    Peak,
    /// Which buffers are alive at the step: all are in full colour.
    Alive,
}

/// A small plan: boxes without words.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Picture {
    /// What it is called: id of the planner.
    pub planner: String,
    /// Name of the network; none for the buffers that most lessons are about.
    pub network: Option<String>,
    /// Lower bound in bytes.
    pub bound: u64,
    /// Peak, in words.
    pub peak: String,
    /// What tells it from the other small plans of the same planner: `align` or the key of an
    /// option, and its value.
    pub setting: Option<(String, String)>,
    /// First step, step after the last one, first byte and byte after the last one of every buffer.
    pub boxes: Vec<(u32, u32, u64, u64)>,
}

impl Picture {
    /// The highest byte that a box reaches.
    pub fn top(&self) -> u64 {
        self.boxes.iter().map(|corners| corners.3).max().unwrap_or(0)
    }

    /// What tells it from the others, in words; nothing where the planner does.
    pub fn setting_words(&self, speech: Speech) -> Option<String> {
        let (key, value) = self.setting.as_ref()?;
        let name = if key == ALIGN { speech.word("editor.align") } else { key.clone() };
        Some(format!("{name}\u{202f}{value}"))
    }
}

/// Key of the alignment among the settings of a small plan.
pub const ALIGN: &str = "align";

/// A paragraph with what belongs to it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Paragraph {
    /// A short name that is unique in the lesson.
    pub id: String,
    /// What stands beside it; none: what stood beside the one before.
    pub scene: Option<String>,
    /// Its text; may be empty before an exercise.
    pub text: Option<Words>,
    /// Small plans below it.
    pub plans: Vec<Picture>,
    /// The exercise at its end.
    pub task: Option<Task>,
}

/// An exercise.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Task {
    /// Unique in the lesson.
    pub id: String,
    /// The question.
    pub ask: Words,
    /// What helps.
    pub hint: Option<Words>,
    /// What is said about the right answer.
    pub right: Words,
    /// The scene that stands beside it once it is over; none: the one before stays.
    pub shows: Option<String>,
    /// What is to be done.
    pub kind: TaskKind,
}

/// What a reader is asked to do.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum TaskKind {
    /// Choose everything that is right.
    Choose(Vec<Choice>),
    /// Write a number.
    Number {
        /// The right one.
        value: f64,
        /// Decimals that are asked for, which an answer is rounded to; 0: exactly the number.
        decimals: u32,
        /// Whether it is a number of bytes.
        is_bytes: bool,
        /// What is said about others.
        wrong: Vec<Value>,
    },
    /// Say where the planner puts a buffer.
    Place {
        /// Its name.
        buffer: String,
        /// Places, the lowest first.
        places: Vec<LegalPlace>,
    },
    /// Make the peak smaller by moving buffers.
    Pack {
        /// A peak in bytes that is small enough.
        goal: u64,
        /// Offsets of a plan that is small enough, by name of the buffer.
        solution: Vec<(String, u64)>,
        /// The buffers as the plan of the exercise has them, and its peak.
        begins: (Vec<Standing>, u64),
    },
    /// Write a program, which is judged as an exercise of the link is.
    Write {
        /// The link of that exercise, without `#`.
        link: String,
        /// Id of the planner that the program is compared with.
        planner: String,
        /// What the program begins with.
        template: String,
        /// A program that is right.
        solution: String,
    },
    /// Order the operators.
    Order {
        /// A load in bytes that is small enough.
        goal: u64,
        /// What is ordered.
        operators: Operators,
        /// An order that is good enough.
        solution: Vec<usize>,
    },
}

/// One of several things to choose.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Choice {
    /// Unique in the task; the name of a buffer if it is one.
    pub id: String,
    /// What it says.
    pub text: Words,
    /// Whether it is a buffer, which can be pointed at on the plan.
    pub is_buffer: bool,
    /// Whether it is right.
    pub right: bool,
    /// What is said about it.
    pub say: Option<Words>,
}

/// A number that has a sentence of its own.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Value {
    /// The number.
    pub value: f64,
    /// What is said about it.
    pub say: Words,
}

/// A legal place.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LegalPlace {
    /// First byte.
    pub offset: u64,
    /// Free bytes from there; none on top, where the arena grows.
    pub room: Option<u64>,
    /// What it says: a range of addresses.
    pub text: Words,
    /// Whether the planner takes it.
    pub right: bool,
    /// What is said about it.
    pub say: Option<Words>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lesson_comes_back_from_its_file() {
        let words = |text: &str| Words { en: text.into(), zh: text.into() };
        let number = TaskKind::Number { value: 1.09, decimals: 2, is_bytes: false, wrong: Vec::new() };
        let task =
            Task { id: "t".into(), ask: words("how many"), hint: None, right: words("so"), shows: None, kind: number };
        let paragraph =
            Paragraph { id: "p".into(), scene: None, text: Some(words("text")), plans: Vec::new(), task: Some(task) };
        let lesson = Lesson {
            number: 3,
            id: "three".into(),
            part: 1,
            title: words("title"),
            able: words("able"),
            minutes: 4,
            challenge: None,
            scenes: BTreeMap::new(),
            paragraphs: vec![paragraph],
        };
        let bytes = to_file(&lesson);
        assert_eq!(from_file(&bytes).as_ref(), Some(&lesson));
        assert_eq!(from_file::<Lesson>(&bytes[..bytes.len() - 1]), None);
    }
}
