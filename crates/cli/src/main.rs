//! `memplan` on the command line: plans, checks and converts files without a browser.
//!
//! Exit codes: 0 success, 1 the plan is invalid or a peak rose above the limit, 2 the input or the
//! command cannot be used (then nothing is written), 3 a search found no plan, or it is proved that
//! nothing fits, 4 nothing was found that fits, 5 the file may be misread: its own plan contradicts
//! what was read, and nothing is written or proved.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

/// One file for each command; the others are shared.
mod cli {
    pub mod alive;
    pub mod built_in;
    pub mod capture_inductor;
    pub mod chart;
    pub mod check;
    pub mod compare;
    pub mod completions;
    pub mod convert;
    pub mod dependencies;
    pub mod diff;
    pub mod error;
    pub mod example;
    pub mod exercise;
    pub mod fit;
    pub mod fit_arena;
    pub mod folders;
    pub mod format;
    pub mod frame;
    pub mod frames;
    pub mod gap;
    pub mod html;
    pub mod input;
    pub mod judge;
    pub mod league;
    pub mod lessons;
    pub mod light;
    pub mod list;
    pub mod mcp;
    pub mod metrics;
    pub mod one_file;
    pub mod output;
    pub mod own;
    pub mod page;
    pub mod plan;
    pub mod planners;
    pub mod process;
    pub mod progress;
    pub mod scope;
    pub mod server;
    pub mod status;
    pub mod svg;
    pub mod view;
    pub mod whatif;
    pub mod worksheet;
    pub mod write;
    pub mod write_plan;
}

/// See how neural-network memory is planned.
#[derive(Parser)]
#[command(name = "memplan", version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,

    /// Print no notes and warnings about the files read, and no progress
    #[arg(short, long, global = true)]
    quiet: bool,
}

#[derive(Subcommand)]
enum Command {
    List(cli::list::ListCommand),
    Plan(cli::plan::PlanCommand),
    Check(cli::check::CheckCommand),
    Alive(cli::alive::AliveCommand),
    Compare(cli::compare::CompareCommand),
    CaptureInductor(cli::capture_inductor::CaptureInductorCommand),
    Chart(cli::chart::ChartCommand),
    Completions(cli::completions::CompletionsCommand),
    Dependencies(cli::dependencies::DependenciesCommand),
    Diff(cli::diff::DiffCommand),
    Exercise(cli::exercise::ExerciseCommand),
    Fit(cli::fit::FitCommand),
    Frame(cli::frame::FrameCommand),
    Frames(cli::frames::FramesCommand),
    Gap(cli::gap::GapCommand),
    Html(cli::html::HtmlCommand),
    Mcp(cli::mcp::McpCommand),
    Metrics(cli::metrics::MetricsCommand),
    Svg(cli::svg::SvgCommand),
    Convert(cli::convert::ConvertCommand),
    League(cli::league::LeagueCommand),
    Lessons(cli::lessons::LessonsCommand),
    View(cli::view::ViewCommand),
    Whatif(cli::whatif::WhatIfCommand),
    Worksheet(cli::worksheet::WorksheetCommand),
    Write(cli::write::WriteCommand),
}

fn main() -> ExitCode {
    let program = cli::example::with_examples(Cli::command());
    let matches = program.clone().get_matches();
    let asked = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    if asked.quiet {
        cli::error::be_quiet();
    }
    let done = match asked.command {
        Command::List(list) => list.run(),
        Command::Plan(plan) => plan.run(),
        Command::Check(check) => check.run(),
        Command::Alive(alive) => alive.run(),
        Command::Compare(compare) => compare.run(),
        Command::CaptureInductor(capture) => capture.run(),
        Command::Chart(chart) => chart.run(),
        Command::Completions(completions) => completions.run(program),
        Command::Dependencies(dependencies) => dependencies.run(),
        Command::Diff(diff) => diff.run(),
        Command::Exercise(exercise) => exercise.run(),
        Command::Fit(fit) => fit.run(),
        Command::Frame(frame) => frame.run(),
        Command::Frames(frames) => frames.run(),
        Command::Gap(gap) => gap.run(),
        Command::Html(html) => html.run(),
        Command::Mcp(server) => server.run(),
        Command::Metrics(metrics) => metrics.run(),
        Command::Svg(svg) => svg.run(),
        Command::Convert(convert) => convert.run(),
        Command::League(league) => league.run(),
        Command::Lessons(lessons) => lessons.run(),
        Command::View(view) => view.run(),
        Command::Whatif(whatif) => whatif.run(),
        Command::Worksheet(worksheet) => worksheet.run(),
        Command::Write(write) => write.run(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => error.report(),
    }
}
