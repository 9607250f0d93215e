//! `memplan convert`: the same contents in another format.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use memplan_core::base::Message;
use memplan_core::trace::IMPORTED;
use memplan_formats::import::Document;

use super::error::{CliError, remark, say};
use super::format::{Contents, FormatArg};
use super::input::InputArgs;
use super::output::{may_write, write};
use super::scope::ScopeArgs;

/// Write a file in another format, chosen by --format or by the suffix of the output: .json or
/// .csv, each with or without .gz
#[derive(Args)]
pub struct ConvertCommand {
    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    scope: ScopeArgs,

    /// Format to write; by the suffix of the output if absent
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<FormatArg>,

    /// File to write; `-` for standard output
    #[arg(short, value_name = "FILE")]
    output: PathBuf,

    /// Write also over a file that the command reads
    #[arg(long)]
    force: bool,
}

impl ConvertCommand {
    pub fn run(self) -> Result<(), CliError> {
        may_write([self.output.as_path()], [self.input.path.as_path()], self.force)?;
        // An unknown suffix is refused before a large file is read.
        if self.format.is_none() && FormatArg::of(&self.output, false).is_none() {
            let path = self.output.display().to_string();
            return Err(CliError::because(&Message::new("cli.unknown-suffix").text("path", path)));
        }
        let imported = self.input.read(self.scope.symbols())?;
        let mut document = imported.document;
        if let Document::Graph(graph) | Document::Planned(graph, ..) = &mut document {
            self.scope.set_hints(graph)?;
        }
        let format = self.format.or_else(|| FormatArg::of(&self.output, document.graph().is_some()));
        let Some(format) = format else { return Ok(()) };
        if self.format.is_none() && format == FormatArg::MemoryPlan && matches!(document, Document::Buffers(_)) {
            return Err(CliError::because(&Message::new("cli.buffers-no-json")));
        }
        if let (Document::Graph(graph), FormatArg::MemoryGraph) = (&document, format) {
            self.scope.tell(&document)?;
            // A graph is written as it is, also if some of its sizes are open.
            if graph.unsized_tensors() > 0 {
                remark(&Message::new("cli.fact").text("text", say(&graph.unsized_message())));
            }
            return write(Some(&self.output), &memplan_formats::export::graph(graph));
        }
        let (planner, options) = (IMPORTED, BTreeMap::new());
        if format == FormatArg::MemoryProblem {
            // A problem is what is planned anew, also of a file with a plan.
            let (problem, graph) = self.scope.problem(document)?;
            let contents = Contents { problem: &problem, plan: None, graph: graph.as_ref(), planner, options };
            return write(Some(&self.output), &contents.text(format)?);
        }
        if document.own_plan().is_some() {
            self.scope.tell(&document)?;
        }
        let text = match &document {
            Document::Plan(problem, plan) => {
                Contents { problem, plan: Some(plan), graph: None, planner, options }.text(format)?
            }
            Document::Planned(graph, problem, plan) => {
                Contents { problem, plan: Some(plan), graph: Some(graph), planner, options }.text(format)?
            }
            Document::Graph(_) | Document::Buffers(_) => {
                let (problem, graph) = self.scope.problem(document)?;
                Contents { problem: &problem, plan: None, graph: graph.as_ref(), planner, options }.text(format)?
            }
        };
        write(Some(&self.output), &text)
    }
}
