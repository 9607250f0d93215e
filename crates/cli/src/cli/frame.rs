//! `memplan frame`: one moment of a run as JSON.

use clap::{Args, ValueEnum};
use memplan_core::base::{Message, suggest};
use memplan_core::text::{Locale, Speech};
use memplan_engine::api::within;
use memplan_formats::export;
use memplan_replay::{Level, Run, record};

use super::error::CliError;
use super::output::write;
use super::plan::RunArgs;

/// Write one frame of a planner's run as JSON
#[derive(Args)]
pub struct FrameCommand {
    #[command(flatten)]
    run: RunArgs,

    /// Number of the frame: 0 = nothing placed
    #[arg(long, value_name = "K", required_unless_present = "of")]
    at: Option<u32>,

    /// The frame that places this buffer, in place of a number
    #[arg(long, value_name = "BUFFER", conflicts_with = "at")]
    of: Option<String>,

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
        let at = match &self.of {
            Some(name) => frame_of(&run, level, name)?,
            None => self.at.unwrap_or(0),
        };
        within(&run, level, at)?;
        let locale = match self.lang {
            LangArg::En => Locale::En,
            LangArg::Zh => Locale::Zh,
        };
        let speech = Speech { locale, sizes: run.problem.sizes() };
        write(None, &export::frame::frame(&record(&run, level, at, speech)))
    }
}

/// The frame at which a buffer has its place. The tensors in a buffer are names of it too.
fn frame_of(run: &Run, level: Level, name: &str) -> Result<u32, CliError> {
    let holder = || {
        let graph = run.graph.as_deref()?;
        let tensor = graph.tensors.enumerate().find(|(_, tensor)| tensor.name == name)?.0;
        run.problem.buffers.enumerate().find(|(_, buffer)| buffer.tensors.contains(&tensor)).map(|(id, _)| id)
    };
    let Some(buffer) = run.buffer_named(name).or_else(holder) else {
        let names = run.problem.buffers.iter().map(|buffer| buffer.name.as_str());
        let refusal = Message::new("cli.no-buffer").text("name", name);
        return Err(CliError::because(&suggest(refusal, name, names)));
    };
    let Some(decision) = run.timeline.decision_of(buffer) else {
        return Err(CliError::because(&Message::new("cli.not-placed").text("name", name)));
    };
    Ok(run.timeline.frame_at(level, run.timeline.decisions[decision].end))
}
