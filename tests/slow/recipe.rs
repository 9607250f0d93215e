//! The recipes "A planner", "A state panel" and "A feature of the page" of docs/contributing.md,
//! followed to the letter in a copy of the source: the code blocks become files, the copy is
//! compiled, the new planner is listed, plans an example, shows its state and passes the tests of
//! the registry, and the feature passes its own tests and keeps the walls.
//!
//! The copy stays below `target/tmp`, so that a later run compiles only what has changed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Most files that a planner may touch besides sentences.
const MOST_FILES: usize = 6;

/// What the copy does without, at the top of the source.
const LEFT_OUT: [&str; 6] = [".git", ".github", "target", "dist", "fuzz", "node_modules"];

const LOCALES: &str = "crates/core/locales/";

/// Contents of files by path.
type Files = BTreeMap<String, Vec<u8>>;

/// A code block of the recipe that says which file it belongs to.
#[derive(PartialEq, Debug)]
struct Block<'a> {
    language: &'a str,
    path: &'a str,
    lines: Vec<&'a str>,
}

/// Returns the code blocks with a path: ```` ```LANGUAGE PATH ````.
fn blocks(text: &str) -> Vec<Block<'_>> {
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
fn part<'a>(text: &'a str, heading: &str) -> &'a str {
    let below = text.split(&format!("\n## {heading}\n")).nth(1).and_then(|rest| rest.split("\n## ").next());
    below.unwrap_or_else(|| panic!("no heading {heading}"))
}

/// Makes the change that a block describes: a `diff` replaces lines that occur once, sentences are
/// sorted into their file, and any other block is a new file.
fn apply(block: &Block, files: &mut Files) {
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

fn read_all(root: &Path, folder: &Path, files: &mut Files) {
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

/// Makes the folder hold these files and no others. A file that is right stays as it is, with its
/// time of change.
fn write_all(folder: &Path, files: &Files) {
    let mut there = Files::new();
    fs::create_dir_all(folder).expect("the folder can be made");
    read_all(folder, folder, &mut there);
    for path in there.keys().filter(|path| !files.contains_key(*path)) {
        fs::remove_file(folder.join(path)).expect("the file can be removed");
    }
    for (path, bytes) in files.iter().filter(|(path, bytes)| there.get(*path) != Some(*bytes)) {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().expect("a file lies in a folder")).expect("the folder can be made");
        fs::write(path, bytes).expect("the file can be written");
    }
}

fn succeeded(command: &mut Command) -> Output {
    let output = command.output().expect("the program starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{command:?}\n{}\n{}", text(&output.stdout), text(&output.stderr));
    output
}

#[test]
fn a_planner_its_panel_and_a_feature_are_added_by_the_recipes() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let text = fs::read_to_string(root.join("docs/contributing.md")).expect("the recipes");
    let recipe = part(&text, "A planner");
    let (planner, panel) = (blocks(recipe), blocks(part(&text, "A state panel")));
    let feature = blocks(part(&text, "A feature of the page"));
    assert!(!panel.is_empty() && !feature.is_empty(), "a recipe has no code");

    // Files that a command writes are named in a sentence after it.
    let written = recipe.split("### 5. ").nth(1).and_then(|rest| rest.split("\n### ").next()).expect("the last step");
    let written = written.split('`').filter(|part| part.starts_with("www/") || part.starts_with("docs/"));
    let touched: BTreeSet<&str> = planner.iter().map(|block| block.path).chain(written).collect();
    let besides_words: Vec<&&str> = touched.iter().filter(|path| !path.starts_with(LOCALES)).collect();
    assert!(besides_words.len() <= MOST_FILES, "{besides_words:?}");

    let mut files = Files::new();
    read_all(root, root, &mut files);
    planner.iter().chain(&panel).chain(&feature).for_each(|block| apply(block, &mut files));
    let place = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("recipe");
    let (copy, target) = (place.join("copy"), place.join("target"));
    write_all(&copy, &files);

    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(&copy).args(["test", "--offline", "--package", "memplan-cli"]);
    cargo.args(["--test", "native", "--", "registry::", "words::", "examples::", "panels::", "floors::page"]);
    // No lines of the source are looked up, so none are recorded.
    cargo.env("CARGO_TARGET_DIR", &target).env("CARGO_PROFILE_DEV_DEBUG", "0").env("UPDATE_EXAMPLES", "1");
    succeeded(&mut cargo);
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(&copy).args(["test", "--offline", "--package", "memplan", "--lib", "--", "bookmark::"]);
    cargo.env("CARGO_TARGET_DIR", &target).env("CARGO_PROFILE_DEV_DEBUG", "0");
    let tested = succeeded(&mut cargo);
    assert!(String::from_utf8_lossy(&tested.stdout).contains("1 passed"), "the test of the feature did not run");
    let examples = fs::read_to_string(copy.join("www/graphs/index.json")).expect("the list of examples");
    assert!(examples.contains("\"cases/next-fit\""), "the list of examples lacks the case");

    let memplan = || {
        let mut command = Command::new(target.join("debug/memplan"));
        command.current_dir(&copy);
        command
    };
    let listed = succeeded(memplan().arg("list"));
    assert!(String::from_utf8_lossy(&listed.stdout).contains("next-fit"), "the planner is not listed");
    let plan = place.join("plan.json");
    succeeded(memplan().args(["plan", "www/graphs/teaching.json", "--planner", "next-fit", "-o"]).arg(&plan));
    succeeded(memplan().arg("check").arg(&plan));
}

#[test]
fn blocks_change_what_they_name() {
    let text = "```rust src/new.rs\nfn new() {}\n```\n```sh\ncargo test\n```\n```diff src/old.rs\n mod a;\n-mod b;\n+mod c;\n```\n\
        ```json crates/core/locales/en.json\n\"b\": \"two\",\n```\n";
    let mut files = Files::from([
        ("src/old.rs".to_string(), b"mod a;\nmod b;\nmod d;\n".to_vec()),
        ("crates/core/locales/en.json".to_string(), b"{\n\"a\": \"one\",\n\"c\": \"three\"\n}\n".to_vec()),
    ]);
    let blocks = blocks(text);
    assert_eq!(blocks.len(), 3);
    blocks.iter().for_each(|block| apply(block, &mut files));
    let text = |path: &str| String::from_utf8(files[path].clone()).expect("text");
    assert_eq!(text("src/new.rs"), "fn new() {}\n");
    assert_eq!(text("src/old.rs"), "mod a;\nmod c;\nmod d;\n");
    assert_eq!(text("crates/core/locales/en.json"), "{\n\"a\": \"one\",\n\"b\": \"two\",\n\"c\": \"three\"\n}\n");
}

#[test]
#[should_panic(expected = "has these lines once")]
fn a_change_of_lines_that_are_gone_is_caught() {
    let block = Block { language: "diff", path: "src/old.rs", lines: vec![" mod a;", "+mod b;"] };
    apply(&block, &mut Files::from([("src/old.rs".to_string(), b"mod z;\n".to_vec())]));
}
