//! `memplan metrics`: the figures of one planner, several, or all that apply, as a table.

use clap::{Args, ValueEnum};
use memplan_core::base::Message;
use memplan_core::plan::{Plan, faults, metrics};
use memplan_core::problem::Problem;
use memplan_core::trace::Silent;
use memplan_engine::api;
use memplan_engine::{IMPORTED, PlannerChoice};
use memplan_formats::export::{MetricsRow, metrics_csv, metrics_markdown, metrics_records};
use memplan_planners::{self as planner, REGISTRY};
use serde_json::json;

use super::error::{CliError, note, say};
use super::input::InputArgs;
use super::output::{OutputArgs, record_text, write};
use super::plan::{not_applicable, refused};
use super::planners::{self, PlannersArg};
use super::progress::{Progress, Watched};
use super::scope::ScopeArgs;

/// Write the figures of planners as a table
#[derive(Args)]
pub struct MetricsCommand {
    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    planners: PlannersArg,

    #[command(flatten)]
    scope: ScopeArgs,

    /// Form of the table
    #[arg(long, value_enum, default_value = "csv")]
    format: TableArg,

    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,

    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Clone, Copy, ValueEnum)]
enum TableArg {
    Csv,
    Markdown,
    Json,
}

impl MetricsCommand {
    pub fn run(self) -> Result<(), CliError> {
        self.output.spares([self.input.path.as_path()])?;
        let planners = self.planners.read()?;
        let imported = self.input.read(self.scope.symbols())?;
        let (document, format) = (imported.document, imported.format);
        let mut rows = Vec::new();
        // Reasons of planners that were named; the others have their rows all the same.
        let mut refusals = Vec::new();
        let named = !planners.is_empty();
        let names_own = planners.iter().any(|choice| choice.planner == IMPORTED);
        match document.own_plan_beside(&self.scope.scope()) {
            Some((problem, plan)) if names_own || !named => rows.push(row(&problem, &plan, IMPORTED)),
            None if names_own => {
                return Err(CliError::because(&Message::new("cli.no-plan").text("format", format.name())));
            }
            _ => {}
        }
        let misreading = document.misreading().cloned();
        let (problem, graph) = self.scope.problem(document.clone())?;
        let all = REGISTRY.iter().map(|planner| PlannerChoice::of(planner.info().id));
        let choices = if named { planners } else { all.collect() };
        let count = choices.len() as u64;
        for (number, choice) in (1u64..).zip(choices.iter().filter(|choice| choice.planner != IMPORTED)) {
            let given: Vec<(String, String)> = choice.options.clone().into_iter().collect();
            let (planner, options) = planners::choose(&choice.planner, &given)?;
            let id = &choice.text();
            let name = planner::own_name(&choice.planner).map(String::from);
            let label = Message::new("cli.progress-file").text("path", id).count("k", number).count("n", count);
            let progress = Progress::start(&label);
            if let Err(why) = planner::applicable(planner.info(), graph.is_some()) {
                if named {
                    refusals.push(not_applicable(planner, why));
                }
                continue;
            }
            if let Some(why) = misreading.as_ref().filter(|_| planner::proves(&choice.planner, &options)) {
                if named {
                    refusals.push(CliError::Misread(say(why)));
                }
                continue;
            }
            let scope = self.scope.scope_for(&choice.planner, format, &document);
            let mut problem = if scope == self.scope.scope() {
                problem.clone()
            } else {
                self.scope.tell_copies(&scope, &choice.planner, &document);
                api::problem(&document, &scope)?.0
            };
            let mut probe = Watched { progress: &progress, probe: &mut Silent };
            let prepared = planner::prepare(planner, &mut problem, graph.as_ref(), &scope, &options);
            let planned = prepared.and_then(|reordered| {
                let graph = reordered.as_ref().or(graph.as_ref());
                planner.plan(planner::Input { problem: &problem, graph }, &options, &mut probe)
            });
            match planned {
                Ok(plan) => rows.push(MetricsRow { planner_name: name.clone(), ..row(&problem, &plan, id) }),
                Err(error) if named => refusals.push(refused(planner, error)),
                // A planner that was not named is left out with a warning.
                Err(error) => {
                    let text = format!("{id}: {}", say(&error.message()));
                    note(&say(&Message::new("cli.warning").text("text", text)));
                }
            }
        }
        let mut refusals = refusals.into_iter();
        let first = refusals.next();
        refusals.flat_map(|refusal| refusal.reasons()).for_each(|reason| note(&reason));
        if rows.is_empty() {
            return Err(first.unwrap_or_else(|| CliError::because(&Message::new("cli.no-metrics"))));
        }
        let text = match if self.json { TableArg::Json } else { self.format } {
            TableArg::Csv => metrics_csv(&rows),
            TableArg::Markdown => metrics_markdown(&rows),
            TableArg::Json => record_text("metrics/1", json!({ "rows": metrics_records(&rows) })),
        };
        write(self.output.path(), &text)?;
        first.map_or(Ok(()), Err)
    }
}

fn row(problem: &Problem, plan: &Plan, planner: &str) -> MetricsRow {
    // A planner that only computes a figure places nothing, so no rule applies.
    let figure = plan.places.iter().all(Option::is_none);
    let broken = faults(problem, plan).len() as u64;
    MetricsRow {
        graph: problem.name.clone(),
        planner: planner.into(),
        planner_name: None,
        violations: if figure { 0 } else { broken },
        metrics: metrics(problem, plan),
    }
}
