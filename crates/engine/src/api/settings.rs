//! Arguments as JSON values → arguments of the other rooms. Unknown keys are refused, never
//! ignored.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{ApiError, Code};
use memplan_core::base::{MAX_SAFE, Message};
use memplan_core::problem::{Scope, Views};
use memplan_core::text::Locale;
use memplan_formats::import::{Answers, Constants, EndRule, Parameters};
use memplan_replay::Level;
use memplan_scene::Size;
use memplan_scene::paint::Theme;
use memplan_teach::exercise::activity::{Buffers, Kind};
use memplan_teach::exercise::variant::{Difficulty, MAX_SEED};

/// Boards that a search looks at by default.
pub const TRIES: u32 = 20_000;

/// Most boards that a search looks at.
pub const MAX_TRIES: u32 = 1_000_000;

/// Largest alignment in bytes, as for tensors of a graph.
const MAX_ALIGN: u64 = 1 << 32;

/// Smallest and largest side of a picture in pixels.
const SIDES: std::ops::RangeInclusive<f64> = 64.0..=16_384.0;

const KEYS: &str = "inputs, outputs, weights, views, align, symbols, exclusiveEnd, parameters, model, shapes, \
                    constants, lang";

/// Settings of a call: what of a graph is planned, how its file is read, and the language of
/// sentences.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct CallSettings {
    /// What of a graph is planned.
    pub scope: Scope,
    /// How the file is read where it leaves something open.
    pub choices: Answers,
    /// Language of sentences.
    pub locale: Locale,
}

impl CallSettings {
    /// Reads an object; null and absent fields keep their defaults.
    ///
    /// # Errors
    /// [`Code::Scope`] with the path of the field.
    pub fn read(value: &Value) -> Result<CallSettings, ApiError> {
        let mut settings = CallSettings::default();
        for (key, value) in fields(Code::Scope, "settings", value)? {
            let (scope, choices) = (&mut settings.scope, &mut settings.choices);
            let field = Argument { code: Code::Scope, path: field_path("settings", key), value };
            match key.as_str() {
                "inputs" => scope.inputs = field.flag()?,
                "outputs" => scope.outputs = field.flag()?,
                "weights" => scope.weights = field.flag()?,
                "views" => scope.views = field.one_of(&[("share", Views::Share), ("copy", Views::Copy)])?,
                "align" => scope.align = field.align()?,
                "symbols" => scope.symbols = field.map("api.allowed.symbols", Value::as_u64)?,
                "exclusiveEnd" => choices.end = if field.flag()? { EndRule::Exclusive } else { EndRule::Format },
                "parameters" => {
                    let (inputs, weights) = (("inputs", Parameters::Inputs), ("weights", Parameters::Weights));
                    choices.parameters = field.one_of(&[("by-name", Parameters::ByName), inputs, weights])?;
                }
                "model" => choices.model = field.text()?,
                "constants" => {
                    choices.constants = field.one_of(&[("fold", Constants::Fold), ("keep", Constants::Keep)])?;
                }
                "shapes" => {
                    choices.shapes = field.map("api.allowed.shapes", |value| value.as_str().map(String::from))?
                }
                "lang" => settings.locale = field.locale()?,
                _ => return Err(field.unknown(key, KEYS)),
            }
        }
        Ok(settings)
    }
}

/// Settings of a picture of a frame.
#[derive(Clone, PartialEq, Debug)]
pub struct PictureSettings {
    /// Width and height in pixels.
    pub size: Size,
    /// Colours.
    pub theme: Theme,
    /// Language; none = that of the run.
    pub locale: Option<Locale>,
    /// How finely frames are counted.
    pub level: Level,
}

impl PictureSettings {
    /// Reads an object; null and absent fields keep their defaults: 1000 × 640, light, one frame a
    /// placement.
    ///
    /// # Errors
    /// [`Code::Frame`] with the path of the field.
    pub fn read(value: &Value) -> Result<PictureSettings, ApiError> {
        let mut picture =
            PictureSettings { size: (1000.0, 640.0), theme: Theme::Light, locale: None, level: Level::Decisions };
        for (key, value) in fields(Code::Frame, "picture", value)? {
            let field = Argument { code: Code::Frame, path: field_path("picture", key), value };
            match key.as_str() {
                "width" => picture.size.0 = field.side()?,
                "height" => picture.size.1 = field.side()?,
                "theme" => picture.theme = field.one_of(&[("light", Theme::Light), ("dark", Theme::Dark)])?,
                "lang" => picture.locale = Some(field.locale()?),
                "level" => picture.level = field.one_of(&LEVELS)?,
                _ => return Err(field.unknown(key, "width, height, theme, lang, level")),
            }
        }
        Ok(picture)
    }
}

/// Which instance to practise on is wanted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExerciseSettings {
    /// What it is for.
    pub kind: Kind,
    /// Id of the planner.
    pub planner: String,
    /// Where it comes from.
    pub seed: u64,
    /// How hard it is.
    pub difficulty: Difficulty,
    /// Boards that the search for a bad one looks at.
    pub tries: u32,
    /// The board that it begins at.
    pub board: Option<String>,
    /// Language of questions and answers.
    pub locale: Locale,
}

impl ExerciseSettings {
    /// Reads an object; `kind`, `planner` and `seed` are needed.
    ///
    /// # Errors
    /// [`Code::Argument`] with the path of the field.
    pub fn read(value: &Value) -> Result<ExerciseSettings, ApiError> {
        let lacks = |key: &'static str| {
            let argument = Argument { code: Code::Argument, path: field_path("wanted", key), value: &Value::Null };
            move || argument.wrong("api.allowed.needed")
        };
        let (mut kind, mut planner, mut seed) = (None, None, None);
        let (mut difficulty, mut locale) = (Difficulty::default(), Locale::default());
        let (mut tries, mut board) = (TRIES, None);
        let given = value.get("kind").and_then(Value::as_str).and_then(Kind::of_name);
        let has_board = given.is_some_and(|kind| kind.activity().buffers == Buffers::Board);
        let kinds: Vec<(&str, Kind)> = Kind::practised().into_iter().map(|kind| (kind.name(), kind)).collect();
        for (key, value) in fields(Code::Argument, "wanted", value)? {
            let field = Argument { code: Code::Argument, path: field_path("wanted", key), value };
            match key.as_str() {
                "kind" => kind = Some(field.one_of(&kinds)?),
                "planner" => planner = Some(field.text()?),
                "seed" => seed = Some(field.whole(MAX_SEED)?),
                "difficulty" if !has_board => {
                    let found = field.whole(3)?;
                    let found = Difficulty::new(found as u8);
                    difficulty = found.ok_or_else(|| field.wrong("api.allowed.difficulty"))?;
                }
                "lang" => locale = field.locale()?,
                "tries" if has_board => tries = field.whole(MAX_TRIES.into())? as u32,
                "board" if has_board => board = Some(field.text()?),
                _ if has_board => return Err(field.unknown(key, "kind, planner, seed, tries, board, lang")),
                _ => return Err(field.unknown(key, "kind, planner, seed, difficulty, lang")),
            }
        }
        Ok(ExerciseSettings {
            kind: kind.ok_or_else(lacks("kind"))?,
            planner: planner.ok_or_else(lacks("planner"))?,
            seed: seed.ok_or_else(lacks("seed"))?,
            difficulty,
            tries,
            board,
            locale,
        })
    }
}

const LEVELS: [(&str, Level); 3] =
    [("all", Level::All), ("decisions", Level::Decisions), ("outcomes", Level::Outcomes)];

/// Reads how finely frames are counted; null = one frame for each placement.
///
/// # Errors
/// [`Code::Frame`].
pub fn level(value: &Value) -> Result<Level, ApiError> {
    match value {
        Value::Null => Ok(Level::Decisions),
        value => Argument { code: Code::Frame, path: "level".into(), value }.one_of(&LEVELS),
    }
}

/// Returns options of a planner as text: from texts, numbers and booleans, without those that are
/// null. The planner checks whether it has them.
///
/// # Errors
/// [`Code::Option`] with the path of the value.
pub fn option_values(value: &Value) -> Result<BTreeMap<String, String>, ApiError> {
    let text = |(key, value): (&String, &Value)| match value {
        Value::String(text) => Ok((key.clone(), text.clone())),
        Value::Number(number) => Ok((key.clone(), plain(number))),
        Value::Bool(flag) => Ok((key.clone(), flag.to_string())),
        other => Err(wrong(Code::Option, &field_path("options", key), other, "api.allowed.option")),
    };
    fields(Code::Option, "options", value)?.map(text).collect()
}

/// Returns `1` rather than `1.0`: JavaScript has one kind of number.
fn plain(number: &serde_json::Number) -> String {
    match number.as_f64() {
        Some(value) if value.fract() == 0.0 && value.abs() <= MAX_SAFE as f64 => format!("{value:.0}"),
        _ => number.to_string(),
    }
}

/// Returns a place in the arguments: `settings.align`, `options["my key"]`.
pub fn field_path(parent: &str, key: &str) -> String {
    let is_plain = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'));
    if is_plain { format!("{parent}.{key}") } else { format!("{parent}[{}]", Value::from(key)) }
}

/// Returns the error of a wrong value; `allowed` is the key of the sentence about right ones.
pub fn wrong(code: Code, path: &str, value: &Value, allowed: &'static str) -> ApiError {
    refused(code, path, value, Message::new(allowed))
}

fn refused(code: Code, path: &str, value: &Value, allowed: Message) -> ApiError {
    let shown: String = value.to_string().chars().take(60).collect();
    let message = Message::new("api.wrong-value").text("path", path).text("value", shown).inner("allowed", allowed);
    ApiError::new(code, path, message)
}

/// Returns the fields of an object that are not null; null is an empty object.
pub(super) fn fields<'a>(
    code: Code,
    path: &str,
    value: &'a Value,
) -> Result<impl Iterator<Item = (&'a String, &'a Value)>, ApiError> {
    let object = match value {
        Value::Null => None,
        Value::Object(object) => Some(object),
        other => return Err(wrong(code, path, other, "api.allowed.object")),
    };
    Ok(object.into_iter().flat_map(Map::iter).filter(|(_, value)| !value.is_null()))
}

/// One argument and its place.
pub(super) struct Argument<'a> {
    pub(super) code: Code,
    pub(super) path: String,
    pub(super) value: &'a Value,
}

impl Argument<'_> {
    pub(super) fn wrong(&self, allowed: &'static str) -> ApiError {
        wrong(self.code, &self.path, self.value, allowed)
    }

    pub(super) fn unknown(&self, key: &str, known: &str) -> ApiError {
        let message = Message::new("api.unknown-key").text("key", key).text("known", known);
        ApiError::new(self.code, &self.path, message)
    }

    pub(super) fn flag(&self) -> Result<bool, ApiError> {
        self.value.as_bool().ok_or_else(|| self.wrong("api.allowed.flag"))
    }

    pub(super) fn text(&self) -> Result<String, ApiError> {
        self.value.as_str().map(String::from).ok_or_else(|| self.wrong("api.allowed.text"))
    }

    fn locale(&self) -> Result<Locale, ApiError> {
        self.one_of(&[("en", Locale::En), ("zh", Locale::Zh)])
    }

    /// A whole number from 0; JavaScript writes it as any other.
    pub(super) fn whole(&self, most: u64) -> Result<u64, ApiError> {
        let number = self.value.as_u64().or_else(|| {
            let number = self.value.as_f64().filter(|number| number.fract() == 0.0 && *number >= 0.0);
            number.filter(|number| *number <= MAX_SAFE as f64).map(|number| number as u64)
        });
        number.filter(|number| *number <= most).ok_or_else(|| self.wrong("api.allowed.whole"))
    }

    fn align(&self) -> Result<u64, ApiError> {
        let align = self.value.as_u64().filter(|align| align.is_power_of_two() && *align <= MAX_ALIGN);
        align.ok_or_else(|| self.wrong("api.allowed.align"))
    }

    fn side(&self) -> Result<f64, ApiError> {
        self.value.as_f64().filter(|side| SIDES.contains(side)).ok_or_else(|| self.wrong("api.allowed.side"))
    }

    pub(super) fn one_of<T: Copy>(&self, named: &[(&str, T)]) -> Result<T, ApiError> {
        let found = named.iter().find(|(name, _)| self.value.as_str() == Some(*name));
        found.map(|(_, value)| *value).ok_or_else(|| {
            let names: Vec<&str> = named.iter().map(|(name, _)| *name).collect();
            refused(
                self.code,
                &self.path,
                self.value,
                Message::new("api.allowed.names").text("names", names.join(", ")),
            )
        })
    }

    pub(super) fn map<T>(
        &self,
        allowed: &'static str,
        read: impl Fn(&Value) -> Option<T>,
    ) -> Result<BTreeMap<String, T>, ApiError> {
        let object = self.value.as_object().ok_or_else(|| self.wrong(allowed))?;
        let pair = |(key, value): (&String, &Value)| {
            let read = read(value).ok_or_else(|| wrong(self.code, &field_path(&self.path, key), value, allowed));
            Ok((key.clone(), read?))
        };
        object.iter().map(pair).collect()
    }
}
