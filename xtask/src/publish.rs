//! Hands the crates and the JavaScript module to their registries. The workflow of releases calls
//! it by tag; `--dry-run` does all but the upload.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::args::Publish;
use crate::process::{self, Outcome};
use crate::workspace::Workspace;

/// What is published, each after the crates that it uses.
const CRATES: [&str; 8] = [
    "memplan-core",
    "memplan-planners",
    "memplan-formats",
    "memplan-replay",
    "memplan-scene",
    "memplan-teach",
    "memplan-fit",
    "memplan-engine",
];

/// Publishes what was chosen; all where nothing was.
pub fn publish(workspace: &Workspace, options: &Publish) -> Outcome {
    let all = !options.crates && !options.npm;
    if options.crates || all {
        crates(workspace, options.dry_run)?;
    }
    if options.npm || all {
        npm(workspace, options.dry_run)?;
    }
    Ok(())
}

fn crates(workspace: &Workspace, dry_run: bool) -> Outcome {
    let mut command = process::cargo();
    command.args(["publish", "--locked"]).current_dir(&workspace.root);
    if dry_run {
        // What is tried out may not be committed yet.
        command.args(["--dry-run", "--allow-dirty"]);
    }
    for name in CRATES {
        command.args(["--package", name]);
    }
    process::run(&mut command, if dry_run { "Trying to publish the crates" } else { "Publishing the crates" })
}

fn npm(workspace: &Workspace, dry_run: bool) -> Outcome {
    let folder = workspace.root.join("target/npm");
    let archive = packed(&folder).ok_or_else(|| {
        format!("{} has no packed module: run `cargo xtask npm`, which makes and tests it.", folder.display())
    })?;
    let mut command = Command::new("npm");
    command.args(["publish", "--access", "public"]).arg(&archive);
    // Outside of a workflow nobody can vouch for what the archive was made of.
    command.arg(if dry_run { "--dry-run" } else { "--provenance" });
    process::run(&mut command, if dry_run { "Trying to publish the module" } else { "Publishing the module" })
}

fn packed(folder: &Path) -> Option<PathBuf> {
    let files = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    files.into_iter().find(|file| file.extension().is_some_and(|ending| ending == "tgz"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_crate_that_may_be_published_is() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the project");
        let mut named: Vec<String> = Vec::new();
        for entry in fs::read_dir(root.join("crates")).expect("crates").flatten() {
            let manifest = fs::read_to_string(entry.path().join("Cargo.toml")).expect("a manifest");
            if !manifest.contains("publish = false") && !manifest.contains("publish.workspace = true") {
                named.push(format!("memplan-{}", entry.file_name().to_string_lossy()));
            }
        }
        named.sort();
        let mut published = CRATES.map(String::from).to_vec();
        published.sort();
        assert_eq!(published, named);
    }

    #[test]
    fn the_workflow_publishes_by_tag_and_holds_no_token() {
        let workflow = include_str!("../../.github/workflows/release.yml");
        for command in ["cargo xtask publish --crates", "cargo xtask publish --npm", "pypa/gh-action-pypi-publish@"] {
            assert!(workflow.contains(command), "{command}");
        }
        assert!(!workflow.contains("secrets."), "registries trust the workflow itself");
    }
}
