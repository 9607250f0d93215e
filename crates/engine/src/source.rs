//! Where a document comes from, and how it is planned.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use memplan_formats::import::Answers;

pub use memplan_core::trace::IMPORTED;

/// Where the document of a request comes from. `F` is what stands for a file: its bytes in the
/// engine, a handle on the page, nothing in a message (see `worker`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Source<F = Vec<u8>> {
    /// A file, or what a link carries of one, and how it is read.
    File {
        /// The file.
        file: F,
        /// Answers to what the file leaves open.
        choices: Answers,
    },
    /// A graph as edited, not yet checked: a [`RawGraph`](memplan_core::graph::RawGraph) as
    /// postcard writes it.
    Draft(F),
    /// The document of the request before.
    Keep,
}

/// Plan the document.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct PlanTask {
    /// Registry id; [`IMPORTED`] for the file's own plan; empty = the default planner for the
    /// document.
    pub planner: String,
    /// Values of the planner's options, by key; those left out have their defaults.
    pub options: BTreeMap<String, String>,
    /// Show the file's own plan, if it has one, whatever `planner` is.
    pub own_plan: bool,
    /// Record the candidates of these decisions (first, end) instead of those at the beginning of a
    /// long run.
    pub window: Option<(u32, u32)>,
    /// Lay the graph out as a diagram, too.
    pub diagram: bool,
}

impl PlanTask {
    /// Returns the task to plan by a planner with its default options.
    pub fn of(planner: &str) -> PlanTask {
        PlanTask { planner: planner.into(), ..PlanTask::default() }
    }
}

impl<F> Source<F> {
    /// Returns the same source with `map` applied to its file.
    pub fn map_files<G>(self, map: &mut impl FnMut(F) -> G) -> Source<G> {
        match self {
            Source::File { file, choices } => Source::File { file: map(file), choices },
            Source::Draft(draft) => Source::Draft(map(draft)),
            Source::Keep => Source::Keep,
        }
    }
}
