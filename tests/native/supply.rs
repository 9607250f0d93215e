//! What the project is built from: nothing that can change behind its back, no unsafe code, and a
//! page of licenses that is true.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn text(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Files below a folder, by ending.
fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join(folder)).expect("the folder").flatten().map(|entry| entry.path());
    let mut found: Vec<PathBuf> = entries.filter(|path| path.to_string_lossy().ends_with(ending)).collect();
    found.sort();
    found
}

#[test]
fn every_program_forbids_unsafe_code() {
    let own = [
        "crates/cli/src/main.rs",
        "crates/worker/src/bin/engine/main.rs",
        "crates/worker/src/bin/reader.rs",
        "src/main.rs",
        "tests/e2e/src/bin/screenshots.rs",
        "tests/e2e/src/lib.rs",
        "tests/e2e/tests/main.rs",
        "xtask/src/main.rs",
    ];
    let programs = files("fuzz/fuzz_targets", ".rs").into_iter();
    for path in own.iter().map(|path| root().join(path)).chain(programs) {
        assert!(text(&path).contains("\n#![forbid(unsafe_code)]\n"), "{}", path.display());
    }
    assert!(text("Cargo.toml").contains("unsafe_code = \"deny\""));
    for folder in fs::read_dir(root().join("crates")).expect("the crates").flatten().map(|entry| entry.path()) {
        let manifest = text(folder.join("Cargo.toml"));
        assert!(manifest.contains("[lints]\nworkspace = true\n"), "{}", folder.display());
        let library = folder.join("src/lib.rs");
        assert!(!library.exists() || text(&library).contains("\n#![deny(unsafe_code)]\n"), "{}", library.display());
    }
    // Where it is allowed all the same.
    let mut allowed = Vec::new();
    let mut folders = ["benches", "crates", "src", "tests"].map(|folder| root().join(folder)).to_vec();
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs")
                && text(&path).contains("[allow(unsafe_code)]")
            {
                allowed.push(path.strip_prefix(root()).expect("below").to_string_lossy().into_owned());
            }
        }
    }
    allowed.retain(|path| path != "tests/native/supply.rs");
    allowed.sort();
    assert_eq!(allowed, ["crates/formats/src/import/flat.rs", "tests/shared/counting.rs"]);
}

#[test]
fn actions_are_pinned_by_commit_and_rust_by_version() {
    let version = text("xtask/src/versions.rs");
    let version =
        version.split("pub const RUST: &str = \"").nth(1).and_then(|rest| rest.split('"').next()).expect("pinned");
    let workflows = files(".github/workflows", ".yml");
    assert!(workflows.len() >= 2);
    for path in workflows {
        let workflow = text(&path);
        for line in workflow.lines() {
            let line = line.trim().trim_start_matches("- ");
            if let Some(action) = line.strip_prefix("uses: ") {
                let (_, commit) = action.split_once('@').expect("an action has a version");
                let commit = commit.split(' ').next().unwrap_or_default();
                let is_commit = commit.len() == 40 && commit.bytes().all(|digit| digit.is_ascii_hexdigit());
                assert!(is_commit && action.contains(" # v"), "{}: {action}", path.display());
            }
            if line.starts_with("rustup ") {
                assert!(line.contains(version), "{}: {line}", path.display());
            }
        }
    }
    let minor = |version: &str| version.split('.').take(2).collect::<Vec<_>>().join(".");
    assert!(text("Cargo.toml").contains(&format!("rust-version = \"{}\"", minor(version))));
}

#[test]
fn builds_take_the_versions_of_the_lock_file() {
    let trunk = text("Trunk.toml");
    assert!(
        trunk.contains("\nlocked = true\n") && trunk.matches("\"run\"").count() == trunk.matches("--locked").count()
    );
    assert!(text(".cargo/config.toml").contains("--locked"));
    for path in files("xtask/src", ".rs") {
        let source = text(&path);
        // Unit tests only name commands.
        let source = source.split("#[cfg(test)]").next().unwrap_or_default();
        for (at, line) in source.lines().enumerate() {
            let compiles = ["\"test\", \"--", "\"bench\"", "\"run\", \"--release", "\"clippy\"", "\"fetch\""];
            let is_command = line.contains("args([") || line.contains("let what") || line.contains("let line");
            if is_command && compiles.iter().any(|command| line.contains(command)) {
                assert!(line.contains("--locked"), "{}:{}: {line}", path.display(), at + 1);
            }
        }
    }
    assert!(root().join("fuzz/Cargo.lock").is_file());
}

/// `cargo xtask licenses` writes the page again. Macros run when the page is built and are no part
/// of it.
#[test]
fn the_page_of_licenses_names_every_library_of_the_page() {
    let tree = Command::new(env!("CARGO"))
        .args([
            "tree",
            "--offline",
            "--locked",
            "--edges",
            "normal,no-proc-macro",
            "--target",
            "wasm32-unknown-unknown",
        ])
        .args(["--package", "memplan", "--prefix", "none", "--format", "{p}"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let page = text("www/licenses.html");
    let mut count = 0;
    for line in String::from_utf8(tree.stdout).expect("text").lines() {
        let mut words = line.split_whitespace();
        let (Some(name), Some(version)) = (words.next(), words.next()) else { continue };
        let library = format!("<li>{name} {}</li>", version.trim_start_matches('v'));
        assert!(page.contains(&library), "www/licenses.html lacks {name} {version}: run `cargo xtask licenses`");
        count += 1;
    }
    assert!(count > 100, "only {count} libraries");
    assert!(!page.contains("<script") && !page.contains("<style") && !page.contains("style="), "no code in the page");
    assert!(text("index.html").contains("href=\"www/licenses.html\""));
}
