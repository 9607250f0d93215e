//! Recordings of contracts: what other programs, links and habits rely on. `UPDATE_CONTRACTS=1`
//! writes them anew.

#![allow(dead_code, reason = "each program uses a part")]

use std::collections::BTreeSet;
use std::path::PathBuf;

/// The rule that a failing test quotes.
const RULE: &str = "this is a contract: other programs, links or habits rely on it, so it may only be extended. \
    If the change is meant, UPDATE_CONTRACTS=1 writes the recording anew";

/// Returns the path of a recording.
pub fn path(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("tests/data/contracts").join(name)
}

/// Returns true if recordings are written anew.
pub fn is_updating() -> bool {
    std::env::var_os("UPDATE_CONTRACTS").is_some()
}

/// Returns the text of a recording.
pub fn read(name: &str) -> String {
    std::fs::read_to_string(path(name)).unwrap_or_else(|error| panic!("{}: {error}", path(name).display()))
}

/// Writes a recording.
pub fn write(name: &str, text: &str) {
    std::fs::write(path(name), text).unwrap_or_else(|error| panic!("{}: {error}", path(name).display()));
}

/// Fails if entries of a recording changed: each is a line that says what was recorded and what
/// there is now.
#[track_caller]
pub fn unchanged(name: &str, changed: &[String]) {
    let shown = changed.join("\n");
    assert!(changed.is_empty(), "{}: {} changed\n{shown}\n{RULE}.", path(name).display(), changed.len());
}

/// Fails if a line of a recording, which has `least` lines or more, is not among those of now.
/// Further lines of now are extensions.
#[track_caller]
pub fn extends(name: &str, least: usize, now: &BTreeSet<String>) {
    if is_updating() {
        write(name, &now.iter().map(|line| format!("{line}\n")).collect::<String>());
    }
    let text = read(name);
    let recorded: BTreeSet<&str> = text.lines().collect();
    assert!(recorded.len() >= least, "{}: {} lines, not {least}", path(name).display(), recorded.len());
    let lost = recorded.iter().filter(|line| !now.contains(**line));
    let mut changed: Vec<String> = lost.map(|line| format!("  no longer there: {line}")).collect();
    if !changed.is_empty() {
        let new = now.iter().filter(|line| !recorded.contains(line.as_str()));
        changed.extend(new.take(20).map(|line| format!("  not recorded:    {line}")));
    }
    unchanged(name, &changed);
}
