//! With the feature `view`, lists the files of the page that are embedded.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The built page.
const PAGE: &str = "../../dist";

/// Folders of the page that a program does without: the lessons for browsers without scripts, and
/// the graph of a benchmark. They are a quarter of the page after compression.
const LEFT_OUT: [&str; 2] = ["bench", "learn"];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(page_is_built)");
    // An unoptimised program reads the page from a folder, so that a new page does not compile
    // everything anew.
    if env::var_os("CARGO_FEATURE_VIEW").is_some() && env::var("PROFILE").is_ok_and(|profile| profile == "release") {
        println!("cargo::rerun-if-changed={PAGE}/index.html");
        match embed() {
            Ok(()) => println!("cargo::rustc-cfg=page_is_built"),
            Err(error) => println!(
                "cargo::error=The feature `view` embeds the page, and dist/ holds none ({error}): run `cargo xtask \
                 install`, or `cargo xtask build` before this command."
            ),
        }
    }
}

/// Writes the files of the page as a sorted list of paths and contents.
fn embed() -> io::Result<()> {
    let page = Path::new(PAGE).canonicalize()?;
    // A page begins with this file.
    fs::metadata(page.join("index.html"))?;
    let mut files = Vec::new();
    gather(&page, "", &mut files)?;
    files.sort();
    let rows = files.iter().map(|(name, path)| format!("    ({name:?}, include_bytes!({path:?})),\n"));
    let list = format!("&[\n{}]\n", rows.collect::<String>());
    let out = env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?;
    fs::write(PathBuf::from(out).join("page.rs"), list)
}

fn gather(folder: &Path, above: &str, files: &mut Vec<(String, PathBuf)>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{above}{}", entry.file_name().to_string_lossy());
        if !entry.file_type()?.is_dir() {
            files.push((name, entry.path()));
        } else if !LEFT_OUT.contains(&&*name) {
            gather(&entry.path(), &format!("{name}/"), files)?;
        }
    }
    Ok(())
}
