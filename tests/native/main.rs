//! What holds across modules, without a browser: formats, planners, words, documents, the command
//! line. One program, because linking takes longer than most of its tests.
//!
//! Tier: default. `cargo test --test native -- words` runs the tests of one module.

#[path = "../shared/recipe.rs"]
mod blocks;
#[path = "../shared/contract.rs"]
mod contract;
#[path = "../shared/counting.rs"]
mod counting;

mod alive;
mod api;
mod bound;
mod cli;
mod contracts;
mod copies;
mod documents;
mod examples;
mod exchange;
mod executorch_files;
mod executorch_panel;
mod exercise;
mod fit;
mod floors;
mod gap;
mod in_the_way;
mod kernels;
mod league;
mod lessons;
mod limits;
mod models;
mod names;
mod onnx;
mod panels;
mod pictures;
mod print;
mod properties;
mod questions;
mod readers;
mod reasons;
mod recipes;
mod registry;
mod searches;
mod sizes;
mod snapshots;
mod steps;
mod supply;
mod tflite;
mod words;
mod written;

/// Returns the command line, started at the top of the workspace.
fn program() -> std::process::Command {
    let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_memplan"));
    program.current_dir(top());
    program
}

/// The top of the workspace: tests run in the folder of their package.
fn top() -> &'static std::path::Path {
    std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}
