//! Floor 2: bytes of a file → graph, buffers or plan. One file per format and one line each in [`read`].
//!
//! Contents decide, never the file name. Readers collect every fault; nothing in a file is ever run.
//!
//! [`read_own`] alone reads graphs, plans and buffer lists as this project writes them, without the readers of other tools'
//! files: a program can have those beside it instead of in it.

mod ask;
mod build;
mod csv;
mod cuda_snapshot;
mod executorch;
mod flat;
mod gzip;
mod loose;
mod memory_graph;
mod memory_plan;
mod nnvm;
mod onnx;
mod pt2;
mod tflite;
mod trace;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use loose::{Loose, Object};

use crate::base::{IdVec, Message};
use crate::graph::{Fault, Graph};
use crate::plan::{Plan, PoolId};
use crate::problem::{MemoryId, Problem};

pub use ask::{Choices, Parameters, Question, Unsized};
pub use csv::{EndRule, read_csv};
pub use gzip::MAX_UNPACKED;
pub use onnx::sample as sample_onnx;

/// What a file is, and all it carries.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Document {
    /// Nodes in execution order; every planner can run.
    Graph(Graph),
    /// Sizes and live ranges only; planners that need a graph cannot run.
    Buffers(Problem),
    /// Buffers with addresses.
    Plan(Problem, Plan),
    /// Nodes, and the plan that the file's own maker has for them: its buffers and live ranges, and where they lie.
    Planned(Graph, Problem, Plan),
}

impl Document {
    pub fn graph(&self) -> Option<&Graph> {
        match self {
            Document::Graph(graph) | Document::Planned(graph, ..) => Some(graph),
            Document::Buffers(_) | Document::Plan(..) => None,
        }
    }

    /// The name that the file gives; empty where it gives none.
    pub fn name(&self) -> &str {
        match self {
            Document::Graph(graph) | Document::Planned(graph, ..) => &graph.name,
            Document::Buffers(problem) | Document::Plan(problem, _) => &problem.name,
        }
    }

    pub fn rename(&mut self, name: &str) {
        if let Document::Graph(graph) | Document::Planned(graph, ..) = self {
            graph.name = name.into();
        }
        if let Document::Planned(_, problem, _) | Document::Buffers(problem) | Document::Plan(problem, _) = self {
            problem.name = name.into();
        }
    }

    /// The buffers of a document without a graph. Those of a plan state where they lie, in every memory that is one pool.
    pub fn buffers(&self) -> Option<Problem> {
        let (problem, plan) = match self {
            Document::Graph(_) | Document::Planned(..) => return None,
            Document::Buffers(problem) => return Some(problem.clone()),
            Document::Plan(problem, plan) => (problem, plan),
        };
        let mut problem = problem.clone();
        let mut pools: IdVec<MemoryId, Option<PoolId>> = IdVec::from_elem(None, problem.memories.len());
        let mut is_one = IdVec::from_elem(true, problem.memories.len());
        for (id, place) in plan.places.enumerate() {
            if let Some(place) = place {
                let memory = problem.buffers[id].memory;
                is_one[memory] &= *pools[memory].get_or_insert(place.pool) == place.pool;
            }
        }
        for id in problem.buffers.ids() {
            let buffer = &mut problem.buffers[id];
            let place = plan.places.get(id).copied().flatten().filter(|_| is_one[buffer.memory]);
            buffer.fixed = buffer.fixed.or(place.map(|place| place.offset));
        }
        Some(problem)
    }

    /// The plan in the file, with the buffers it places.
    pub fn own_plan(&self) -> Option<(&Problem, &Plan)> {
        match self {
            Document::Plan(problem, plan) | Document::Planned(_, problem, plan) => Some((problem, plan)),
            Document::Graph(_) | Document::Buffers(_) => None,
        }
    }
}

/// The formats read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Format {
    MemoryGraph,
    MemoryPlan,
    BufferCsv,
    Onnx,
    TfLite,
    GraphExecutor,
    SymbolJson,
    ExecuTorch,
    MemoryTrace,
    ExportedProgram,
    CudaSnapshot,
}

impl Format {
    pub const fn name(self) -> &'static str {
        match self {
            Format::MemoryGraph => "memory-graph/1",
            Format::MemoryPlan => "memory-plan/1",
            Format::BufferCsv => "buffer CSV",
            Format::Onnx => "ONNX",
            Format::TfLite => "TFLite",
            Format::GraphExecutor => "TVM graph executor JSON",
            Format::SymbolJson => "NNVM symbol JSON",
            Format::ExecuTorch => "ExecuTorch .pte",
            Format::MemoryTrace => "Chrome trace",
            Format::ExportedProgram => "torch.export .pt2",
            Format::CudaSnapshot => "PyTorch CUDA memory snapshot",
        }
    }
}

/// A document and what reading it had to decide or noticed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Imported {
    pub document: Document,
    pub format: Format,
    /// What the reader decided and what the file says of itself: its producer, its time base, what stands for what.
    pub facts: Vec<Message>,
    pub warnings: Vec<Fault>,
    /// What the file leaves open and the user may answer.
    pub questions: Vec<Question>,
}

impl Imported {
    /// A document without remarks.
    pub fn plain(document: Document, format: Format) -> Imported {
        Imported { document, format, facts: Vec::new(), warnings: Vec::new(), questions: Vec::new() }
    }
}

/// Reads a file, gzip or not.
///
/// # Errors
/// Every fault found, at least one.
pub fn read(bytes: &[u8], choices: Choices) -> Result<Imported, Vec<Fault>> {
    let bytes = unpacked(bytes)?;
    read_own(&bytes, &choices).unwrap_or_else(|| read_other(&bytes, &choices))
}

/// The bytes of a file as readers take them: no longer compressed, and not none.
///
/// # Errors
/// One fault: there are no bytes, or they cannot be unpacked.
pub fn unpacked(bytes: &[u8]) -> Result<Cow<'_, [u8]>, Vec<Fault>> {
    if bytes.is_empty() {
        return Err(whole(Message::new("fault.empty-file")));
    }
    if gzip::is_gzip(bytes) { gzip::unpack(bytes).map(Cow::Owned).map_err(whole) } else { Ok(Cow::Borrowed(bytes)) }
}

/// Reads a graph, a plan or a buffer list from unpacked bytes; nothing for files of other tools.
pub fn read_own(bytes: &[u8], choices: &Choices) -> Option<Result<Imported, Vec<Fault>>> {
    let text = std::str::from_utf8(bytes).ok()?.trim_start_matches('\u{feff}');
    let start = text.trim_start();
    if !start.starts_with('{') {
        return csv::looks_like_csv(start).then(|| read_csv(text, choices.end));
    }
    // Looked for as it is written, so that no large file of another tool is parsed in vain. An own file that escapes the
    // slash is read all the same, by `read_other`.
    if !FAMILIES.iter().any(|(family, _)| start.contains(family)) {
        return None;
    }
    let top = match parsed(text) {
        Ok(Loose::Object(top)) => top,
        Ok(_) => return None,
        Err(faults) => return Some(Err(faults)),
    };
    let format = top.get("format").and_then(Loose::text)?.to_string();
    let is_own = FAMILIES.iter().any(|(family, _)| format.starts_with(family));
    is_own.then(|| read_family(text, &format, top, choices))
}

/// Beginnings of the names of the project's own JSON formats, and the version of each that is read.
const FAMILIES: [(&str, &str); 2] = [("memory-graph/", "memory-graph/1"), ("memory-plan/", "memory-plan/1")];

/// Reads JSON whose `format` is one of [`FAMILIES`].
fn read_family(text: &str, format: &str, top: Object, choices: &Choices) -> Result<Imported, Vec<Fault>> {
    match format {
        "memory-graph/1" => memory_graph::read(top, choices),
        "memory-plan/1" => memory_plan::read(parsed(text)?),
        _ => {
            let known = FAMILIES.iter().find(|(family, _)| format.starts_with(family)).map_or("", |(_, known)| known);
            let message = Message::new("fault.format-version").text("found", format).text("known", known);
            Err(vec![Fault::new("format", message)])
        }
    }
}

/// Reads unpacked bytes that [`read_own`] does not.
fn read_other(bytes: &[u8], choices: &Choices) -> Result<Imported, Vec<Fault>> {
    if pt2::is_zip(bytes) {
        return pt2::read_archive(bytes, choices);
    }
    if bytes.get(4..8) == Some(b"TFL3") {
        return tflite::read(bytes, choices);
    }
    if executorch::looks_like(bytes) {
        return executorch::read(bytes, choices);
    }
    if let [0x80, 2..=5, ..] = bytes {
        return cuda_snapshot::read(bytes);
    }
    // A model in ONNX begins with its version, a byte that no text begins with; its other bytes may happen to be text.
    if (bytes.first() == Some(&8) || std::str::from_utf8(bytes).is_err())
        && let Some(read) = onnx::read(bytes, choices)
    {
        return read;
    }
    let text = std::str::from_utf8(bytes).map_err(|_| whole(not_recognised(bytes)))?;
    let text = text.trim_start_matches('\u{feff}');
    let start = text.trim_start();
    match start.as_bytes().first() {
        Some(b'{' | b'[') => read_json(text, choices),
        _ if start.starts_with("version https://git-lfs") => Err(whole(Message::new("fault.git-lfs"))),
        Some(b'<') => Err(whole(Message::new(if is_drawing(start) { "fault.svg" } else { "fault.html" }))),
        _ => Err(whole(not_recognised(bytes))),
    }
}

/// Whether text that begins with `<` is an SVG, and not a web page that may hold one.
fn is_drawing(text: &str) -> bool {
    let head: String = text.chars().take(2000).collect::<String>().to_ascii_lowercase();
    let at = |what: &str| head.find(what).unwrap_or(usize::MAX);
    at("<svg") < at("<html").min(at("<!doctype html")).min(at("<body"))
}

fn read_json(text: &str, choices: &Choices) -> Result<Imported, Vec<Fault>> {
    let top: Loose = parsed(text)?;
    if let Some(events) = trace::events(&top) {
        return trace::read(&top, events);
    }
    let Loose::Object(top) = top else { return Err(whole(Message::new("fault.not-an-object"))) };
    let format = top.get("format").and_then(Loose::text).unwrap_or_default().to_string();
    if FAMILIES.iter().any(|(family, _)| format.starts_with(family)) {
        return read_family(text, &format, top, choices);
    }
    if pt2::looks_like(&top) {
        return pt2::read_json(&top, choices);
    }
    if nnvm::looks_like(&top) {
        return nnvm::read(top, choices);
    }
    Err(vec![Fault::new("format", Message::new("fault.format-missing").text("found", format))])
}

fn parsed<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, Vec<Fault>> {
    serde_json::from_str(text).map_err(|error| whole(json_syntax(text, &error)))
}

fn whole(message: Message) -> Vec<Fault> {
    vec![Fault::new("", message)]
}

fn json_syntax(text: &str, error: &serde_json::Error) -> Message {
    let reason = error.to_string();
    let reason = reason.split(" at line ").next().unwrap_or_default().to_string();
    let line = text.lines().nth(error.line().saturating_sub(1)).unwrap_or_default();
    let mut excerpt: String = line.chars().skip(error.column().saturating_sub(30)).take(60).collect();
    if excerpt.trim().is_empty() {
        // A file that ends too early: what it ends with.
        let end: Vec<char> = text.trim_end().chars().rev().take(40).collect();
        excerpt = end.into_iter().rev().collect();
    }
    Message::new("fault.json-syntax")
        .count("line", error.line() as u64)
        .count("column", error.column() as u64)
        .text("reason", reason)
        .text("excerpt", excerpt)
}

/// Says what the first bytes look like, so that a wrong pick is noticed.
fn not_recognised(bytes: &[u8]) -> Message {
    let head: Vec<String> = bytes.iter().take(8).map(|byte| format!("{byte:02X}")).collect();
    let looks = match bytes {
        [0x89, b'P', b'N', b'G', ..] => "PNG",
        [b'%', b'P', b'D', b'F', ..] => "PDF",
        [0x7f, b'E', b'L', b'F', ..] => "ELF",
        _ => "",
    };
    let key = if looks.is_empty() { "fault.not-recognised" } else { "fault.not-recognised-looks" };
    Message::new(key).text("bytes", head.join(" ")).text("looks", looks)
}
