//! A plan written into a model, or as a table of C++ (docs/tflm.md), with the bytes before and
//! after.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::answer::Failure;
use crate::compare::PlannerChoice;
use crate::onnx_plan::AnnotatedModel;
use crate::plan::prepare;
use crate::program::{PlannedProgram, WrittenProgram};
use crate::readers;
use crate::reading::is_reading;
use memplan_core::base::Message;
use memplan_core::plan::{Plan, check};
use memplan_core::problem::{Problem, Scope};
use memplan_core::trace::Silent;
use memplan_formats::import::{self, Answers, Document, Format, Imported};
use memplan_formats::pte::is_program;
use memplan_formats::tflm::{self, Model};
use memplan_planners::{self as planner, Input, PlanError};

/// Name of the table in C++.
const TABLE: &str = "kOfflineNonPersistentBufferPlan";

/// What is wanted of a plan that is written into a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum WriteForm {
    /// The sizes before and after.
    Figures,
    /// The model with the plan.
    Model,
    /// The plan as a table of C++, for TensorFlow Lite Micro alone.
    Table,
}

/// Plan a model as the runtime of its format sees it. `F` stands for a file, as in
/// [`Source`](crate::Source).
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct WriteTask<F = Vec<u8>> {
    /// The `.tflite`, `.pte` or `.onnx` file.
    pub file: F,
    /// What an ONNX file leaves open, as it was answered when the file was read.
    pub answers: Answers,
    /// The planner.
    pub planner: PlannerChoice,
    /// What is wanted.
    pub form: WriteForm,
    /// Of a search for what fits: the model is written as its answer has it. The order of a program
    /// is fixed.
    pub answer: Option<AnswerToWrite>,
}

/// What the answer of a search that changes planner and order alone means for a TensorFlow Lite
/// model, or one that changes the planner alone for an ExecuTorch program.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct AnswerToWrite {
    /// The operators of the first subgraph as positions in the file; empty for the order of the
    /// file.
    pub order: Vec<usize>,
    /// Most bytes that the arena, or the planned memory of a program, may take.
    pub room: u64,
}

impl<F> WriteTask<F> {
    /// Returns the same task with `map` applied to its file.
    pub fn map_files<G>(self, map: &mut impl FnMut(F) -> G) -> WriteTask<G> {
        WriteTask {
            file: map(self.file),
            answers: self.answers,
            planner: self.planner,
            form: self.form,
            answer: self.answer,
        }
    }
}

/// What a model needs of its arena, or a program of its planned memories, in bytes, and the file
/// that was asked for.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Written {
    /// Head of the arena, or all planned memories, with the plan.
    pub with: u64,
    /// The same of a model without a plan, or of a program with its own.
    pub without: u64,
    /// The least that any plan can have.
    pub bound: u64,
    /// What is not known of a model, and what its arena needs besides.
    pub remarks: Vec<Message>,
    /// The file; empty for figures.
    pub file: Vec<u8>,
}

/// Plans a model. What is written has been read back by a reader that shares no code with the
/// writer.
///
/// # Errors
/// Outside, [`Failure::NoReaders`]; inside, why there is no such plan.
pub(super) fn written(task: &WriteTask) -> Result<Result<Written, Message>, Failure> {
    if is_reading(&task.file) {
        return Ok(Err(Message::new("write.only-read")));
    }
    match readers::read(&task.file, &task.answers) {
        Err(Failure::NoReaders) => Err(Failure::NoReaders),
        Ok(read) => Ok(match read.document.misreading() {
            Some(why) => Err(why.clone()),
            None if read.format == Format::Onnx => onnx(task, &read),
            None => of_file(task),
        }),
        Err(_) => Ok(of_file(task)),
    }
}

fn of_file(task: &WriteTask) -> Result<Written, Message> {
    let data = import::unpacked(&task.file).map_err(|faults| Failure::Faults(faults).message())?;
    if is_program(&data) { program(task, &data) } else { model(task, &data) }
}

/// An ONNX model with a plan as entries beside its values.
fn onnx(task: &WriteTask, read: &Imported) -> Result<Written, Message> {
    let data = import::unpacked(&task.file).map_err(|faults| Failure::Faults(faults).message())?;
    let written = AnnotatedModel::planned(&data, read, &task.answers, &task.planner).map_err(|error| error.message)?;
    let remarks = written.remark().into_iter().collect();
    let AnnotatedModel { data, with, without, bound } = written;
    let file = match task.form {
        WriteForm::Figures => Vec::new(),
        WriteForm::Table => return Err(Message::new("onnx-plan.option").text("option", "--table")),
        WriteForm::Model => data,
    };
    Ok(Written { with, without, bound, remarks, file })
}

/// An ExecuTorch program with the places of a plan.
fn program(task: &WriteTask, data: &[u8]) -> Result<Written, Message> {
    let program = PlannedProgram::read(data).map_err(Failure::message)?;
    let (asked, plan) = planned(&task.planner, program.asked())?;
    let WrittenProgram { data, with, without, bound } = program.written(&asked, &plan).map_err(Failure::message)?;
    if let Some(room) = task.answer.as_ref().map(|answer| answer.room).filter(|&room| with > room) {
        return Err(Message::new("fit.program-larger").bytes("with", with).bytes("room", room));
    }
    let file = match task.form {
        WriteForm::Figures => Vec::new(),
        WriteForm::Table => return Err(Message::new("pte.option").text("option", "--table")),
        WriteForm::Model => data,
    };
    Ok(Written { with, without, bound, remarks: Vec::new(), file })
}

/// A TensorFlow Lite model with an offline plan.
fn model(task: &WriteTask, data: &[u8]) -> Result<Written, Message> {
    let of_kernels = |_: usize, _: usize| None;
    // What the model needs as it is.
    let read = Model::read(data)?;
    tflm::check_replaceable(&read, data)?;
    let without = tflm::arena(&read, None, &of_kernels)?.head;
    let order = task.answer.as_ref().map_or(&[][..], |answer| &answer.order);
    let data = if order.is_empty() { Cow::Borrowed(data) } else { tflm::reorder(data, 0, order)?.into() };
    let model = Model::read(&data)?;
    let alone = tflm::arena(&model, None, &of_kernels)?;
    if let Some(message) = alone.open(&model) {
        return Err(Message { key: "tflm.open-kept".into(), ..message });
    }
    let (problem, plan) = planned(&task.planner, tflm::problem(&model, &alone, TABLE))?;
    if let Some(violation) = check(&problem, &plan).first() {
        return Err(violation.message(&problem));
    }
    let offsets = tflm::offsets(&model, &alone, &plan)?;
    let arena = tflm::check(&model, &offsets, &of_kernels)?;
    if let Some(room) = task.answer.as_ref().map(|answer| answer.room).filter(|&room| arena.head > room) {
        return Err(Message::new("fit.arena-over").bytes("with", arena.head).bytes("room", room));
    }
    let file = match task.form {
        WriteForm::Figures => Vec::new(),
        WriteForm::Table => tflm::c_table(&arena, TABLE).into_bytes(),
        WriteForm::Model => {
            let written = tflm::write(&data, &offsets)?;
            tflm::read_back(&data, &written, &offsets)?;
            reads_alike(&data, &written)?;
            written
        }
    };
    Ok(Written { with: arena.head, without, bound: arena.bound(), remarks: arena.remarks(&model), file })
}

/// Runs a planner on buffers without a graph.
fn planned(choice: &PlannerChoice, asked: Problem) -> Result<(Problem, Plan), Message> {
    if let Some(Err(why)) = planner::info(&choice.planner).map(|info| planner::applicable(info, false)) {
        return Err(PlanError::NotApplicable(why).message());
    }
    let prepared = prepare(&Document::Buffers(asked), &Scope::default(), &choice.planner, &choice.options)?;
    let input = Input { problem: &prepared.problem, graph: None };
    let plan = prepared.planner.plan(input, &prepared.options, &mut Silent).map_err(|error| error.message())?;
    Ok((prepared.problem, plan))
}

/// The reader of other tools' files, which shares no code with the writer, finds the same graph.
fn reads_alike(old: &[u8], new: &[u8]) -> Result<(), Message> {
    let read = |data: &[u8]| readers::read(data, &Answers::default()).map_err(Failure::message);
    let (before, after) = (read(old)?.document, read(new)?.document);
    let is_alike = before.graph() == after.graph();
    if is_alike { Ok(()) } else { Err(Message::new("tflm.differs").text("what", "graph")) }
}
