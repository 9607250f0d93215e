//! `memplan plan`: a file and a planner → a plan.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;

use clap::Args;
use memplan::api::{self, ApiError, PlannedDocument};
use memplan::base::Message;
use memplan::import::Document;
use memplan::plan::faults;
use memplan::planner::Rules;
use memplan::planner::{NotApplicable, Options, PlanError, Planner, info, origin};
use memplan::problem::Scope;
use memplan::replay::{Run, cautions};
use memplan::trace::{Event, Note, Probe};

use super::error::{CliError, note, say};
use super::format::{Contents, FormatArg};
use super::input::InputArgs;
use super::scope::ScopeArgs;

/// Option of the planners that assign arenas by operator or kind.
const RULES: &str = "rules";

/// Plan the buffers of a file and write the plan
#[derive(Args)]
pub struct PlanCommand {
    #[command(flatten)]
    run: RunArgs,

    /// Format to write
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "memory-plan")]
    format: FormatArg,

    /// File to write; standard output if absent
    #[arg(short, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl PlanCommand {
    pub fn run(self) -> Result<(), CliError> {
        let mut notes = UnboundedNotes::default();
        let ran = self.run.plan(&mut notes)?;
        let contents = Contents {
            problem: &ran.problem,
            plan: Some(&ran.plan),
            graph: ran.graph.as_ref(),
            planner: ran.planner,
            options: ran.options.clone(),
        };
        contents.write(self.format, self.output.as_deref())?;
        // Positions that the input states are kept even where they collide.
        let stated = ran.options.get("fixed").is_some_and(|fixed| fixed == "true");
        let violations: Vec<Message> = if stated {
            faults(&ran.problem, &ran.plan).iter().map(|violation| violation.message(&ran.problem)).collect()
        } else {
            Vec::new()
        };
        let rules = ran.options.get(RULES).map_or("", String::as_str);
        let idle = Rules::idle(rules, &ran.problem, ran.graph.as_ref());
        let mut warnings: Vec<Message> =
            idle.into_iter().map(|line| Message::new("caution.rule").text("line", line)).collect();
        if !notes.0.is_empty() {
            let run = Run::new(Rc::new(ran.problem), origin(ran.planner, ran.align), ran.plan, notes.0);
            warnings.extend(cautions(&run));
        }
        warnings.iter().for_each(|warning| note(&say(warning)));
        if violations.is_empty() {
            return Ok(());
        }
        violations.iter().for_each(|violation| note(&say(violation)));
        note(&say(&Message::new("cli.invalid").count("count", violations.len() as u64)));
        Err(CliError::InvalidPlan)
    }
}

/// Records only notes about sizes without an upper bound.
#[derive(Default)]
struct UnboundedNotes(Vec<Event>);

impl Probe for UnboundedNotes {
    fn event(&mut self, event: Event) {
        if matches!(event, Event::Note { note: Note::Unbounded, .. }) {
            self.0.push(event);
        }
    }
}

/// A file, a planner and what is to be planned: shared by every command that runs a planner.
#[derive(Args)]
pub struct RunArgs {
    #[command(flatten)]
    input: InputArgs,

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

    /// Options of the planner with values that are not their defaults.
    pub fn changed(&self) -> BTreeMap<String, String> {
        let given = self.settings.iter().map(|(key, value)| (key.as_str(), value.as_str()));
        let options = info(&self.planner).and_then(|info| Some((info, info.options(given).ok()?)));
        let changed = options.iter().flat_map(|(info, options)| options.changed(info));
        changed.map(|(key, value)| (key.to_string(), value.to_string())).collect()
    }

    /// Reads the file, runs the planner and sends its events to `probe`.
    pub fn plan(self, probe: &mut dyn Probe) -> Result<PlannedDocument, CliError> {
        let (document, scope, options) = self.open()?;
        Ok(api::run(document, &self.planner, &options, &scope, probe)?)
    }

    /// The same, recorded with all events.
    pub fn replay(self) -> Result<Run, CliError> {
        let (document, scope, options) = self.open()?;
        Ok(api::replay(&document, &self.planner, &options, &scope)?.0)
    }

    fn open(&self) -> Result<(Document, Scope, BTreeMap<String, String>), CliError> {
        // A planner or option that does not exist is refused before a large file is read.
        choose(&self.planner, &self.settings)?;
        let uses_gaps = info(&self.planner).is_some_and(|info| info.uses_gaps);
        let document = self.input.read_for(|key| key != "warning.gaps-whole-range" || !uses_gaps)?.document;
        Ok((document, self.scope.scope(), self.settings.iter().cloned().collect()))
    }
}

pub fn setting(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').map(|(key, value)| (key.to_string(), value.to_string()));
    pair.ok_or_else(|| "an option, `=` and a value are needed".to_string())
}

/// Returns the planner with this id, and its options with these values; the error lists every
/// option that is refused.
pub fn choose(id: &str, settings: &[(String, String)]) -> Result<(&'static dyn Planner, Options), CliError> {
    let given = || settings.iter().map(|(key, value)| (key.as_str(), value.as_str()));
    if let Some(info) = info(id) {
        let errors = info.option_errors(given());
        if !errors.is_empty() {
            let words = |error| say(&ApiError::of_option(info, error).message);
            return Err(CliError::Unusable(errors.iter().map(words).collect()));
        }
    }
    Ok(api::chosen(id, given())?)
}

pub fn not_applicable(planner: &dyn Planner, why: NotApplicable) -> CliError {
    refused(planner, PlanError::NotApplicable(why))
}

pub fn refused(planner: &dyn Planner, error: PlanError) -> CliError {
    ApiError::of_planner(planner.info(), &error).into()
}
