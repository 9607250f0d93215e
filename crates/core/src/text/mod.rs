//! Messages → words. Every sentence a user sees is in `crates/core/locales/{en,zh}.json`; the two
//! files have equal keys and arguments (`tests/native/words.rs`).
//!
//! Sentences are templates: `{name}` inserts an argument, `{n|child|children}` the first word when
//! count `n` is 1 and the second otherwise, `[[…]]` marks the words that name what happened,
//! `((term|words))` words with a definition.

use std::collections::HashMap;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use crate::base::{Arg, Message, Sizes, Term, Unit, exact};

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

    /// The words of a language. Native programs carry them. Programs in the browser fetch those of
    /// the languages that they speak and hand them to [`Locale::learn`].
    fn table(self) -> Option<&'static HashMap<String, String>> {
        let cell = &WORDS[self as usize];
        #[cfg(not(target_arch = "wasm32"))]
        cell.get_or_init(|| {
            let text = match self {
                Locale::En => include_str!("../../locales/en.json"),
                Locale::Zh => include_str!("../../locales/zh.json"),
            };
            // The tests read the files: an unreadable one shows keys instead of words.
            serde_json::from_str(text).unwrap_or_default()
        });
        cell.get()
    }

    /// The language's file, relative to the programs of the page.
    pub fn file(self) -> String {
        format!("locales/{}.json", self.name())
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

    /// The template of a key: from another language where this one is not known, the key itself
    /// where the files lack it, so that a gap is seen (`tests/native/words.rs` keeps it from
    /// happening).
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
    /// A size, an address or a range of addresses, with all its bytes where the words round them.
    Size {
        /// As it is read: `10.1 MiB`.
        words: String,
        /// All bytes: `10 643 456 B`.
        exact: String,
    },
    /// Words with a definition.
    Term {
        /// What is defined.
        term: Term,
        /// The words as they stand in the sentence.
        words: String,
        /// Whether they belong to the conclusion.
        strong: bool,
    },
    /// The number of a frame: a link to it.
    Frame(u32),
}

/// Language in which messages are written, and how they state sizes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Speech {
    /// The language.
    pub locale: Locale,
    /// How sizes are written.
    pub sizes: Sizes,
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
                Piece::Words(words)
                | Piece::Strong(words)
                | Piece::Name(words)
                | Piece::Term { words, .. }
                | Piece::Size { words, .. } => text.push_str(&words),
                Piece::Frame(frame) => text.push_str(&exact(frame.into())),
            }
        }
        text
    }

    /// The sentence with its names and its strong words apart.
    pub fn pieces(self, message: &Message) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut strong = false;
        let mut rest = self.locale.template(&message.key);
        let units = self.units(rest, message);
        while !rest.is_empty() {
            let next = ["{", "[[", "]]", "(("].iter().filter_map(|mark| rest.find(mark).map(|at| (at, *mark))).min();
            let Some((at, mark)) = next else {
                push(&mut pieces, strong, rest.to_string());
                break;
            };
            push(&mut pieces, strong, rest[..at].to_string());
            rest = &rest[at + mark.len()..];
            match mark {
                "[[" => strong = true,
                "]]" => strong = false,
                "((" => {
                    let end = rest.find("))").unwrap_or(rest.len());
                    pieces.push(defined(&rest[..end], strong));
                    rest = rest.get(end + 2..).unwrap_or_default();
                }
                _ => {
                    let end = rest.find('}').unwrap_or(rest.len());
                    self.insert(&mut pieces, strong, &rest[..end], (message, &units));
                    let is_inner = matches!(message.arg(&rest[..end]), Some(Arg::Inner(_)));
                    rest = rest.get(end + 1..).unwrap_or_default();
                    // What a title ends with is not known here: a number stands apart from Chinese.
                    if is_inner && rest.starts_with(is_ideograph) && pieces.last().is_some_and(ends_in_latin) {
                        push(&mut pieces, strong, " ".into());
                    }
                }
            }
        }
        pieces
    }

    /// The units of the numbers of bytes that a sentence inserts: numbers that differ never read
    /// alike.
    fn units<'m>(self, template: &str, message: &'m Message) -> Vec<(&'m str, Unit)> {
        let is_inserted = |name: &str| template.split('{').skip(1).any(|slot| slot.split('}').next() == Some(name));
        let bytes = message.args.iter().filter_map(|(name, arg)| match arg {
            Arg::Bytes(bytes) | Arg::Address(bytes) if is_inserted(name) => Some((&**name, *bytes)),
            _ => None,
        });
        let (names, values): (Vec<&str>, Vec<u64>) = bytes.unzip();
        names.into_iter().zip(self.sizes.apart(&values)).collect()
    }

    fn insert(self, pieces: &mut Vec<Piece>, strong: bool, slot: &str, (message, units): (&Message, &[(&str, Unit)])) {
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
            Arg::Frames(frames) => {
                for (index, frame) in frames.iter().enumerate() {
                    if index > 0 {
                        push(pieces, strong, self.word("list.separator"));
                    }
                    pieces.push(Piece::Frame(*frame));
                }
            }
            Arg::Inner(inner) => pieces.extend(self.pieces(inner)),
            Arg::Bytes(bytes) | Arg::Address(bytes) => {
                let unit = units.iter().find(|(of, _)| *of == name).map(|(_, unit)| *unit);
                let words = unit.map_or_else(|| self.bytes(*bytes), |unit| unit.words(*bytes));
                push_size(pieces, strong, words, Sizes::Exact.words(*bytes));
            }
            Arg::Span(from, to) => push_size(pieces, strong, self.span(*from, *to), Sizes::Exact.span(*from, *to)),
            plain => push(pieces, strong, self.plain(plain)),
        }
    }

    fn plain(self, arg: &Arg) -> String {
        match arg {
            Arg::Text(text) | Arg::Name(text) => text.clone(),
            Arg::Count(count) => exact(*count),
            Arg::Bytes(bytes) | Arg::Address(bytes) => self.bytes(*bytes),
            Arg::Live(start, end) => live(*start, *end),
            Arg::Span(from, to) => self.span(*from, *to),
            Arg::Names(names) => names.join(&self.word("list.separator")),
            Arg::Frames(frames) => {
                let frames: Vec<String> = frames.iter().map(|&frame| exact(frame.into())).collect();
                frames.join(&self.word("list.separator"))
            }
            Arg::Inner(inner) => self.say(inner),
        }
    }

    /// Returns a range of addresses: `1–1.7 KiB`.
    pub fn span(self, from: u64, to: u64) -> String {
        self.sizes.span(from, to)
    }

    /// Returns a size or an address in the unit that suits it: `10.1 MiB`.
    pub fn bytes(self, bytes: u64) -> String {
        self.sizes.words(bytes)
    }
}

/// A half-open live range: `[36, 38)`.
pub fn live(start: u32, end: u32) -> String {
    format!("[{start},\u{202f}{end})")
}

/// The words of `term|words`. A term without definition is just its words (`tests/native/words.rs`
/// keeps it from happening).
fn defined(marked: &str, strong: bool) -> Piece {
    let (id, words) = marked.split_once('|').unwrap_or(("", marked));
    let words = words.to_string();
    match Term::from_name(id) {
        Some(term) => Piece::Term { term, words, strong },
        None if strong => Piece::Strong(words),
        None => Piece::Words(words),
    }
}

fn is_ideograph(letter: char) -> bool {
    ('\u{4e00}'..='\u{9fff}').contains(&letter)
}

/// Whether a piece ends in a Latin letter or a digit.
fn ends_in_latin(piece: &Piece) -> bool {
    match piece {
        Piece::Words(words)
        | Piece::Strong(words)
        | Piece::Name(words)
        | Piece::Term { words, .. }
        | Piece::Size { words, .. } => words.ends_with(|last: char| last.is_ascii_alphanumeric()),
        Piece::Frame(_) => true,
    }
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

/// A size that its words round has all its bytes beside them.
fn push_size(pieces: &mut Vec<Piece>, strong: bool, words: String, exact: String) {
    if strong || words == exact { push(pieces, strong, words) } else { pieces.push(Piece::Size { words, exact }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spoken(message: &Message) -> String {
        Speech::default().say(message).replace('\u{202f}', " ")
    }

    #[test]
    fn terms_stand_apart_and_are_read_as_their_words() {
        let term = |term, words: &str, strong| Piece::Term { term, words: words.into(), strong };
        assert_eq!(defined("peak|the peak", false), term(Term::Peak, "the peak", false));
        assert_eq!(defined("nothing|the peak", true), Piece::Strong("the peak".into()));
        let message = Message::new("effect.growth").bytes("growth", 4).bytes("peak", 8);
        for locale in Locale::ALL {
            let speech = Speech { locale, ..Speech::default() };
            let pieces = speech.pieces(&message);
            assert!(pieces.iter().any(|piece| matches!(piece, Piece::Term { term: Term::Peak, .. })), "{pieces:?}");
            assert!(!speech.say(&message).contains(['(', '|']), "{}", speech.say(&message));
        }
    }

    #[test]
    fn a_title_that_ends_in_a_number_stands_apart_from_chinese() {
        let speech = Speech { locale: Locale::Zh, ..Speech::default() };
        let said = |pool: Message| speech.say(&Message::new("note.arena-final").inner("pool", pool).bytes("size", 16));
        assert!(said(Message::new("pool.arena-number").count("n", 1_u64)).contains("内存区 1 预留"));
        assert!(said(Message::new("pool.only")).contains("内存区预留"));
    }

    #[test]
    fn every_number_of_a_sentence_has_a_unit_that_suits_it() {
        let sentence = |arg: Arg| spoken(&Message::new("panel.value").with("value", arg));
        assert_eq!(sentence(Arg::Bytes(4)), "4 B");
        assert_eq!(sentence(Arg::Bytes(3 << 19)), "1.5 MiB");
        assert_eq!(sentence(Arg::Span(0, 3 << 20)), "0–3 MiB");
        assert_eq!(sentence(Arg::Address(1 << 20)), "1 MiB");
        let exact = Speech { sizes: Sizes::Exact, ..Speech::default() };
        assert_eq!(exact.say(&Message::new("panel.value").bytes("value", 2048)), "2\u{202f}048\u{202f}B");
    }

    #[test]
    fn different_numbers_of_a_sentence_never_read_alike() {
        let message = |from, to| Message::new("panel.change").bytes("from", from).bytes("to", to);
        let spoken = |from, to| spoken(&message(from, to));
        assert!(spoken(10_643_456, 10_643_456).contains("10.2 MiB"), "{}", spoken(10_643_456, 10_643_456));
        let near = spoken(10_643_456, 10_643_520);
        assert!(near.contains("10 394 KiB") && near.contains("10 394.1 KiB"), "{near}");
        // A number that the sentence leaves out makes none of the others finer.
        let more = message(1 << 30, 1 << 20).bytes("unused", (1 << 30) + 1);
        assert!(Speech::default().say(&more).replace('\u{202f}', " ").contains("1 GiB"));
    }

    #[test]
    fn a_rounded_size_carries_all_its_bytes() {
        let size = |bytes| Speech::default().pieces(&Message::new("panel.value").bytes("value", bytes));
        assert_eq!(size(5), [Piece::Words("5\u{202f}B".into())]);
        let (words, exact) = ("5\u{202f}KiB".into(), "5\u{202f}120\u{202f}B".into());
        assert_eq!(size(5120), [Piece::Size { words, exact }]);
    }
}
