//! `memplan completions`: what a shell needs to complete commands and options.

use std::path::Path;

use clap::Args;
use clap_complete::Shell;

use super::error::CliError;
use super::output::write_bytes;

/// Print the script with which a shell completes commands, options and their values
#[derive(Args)]
pub struct CompletionsCommand {
    /// Which shell; its manual says where the script belongs
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
}

impl CompletionsCommand {
    /// Prints the script for this program.
    pub fn run(self, mut program: clap::Command) -> Result<(), CliError> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut program, "memplan", &mut script);
        write_bytes(Path::new("-"), &script)
    }
}
