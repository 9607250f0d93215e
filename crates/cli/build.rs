//! With the feature `view`, checks that the page is there to be embedded.

use std::env;
use std::path::Path;

/// The file that a built page begins with.
const PAGE: &str = "../../dist/index.html";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
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
            return;
        }
        println!("cargo::rustc-cfg=page_is_built");
    }
}
