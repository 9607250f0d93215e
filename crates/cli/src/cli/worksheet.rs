//! `memplan worksheet`: two pages for the printer.

use clap::{Args, ValueEnum};
use memplan_core::text::{Locale, Speech};
use memplan_engine::PlannerChoice;
use memplan_engine::api;
use memplan_replay::Run;
use memplan_teach::exercise::worksheet::{self, Paper, WorksheetConfig};

use super::error::CliError;
use super::input::InputArgs;
use super::output::{OutputArgs, write};
use super::plan::planning;
use super::planners;
use super::scope::ScopeArgs;

/// Write a worksheet as HTML for the printer: questions with an empty grid, and answers with the
/// plans
#[derive(Args)]
pub struct WorksheetCommand {
    #[command(flatten)]
    input: InputArgs,

    /// Up to three planners: ids of `memplan list`, with options as in beam;k=4, or `imported` for
    /// the file's own plan (repeatable, also as a list between commas); students draw the first one
    #[arg(long, value_name = "ID", required = true)]
    planner: Vec<String>,

    /// Decisions of the first planner that are given
    #[arg(long, value_name = "N", default_value = "0")]
    given: u32,

    /// Size of the paper
    #[arg(long, value_enum, value_name = "PAPER", default_value = "a4")]
    paper: PaperArg,

    /// Language of the sentences
    #[arg(long, value_name = "LANG", default_value = "en", value_parser = ["en", "zh"])]
    lang: String,

    /// Address that is printed at the foot
    #[arg(long, value_name = "LINK", default_value = "")]
    link: String,

    #[command(flatten)]
    scope: ScopeArgs,

    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Clone, Copy, ValueEnum)]
enum PaperArg {
    /// 210 × 297 mm
    A4,
    /// 8.5 × 11 inches
    Letter,
}

impl WorksheetCommand {
    pub fn run(self) -> Result<(), CliError> {
        self.output.spares([self.input.path.as_path()])?;
        let choices = planners::read(&self.planner)?;
        let (document, scope) = (self.input.read(self.scope.symbols())?.document, self.scope.scope());
        self.scope.tell(&document)?;
        let run = |choice: &PlannerChoice| {
            let _progress = planning(choice);
            Ok(api::replay(&document, &choice.planner, &choice.options, &scope)?.0)
        };
        let runs: Vec<Run> = choices.iter().map(run).collect::<Result<_, CliError>>()?;
        let paper = match self.paper {
            PaperArg::A4 => Paper::A4,
            PaperArg::Letter => Paper::Letter,
        };
        let speech = Speech { locale: Locale::from_tag(&self.lang), ..Speech::default() };
        let config = WorksheetConfig { runs: &runs, given: self.given, paper, link: &self.link, speech };
        let html = worksheet::write(&config).map_err(|refused| CliError::because(&refused))?;
        write(self.output.path(), &html)
    }
}
