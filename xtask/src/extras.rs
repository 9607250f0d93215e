//! The commands beside building and testing: installing, pictures, benchmarks, fuzzing.

use std::fs;
use std::num::NonZeroU16;
use std::process::Command;

use crate::args::Fuzz;
use crate::page;
use crate::process::{self, Outcome};
use crate::setup;
use crate::suites;
use crate::tools::RustTool;
use crate::workspace::Workspace;

/// The test that damages files.
const FUZZING: &str = "mutation::damaged_files_are_survived";

/// Takes the pictures of the documentation from a fresh build of the page.
pub fn screenshots(workspace: &Workspace) -> Outcome {
    let page_tools = setup::page_tools(workspace)?;
    let tools = setup::browser_tools(workspace)?;
    page::build(workspace, &page_tools, None)?;

    let mut command = page_tools.command(workspace, "cargo");
    command.args(["run", "--release", "--locked", "--package", "memplan-e2e"]);
    command.args(["--bin", "screenshots", "--", "docs/images"]);
    suites::end_to_end_environment(&mut command, &page::dist(workspace), &tools);
    process::run(&mut command, "Taking the pictures")
}

/// Builds the page, and installs the command line with the page inside.
pub fn install(workspace: &Workspace, arguments: &[String]) -> Outcome {
    let tools = setup::page_tools(workspace)?;
    page::build(workspace, &tools, None)?;
    let mut command = process::cargo();
    command.args(["install", "--locked", "--force", "--features", "view", "--path", "crates/cli"]);
    command.args(arguments).current_dir(&workspace.root);
    process::run(&mut command, "Installing memplan")
}

/// Runs the native benchmarks.
pub fn bench(workspace: &Workspace, arguments: &[String]) -> Outcome {
    let mut command = process::cargo();
    command.args(["bench", "--locked", "--package", "memplan-engine"]).current_dir(&workspace.root);
    if !arguments.is_empty() {
        command.arg("--").args(arguments);
    }
    process::run(&mut command, "The benchmarks")
}

/// Runs all planners of the league, checks their plans and writes the tables. Tests are compiled in
/// the same profile, so that mostly nothing is left to compile.
pub fn league(workspace: &Workspace, arguments: &[String]) -> Outcome {
    let mut command = process::cargo();
    command.args(["run", "--locked", "--profile", "suite", "--package", "memplan-cli", "--bin", "memplan", "--"]);
    command.args(["league", "www/league", "--measure", "-o", "docs/league.md"]).args(arguments);
    process::run(command.current_dir(&workspace.root), "The league")
}

/// Writes the licenses of what is compiled into the page. The file is a part of the repository, so
/// that building the page needs no further tool; `tests/native/supply.rs` says when it is out of
/// date.
pub fn licenses(workspace: &Workspace) -> Outcome {
    let tool = RustTool::about().ensure(workspace)?;
    let mut command = Command::new(process::program_in(&tool, "cargo-about"));
    command.args(["about", "generate", "--frozen"]);
    command.args(["--output-file", "www/licenses.html", "about.hbs"]).current_dir(&workspace.root);
    process::run(&mut command, "Listing the licenses")
}

/// Checks the libraries by `deny.toml`: everything, or what the arguments name.
pub fn audit(workspace: &Workspace, arguments: &[String]) -> Outcome {
    let tool = RustTool::deny().ensure(workspace)?;
    let mut command = Command::new(process::program_in(&tool, "cargo-deny"));
    command.args(["--locked", "check"]).args(arguments).current_dir(&workspace.root);
    process::run(&mut command, "Checking the libraries")
}

/// Damages stored files for some minutes, with any Rust; or runs one fuzz target by cargo-fuzz.
pub fn fuzz(workspace: &Workspace, options: &Fuzz) -> Outcome {
    let Some(target) = &options.target else {
        return damage(workspace, options.minutes.map_or(1, NonZeroU16::get));
    };
    check_fuzzing_tools(workspace)?;
    fuzz_target(workspace, target, &options.arguments)
}

/// Runs the mutation test for longer, with checked arithmetic and without an end at the first
/// finding.
fn damage(workspace: &Workspace, minutes: u16) -> Outcome {
    let mut command = process::cargo();
    command.args([
        "test",
        "--locked",
        "--release",
        "--package",
        "memplan-cli",
        "--test",
        "slow",
        "--",
        "--exact",
        "--nocapture",
        FUZZING,
    ]);
    command.env("MEMPLAN_FUZZ_MINUTES", minutes.to_string()).current_dir(&workspace.root);
    process::run(&mut command, "Damaging files")
}

fn check_fuzzing_tools(workspace: &Workspace) -> Outcome {
    if !workspace.root.join("fuzz/Cargo.toml").is_file() {
        return Err("There are no fuzz targets: this copy of the project has no fuzz/ folder.".into());
    }
    // `rustup run` asks for the toolchain without installing it.
    let mut nightly = Command::new("rustup");
    if !process::succeeds(nightly.args(["run", "nightly", "rustc", "--version"])) {
        return Err("Fuzzing needs a nightly Rust: run `rustup toolchain install nightly`.".to_string());
    }
    if process::find_program("cargo-fuzz").is_none()
        && !process::is_program(&process::program_in(&workspace.cargo_bin, "cargo-fuzz"))
    {
        return Err("Fuzzing needs cargo-fuzz: run `cargo install cargo-fuzz`.".to_string());
    }
    Ok(())
}

/// Folders of files beside those in `fuzz/corpus`, by fuzz target.
const MORE_FILES: [(&str, &str); 6] = [
    ("executorch", "tests/data/executorch"),
    ("symbol_json", "tests/data/nnvm"),
    ("read", "tests/data/models"),
    ("tflite", "tests/data/tflite"),
    ("exported_program", "tests/data/pt2"),
    ("onnx", "tests/import/onnx"),
];

fn fuzz_target(workspace: &Workspace, target: &str, arguments: &[String]) -> Outcome {
    // Finds go into the first folder; the second holds the files that the tests replay.
    let found = format!("fuzz/found/{target}");
    fs::create_dir_all(workspace.root.join(&found)).map_err(|error| format!("{found} could not be made ({error})."))?;
    let mut command = fuzz_command(workspace);
    command.args(["run", target, &found, &format!("fuzz/corpus/{target}")]);
    // Files of tests that have the format, too. A second and 512 MB an input, as in the project's
    // own loop.
    command.args(MORE_FILES.iter().filter(|(name, _)| *name == target).map(|(_, folder)| folder));
    command.args(["--", "-timeout=1", "-rss_limit_mb=2048", "-malloc_limit_mb=512"]);
    command.arg(format!("-dict=fuzz/dictionaries/{target}.dict")).args(arguments);
    process::run(&mut command, &format!("Fuzzing {target}"))
}

/// rustup's own `cargo`, the only one that understands `+nightly`.
fn fuzz_command(workspace: &Workspace) -> Command {
    let proxy = process::program_in(&workspace.cargo_bin, "cargo");
    let mut command = if process::is_program(&proxy) { Command::new(proxy) } else { Command::new("cargo") };
    command.args(["+nightly", "fuzz"]).current_dir(&workspace.root);
    command
}
