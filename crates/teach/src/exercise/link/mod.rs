//! The link of an exercise: what the teacher chose, as the fragment of an address.
//!
//! ```text
//! #exercise=1&doc=ex:learn/fits-best&plan=first-fit&kind=predict
//!     &hide=peak,curve,why&help=rule&pass=6&of=8&tries=3&id=ws7
//! ```
//!
//! | key | value | left out |
//! |---|---|---|
//! | `exercise` | version, `1` | |
//! | `doc` | `ex:` and the name of an example, `z:` and a packed document, `url:` and an address | the graph is made from `seed` |
//! | `name` | name of a packed document | none |
//! | `seed` | a whole number below 2^53: every student gets an instance made from it and the name | the document is `doc` |
//! | `difficulty` | of instances made from a seed: 1, 2 or 3 | 2 |
//! | `plan` | id of the planner | |
//! | `opt` | `key:value` between commas, in order of the keys: options of the planner | its defaults |
//! | `kind` | a name of the registry (`exercise::activity`), such as `predict` | |
//! | `f` | decision that `place` asks about, last frame that `number` shows | the last one |
//! | `ask` | `number`: figures between commas, such as `bound,load@3`; `lesson`: questions, `1.a,2.c` | |
//! | | `lesson` has neither `doc` nor `seed` nor `plan` | |
//! | `beat` | `break`: the ratio to be beaten, `1.82`; there is neither `doc` nor `seed` | |
//! | `most` | `write`: the largest peak over the bound that is allowed, `1.10` | every place is the planner's |
//! | `template` | `write`: what the program begins with | a function without a body |
//! | `hide` | `peak`, `curve`, `bound`, `why`, `state` between commas | nothing |
//! | `help` | `none`, `rule`, `why` | `none` |
//! | `pass` | right answers that are needed | all |
//! | `of` | number of questions, 1 to 255 | |
//! | `tries` | attempts that a student has, 1 to 63 | any number |
//! | `bits` | `1`: results have a bit for each question | `0` |
//! | `id` | what the teacher calls the exercise | none |
//! | `lang` | `en`, `zh` | the reader's |
//!
//! Values are percent-escaped (`base::fragment`). A key or version that is not known is refused,
//! never ignored: it might say what is hidden. The *canonical text* has the keys in the order of
//! the table, without those at the value that is meant if they are left out. The *fingerprint* is
//! FNV-1a (32 bits, offset basis 2166136261, prime 16777619) of the UTF-8 bytes of the canonical
//! text without `id` and `lang`.

pub(super) mod part;
mod shown;

use std::collections::{BTreeMap, BTreeSet};

use self::part::part;
use super::activity::{Asks, Buffers, Kind};
use super::variant::{Difficulty, MAX_SEED};
use memplan_core::base::Message;
use memplan_core::base::fragment::{escape, unescape};
use memplan_core::text::Locale;

pub use shown::{Help, Hidden};

/// The version that is written, and the only one that is read.
const VERSION: &str = "1";

/// Longest program that a link may begin with, in bytes.
pub const MAX_TEMPLATE: usize = 2_000;

/// Most attempts that a result can tell.
pub const MAX_TRIES: u8 = 63;

/// What the exercise is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Source {
    /// One document for all.
    Document {
        /// What a link has behind `doc=`: `ex:…`, `z:…` or `url:…`.
        doc: String,
        /// Name of a packed document; empty for the others.
        name: String,
    },
    /// An instance for each student, made from this seed and the name.
    Seed {
        /// The seed.
        seed: u64,
        /// How hard the instances are.
        difficulty: Difficulty,
    },
    /// Nothing: each student makes the buffers.
    Board,
    /// Nothing: the lessons have them.
    Lessons,
}

/// An exercise as a link carries it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExerciseLink {
    /// What it is about.
    pub source: Source,
    /// Id of the planner; empty where lessons have it.
    pub planner: String,
    /// Options of the planner that are not at their defaults.
    pub options: BTreeMap<String, String>,
    /// What is asked.
    pub kind: Kind,
    /// The decision or the frame at which one question is asked; none = the last one.
    pub frame: Option<u32>,
    /// The figures, or the questions of lessons, that are asked; may be empty.
    pub ask: String,
    /// The ratio to be beaten, in hundredths; none but for buffers on which the planner wastes
    /// much.
    pub beat: Option<u16>,
    /// The largest ratio of a program's peak to the bound, in hundredths; none where its places are
    /// compared.
    pub most: Option<u16>,
    /// What a program begins with; empty = a function without a body.
    pub template: String,
    /// What is kept back.
    pub hide: BTreeSet<Hidden>,
    /// What may be looked at.
    pub help: Help,
    /// Right answers that are needed.
    pub pass: u8,
    /// Number of questions.
    pub of: u8,
    /// Attempts that a student has; none = any number.
    pub tries: Option<u8>,
    /// Whether results have a bit for each question.
    pub bits: bool,
    /// What the teacher calls it; may be empty.
    pub id: String,
    /// The language, if it is fixed.
    pub lang: Option<Locale>,
}

/// Why a link is no exercise.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LinkFault {
    /// It is of another version, or of none.
    Version(String),
    /// These keys are not known.
    Unknown(Vec<String>),
    /// A key stands in it twice.
    Twice(String),
    /// This key is needed.
    Missing(&'static str),
    /// These two keys do not go together.
    Both(&'static str, &'static str),
    /// A key does not take its value; `allowed` says what it takes.
    Value {
        /// The key.
        key: &'static str,
        /// Its value.
        value: String,
        /// The values taken.
        allowed: String,
    },
}

impl LinkFault {
    /// The fault in words.
    pub fn message(&self) -> Message {
        match self {
            LinkFault::Version(found) if found.is_empty() => Message::new("link.no-exercise"),
            LinkFault::Version(found) => Message::new("link.version").text("found", found).text("known", VERSION),
            LinkFault::Unknown(keys) => Message::new("link.unknown").text("keys", keys.join(", ")),
            LinkFault::Twice(key) => Message::new("link.twice").text("key", key),
            LinkFault::Missing(key) => Message::new("link.missing").text("key", *key),
            LinkFault::Both(one, other) => Message::new("link.both").text("one", *one).text("other", *other),
            LinkFault::Value { key, value, allowed } => {
                Message::new("link.value").text("key", *key).text("value", value).text("allowed", allowed)
            }
        }
    }
}

/// Names of a list between commas.
fn listed(names: &[&str]) -> String {
    names.join(", ")
}

/// The item with this name.
fn named<T: Copy>(key: &'static str, value: &str, all: &[T], name: fn(T) -> &'static str) -> Result<T, LinkFault> {
    all.iter().copied().find(|&item| name(item) == value).ok_or_else(|| LinkFault::Value {
        key,
        value: value.into(),
        allowed: listed(&all.iter().map(|&item| name(item)).collect::<Vec<_>>()),
    })
}

/// A whole number of a range.
fn whole(key: &'static str, value: &str, least: u64, most: u64) -> Result<u64, LinkFault> {
    let is_plain = value.bytes().all(|byte| byte.is_ascii_digit());
    let number = value.parse().ok().filter(|number| is_plain && (least..=most).contains(number));
    let allowed = || format!("{least} … {most}");
    number.ok_or_else(|| LinkFault::Value { key, value: value.into(), allowed: allowed() })
}

impl ExerciseLink {
    /// Reads a fragment, with or without `#`.
    ///
    /// # Errors
    /// [`LinkFault`].
    pub fn read(fragment: &str) -> Result<ExerciseLink, LinkFault> {
        let parts = fragment.trim().trim_start_matches('#').split('&').filter(|part| !part.is_empty());
        let pairs = parts.map(|part| {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            (key.to_string(), unescape(value))
        });
        ExerciseLink::parse(pairs)
    }

    /// Reads keys with their values, which are no longer escaped.
    ///
    /// # Errors
    /// [`LinkFault`]: first for the version, then for keys that are not known.
    pub fn parse(pairs: impl IntoIterator<Item = (String, String)>) -> Result<ExerciseLink, LinkFault> {
        let mut given = BTreeMap::new();
        for (key, value) in pairs {
            if given.insert(key.clone(), value).is_some() {
                return Err(LinkFault::Twice(key));
            }
        }
        let mut take = |key: &'static str| given.remove(key);
        match take("exercise") {
            Some(version) if version == VERSION => {}
            version => return Err(LinkFault::Version(version.unwrap_or_default())),
        }
        let (doc, name, seed, difficulty) = (take("doc"), take("name"), take("seed"), take("difficulty"));
        let (planner, options, kind) = (take("plan"), take("opt"), take("kind"));
        let (frame, ask, beat) = (take("f"), take("ask"), take("beat"));
        let (most, template) = (take("most"), take("template"));
        let (hide, help) = (take("hide"), take("help"));
        let (pass, of, tries, bits) = (take("pass"), take("of"), take("tries"), take("bits"));
        let (id, lang) = (take("id"), take("lang"));
        if !given.is_empty() {
            return Err(LinkFault::Unknown(given.into_keys().collect()));
        }
        let kind = kind.ok_or(LinkFault::Missing("kind"))?;
        let buffers = Kind::of_name(&kind).map(|kind| kind.activity().buffers);
        let (is_board, is_lessons) = (buffers == Some(Buffers::Board), buffers == Some(Buffers::Lessons));
        let beat = match beat {
            None if is_board => return Err(LinkFault::Missing("beat")),
            Some(_) if !is_board => return Err(LinkFault::Unknown(vec!["beat".into()])),
            beat => beat.map(|beat| read_ratio("beat", &beat)).transpose()?,
        };
        let is_program = Kind::of_name(&kind).is_some_and(|kind| kind.activity().asks == Asks::Program);
        if let Some(key) = [("most", most.is_some()), ("template", template.is_some())].iter().find(|(_, is)| *is)
            && !is_program
        {
            return Err(LinkFault::Unknown(vec![key.0.into()]));
        }
        let most = most.map(|most| read_ratio("most", &most)).transpose()?;
        if let Some(long) = template.as_ref().filter(|template| template.len() > MAX_TEMPLATE) {
            let value = long.chars().take(40).chain("…".chars()).collect();
            return Err(LinkFault::Value { key: "template", value, allowed: format!("≤ {MAX_TEMPLATE} B") });
        }
        let of = whole("of", &of.ok_or(LinkFault::Missing("of"))?, 1, 255)? as u8;
        let pass = pass.map_or(Ok(of), |pass| whole("pass", &pass, 0, of.into()).map(|pass| pass as u8))?;
        let tries = tries.map(|tries| whole("tries", &tries, 1, MAX_TRIES.into())).transpose()?;
        let help = help.map(|help| named("help", &help, &Help::ALL, Help::name)).transpose()?;
        let locale = lang.map(|lang| named("lang", &lang, &Locale::ALL, Locale::name)).transpose()?;
        let bits = bits.map(|bits| whole("bits", &bits, 0, 1)).transpose()?;
        Ok(ExerciseLink {
            source: if is_board {
                no_source([doc, name, seed, difficulty], "beat", Source::Board)?
            } else if is_lessons {
                no_source([doc, name, seed, difficulty], "kind", Source::Lessons)?
            } else {
                source(doc, name, seed, difficulty)?
            },
            planner: match planner.filter(|planner| !planner.is_empty()) {
                Some(_) if is_lessons => return Err(LinkFault::Both("plan", "kind")),
                None if is_lessons => String::new(),
                planner => planner.ok_or(LinkFault::Missing("plan"))?,
            },
            options: options.map_or(Ok(BTreeMap::new()), read_options)?,
            kind: named("kind", &kind, &Kind::ALL, Kind::name)?,
            frame: frame.map(|frame| whole("f", &frame, 0, u32::MAX.into())).transpose()?.map(|frame| frame as u32),
            ask: ask.unwrap_or_default(),
            beat,
            most,
            template: template.unwrap_or_default(),
            hide: hide.map_or(Ok(BTreeSet::new()), read_hidden)?,
            help: help.unwrap_or_default(),
            pass,
            of,
            tries: tries.map(|tries| tries as u8),
            bits: bits == Some(1),
            id: id.unwrap_or_default(),
            lang: locale,
        })
    }

    /// The keys with their values, in the order of the table above, without those at the value that
    /// is meant if they are left out. The values are not escaped.
    pub fn pairs(&self) -> Vec<(&'static str, String)> {
        let mut pairs = vec![("exercise", VERSION.to_string())];
        match &self.source {
            Source::Document { doc, name } => pairs.extend([("doc", doc.clone()), ("name", name.clone())]),
            Source::Seed { seed, difficulty } => {
                pairs.push(("seed", seed.to_string()));
                if *difficulty != Difficulty::default() {
                    pairs.push(("difficulty", difficulty.number().to_string()));
                }
            }
            Source::Board | Source::Lessons => {}
        }
        let option = |(key, value): (&String, &String)| format!("{}:{}", part(key), part(value));
        let hidden: Vec<&str> = self.hide.iter().map(|hidden| hidden.name()).collect();
        pairs.extend([
            ("plan", self.planner.clone()),
            ("opt", self.options.iter().map(option).collect::<Vec<_>>().join(",")),
            ("kind", self.kind.name().into()),
            ("f", self.frame.map(|frame| frame.to_string()).unwrap_or_default()),
            ("ask", self.ask.clone()),
            ("beat", self.beat.map(ratio_text).unwrap_or_default()),
            ("most", self.most.map(ratio_text).unwrap_or_default()),
            ("template", self.template.clone()),
            ("hide", hidden.join(",")),
            ("help", if self.help == Help::None { "" } else { self.help.name() }.into()),
            ("pass", if self.pass == self.of { String::new() } else { self.pass.to_string() }),
            ("of", self.of.to_string()),
            ("tries", self.tries.map(|tries| tries.to_string()).unwrap_or_default()),
            ("bits", if self.bits { "1" } else { "" }.into()),
            ("id", self.id.clone()),
            ("lang", self.lang.map_or("", Locale::name).into()),
        ]);
        pairs.retain(|(_, value)| !value.is_empty());
        pairs
    }

    /// The canonical text: the fragment without `#`.
    pub fn write(&self) -> String {
        joined(self.pairs().iter())
    }

    /// The fingerprint: equal for links that ask the same, whatever they are called and in whatever
    /// language.
    pub fn fingerprint(&self) -> u32 {
        let pairs = self.pairs();
        fnv1a(joined(pairs.iter().filter(|(key, _)| !matches!(*key, "id" | "lang"))).as_bytes())
    }
}

fn joined<'a>(pairs: impl Iterator<Item = &'a (&'static str, String)>) -> String {
    let pairs: Vec<String> = pairs.map(|(key, value)| format!("{key}={}", escape(value))).collect();
    pairs.join("&")
}

/// FNV-1a with 32 bits.
pub(super) fn fnv1a(bytes: &[u8]) -> u32 {
    bytes.iter().fold(2_166_136_261, |hash: u32, &byte| (hash ^ u32::from(byte)).wrapping_mul(16_777_619))
}

/// A ratio in hundredths as links and tables write it: `1.82`.
pub fn ratio_text(hundredths: u16) -> String {
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

/// Ratios that can be asked for, in hundredths: no plan is below its bound.
pub const RATIOS: std::ops::RangeInclusive<u16> = 100..=9_999;

/// Reads the ratio of a key, with up to two decimals.
///
/// # Errors
/// [`LinkFault::Value`].
pub fn read_ratio(key: &'static str, text: &str) -> Result<u16, LinkFault> {
    let (whole, rest) = text.split_once('.').unwrap_or((text, ""));
    let is_plain = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
    let hundredths = || {
        let rest: String = rest.chars().chain("00".chars()).take(2).collect();
        whole.parse::<u16>().ok()?.checked_mul(100)?.checked_add(rest.parse().ok()?)
    };
    let read = (is_plain(whole) && is_plain(rest) && rest.len() <= 2).then(hundredths).flatten();
    let allowed = || format!("{} … {}", ratio_text(*RATIOS.start()), ratio_text(*RATIOS.end()));
    read.filter(|ratio| RATIOS.contains(ratio)).ok_or_else(|| LinkFault::Value {
        key,
        value: text.into(),
        allowed: allowed(),
    })
}

/// The questions of lessons that a link asks, `1.a,2.c`, each with the number of its lesson; none
/// if the text has other parts, or one twice.
pub fn lesson_questions(text: &str) -> Option<Vec<(u32, String)>> {
    let mut found: Vec<(u32, String)> = Vec::new();
    for part in text.split(',') {
        let (lesson, id) = part.trim().split_once('.')?;
        let lesson = lesson.parse().ok().filter(|lesson| (1..=99).contains(lesson))?;
        let is_id =
            !id.is_empty() && id.len() <= 16 && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        let question = (lesson, id.to_string());
        if !is_id || found.contains(&question) {
            return None;
        }
        found.push(question);
    }
    Some(found)
}

/// Where students make the buffers, or lessons have them, a link has none.
fn no_source(given: [Option<String>; 4], other: &'static str, source: Source) -> Result<Source, LinkFault> {
    let keys = ["doc", "name", "seed", "difficulty"];
    match keys.into_iter().zip(given).find(|(_, value)| value.is_some()) {
        Some((key, _)) => Err(LinkFault::Both(key, other)),
        None => Ok(source),
    }
}

fn source(
    doc: Option<String>,
    name: Option<String>,
    seed: Option<String>,
    difficulty: Option<String>,
) -> Result<Source, LinkFault> {
    match (doc, seed) {
        (Some(_), Some(_)) => Err(LinkFault::Both("doc", "seed")),
        (None, None) => Err(LinkFault::Missing("doc")),
        (None, Some(seed)) => {
            if name.is_some() {
                return Err(LinkFault::Both("name", "seed"));
            }
            let difficulty = difficulty.map_or(Ok(Difficulty::default()), |value| {
                let number = whole("difficulty", &value, 1, 3)?;
                Ok(Difficulty::new(number as u8).unwrap_or_default())
            })?;
            Ok(Source::Seed { seed: whole("seed", &seed, 0, MAX_SEED)?, difficulty })
        }
        (Some(doc), None) => {
            if difficulty.is_some() {
                return Err(LinkFault::Both("difficulty", "doc"));
            }
            let form = doc.split_once(':').map(|(form, _)| form);
            match form {
                Some("z") => Ok(Source::Document { doc, name: name.unwrap_or_default() }),
                Some("ex" | "url") if name.is_some() => Err(LinkFault::Both("name", "doc")),
                Some("ex" | "url") => Ok(Source::Document { doc, name: String::new() }),
                _ => Err(LinkFault::Value { key: "doc", value: doc, allowed: "ex:…, z:…, url:…".into() }),
            }
        }
    }
}

fn read_options(text: String) -> Result<BTreeMap<String, String>, LinkFault> {
    let refused = || LinkFault::Value { key: "opt", value: text.clone(), allowed: "key:value, …".into() };
    let pair = |word: &str| {
        let (key, value) = word.split_once(':').ok_or_else(refused)?;
        Ok((unescape(key), unescape(value)))
    };
    text.split(',').filter(|word| !word.is_empty()).map(pair).collect()
}

fn read_hidden(text: String) -> Result<BTreeSet<Hidden>, LinkFault> {
    text.split(',')
        .filter(|word| !word.is_empty())
        .map(|word| named("hide", word, &Hidden::ALL, Hidden::name))
        .collect()
}

#[cfg(test)]
mod tests;
