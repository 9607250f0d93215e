//! The files of a release: programs with the page inside, the page as an archive, and their
//! checksums.

use std::fs;
use std::path::Path;
use std::process::Command;

use sha2::{Digest, Sha256};

use crate::args::Dist;
use crate::manifest;
use crate::page;
use crate::process::{self, Outcome};
use crate::setup;
use crate::workspace::{self, Workspace};

/// The file with a checksum and a name on each line, as `sha256sum --check` reads it.
const CHECKSUMS: &str = "SHA256SUMS";

/// Writes the files of a release into `target/dist`. The page is built if dist/ has none.
pub fn dist(workspace: &Workspace, options: &Dist) -> Outcome {
    let version = version(workspace)?;
    if let Some(tag) = &options.tag {
        check_tag(tag, &version, &workspace.read("CHANGELOG.md")?)?;
    }
    let page = page::dist(workspace);
    if page.join("index.html").is_file() {
        println!("The page in {} is taken as it is; `cargo xtask build` builds it anew.", page.display());
    } else {
        page::build(workspace, &setup::page_tools(workspace)?, None)?;
    }
    let folder = workspace.root.join("target/dist");
    workspace::make_folder(&folder)?;
    let program = program(workspace, &folder, &version, options.target.as_deref())?;
    let mut files = vec![program];
    if options.target.is_none() {
        let archive = format!("memplan-page-{version}.tar.gz");
        pack(&page, &folder.join(&archive))?;
        files.push(archive);
    }
    let sums = checksums(&folder, &files)?;
    let cannot_write = |error| format!("{} could not be written ({error}).", folder.display());
    fs::write(folder.join(CHECKSUMS), &sums).map_err(cannot_write)?;
    print!("In {}:\n{sums}", folder.display());
    Ok(())
}

/// Compiles the program with the page inside, and gives it the name of its version and its machine.
fn program(workspace: &Workspace, folder: &Path, version: &str, target: Option<&str>) -> Outcome<String> {
    let mut command = process::cargo();
    command.args(["build", "--release", "--locked", "--package", "memplan-cli", "--features", "view"]);
    command.current_dir(&workspace.root).env("CARGO_PROFILE_RELEASE_STRIP", "symbols");
    if let Some(target) = target {
        command.args(["--target", target]);
    }
    process::run(&mut command, "Compiling memplan")?;
    let built = workspace.root.join("target").join(target.unwrap_or_default()).join("release");
    let machine = target.map_or_else(host, |target| Ok(target.to_string()))?;
    let ending = if machine.contains("windows") { ".exe" } else { "" };
    let name = format!("memplan-{version}-{machine}{ending}");
    let built = built.join(format!("memplan{ending}"));
    fs::copy(&built, folder.join(&name))
        .map_err(|error| format!("{} could not be copied ({error}).", built.display()))?;
    Ok(name)
}

/// The machine that Rust compiles for here.
fn host() -> Outcome<String> {
    let told = process::capture(Command::new("rustc").arg("-vV")).unwrap_or_default();
    let host = told.lines().find_map(|line| line.strip_prefix("host: ")).map(str::to_string);
    host.ok_or_else(|| {
        "`rustc -vV` does not say what machine this is: install Rust from https://rustup.rs.".to_string()
    })
}

fn pack(page: &Path, archive: &Path) -> Outcome {
    let mut command = Command::new("tar");
    command.arg("-czf").arg(archive).arg("-C").arg(page).arg(".");
    process::run(&mut command, "Packing the page")
}

/// A line for each file: SHA-256 and name.
fn checksums(folder: &Path, files: &[String]) -> Outcome<String> {
    let line = |name: &String| {
        let bytes = fs::read(folder.join(name)).map_err(|error| format!("{name} could not be read ({error})."))?;
        let sum: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(format!("{sum}  {name}\n"))
    };
    files.iter().map(line).collect()
}

/// The version of memplan.
pub fn version(workspace: &Workspace) -> Outcome<String> {
    let lock = workspace.read("Cargo.lock")?;
    manifest::locked_version(&lock, "memplan")
        .map(str::to_string)
        .ok_or_else(|| "Cargo.lock does not name memplan: restore it.".to_string())
}

/// The newest release of a changelog: its version, and its date or `Unreleased`.
fn newest(changelog: &str) -> Option<(&str, &str)> {
    let heading = changelog.lines().find_map(|line| line.strip_prefix("## ["))?;
    heading.split_once("] - ")
}

/// A tag is `v` and the version, and the changelog has a date for it.
fn check_tag(tag: &str, version: &str, changelog: &str) -> Outcome {
    if tag.strip_prefix('v') != Some(version) {
        return Err(format!("The tag {tag} is not v{version}, the version of Cargo.toml: change one of them."));
    }
    match newest(changelog) {
        Some((named, date)) if named == version && date.starts_with(|first: char| first.is_ascii_digit()) => Ok(()),
        _ => Err(format!("CHANGELOG.md does not begin with `## [{version}] - ` and a date: write it.")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_that_of_the_changelog() {
        let (version, _) = newest(include_str!("../../CHANGELOG.md")).expect("a heading");
        assert_eq!(manifest::locked_version(include_str!("../../Cargo.lock"), "memplan"), Some(version));
        assert!(include_str!("../../Cargo.toml").contains(&format!("\nversion = \"{version}\"\n")));
    }

    #[test]
    fn checksums_are_lines_that_sha256sum_checks() {
        let folder = std::env::temp_dir().join(format!("memplan-sums-{}", std::process::id()));
        workspace::make_folder(&folder).expect("a folder");
        fs::write(folder.join("a"), "abc").expect("a file");
        let sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(checksums(&folder, &["a".to_string()]), Ok(format!("{sum}  a\n")));
        assert!(checksums(&folder, &["b".to_string()]).is_err_and(|told| told.contains("b could not be read")));
        fs::remove_dir_all(folder).expect("removed");
    }

    #[test]
    fn a_tag_is_released_only_with_its_version_and_a_date() {
        let changelog = "# Changelog\n\n## [1.2.0] - 2030-01-31\n\n## [1.1.0] - 2029-01-31\n";
        assert_eq!(check_tag("v1.2.0", "1.2.0", changelog), Ok(()));
        for (tag, version) in [("1.2.0", "1.2.0"), ("v1.1.0", "1.2.0"), ("v1.1.0", "1.1.0")] {
            assert!(check_tag(tag, version, changelog).is_err(), "{tag} {version}");
        }
        assert!(check_tag("v1.2.0", "1.2.0", &changelog.replace("2030-01-31", "Unreleased")).is_err());
        assert!(check_tag("v1.2.0", "1.2.0", "").is_err());
    }

    #[test]
    fn the_workflow_builds_for_every_machine_that_is_promised() {
        let workflow = include_str!("../../.github/workflows/release.yml");
        for target in [
            "x86_64-unknown-linux-musl",
            "aarch64-unknown-linux-musl",
            "x86_64-apple-darwin",
            "aarch64-apple-darwin",
            "x86_64-pc-windows-msvc",
        ] {
            assert!(workflow.contains(&format!("target: {target}\n")), "{target}");
        }
        assert!(workflow.contains("cargo xtask dist --tag"), "the tag is checked");
    }
}
