//! `memplan frames`: a whole run as JSON, frame by frame.

use std::path::PathBuf;

use clap::Args;
use memplan::export;
use memplan::replay::record_all;

use super::error::CliError;
use super::frame::LevelArg;
use super::output::write;
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

    /// File to write; standard output if absent
    #[arg(short, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl FramesCommand {
    pub fn run(self) -> Result<(), CliError> {
        let run = self.run.replay()?;
        write(self.output.as_deref(), &export::frames::frames(&record_all(&run, self.level.level())))
    }
}
