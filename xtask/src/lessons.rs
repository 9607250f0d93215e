//! The lessons: checked, made ready for the page, and written as pages of plain text.
//!
//! `memplan lessons` does it, because only the crate itself can run the planners that the figures
//! of a lesson come from.

use std::env;
use std::path::Path;
use std::process::Command;

use crate::process::{self, Outcome};

/// The variable that names a finished `memplan`, where one has been compiled anyway.
pub const MEMPLAN: &str = "MEMPLAN_PROGRAM";

/// Writes the lessons into the folder of the page.
pub fn write(root: &Path, folder: &Path) -> Outcome {
    let mut command = match env::var_os(MEMPLAN).filter(|program| !program.is_empty()) {
        Some(program) => Command::new(program),
        None => memplan(),
    };
    command.current_dir(root).args(["lessons", "www/lessons", "-o"]).arg(folder);
    process::run(&mut command, "Making the lessons ready")?;
    let style = folder.join("learn/lesson.css");
    std::fs::copy(root.join("www/lesson.css"), &style)
        .map(drop)
        .map_err(|error| format!("{} could not be written ({error}).", style.display()))
}

/// `memplan`, compiled first.
fn memplan() -> Command {
    let mut command = process::cargo();
    let how = ["run", "--quiet", "--locked", "--package", "memplan-cli", "--bin", "memplan", "--"];
    command.args(how);
    command
}
