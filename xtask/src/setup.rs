//! What must be on the machine, by purpose. Nothing is done or printed for
//! what is already there.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use crate::browser::{self, Browser};
use crate::npm;
use crate::process::{self, Outcome};
use crate::rust;
use crate::tools::RustTool;
use crate::workspace::Workspace;

/// What building the page takes.
pub struct PageTools {
    /// Makes the programs smaller; the page works without it.
    pub wasm_opt: Option<PathBuf>,
    /// A PATH on which Trunk and Cargo find the programs they start.
    path: OsString,
}

/// What the suites that run in a browser take, beside the page's tools.
pub struct BrowserTools {
    /// The browser and its driver.
    pub browser: Browser,
    /// The script that checks accessibility.
    pub axe: PathBuf,
}

impl PageTools {
    /// A command run in the project's root that finds the tools.
    pub fn command(&self, workspace: &Workspace, program: &str) -> Command {
        let mut command = match program {
            "cargo" => process::cargo(),
            _ => Command::new(program),
        };
        command.current_dir(&workspace.root).env("PATH", &self.path);
        command
    }
}

/// Sets up everything, for `cargo xtask setup`.
pub fn everything(workspace: &Workspace) -> Outcome {
    rust::ensure_checkers()?;
    page_tools(workspace)?;
    browser_tools(workspace)?;
    if let Err(reason) = npm::find_typescript(workspace) {
        println!("Setup: there is no TypeScript compiler ({reason}), so `cargo xtask test` leaves its suite out.");
    }
    println!("Everything is set up: `cargo xtask serve` and `cargo xtask test` are ready to run.");
    Ok(())
}

/// Sets up what formatting, lints and native tests take.
pub fn lint_tools() -> Outcome {
    rust::ensure_checkers()?;
    rust::ensure_wasm_target()
}

/// Sets up what building the page takes.
pub fn page_tools(workspace: &Workspace) -> Outcome<PageTools> {
    rust::ensure_wasm_target()?;
    rust::ensure_crates(workspace)?;
    let bindgen = RustTool::wasm_bindgen(workspace)?.ensure(workspace)?;
    let trunk = RustTool::trunk().ensure(workspace)?;
    let wasm_opt = npm::find_wasm_opt(workspace);

    let inherited = env::var_os("PATH").unwrap_or_default();
    let folders = [bindgen, trunk].into_iter().chain(env::split_paths(&inherited));
    let path = env::join_paths(folders).map_err(|error| {
        format!("A folder of the tools cannot be put on the PATH ({error}): set XDG_CACHE_HOME to another one.")
    })?;
    Ok(PageTools { wasm_opt, path })
}

/// Sets up what the suites in a browser take.
pub fn browser_tools(workspace: &Workspace) -> Outcome<BrowserTools> {
    Ok(BrowserTools { browser: browser::ensure()?, axe: npm::ensure_axe(workspace)? })
}
