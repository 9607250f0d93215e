//! The code blocks of recipes: the changes of files that they describe.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// What the copy does without, at the top of the source.
const LEFT_OUT: [&str; 6] = [".git", ".github", "target", "dist", "fuzz", "node_modules"];

/// Where the sentences lie.
pub const LOCALES: &str = "crates/core/locales/";

/// Contents of files by path.
pub type Files = BTreeMap<String, Vec<u8>>;

/// A code block of the recipe that says which file it belongs to.
#[derive(PartialEq, Debug)]
pub struct Block<'a> {
    pub language: &'a str,
    pub path: &'a str,
    pub lines: Vec<&'a str>,
}

/// Returns the code blocks with a path: ```` ```LANGUAGE PATH ````.
pub fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(info) = line.strip_prefix("```") else { continue };
        let inside: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        if let Some((language, path)) = info.split_once(' ') {
            blocks.push(Block { language, path, lines: inside });
        }
    }
    blocks
}

/// Returns the part of a document below a heading, up to the next heading of the same level.
pub fn part<'a>(text: &'a str, heading: &str) -> &'a str {
    let below = text.split(&format!("\n## {heading}\n")).nth(1).and_then(|rest| rest.split("\n## ").next());
    below.unwrap_or_else(|| panic!("no heading {heading}"))
}

/// Makes the change that a block describes: a `diff` replaces lines that occur once, sentences are
/// sorted into their file, and any other block is a new file.
pub fn apply(block: &Block, files: &mut Files) {
    let path = block.path;
    let old = files.get(path).map(|bytes| String::from_utf8(bytes.clone()).expect("text"));
    let new = match (block.language, old) {
        ("diff", Some(old)) => {
            let with = |sign: char| -> String {
                let kept = block.lines.iter().filter(|line| line.starts_with([' ', sign]));
                kept.map(|line| format!("{}\n", &line[1..])).collect()
            };
            let (from, to) = (with('-'), with('+'));
            assert_eq!(old.matches(&from).count(), 1, "{path} has these lines once:\n{from}");
            old.replace(&from, &to)
        }
        ("json", Some(old)) if path.starts_with(LOCALES) => {
            block.lines.iter().fold(old, |text, line| with_sentence(&text, line))
        }
        (_, Some(_)) => panic!("{path} exists: show what changes as a diff"),
        (_, None) => block.lines.iter().map(|line| format!("{line}\n")).collect(),
    };
    files.insert(path.to_string(), new.into_bytes());
}

/// Inserts `"key": "sentence",` before the first key that sorts after it.
fn with_sentence(text: &str, sentence: &str) -> String {
    fn key(line: &str) -> Option<&str> {
        line.trim_start().strip_prefix('"')?.split('"').next()
    }
    let own = key(sentence).unwrap_or_else(|| panic!("no key: {sentence}"));
    let next = text.lines().find(|line| key(line).is_some_and(|other| other > own)).expect("a later key");
    assert!(!text.contains(&format!("\"{own}\"")), "{own} is there already");
    text.replacen(next, &format!("{sentence}\n{next}"), 1)
}

/// Reads the files below a folder, without what a copy of the source does without; `root` is left
/// out of their paths.
pub fn read_all(root: &Path, folder: &Path, files: &mut Files) {
    for entry in fs::read_dir(folder).expect("readable") {
        let path = entry.expect("readable").path();
        let inside = path.strip_prefix(root).expect("below the root").to_str().expect("a plain name").to_string();
        if LEFT_OUT.contains(&inside.as_str()) {
            continue;
        }
        if path.is_dir() {
            read_all(root, &path, files);
        } else {
            files.insert(inside, fs::read(&path).expect("readable"));
        }
    }
}
