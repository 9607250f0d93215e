//! `memplan capture-inductor`: the graph that torch.compile makes of a model.

use clap::Args;

use super::error::CliError;
use super::output::print;

/// What runs beside PyTorch: this program runs no Python.
const SCRIPT: &str = include_str!("../../../../scripts/capture_inductor.py");

/// Print the Python script that captures the graphs which torch.compile compiles, after fusion, as
/// memory-graph/1
#[derive(Args)]
pub struct CaptureInductorCommand {
    /// Print the script; its first lines say how it is run
    #[arg(long, required = true)]
    script: bool,
}

impl CaptureInductorCommand {
    pub fn run(self) -> Result<(), CliError> {
        print(SCRIPT)
    }
}
