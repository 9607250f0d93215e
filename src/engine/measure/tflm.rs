//! A plan written into a `.tflite` file, or as a table of C++ (docs/tflm.md), with the arena before and after.

use serde::{Deserialize, Serialize};

use super::PlannerChoice;
use crate::base::Message;
use crate::engine::answer::Failure;
use crate::engine::plan::prepare;
use crate::engine::readers;
use crate::import::{self, Answers, Document};
use crate::plan::check;
use crate::planner::{self, Input, PlanError};
use crate::problem::Scope;
use crate::tflm::{self, Model};
use crate::trace::Silent;

/// Name of the table in C++.
const TABLE: &str = "kOfflineNonPersistentBufferPlan";

/// What is wanted of a plan for TensorFlow Lite Micro.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum TflmForm {
    /// The sizes of the arena.
    Figures,
    /// The model with the plan.
    Model,
    /// The plan as a table of C++.
    Table,
}

/// Plan a model as TensorFlow Lite Micro sees it. `F` stands for a file, as in [`Source`](crate::engine::Source).
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TflmTask<F = Vec<u8>> {
    /// The `.tflite` file.
    pub file: F,
    /// The planner.
    pub planner: PlannerChoice,
    /// What is wanted.
    pub form: TflmForm,
}

impl<F> TflmTask<F> {
    /// Returns the same task with `map` applied to its file.
    pub fn map_files<G>(self, map: &mut impl FnMut(F) -> G) -> TflmTask<G> {
        TflmTask { file: map(self.file), planner: self.planner, form: self.form }
    }
}

/// The arena of a model, in bytes, and the file that was asked for.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TflmWritten {
    /// Head of the arena with the plan.
    pub with: u64,
    /// Head of the arena without it.
    pub without: u64,
    /// The least head that any plan can have.
    pub bound: u64,
    /// The file; empty for figures.
    pub file: Vec<u8>,
}

/// Plans a model for TensorFlow Lite Micro. What is written has been read back by two readers.
///
/// # Errors
/// Outside, [`Failure::NoReaders`]; inside, why there is no such plan.
pub(super) fn written(task: &TflmTask) -> Result<Result<TflmWritten, Message>, Failure> {
    if let Err(Failure::NoReaders) = readers::read(&task.file, &Answers::default()) {
        return Err(Failure::NoReaders);
    }
    Ok(planned(task))
}

fn planned(task: &TflmTask) -> Result<TflmWritten, Message> {
    let data = import::unpacked(&task.file).map_err(|faults| Failure::Faults(faults).message())?;
    let model = Model::read(&data)?;
    let of_kernels = |_: usize, _: usize| None;
    let alone = tflm::arena(&model, None, &of_kernels)?;
    let document = Document::Buffers(tflm::problem(&model, &alone, TABLE));
    if let Some(Err(why)) = planner::info(&task.planner.planner).map(|info| planner::applicable(info, false)) {
        return Err(PlanError::NotApplicable(why).message());
    }
    let prepared = prepare(&document, &Scope::default(), &task.planner.planner, &task.planner.options)?;
    let input = Input { problem: &prepared.problem, graph: None };
    let plan = prepared.planner.plan(input, &prepared.options, &mut Silent).map_err(|error| error.message())?;
    if let Some(violation) = check(&prepared.problem, &plan).first() {
        return Err(violation.message(&prepared.problem));
    }
    let offsets = tflm::offsets(&model, &alone, &plan)?;
    let arena = tflm::check(&model, &offsets, &of_kernels)?;
    let file = match task.form {
        TflmForm::Figures => Vec::new(),
        TflmForm::Table => tflm::c_table(&arena, TABLE).into_bytes(),
        TflmForm::Model => {
            let written = tflm::write(&data, &offsets)?;
            tflm::read_back(&data, &written, &offsets)?;
            reads_alike(&data, &written)?;
            written
        }
    };
    Ok(TflmWritten { with: arena.head, without: alone.head, bound: arena.bound(), file })
}

/// The reader of other tools' files, which shares no code with the writer, finds the same graph.
fn reads_alike(old: &[u8], new: &[u8]) -> Result<(), Message> {
    let read = |data: &[u8]| readers::read(data, &Answers::default()).map_err(Failure::message);
    let (before, after) = (read(old)?.document, read(new)?.document);
    let is_alike = before.graph() == after.graph();
    if is_alike { Ok(()) } else { Err(Message::new("tflm.differs").text("what", "graph")) }
}
