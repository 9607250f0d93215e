//! `memplan worksheet`: two pages for the printer.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use memplan::api;
use memplan::exercise::worksheet::{self, Paper, Wish};
use memplan::replay::Run;
use memplan::text::{Locale, Speech};

use super::error::CliError;
use super::input::InputArgs;
use super::output::write;
use super::plan::choose;
use super::scope::ScopeArgs;

/// Write a worksheet as HTML for the printer: questions with an empty grid, and answers with the
/// plans
#[derive(Args)]
pub struct WorksheetCommand {
    #[command(flatten)]
    input: InputArgs,

    /// Up to three planners: ids of `memplan list` between commas; students draw the first one
    #[arg(long, value_name = "IDS", value_delimiter = ',', required = true)]
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

    /// File to write; standard output if absent
    #[arg(short, value_name = "FILE")]
    output: Option<PathBuf>,
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
        for planner in &self.planner {
            choose(planner, &[])?;
        }
        let (document, scope) = (self.input.read()?.document, self.scope.scope());
        let run = |planner: &String| Ok(api::replay(&document, planner, &Default::default(), &scope)?.0);
        let runs: Vec<Run> = self.planner.iter().map(run).collect::<Result<_, CliError>>()?;
        let paper = match self.paper {
            PaperArg::A4 => Paper::A4,
            PaperArg::Letter => Paper::Letter,
        };
        let speech = Speech { locale: Locale::from_tag(&self.lang), ..Speech::default() };
        let wish = Wish { runs: &runs, given: self.given, paper, link: &self.link, speech };
        let html = worksheet::write(&wish).map_err(|refused| CliError::because(&refused))?;
        write(self.output.as_deref(), &html)
    }
}
