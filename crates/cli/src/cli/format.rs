//! The formats written, and what of a document each can hold.

use std::collections::BTreeMap;
use std::path::Path;

use clap::ValueEnum;
use memplan_core::base::Message;
use memplan_core::graph::Graph;
use memplan_core::plan::{Plan, PlanFile};
use memplan_core::problem::Problem;
use memplan_core::text::Locale;
use memplan_engine::api;
use memplan_formats::export::{self, NodeValue};
use memplan_own::problem_text;
use memplan_planners::{Options, own_name};

use super::error::{CliError, note, say};
use super::output::{write, write_pieces};

/// A format of files.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FormatArg {
    /// memory-graph/1 JSON: the graph
    MemoryGraph,
    /// memory-plan/1 JSON: buffers with addresses
    MemoryPlan,
    /// id,lower,upper,size,…: opens in MiniMalloc
    Csv,
    /// tensor_name,size,offset,start_time,end_time with the last step included
    CsvTimes,
    /// Chrome trace with time from left to right: opens in Perfetto
    Trace,
    /// Chrome trace with memory from left to right, as ExecuTorch's inspection tool writes it
    TraceExecutorch,
    /// The JSON of TVM's graph executor: a graph whose plan has storages and no addresses
    GraphExecutor,
    /// Node data of Model Explorer: bytes alive while each node runs
    ModelExplorer,
    /// Node data of Model Explorer: the offset of what each node makes
    ModelExplorerOffset,
    /// Node data of Model Explorer: free bytes below the highest live buffer while each node runs
    ModelExplorerFree,
    /// memory-problem/1 JSON: what a planner in another language is given
    MemoryProblem,
}

impl FormatArg {
    /// By the suffix of a file, before `.gz` if there is one; JSON holds a graph if there is one.
    pub fn of(path: &Path, has_graph: bool) -> Option<FormatArg> {
        let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        match name.rsplit_once('.')?.1 {
            "json" if has_graph => Some(FormatArg::MemoryGraph),
            "json" => Some(FormatArg::MemoryPlan),
            "csv" => Some(FormatArg::Csv),
            _ => None,
        }
    }

    pub fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_string())
    }
}

/// Buffers to be written, with what else is known.
pub struct Contents<'a> {
    pub problem: &'a Problem,
    pub plan: Option<&'a Plan>,
    pub graph: Option<&'a Graph>,
    /// Registry id of what made the plan.
    pub planner: &'a str,
    pub options: BTreeMap<String, String>,
}

impl Contents<'_> {
    /// Writes the file, a plan piece by piece, and warns as [`Contents::text`] does.
    pub fn write(self, format: FormatArg, path: Option<&Path>) -> Result<(), CliError> {
        let (FormatArg::MemoryPlan, Some(plan)) = (format, self.plan) else {
            return write(path, &self.text(format)?);
        };
        losses(format, plan);
        let Contents { problem, planner, options, .. } = self;
        let words = |left_out: &Message| api::say(left_out, Locale::En);
        let file = PlanFile::without_buffers(problem, plan, planner, options, words).called(own_name(planner));
        write_pieces(path, export::plan_pieces(&file, PlanFile::records(problem, plan)))
    }

    /// Returns the text of the file, and warns on standard error of what the format cannot hold.
    pub fn text(self, format: FormatArg) -> Result<String, CliError> {
        let lacks = |key: &'static str| CliError::because(&Message::new(key).text("format", format.name()));
        let Contents { problem, plan, graph, planner, options } = self;
        if let Some(plan) = plan {
            losses(format, plan);
        }
        if matches!(format, FormatArg::Trace) {
            export::check_no_gaps(problem).map_err(|message| CliError::because(&message))?;
        }
        match format {
            FormatArg::MemoryGraph => graph.map(export::graph).ok_or_else(|| lacks("cli.format-needs-graph")),
            FormatArg::MemoryPlan => {
                let plan = plan.ok_or_else(|| lacks("cli.format-needs-plan"))?;
                let words = |left_out: &Message| api::say(left_out, Locale::En);
                let file = PlanFile::new(problem, plan, planner, options, words).called(own_name(planner));
                Ok(export::plan(&file))
            }
            FormatArg::Csv => Ok(export::csv(problem, plan)),
            FormatArg::CsvTimes => Ok(export::csv_times(problem, plan)),
            FormatArg::Trace => Ok(export::trace(problem, plan)),
            FormatArg::TraceExecutorch => {
                export::trace_by_step(problem, plan, graph).map_err(|message| CliError::because(&message))
            }
            FormatArg::MemoryProblem => Ok(format!("{}\n", problem_text(problem, graph, &Options::default()))),
            FormatArg::GraphExecutor => {
                let graph = graph.ok_or_else(|| lacks("cli.format-needs-graph"))?;
                let plan = plan.ok_or_else(|| lacks("cli.format-needs-plan"))?;
                export::graph_executor(graph, problem, plan).map_err(|message| CliError::because(&message))
            }
            FormatArg::ModelExplorer | FormatArg::ModelExplorerOffset | FormatArg::ModelExplorerFree => {
                let graph = graph.ok_or_else(|| lacks("cli.format-needs-graph"))?;
                let value = match format {
                    FormatArg::ModelExplorerOffset => NodeValue::Offset,
                    FormatArg::ModelExplorerFree => NodeValue::Free,
                    _ => NodeValue::Live,
                };
                if value != NodeValue::Live && plan.is_none() {
                    return Err(lacks("cli.format-needs-plan"));
                }
                Ok(export::node_data(graph, problem, plan, value))
            }
        }
    }
}

/// A trace has no words for why an overlap is the original's own, and only JSON for what was left
/// out.
fn losses(format: FormatArg, plan: &Plan) {
    let carries_unplanned = matches!(format, FormatArg::MemoryPlan | FormatArg::MemoryGraph | FormatArg::GraphExecutor);
    let loses_quirks = matches!(format, FormatArg::Trace | FormatArg::TraceExecutorch);
    let quirks = if loses_quirks { plan.quirks.len() } else { 0 };
    let unplanned = if carries_unplanned { 0 } else { plan.unplanned.len() };
    for (key, count) in [("cli.trace-quirks", quirks), ("cli.csv-unplanned", unplanned)] {
        if count > 0 {
            let text = say(&Message::new(key).count("count", count as u64));
            note(&say(&Message::new("cli.warning").text("text", text)));
        }
    }
}
