//! `memplan` on the command line: plans, checks and converts files without a browser.
//!
//! Exit codes: 0 fine, 1 the plan is invalid, 2 the input or the command cannot be used (then nothing is written).

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// One file a command; the others serve them.
mod cli {
    pub mod check;
    pub mod convert;
    pub mod failure;
    pub mod input;
    pub mod list;
    pub mod output;
    pub mod plan;
    pub mod scope;
}

/// See how neural-network memory is planned.
#[derive(Parser)]
#[command(name = "memplan", version, arg_required_else_help = true)]
struct Command {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    List(cli::list::List),
    Plan(cli::plan::Plan),
    Check(cli::check::Check),
    Convert(cli::convert::Convert),
}

fn main() -> ExitCode {
    let done = match Command::parse().task {
        Task::List(list) => list.run(),
        Task::Plan(plan) => plan.run(),
        Task::Check(check) => check.run(),
        Task::Convert(convert) => convert.run(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
