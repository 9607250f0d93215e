//! Planners of users: `--planner mine.rhai`, `--planner 'exec:python3 mine.py'`, and
//! `--planner answer:FILE` for an answer that was computed before.
//!
//! They are registered from what the user typed and nowhere else, so no file, link or tool call
//! starts a program.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use memplan_core::base::Message;
use memplan_own::{Answering, Own};
use memplan_planners::{OptionKind, OptionSpec, registered};

use super::error::CliError;
use super::input::{cannot_read, file_name};
use super::process::{collected, finished, wait};

/// Begins a command that plans.
pub const COMMAND: &str = "exec:";

/// Begins the path of an answer of `memory-problem/1`.
const ANSWER: &str = "answer:";

/// Ending of the path of a program in Rhai.
const CODE: &str = ".rhai";

/// Variable that forbids them, for programs which pass on what others ask for.
pub const VARIABLE: &str = "MEMPLAN_OWN_PLANNERS";

/// Its value that does so.
pub const FORBIDDEN: &str = "no";

/// Longest answer, in bytes.
const MAX_ANSWER: u64 = 256 << 20;

/// Most bytes of an error that are shown.
const MAX_ERROR: usize = 1000;

/// Option of a command: seconds after which it is ended.
const SECONDS: OptionSpec =
    OptionSpec { key: "seconds", original: "seconds", kind: OptionKind::Whole { min: 1, max: 86_400 }, default: "10" };

/// Splits a planner from its options at the first semicolon outside of quotation marks.
pub fn split(text: &str) -> (&str, &str) {
    let mut quote = None;
    for (at, letter) in text.char_indices() {
        match (quote, letter) {
            (Some(open), _) if open == letter => quote = None,
            (None, '"' | '\'') if text.starts_with(COMMAND) => quote = Some(letter),
            (None, ';') => return (&text[..at], &text[at + 1..]),
            _ => {}
        }
    }
    (text, "")
}

/// Registers the planner that an id names, if it is one of the user; `keys` are those of the
/// options that were given to it.
///
/// # Errors
/// Its file or program cannot be used, or own planners are forbidden.
pub fn register<'a>(id: &str, keys: impl Iterator<Item = &'a str>) -> Result<(), CliError> {
    let (command, answer) = (id.strip_prefix(COMMAND), id.strip_prefix(ANSWER));
    if command.is_none() && answer.is_none() && !id.ends_with(CODE) {
        return Ok(());
    }
    may_run(id)?;
    let text = |path: &str| {
        let unreadable = |error: std::io::Error| cannot_read(Path::new(path), &error.to_string());
        std::fs::read_to_string(path).map_err(unreadable)
    };
    let name = Path::new(id).file_name().map_or_else(|| id.into(), |name| name.to_string_lossy());
    let own = match (command, answer) {
        (Some(command), _) => {
            let words = words(command);
            if words.is_empty() {
                return Err(CliError::because(&Message::new("cli.own-exec-empty")));
            }
            let mut options = vec![SECONDS];
            for key in keys {
                if options.iter().all(|spec| spec.key != key) {
                    options.push(Own::option(key));
                }
            }
            Own::of_answers(id, id, options, asking(words))
        }
        (None, Some(path)) => {
            let answer = text(path)?;
            Own::of_answers(id, &file_name(Path::new(path)), Vec::new(), Box::new(move |_, _| Ok(answer.clone())))
        }
        (None, None) => Own::of_code(id, &name, text(id)?).map_err(|message| CliError::because(&message))?,
    };
    registered::register(Box::new(own));
    Ok(())
}

/// Checks that this run may use a planner of the user's.
///
/// # Errors
/// Own planners are forbidden.
pub fn may_run(id: &str) -> Result<(), CliError> {
    match std::env::var(VARIABLE) {
        Ok(value) if value == FORBIDDEN => {
            Err(CliError::because(&Message::new("cli.own-forbidden").text("planner", id)))
        }
        _ => Ok(()),
    }
}

/// The words of a command. Quotation marks keep blanks together; nothing else has a meaning,
/// because no shell reads the command.
fn words(command: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for letter in command.chars() {
        match (quote, letter) {
            (Some(open), _) if open == letter => quote = None,
            (Some(_), _) => word.get_or_insert_default().push(letter),
            (None, '"' | '\'') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, _) if letter.is_whitespace() => words.extend(word.take()),
            (None, _) => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

/// Asks a command: the problem on standard input, the answer on standard output.
fn asking(words: Vec<String>) -> Answering {
    Box::new(move |problem, options| {
        let failed =
            |error: std::io::Error| Message::new("own-planner.program-start").text("reason", error.to_string());
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(failed)?;
        let (input, text) = (child.stdin.take(), problem.to_string());
        // A program need not read its problem to the end.
        thread::spawn(move || input.map(|mut input| input.write_all(text.as_bytes())));
        let answer = collected(child.stdout.take(), MAX_ANSWER + 1);
        let errors = collected(child.stderr.take(), MAX_ANSWER);
        let limit = Duration::from_secs(options.whole(SECONDS.key));
        let late = || Message::new("own-planner.program-late").count("seconds", limit.as_secs());
        let status = wait(&mut child, limit).map_err(failed)?.ok_or_else(late)?;
        if !status.success() {
            let errors = finished(errors, limit).ok_or_else(late)?;
            let key = if status.code().is_some() { "own-planner.program-code" } else { "own-planner.program-signal" };
            let code = status.code().map_or_else(String::new, |code| code.to_string());
            let message = Message::new(key).text("stderr", last_lines(&String::from_utf8_lossy(&errors)));
            return Err(if code.is_empty() { message } else { message.text("code", code) });
        }
        let answer = finished(answer, limit).ok_or_else(late)?;
        let answer = String::from_utf8(answer).ok().filter(|answer| answer.len() as u64 <= MAX_ANSWER);
        answer.ok_or_else(|| Message::new("own-planner.program-text").count("n", MAX_ANSWER))
    })
}

/// The end of what a program wrote, where the reason stands.
fn last_lines(text: &str) -> String {
    let text = text.trim();
    let cut = (text.len().saturating_sub(MAX_ERROR)..).find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    if cut == 0 { text.to_string() } else { format!("…{}", &text[cut..]) }
}
