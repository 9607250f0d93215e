//! The data sheet of a planner, and its options.

use std::collections::BTreeMap;
use std::fmt;

use memplan_core::base::{Family, Message};
use memplan_core::graph::Format;
use memplan_core::text::{Locale, Speech};
use memplan_core::trace::Explanation;

/// The data sheet of a planner. Texts for people (what it does, how it works) are in the locale
/// files under `planner.<id>.…`.
#[derive(Debug)]
pub struct Info {
    /// Name in links, files and on the command line.
    pub id: &'static str,
    /// The system's own name.
    pub system: &'static str,
    /// The algorithm's name inside that system.
    pub name: &'static str,
    /// Where the algorithm comes from.
    pub source: Source,
    /// What an input must have.
    pub needs: Needs,
    /// Its options, in the order in which they are shown.
    pub options: &'static [OptionSpec],
    /// How time grows with the input.
    pub complexity: Complexity,
    /// When a run ends.
    pub effort: Effort,
    /// Alignment in bytes that the planner imposes whatever is asked.
    pub align: u64,
    /// Whether the run walks execution order, so that a sweep line on the canvas is right.
    pub sweeps: bool,
    /// Whether it takes part in `check` and rankings.
    pub ranked: bool,
    /// Whether a buffer's gaps, steps inside its life at which it needs no bytes, may be used by
    /// others.
    pub uses_gaps: bool,
    /// How it takes part in the portfolio that tries several planners; none if it does not.
    pub contender: Option<Contender>,
    /// How its decisions are explained.
    pub explanation: Explanation,
    /// Where lists of planners put it.
    pub group: Group,
    /// Buffers take over whole storages of one another: the plan states storages instead of
    /// offsets.
    pub storages: bool,
    /// Formats of tools that plan their memory this way: their files are first shown by this
    /// planner.
    pub formats: &'static [Format],
    /// Built-in example that shows it well.
    pub example: &'static str,
    /// Smallest input in which it does badly, or in which its weakness is seen.
    pub case: Case,
    /// What proves that it does what its original does.
    pub evidence: Evidence,
}

/// A counter-example: the graph `cases/<id>` among the built-in examples, described by
/// `how.<id>.weak`. `tests/native/registry.rs` runs it.
#[derive(Debug)]
pub struct Case {
    /// Options in place of defaults.
    pub options: &'static [(&'static str, &'static str)],
    /// Bytes that the planner's plan takes.
    pub peak: u64,
    /// Bytes that the best plan with addresses takes, without alignment.
    pub best: u64,
}

/// How the time of a planner grows, roughly from the quickest on: with `n` buffers, `m` pairs of
/// buffers that are alive together, `l` buffers alive together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Complexity {
    /// One look at every buffer.
    Linear,
    /// One look at every buffer and every step.
    LinearWithSteps,
    /// Sorted, or looked up in a tree.
    Sorting,
    /// Every buffer against those that are alive with it, sorted.
    Pairs,
    /// Every buffer against every shared object.
    Objects,
    /// The same, with the members of an object in a tree.
    SortedObjects,
    /// Every buffer against those alive with it, again after each that is in the way.
    LiveSquared,
    /// Every buffer against the free blocks of its memory.
    Blocks,
    /// Every buffer against every other.
    Quadratic,
    /// A path through all pairs for every buffer.
    Cubic,
    /// Every buffer through an allocation tree.
    Tree,
    /// Every buffer against those alive with it, in each of `k` plans.
    Beam,
    /// `a` attempts, each over the pairs that are alive together.
    Attempts,
    /// Sets of nodes, up to a budget.
    Subsets,
    /// Every plan, in the worst case.
    Exponential,
    /// The sum of several planners.
    Sum,
}

impl Complexity {
    /// The formula as people write it.
    pub const fn text(self) -> &'static str {
        match self {
            Complexity::Linear => "O(n)",
            Complexity::LinearWithSteps => "O(n + steps)",
            Complexity::Sorting => "O(n log n)",
            Complexity::Pairs => "O((n + m) log n)",
            Complexity::Objects => "O(n · objects)",
            Complexity::SortedObjects => "O(n · objects · log n)",
            Complexity::LiveSquared => "O(n · l²)",
            Complexity::Blocks => "O(n · blocks)",
            Complexity::Quadratic => "O(n²)",
            Complexity::Cubic => "O(n³)",
            Complexity::Tree => "O(n · tree)",
            Complexity::Beam => "O(n · k · l)",
            Complexity::Attempts => "O(a · m log n)",
            Complexity::Subsets => "O(2ⁿ), at most the budget",
            Complexity::Exponential => "exponential",
            Complexity::Sum => "O(Σ)",
        }
    }
}

/// Groups of planners in lists, in order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Group {
    /// Planners that a system runs in its current release.
    Today,
    /// Rules of textbooks and papers: free lists, gap fit, shared objects.
    Classic,
    /// Searches that belong to no system.
    Search,
    /// Planners of systems, or of their versions, that are no longer developed.
    Historical,
    /// What others are measured against.
    Reference,
}

impl Group {
    /// All groups, in order.
    pub const ALL: [Group; 5] = [Group::Today, Group::Classic, Group::Search, Group::Historical, Group::Reference];

    /// Name in keys of words.
    pub const fn name(self) -> &'static str {
        match self {
            Group::Today => "today",
            Group::Classic => "classic",
            Group::Search => "search",
            Group::Historical => "historical",
            Group::Reference => "reference",
        }
    }
}

/// When a run of a planner ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effort {
    /// After a number of passes that the options fix: the input decides how long it takes.
    Pass,
    /// When nothing better can exist, or when a budget is used up: nodes, attempts, states or work.
    Search,
}

impl Effort {
    /// Name in lists of planners.
    pub const fn name(self) -> &'static str {
        match self {
            Effort::Pass => "pass",
            Effort::Search => "search",
        }
    }
}

/// How a planner takes part in the portfolio.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Contender {
    /// Position in the order in which contenders run, the quickest first; unique.
    pub turn: u8,
    /// How much work it takes.
    pub work: Work,
}

/// How much of the portfolio's work a planner takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Work {
    /// So many passes over all pairs of buffers that are alive together.
    Passes(u64),
    /// One in so many parts of what is left, given to it as its own option `work`.
    Part(u64),
    /// A search that is allowed this value of its option `nodes`; it takes about as long as so many
    /// passes.
    Nodes {
        /// Value of the option, for the usual work of the portfolio; more work gives more nodes.
        nodes: u64,
        /// Passes that take as long.
        passes: u64,
    },
}

/// What a planner is proved against.
#[derive(Debug)]
pub enum Evidence {
    /// Recorded answers of the real system: folder and `planner` field of the files in
    /// `tests/golden/data`.
    Golden {
        /// Folder in `tests/golden/data`.
        system: &'static str,
        /// Names in the field `planner` of its files.
        planners: &'static [&'static str],
    },
    /// Why there are none, and what proves it instead.
    Stated(&'static str),
}

/// Where an algorithm comes from.
#[derive(Debug)]
pub struct Source {
    /// `owner/name` on GitHub; empty for what has none.
    pub repository: &'static str,
    /// Version with the commit, or the paper.
    pub version: &'static str,
    /// Path in the repository.
    pub file: &'static str,
}

/// What a planner needs of its input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Needs {
    /// Sizes and live ranges.
    Intervals,
    /// A graph.
    Graph,
}

impl Needs {
    /// Name in lists of planners.
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
    /// Name in links, files and on the command line.
    pub key: &'static str,
    /// The original system's name for it.
    pub original: &'static str,
    /// Which values it takes.
    pub kind: OptionKind,
    /// Value when none is given.
    pub default: &'static str,
}

/// Which values an option takes.
#[derive(Debug)]
pub enum OptionKind {
    /// One of these texts.
    Choice(&'static [&'static str]),
    /// `true` or `false`.
    Flag,
    /// A whole number from `min` to `max`.
    Whole {
        /// Smallest value.
        min: u64,
        /// Largest value.
        max: u64,
    },
    /// Any text, in a form that the planner's page explains.
    Text,
    /// The same of a list, whose parts commas, semicolons or blanks divide.
    List,
}

/// Values for every option of one planner.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    values: BTreeMap<&'static str, String>,
}

/// An option that does not exist or a value it does not take.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OptionError {
    /// The planner has no such option; `known` lists those it has.
    Unknown {
        /// The name given.
        key: String,
        /// Names of the options that it has.
        known: Vec<&'static str>,
    },
    /// The option does not take the value; `allowed` describes those it takes.
    Value {
        /// Name of the option.
        key: String,
        /// The value given.
        value: String,
        /// The values taken, in words.
        allowed: String,
    },
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
    /// What holds for most planners. A data sheet states the rest: `id`, `system`, `name`,
    /// `options`, `complexity`, `example`, `case` and `evidence`; the placeholders for these fail
    /// the registry's tests.
    pub const BASE: Info = Info {
        id: "",
        system: "",
        name: "",
        source: Source { repository: "", version: "", file: "" },
        needs: Needs::Intervals,
        options: &[],
        complexity: Complexity::Linear,
        effort: Effort::Pass,
        align: 1,
        sweeps: false,
        ranked: true,
        uses_gaps: false,
        contender: None,
        group: Group::Today,
        storages: false,
        formats: &[],
        explanation: Explanation::USUAL,
        example: "",
        case: Case { options: &[], peak: 0, best: 0 },
        evidence: Evidence::Stated(""),
    };

    /// System and algorithm for people. What an original calls itself is never translated; names
    /// that are ours are words.
    pub fn title(&self, speech: Speech) -> (String, String) {
        let part_name = |family: Family, own: &str| {
            let key = family.of([self.id]);
            if Locale::has(&key) { speech.word(&key) } else { own.to_string() }
        };
        (part_name(Family::PLANNER_SYSTEM, self.system), part_name(Family::PLANNER_VARIANT, self.name))
    }

    /// The same in one piece.
    pub fn full_title(&self, speech: Speech) -> String {
        let (system, name) = self.title(speech);
        if system == name { name } else { format!("{system} {name}") }
    }

    /// Key of the words that describe an option: the planner's own, or those that all planners
    /// share.
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
        Options { values: self.options.iter().map(|spec| (spec.key, spec.default.to_string())).collect() }
    }

    /// Whether benches time it on so many buffers: one that is quadratic by its own rule would take
    /// minutes, one that is cubic is not run for as many.
    pub fn is_timed_on(&self, buffers: u32) -> bool {
        match self.complexity {
            Complexity::Cubic => buffers <= 1_000,
            Complexity::Quadratic => buffers <= 10_000,
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
            OptionKind::Text | OptionKind::List => true,
        }
    }

    /// The values taken, for messages and fields.
    pub fn allowed(&self) -> String {
        match self {
            OptionKind::Choice(choices) => choices.join(", "),
            OptionKind::Flag => "true, false".into(),
            OptionKind::Whole { min, max } => format!("{min} to {max}"),
            OptionKind::Text | OptionKind::List => String::new(),
        }
    }
}

impl Options {
    /// The value of an option that the planner declares.
    pub fn get(&self, key: &str) -> &str {
        self.values.get(key).map_or("", String::as_str)
    }

    /// Whether a flag is on; false for one that the planner does not declare.
    pub fn flag(&self, key: &str) -> bool {
        self.get(key) == "true"
    }

    /// Returns the value of a whole number; 0 for one that the planner does not declare.
    pub fn whole(&self, key: &str) -> u64 {
        self.get(key).parse().unwrap_or(0)
    }

    /// Returns keys and values in order of the keys.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.values.iter().map(|(key, value)| (*key, value.as_str()))
    }

    /// The values that differ from the defaults of `info`.
    pub fn changed<'a>(&'a self, info: &'a Info) -> impl Iterator<Item = (&'static str, &'a str)> {
        let default = |key: &str| info.options.iter().find(|spec| spec.key == key).map(|spec| spec.default);
        self.iter().filter(move |(key, value)| default(key) != Some(*value))
    }

    /// Returns keys and values for files.
    pub fn to_map(&self) -> BTreeMap<String, String> {
        self.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect()
    }
}
