//! Developer commands for memplan, run as `cargo xtask <command>`.
//!
//! The crate uses the standard library only, because it is compiled before
//! anything else on a new machine. Every command first sets up what it needs.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod args;
mod browser;
mod debian;
mod extras;
mod finish;
mod imports;
mod lessons;
mod manifest;
mod npm;
mod page;
mod process;
mod programs;
mod release;
mod report;
mod rust;
mod setup;
mod site;
mod suites;
mod tools;
mod versions;
mod wasm;
mod workspace;

use std::process::ExitCode;

use args::Task;
use process::Outcome;
use workspace::Workspace;

fn main() -> ExitCode {
    let task = match args::parse(std::env::args_os().skip(1)) {
        Ok(task) => task,
        Err(sentence) => {
            eprintln!("{sentence}\n\n{}", args::USAGE);
            return ExitCode::from(2);
        }
    };
    match perform(task) {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            eprintln!("\nxtask: {sentence}");
            ExitCode::FAILURE
        }
    }
}

fn perform(task: Task) -> Outcome {
    if task == Task::Help {
        println!("{}", args::USAGE);
        return Ok(());
    }
    let workspace = Workspace::find()?;
    match task {
        Task::Help => Ok(()),
        Task::Setup => setup::everything(&workspace),
        Task::Build { public_url, site } => {
            let site = site.as_deref().map(site::address).transpose()?;
            let tools = setup::page_tools(&workspace)?;
            page::build(&workspace, &tools, public_url.as_deref())?;
            site.map_or(Ok(()), |site| site::map(&page::dist(&workspace), &site))
        }
        Task::Install { arguments } => extras::install(&workspace, &arguments),
        Task::Dist(options) => release::dist(&workspace, &options),
        Task::Serve(options) => {
            let tools = setup::page_tools(&workspace)?;
            page::serve(&workspace, &tools, &options)
        }
        Task::Finish => page::finish(),
        Task::Test(tier) => suites::run(&workspace, tier),
        Task::TestOnly { name } => suites::run_only(&workspace, &name),
        Task::Screenshots => extras::screenshots(&workspace),
        Task::Licenses => extras::licenses(&workspace),
        Task::Audit { arguments } => extras::audit(&workspace, &arguments),
        Task::Bench { arguments } => extras::bench(&workspace, &arguments),
        Task::Fuzz { target, minutes, arguments } => extras::fuzz(&workspace, target.as_deref(), minutes, &arguments),
    }
}
