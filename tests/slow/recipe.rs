//! The recipes "A planner", "A state panel" and "A feature of the page" of docs/contributing.md,
//! followed to the letter in a copy of the source: the code blocks become files, the copy is
//! compiled, the new planner is listed, plans an example, shows its state and passes the tests of
//! the registry, and the feature passes its own tests and keeps the walls.
//!
//! The copy stays below `target/tmp`, so that a later run compiles only what has changed.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::blocks::{Files, LOCALES, apply, blocks, part, read_all};

/// Most files that a planner may touch besides sentences.
const MOST_FILES: usize = 6;

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
