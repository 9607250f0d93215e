//! `memplan` on the command line: plans, checks and converts files without a browser.
//!
//! Exit codes: 0 fine, 1 the plan is invalid, 2 the input or the command cannot be used (then nothing is written).

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// One file a command; the others serve them.
mod cli {
    pub mod chart;
    pub mod check;
    pub mod compare;
    pub mod convert;
    pub mod dependencies;
    pub mod failure;
    pub mod format;
    pub mod frame;
    pub mod frames;
    pub mod input;
    pub mod list;
    pub mod metrics;
    pub mod output;
    pub mod plan;
    pub mod scope;
    pub mod svg;
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
    Compare(cli::compare::Compare),
    Chart(cli::chart::Chart),
    Dependencies(cli::dependencies::Dependencies),
    Frame(cli::frame::Frame),
    Frames(cli::frames::Frames),
    Metrics(cli::metrics::Metrics),
    Svg(cli::svg::Svg),
    Convert(cli::convert::Convert),
}

fn main() -> ExitCode {
    let done = match Command::parse().task {
        Task::List(list) => list.run(),
        Task::Plan(plan) => plan.run(),
        Task::Check(check) => check.run(),
        Task::Compare(compare) => compare.run(),
        Task::Chart(chart) => chart.run(),
        Task::Dependencies(dependencies) => dependencies.run(),
        Task::Frame(frame) => frame.run(),
        Task::Frames(frames) => frames.run(),
        Task::Metrics(metrics) => metrics.run(),
        Task::Svg(svg) => svg.run(),
        Task::Convert(convert) => convert.run(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
