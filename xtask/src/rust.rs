//! The parts of the Rust toolchain: the browser's target, the formatter, the
//! lints, and the sources of the dependencies.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process::{self, Outcome};
use crate::workspace::Workspace;

/// The target of everything that runs in a browser.
pub const WASM_TARGET: &str = "wasm32-unknown-unknown";

/// Makes sure Rust can compile for browsers.
pub fn ensure_wasm_target() -> Outcome {
    let library = sysroot()?.join("lib/rustlib").join(WASM_TARGET).join("lib");
    if library.is_dir() {
        return Ok(());
    }
    println!("Setup: adding Rust's {WASM_TARGET} target, for the programs that run in a browser.");
    rustup(&["target", "add", WASM_TARGET])
}

/// Makes sure the formatter and the lints are there; rustup's minimal profile
/// leaves them out.
pub fn ensure_checkers() -> Outcome {
    let programs = sysroot()?.join("bin");
    for (component, program) in [("rustfmt", "rustfmt"), ("clippy", "cargo-clippy")] {
        if process::program_in(&programs, program).is_file() {
            continue;
        }
        println!("Setup: adding Rust's {component}, which `cargo xtask test` runs.");
        rustup(&["component", "add", component])?;
    }
    Ok(())
}

/// Makes sure the sources of all dependencies are on this machine, because
/// Trunk is run without network access.
pub fn ensure_crates(workspace: &Workspace) -> Outcome {
    let fetch = |offline: bool| {
        let mut command = process::cargo();
        command.args(["fetch", "--locked"]).current_dir(&workspace.root);
        if offline {
            command.arg("--offline");
        }
        command
    };
    if process::succeeds(&mut fetch(true)) {
        return Ok(());
    }
    println!("Setup: fetching the libraries listed in Cargo.lock.");
    process::run(&mut fetch(false), "Fetching the libraries")
        .map_err(|sentence| format!("{sentence} Check that crates.io can be reached, then run the command again."))
}

fn sysroot() -> Outcome<PathBuf> {
    process::capture(Command::new("rustc").args(["--print", "sysroot"]))
        .map(|output| Path::new(output.trim()).to_path_buf())
        .ok_or_else(|| "`rustc` does not run: install Rust from https://rustup.rs.".to_string())
}

fn rustup(arguments: &[&str]) -> Outcome {
    let line = arguments.join(" ");
    if process::find_program("rustup").is_none() {
        return Err(format!(
            "This Rust was not installed by rustup, so `rustup {line}` cannot be run: install Rust from https://rustup.rs, or that part with the system's package manager."
        ));
    }
    process::run(Command::new("rustup").args(arguments), "Adding a part of Rust")
        .map_err(|sentence| format!("{sentence} Check the network, then run the command again."))
}
