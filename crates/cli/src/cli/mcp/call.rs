//! One run of this program for a tool, and its answer in few words.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use memplan_core::base::Message;

use super::folders::Folders;
use crate::cli::error::{CliError, say};
use crate::cli::own;
use crate::cli::process::{collected, wait};

/// Most bytes of an answer: agents pay for every word.
const MOST: usize = 2000;

/// Most bytes that are taken from a run.
const MAX_OUTPUT: u64 = 16 << 20;

/// Starts this program for tools.
pub struct Caller {
    pub folders: Folders,
    program: PathBuf,
    limit: Duration,
}

/// What a run printed.
pub struct Printed {
    /// Its answer.
    pub out: String,
    /// Notes and warnings, or why there is no answer.
    pub notes: String,
    /// The command, as it can be typed.
    pub command: String,
}

impl Caller {
    /// # Errors
    /// The program does not know where it lies.
    pub fn new(folders: Folders, limit: Duration) -> Result<Caller, CliError> {
        let program = std::env::current_exe().map_err(|error| CliError::because(&not_run(&error)))?;
        Ok(Caller { folders, program, limit })
    }

    /// Runs a command.
    ///
    /// # Errors
    /// It takes too long, cannot be used (exit code 2), or may misread its file (5).
    pub fn run(&self, words: &[String]) -> Result<Printed, String> {
        let failed = |error: std::io::Error| say(&not_run(&error));
        let mut command = Command::new(&self.program);
        command.args(words).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // An agent starts no program and runs no code of its own.
        command.env(own::VARIABLE, own::FORBIDDEN);
        let mut child = command.spawn().map_err(failed)?;
        let out = collected(child.stdout.take(), MAX_OUTPUT);
        let notes = collected(child.stderr.take(), MAX_OUTPUT);
        let status = wait(&mut child, self.limit).map_err(failed)?;
        let code = status.map(|status| status.code().unwrap_or(2));
        let text = |collected: thread::JoinHandle<Vec<u8>>| {
            String::from_utf8_lossy(&collected.join().unwrap_or_default()).trim().to_string()
        };
        let (out, notes) = (text(out), text(notes));
        match code {
            None => Err(say(&Message::new("mcp.too-long").count("seconds", self.limit.as_secs()))),
            Some(2 | 5) => Err(short(&notes, MOST).0.trim_end().to_string()),
            Some(_) => Ok(Printed { out, notes, command: typed(words) }),
        }
    }
}

fn not_run(error: &std::io::Error) -> Message {
    Message::new("mcp.not-run").text("reason", error.to_string())
}

/// The command as a shell takes it.
fn typed(words: &[String]) -> String {
    let plain = |word: &str| {
        !word.is_empty() && word.chars().all(|letter| letter.is_alphanumeric() || "-_=./:,@+".contains(letter))
    };
    let quoted = |word: &String| if plain(word) { word.clone() } else { format!("'{}'", word.replace('\'', "'\\''")) };
    std::iter::once("memplan".to_string()).chain(words.iter().map(quoted)).collect::<Vec<_>>().join(" ")
}

/// The first lines of a text with at most so many bytes, and the number of lines left out.
fn short(text: &str, most: usize) -> (String, usize) {
    let mut kept = String::new();
    let mut lines = text.lines();
    for line in lines.by_ref() {
        if kept.len() + line.len() + 1 > most {
            // A first line that is too long alone is cut.
            if kept.is_empty() {
                let end = (0..=most).rev().find(|&at| line.is_char_boundary(at)).unwrap_or(0);
                kept = format!("{}…", &line[..end]);
                return (kept, lines.count());
            }
            return (kept, lines.count() + 1);
        }
        kept += line;
        kept.push('\n');
    }
    (kept, 0)
}

/// An answer of at most [`MOST`] bytes, ended by the command that shows the same and all of it.
pub fn answer(parts: &[&str], command: &str) -> String {
    let parts: Vec<&str> = parts.iter().copied().filter(|part| !part.is_empty()).collect();
    let (mut text, left_out) = short(&parts.join("\n"), MOST.saturating_sub(command.len() + 64));
    if left_out > 0 {
        text += &format!("… {left_out} more lines\n");
    }
    text + "The same: " + command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_short_and_name_the_command() {
        let long = "a line of words\n".repeat(1000);
        let answer = answer(&["first", "", &long], "memplan alive x");
        assert!(answer.len() <= MOST && answer.starts_with("first\na line"), "{}", answer.len());
        assert!(answer.contains(" more lines\n") && answer.ends_with("The same: memplan alive x"), "{answer}");
        let (cut, left_out) = short(&"界".repeat(1000), 100);
        assert_eq!((cut.chars().count(), left_out), (34, 0));
    }

    #[test]
    fn commands_can_be_typed() {
        let words = ["plan", "a b.onnx", "it's", "--planner=beam;k=4"].map(String::from);
        assert_eq!(typed(&words), r"memplan plan 'a b.onnx' 'it'\''s' '--planner=beam;k=4'");
    }
}
