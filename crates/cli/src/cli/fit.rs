//! `memplan fit`: a graph and a budget → the cheapest changes by which it fits, or why there are
//! none.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use memplan_core::base::{Message, decimal};
use memplan_core::graph::Graph;
use memplan_core::problem::Problem;
use memplan_core::text::{Locale, Speech};
use memplan_engine::api;
use memplan_fit::{
    Answer, Bounds, Budget, FitRecord, KERNEL_FORMAT, LADDER_SECONDS, Lever, Prefer, Request, Runtime, StoredIn, fit,
    fit_kernel, kernel_text, limit_of, read_scratch, read_size, report_markdown, report_text, verify,
};
use memplan_formats::export;
use memplan_formats::import::{Format, Imported};
use memplan_planners::{PORTFOLIO, executorch};
use serde_json::json;

use super::error::{CliError, is_quiet, note, say_readable};
use super::fit_arena::FileArena;
use super::input::{InputArgs, file_bytes, is_standard_input, one_standard_input};
use super::output::{OutputArgs, is_input, record_text, write};
use super::progress::Progress;
use super::scope::ScopeArgs;
use super::write::WriteCommand;

/// Find the cheapest changes by which a graph fits into a memory, or prove that there are none
#[derive(Args)]
pub struct FitCommand {
    #[command(flatten)]
    input: InputArgs,

    /// A memory, the fast one first, such as SRAM=64KiB or DRAM=8MiB@4, where a byte costs 4
    /// (repeatable)
    #[arg(long = "memory", value_name = "NAME=SIZE[@COST]")]
    memories: Vec<String>,

    /// Of a Triton kernel: the card whose shared memory is the limit, such as sm_89 or gfx942, or
    /// a size; the card that it was compiled for unless told otherwise
    #[arg(long, value_name = "CARD|SIZE", conflicts_with = "memories")]
    card: Option<String>,

    /// Bytes that kernels need beside the tensors: one size, or a CSV file with `op,bytes`. With
    /// --write, it is left for the working memory of the reference kernels
    #[arg(long, value_name = "SIZE|FILE")]
    scratch: Option<String>,

    /// Bytes that stay between runs
    #[arg(long, value_name = "SIZE")]
    persistent: Option<String>,

    /// Count the whole arena of TensorFlow Lite Micro, for a .tflite file: its tail, as estimated,
    /// as bytes that stay between runs, the working memory of the reference kernels, and the
    /// tensors of subgraphs that operators run. Levers inplace and views are left out
    #[arg(long, conflicts_with_all = ["scratch", "persistent"])]
    arena: bool,

    /// What may be changed: a list of levers, or all (--help explains each)
    ///
    /// planner    the same tensors at other addresses
    /// order      the operators in another order
    /// inplace    an output takes the storage of an input that ends there
    /// views      a copy that changes nothing is a name of its input; concatenations copy nothing
    /// bank       a tensor lies in another memory
    /// spill      a tensor leaves for another memory and comes back
    /// recompute  an operator runs again before its result is read
    /// stripes    a range of operators runs for some rows at a time
    #[arg(long, value_name = "LIST", default_value = "planner,order,inplace,views", verbatim_doc_comment)]
    allow: String,

    /// Most that may be paid, such as macs=5% or bytes=1MiB (repeatable)
    #[arg(long = "limit", value_name = "PRICE=MOST")]
    limits: Vec<String>,

    /// Which price counts first
    #[arg(long, value_name = "PRICE", default_value = "macs", value_parser = ["macs", "bytes"])]
    prefer: String,

    /// Seconds of search
    #[arg(long, value_name = "N", default_value = "5")]
    seconds: String,

    /// The price at every budget too
    #[arg(long)]
    curve: bool,

    /// Check a report in JSON instead: its figures are computed again from the graph and the budget
    #[arg(long, value_name = "REPORT")]
    verify: Option<PathBuf>,

    /// Form of the answer
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    format: FitFormat,

    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,

    /// File for the changed graph
    #[arg(long, value_name = "FILE")]
    graph: Option<PathBuf>,

    /// File for its plan
    #[arg(long, value_name = "FILE")]
    plan: Option<PathBuf>,

    /// File for the model with the plan: INPUT is a .tflite file, and planner and order alone
    /// change, or a .pte file, and the planner alone does
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,

    #[command(flatten)]
    scope: ScopeArgs,

    /// Words in Chinese
    #[arg(long)]
    zh: bool,

    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FitFormat {
    /// The verdict, the changes and what each lever does
    Text,
    /// The same for a page
    Markdown,
    /// fit/1 for programs
    Json,
}

impl FitCommand {
    pub fn run(self) -> Result<(), CliError> {
        let outputs = self.graph.iter().chain(&self.plan).chain(&self.write);
        let table = self.scratch.iter().map(Path::new).filter(|path| path.exists());
        let inputs = std::iter::once(&self.input.path).chain(&self.verify).map(PathBuf::as_path);
        // The model itself is never written over, so that --force is no way out.
        if let Some(path) =
            self.write.as_ref().filter(|path| !is_standard_input(path)).filter(|path| is_input(path, &self.input.path))
        {
            let message = Message::new("tflm.same-file").text("path", path.display().to_string());
            return Err(CliError::because(&message));
        }
        self.output.spare_with(outputs, inputs.clone().chain(table))?;
        one_standard_input(inputs.chain(self.scratch.iter().map(Path::new)))?;
        let mut request = self.request()?;
        let Imported { document, format, .. } =
            self.input.read_for(self.scope.symbols(), |key| key != "misread.file")?;
        CliError::unless_misread(&document)?;
        let runtime = match format {
            Format::TfLite => Runtime::TfLiteMicro,
            Format::ExecuTorch => Runtime::ExecuTorch,
            _ => Runtime::Compiled,
        };
        let because = |message: Message| CliError::readable(&message);
        let kernel = document.buffers().filter(|problem| problem.kernel.is_some());
        if let Some(problem) = kernel {
            return self.kernel(&problem, &request);
        }
        if self.card.is_some() {
            return Err(because(Message::new("kernel.none").text("name", document.name())));
        }
        let (problem, graph) = self.scope.problem(document)?;
        let missing = || because(Message::new("fit.no-graph").text("name", problem.name.clone()));
        let graph = graph.ok_or_else(missing)?;
        let arena = if runtime == Runtime::TfLiteMicro { FileArena::read(&self.input.path) } else { None };
        if self.arena {
            let arena = arena.as_ref().ok_or_else(|| because(Message::new("fit.no-arena")))?;
            arena.count(&mut request, &graph).map_err(because)?;
        }
        if runtime == Runtime::ExecuTorch {
            // A plan that is written into the program lies as ExecuTorch aligns it.
            request.scope.align = request.scope.align.max(executorch::ALIGN);
            request.budget.granule = (!request.has(Lever::Stripes)).then_some(executorch::ALIGN);
        }
        request.available().map_err(because)?;
        let seconds = decimal(&self.seconds).filter(|seconds| (0.0..=86_400.0).contains(seconds));
        let seconds = seconds.ok_or_else(|| because(Message::new("fit.no-seconds").text("text", &self.seconds)))?;
        let begin = Instant::now();
        let stop = || begin.elapsed() >= Duration::from_secs_f64(seconds);
        if let Some(path) = &self.verify {
            return self.check(&graph, &request, path);
        }
        let model = self.write.as_ref().map(|path| {
            let model = self.input.path.clone();
            WriteCommand::within(request.budget.arena(), model, PORTFOLIO, path.clone(), self.output.force)
        });
        let is_program = model.as_ref().map(WriteCommand::may_write).transpose()?.unwrap_or_default();
        let progress = Progress::start(&Message::new("cli.progress-fit").text("seconds", &self.seconds));
        let mut answer = fit(&graph, &request, &stop).map_err(because)?;
        answer.record.search.seconds = Some(begin.elapsed().as_millis() as f64 / 1000.0);
        let begin = Instant::now();
        answer.take_ladder(&request, &|| begin.elapsed().as_secs_f64() >= LADDER_SECONDS).map_err(because)?;
        drop(progress);
        let room = request.budget.memories.first().map_or(0, |memory| memory.size);
        if let Some(arena) = arena.as_ref().filter(|_| self.arena) {
            arena.settle(&mut answer, &graph, room)?;
        }
        self.take(&answer)?;
        let speech = Speech { locale: if self.zh { Locale::Zh } else { Locale::En }, ..Speech::default() };
        let text = match if self.json { FitFormat::Json } else { self.format } {
            FitFormat::Text => report_text(&answer.record, runtime, speech),
            FitFormat::Markdown => report_markdown(&answer.record, runtime, speech),
            FitFormat::Json => serde_json::to_string(&answer.record).unwrap_or_default() + "\n",
        };
        write(self.output.path(), &text)?;
        if let Some(arena) = arena.as_ref().filter(|_| !is_quiet()) {
            arena.tell(room);
        }
        if let (Some(model), Some(finished)) = (model, &answer.finished) {
            let record = &answer.record;
            let model = if is_program {
                record.plan_to_write().map_err(because)?;
                model.with_room(record.budget.available)
            } else {
                model.in_order(record.order_to_write(&graph, &finished.graph).map_err(because)?)
            };
            model.run()?;
        }
        match answer.record.result.as_str() {
            "fits" => Ok(()),
            "impossible" => Err(CliError::OutOfReach),
            _ => Err(CliError::NotFound),
        }
    }

    /// Answers for a kernel, whose limit is a memory in bytes, or a card.
    fn kernel(&self, problem: &Problem, request: &Request) -> Result<(), CliError> {
        let because = |message: Message| CliError::readable(&message);
        let given = [
            ("--scratch", self.scratch.is_some()),
            ("--persistent", self.persistent.is_some()),
            ("--verify", self.verify.is_some()),
            ("--graph", self.graph.is_some()),
            ("--plan", self.plan.is_some()),
            ("--write", self.write.is_some()),
            ("--format markdown", self.format == FitFormat::Markdown),
            ("--memory", self.memories.len() > 1),
        ];
        if let Some((option, _)) = given.into_iter().find(|(_, is_given)| *is_given) {
            return Err(because(Message::new("kernel.options").text("option", option)));
        }
        let memory = request.budget.memories.first().map(|memory| memory.size);
        let limit = memory.map_or_else(|| limit_of(problem, self.card.as_deref()), Ok).map_err(because)?;
        let answer = fit_kernel(problem, limit).map_err(because)?;
        let is_json = self.json || self.format == FitFormat::Json;
        let speech = Speech { locale: if self.zh { Locale::Zh } else { Locale::En }, ..Speech::default() };
        let text = if is_json {
            record_text(KERNEL_FORMAT, serde_json::to_value(&answer).unwrap_or_default())
        } else {
            kernel_text(&answer, speech)
        };
        write(self.output.path(), &text)?;
        if answer.is_solved() { Ok(()) } else { Err(CliError::NotFound) }
    }

    /// Writes the changed graph and its plan where they are wanted.
    fn take(&self, answer: &Answer) -> Result<(), CliError> {
        let Some(finished) = answer.to_save() else {
            for path in self.graph.iter().chain(&self.plan) {
                note(&say_readable(&Message::new("fit.nothing-written").text("path", path.display().to_string())));
            }
            return Ok(());
        };
        if let Some(path) = &self.graph {
            write(Some(path), &export::graph(&finished.graph))?;
        }
        if let Some(path) = &self.plan {
            let file = api::plan_file(&finished.problem, &finished.plan, PORTFOLIO, BTreeMap::new());
            write(Some(path), &export::plan(&file))?;
        }
        Ok(())
    }

    fn check(&self, graph: &Graph, request: &Request, path: &Path) -> Result<(), CliError> {
        let bytes = file_bytes(path)?;
        let report: FitRecord = serde_json::from_slice(&bytes).map_err(|error| {
            let message = Message::new("fit.not-report").text("path", path.display().to_string());
            CliError::readable(&message.text("reason", error.to_string()))
        })?;
        verify(graph, request, &report).map_err(|message| CliError::readable(&message))?;
        if self.json || self.format == FitFormat::Json {
            let record = json!({ "verified": true, "result": report.result });
            return write(self.output.path(), &record_text("fit-verified/1", record));
        }
        let done = Message::new("fit.verified").text("result", report.result.clone());
        write(self.output.path(), &(super::error::say_readable(&done) + "\n"))
    }

    fn request(&self) -> Result<Request, CliError> {
        let because = |message: Message| CliError::readable(&message);
        let memories: Result<Vec<StoredIn>, Message> = self.memories.iter().map(|text| StoredIn::parse(text)).collect();
        let mut budget = Budget { memories: memories.map_err(because)?, ..Budget::default() };
        if let Some(text) = &self.scratch {
            match read_size(text) {
                Some(bytes) => budget.scratch = Some(bytes),
                None if text != "-" && !Path::new(text).exists() => {
                    return Err(because(Message::new("fit.no-scratch").text("text", text)));
                }
                None => budget.by_operator = by_operator(Path::new(text))?,
            }
        }
        budget.persistent = self.persistent.as_deref().map(sized).transpose()?;
        Ok(Request {
            budget,
            allow: Lever::list(&self.allow).map_err(because)?,
            limits: self.bounds()?,
            prefer: if self.prefer == "bytes" { Prefer::Bytes } else { Prefer::Macs },
            scope: self.scope.scope(),
            curve: self.curve,
        })
    }

    fn bounds(&self) -> Result<Bounds, CliError> {
        let mut bounds = Bounds::default();
        let taken = self.limits.iter().try_for_each(|text| bounds.take(text));
        taken.map(|()| bounds).map_err(|message| CliError::readable(&message))
    }
}

fn sized(text: &str) -> Result<u64, CliError> {
    read_size(text).ok_or_else(|| CliError::readable(&Message::new("fit.bad-size").text("text", text)))
}

/// Reads lines `op,bytes`; a first line of words is a heading.
fn by_operator(path: &Path) -> Result<BTreeMap<String, u64>, CliError> {
    let unreadable = |reason: String| {
        let message = Message::new("cli.cannot-read").text("path", path.display().to_string());
        CliError::readable(&message.text("reason", reason))
    };
    let bytes = file_bytes(path)?;
    let text = std::str::from_utf8(&bytes).map_err(|error| unreadable(error.to_string()))?;
    read_scratch(text).map_err(|fault| {
        let key = if fault.is_twice { "fit.scratch-twice" } else { "fit.scratch-line" };
        let message = Message::new(key).text("path", path.display().to_string());
        CliError::readable(&message.count("line", fault.line as u64).text("text", fault.text))
    })
}
