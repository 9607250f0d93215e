//! `memplan gap`: why a plan is above its lower bound.

use clap::{Args, ValueEnum};
use memplan_core::base::shown::{markdown, visible};
use memplan_core::base::{Arg, Message};
use memplan_core::plan::faults;
use memplan_core::text::Speech;
use memplan_formats::export;
use memplan_replay::{Gap, Growth, Level, Run, gap, gap_sentences, reason, record_gap};

use super::error::CliError;
use super::output::print;
use super::plan::RunArgs;

/// List the decisions that raised a plan above its lower bound, with the reason of each
#[derive(Args)]
pub struct GapCommand {
    #[command(flatten)]
    run: RunArgs,

    /// Form of the answer
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    format: GapFormat,

    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum GapFormat {
    /// One line a decision
    Text,
    /// A heading, a paragraph and a table
    Markdown,
    /// gap/1 for programs
    Json,
}

impl GapCommand {
    pub fn run(self) -> Result<(), CliError> {
        let run = self.run.replay()?;
        if let Some(why) = &run.plan.misreading {
            return Err(CliError::Misread(say(why)));
        }
        // The peak of a plan that breaks rules says nothing, and no decision raised it.
        let is_figure = run.plan.places.iter().all(Option::is_none);
        let broken = if is_figure { Vec::new() } else { faults(&run.problem, &run.plan) };
        if !broken.is_empty() {
            let violations: Vec<Message> = broken.iter().map(|violation| violation.message(&run.problem)).collect();
            return Err(CliError::invalid(&violations));
        }
        let gap = gap(&run, u64::MAX);
        let format = if self.json { GapFormat::Json } else { self.format };
        print(&match format {
            GapFormat::Text => text(&run, &gap),
            GapFormat::Markdown => table(&run, &gap),
            GapFormat::Json => export::gap::gap(&record_gap(&run, &gap)),
        })
    }
}

/// The line of one decision.
fn line(run: &Run, growth: &Growth) -> Message {
    let buffer = &run.problem.buffers[growth.buffer];
    Message::new("cli.gap-line")
        .with("frame", Arg::Frames(vec![growth.decision as u32 + 1]))
        .name("name", buffer.name.clone())
        .bytes("size", buffer.size)
        .live("live", buffer.live.start, buffer.live.end)
        .bytes("adds", growth.adds)
        .inner("reason", reason(run, growth, Level::Decisions))
}

/// In English, as people read it, on one line and without effect on a terminal.
fn say(message: &Message) -> String {
    visible(&Speech::default().say(message)).into_owned()
}

fn text(run: &Run, gap: &Gap) -> String {
    let count = gap.growths.len() as u64;
    if count == 0 {
        return paragraph(run, gap) + "\n";
    }
    let head = Message::new("cli.gap").bytes("above", run.metrics.waste).count("n", count);
    let lines = gap.growths.iter().map(|growth| line(run, growth));
    // What holds for all of them stands once, below.
    let is_common = |sentence: &Message| ["gap.rule", "gap.left-out"].contains(&&*sentence.key);
    let mut common: Vec<Message> = gap_sentences(run, gap, Level::Decisions).into_iter().filter(is_common).collect();
    common.dedup();
    std::iter::once(head).chain(lines).chain(common).map(|message| say(&message) + "\n").collect()
}

fn paragraph(run: &Run, gap: &Gap) -> String {
    let sentences: Vec<String> = gap_sentences(run, gap, Level::Decisions).iter().map(say).collect();
    sentences.join(" ")
}

fn table(run: &Run, gap: &Gap) -> String {
    let title = Message::new("cli.gap-title")
        .text("graph", run.problem.name.clone())
        .text("planner", run.planner.clone())
        .bytes("above", run.metrics.waste);
    let mut text = format!("### {}\n\n{}\n", markdown(&say(&title)), markdown(&paragraph(run, gap)));
    if gap.growths.is_empty() {
        return text;
    }
    text += &format!("\n{}\n|---:|---|---:|---|---:|---|\n", say(&Message::new("cli.gap-columns")));
    for growth in &gap.growths {
        let row = line(run, growth);
        let words = |name: &str| {
            let value = row.arg(name).map(|arg| Message::new("panel.value").with("value", arg.clone()));
            value.map_or_else(String::new, |value| markdown(&say(&value)))
        };
        let cells = ["frame", "name", "size", "live", "adds", "reason"].map(words);
        text += &format!("| {} |\n", cells.join(" | "));
    }
    text
}
