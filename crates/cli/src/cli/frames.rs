//! `memplan frames`: a whole run as JSON, frame by frame.

use clap::Args;
use memplan_formats::export;
use memplan_replay::record_all;

use super::error::CliError;
use super::frame::LevelArg;
use super::output::{OutputArgs, write};
use super::plan::RunArgs;

/// Write every frame of a planner's run as JSON: events, explanations as keys with arguments,
/// buffers to highlight
#[derive(Args)]
pub struct FramesCommand {
    #[command(flatten)]
    run: RunArgs,

    /// How finely frames are counted
    #[arg(long, value_enum, default_value = "decisions")]
    level: LevelArg,

    #[command(flatten)]
    output: OutputArgs,

    /// JSON is the only form
    #[arg(long = "json", hide = true)]
    _json: bool,
}

impl FramesCommand {
    pub fn run(self) -> Result<(), CliError> {
        self.output.spares(self.run.inputs())?;
        let run = self.run.replay()?;
        write(self.output.path(), &export::frames::frames(&record_all(&run, self.level.level())))
    }
}
