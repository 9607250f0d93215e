//! Exit codes of commands: `tests/data/contracts/exit-codes.txt` has a code and a command a line.

use std::collections::BTreeSet;

use super::program::Place;
use crate::contract;

const NAME: &str = "exit-codes.txt";

#[test]
fn commands_end_with_the_codes_that_are_recorded() {
    let recorded = contract::read(NAME);
    // A folder for all: a command may read what one before it wrote.
    let place = Place::new();
    let (mut now, mut changed, mut codes) = (String::new(), Vec::new(), BTreeSet::new());
    for line in recorded.lines() {
        let Some((code, command)) = line.split_once(' ').filter(|_| !line.starts_with('#')) else {
            now += &format!("{line}\n");
            continue;
        };
        let output = place.run(command);
        let found = output.status.code().map_or_else(|| "signal".to_string(), |code| code.to_string());
        now += &format!("{found} {command}\n");
        if code != found {
            let why = String::from_utf8_lossy(&output.stderr);
            changed.push(format!("  {command}\n    recorded {code}, now {found}: {why}"));
        }
        codes.insert(found);
    }
    if contract::is_updating() {
        return contract::write(NAME, &now);
    }
    contract::unchanged(NAME, &changed);
    // Each of the documented codes is reached.
    let document = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/command-line.md"));
    let document = document.expect("a document");
    let (_, table) = document.split_once("## Exit codes").expect("a section");
    let documented: BTreeSet<String> = table
        .lines()
        .filter_map(|line| line.strip_prefix("* ")?.split_once(": "))
        .map(|(code, _)| code.to_string())
        .collect();
    assert_eq!(codes, documented, "codes of {NAME}, and of docs/command-line.md");
}
