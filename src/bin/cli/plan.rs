//! `memplan plan`: a file and a planner → a plan.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use memplan::api::{self, Ran, Refusal};
use memplan::import::Document;
use memplan::planner::{NotApplicable, Options, PlanError, Planner};
use memplan::problem::Scope;
use memplan::replay::Run;
use memplan::trace::{Probe, Silent};

use super::failure::Failure;
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
            planner: ran.planner,
            options: ran.options,
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

impl RunArgs {
    /// The file as it was named.
    pub fn path(&self) -> String {
        self.input.path.display().to_string()
    }

    /// Reads the file and runs the planner; `probe` hears of its events.
    pub fn plan(self, probe: &mut dyn Probe) -> Result<Ran, Failure> {
        let (document, scope, options) = self.ask()?;
        Ok(api::run(&document, &self.planner, &options, &scope, probe)?)
    }

    /// The same with all events, ready to be stepped through.
    pub fn replay(self) -> Result<Run, Failure> {
        let (document, scope, options) = self.ask()?;
        Ok(api::replay(&document, &self.planner, &options, &scope)?.0)
    }

    fn ask(&self) -> Result<(Document, Scope, BTreeMap<String, String>), Failure> {
        // A planner or option that does not exist is told before a large file is read.
        choose(&self.planner, &self.settings)?;
        let document = self.input.read()?.document;
        Ok((document, self.scope.scope(), self.settings.iter().cloned().collect()))
    }
}

fn setting(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').map(|(key, value)| (key.to_string(), value.to_string()));
    pair.ok_or_else(|| "an option, `=` and a value are needed".to_string())
}

/// The planner with this id, and its options with these values.
pub fn choose(id: &str, settings: &[(String, String)]) -> Result<(&'static dyn Planner, Options), Failure> {
    Ok(api::chosen(id, settings.iter().map(|(key, value)| (key.as_str(), value.as_str())))?)
}

pub fn not_applicable(planner: &dyn Planner, why: NotApplicable) -> Failure {
    refused(planner, PlanError::NotApplicable(why))
}

pub fn refused(planner: &dyn Planner, error: PlanError) -> Failure {
    Refusal::of_planner(planner.info(), &error).into()
}
