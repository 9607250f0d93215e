//! A job's plan as a file, written in the worker so that the page carries no writers.

use serde::{Deserialize, Serialize};

use super::Planned;
use crate::base::{Message, Unit};
use crate::export::{self, MetricsRow};
use crate::graph::Graph;
use crate::plan::{PlanFile, check, metrics};
use crate::replay::{Level, record_all};
use crate::text::Speech;

/// What is written of the document and its plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Export {
    Graph,
    Plan,
    Csv,
    CsvTimes,
    Trace,
    TraceByStep,
    GraphExecutor,
    Frames,
    MetricsCsv,
    MetricsMarkdown,
}

impl Export {
    pub const ALL: [Export; 10] = [
        Export::Graph,
        Export::Plan,
        Export::Csv,
        Export::CsvTimes,
        Export::Trace,
        Export::TraceByStep,
        Export::GraphExecutor,
        Export::Frames,
        Export::MetricsCsv,
        Export::MetricsMarkdown,
    ];

    /// End of the file's name.
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
            Export::MetricsCsv => "metrics.csv",
            Export::MetricsMarkdown => "metrics.md",
        }
    }

    /// Key of its entry in the menu.
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
            Export::MetricsCsv => "export.metrics-csv",
            Export::MetricsMarkdown => "export.metrics-markdown",
        }
    }

    /// Whether it says nothing of buffers without a graph.
    pub const fn needs_graph(self) -> bool {
        matches!(self, Export::Graph | Export::GraphExecutor)
    }

    /// Whether it is of the graph alone, whatever the plan.
    pub const fn is_of_graph(self) -> bool {
        matches!(self, Export::Graph)
    }

    /// Whether it has storages but no addresses.
    pub const fn needs_storages(self) -> bool {
        matches!(self, Export::GraphExecutor)
    }
}

/// Endings of files that are read: what is written of a document named after its file has another one.
const ENDINGS: [&str; 7] = [".json", ".csv", ".onnx", ".tflite", ".pte", ".pt2", ".pickle"];

/// The name of a document without the ending of its file, packed or not.
pub fn stem(name: &str) -> &str {
    let packed = without(name, &[".gz"]);
    without(packed, &ENDINGS)
}

/// A name never becomes empty.
fn without<'n>(name: &'n str, endings: &[&str]) -> &'n str {
    let lower = name.to_ascii_lowercase();
    let ending = endings.iter().find(|ending| lower.ends_with(**ending) && lower.len() > ending.len());
    ending.map_or(name, |ending| &name[..name.len() - ending.len()])
}

/// The file text of a graph.
///
/// # Errors
/// The sentence that there is none.
pub fn write_graph(graph: Option<&Graph>) -> Result<String, Message> {
    graph.map(export::graph).ok_or_else(|| Message::new("export.no-graph"))
}

/// The file text of what was planned.
///
/// # Errors
/// The sentence why this format cannot hold it.
pub fn write_plan(
    planned: Planned,
    graph: Option<&Graph>,
    options: &Options,
    export: Export,
) -> Result<String, Message> {
    let (problem, plan) = (&planned.problem, Some(&planned.plan));
    Ok(match export {
        Export::Graph => return write_graph(graph),
        Export::Plan => {
            // In bytes and English, like the command line.
            let words = |message: &Message| Speech { unit: Unit::B, ..Speech::default() }.say(message);
            export::plan(&PlanFile::new(problem, &planned.plan, &planned.planner, options.clone(), words))
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
            let run = planned.into_run(graph.cloned().map(std::rc::Rc::new).as_ref());
            export::frames::frames(&record_all(&run, Level::Decisions))
        }
        Export::MetricsCsv => export::metrics_csv(&[row(&planned)]),
        Export::MetricsMarkdown => export::metrics_markdown(&[row(&planned)]),
    })
}

/// Every option of the planner with the value used.
pub type Options = std::collections::BTreeMap<String, String>;

fn row(planned: &Planned) -> MetricsRow {
    let (problem, plan) = (&planned.problem, &planned.plan);
    // A planner that only computes a figure has no places to break a rule with.
    let figure = plan.places.iter().all(Option::is_none);
    let broken = check(problem, plan).iter().filter(|violation| !violation.is_quirk_of(plan)).count() as u64;
    MetricsRow {
        graph: problem.name.clone(),
        planner: planned.planner.clone(),
        violations: if figure { 0 } else { broken },
        metrics: metrics(problem, plan),
    }
}

#[cfg(test)]
mod tests {
    use super::stem;

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
