//! `memplan check`: does a plan keep the rules?

use std::collections::BTreeMap;

use clap::Args;
use memplan_core::base::Message;
use memplan_core::plan::{BufferPairs, MOST_OVERLAPS, Violation, check, metrics};
use memplan_core::text::Locale;
use memplan_engine::api;
use memplan_formats::import::Document;
use serde_json::json;

use super::error::{CliError, note, say};
use super::input::InputArgs;
use super::output::{print, print_record};
use super::scope::tell_symbols;

/// Check a plan (JSON, or CSV with offsets) and list every rule it breaks
#[derive(Args)]
pub struct CheckCommand {
    #[command(flatten)]
    input: InputArgs,

    /// Print JSON for programs
    #[arg(long)]
    json: bool,
}

impl CheckCommand {
    pub fn run(self) -> Result<(), CliError> {
        // This command lists the rules broken itself, and does not plan.
        let own = ["warning.plan-invalid", "warning.gaps-whole-range", "misread.file"];
        let read = self.input.read_for(&[], |key| !own.contains(&key))?;
        if let Some(why) = read.document.misreading().filter(|_| self.json) {
            let graph = read.document.graph().map_or("", |graph| &graph.name);
            print_record("check/1", json!({ "graph": graph, "valid": null, "misread": say(why) }))?;
        }
        CliError::unless_misread(&read.document)?;
        tell_symbols(&read.document, &BTreeMap::new(), "");
        let findings = if self.json { api::verify(&read.document, Locale::En).unwrap_or_default() } else { Vec::new() };
        let (Document::Plan(problem, plan) | Document::Planned(_, problem, plan)) = read.document else {
            return Err(CliError::because(&Message::new("cli.no-plan").text("format", read.format.name())));
        };
        let known = BufferPairs::quirks(&plan);
        let (quirks, violations): (Vec<Violation>, Vec<Violation>) =
            check(&problem, &plan).into_iter().partition(|violation| known.has(violation));
        let overlaps = BufferPairs::overlaps(&quirks);
        let lines = |list: &[Violation]| -> String {
            list.iter().map(|violation| say(&violation.message(&problem)) + "\n").collect()
        };
        if self.json {
            let record = json!({
                "graph": problem.name,
                "valid": violations.is_empty(),
                "findings": findings,
                "metrics": metrics(&problem, &plan),
            });
            print_record("check/1", record)?;
            return if violations.is_empty() { Ok(()) } else { Err(CliError::InvalidPlan) };
        }
        let of_original: String = plan
            .quirks
            .iter()
            .filter(|quirk| overlaps.contains(quirk.a, quirk.b))
            .map(|quirk| say(&Message::new("cli.quirk").inner("reason", quirk.message(&problem))) + "\n")
            .collect();
        print(&(lines(&violations) + &of_original))?;
        if violations.is_empty() {
            let figures = metrics(&problem, &plan);
            let message = Message::new("cli.valid")
                .count("buffers", figures.placed)
                .count("pools", figures.pools)
                .text("peak", figures.peak.to_string())
                .text("bound", figures.bound().to_string());
            print(&(say(&message) + "\n"))?;
            if !quirks.is_empty() {
                note(&say(&Message::new("cli.only-quirks").count("count", quirks.len() as u64)));
            }
            return Ok(());
        }
        if violations.len() >= MOST_OVERLAPS {
            note(&say(&Message::new("violation.more").count("n", violations.len() as u64)));
        }
        note(&say(&Message::new("cli.invalid").count("count", violations.len() as u64)));
        Err(CliError::InvalidPlan)
    }
}
