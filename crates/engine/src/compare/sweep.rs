//! Sweeps: one value varied, everything else kept.

use serde::{Deserialize, Serialize};

use super::PlannerChoice;
use crate::source::IMPORTED;
use memplan_core::base::{Arg, MAX_SAFE, Message};
use memplan_core::graph::Graph;
use memplan_core::problem::Scope;
use memplan_core::text::Speech;
use memplan_planners::{self as planner, OptionKind, OptionSpec};

/// The value that is varied.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum Vary {
    /// Alignment of every buffer, 1 to 4096 bytes.
    #[default]
    Align,
    /// One of the planner's options: a whole number, a flag, or a choice.
    Option(String),
    /// A symbol in shapes, such as the batch.
    Symbol(String),
}

/// One run of a sweep.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SweepPoint {
    /// The value that is varied; of a flag 0 or 1, of a choice its position from 0.
    pub value: u64,
    /// The planner with this value.
    pub choice: PlannerChoice,
    /// The scope with this value.
    pub scope: Scope,
}

/// Most points of a sweep.
const MOST: usize = 13;

impl SweepPoint {
    /// Returns the value as people read it.
    pub fn words(&self, vary: &Vary) -> String {
        let given = match vary {
            Vary::Option(key) => self.choice.options.get(key),
            Vary::Align | Vary::Symbol(_) => None,
        };
        given.map_or_else(|| self.value.to_string(), String::clone)
    }
}

impl Vary {
    /// Returns the value's name as written on the command line: `align`, an option's key, or `@`
    /// and a symbol.
    pub fn text(&self) -> String {
        match self {
            Vary::Align => "align".into(),
            Vary::Option(key) => key.clone(),
            Vary::Symbol(name) => format!("@{name}"),
        }
    }

    /// Returns the value's name for people.
    pub fn words(&self, speech: Speech) -> String {
        match self {
            Vary::Align => speech.word("chart.align"),
            other => other.text(),
        }
    }

    /// Reads [`Vary::text`]; option and symbol need not exist.
    pub fn read(text: &str) -> Vary {
        match text.strip_prefix('@') {
            Some(name) => Vary::Symbol(name.into()),
            None if text == "align" => Vary::Align,
            None => Vary::Option(text.into()),
        }
    }
}

/// Whether an option takes any text: there are no values to go through.
fn is_free_text(spec: &OptionSpec) -> bool {
    matches!(spec.kind, OptionKind::Text | OptionKind::List)
}

/// Returns why no sweep goes through these options, those of them that take any text; none if none
/// does. A program that a user wrote can state texts instead.
pub fn not_varied(planner: &str, is_asked: impl Fn(&str) -> bool) -> Option<Message> {
    let info = planner::info(planner)?;
    let texts = info.options.iter().filter(|spec| is_free_text(spec) && is_asked(spec.key));
    let names: Vec<String> = texts.map(|spec| spec.key.to_string()).collect();
    let is_own = planner::own_name(planner).is_some();
    let message = Message::new(if is_own { "compare.sweep.text-own" } else { "compare.sweep.text" });
    (!names.is_empty()).then(|| message.with("names", Arg::Names(names)))
}

/// Returns what can be varied for a planner on a document.
pub fn varies(graph: Option<&Graph>, planner: &str) -> Vec<Vary> {
    let specs = planner::info(planner).map_or(&[][..], |info| info.options);
    let options = specs.iter().filter(|spec| !is_free_text(spec)).map(|spec| Vary::Option(spec.key.into()));
    let symbols = graph.into_iter().flat_map(|graph| graph.symbols.keys().map(|name| Vary::Symbol(name.clone())));
    std::iter::once(Vary::Align).chain(options).chain(symbols).collect()
}

/// Returns the runs of a sweep: few values one by one, of many the powers of two within what the
/// value may be; none if there is no such value, or for the plan of a file, which stays as it is.
pub fn points(graph: Option<&Graph>, choice: &PlannerChoice, vary: &Vary, scope: &Scope) -> Vec<SweepPoint> {
    let spec = match vary {
        Vary::Option(key) => {
            planner::info(&choice.planner).and_then(|info| info.options.iter().find(|spec| spec.key == key))
        }
        Vary::Align | Vary::Symbol(_) => None,
    };
    let text = |value: u64| match spec.map(|spec| &spec.kind) {
        Some(OptionKind::Flag) => (value == 1).to_string(),
        Some(OptionKind::Choice(all)) => all[value as usize].to_string(),
        _ => value.to_string(),
    };
    let with = |value: u64| {
        let (mut choice, mut scope) = (choice.clone(), scope.clone());
        match vary {
            Vary::Align => scope.align = value,
            Vary::Option(key) => {
                choice.options.insert(key.clone(), text(value));
            }
            Vary::Symbol(name) => {
                scope.symbols.insert(name.clone(), value);
            }
        }
        SweepPoint { value, choice, scope }
    };
    let values = match vary {
        _ if choice.planner == IMPORTED => Vec::new(),
        Vary::Align => doubling(1, 4096),
        Vary::Option(_) => match spec.map(|spec| (&spec.kind, spec.default)) {
            Some((&OptionKind::Whole { min, max }, default)) => within(min, max, default.parse().unwrap_or(0)),
            Some((OptionKind::Flag, _)) => vec![0, 1],
            Some((OptionKind::Choice(all), _)) => (0..all.len().min(MOST) as u64).collect(),
            _ => Vec::new(),
        },
        Vary::Symbol(name) => match graph.and_then(|graph| graph.symbols.get(name)) {
            Some(symbol) => doubling(symbol.min.unwrap_or(1).max(1), symbol.max.unwrap_or(64)),
            None => Vec::new(),
        },
    };
    values.into_iter().map(with).collect()
}

/// Returns the values of an option between limits: each of them if they are few; around the default
/// if there is no upper limit.
fn within(min: u64, max: u64, default: u64) -> Vec<u64> {
    const AROUND: u64 = 64;
    if max - min < MOST as u64 {
        return (min..=max).collect();
    }
    if max < MAX_SAFE || default == 0 {
        return doubling(min, max);
    }
    let from = if default < AROUND { min } else { min.max((default / AROUND).next_power_of_two()) };
    doubling(from, default.saturating_mul(AROUND).min(max))
}

/// Returns `min`, then the powers of two up to `max`, at most [`MOST`] values.
fn doubling(min: u64, max: u64) -> Vec<u64> {
    let powers = (0..63).map(|power| 1u64 << power).filter(|value| *value > min && *value <= max);
    std::iter::once(min).chain(powers).take(MOST).collect()
}
