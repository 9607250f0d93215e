//! `memplan frame`: one moment of a run as JSON.

use clap::{Args, ValueEnum};
use memplan_core::text::{Locale, Speech};
use memplan_engine::api::within;
use memplan_formats::export;
use memplan_replay::{Level, record};

use super::error::CliError;
use super::output::write;
use super::plan::RunArgs;

/// Write one frame of a planner's run as JSON
#[derive(Args)]
pub struct FrameCommand {
    #[command(flatten)]
    run: RunArgs,

    /// Number of the frame: 0 = nothing placed
    #[arg(long, value_name = "K")]
    at: u32,

    /// How finely frames are counted
    #[arg(long, value_enum, default_value = "decisions")]
    level: LevelArg,

    /// Language of the explanation
    #[arg(long, value_enum, default_value = "en")]
    lang: LangArg,

    /// JSON is the only form
    #[arg(long = "json", hide = true)]
    _json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum LevelArg {
    /// Every place looked at
    All,
    /// One frame a placement
    Decisions,
    /// New pools, growths of the peak, and the end
    Outcomes,
}

#[derive(Clone, Copy, ValueEnum)]
enum LangArg {
    En,
    Zh,
}

impl LevelArg {
    pub fn level(self) -> Level {
        match self {
            LevelArg::All => Level::All,
            LevelArg::Decisions => Level::Decisions,
            LevelArg::Outcomes => Level::Outcomes,
        }
    }
}

impl FrameCommand {
    pub fn run(self) -> Result<(), CliError> {
        let level = self.level.level();
        let run = self.run.replay()?;
        within(&run, level, self.at)?;
        let locale = match self.lang {
            LangArg::En => Locale::En,
            LangArg::Zh => Locale::Zh,
        };
        let speech = Speech { locale, sizes: run.problem.sizes() };
        write(None, &export::frame::frame(&record(&run, level, self.at, speech)))
    }
}
