//! `memplan plan`: a file and a planner → a plan.

use std::path::PathBuf;
use std::rc::Rc;

use clap::Args;
use memplan::base::Message;
use memplan::graph::Graph;
use memplan::planner::{self, NotApplicable, OptionError, Options, PlanError, Planner, REGISTRY};
use memplan::problem::Problem;
use memplan::replay::Run;
use memplan::trace::{Probe, Recorder, Silent};

use super::failure::{Failure, say};
use super::format::{Contents, FormatArg};
use super::input::Input;
use super::output::write;
use super::scope::ScopeArgs;

/// Plan the buffers of a file and write the plan
#[derive(Args)]
pub struct Plan {
    #[command(flatten)]
    run: RunArgs,

    /// Format to write
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "memory-plan")]
    format: FormatArg,

    /// File to write; standard output if absent
    #[arg(short, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Plan {
    pub fn run(self) -> Result<(), Failure> {
        let ran = self.run.plan(&mut Silent)?;
        let contents = Contents {
            problem: &ran.problem,
            plan: Some(&ran.plan),
            graph: ran.graph.as_ref(),
            planner: ran.planner.info().id,
            options: ran.options.to_map(),
        };
        write(self.output.as_deref(), &contents.text(self.format)?)
    }
}

/// A file, a planner and what is to be planned: shared by every command that runs a planner.
#[derive(Args)]
pub struct RunArgs {
    #[command(flatten)]
    input: Input,

    /// Which planner to run: an id of `memplan list`
    #[arg(long, value_name = "ID")]
    planner: String,

    /// Value of an option of the planner, such as tie=size (repeatable)
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = setting)]
    settings: Vec<(String, String)>,

    #[command(flatten)]
    scope: ScopeArgs,
}

/// A finished run.
pub struct Ran {
    pub planner: &'static dyn Planner,
    pub options: Options,
    pub problem: Problem,
    pub graph: Option<Graph>,
    pub plan: memplan::plan::Plan,
}

impl RunArgs {
    /// The file as it was named.
    pub fn path(&self) -> String {
        self.input.path.display().to_string()
    }

    /// Reads the file and runs the planner; `probe` hears of its events.
    pub fn plan(self, probe: &mut dyn Probe) -> Result<Ran, Failure> {
        let (planner, options) = choose(&self.planner, &self.settings)?;
        let scope = self.scope.scope();
        let (mut problem, graph) = self.scope.problem(self.input.read()?.document)?;
        planner::applicable(planner.info(), graph.is_some()).map_err(|why| not_applicable(planner, why))?;
        let reordered = planner::prepare(&mut problem, graph.as_ref(), &scope, &options);
        let graph = reordered.map_err(|error| refused(planner, error))?.or(graph);
        let input = planner::Input { problem: &problem, graph: graph.as_ref() };
        let plan = planner.plan(input, &options, probe).map_err(|error| refused(planner, error))?;
        Ok(Ran { planner, options, problem, graph, plan })
    }

    /// The same with all events, ready to be stepped through.
    pub fn replay(self) -> Result<Run, Failure> {
        let mut recorder = Recorder::default();
        let ran = self.plan(&mut recorder)?;
        let info = ran.planner.info();
        let run = Run::new(Rc::new(ran.problem), info.id, ran.plan, recorder.events, info.align);
        Ok(run.with_graph(ran.graph.map(Rc::new)))
    }
}

fn setting(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').map(|(key, value)| (key.to_string(), value.to_string()));
    pair.ok_or_else(|| "an option, `=` and a value are needed".to_string())
}

/// The planner with this id, and its options with these values.
pub fn choose(id: &str, settings: &[(String, String)]) -> Result<(&'static dyn Planner, Options), Failure> {
    let planner = planner::find(id).ok_or_else(|| {
        let known: Vec<&str> = REGISTRY.iter().map(|planner| planner.info().id).collect();
        Failure::because(&Message::new("cli.no-such-planner").text("id", id).text("known", known.join(", ")))
    })?;
    let given = settings.iter().map(|(key, value)| (key.as_str(), value.as_str()));
    let options = planner.info().options(given).map_err(|error| match error {
        OptionError::Unknown { key, known } if known.is_empty() => {
            Failure::because(&Message::new("cli.no-options").text("key", key).text("planner", planner.info().id))
        }
        error => Failure::because(&error.message()),
    })?;
    Ok((planner, options))
}

pub fn not_applicable(planner: &dyn Planner, why: NotApplicable) -> Failure {
    let message = Message::new("cli.not-applicable").text("planner", planner.info().id);
    Failure::because(&message.inner("why", why.message()))
}

pub fn refused(planner: &dyn Planner, error: PlanError) -> Failure {
    match error {
        PlanError::NotApplicable(why) => not_applicable(planner, why),
        error @ (PlanError::Infeasible { .. } | PlanError::Undecided { .. }) => Failure::NoPlan(say(&error.message())),
        error => Failure::because(&error.message()),
    }
}
