//! Errors of commands and their exit codes, and messages on the terminal.

use std::borrow::Cow;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use memplan_core::base::shown::visible;
use memplan_core::base::{Arg, Message};
use memplan_core::graph::Fault;
use memplan_core::text::{Locale, Speech};
use memplan_engine::api::{ApiError, Code};
use memplan_formats::import::Document;

use super::status;

/// Faults or warnings of one kind that are written in full; of the others, only what they are
/// about.
const MOST_ALIKE: usize = 3;

/// Names that one line lists.
const MOST_NAMES: usize = 40;

/// Whether notes, warnings and progress are wanted.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Why a command fails.
pub enum CliError {
    /// The plan is invalid; the violations have been printed.
    InvalidPlan,
    /// A program that is judged does not pass; the verdict has been printed.
    NotRight,
    /// A peak rose above the limit; the message has been printed.
    Regression,
    /// The input or the command is unusable, for these reasons.
    Unusable(Vec<String>),
    /// A search ended without a plan, for this reason.
    NoPlan(String),
    /// It is proved that nothing fits; the result has been printed.
    OutOfReach,
    /// Nothing that fits was found; the result has been printed.
    NotFound,
    /// The file may be misread, for this reason: nothing was written or proved.
    Misread(String),
}

impl CliError {
    /// Returns the error with this one reason.
    pub fn because(message: &Message) -> CliError {
        CliError::Unusable(vec![say(message)])
    }

    /// Returns the same with every size in the unit that suits it.
    pub fn readable(message: &Message) -> CliError {
        CliError::Unusable(vec![say_readable(message)])
    }

    /// Returns the error of a file with faults: a line for each, which begins with its place, but
    /// only one for all after the first few of a kind.
    pub fn faults(faults: &[Fault]) -> CliError {
        CliError::Unusable(first_of_a_kind(faults, "cli.alike-faults"))
    }

    /// Returns the error with the path of its file before each reason, for commands that read
    /// several files.
    pub fn of_file(self, file: &str) -> CliError {
        let of_file = |reason: String| format!("{file}: {reason}");
        match self {
            CliError::Unusable(reasons) => CliError::Unusable(reasons.into_iter().map(of_file).collect()),
            CliError::NoPlan(reason) => CliError::NoPlan(of_file(reason)),
            CliError::Misread(reason) => CliError::Misread(of_file(reason)),
            other => other,
        }
    }

    /// Prints the rules that a plan breaks, and returns the error.
    pub fn invalid(violations: &[Message]) -> CliError {
        violations.iter().for_each(|violation| note(&say(violation)));
        note(&say(&Message::new("cli.invalid").count("count", violations.len() as u64)));
        CliError::InvalidPlan
    }

    /// Returns the error of a planner without a plan, of which only the reason is known.
    pub fn of_reason(why: &Message) -> CliError {
        ApiError::of_reason(why).into()
    }

    /// Returns an error if a document may be misread.
    pub fn unless_misread(document: &Document) -> Result<(), CliError> {
        Ok(ApiError::unless_misread(document)?)
    }

    /// Returns the reasons that have not been printed yet.
    pub fn reasons(&self) -> Vec<String> {
        match self {
            CliError::Unusable(reasons) => reasons.clone(),
            CliError::NoPlan(reason) | CliError::Misread(reason) => vec![reason.clone()],
            _ => Vec::new(),
        }
    }

    /// Prints the reasons to standard error and returns the exit code.
    pub fn report(self) -> ExitCode {
        match self {
            CliError::InvalidPlan | CliError::NotRight | CliError::Regression => ExitCode::from(1),
            CliError::Unusable(reasons) => {
                reasons.iter().for_each(|reason| note(reason));
                ExitCode::from(2)
            }
            CliError::NoPlan(reason) => {
                note(&reason);
                ExitCode::from(3)
            }
            CliError::Misread(reason) => {
                note(&reason);
                ExitCode::from(5)
            }
            CliError::OutOfReach => ExitCode::from(3),
            CliError::NotFound => ExitCode::from(4),
        }
    }
}

impl From<ApiError> for CliError {
    fn from(refusal: ApiError) -> CliError {
        match refusal.code {
            Code::Infeasible | Code::Undecided => CliError::NoPlan(say(&refusal.message)),
            Code::Misread => CliError::Misread(say(&refusal.message)),
            _ if refusal.faults.is_empty() => CliError::because(&refusal.message),
            _ => CliError::faults(&refusal.faults),
        }
    }
}

impl From<io::Error> for CliError {
    /// A failed write to standard output.
    fn from(error: io::Error) -> CliError {
        CliError::because(&Message::new("cli.cannot-print").text("reason", error.to_string()))
    }
}

/// Returns the sentence of a message in English, on one line and without effect on a terminal.
pub fn say(message: &Message) -> String {
    visible(&memplan_engine::api::say(&for_a_command(message), Locale::En)).into_owned()
}

/// Returns a message whose sentence names the option where another names a place on the page.
fn for_a_command(message: &Message) -> Cow<'_, Message> {
    let key = match &*message.key {
        "fault.extent-value" => "cli.extent-value",
        "fault.unsized" | "api.unsized" => "cli.unsized",
        "api.no-plan" => "cli.no-own-plan",
        "fact.onnx-folded" => "cli.onnx-folded",
        "warning.onnx-type" => "cli.onnx-type",
        "warning.onnx-no-type" => "cli.onnx-no-type",
        "warning.shapes-unknown" => "cli.shapes-unknown",
        _ => return Cow::Borrowed(message),
    };
    Cow::Owned(message.clone().renamed(key))
}

/// Returns the same with every size in the unit that suits it.
pub fn say_readable(message: &Message) -> String {
    visible(&Speech { locale: Locale::En, ..Speech::default() }.say(&for_a_command(message))).into_owned()
}

/// Returns faults or warnings as lines. Where many of a kind follow one another, the first are
/// written in full, and one sentence tells what the others are about: hundreds would bury the rest.
pub fn first_of_a_kind<'a>(faults: impl IntoIterator<Item = &'a Fault>, sentence: &'static str) -> Vec<String> {
    let faults: Vec<&Fault> = faults.into_iter().collect();
    let mut lines = Vec::new();
    for alike in faults.chunk_by(|one, next| one.message.key == next.message.key) {
        let (told, rest) = if alike.len() > MOST_ALIKE + 1 { alike.split_at(MOST_ALIKE) } else { (alike, &[][..]) };
        lines.extend(told.iter().map(|fault| line(fault)));
        if !rest.is_empty() {
            let mut names: Vec<&str> = rest.iter().take(MOST_NAMES).map(|fault| subject(fault)).collect();
            if rest.len() > MOST_NAMES {
                names.push("…");
            }
            let more = Message::new(sentence).count("n", rest.len() as u64);
            lines.push(say(&more.text("names", names.join(", "))));
        }
    }
    lines
}

/// What a fault is about: a name, or a place in the file.
fn subject(fault: &Fault) -> &str {
    match fault.message.arg("name") {
        Some(Arg::Text(name) | Arg::Name(name)) => name,
        _ => &fault.path,
    }
}

/// Returns a fault or warning with its place in front.
fn line(fault: &Fault) -> String {
    let words = say(&fault.message);
    if fault.path.is_empty() { words } else { format!("{}: {words}", visible(&fault.path)) }
}

/// Prints no notes, warnings and progress from here on.
pub fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

pub fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Prints what a user may like to know of a file and can do without; nothing after `--quiet`.
pub fn remark(message: &Message) {
    if !is_quiet() {
        note(&say(message));
    }
}

/// Prints a line to standard error, without effect on the terminal. A closed standard error is
/// ignored.
pub fn note(line: &str) {
    status::erase();
    let _ = writeln!(io::stderr().lock(), "{}", visible(line));
}
