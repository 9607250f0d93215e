//! `memplan plan`: a file and a planner → a plan.

use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

use clap::Args;
use memplan_core::base::Message;
use memplan_core::plan::faults;
use memplan_core::problem::Scope;
use memplan_core::trace::{Event, Note, Probe};
use memplan_engine::api::{self, ApiError, PlannedDocument};
use memplan_engine::{IMPORTED, PlannerChoice};
use memplan_formats::import::Document;
use memplan_planners::Rules;
use memplan_planners::{NotApplicable, PlanError, Planner, info, origin, registered};
use memplan_replay::{Run, cautions};

use super::error::{CliError, note, say};
use super::format::{Contents, FormatArg};
use super::input::InputArgs;
use super::output::OutputArgs;
use super::planners;
use super::progress::{Progress, Watched};
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

    /// The same as --format memory-plan
    #[arg(long = "json", conflicts_with = "format")]
    _json: bool,

    #[command(flatten)]
    output: OutputArgs,
}

impl PlanCommand {
    pub fn run(self) -> Result<(), CliError> {
        self.output.spares(self.run.inputs())?;
        let mut notes = UnboundedNotes::default();
        let ran = self.run.plan(&mut notes)?;
        // The plan is not the one to blame, and is no plan to go on with.
        if let Some(why) = ran.plan.misreading.as_ref().filter(|_| ran.planner == IMPORTED) {
            return Err(CliError::Misread(say(why)));
        }
        let contents = Contents {
            problem: &ran.problem,
            plan: Some(&ran.plan),
            graph: ran.graph.as_ref(),
            planner: ran.planner,
            options: ran.options.clone(),
        };
        contents.write(self.format, self.output.path())?;
        // Positions that the input states are kept even where they collide, and so are those of a
        // planner of the user.
        let is_own = registered::find(ran.planner).is_some();
        let stated = is_own || ran.planner == IMPORTED || ran.options.get("fixed").is_some_and(|fixed| fixed == "true");
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
        Err(CliError::invalid(&violations))
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

    /// Which planner to run: an id of `memplan list`, with options as in beam;k=4, `imported` for
    /// the file's own plan, or your own: mine.rhai, or "exec:python3 mine.py"
    #[arg(long, value_name = "ID", required = true)]
    planner: Vec<String>,

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

    /// The files that the command reads.
    pub fn inputs(&self) -> [&Path; 1] {
        [&self.input.path]
    }

    /// The planner and its options. One that does not exist is refused before a large file is read.
    fn choice(&self) -> Result<PlannerChoice, CliError> {
        planners::one(&self.planner, &self.settings)
    }

    /// Options of the planner with values that are not their defaults.
    pub fn changed(&self) -> BTreeMap<String, String> {
        let Ok(PlannerChoice { planner, options }) = self.choice() else { return BTreeMap::new() };
        let given = options.iter().map(|(key, value)| (key.as_str(), value.as_str()));
        let options = info(&planner).and_then(|info| Some((info, info.options(given).ok()?)));
        let changed = options.iter().flat_map(|(info, options)| options.changed(info));
        changed.map(|(key, value)| (key.to_string(), value.to_string())).collect()
    }

    /// Reads the file, runs the planner and sends its events to `probe`.
    pub fn plan(self, probe: &mut dyn Probe) -> Result<PlannedDocument, CliError> {
        let choice = self.choice()?;
        let (document, scope) = self.open(&choice)?;
        let progress = planning(&choice);
        if choice.planner == IMPORTED {
            return Ok(api::plan(&document, IMPORTED, &choice.options, &scope)?);
        }
        let probe = &mut Watched { progress: &progress, probe };
        Ok(api::run(document, &choice.planner, &choice.options, &scope, probe)?)
    }

    /// The same, recorded with all events.
    pub fn replay(self) -> Result<Run, CliError> {
        let choice = self.choice()?;
        let (document, scope) = self.open(&choice)?;
        let _progress = planning(&choice);
        Ok(api::replay(&document, &choice.planner, &choice.options, &scope)?.0)
    }

    fn open(&self, choice: &PlannerChoice) -> Result<(Document, Scope), CliError> {
        let uses_gaps = info(&choice.planner).is_none_or(|info| info.uses_gaps);
        let read = self.input.read_for(self.scope.symbols(), |key| key != "warning.gaps-whole-range" || !uses_gaps)?;
        let (document, format) = (read.document, read.format);
        let scope = self.scope.scope_for(&choice.planner, format, &document);
        self.scope.tell(&document)?;
        self.scope.tell_copies(&scope, &choice.planner, &document);
        Ok((document, scope))
    }
}

/// The line of a planner that runs.
pub fn planning(choice: &PlannerChoice) -> Progress {
    Progress::start(&Message::new("cli.progress-plan").text("planner", choice.text()))
}

pub fn setting(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').map(|(key, value)| (key.to_string(), value.to_string()));
    pair.ok_or_else(|| "an option, `=` and a value are needed".to_string())
}

pub fn not_applicable(planner: &dyn Planner, why: NotApplicable) -> CliError {
    refused(planner, PlanError::NotApplicable(why))
}

pub fn refused(planner: &dyn Planner, error: PlanError) -> CliError {
    ApiError::of_planner(planner.info(), &error).into()
}
