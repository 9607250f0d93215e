//! A plan as the text of a file, written in the worker so that the page carries no writers.

use std::collections::BTreeMap;
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::answer::Planned;
use super::listener::Listener;
use super::plan::plan;
use super::source::PlanTask;
use memplan_core::base::{Message, Sizes};
use memplan_core::graph::Graph;
use memplan_core::plan::{PlanFile, faults, metrics};
use memplan_core::problem::Scope;
use memplan_core::text::Speech;
use memplan_formats::export::{self, MetricsRow, NodeValue};
use memplan_formats::import::Document;
use memplan_planners as planner;
use memplan_replay::{Level, record_all};

/// A format in which a document or its plan is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Export {
    /// `memory-graph/1`.
    Graph,
    /// `memory-plan/1`.
    Plan,
    /// Buffer list with offsets.
    Csv,
    /// Buffer list with times and offsets.
    CsvTimes,
    /// `memory-trace/1`.
    Trace,
    /// Trace of ExecuTorch's tools, by step.
    TraceByStep,
    /// JSON of TVM's graph executor.
    GraphExecutor,
    /// `memory-frame/1`, every placement.
    Frames,
    /// Node data of Model Explorer: bytes alive.
    NodeData,
    /// Table of figures as CSV.
    MetricsCsv,
    /// Table of figures as Markdown.
    MetricsMarkdown,
    /// The document in memplan's own form, for a page that is one HTML file.
    Html,
}

impl Export {
    /// All formats, in the order of the menu.
    pub const ALL: [Export; 12] = [
        Export::Html,
        Export::Graph,
        Export::Plan,
        Export::Csv,
        Export::CsvTimes,
        Export::Trace,
        Export::TraceByStep,
        Export::GraphExecutor,
        Export::Frames,
        Export::NodeData,
        Export::MetricsCsv,
        Export::MetricsMarkdown,
    ];

    /// Suffix of the file's name.
    pub const fn suffix(self) -> &'static str {
        match self {
            Export::Graph => "memory-graph.json",
            Export::Plan => "plan.json",
            Export::Csv => "csv",
            Export::CsvTimes => "times.csv",
            Export::Trace => "trace.json",
            Export::TraceByStep => "executorch-trace.json",
            Export::GraphExecutor => "graph-executor.json",
            Export::Frames => "frames.json",
            Export::NodeData => "node-data.json",
            Export::MetricsCsv => "metrics.csv",
            Export::MetricsMarkdown => "metrics.md",
            Export::Html => "html",
        }
    }

    /// Key of the sentence that names the format in the menu.
    pub const fn key(self) -> &'static str {
        match self {
            Export::Graph => "export.graph",
            Export::Plan => "export.plan",
            Export::Csv => "export.csv",
            Export::CsvTimes => "export.csv-times",
            Export::Trace => "export.trace",
            Export::TraceByStep => "export.trace-by-step",
            Export::GraphExecutor => "export.graph-executor",
            Export::Frames => "export.frames",
            Export::NodeData => "export.node-data",
            Export::MetricsCsv => "export.metrics-csv",
            Export::MetricsMarkdown => "export.metrics-markdown",
            Export::Html => "export.html",
        }
    }

    /// Whether a list of buffers cannot be written in this format.
    pub const fn needs_graph(self) -> bool {
        matches!(self, Export::Graph | Export::GraphExecutor | Export::NodeData)
    }

    /// Whether the graph alone is written, whatever the plan.
    pub const fn is_of_graph(self) -> bool {
        matches!(self, Export::Graph)
    }

    /// Whether the file holds sentences: why buffers have no place.
    pub const fn needs_words(self) -> bool {
        matches!(self, Export::Plan)
    }

    /// Whether the format holds storages without addresses.
    pub const fn needs_storages(self) -> bool {
        matches!(self, Export::GraphExecutor)
    }
}

/// Suffixes of files that memplan writes, too; an exported file has another one.
const OWN: [&str; 2] = [".json", ".csv"];

/// Suffixes of files that only other tools write.
const OTHERS: [&str; 8] = [".onnx", ".tflite", ".pte", ".pt2", ".pickle", ".hlo.pb", ".ttgir", ".mlir"];

/// Most letters of a document's name in the names of files.
const LONGEST: usize = 80;

/// Returns the name of a document without the suffix of its file, gzip or not.
pub fn stem(name: &str) -> &str {
    let packed = without(name, &[".gz"]);
    without(packed, &[&OWN[..], &OTHERS].concat())
}

/// Returns true if only files of other tools have names like this one.
pub fn is_of_another_tool(name: &str) -> bool {
    let packed = without(name, &[".gz"]);
    without(packed, &OTHERS) != packed
}

/// Returns what the name of a file made of a document begins with: names of graphs may hold what
/// names of files may not.
pub fn file_stem(name: &str) -> String {
    let safe = |c: char| if c.is_alphanumeric() || "-_. ".contains(c) { c } else { '_' };
    stem(name).chars().take(LONGEST).map(safe).collect()
}

/// Returns the name without the first of these endings that it has; a name never becomes empty.
fn without<'n>(name: &'n str, endings: &[&str]) -> &'n str {
    let lower = name.to_ascii_lowercase();
    let ending = endings.iter().find(|ending| lower.ends_with(**ending) && lower.len() > ending.len());
    ending.map_or(name, |ending| &name[..name.len() - ending.len()])
}

/// Plans as for a picture and returns the text of a file. Planners are deterministic, so the file
/// is of the plan that is shown.
///
/// # Errors
/// Why there is no plan, or the format cannot hold it.
pub(super) fn exported(
    document: &Document,
    scope: &Scope,
    task: &PlanTask,
    form: Export,
    listener: &mut dyn Listener,
) -> Result<String, Message> {
    if form.is_of_graph() {
        return write_graph(document.graph());
    }
    let planned = plan(document, scope, task, None, listener).map_err(|none| none.why)?;
    let given = task.options.iter().map(|(key, value)| (key.as_str(), value.as_str()));
    let options = planner::info(&planned.planner).and_then(|info| info.options(given).ok());
    let options = options.map_or_else(BTreeMap::new, |options| options.to_map());
    write_plan(planned, document.graph(), &options, form)
}

/// Returns the text of a graph's file.
///
/// # Errors
/// There is no graph.
pub fn write_graph(graph: Option<&Graph>) -> Result<String, Message> {
    graph.map(export::graph).ok_or_else(|| Message::new("export.no-graph"))
}

/// Returns the text of a plan's file; `options` are all options of the planner with the values
/// used.
///
/// # Errors
/// Why the format cannot hold the plan.
pub fn write_plan(
    planned: Planned,
    graph: Option<&Graph>,
    options: &BTreeMap<String, String>,
    export: Export,
) -> Result<String, Message> {
    let (problem, plan) = (&planned.problem, Some(&planned.plan));
    if matches!(export, Export::Trace) {
        export::check_no_gaps(problem)?;
    }
    Ok(match export {
        // Neither is of a plan.
        Export::Graph | Export::Html => return write_graph(graph),
        Export::Plan => {
            // In bytes and English, like the command line.
            let in_words = |message: &Message| Speech { sizes: Sizes::Exact, ..Speech::default() }.say(message);
            let file = PlanFile::new(problem, &planned.plan, &planned.planner, options.clone(), in_words);
            export::plan(&file.called(planner::own_name(&planned.planner)))
        }
        Export::Csv => export::csv(problem, plan),
        Export::CsvTimes => export::csv_times(problem, plan),
        Export::Trace => export::trace(problem, plan),
        Export::TraceByStep => return export::trace_by_step(problem, plan, planned.graph.as_ref().or(graph)),
        Export::GraphExecutor => {
            let graph = graph.ok_or_else(|| Message::new("export.no-graph"))?;
            return export::graph_executor(graph, problem, &planned.plan);
        }
        Export::Frames => {
            let run = planned.into_run(graph.cloned().map(Rc::new).as_ref());
            export::frames::frames(&record_all(&run, Level::Decisions))
        }
        Export::NodeData => {
            let graph = planned.graph.as_ref().or(graph).ok_or_else(|| Message::new("export.no-graph"))?;
            export::node_data(graph, problem, plan, NodeValue::Live)
        }
        Export::MetricsCsv => export::metrics_csv(&[row(&planned)]),
        Export::MetricsMarkdown => export::metrics_markdown(&[row(&planned)]),
    })
}

fn row(planned: &Planned) -> MetricsRow {
    let (problem, plan) = (&planned.problem, &planned.plan);
    // A planner that only computes a figure places nothing, so no rule applies.
    let figure = plan.places.iter().all(Option::is_none);
    let broken = faults(problem, plan).len() as u64;
    MetricsRow {
        graph: problem.name.clone(),
        planner: planned.planner.clone(),
        planner_name: planner::own_name(&planned.planner).map(String::from),
        violations: if figure { 0 } else { broken },
        metrics: metrics(problem, plan),
    }
}

#[cfg(test)]
mod tests {
    use super::{file_stem, stem};

    #[test]
    fn what_no_file_name_may_hold_is_replaced() {
        assert_eq!(file_stem("u-net v1.5/<main>.json"), "u-net v1.5__main_");
        assert_eq!(file_stem(&"网".repeat(200)), "网".repeat(80));
    }

    #[test]
    fn a_document_named_after_its_file_loses_the_ending() {
        for (name, short) in [
            ("A.csv", "A"),
            ("net.ONNX", "net"),
            ("g.json.gz", "g"),
            ("snapshot.pickle.gz", "snapshot"),
            ("dump.gz", "dump"),
            ("v1.5 (8).pt2", "v1.5 (8)"),
            ("模型.tflite", "模型"),
            ("resnet18", "resnet18"),
            ("a.csv.json", "a.csv"),
            (".json", ".json"),
            (".gz", ".gz"),
            ("", ""),
        ] {
            assert_eq!(stem(name), short);
        }
    }
}
