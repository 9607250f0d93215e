//! Bakes one number into all programs that are compiled of the same crates, by which they recognise
//! each other.

use std::hash::Hasher;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use fnv::FnvHasher;

/// The crates that the programs share, where all lie beside each other. The page itself is none of
/// them: an edit there need not compile the engine again.
const SOURCES: [&str; 9] =
    ["../core", "../engine", "../fit", "../formats", "../planners", "../replay", "../scene", "../teach", "../worker"];

/// Of a published package, its own sources.
const PACKAGE: [&str; 1] = ["src"];

/// Digits that JavaScript's numbers hold exactly.
const MASK: u64 = (1 << 52) - 1;

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let folders = if root.join("../core/src").is_dir() { &SOURCES[..] } else { &PACKAGE };
    let mut files = Vec::new();
    for folder in folders {
        println!("cargo::rerun-if-changed={folder}");
        gather(&root.join(folder), &mut files)?;
    }
    files.sort();
    let mut hasher = FnvHasher::default();
    for file in files {
        // The end of a file counts as well, so that text cannot move from one file to the next
        // unnoticed.
        hasher.write(&fs::read(file)?);
        hasher.write_u8(0xff);
    }
    let hash = hasher.finish();
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
