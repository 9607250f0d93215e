//! A lesson as it is written, `memplan-lesson/1` (docs/lessons.md).

use std::collections::BTreeMap;

use serde::Deserialize;

use memplan_teach::lesson::{Hidden, Seen, Words};

/// The name of the format.
pub const FORMAT: &str = "memplan-lesson/1";

/// The highest number of a lesson.
pub(super) const LESSONS: u32 = 15;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    pub format: String,
    pub number: u32,
    pub id: String,
    pub part: u32,
    pub title: Words,
    pub able: Words,
    pub picture: String,
    /// Scenes whose plans are the pictures of games, by the name of the game.
    #[serde(default)]
    pub games: BTreeMap<String, String>,
    /// The link of a game for who has read to the end.
    pub challenge: Option<String>,
    pub scenes: BTreeMap<String, SceneSource>,
    pub paragraphs: Vec<ParagraphSource>,
    #[serde(default)]
    pub facts: Vec<String>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SceneSource {
    pub document: String,
    pub planner: String,
    #[serde(default)]
    pub options: BTreeMap<String, String>,
    #[serde(default = "one")]
    pub align: u64,
    pub frame: FrameSource,
    pub step: Option<u32>,
    pub select: Option<String>,
    #[serde(default)]
    pub panel: bool,
    #[serde(default)]
    pub hide: Vec<Hidden>,
    pub term: Option<String>,
    pub colour: Option<String>,
    pub view: Option<Seen>,
    #[serde(default)]
    pub rest: bool,
    pub caption: Option<Words>,
}

fn one() -> u64 {
    1
}

/// A number, or the word `last`.
#[derive(Clone, Deserialize)]
#[serde(untagged)]
pub enum FrameSource {
    Number(u32),
    Word(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParagraphSource {
    pub id: String,
    pub scene: Option<String>,
    pub text: Option<Words>,
    #[serde(default)]
    pub plans: Vec<String>,
    pub task: Option<TaskSource>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskSource {
    pub id: String,
    pub kind: KindSource,
    pub ask: Words,
    pub hint: Option<Words>,
    pub right: Words,
    /// The scene that shows the answer.
    pub shows: Option<String>,
    /// Which buffers are right: a query.
    pub set: Option<String>,
    /// The buffers to choose among; all unless told.
    pub among: Option<Vec<String>>,
    #[serde(default)]
    pub choices: Vec<ChoiceSource>,
    /// The number that is right: an expression.
    pub figure: Option<String>,
    /// Decimals that a number is asked for with.
    #[serde(default)]
    pub decimals: u32,
    pub buffer: Option<String>,
    /// The link of the exercise that a program is judged as.
    pub exercise: Option<String>,
    /// The lines that a program begins with.
    #[serde(default)]
    pub template: Vec<String>,
    /// The lines of a program that is right.
    #[serde(default)]
    pub solution: Vec<String>,
    /// What is small enough: an expression or a number.
    pub goal: Option<NumberSource>,
    #[serde(default)]
    pub wrong: WrongSource,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KindSource {
    Choose,
    Number,
    Place,
    Pack,
    Order,
    Write,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChoiceSource {
    pub id: String,
    pub text: Words,
    /// The condition under which it is right.
    pub when: String,
    pub say: Option<Words>,
}

#[derive(Deserialize)]
#[serde(untagged)]
pub enum NumberSource {
    Number(u64),
    Figure(String),
}

impl NumberSource {
    /// As an expression.
    pub fn text(&self) -> String {
        match self {
            NumberSource::Number(number) => number.to_string(),
            NumberSource::Figure(figure) => figure.clone(),
        }
    }
}

/// Sentences for wrong answers: by name of a buffer, or by an expression.
#[derive(Deserialize)]
#[serde(untagged)]
pub enum WrongSource {
    Named(BTreeMap<String, Words>),
    Listed(Vec<WrongEntry>),
}

impl Default for WrongSource {
    fn default() -> Self {
        WrongSource::Listed(Vec::new())
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrongEntry {
    pub when: NumberSource,
    pub say: Words,
}
