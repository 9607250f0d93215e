//! Developer commands for memplan, run as `cargo xtask <command>`.
//!
//! The crate uses few and small libraries, because it is compiled before anything else on a new
//! machine. Every command first sets up what it needs.

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
mod module;
mod npm;
mod page;
mod parts;
mod process;
mod programs;
mod publish;
mod release;
mod report;
mod rust;
mod setup;
mod site;
mod suites;
mod tools;
mod versions;
mod wasm;
mod wheel;
mod workspace;

use std::process::ExitCode;

use args::XtaskCmd;
use process::Outcome;
use workspace::Workspace;

fn main() -> ExitCode {
    let command = match args::parse(std::env::args_os().skip(1)) {
        Err(error) if !error.is_help() => {
            eprintln!("xtask: {error}\n`cargo xtask help` lists all commands and options.");
            return ExitCode::from(2);
        }
        command => command.unwrap_or_else(|help| help.exit()),
    };
    match perform(command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            eprintln!("\nxtask: {sentence}");
            ExitCode::FAILURE
        }
    }
}

fn perform(command: XtaskCmd) -> Outcome {
    let workspace = Workspace::find()?;
    match command {
        // `args::parse` has answered it.
        XtaskCmd::Help(_) => Ok(()),
        XtaskCmd::Setup(_) => setup::everything(&workspace),
        XtaskCmd::Build(build) => {
            let site = build.site.as_deref().map(site::address).transpose()?;
            let tools = setup::page_tools(&workspace)?;
            page::build(&workspace, &tools, build.public_url.as_deref())?;
            site.map_or(Ok(()), |site| site::map(&page::dist(&workspace), &site))
        }
        XtaskCmd::Install(install) => extras::install(&workspace, &install.arguments),
        XtaskCmd::Dist(dist) => release::dist(&workspace, &dist),
        XtaskCmd::Publish(options) => publish::publish(&workspace, &options),
        XtaskCmd::Npm(_) => module::build(&workspace),
        XtaskCmd::Wheel(options) => wheel::build(&workspace, &options),
        XtaskCmd::Serve(serve) => page::serve(&workspace, &setup::page_tools(&workspace)?, &serve),
        XtaskCmd::Finish(_) => page::finish(),
        XtaskCmd::Test(test) => match &test.name {
            Some(name) => suites::run_only(&workspace, name),
            None => suites::run(&workspace, test.tier().map_err(|error| error.to_string())?),
        },
        XtaskCmd::Screenshots(_) => extras::screenshots(&workspace),
        XtaskCmd::Licenses(_) => extras::licenses(&workspace),
        XtaskCmd::Audit(audit) => extras::audit(&workspace, &audit.arguments),
        XtaskCmd::Bench(bench) => extras::bench(&workspace, &bench.arguments),
        XtaskCmd::League(league) => extras::league(&workspace, &league.arguments),
        XtaskCmd::Fuzz(fuzz) => extras::fuzz(&workspace, &fuzz),
    }
}
