//! The commands beside building and testing: pictures, benchmarks, fuzzing.

use std::fs;
use std::process::Command;

use crate::page;
use crate::process::{self, Outcome};
use crate::setup;
use crate::suites;
use crate::workspace::Workspace;

/// How long each fuzz target runs when none is named.
const SHORT_FUZZING: &str = "-max_total_time=60";

/// Takes the pictures of the documentation from a fresh build of the page.
pub fn screenshots(workspace: &Workspace) -> Outcome {
    let page_tools = setup::page_tools(workspace)?;
    let tools = setup::browser_tools(workspace)?;
    page::build(workspace, &page_tools, None)?;

    let mut command = page_tools.command(workspace, "cargo");
    command.args(["run", "--release", "--package", "memplan-e2e"]);
    command.args(["--bin", "screenshots", "--", "docs/images"]);
    suites::end_to_end_environment(&mut command, workspace, &tools);
    process::run(&mut command, "Taking the pictures")
}

/// Runs the native benchmarks.
pub fn bench(workspace: &Workspace, arguments: &[String]) -> Outcome {
    let mut command = process::cargo();
    command.arg("bench").current_dir(&workspace.root);
    if !arguments.is_empty() {
        command.arg("--").args(arguments);
    }
    process::run(&mut command, "The benchmarks")
}

/// Runs one fuzz target, or each of them for a minute.
pub fn fuzz(workspace: &Workspace, target: Option<&str>, arguments: &[String]) -> Outcome {
    check_fuzzing_tools(workspace)?;
    if let Some(target) = target {
        return fuzz_target(workspace, target, arguments);
    }
    let list = process::capture(fuzz_command(workspace).arg("list"))
        .ok_or("The fuzz targets could not be listed: run `cargo +nightly fuzz list` to see why.")?;
    let short = [SHORT_FUZZING.to_string()];
    let arguments = if arguments.is_empty() { &short } else { arguments };
    list.split_whitespace().try_for_each(|target| {
        println!("\n=== fuzz target {target} ===");
        fuzz_target(workspace, target, arguments)
    })
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

fn fuzz_target(workspace: &Workspace, target: &str, arguments: &[String]) -> Outcome {
    // Finds go into the first folder; the second holds the files that the tests replay.
    let found = format!("fuzz/found/{target}");
    fs::create_dir_all(workspace.root.join(&found)).map_err(|error| format!("{found} could not be made ({error})."))?;
    let mut command = fuzz_command(workspace);
    command.args(["run", target, &found, &format!("fuzz/corpus/{target}")]);
    if !arguments.is_empty() {
        command.arg("--").args(arguments);
    }
    process::run(&mut command, &format!("Fuzzing {target}"))
}

/// rustup's own `cargo`, the only one that understands `+nightly`.
fn fuzz_command(workspace: &Workspace) -> Command {
    let proxy = process::program_in(&workspace.cargo_bin, "cargo");
    let mut command = if process::is_program(&proxy) { Command::new(proxy) } else { Command::new("cargo") };
    command.args(["+nightly", "fuzz"]).current_dir(&workspace.root);
    command
}
