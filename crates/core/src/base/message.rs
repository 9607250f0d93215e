//! Messages: a key of the locale files and its arguments. Rooms below the page make messages; only
//! [`crate::text`] turns them into words, so every sentence exists in every language.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// One argument of a [`Message`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Arg {
    /// Words that come from a file or a source and are never translated.
    Text(String),
    /// The name of a buffer, tensor or node: shown as a link to its object.
    Name(String),
    /// A plain count.
    Count(u64),
    /// A number of bytes.
    Bytes(u64),
    /// An address in bytes.
    Address(u64),
    /// A half-open live range of steps.
    Live(u32, u32),
    /// A half-open range of addresses.
    Span(u64, u64),
    /// Several names.
    Names(Vec<String>),
    /// Numbers of frames: shown as links to them.
    Frames(Vec<u32>),
    /// A message inside a message.
    Inner(Box<Message>),
}

/// A key of the locale files with the arguments its sentence names.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Message {
    /// Key of the sentence in the locale files, such as `fault.missing`.
    pub key: Cow<'static, str>,
    /// Arguments by the names that the sentence uses.
    pub args: Vec<(Cow<'static, str>, Arg)>,
}

impl Message {
    /// A message without arguments.
    pub fn new(key: impl Into<Cow<'static, str>>) -> Self {
        Message { key: key.into(), args: Vec::new() }
    }

    /// Returns another sentence about the same.
    pub fn renamed(self, key: impl Into<Cow<'static, str>>) -> Self {
        Message { key: key.into(), ..self }
    }

    /// Adds an argument of any kind.
    pub fn with(mut self, name: &'static str, arg: Arg) -> Self {
        self.args.push((name.into(), arg));
        self
    }

    /// Adds text that is not translated.
    pub fn text(self, name: &'static str, value: impl Into<String>) -> Self {
        self.with(name, Arg::Text(value.into()))
    }

    /// Adds the name of a buffer, tensor or node.
    pub fn name(self, name: &'static str, value: impl Into<String>) -> Self {
        self.with(name, Arg::Name(value.into()))
    }

    /// Adds a whole number; one below 0 or beyond 64 bits counts as the largest.
    pub fn count(self, name: &'static str, value: impl TryInto<u64>) -> Self {
        self.with(name, Arg::Count(value.try_into().unwrap_or(u64::MAX)))
    }

    /// Adds a size in bytes.
    pub fn bytes(self, name: &'static str, value: u64) -> Self {
        self.with(name, Arg::Bytes(value))
    }

    /// Adds an address in bytes.
    pub fn address(self, name: &'static str, value: u64) -> Self {
        self.with(name, Arg::Address(value))
    }

    /// Adds a live range of steps, `end` not included.
    pub fn live(self, name: &'static str, start: u32, end: u32) -> Self {
        self.with(name, Arg::Live(start, end))
    }

    /// Adds a range of addresses in bytes, `to` not included.
    pub fn span(self, name: &'static str, from: u64, to: u64) -> Self {
        self.with(name, Arg::Span(from, to))
    }

    /// Adds a message that becomes part of the sentence.
    pub fn inner(self, name: &'static str, message: Message) -> Self {
        self.with(name, Arg::Inner(Box::new(message)))
    }

    /// The argument of this name, if the message has one.
    pub fn arg(&self, name: &str) -> Option<&Arg> {
        self.args.iter().find(|(key, _)| key == name).map(|(_, arg)| arg)
    }
}
