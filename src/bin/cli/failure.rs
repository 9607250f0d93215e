//! How a command ends when it does not succeed, and how messages are said on a terminal.

use std::io::{self, Write};
use std::process::ExitCode;

use memplan::base::{Message, Unit};
use memplan::graph::Fault;
use memplan::text::{Locale, Speech};

pub enum Failure {
    /// The plan breaks rules, which have been listed.
    InvalidPlan,
    /// The input or the command cannot be used, for all of these reasons.
    Unusable(Vec<String>),
    /// A search ended without a plan, for this reason.
    NoPlan(String),
    /// Nobody reads the output any more.
    Closed,
}

impl Failure {
    pub fn because(message: &Message) -> Failure {
        Failure::Unusable(vec![say(message)])
    }

    /// All faults of a file, one a line, each after its place.
    pub fn faults(faults: &[Fault]) -> Failure {
        Failure::Unusable(faults.iter().map(line).collect())
    }

    pub fn report(self) -> ExitCode {
        match self {
            Failure::InvalidPlan => ExitCode::from(1),
            Failure::Unusable(reasons) => {
                reasons.iter().for_each(|reason| note(reason));
                ExitCode::from(2)
            }
            Failure::NoPlan(reason) => {
                note(&reason);
                ExitCode::from(3)
            }
            Failure::Closed => ExitCode::SUCCESS,
        }
    }
}

impl From<io::Error> for Failure {
    /// A failed write to standard output.
    fn from(error: io::Error) -> Failure {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Failure::Closed;
        }
        Failure::because(&Message::new("cli.cannot-write").text("path", "-").text("reason", error.to_string()))
    }
}

/// The sentence of a message, sizes in bytes. The thin spaces of pages are left out of figures, so that they can be searched
/// for, and plain spaces elsewhere.
pub fn say(message: &Message) -> String {
    let sentence = Speech { locale: Locale::En, unit: Unit::B }.say(message);
    let mut text = String::with_capacity(sentence.len());
    let mut characters = sentence.chars().peekable();
    while let Some(character) = characters.next() {
        let in_figure = text.ends_with(|last: char| last.is_ascii_digit())
            && characters.peek().is_some_and(|next| next.is_ascii_digit());
        match character {
            '\u{2009}' if in_figure => {}
            '\u{2009}' => text.push(' '),
            other => text.push(other),
        }
    }
    text
}

/// A fault or warning with its place in front.
pub fn line(fault: &Fault) -> String {
    let words = say(&fault.message);
    if fault.path.is_empty() { words } else { format!("{}: {words}", fault.path) }
}

/// A line on standard error; if nobody listens, there is nobody to tell.
pub fn note(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}
