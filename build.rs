//! Bakes one number into all programs that are compiled of the same sources, by which they
//! recognise each other. With the feature `view`, checks that the page is there to be embedded.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// What the programs are made of.
const SOURCES: [&str; 2] = ["src", "crates"];

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
        if !Path::new(PAGE).is_file() {
            println!(
                "cargo::error=The feature `view` embeds the page, and dist/ holds none: run `cargo xtask install`, or \
                 `cargo xtask build` before this command."
            );
            return Ok(());
        }
        println!("cargo::rustc-cfg=page_is_built");
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

fn gather(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { gather(&path, files)? } else { files.push(path) }
    }
    Ok(())
}
