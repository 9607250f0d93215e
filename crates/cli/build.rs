//! With the feature `view`, packs the files of the page that are embedded.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use lzma_rust2::{XzOptions, XzWriter};

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

/// The preset of `xz`; a higher one gains less than a hundredth.
const PRESET: u32 = 6;

/// Writes the files of the page: a sorted list of paths with lengths, and the contents one after
/// the other as one `.xz`. In one stream, programs that share code share its bytes.
fn embed() -> io::Result<()> {
    let page = Path::new(PAGE).canonicalize()?;
    // A page begins with this file.
    fs::metadata(page.join("index.html"))?;
    let mut files = Vec::new();
    gather(&page, "", &mut files)?;
    files.sort();
    let mut packed = XzWriter::new(Vec::new(), XzOptions::with_preset(PRESET))?;
    let mut rows = String::new();
    for (name, path) in &files {
        let bytes = fs::read(path)?;
        packed.write_all(&bytes)?;
        rows += &format!("    ({name:?}, {}),\n", bytes.len());
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?);
    fs::write(out.join("page.xz"), packed.finish()?)?;
    fs::write(out.join("page.rs"), format!("&[\n{rows}]\n"))
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
