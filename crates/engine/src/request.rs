//! What the engine is asked for, and where it finds the document. The page, its worker, the command
//! line and tests ask the same way: a [`Request`] goes to [`Engine::answer`](crate::Engine::answer).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::answer::Failure;
use super::compare::{CompareTask, PlannerChoice};
use super::diff::DiffTask;
use super::export::Export;
use super::fit::FitTask;
use super::teach::TeachTask;
use super::write::WriteTask;
use memplan_core::problem::{BufferId, Scope};
use memplan_core::text::Locale;
use memplan_formats::import::Answers;

/// Planner id that stands for the plan of the file itself.
pub const IMPORTED: &str = "imported";

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

/// A document, and what is wanted of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Request<F = Vec<u8>> {
    /// The document.
    pub source: Source<F>,
    /// What of a graph is planned.
    pub scope: Scope,
    /// What is wanted.
    pub task: Task<F>,
}

/// What is wanted of a document. The answer is the variant of [`Answer`](crate::Answer) beside it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Task<F = Vec<u8>> {
    /// A plan that is shown.
    Plan(PlanTask),
    /// The same plan as the text of a file.
    Export(PlanTask, Export),
    /// Figures of several plans.
    Compare(CompareTask<F>),
    /// Peaks alone, each planned once.
    Peaks(Vec<PlannerChoice>),
    /// Peaks of one planner without one buffer after the other.
    Without(PlannerChoice, Vec<BufferId>),
    /// What differs from an older file.
    Diff(DiffTask<F>),
    /// What a model needs with a plan, and a file with it.
    Write(WriteTask<F>),
    /// The cheapest changes that meet a budget.
    Fit(FitTask),
    /// Something for a teacher, a student or a player: the open document stays aside.
    Teach(TeachTask<F>),
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

impl<F> Request<F> {
    /// Returns a request that needs no open document.
    pub fn teach(task: TeachTask<F>) -> Request<F> {
        Request { source: Source::Keep, scope: Scope::default(), task: Task::Teach(task) }
    }

    /// Returns the same request with `map` applied to its files.
    pub fn map_files<G>(self, mut map: impl FnMut(F) -> G) -> Request<G> {
        let source = self.source.map_files(&mut map);
        Request { source, scope: self.scope, task: self.task.map_files(&mut map) }
    }
}

impl<F> Task<F> {
    /// Returns the same task with `map` applied to its files.
    pub fn map_files<G>(self, map: &mut impl FnMut(F) -> G) -> Task<G> {
        match self {
            Task::Plan(task) => Task::Plan(task),
            Task::Export(task, export) => Task::Export(task, export),
            Task::Compare(task) => Task::Compare(task.map_files(map)),
            Task::Peaks(choices) => Task::Peaks(choices),
            Task::Without(choice, buffers) => Task::Without(choice, buffers),
            Task::Diff(task) => Task::Diff(task.map_files(map)),
            Task::Write(task) => Task::Write(task.map_files(map)),
            Task::Fit(task) => Task::Fit(task),
            Task::Teach(task) => Task::Teach(task.map_files(map)),
        }
    }

    /// Returns the language whose words the answer needs. Files are written in English, like those
    /// of the command line.
    pub fn locale(&self) -> Option<Locale> {
        match self {
            Task::Export(_, export) => export.needs_words().then_some(Locale::En),
            Task::Diff(_) | Task::Fit(_) => Some(Locale::En),
            Task::Teach(task) => task.locale(),
            Task::Plan(_) | Task::Compare(_) | Task::Peaks(_) | Task::Without(..) | Task::Write(_) => None,
        }
    }

    /// Returns true for peaks alone, which a list shows in a column.
    pub fn is_quick(&self) -> bool {
        matches!(self, Task::Peaks(_) | Task::Without(..))
    }
}

/// Returns whether the readers of other tools' files have to be fetched before a request can be
/// answered.
pub fn lacks_readers<T>(result: &Result<T, Failure>) -> bool {
    matches!(result, Err(Failure::NoReaders))
}
