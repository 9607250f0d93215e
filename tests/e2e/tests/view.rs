//! `memplan view`: the page as the command line serves it.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::{env, fs};

use memplan_e2e::Page;
use memplan_e2e::setup::{Setup, workspace};

use crate::{Test, full, native, smoke};

pub const TESTS: &[Test] = &[
    smoke("a_file_is_shown_and_planned_again_when_it_changes", watched),
    full("a_file_of_another_tool_is_shown_without_a_network_or_a_trace", strict),
];

/// A running `memplan view`, ended with the test.
struct Viewer(Child);

impl Viewer {
    /// Starts it on a file; the second value is the link that it prints.
    fn start(file: &str, options: &[&str]) -> (Viewer, String) {
        let dist = Setup::find().expect("a built page").dist;
        let mut command = Command::new(program());
        command.args(["view", file, "--no-open", "--page"]).arg(dist).args(options);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the program starts");
        let mut viewer = Viewer(child);
        let output = viewer.0.stdout.take().expect("its output");
        let link = BufReader::new(output).lines().next().expect("a link").expect("text");
        (viewer, link)
    }
}

impl Drop for Viewer {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The command line, which Cargo puts into the folder above that of the tests.
pub fn program() -> PathBuf {
    let tests = env::current_exe().expect("a path");
    let program = tests.ancestors().nth(2).expect("a folder").join(format!("memplan{}", env::consts::EXE_SUFFIX));
    assert!(program.is_file(), "{} is missing: `cargo build --features cli` makes it", program.display());
    program
}

/// A file of its own for a test, below the folder of temporary files.
fn temporary(name: &str, contents: &[u8]) -> PathBuf {
    let folder = env::temp_dir().join(format!("memplan-view-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join(name);
    fs::write(&path, contents).expect("a file");
    path
}

fn watched(page: &mut Page) {
    let file = temporary("changing graph.json", &native::example("diamond"));
    let (_viewer, link) = Viewer::start(&file.to_string_lossy(), &["--watch", "--planner", "first-fit"]);
    page.browser.visit(&link);
    let before = page.until_planner("first-fit");
    page.until_address("doc=url:files/0/0/changing_graph.json");
    fs::write(&file, native::example("teaching")).expect("a file");
    let after = page.until_facts("the changed file", |facts| facts.bound != before.bound);
    assert_eq!(
        (after.planner.as_str(), after.bound),
        ("first-fit", native::run(&native::example("teaching"), "first-fit").metrics.lower_bound)
    );
    page.until_address("doc=url:files/0/1/changing_graph.json");
    // A file that is damaged says so, and is shown again once it is repaired.
    page.forgive_console();
    fs::write(&file, "{").expect("a file");
    page.until_there("#notice");
    fs::write(&file, native::example("diamond")).expect("a file");
    page.until_facts("the repaired file", |facts| facts.bound == before.bound);
}

fn strict(page: &mut Page) {
    let model = workspace().join("tests/data/tflite/small_cnn_int8.tflite");
    let (_viewer, link) = Viewer::start(&model.to_string_lossy(), &[]);
    page.browser.visit(&link);
    page.until_planned();
    assert_eq!(page.take_violations(), [""; 0]);
    // Without its token the same address gives nothing.
    let token = link.split('/').nth(3).expect("a token").to_string();
    page.forgive_console();
    page.browser.visit(&link.replace(&token, &"0".repeat(token.len())));
    assert!(!page.is_there("#plan"));
}
