//! `memplan metrics`: the figures of one planner, several, or all that apply, as a table.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use memplan::base::Message;
use memplan::engine::IMPORTED;
use memplan::export::{MetricsRow, metrics_csv, metrics_markdown};
use memplan::plan::{Plan, faults, metrics};
use memplan::planner::{self, REGISTRY};
use memplan::problem::Problem;
use memplan::trace::Silent;

use super::error::{CliError, note, say};
use super::input::InputArgs;
use super::output::write;
use super::plan::{choose, not_applicable, refused};
use super::scope::ScopeArgs;

/// Write the figures of planners as a table
#[derive(Args)]
pub struct MetricsCommand {
    #[command(flatten)]
    input: InputArgs,

    /// Planners to run: ids of `memplan list`, or `imported` for the file's own plan (repeatable;
    /// all that apply if absent)
    #[arg(long = "planner", value_name = "ID")]
    planners: Vec<String>,

    #[command(flatten)]
    scope: ScopeArgs,

    /// Form of the table
    #[arg(long, value_enum, default_value = "csv")]
    format: TableArg,

    /// File to write; standard output if absent
    #[arg(short, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum TableArg {
    Csv,
    Markdown,
}

impl MetricsCommand {
    pub fn run(self) -> Result<(), CliError> {
        let imported = self.input.read()?;
        let (document, format) = (imported.document, imported.format);
        let mut rows = Vec::new();
        let wants = |id: &str| self.planners.is_empty() || self.planners.iter().any(|planner| planner == id);
        match document.own_plan_beside(&self.scope.scope()) {
            Some((problem, plan)) if wants(IMPORTED) => rows.push(row(&problem, &plan, IMPORTED)),
            None if self.planners.iter().any(|planner| planner == IMPORTED) => {
                return Err(CliError::because(&Message::new("cli.no-plan").text("format", format.name())));
            }
            _ => {}
        }
        let misreading = document.misreading().cloned();
        let (problem, graph) = self.scope.problem(document)?;
        let all: Vec<String> = REGISTRY.iter().map(|planner| planner.info().id.to_string()).collect();
        let ids = if self.planners.is_empty() { &all } else { &self.planners };
        for id in ids.iter().filter(|id| *id != IMPORTED) {
            let (planner, options) = choose(id, &[])?;
            let named = !self.planners.is_empty();
            if let Err(why) = planner::applicable(planner.info(), graph.is_some()) {
                if named {
                    return Err(not_applicable(planner, why));
                }
                continue;
            }
            if let Some(why) = misreading.as_ref().filter(|_| planner::proves(id, &options)) {
                if named {
                    return Err(CliError::Misread(say(why)));
                }
                continue;
            }
            let mut problem = problem.clone();
            let prepared = planner::prepare(planner, &mut problem, graph.as_ref(), &self.scope.scope(), &options);
            let planned = prepared.and_then(|reordered| {
                let graph = reordered.as_ref().or(graph.as_ref());
                planner.plan(planner::Input { problem: &problem, graph }, &options, &mut Silent)
            });
            match planned {
                Ok(plan) => rows.push(row(&problem, &plan, id)),
                Err(error) if named => return Err(refused(planner, error)),
                // A planner that was not named is left out with a warning.
                Err(error) => {
                    let text = format!("{id}: {}", say(&error.message()));
                    note(&say(&Message::new("cli.warning").text("text", text)));
                }
            }
        }
        if rows.is_empty() {
            return Err(CliError::because(&Message::new("cli.no-metrics")));
        }
        let text = match self.format {
            TableArg::Csv => metrics_csv(&rows),
            TableArg::Markdown => metrics_markdown(&rows),
        };
        write(self.output.as_deref(), &text)
    }
}

fn row(problem: &Problem, plan: &Plan, planner: &str) -> MetricsRow {
    // A planner that only computes a figure places nothing, so no rule applies.
    let figure = plan.places.iter().all(Option::is_none);
    let broken = faults(problem, plan).len() as u64;
    MetricsRow {
        graph: problem.name.clone(),
        planner: planner.into(),
        violations: if figure { 0 } else { broken },
        metrics: metrics(problem, plan),
    }
}
