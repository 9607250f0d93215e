//! `memplan whatif`: what other settings of PyTorch's allocator would have done to a recorded
//! program.

use clap::Args;
use memplan_core::base::Message;
use memplan_core::base::shown::visible;
use memplan_core::problem::Problem;
use memplan_core::text::Speech;
use memplan_engine::{
    PeakLines, Recorded, WhatIfEntry, WhatIfRow, WhatIfTask, bare_change, cheapest_row, recorded, recorded_memories,
    whatif_arithmetic, whatif_check, whatif_name, whatif_own, whatif_peak, whatif_result, whatif_row, whatif_verdict,
};
use memplan_fit::read_size;
use memplan_planners::Stop;
use serde_json::{Value, json};

use super::error::CliError;
use super::input::InputArgs;
use super::output::{print, print_record};

/// Most lines of the program that are listed for the peak.
const MOST_LINES: usize = 5;

/// Show what other settings of PyTorch's CUDA allocator would have done to a recorded snapshot
#[derive(Args)]
pub struct WhatIfCommand {
    #[command(flatten)]
    input: InputArgs,

    /// Memory of the card that is asked about, such as 80GiB
    #[arg(long, value_name = "SIZE")]
    card: Option<String>,

    /// Settings to measure in place of the usual ones, as in PYTORCH_ALLOC_CONF (repeatable)
    #[arg(long = "settings", value_name = "TEXT")]
    settings: Vec<String>,

    /// Which card of the snapshot, from 0; the first that records calls if absent
    #[arg(long, value_name = "N")]
    device: Option<u32>,

    /// Version of PyTorch whose rules hold, which a snapshot does not name; the newest known if
    /// absent
    #[arg(long, value_name = "VERSION")]
    torch: Option<String>,

    /// Print JSON for programs
    #[arg(long)]
    json: bool,
}

impl WhatIfCommand {
    pub fn run(self) -> Result<(), CliError> {
        let card = match &self.card {
            Some(text) => Some(
                read_size(text)
                    .filter(|&card| card > 0)
                    .ok_or_else(|| CliError::because(&Message::new("whatif.no-size").text("size", text.clone())))?,
            ),
            None => None,
        };
        let document = self.input.read(&[])?.document;
        let none = || CliError::because(&Message::new("whatif.no-recording"));
        let (problem, _) = document.own_plan().ok_or_else(none)?;
        let memory = self.device.or_else(|| recorded_memories(&problem.recordings).next()).ok_or_else(none)?;
        let task = WhatIfTask { memory, version: self.torch, card, change: None };
        let because = |why: Message| CliError::because(&why);
        let facts = recorded(problem, &task).map_err(because)?;
        let own = || self.settings.iter().map(|text| bare_change(text)).collect();
        let changes: Vec<String> = if self.settings.is_empty() { facts.usual.clone() } else { own() };
        let mut rows: Vec<WhatIfEntry> = Vec::new();
        for change in std::iter::once(String::new()).chain(changes) {
            let row = whatif_row(problem, &task, &change).map_err(because)?;
            rows.push((change, row));
        }
        let table = Table { problem, facts, rows, card };
        if self.json { print_record("whatif/1", table.record()) } else { print(&table.text()) }
    }
}

struct Table<'a> {
    problem: &'a Problem,
    facts: Recorded,
    /// The first is that of the recorded settings.
    rows: Vec<WhatIfEntry>,
    card: Option<u64>,
}

/// In English, as people read it, on one line and without effect on a terminal.
fn say(message: &Message) -> String {
    visible(&Speech::default().say(message)).into_owned()
}

/// A number of bytes as people read it.
fn bytes(bytes: u64) -> String {
    say(&Message::new("panel.value").bytes("value", bytes))
}

impl Table<'_> {
    /// The recorded program with its own settings; none if the version does not survive them.
    fn own(&self) -> Option<&WhatIfRow> {
        whatif_own(&self.rows)
    }

    /// Whether the recorded settings end in an out of memory on the card.
    fn stop(&self) -> Option<Stop> {
        self.own()?.measured.on_card?.stop
    }

    /// What the table comes to.
    fn verdict(&self) -> Message {
        let unknown = || Message::new("whatif.verdict-no-card").bytes("reserved", 0);
        whatif_verdict(&self.rows, self.card, true).unwrap_or_else(unknown)
    }

    fn text(&self) -> String {
        let facts = &self.facts;
        let mut lines = vec![say(&self.verdict())];
        let arithmetic = self.own().map_or_else(Vec::new, whatif_arithmetic);
        lines.extend(arithmetic.iter().map(|line| format!("  {}", say(line))));
        lines.push(String::new());
        lines.extend(self.grid());
        lines.push(String::new());
        if facts.peak.allocated > 0 {
            lines.push(say(&whatif_peak(facts)));
            let named = facts.peak.lines.iter().take(MOST_LINES);
            lines.extend(named.map(|(line, size)| format!("  {}  {}", bytes(*size), visible(line))));
            let rest: Vec<u64> = facts.peak.lines.iter().skip(MOST_LINES).map(|(_, size)| *size).collect();
            if !rest.is_empty() {
                let more = Message::new("whatif.more-lines").count("n", rest.len());
                lines.push(format!("  {}  {}", bytes(rest.iter().sum()), say(&more)));
            }
        }
        lines.push(say(&whatif_check(facts)));
        lines.extend(facts.difference.iter().chain(&facts.cautions).map(say));
        lines.iter().map(|line| line.clone() + "\n").collect()
    }

    /// The table, its columns as wide as what stands in them.
    fn grid(&self) -> Vec<String> {
        let title = |key: &'static str| say(&Message::new(key));
        let mut cells = vec![vec![
            title("whatif.column-settings"),
            title("whatif.column-reserved"),
            title("whatif.column-allocated"),
            title("whatif.column-gap"),
            title("whatif.column-obtained"),
            title("whatif.column-smallest"),
            title("whatif.column-result"),
        ]];
        for (change, row) in &self.rows {
            let name = if change.is_empty() { title("whatif.as-recorded") } else { change.clone() };
            cells.push(match row {
                Ok(WhatIfRow { measured, .. }) => vec![
                    name,
                    bytes(measured.reserved),
                    bytes(measured.allocated),
                    bytes(measured.gap),
                    measured.obtained.to_string(),
                    measured.smallest.map_or_else(|| "-".into(), bytes),
                    measured.on_card.map_or_else(String::new, |on_card| say(&whatif_result(on_card))),
                ],
                Err(why) => vec![name, say(why)],
            });
        }
        let whole = |row: &&Vec<String>| row.len() > 2;
        let width = |column: usize| {
            let lengths = cells.iter().filter(|row| column == 0 || whole(row)).filter_map(|row| row.get(column));
            lengths.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..cells[0].len()).map(width).collect();
        let line = |row: &Vec<String>| {
            let last = row.len() - 1;
            let cell = |(column, cell): (usize, &String)| match column {
                0 => format!("{cell:<width$}", width = widths[0]),
                column if column == last => cell.clone(),
                _ => format!("{cell:>width$}", width = widths[column]),
            };
            row.iter().enumerate().map(cell).collect::<Vec<_>>().join("  ").trim_end().to_string()
        };
        cells.iter().map(line).collect()
    }

    fn record(&self) -> Value {
        let facts = &self.facts;
        let stop = |row: &WhatIfRow, stop: Stop| {
            json!({
                "event": stop.step,
                "line": whatif_name(row),
                "bytes": stop.bytes,
                "rounded": stop.rounded,
                "segment": stop.segment,
                "given_back": stop.given,
                "free": stop.free,
                "reserved": stop.reserved,
                "allocated": stop.allocated,
                "largest_free_block": stop.largest,
                "recorded": stop.is_recorded,
            })
        };
        let row = |(change, row): &WhatIfEntry| {
            let (row, error) = (row.as_ref().ok(), row.as_ref().err());
            let measured = row.map(|row| &row.measured);
            json!({
                "settings": change,
                "reserved_peak": measured.map(|measured| measured.reserved),
                "allocated_peak": measured.map(|measured| measured.allocated),
                "largest_gap": measured.map(|measured| measured.gap),
                "cudamalloc_calls": measured.map(|measured| measured.obtained),
                "smallest_card": measured.and_then(|measured| measured.smallest),
                "on_card": measured.and_then(|measured| measured.on_card).map(|on_card| json!({
                    "runs": on_card.stop.is_none(),
                    "cudamalloc_calls": on_card.obtained,
                    "given_back": on_card.given,
                    "left_out": on_card.left_out.map(|left_out| json!({
                        "event": left_out.step,
                        "bytes": left_out.bytes,
                    })),
                    "out_of_memory": row.zip(on_card.stop).map(|(row, at)| stop(row, at)),
                })),
                "error": error.map(say),
            })
        };
        let PeakLines { allocated, step, waiting, lines } = &facts.peak;
        let lines = lines.iter().map(|(line, bytes)| json!({ "line": line, "bytes": bytes }));
        let peak = json!({
            "event": (*allocated > 0).then_some(step),
            "allocated": allocated,
            "waiting": waiting,
            "lines": lines.collect::<Vec<_>>(),
        });
        json!({
            "graph": self.problem.name,
            "device": facts.device,
            "card": self.card,
            "recorded_card": facts.card,
            "recorded_settings": facts.settings,
            "calls": facts.calls,
            "recorded_reserved_peak": facts.reserved,
            "recorded_failures": facts.failed,
            "check": {
                "equal": facts.is_equal(),
                "requests": facts.requests,
                "equal_requests": facts.equal,
                "failures": facts.failures.0,
                "equal_failures": facts.failures.1,
                "segments": facts.segments,
                "equal_segments": facts.equal_segments,
                "first_difference": facts.difference.as_ref().map(say),
                "exact_version": facts.exact_version,
            },
            "rows": self.rows.iter().map(row).collect::<Vec<_>>(),
            "peak": peak,
            "cheapest": self.stop().and(cheapest_row(&self.rows)).map(|at| self.rows[at].0.clone()),
            "verdict": say(&self.verdict()),
            "cautions": facts.cautions.iter().map(say).collect::<Vec<_>>(),
        })
    }
}
