//! `memplan list`: the planners and their options.

use clap::Args;
use memplan_engine::api::sheet;
use memplan_planners::{Info, REGISTRY};
use serde_json::{Value, json};

use super::built_in;
use super::error::CliError;
use super::output::{print, print_record};

/// List the planners and their options, or the built-in examples
#[derive(Args)]
pub struct ListCommand {
    /// Print JSON for programs
    #[arg(long)]
    json: bool,

    /// List the built-in examples, which every command reads by these names
    #[arg(long)]
    examples: bool,
}

impl ListCommand {
    pub fn run(self) -> Result<(), CliError> {
        if self.examples && self.json {
            return print_record("examples/1", json!({ "examples": built_in::names() }));
        }
        if self.examples {
            return print(&(built_in::names().join("\n") + "\n"));
        }
        let infos = REGISTRY.iter().map(|planner| planner.info());
        if self.json {
            let records: Vec<Value> = infos.map(sheet).collect();
            let text = serde_json::to_string_pretty(&records).expect("plain records have a JSON form");
            return print(&(text + "\n"));
        }
        print(&table(&infos.collect::<Vec<_>>()))
    }
}

/// One line a planner, and one for each option below it.
fn table(infos: &[&Info]) -> String {
    let width = |length: fn(&Info) -> usize| infos.iter().map(|info| length(info)).max().unwrap_or(0);
    let (id, needs) = (width(|info| info.id.len()), width(|info| info.needs.name().len()));
    let mut text = String::new();
    for info in infos {
        let title =
            if info.system == info.name { info.name.to_string() } else { format!("{}: {}", info.system, info.name) };
        text += &format!("{:id$}  {:needs$}  {title}\n", info.id, info.needs.name());
        for spec in info.options {
            text += &format!("{:id$}    {} = {}  ({})\n", "", spec.key, spec.default, spec.kind.allowed());
        }
    }
    text
}
