//! Floor 0: messages → words. Every sentence a user sees is in `www/locales/{en,zh}.json`; the two files have equal keys and
//! arguments (`tests/words.rs`).
//!
//! Sentences are templates: `{name}` inserts an argument, `{n|child|children}` the first word when count `n` is 1 and the
//! second otherwise, `[[…]]` marks the words that name what happened.

use std::collections::HashMap;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use crate::base::{Arg, Message, Unit, exact};

/// A language of the interface.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Locale {
    /// English.
    #[default]
    En,
    /// Simplified Chinese.
    Zh,
}

impl Locale {
    /// All languages in the order of declaration.
    pub const ALL: [Locale; 2] = [Locale::En, Locale::Zh];

    /// The language tag for `lang` attributes.
    pub const fn tag(self) -> &'static str {
        match self {
            Locale::En => "en",
            Locale::Zh => "zh-CN",
        }
    }

    /// The short name in links.
    pub const fn name(self) -> &'static str {
        match self {
            Locale::En => "en",
            Locale::Zh => "zh",
        }
    }

    /// The language of a tag such as `zh-TW` or `en_GB`; English for all others.
    pub fn from_tag(tag: &str) -> Locale {
        if tag.to_ascii_lowercase().starts_with("zh") { Locale::Zh } else { Locale::En }
    }

    /// What the language calls itself.
    pub const fn own_name(self) -> &'static str {
        match self {
            Locale::En => "English",
            Locale::Zh => "中文",
        }
    }

    /// The words of a language. Native programs and the engine, which writes files and answers other pages, carry them; the page
    /// fetches those of the languages that it speaks and hands them to [`Locale::learn`].
    fn table(self) -> Option<&'static HashMap<String, String>> {
        let cell = &WORDS[self as usize];
        #[cfg(any(not(target_arch = "wasm32"), feature = "engine"))]
        cell.get_or_init(|| {
            let text = match self {
                Locale::En => include_str!("../../www/locales/en.json"),
                Locale::Zh => include_str!("../../www/locales/zh.json"),
            };
            // The tests read the files: an unreadable one shows keys instead of words.
            serde_json::from_str(text).unwrap_or_default()
        });
        cell.get()
    }

    /// Takes the text of the language's file; whether it could be read. Words once known stay.
    pub fn learn(self, json: &str) -> bool {
        let Ok(words) = serde_json::from_str(json) else { return false };
        WORDS[self as usize].get_or_init(|| words);
        true
    }

    /// Whether the words of the language are known.
    pub fn is_known(self) -> bool {
        self.table().is_some()
    }

    /// The template of a key: from another language where this one is not known, the key itself where the files lack it, so
    /// that a gap is seen (`tests/words.rs` keeps it from happening).
    pub fn template(self, key: &str) -> &str {
        let tables = [self, Locale::En, Locale::Zh].into_iter().filter_map(Locale::table);
        tables.filter_map(|table| table.get(key)).next().map_or(key, String::as_str)
    }

    /// Whether the locale files have words for a key.
    pub fn has(key: &str) -> bool {
        Locale::ALL.into_iter().filter_map(Locale::table).any(|table| table.contains_key(key))
    }

    /// All keys of this language, sorted.
    pub fn keys(self) -> Vec<&'static str> {
        let mut keys: Vec<&str> = self.table().into_iter().flatten().map(|(key, _)| key.as_str()).collect();
        keys.sort_unstable();
        keys
    }
}

/// The words of each language, by its place in [`Locale::ALL`].
static WORDS: [OnceLock<HashMap<String, String>>; 2] = [const { OnceLock::new() }; 2];

/// A part of a sentence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Piece {
    /// Plain words.
    Words(String),
    /// The words of the conclusion, shown in bold.
    Strong(String),
    /// The name of an object: a link to it.
    Name(String),
}

/// Language and unit in which messages are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Speech {
    /// The language.
    pub locale: Locale,
    /// The unit in which sizes are shown.
    pub unit: Unit,
}

impl Speech {
    /// A key without arguments.
    pub fn word(self, key: &str) -> String {
        self.locale.template(key).to_string()
    }

    /// The sentence as plain text.
    pub fn say(self, message: &Message) -> String {
        let mut text = String::new();
        for piece in self.pieces(message) {
            match piece {
                Piece::Words(words) | Piece::Strong(words) | Piece::Name(words) => text.push_str(&words),
            }
        }
        text
    }

    /// The sentence with its names and its strong words apart.
    pub fn pieces(self, message: &Message) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut strong = false;
        let mut rest = self.locale.template(&message.key);
        while !rest.is_empty() {
            let next = ["{", "[[", "]]"].iter().filter_map(|mark| rest.find(mark).map(|at| (at, *mark))).min();
            let Some((at, mark)) = next else {
                push(&mut pieces, strong, rest.to_string());
                break;
            };
            push(&mut pieces, strong, rest[..at].to_string());
            rest = &rest[at + mark.len()..];
            match mark {
                "[[" => strong = true,
                "]]" => strong = false,
                _ => {
                    let end = rest.find('}').unwrap_or(rest.len());
                    self.insert(&mut pieces, strong, &rest[..end], message);
                    rest = rest.get(end + 1..).unwrap_or_default();
                }
            }
        }
        pieces
    }

    fn insert(self, pieces: &mut Vec<Piece>, strong: bool, slot: &str, message: &Message) {
        let mut parts = slot.split('|');
        let name = parts.next().unwrap_or_default();
        let Some(arg) = message.arg(name) else { return };
        if let (Some(one), Some(other)) = (parts.next(), parts.next()) {
            let single = matches!(arg, Arg::Count(1));
            return push(pieces, strong, if single { one } else { other }.to_string());
        }
        match arg {
            Arg::Name(name) => pieces.push(Piece::Name(name.clone())),
            Arg::Names(names) => {
                for (index, name) in names.iter().enumerate() {
                    if index > 0 {
                        push(pieces, strong, self.word("list.separator"));
                    }
                    pieces.push(Piece::Name(name.clone()));
                }
            }
            Arg::Inner(inner) => pieces.extend(self.pieces(inner)),
            plain => push(pieces, strong, self.plain(plain)),
        }
    }

    fn plain(self, arg: &Arg) -> String {
        match arg {
            Arg::Text(text) | Arg::Name(text) => text.clone(),
            Arg::Count(count) => exact(*count),
            Arg::Bytes(bytes) => self.bytes(*bytes),
            Arg::Address(address) if self.unit.for_value(*address) == self.unit => self.unit.figure(*address),
            Arg::Address(address) => self.bytes(*address),
            Arg::Live(start, end) => live(*start, *end),
            Arg::Span(from, to) => {
                let unit = self.unit.for_value(*to);
                // Far up a short range would begin where it ends.
                let is_short = from < to && unit.figure(*from) == unit.figure(*to);
                let unit = if is_short { self.unit.for_value(to - from) } else { unit };
                format!("{}–{}", unit.figure(*from), unit.words(*to))
            }
            Arg::Names(names) => names.join(&self.word("list.separator")),
            Arg::Inner(inner) => self.say(inner),
        }
    }

    /// A range of addresses in a column of a table, in the unit of the document: `1 024–1 736`. A range that this unit is
    /// too coarse for has the unit of its length beside it: `102.4–104.4 KiB`.
    pub fn span(self, from: u64, to: u64) -> String {
        let unit = self.unit.for_value(to.saturating_sub(from));
        if unit == self.unit || to <= from {
            return format!("{}–{}", self.unit.figure(from), self.unit.figure(to));
        }
        format!("{}–{}", unit.figure(from), unit.words(to))
    }

    /// Bytes in a sentence or a label: in the unit of the document unless a smaller one reads better.
    pub fn bytes(self, bytes: u64) -> String {
        self.unit.for_value(bytes).words(bytes)
    }

    /// Bytes in a column of a table: in the unit of the document, so that the column has one.
    pub fn column(self, bytes: u64) -> String {
        self.unit.words(bytes)
    }
}

/// A half-open live range: `[36, 38)`.
pub fn live(start: u32, end: u32) -> String {
    format!("[{start},\u{202f}{end})")
}

fn push(pieces: &mut Vec<Piece>, strong: bool, words: String) {
    if words.is_empty() {
        return;
    }
    match (pieces.last_mut(), strong) {
        (Some(Piece::Words(last)), false) | (Some(Piece::Strong(last)), true) => last.push_str(&words),
        (_, false) => pieces.push(Piece::Words(words)),
        (_, true) => pieces.push(Piece::Strong(words)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_values_get_a_unit_of_their_own_and_spans_carry_one() {
        let speech = Speech { locale: Locale::En, unit: Unit::MiB };
        let sentence = |arg: Arg| speech.say(&Message::new("panel.value").with("value", arg)).replace('\u{202f}', " ");
        assert_eq!(sentence(Arg::Bytes(4)), "4 B");
        assert_eq!(sentence(Arg::Bytes(3 << 19)), "1.5 MiB");
        assert_eq!(sentence(Arg::Span(0, 3 << 20)), "0–3 MiB");
        assert_eq!(sentence(Arg::Span(64, 1088)), "0.06–1.06 KiB");
        assert_eq!(sentence(Arg::Span(4 << 20, (4 << 20) + 64)), "4 194 304–4 194 368 B");
        // Next to an axis figures have no unit, except those that need a smaller one.
        assert_eq!(sentence(Arg::Address(1 << 20)), "1");
        assert_eq!(sentence(Arg::Address(64)), "64 B");
        // A column keeps the unit of the document.
        assert_eq!(speech.column(4).replace('\u{202f}', " "), "0.0000038 MiB");
        // So does a range in one, unless it would have no length.
        let span = |from, to| speech.span(from, to).replace('\u{202f}', " ");
        assert_eq!(span(1 << 20, 3 << 20), "1–3");
        assert_eq!(span(100 << 10, 102 << 10), "100–102 KiB");
        assert_eq!(span(1024, 1024), "0.00098–0.00098");
    }
}
