//! The built-in examples. `www/graphs/index.json` lists them with what the list shows;
//! `tests/native/examples.rs` keeps it true.

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use memplan_core::problem::Live;
pub use memplan_planners::{QUIRKS, SPECIALS, Special};
use memplan_scene::{Small, Tone};

/// An entry of the list.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Example {
    /// File name in `graphs/` without `.json`.
    pub name: String,
    /// `tiny`, `networks`, `training`, or `cases`: one counter-example a planner.
    pub group: String,
    /// Number of buffers with the default scope.
    pub buffers: usize,
    /// Lower bound with inputs and outputs, in bytes.
    pub bound: u64,
    /// Load over the run in at most 64 samples, each the largest of its span, in bytes.
    pub load: Vec<u64>,
}

/// All built-in examples in order.
pub fn examples() -> &'static [Example] {
    static LIST: OnceLock<Vec<Example>> = OnceLock::new();
    // Compiled in and read by a test: an unreadable list is an empty one.
    LIST.get_or_init(|| serde_json::from_str(include_str!("../../../www/graphs/index.json")).unwrap_or_default())
}

pub use memplan_teach::lesson::example_file;

/// A plan as `www/start.json` holds it.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Pictured {
    /// Lower bound in bytes.
    pub bound: u64,
    /// Place in `boxes` of the buffer that the frame places.
    pub chosen: usize,
    /// First step, step after the last one, first byte and byte after the last one of every buffer,
    /// in order of placement.
    pub boxes: Vec<(u32, u32, u64, u64)>,
}

/// The plan worth a look that the start offers, [`memplan_teach::choices::STRIKING`]: the page has
/// no planner to make it with.
pub fn pictured() -> &'static Pictured {
    static PLAN: OnceLock<Pictured> = OnceLock::new();
    PLAN.get_or_init(|| serde_json::from_str(include_str!("../../../www/start.json")).unwrap_or_default())
}

/// The boxes of that plan with its lower bound; what cannot be in the way of the chosen one is
/// pale.
pub fn striking() -> (Vec<Small>, u64) {
    let Pictured { bound, chosen, boxes } = pictured();
    let live = |at: usize| boxes.get(at).map(|&(start, end, ..)| Live::new(start, end));
    let of_chosen = live(*chosen);
    let small = |(at, &(start, end, from, to)): (usize, &(u32, u32, u64, u64))| Small {
        steps: (start, end),
        bytes: (from, to),
        tone: if live(at).zip(of_chosen).is_some_and(|(own, other)| own.meets(other)) {
            Tone::Full
        } else {
            Tone::Pale
        },
        chosen: at == *chosen,
    };
    (boxes.iter().enumerate().map(small).collect(), *bound)
}
