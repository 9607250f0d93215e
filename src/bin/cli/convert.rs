//! `memplan convert`: the same contents in another format.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use memplan::base::Message;
use memplan::export;
use memplan::import::Document;
use memplan::plan::{Plan, PlanFile};
use memplan::problem::Problem;

use super::failure::{Failure, note, say};
use super::input::Input;
use super::output::{Kind, write};
use super::scope::ScopeArgs;

/// What a plan file names as its planner when it was not planned here.
const NO_PLANNER: &str = "imported";

/// Write a file in another format, chosen by the suffix of the output: .json or .csv, each with or without .gz
#[derive(Args)]
pub struct Convert {
    #[command(flatten)]
    input: Input,

    #[command(flatten)]
    scope: ScopeArgs,

    /// File to write
    #[arg(short, value_name = "FILE")]
    output: PathBuf,
}

impl Convert {
    pub fn run(self) -> Result<(), Failure> {
        let Some(kind) = Kind::of(&self.output) else {
            let path = self.output.display().to_string();
            return Err(Failure::because(&Message::new("cli.unknown-suffix").text("path", path)));
        };
        let text = match (self.input.read()?.document, kind) {
            (Document::Graph(mut graph) | Document::Planned(mut graph, ..), Kind::Json) => {
                self.scope.set_hints(&mut graph)?;
                export::graph(&graph)
            }
            (Document::Buffers(_), Kind::Json) => return Err(Failure::because(&Message::new("cli.buffers-no-json"))),
            (Document::Plan(problem, plan), Kind::Json) => plan_json(&problem, &plan),
            (Document::Plan(problem, plan), Kind::Csv) => plan_csv(&problem, &plan),
            (document, Kind::Csv) => export::csv(&self.scope.problem(document)?.0, None),
        };
        write(Some(&self.output), &text)
    }
}

fn plan_json(problem: &Problem, plan: &Plan) -> String {
    export::plan(&PlanFile::new(problem, plan, NO_PLANNER, BTreeMap::new(), say))
}

/// A CSV has no words for a takeover or for what was left out.
fn plan_csv(problem: &Problem, plan: &Plan) -> String {
    let lost = [("cli.csv-takeovers", plan.shared.len()), ("cli.csv-unplanned", plan.unplanned.len())];
    for (key, count) in lost.into_iter().filter(|(_, count)| *count > 0) {
        let text = say(&Message::new(key).count("count", count as u64));
        note(&say(&Message::new("cli.warning").text("text", text)));
    }
    export::csv(problem, Some(plan))
}
