//! See how neural-network memory is planned.
//!
//! From a file to a plan: read the file, derive the buffers, run a planner, check the plan.
//!
//! ```
//! use memplan::{import, planner, plan, problem, trace};
//!
//! let file = br#"{"format":"memory-graph/1","name":"chain",
//!   "tensors":[{"name":"a","dtype":"float32","shape":[256],"kind":"intermediate"},
//!              {"name":"b","dtype":"float32","shape":[256],"kind":"intermediate"}],
//!   "nodes":[{"name":"make","op":"fill","inputs":[],"outputs":["a"]},
//!            {"name":"twice","op":"mul","inputs":["a"],"outputs":["b"]}]}"#;
//! let read = import::read(file, import::Answers::default()).expect("a valid graph");
//! let import::Document::Graph(graph) = read.document else { panic!("a graph file") };
//! let problem = problem::lifetimes(&graph, &problem::Scope::default()).expect("sizes are known");
//! let first_fit = planner::find("first-fit").expect("a registered planner");
//! let input = planner::Input { problem: &problem, graph: Some(&graph) };
//! let options = first_fit.info().defaults();
//! let plan = first_fit.plan(input, &options, &mut trace::Silent).expect("applicable");
//! assert_eq!(plan.peak(&problem), 2048);
//! assert!(plan::check(&problem, &plan).is_empty());
//! ```
//!
//! | floor | rooms | | crates besides `std` |
//! |---|---|---|---|
//! | 7 | the programs, above `app` | page, worker, command line | yew, web-sys, wasm-bindgen, gloo; clap, hyper |
//! | 6 | [`lesson`], above [`worker`] and [`api`], above [`engine`] | lessons; web worker, JavaScript; what is done with a document | postcard, base64, rust-sugiyama |
//! | 5 | [`exercise`], above [`paint`] | questions about a run, instances to practise on, worksheets; canvas, SVG, charts | web-sys; plotters |
//! | 4 | [`scene`] and [`fit`] | marks, axes, view, hit test; what makes a graph fit | |
//! | 3 | [`planner`], [`replay`], [`diff`] | algorithms; any frame of a run; two plans beside each other | |
//! | 2 | [`import`], [`export`] and [`tflm`], above [`plan`] | readers, writers, plans written into models; plans and their check | serde_json, csv, flate2, prost, flatbuffers, rawzip |
//! | 1 | [`trace`] and [`transform`], above [`problem`] | events; changes of a graph; live ranges | |
//! | 0 | [`text`] and [`graph`], above [`base`] | words, networks; ids | serde; foldhash, hashbrown, strsim |
//!
//! A room uses only rooms on lower floors, with one exception: rooms before the word "above" may
//! use the room after it. Below floor 5 nothing uses the web. `tests/native/floors` checks these
//! rules, and which room may use which crate. Inside a room, no files import each other in a
//! circle.

// Only `import/flat.rs` has unsafe code, and says why.
#![deny(unsafe_code)]
#![warn(missing_docs)]

pub use memplan_core::{base, graph, id_type, plan, problem, text, trace};
pub use memplan_engine::api;
pub use memplan_fit::transform;
pub use memplan_formats::{export, import, tflm};
pub use memplan_replay::diff;
pub use memplan_scene::paint;
pub use memplan_teach::exercise;
pub use {
    memplan_engine as engine, memplan_fit as fit, memplan_planners as planner, memplan_replay as replay,
    memplan_scene as scene, memplan_worker as worker,
};

#[cfg(feature = "app")]
pub mod app;

/// Lessons, and the build that makes them.
pub mod lesson {
    #[cfg(not(target_arch = "wasm32"))]
    pub use memplan_engine::lessons as build;
    pub use memplan_teach::lesson::*;
}
