//! What a planner says of itself, and its options.

use std::collections::BTreeMap;
use std::fmt;

use crate::base::{Family, Message, gather};
use crate::text::{Locale, Speech};

/// The data sheet of a planner. Texts for people (what it does, how it works) are in the locale files under
/// `planner.<id>.…`.
#[derive(Debug)]
pub struct Info {
    /// Name in links, files and on the command line.
    pub id: &'static str,
    /// The system's own name.
    pub system: &'static str,
    /// The algorithm's name inside that system.
    pub name: &'static str,
    pub source: Source,
    pub needs: Needs,
    pub options: &'static [OptionSpec],
    /// Cost in buffers `n`, live buffers `l`.
    pub complexity: &'static str,
    /// Alignment in bytes that the planner imposes whatever is asked.
    pub align: u64,
    /// Whether the run walks execution order, so that a sweep line on the canvas tells the truth.
    pub sweeps: bool,
    /// Whether it takes part in `check` and rankings.
    pub ranked: bool,
    /// Built-in example that shows it well.
    pub example: &'static str,
    /// Smallest input in which it does badly, or in which its weakness is seen.
    pub case: Case,
    /// What proves that it does what its original does.
    pub evidence: Evidence,
}

/// A counter-example: the graph `cases/<id>` among the built-in examples, told by `how.<id>.weak`. `tests/registry.rs` runs it.
#[derive(Debug)]
pub struct Case {
    /// Options in place of defaults.
    pub options: &'static [(&'static str, &'static str)],
    /// Bytes that the planner's plan takes.
    pub peak: u64,
    /// Bytes that the best plan with addresses takes, without alignment.
    pub best: u64,
}

/// What a planner is proved against.
#[derive(Debug)]
pub enum Evidence {
    /// Recorded answers of the real system: folder and `planner` field of the files in `tests/golden/data`.
    Golden { system: &'static str, planners: &'static [&'static str] },
    /// Why there are none, and what proves it instead.
    Stated(&'static str),
}

/// Where an algorithm comes from.
#[derive(Debug)]
pub struct Source {
    pub repository: &'static str,
    pub version: &'static str,
    pub file: &'static str,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Needs {
    /// Sizes and live ranges.
    Intervals,
    /// A graph.
    Graph,
}

impl Needs {
    pub const fn name(self) -> &'static str {
        match self {
            Needs::Intervals => "intervals",
            Needs::Graph => "graph",
        }
    }
}

/// One option of a planner.
#[derive(Debug)]
pub struct OptionSpec {
    pub key: &'static str,
    /// The original system's name for it.
    pub original: &'static str,
    pub kind: OptionKind,
    pub default: &'static str,
}

#[derive(Debug)]
pub enum OptionKind {
    Choice(&'static [&'static str]),
    Flag,
    Whole {
        min: u64,
        max: u64,
    },
    /// Any text, in a form that the planner's page explains.
    Text,
}

/// Values for every option of one planner.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    values: BTreeMap<&'static str, String>,
}

/// An option that does not exist or a value it does not take.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OptionError {
    Unknown { key: String, known: Vec<&'static str> },
    Value { key: String, value: String, allowed: String },
}

impl OptionError {
    /// The fault in words.
    pub fn message(&self) -> Message {
        match self {
            OptionError::Unknown { key, known } => {
                Message::new("fault.option-unknown").text("key", key).text("known", known.join(", "))
            }
            OptionError::Value { key, value, allowed } => {
                Message::new("fault.option-value").text("key", key).text("value", value).text("allowed", allowed)
            }
        }
    }
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionError::Unknown { key, known } => write!(f, "unknown option {key}; known: {}", known.join(", ")),
            OptionError::Value { key, value, allowed } => write!(f, "{key}={value}: allowed are {allowed}"),
        }
    }
}

impl std::error::Error for OptionError {}

impl Source {
    /// The page of the file in the stated version; none for what has no repository.
    pub fn url(&self) -> Option<String> {
        let revision = match self.version.split_once('(') {
            Some((_, rest)) => rest.split(')').next().unwrap_or(rest),
            None => self.version.split(',').next().unwrap_or(self.version),
        };
        let file = self.file.split(',').next().unwrap_or(self.file);
        let url = || format!("https://github.com/{}/blob/{revision}/{file}", self.repository);
        (!self.repository.is_empty()).then(url)
    }
}

impl Info {
    /// System and algorithm for people. What an original calls itself is never translated; names that are ours are words.
    pub fn title(&self, speech: Speech) -> (String, String) {
        let word = |family: Family, own: &str| {
            let key = family.of([self.id]);
            if Locale::has(&key) { speech.word(&key) } else { own.to_string() }
        };
        (word(Family::PLANNER_SYSTEM, self.system), word(Family::PLANNER_VARIANT, self.name))
    }

    /// The same in one piece.
    pub fn full_title(&self, speech: Speech) -> String {
        let (system, name) = self.title(speech);
        if system == name { name } else { format!("{system} {name}") }
    }

    /// Key of the words that say what an option does: the planner's own, or those that all planners share.
    pub fn option_key(&self, option: &str) -> String {
        let own = Family::OPTION_OF.of([self.id, option]);
        if Locale::has(&own) { own } else { Family::OPTION.of([option]) }
    }

    /// Name of its [`Case`] among the built-in examples.
    pub fn case_name(&self) -> String {
        format!("cases/{}", self.id)
    }

    /// What it does badly, with the figures of its [`Case`].
    pub fn weak(&self) -> Message {
        Message::new(Family::HOW.of([self.id, "weak"])).bytes("peak", self.case.peak).bytes("best", self.case.best)
    }

    /// All options at their defaults.
    pub fn defaults(&self) -> Options {
        Options { values: gather(self.options.iter().map(|spec| (spec.key, spec.default.to_string()))) }
    }

    /// Whether benches time it on so many buffers: one that is quadratic by its own rule would take minutes, one that is
    /// cubic is not run for as many.
    pub fn is_timed_on(&self, buffers: u32) -> bool {
        match self.complexity {
            "O(n³)" => buffers <= 1_000,
            "O(n²)" => buffers <= 10_000,
            _ => true,
        }
    }

    /// Defaults with the given values in place of some.
    ///
    /// # Errors
    /// [`OptionError`] for the first unknown key or refused value.
    pub fn options<'a>(&self, given: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Options, OptionError> {
        let mut options = self.defaults();
        for (key, value) in given {
            options.values.insert(self.option(key, value)?.key, value.to_string());
        }
        Ok(options)
    }

    /// Every unknown key and refused value.
    pub fn option_errors<'a>(&self, given: impl IntoIterator<Item = (&'a str, &'a str)>) -> Vec<OptionError> {
        given.into_iter().filter_map(|(key, value)| self.option(key, value).err()).collect()
    }

    fn option(&self, key: &str, value: &str) -> Result<&OptionSpec, OptionError> {
        let known = || self.options.iter().map(|spec| spec.key).collect();
        let spec = self.options.iter().find(|spec| spec.key == key);
        let spec = spec.ok_or_else(|| OptionError::Unknown { key: key.to_string(), known: known() })?;
        if spec.kind.takes(value) {
            return Ok(spec);
        }
        Err(OptionError::Value { key: key.to_string(), value: value.to_string(), allowed: spec.kind.allowed() })
    }
}

impl OptionKind {
    fn takes(&self, value: &str) -> bool {
        match self {
            OptionKind::Choice(choices) => choices.contains(&value),
            OptionKind::Flag => matches!(value, "true" | "false"),
            OptionKind::Whole { min, max } => value.parse::<u64>().is_ok_and(|value| (min..=max).contains(&&value)),
            OptionKind::Text => true,
        }
    }

    /// The values taken, for messages and fields.
    pub fn allowed(&self) -> String {
        match self {
            OptionKind::Choice(choices) => choices.join(", "),
            OptionKind::Flag => "true, false".into(),
            OptionKind::Whole { min, max } => format!("{min} to {max}"),
            OptionKind::Text => String::new(),
        }
    }
}

impl Options {
    /// The value of an option that the planner declares.
    pub fn get(&self, key: &str) -> &str {
        self.values.get(key).map_or("", String::as_str)
    }

    pub fn flag(&self, key: &str) -> bool {
        self.get(key) == "true"
    }

    pub fn whole(&self, key: &str) -> u64 {
        self.get(key).parse().unwrap_or(0)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.values.iter().map(|(key, value)| (*key, value.as_str()))
    }

    /// The values that differ from the defaults of `info`.
    pub fn changed<'a>(&'a self, info: &'a Info) -> impl Iterator<Item = (&'static str, &'a str)> {
        let default = |key: &str| info.options.iter().find(|spec| spec.key == key).map(|spec| spec.default);
        self.iter().filter(move |(key, value)| default(key) != Some(*value))
    }

    pub fn to_map(&self) -> BTreeMap<String, String> {
        gather(self.iter().map(|(key, value)| (key.to_string(), value.to_string())))
    }
}
