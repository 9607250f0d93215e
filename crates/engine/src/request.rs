//! What the engine is asked, and what it answers. The page, its worker, the command line and tests
//! ask the same way: a [`Request`] goes to [`Engine::answer`](crate::Engine::answer).

use serde::{Deserialize, Serialize};

use super::answer::{Done, Failure};
use super::compare::{CompareTask, Comparison, PlannerChoice};
use super::diff::{DiffTask, Diffed, Undiffed};
use super::export::Export;
use super::fit::{FitTask, Fitted, KernelTask};
use super::own::{OwnAnswer, OwnTask};
use super::peaks::PeakEntry;
use super::source::{PlanTask, Source};
use super::teach::{Taught, TeachTask};
use super::whatif::{WhatIfAnswer, WhatIfTask};
use super::write::{WriteTask, Written};
use memplan_core::base::Message;
use memplan_core::problem::{BufferId, Scope};
use memplan_core::text::Locale;
use memplan_fit::KernelFit;

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

/// What is wanted of a document. The answer is the variant of [`Answer`] beside it.
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
    /// Whether a kernel fits a card.
    Kernel(KernelTask),
    /// What other settings would have done to a recorded program.
    WhatIf(WhatIfTask),
    /// What a program of the user is, or does for a buffer.
    Own(OwnTask),
    /// Something for a teacher, a student or a player: the open document stays aside.
    Teach(TeachTask<F>),
}

/// What the engine answers, one variant for each [`Task`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Answer {
    /// The plan; a document without one is an answer, too.
    Planned(Box<Done>),
    /// The bytes of the file, or why the format cannot hold the plan.
    Exported(Result<Vec<u8>, Message>),
    /// Figures of plans.
    Compared(Comparison),
    /// Planners in the order in which they were asked for.
    Peaks(Vec<PeakEntry>),
    /// Peaks in the order in which the buffers were asked for; none for those without a plan.
    Without(Vec<Option<u64>>),
    /// What differs, or why that is not known.
    Diff(Box<Result<Diffed, Undiffed>>),
    /// What the model needs and the file, or why there is none.
    Written(Box<Result<Written, Message>>),
    /// What meets the budget, or why that is not known.
    Fitted(Box<Result<Fitted, Message>>),
    /// Whether the kernel fits and what would help, or why that is not known.
    Kernel(Box<Result<KernelFit, Message>>),
    /// What is known of a recorded program or a row of its table, or why there is none.
    WhatIf(Box<Result<WhatIfAnswer, Message>>),
    /// What is known about the program.
    Own(Box<OwnAnswer>),
    /// What a teacher, a student or a player asked for.
    Taught(Taught),
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
            Task::Kernel(task) => Task::Kernel(task),
            Task::WhatIf(task) => Task::WhatIf(task),
            Task::Own(task) => Task::Own(task),
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
            Task::Plan(_)
            | Task::Compare(_)
            | Task::Peaks(_)
            | Task::Without(..)
            | Task::Write(_)
            | Task::Kernel(_)
            | Task::WhatIf(_)
            | Task::Own(_) => None,
        }
    }

    /// Returns true for what is shown where it is asked for: peaks alone in a column of a list,
    /// what a program does beside its text.
    pub fn is_quick(&self) -> bool {
        matches!(self, Task::Peaks(_) | Task::Without(..) | Task::Own(_))
    }
}

/// Returns whether the readers of other tools' files have to be fetched before a request can be
/// answered.
pub fn lacks_readers<T>(result: &Result<T, Failure>) -> bool {
    matches!(result, Err(Failure::NoReaders))
}

/// Returns whether the program that runs planners of users has to be fetched before a request can
/// be answered.
pub fn lacks_writer<T>(result: &Result<T, Failure>) -> bool {
    matches!(result, Err(Failure::NoWriter))
}
