//! Arguments as JSON values → what the other rooms take. A key that nobody knows is refused, never passed over.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{Code, Refusal};
use crate::base::{MAX_SAFE, Message};
use crate::import::{Answers, EndRule, Parameters};
use crate::paint::Theme;
use crate::problem::{Scope, Views};
use crate::replay::Level;
use crate::scene::Size;
use crate::text::Locale;

/// Largest alignment taken, as for tensors of a graph.
const MAX_ALIGN: u64 = 1 << 32;

/// Smallest and largest side of a picture in pixels.
const SIDES: std::ops::RangeInclusive<f64> = 64.0..=16_384.0;

const KEYS: &str = "inputs, outputs, weights, views, align, symbols, exclusiveEnd, parameters, model, shapes, lang";

/// What of a graph is planned, how what its file leaves open is read, and in which language is spoken.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Settings {
    pub scope: Scope,
    pub choices: Answers,
    pub locale: Locale,
}

impl Settings {
    /// Reads an object; null and absent fields keep their defaults.
    ///
    /// # Errors
    /// [`Code::Scope`] with the path of the field.
    pub fn read(value: &Value) -> Result<Settings, Refusal> {
        let mut settings = Settings::default();
        for (key, value) in fields(Code::Scope, "settings", value)? {
            let (scope, choices) = (&mut settings.scope, &mut settings.choices);
            let field = Field { code: Code::Scope, path: field_path("settings", key), value };
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

/// How a frame is drawn.
#[derive(Clone, PartialEq, Debug)]
pub struct Picture {
    pub size: Size,
    pub theme: Theme,
    /// None = the language of the run.
    pub locale: Option<Locale>,
    pub level: Level,
}

impl Picture {
    /// Reads an object; null and absent fields keep their defaults: 1000 × 640, light, one frame a placement.
    ///
    /// # Errors
    /// [`Code::Frame`] with the path of the field.
    pub fn read(value: &Value) -> Result<Picture, Refusal> {
        let mut picture = Picture { size: (1000.0, 640.0), theme: Theme::Light, locale: None, level: Level::Decisions };
        for (key, value) in fields(Code::Frame, "picture", value)? {
            let field = Field { code: Code::Frame, path: field_path("picture", key), value };
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

const LEVELS: [(&str, Level); 3] =
    [("all", Level::All), ("decisions", Level::Decisions), ("outcomes", Level::Outcomes)];

/// How finely frames are counted; null = one a placement.
///
/// # Errors
/// [`Code::Frame`].
pub fn level(value: &Value) -> Result<Level, Refusal> {
    match value {
        Value::Null => Ok(Level::Decisions),
        value => Field { code: Code::Frame, path: "level".into(), value }.one_of(&LEVELS),
    }
}

/// Options of a planner as text, which is how planners take them: texts, numbers and booleans. Null and absent ones are left
/// out. Whether the planner has such an option is for the planner to say.
///
/// # Errors
/// [`Code::Option`] with the path of the value.
pub fn option_values(value: &Value) -> Result<BTreeMap<String, String>, Refusal> {
    let text = |(key, value): (&String, &Value)| match value {
        Value::String(text) => Ok((key.clone(), text.clone())),
        Value::Number(number) => Ok((key.clone(), plain(number))),
        Value::Bool(flag) => Ok((key.clone(), flag.to_string())),
        other => Err(wrong(Code::Option, &field_path("options", key), other, "api.allowed.option")),
    };
    fields(Code::Option, "options", value)?.map(text).collect()
}

/// `1` rather than `1.0`: JavaScript has one kind of number.
fn plain(number: &serde_json::Number) -> String {
    match number.as_f64() {
        Some(value) if value.fract() == 0.0 && value.abs() <= MAX_SAFE as f64 => format!("{value:.0}"),
        _ => number.to_string(),
    }
}

/// A place in the arguments: `settings.align`, `options["my key"]`.
pub fn field_path(parent: &str, key: &str) -> String {
    let is_plain = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'));
    if is_plain { format!("{parent}.{key}") } else { format!("{parent}[{}]", Value::from(key)) }
}

/// A value that is not taken; `allowed` is the key of what would be.
pub fn wrong(code: Code, path: &str, value: &Value, allowed: &'static str) -> Refusal {
    refused(code, path, value, Message::new(allowed))
}

fn refused(code: Code, path: &str, value: &Value, allowed: Message) -> Refusal {
    let shown: String = value.to_string().chars().take(60).collect();
    let message = Message::new("api.wrong-value").text("path", path).text("value", shown).inner("allowed", allowed);
    Refusal::new(code, path, message)
}

/// The fields of an object that have a value; none for null.
fn fields<'a>(
    code: Code,
    path: &str,
    value: &'a Value,
) -> Result<impl Iterator<Item = (&'a String, &'a Value)>, Refusal> {
    let object = match value {
        Value::Null => None,
        Value::Object(object) => Some(object),
        other => return Err(wrong(code, path, other, "api.allowed.object")),
    };
    Ok(object.into_iter().flat_map(Map::iter).filter(|(_, value)| !value.is_null()))
}

/// One argument and its place.
struct Field<'a> {
    code: Code,
    path: String,
    value: &'a Value,
}

impl Field<'_> {
    fn wrong(&self, allowed: &'static str) -> Refusal {
        wrong(self.code, &self.path, self.value, allowed)
    }

    fn unknown(&self, key: &str, known: &str) -> Refusal {
        let message = Message::new("api.unknown-key").text("key", key).text("known", known);
        Refusal::new(self.code, &self.path, message)
    }

    fn flag(&self) -> Result<bool, Refusal> {
        self.value.as_bool().ok_or_else(|| self.wrong("api.allowed.flag"))
    }

    fn text(&self) -> Result<String, Refusal> {
        self.value.as_str().map(String::from).ok_or_else(|| self.wrong("api.allowed.text"))
    }

    fn locale(&self) -> Result<Locale, Refusal> {
        self.one_of(&[("en", Locale::En), ("zh", Locale::Zh)])
    }

    fn align(&self) -> Result<u64, Refusal> {
        let align = self.value.as_u64().filter(|align| align.is_power_of_two() && *align <= MAX_ALIGN);
        align.ok_or_else(|| self.wrong("api.allowed.align"))
    }

    fn side(&self) -> Result<f64, Refusal> {
        self.value.as_f64().filter(|side| SIDES.contains(side)).ok_or_else(|| self.wrong("api.allowed.side"))
    }

    fn one_of<T: Copy>(&self, named: &[(&str, T)]) -> Result<T, Refusal> {
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

    fn map<T>(
        &self,
        allowed: &'static str,
        read: impl Fn(&Value) -> Option<T>,
    ) -> Result<BTreeMap<String, T>, Refusal> {
        let object = self.value.as_object().ok_or_else(|| self.wrong(allowed))?;
        let pair = |(key, value): (&String, &Value)| {
            let read = read(value).ok_or_else(|| wrong(self.code, &field_path(&self.path, key), value, allowed));
            Ok((key.clone(), read?))
        };
        object.iter().map(pair).collect()
    }
}
