//! `memplan alive`: what the peak is made of.

use clap::Args;
use memplan_core::base::Message;
use memplan_core::base::shown::visible;
use memplan_core::graph::NodeId;
use memplan_core::problem::{Alive, Classes, Fullest, alive_groups};
use memplan_core::text::Speech;
use memplan_core::trace::Silent;
use memplan_engine::api::PlannedDocument;
use serde_json::{Value, json};

use super::error::CliError;
use super::output::{print, print_record};
use super::plan::RunArgs;

/// List the buffers that are alive at the fullest step, or at another one, the largest first
#[derive(Args)]
pub struct AliveCommand {
    #[command(flatten)]
    run: RunArgs,

    /// The step, from 0; the first of the fullest steps if absent
    #[arg(long, value_name = "N")]
    step: Option<u32>,

    /// Print JSON for programs
    #[arg(long)]
    json: bool,
}

/// What is alive at a step of a plan.
struct Moment {
    ran: PlannedDocument,
    fullest: Fullest,
    step: u32,
    /// The largest first.
    rows: Vec<Alive>,
}

impl AliveCommand {
    pub fn run(self) -> Result<(), CliError> {
        let ran = self.run.plan(&mut Silent)?;
        let fullest = Fullest::new(&ran.problem);
        let last = ran.problem.steps.saturating_sub(1);
        let step = self.step.or(fullest.step()).unwrap_or(0);
        if step > last {
            let refusal = Message::new("cli.no-such-step").count("at", step).count("last", last);
            return Err(CliError::because(&refusal));
        }
        let groups = alive_groups(&ran.problem, ran.graph.as_ref(), step);
        let mut rows: Vec<Alive> = groups.into_iter().flat_map(|group| group.rows).collect();
        rows.sort_by_key(|row| (std::cmp::Reverse(row.bytes), row.buffer));
        let moment = Moment { ran, fullest, step, rows };
        if self.json { print_record("alive/1", moment.record()) } else { print(&moment.text()) }
    }
}

impl Moment {
    fn load(&self) -> u64 {
        self.rows.iter().map(|row| row.bytes).sum()
    }

    fn node(&self, id: NodeId) -> Option<&str> {
        Some(&*self.ran.graph.as_ref()?.nodes.get(id)?.name)
    }

    /// One line for each buffer, and one before them with the sum.
    fn text(&self) -> String {
        let key = if self.load() == self.fullest.most { "cli.alive-fullest" } else { "cli.alive" };
        let head = Message::new(key).bytes("load", self.load()).count("step", self.step);
        let head = head.count("n", self.rows.len() as u64).bytes("most", self.fullest.most);
        let lines = self.rows.iter().map(|row| {
            let buffer = &self.ran.problem.buffers[row.buffer];
            let line = Message::new("cli.alive-line").bytes("bytes", row.bytes).name("name", buffer.name.clone());
            line.live("live", buffer.live.start, buffer.live.end)
        });
        let say = |message| visible(&Speech::default().say(&message)).into_owned() + "\n";
        std::iter::once(head).chain(lines).map(say).collect()
    }

    fn record(&self) -> Value {
        let classes = Classes::of(&self.ran.problem, self.ran.graph.as_ref());
        let rows = self.rows.iter().map(|row| {
            let buffer = &self.ran.problem.buffers[row.buffer];
            let place = self.ran.plan.places.get(row.buffer).copied().flatten();
            json!({
                "name": buffer.name,
                "bytes": row.bytes,
                "size": buffer.size,
                "start": buffer.live.start,
                "end": buffer.live.end,
                "kind": buffer.kind,
                "role": classes.as_ref().map(|classes| classes.class(row.buffer).name()),
                "maker": row.maker.and_then(|id| self.node(id)),
                "reader": row.reader.and_then(|id| self.node(id)),
                "pool": place.map(|place| place.pool.0),
                "offset": place.map(|place| place.offset),
            })
        });
        let stretches = self.fullest.stretches.iter().map(|live| [live.start, live.end]);
        json!({
            "graph": self.ran.problem.name,
            "planner": self.ran.planner,
            "step": self.step,
            "load": self.load(),
            "most": self.fullest.most,
            "bound": self.fullest.bound,
            "fullest": stretches.collect::<Vec<_>>(),
            "buffers": rows.collect::<Vec<_>>(),
        })
    }
}
