//! Bakes one number into all programs that are compiled of the same sources, by which they
//! recognise each other, and says whether the page is there to be put into the command line.
//! `cargo install` builds the page first.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

/// What the programs are made of.
const SOURCES: [&str; 2] = ["src", "www/locales"];

/// The file that a built page begins with.
const PAGE: &str = "dist/index.html";

/// Digits that JavaScript's numbers hold exactly.
const MASK: u64 = (1 << 52) - 1;

fn main() -> io::Result<()> {
    println!("cargo::rustc-check-cfg=cfg(page_is_built)");
    // An unoptimised program reads the page from a folder, so that a new page does not compile
    // everything anew.
    if env::var_os("CARGO_FEATURE_VIEW").is_some() && env::var("PROFILE").is_ok_and(|profile| profile == "release") {
        println!("cargo::rerun-if-changed={PAGE}");
        if !Path::new(PAGE).is_file()
            && is_installing()
            && let Err(sentence) = build_page()
        {
            println!("cargo::error={sentence}");
            return Ok(());
        }
        if Path::new(PAGE).is_file() {
            println!("cargo::rustc-cfg=page_is_built");
        }
    }
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let mut files = Vec::new();
    for folder in SOURCES {
        println!("cargo::rerun-if-changed={folder}");
        gather(&root.join(folder), &mut files)?;
    }
    files.sort();
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for file in files {
        // FNV-1a. The end of a file counts as well, so that text cannot move from one file to the
        // next unnoticed.
        for byte in fs::read(file)?.into_iter().chain([0xff]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    println!("cargo::rustc-env=MEMPLAN_BUILD={}", (hash ^ hash >> 52) & MASK);
    Ok(())
}

/// Whether `cargo install` compiles this: Cargo tells build scripts everything but its own command.
/// A build of any other kind, such as one for tests, is not held up by building a page.
fn is_installing() -> bool {
    #[cfg(unix)]
    {
        let parent = std::os::unix::process::parent_id().to_string();
        let listed = Command::new("ps").args(["-o", "args=", "-p", &parent]).output();
        let words = match fs::read(format!("/proc/{parent}/cmdline")) {
            Ok(words) => words,
            Err(_) => listed.map(|output| output.stdout).unwrap_or_default(),
        };
        words.split(|byte| *byte == 0 || byte.is_ascii_whitespace()).any(|word| word == b"install")
    }
    #[cfg(not(unix))]
    false
}

/// Builds the page as a developer does. The command sets up what it needs, and says what it cannot.
///
/// # Errors
/// The sentence with which it ended.
fn build_page() -> Result<(), String> {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(["xtask", "build"]);
    // What Cargo tells this script is not meant for another package.
    for (name, _) in env::vars_os() {
        let is_told = ["CARGO_FEATURE_", "CARGO_CFG_", "CARGO_PKG_", "CARGO_ENCODED_RUSTFLAGS", "CARGO_MANIFEST_"];
        if is_told.iter().any(|start| name.to_string_lossy().starts_with(start)) {
            command.env_remove(name);
        }
    }
    let output = command.output().map_err(|error| format!("`cargo xtask build` could not be started ({error})."))?;
    if output.status.success() {
        return Ok(());
    }
    let told = String::from_utf8_lossy(&output.stderr);
    let told = told.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or("it gave no reason").to_string();
    Err(format!(
        "The page, which this program carries, could not be built: {told} `cargo xtask build` shows all of it."
    ))
}

fn gather(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { gather(&path, files)? } else { files.push(path) }
    }
    Ok(())
}
