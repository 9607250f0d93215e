//! `memplan write`: a plan into a model, so that the device obeys it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;
use memplan_core::base::Message;
use memplan_core::plan::{Place, Plan, PoolId, Unplanned, check as check_plan, is_takeover};
use memplan_core::problem::{BufferId, Problem, Scope, Views};
use memplan_engine::api;
use memplan_engine::{AnnotatedModel, Failure, IMPORTED, PlannedProgram, PlannerChoice};
use memplan_formats::import::{self, Answers, Document, Format, Imported};
use memplan_formats::pte::is_program;
use memplan_formats::tflm::{self, Arena, Model, Who};
use memplan_planners::{ORDERER, prepare};
use serde_json::json;

use super::built_in::example_of;
use super::error::{CliError, is_quiet, note, say, say_readable};
use super::input::{file_bytes, is_standard_input, one_standard_input, pair, shapes_have_effect, tell};
use super::output::{is_input, may_write, print_record, write, write_bytes};
use super::plan::{planning, refused, setting};
use super::planners;
use super::write_plan::plan_of_file;

/// Write a plan into a model: a TensorFlow Lite model, for TensorFlow Lite Micro, an ExecuTorch
/// program, or an ONNX model, as onnxsim does
#[derive(Args)]
pub struct WriteCommand {
    /// The model, a .tflite, .pte or .onnx file; `-` for standard input
    #[arg(value_name = "MODEL")]
    model: PathBuf,

    /// Which planner to run: an id of `memplan list`, with options as in beam;k=4, or `imported`
    /// for the model's own plan
    #[arg(long, value_name = "ID", required_unless_present = "plan")]
    planner: Vec<String>,

    /// File with the plan to write, in place of a planner: offsets by the names of tensors
    #[arg(long, value_name = "FILE", conflicts_with_all = ["planner", "settings"])]
    plan: Option<PathBuf>,

    /// Value of an option of the planner, such as tie=size (repeatable)
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = setting)]
    settings: Vec<(String, String)>,

    /// Shape or size of a tensor that an ONNX model leaves open, for example t7=1,64,56,56; may be
    /// repeated
    #[arg(long = "shape", value_name = "NAME=SHAPE", value_parser = pair)]
    shapes: Vec<(String, String)>,

    /// Order of the operators of the first subgraph, as their positions in the file: 0,2,1,…
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    order: Vec<usize>,

    /// Search for an order of the operators of the first subgraph with a lower bound, by the
    /// planner of `memplan list` that does so
    #[arg(long, conflicts_with = "order")]
    reorder: bool,

    /// Working memory of an operator in bytes, in place of that of the reference kernel: its
    /// position and bytes, such as 3=1024, or 1:3=1024 in a later subgraph (repeatable: the
    /// requests of one operator in their order)
    #[arg(long, value_name = "OPERATOR=BYTES")]
    scratch: Vec<String>,

    /// File to write, never the model itself; `-` for standard output
    #[arg(short, value_name = "FILE")]
    output: PathBuf,

    /// File for the plan as a table of C++, for NonPersistentMemoryPlannerShim with the model as it
    /// was
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,

    /// Overwrite an existing file, and write a plan that needs more than none
    #[arg(long)]
    force: bool,

    /// Print what was written as JSON for programs
    #[arg(long)]
    json: bool,

    /// Most bytes that the arena may take for a plan to be written, in place of what the model
    /// needs without one.
    #[arg(skip)]
    room: Option<u64>,
}

/// Working memory by subgraph and operator.
type Scratch = BTreeMap<(usize, usize), Vec<u64>>;

impl WriteCommand {
    /// Writes the plan of a planner into a model, if its arena, or the planned memory of a program,
    /// takes at most `room` bytes.
    pub fn within(room: u64, model: PathBuf, planner: &str, output: PathBuf, force: bool) -> WriteCommand {
        WriteCommand {
            model,
            planner: vec![planner.to_string()],
            plan: None,
            settings: Vec::new(),
            shapes: Vec::new(),
            order: Vec::new(),
            reorder: false,
            scratch: Vec::new(),
            output,
            table: None,
            force,
            json: false,
            room: Some(room),
        }
    }

    /// The same with the operators of the first subgraph in this order, as positions in the file.
    pub fn in_order(self, order: Vec<usize>) -> WriteCommand {
        WriteCommand { order, ..self }
    }

    /// The same with at most so many bytes.
    pub fn with_room(self, room: u64) -> WriteCommand {
        WriteCommand { room: Some(room), ..self }
    }

    /// Refuses what is known before anything is planned: the paths, and a file that is no model.
    /// Returns whether it is an ExecuTorch program.
    pub fn may_write(&self) -> Result<bool, CliError> {
        self.may_write_paths()?;
        let data = self.data()?;
        if is_program(&data) {
            return PlannedProgram::read(&data).map(|_| true).map_err(refused_program);
        }
        let model = Model::read(&data).and_then(|model| tflm::check_replaceable(&model, &data));
        model.map(|()| false).map_err(|refusal| self.unusable(refusal))
    }

    fn may_write_paths(&self) -> Result<(), CliError> {
        let path = |path: &Path| path.display().to_string();
        let taken = if self.room.is_some() { "fit.exists" } else { "tflm.exists" };
        for output in std::iter::once(&self.output).chain(&self.table) {
            if !is_standard_input(output) && is_input(output, &self.model) {
                return Err(CliError::because(&Message::new("tflm.same-file").text("path", path(output))));
            }
            if output.exists() && !is_standard_input(output) && !self.force {
                return Err(CliError::because(&Message::new(taken).text("path", path(output))));
            }
        }
        let printed = self.json.then_some(Path::new("-"));
        let outputs = std::iter::once(&self.output).chain(&self.table).map(PathBuf::as_path).chain(printed);
        may_write(outputs, self.plan.as_deref(), self.force)
    }

    fn data(&self) -> Result<Vec<u8>, CliError> {
        if example_of(&self.model).is_some() {
            let message = Message::new("cli.example-no-file").text("path", self.model.display().to_string());
            return Err(CliError::because(&message));
        }
        Ok(file_bytes(&self.model)?.into_owned())
    }

    fn unusable(&self, refusal: Message) -> CliError {
        if refusal.key != "tflm.not-tflite" {
            return CliError::because(&refusal);
        }
        // A fit writes into fewer kinds of files.
        let key = if self.room.is_some() { "tflm.not-tflite" } else { "write.not-a-model" };
        CliError::because(&Message::new(key).text("path", self.model.display().to_string()))
    }

    pub fn run(self) -> Result<(), CliError> {
        self.choice()?;
        self.may_write_paths()?;
        one_standard_input(std::iter::once(&self.model).chain(&self.plan).map(PathBuf::as_path))?;
        let data = self.data()?;
        // What the reader of the other commands refuses, the code below refuses with its own
        // reasons.
        let shapes = self.shapes.iter().cloned().collect();
        let answers = Answers { shapes, file: self.model.display().to_string(), ..Answers::default() };
        let read = import::read(&data, answers.clone());
        if !self.shapes.is_empty() {
            let read = read.as_ref().map_err(|faults| CliError::faults(faults))?;
            shapes_have_effect(&data, &answers, read)?;
        }
        if let Ok(read) = read {
            CliError::unless_misread(&read.document)?;
            // Within a budget, the model has been read before.
            if self.room.is_none() {
                tell(&read, "", |key| key != "warning.plan-invalid");
            }
            if self.room.is_none() && read.format == Format::Onnx {
                return self.write_onnx(&data, &read, &answers);
            }
        }
        if is_program(&data) {
            return self.write_program(&data);
        }
        let unusable = |refusal: Message| self.unusable(refusal);
        let scratch = self.scratch()?;
        let extra = |subgraph: usize, operator: usize| scratch.get(&(subgraph, operator)).cloned();
        // What the model needs as it is.
        let read = Model::read(&data).map_err(unusable)?;
        tflm::check_replaceable(&read, &data).map_err(unusable)?;
        scratch_is_of(&read, &scratch)?;
        let without = tflm::arena(&read, None, &extra).map_err(unusable)?.head;
        let order = if self.reorder { better_order(&data)? } else { self.order.clone() };
        // Working memory given by position means the order of the file.
        let extra = |subgraph: usize, operator: usize| {
            let old = if subgraph == 0 { order.get(operator).copied().unwrap_or(operator) } else { operator };
            extra(subgraph, old)
        };
        let data = if order.is_empty() { data } else { tflm::reorder(&data, 0, &order).map_err(unusable)? };
        let model = Model::read(&data).map_err(unusable)?;
        let alone = tflm::arena(&model, None, &extra).map_err(unusable)?;
        let open = alone.open(&model);
        if let Some(message) = open.clone().filter(|_| !self.force) {
            return Err(CliError::because(&message));
        }
        let offsets = self.offsets(&model, &alone)?;
        let planned = tflm::check(&model, &offsets, &extra).map_err(unusable)?;
        let larger = match self.room {
            Some(room) => (planned.head > room).then(|| Message::new("fit.arena-larger").bytes("room", room)),
            None if self.force => None,
            None => (planned.head > without).then(|| Message::new("tflm.larger").bytes("without", without)),
        };
        if let Some(message) = larger {
            return Err(self.too_large(message.bytes("with", planned.head)));
        }
        let written = tflm::write(&data, &offsets).map_err(unusable)?;
        tflm::read_back(&data, &written, &offsets).map_err(unusable)?;
        reads_alike(&data, &written)?;
        write_bytes(&self.output, &written)?;
        if let Some(table) = &self.table {
            write(Some(table), &tflm::c_table(&planned, "kOfflineNonPersistentBufferPlan"))?;
        }
        let plain = if planned.unknown.is_empty() { "tflm.told" } else { "tflm.told-least" };
        self.tell([plain, "fit.arena-told"], [planned.head, without, planned.bound()])?;
        if let Some(message) = open.filter(|_| !is_quiet()) {
            note(&say(&Message { key: "tflm.open-written".into(), ..message }));
        }
        for remark in planned.remarks(&model).into_iter().filter(|_| !is_quiet()) {
            note(&if self.room.is_some() { say_readable(&remark) } else { say(&remark) });
        }
        Ok(())
    }

    /// Refuses options that are for TensorFlow Lite models only.
    fn without_options(&self, key: &'static str) -> Result<(), CliError> {
        let given = [
            (!self.order.is_empty(), "--order"),
            (self.reorder, "--reorder"),
            (!self.scratch.is_empty(), "--scratch"),
            (self.table.is_some(), "--table"),
        ];
        match given.iter().find(|(is_given, _)| *is_given) {
            Some((_, option)) => Err(CliError::because(&Message::new(key).text("option", *option))),
            None => Ok(()),
        }
    }

    /// Writes a plan into an ONNX model.
    fn write_onnx(&self, data: &[u8], read: &Imported, answers: &Answers) -> Result<(), CliError> {
        self.without_options("onnx-plan.option")?;
        let document = &read.document;
        let written = match (&self.stated(), document) {
            (Some(_), Document::Planned(graph, problem, plan)) if self.plan.is_none() => {
                AnnotatedModel::with_plan(data, graph, answers, problem, plan)?
            }
            (Some(file), Document::Graph(graph) | Document::Planned(graph, ..)) => {
                let scope = Scope { views: Views::Copy, ..Scope::default() };
                let (asked, _) = api::problem(document, &scope)?;
                let plan = plan_of_file(file, &asked, |_| true)?;
                AnnotatedModel::with_plan(data, graph, answers, &asked, &completed(&asked, plan))?
            }
            _ => {
                let choice = self.choice()?.unwrap_or_default();
                let _progress = planning(&choice);
                AnnotatedModel::planned(data, read, answers, &choice)?
            }
        };
        write_bytes(&self.output, &written.data)?;
        self.tell(["onnx-plan.told"; 2], [written.with, written.without, written.bound])?;
        if let Some(remark) = written.remark().filter(|_| !is_quiet()) {
            note(&say(&remark));
        }
        Ok(())
    }

    /// Writes a plan into an ExecuTorch program.
    fn write_program(&self, data: &[u8]) -> Result<(), CliError> {
        self.without_options("pte.option")?;
        let program = PlannedProgram::read(data).map_err(refused_program)?;
        let asked = program.asked();
        let (asked, plan) = match &self.stated() {
            Some(file) => plan_of_file(file, &asked, |_| false).map(|plan| (asked, plan))?,
            None => self.ran(asked)?,
        };
        let written = program.written(&asked, &plan).map_err(refused_program)?;
        let (with, without) = (written.with, written.without);
        let larger = match self.room {
            Some(room) => (with > room).then(|| Message::new("fit.program-larger").bytes("room", room)),
            None if self.force => None,
            None => (with > without).then(|| Message::new("tflm.larger").bytes("without", without)),
        };
        if let Some(message) = larger {
            return Err(self.too_large(message.bytes("with", with)));
        }
        write_bytes(&self.output, &written.data)?;
        self.tell(["pte.told", "fit.program-told"], [with, without, written.bound])
    }

    /// The error of a plan that needs too much; within a budget, sizes have the units of the
    /// answer.
    fn too_large(&self, message: Message) -> CliError {
        if self.room.is_some() { CliError::readable(&message) } else { CliError::because(&message) }
    }

    /// The planner and its options; none if the plan is that of a file.
    fn choice(&self) -> Result<Option<PlannerChoice>, CliError> {
        if self.plan.is_some() {
            return Ok(None);
        }
        planners::one(&self.planner, &self.settings).map(Some)
    }

    /// The file whose plan is written, if no planner runs: the model's own is that of the model.
    fn stated(&self) -> Option<PathBuf> {
        let is_own = self.planner == [IMPORTED];
        self.plan.clone().or_else(|| is_own.then(|| self.model.clone()))
    }

    /// Tells what was written: bytes with the plan, without it, and the bound; by the second key
    /// within a budget.
    fn tell(&self, [plain, within]: [&'static str; 2], [with, without, bound]: [u64; 3]) -> Result<(), CliError> {
        let sentence = Message::new(if self.room.is_some() { within } else { plain });
        let sentence = sentence.text("path", self.output.display().to_string()).bytes("with", with);
        let sentence = sentence.bytes("without", without).bytes("bound", bound);
        // Beside a result that is printed elsewhere, the sentence is a note.
        if !is_quiet() || (!self.json && self.room.is_none()) {
            note(&match self.room {
                Some(room) => say_readable(&sentence.bytes("room", room)),
                None => say(&sentence),
            });
        }
        if !self.json {
            return Ok(());
        }
        print_record(
            "write/1",
            json!({
                "output": self.output.display().to_string(),
                "with": with,
                "without": without,
                "bound": bound,
            }),
        )
    }

    /// Plans what TensorFlow Lite Micro asks for.
    fn offsets(&self, model: &Model, alone: &Arena) -> Result<Vec<i32>, CliError> {
        let name = super::input::file_name(&self.model);
        let asked = tflm::problem(model, alone, &name);
        let plan = match &self.stated() {
            Some(file) => {
                let is_scratch = |id: BufferId| matches!(alone.requests[id.0 as usize].who, Who::Scratch(_));
                let mut plan = plan_of_file(file, &asked, is_scratch)?;
                // Working memory is not written: its places follow from the others.
                let base = plan.places.iter().find_map(|place| *place).map(|place| Place { offset: 0, ..place });
                for id in asked.buffers.ids().filter(|&id| is_scratch(id)) {
                    plan.places[id] = base;
                }
                plan
            }
            None => {
                let (problem, plan) = self.ran(asked)?;
                if let Some(violation) = check_plan(&problem, &plan).first() {
                    return Err(CliError::because(&violation.message(&problem)));
                }
                plan
            }
        };
        tflm::offsets(model, alone, &plan).map_err(|refusal| CliError::because(&refusal))
    }

    /// Runs the planner on buffers without a graph.
    fn ran(&self, asked: Problem) -> Result<(Problem, Plan), CliError> {
        let PlannerChoice { planner, options } = self.choice()?.unwrap_or_default();
        let _progress = planning(&PlannerChoice { planner: planner.clone(), options: options.clone() });
        let ran = api::plan(&Document::Buffers(asked), &planner, &options, &Scope::default())?;
        Ok((ran.problem, ran.plan))
    }

    fn scratch(&self) -> Result<Scratch, CliError> {
        let mut scratch = Scratch::new();
        for text in &self.scratch {
            let read = || {
                let (operator, bytes) = text.split_once('=')?;
                let (subgraph, operator) = operator.split_once(':').unwrap_or(("0", operator));
                let bytes: u64 = bytes.parse().ok().filter(|bytes| *bytes <= i32::MAX as u64)?;
                Some(((subgraph.parse().ok()?, operator.parse().ok()?), bytes))
            };
            let (operator, bytes) =
                read().ok_or_else(|| CliError::because(&Message::new("tflm.scratch").text("text", text)))?;
            scratch.entry(operator).or_default().push(bytes);
        }
        Ok(scratch)
    }
}

/// A plan of which only the places are known: buffers without one are left out on purpose, and of
/// two in one place the later overwrites the earlier where it can.
fn completed(problem: &Problem, mut plan: Plan) -> Plan {
    let without = problem.buffers.ids().filter(|&id| plan.places[id].is_none());
    plan.unplanned = without.map(|id| (id, Unplanned::StatedByFile)).collect();
    let mut in_place: BTreeMap<(PoolId, u64), Vec<BufferId>> = BTreeMap::new();
    for (id, place) in plan.places.enumerate() {
        if let Some(Place { pool, offset }) = *place {
            in_place.entry((pool, offset)).or_default().push(id);
        }
    }
    for mut members in in_place.into_values() {
        members.sort_by_key(|&id| (problem.buffers[id].live.start, id));
        let pairs = members.windows(2).map(|pair| (pair[1], pair[0]));
        let taken: Vec<_> = pairs.filter(|&(to, from)| is_takeover(problem, &plan, to, from)).collect();
        plan.shared.extend(taken);
    }
    plan
}

/// Refuses working memory of an operator that the model does not have.
fn scratch_is_of(model: &Model, scratch: &Scratch) -> Result<(), CliError> {
    let absent = scratch.keys().find(|&&(subgraph, operator)| operator >= model.operators(subgraph));
    absent.map_or(Ok(()), |&(subgraph, operator)| {
        let message = Message::new("tflm.no-operator").count("operator", operator as u64);
        let message = message.count("subgraph", subgraph as u64).count("n", model.operators(subgraph) as u64);
        Err(CliError::because(&message))
    })
}

fn refused_program(failure: Failure) -> CliError {
    match failure {
        Failure::Faults(faults) => CliError::faults(&faults),
        other => CliError::because(&other.message()),
    }
}

/// An order of the operators of the first subgraph with a lower bound, as their positions in the
/// file; empty if there is none.
fn better_order(data: &[u8]) -> Result<Vec<usize>, CliError> {
    let document = import::read(data, Answers::default()).map_err(|faults| CliError::faults(&faults))?.document;
    let scope = Scope { views: Views::Copy, align: tflm::ALIGN, ..Scope::default() };
    let Some(graph) = document.graph() else { return Ok(Vec::new()) };
    let (mut problem, _) = api::problem(&Document::Graph(graph.clone()), &scope)?;
    let options = ORDERER.info().defaults();
    let found = prepare(ORDERER, &mut problem, Some(graph), &scope, &options);
    let Some(better) = found.map_err(|error| refused(ORDERER, error))? else { return Ok(Vec::new()) };
    Ok(better.order_in(graph))
}

/// The reader of the other commands, which shares no code with the writer, finds the same graph,
/// and the plan.
fn reads_alike(old: &[u8], new: &[u8]) -> Result<(), CliError> {
    let read = |data: &[u8]| import::read(data, Answers::default()).map_err(|faults| CliError::faults(&faults));
    let (before, after) = (read(old)?.document, read(new)?.document);
    let differs = |what: &str| Err(CliError::because(&Message::new("tflm.differs").text("what", what)));
    if before.graph() != after.graph() {
        return differs("graph");
    }
    Ok(())
}
