//! The lessons: checked, made ready for the page, and written as pages of plain text.
//!
//! `memplan lessons` does it, because only the crate itself can run the planners that the figures
//! of a lesson come from.

use std::path::Path;

use crate::process::{self, Outcome};

/// Writes the lessons into the folder of the page.
pub fn write(root: &Path, folder: &Path) -> Outcome {
    let mut command = process::cargo();
    command.current_dir(root).args([
        "run",
        "--quiet",
        "--locked",
        "--no-default-features",
        "--features",
        "cli",
        "--bin",
        "memplan",
        "--",
    ]);
    command.args(["lessons", "www/lessons", "-o"]).arg(folder);
    process::run(&mut command, "Making the lessons ready")?;
    let style = folder.join("learn/lesson.css");
    std::fs::copy(root.join("www/lesson.css"), &style)
        .map(drop)
        .map_err(|error| format!("{} could not be written ({error}).", style.display()))
}
