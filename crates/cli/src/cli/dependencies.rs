//! `memplan dependencies`: the orders that a plan adds to its graph.

use clap::Args;
use memplan_core::base::Message;
use memplan_core::graph::{Graph, MAX_NODES, NodeId};
use memplan_core::plan::{Dependencies, dependencies};
use memplan_core::problem::{BufferId, Problem, first_joined};
use memplan_core::trace::Silent;
use serde_json::{Value, json};

use super::error::{CliError, say};
use super::output::{print, print_record};
use super::plan::RunArgs;

/// List the orders between nodes that exist only because a plan lets buffers share bytes
#[derive(Args)]
pub struct DependenciesCommand {
    #[command(flatten)]
    run: RunArgs,

    /// Print JSON for programs
    #[arg(long)]
    json: bool,
}

impl DependenciesCommand {
    pub fn run(self) -> Result<(), CliError> {
        let path = self.run.path();
        let ran = self.run.plan(&mut Silent)?;
        let Some(graph) = ran.graph else {
            return Err(CliError::because(&Message::new("cli.dependencies-need-graph").text("path", path)));
        };
        if let Some(node) = first_joined(&graph, &ran.problem) {
            return Err(CliError::because(&Message::new("cli.dependencies-parts").name("name", node.name.clone())));
        }
        let Some(found) = dependencies(&graph, &ran.problem, &ran.plan) else {
            let message = Message::new("cli.dependencies-too-large").count("nodes", graph.nodes.len() as u64);
            return Err(CliError::because(&message.count("limit", MAX_NODES as u64)));
        };
        if self.json {
            return print_record("dependencies/1", record(&graph, &ran.problem, &found));
        }
        print(&lines(&graph, &ran.problem, &found))
    }
}

/// One line a cause, and one with the figures.
fn lines(graph: &Graph, problem: &Problem, found: &Dependencies) -> String {
    let node = |id: NodeId| graph.nodes[id].name.clone();
    let name = |id: BufferId| problem.buffers[id].name.clone();
    let mut text = String::new();
    for dependency in &found.list {
        for reuse in &dependency.reuses {
            let message = Message::new("cli.dependency")
                .name("first", node(dependency.first))
                .name("then", node(dependency.then))
                .bytes("bytes", reuse.bytes)
                .name("old", name(reuse.old))
                .name("new", name(reuse.new));
            text += &(say(&message) + "\n");
        }
    }
    let figures = Message::new("cli.dependencies")
        .count("count", found.list.len() as u64)
        .count("before", found.longest_before)
        .count("after", found.longest_after);
    text + &say(&figures) + "\n"
}

fn record(graph: &Graph, problem: &Problem, found: &Dependencies) -> Value {
    let name = |id: BufferId| &problem.buffers[id].name;
    let list: Vec<Value> = found
        .list
        .iter()
        .map(|dependency| {
            let reuses = dependency.reuses.iter();
            let reuses =
                reuses.map(|reuse| json!({ "old": name(reuse.old), "new": name(reuse.new), "bytes": reuse.bytes }));
            json!({
                "first": graph.nodes[dependency.first].name,
                "then": graph.nodes[dependency.then].name,
                "reuses": reuses.collect::<Vec<_>>(),
            })
        })
        .collect();
    json!({
        "longest_path": { "without": found.longest_before, "with": found.longest_after },
        "dependencies": list,
    })
}
