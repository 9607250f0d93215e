//! What other settings of PyTorch's allocator would have done to a recorded program: one row of the
//! table a request, so that a page fills it row by row.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::compare::PlannerChoice;
use memplan_core::base::Message;
use memplan_core::problem::{FailedRequest, Problem, Recording};
use memplan_formats::import::Document;
use memplan_planners::{AtPeak, Fidelity, LeftOut, Measured, OnCard, WhatIf, cheapest, planned_as};

/// What stands in place of a line of the program that is not recorded.
pub const UNKNOWN: &str = "?";

/// Variables of the environment that set the allocator.
const VARIABLES: [&str; 3] = ["PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_HIP_ALLOC_CONF"];

/// Most requests that failed in a recording and are told.
const MOST_FAILED: usize = 3;

/// A question about a recorded program.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct WhatIfTask {
    /// Index of the memory, which is a card.
    pub memory: u32,
    /// Version of PyTorch, such as `2.12`; the newest that is known if absent.
    pub version: Option<String>,
    /// Bytes of the card that is asked about.
    pub card: Option<u64>,
    /// The change of settings that is measured; none asks what is known of the recording.
    pub change: Option<String>,
}

/// The answer to a [`WhatIfTask`].
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum WhatIfAnswer {
    /// What is known of the recording.
    Recorded(Recorded),
    /// A row of the table; the error says why the allocator would not take the settings.
    Row(Result<WhatIfRow, Message>),
}

/// A row of the table.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct WhatIfRow {
    /// The figures.
    pub measured: Measured,
    /// What asks when a request fails on the card: the name of its buffer, or of one that failed in
    /// the recording too its line of the program; none if it runs, or nobody knows.
    pub asks: Option<String>,
    /// The planner whose plan shows the row.
    pub choice: PlannerChoice,
}

/// A change of the settings with its row, or why the allocator would not take it. The first one of
/// a table changes nothing.
pub type WhatIfEntry = (String, Result<WhatIfRow, Message>);

/// What is known of a recording, before anything is changed.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Recorded {
    /// Name of the card.
    pub device: String,
    /// Text of its settings; empty for none.
    pub settings: String,
    /// Number of calls.
    pub calls: u64,
    /// Most bytes obtained at a time.
    pub reserved: u64,
    /// The memory that the process could have, if the recording shows it.
    pub card: Option<u64>,
    /// Changes of settings that are worth trying.
    pub usual: Vec<String>,
    /// Recorded requests, also those that failed.
    pub requests: u64,
    /// Of these, those with the recorded address or the recorded failure.
    pub equal: u64,
    /// Recorded requests that failed, and those that fail again in a replay.
    pub failures: (u64, u64),
    /// Recorded segments at the end, and those that a replay ends with.
    pub segments: u64,
    /// Of these, those that are equal block by block.
    pub equal_segments: u64,
    /// Where a replay first differs.
    pub difference: Option<Message>,
    /// Another version of PyTorch, under whose rules the replay is the recording.
    pub exact_version: Option<String>,
    /// What is allocated when most is.
    pub peak: PeakLines,
    /// Steps at which requests failed.
    pub failed: Vec<u32>,
    /// What the recording does not hold, and what is assumed for it.
    pub cautions: Vec<Message>,
}

/// What is allocated when most is, by line of the program. Sizes in bytes of blocks, which are
/// rounded.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct PeakLines {
    /// Bytes of allocated blocks: the sum of the lines.
    pub allocated: u64,
    /// The step.
    pub step: u32,
    /// Bytes of blocks that were given back and wait for other streams.
    pub waiting: u64,
    /// Each line with its bytes, the largest first; [`UNKNOWN`] for blocks without stacks.
    pub lines: Vec<(String, u64)>,
}

impl Recorded {
    /// Whether a replay with unchanged settings is the recording.
    pub fn is_equal(&self) -> bool {
        self.equal == self.requests && self.equal_segments == self.segments
    }
}

/// Answers a question about a document.
///
/// # Errors
/// The document records no calls, there is no such memory or version, or the version does not take
/// the recorded settings.
pub(super) fn asked(document: &Document, task: &WhatIfTask) -> Result<WhatIfAnswer, Message> {
    let problem = document.own_plan().map(|(problem, _)| problem);
    let problem = problem.ok_or_else(|| Message::new("whatif.no-recording"))?;
    match &task.change {
        None => recorded(problem, task).map(WhatIfAnswer::Recorded),
        Some(change) => Ok(WhatIfAnswer::Row(row(problem, task, change)?)),
    }
}

/// The memories whose calls are recorded.
pub fn recorded_memories(recordings: &[Recording]) -> impl Iterator<Item = u32> + '_ {
    (0..).zip(recordings).filter(|(_, recording)| !recording.calls.is_empty()).map(|(memory, _)| memory)
}

fn recording<'a>(problem: &'a Problem, task: &WhatIfTask) -> Result<&'a Recording, Message> {
    let recording = problem.recordings.get(task.memory as usize).filter(|recording| !recording.calls.is_empty());
    recording.ok_or_else(|| Message::new("whatif.no-recording"))
}

fn program<'a>(problem: &'a Problem, task: &WhatIfTask) -> Result<WhatIf<'a>, Message> {
    WhatIf::new(recording(problem, task)?, task.version.as_deref())
}

/// Returns what is known of a recording.
///
/// # Errors
/// The document records no calls, there is no such memory or version, or the version does not take
/// the recorded settings.
pub fn recorded(problem: &Problem, task: &WhatIfTask) -> Result<Recorded, Message> {
    let (recording, program) = (recording(problem, task)?, program(problem, task)?);
    let fidelity = program.check(task.card);
    let exact_version = if fidelity.is_whole() { None } else { program.exact_version(task.card) };
    let device = problem.memories.iter().nth(task.memory as usize).map_or_else(String::new, |m| m.device.clone());
    Ok(Recorded {
        device,
        settings: recording.settings.clone(),
        calls: recording.calls.len() as u64,
        reserved: recording.reserved,
        card: program.recorded_card(),
        usual: program.usual(),
        requests: fidelity.requests,
        equal: fidelity.equal,
        failures: (fidelity.failures, fidelity.equal_failures),
        segments: fidelity.segments,
        equal_segments: if fidelity.own_segments == fidelity.segments { fidelity.equal_segments } else { 0 },
        difference: difference(&fidelity, exact_version.as_deref()),
        exact_version,
        // Settings that the allocator does not survive are told by their row.
        peak: program.at_peak().map_or_else(|_| PeakLines::default(), |peak| peak_lines(problem, recording, &peak)),
        failed: recording.failed.iter().map(|failed| failed.step).collect(),
        cautions: cautions(recording, task.version.is_none().then(|| program.version())),
    })
}

fn difference(fidelity: &Fidelity, exact_version: Option<&str>) -> Option<Message> {
    if let Some(version) = exact_version {
        return Some(Message::new("whatif.differs-version").text("version", version));
    }
    let first = fidelity.first_difference?;
    let key = match (first.recorded, first.replayed) {
        (Some(_), Some(_)) => "whatif.differs",
        (Some(_), None) => "whatif.differs-fails",
        (None, _) => "whatif.differs-served",
    };
    let address = |address: Option<u64>| format!("{:#x}", address.unwrap_or(0));
    let message = Message::new(key).count("step", first.step).bytes("size", first.bytes);
    Some(message.text("recorded", address(first.recorded)).text("replayed", address(first.replayed)))
}

/// Requests that failed, and what a recording does not hold, where it matters to this one.
fn cautions(recording: &Recording, newest: Option<String>) -> Vec<Message> {
    let failure = |failed: &FailedRequest| {
        let line = if failed.line.is_empty() { UNKNOWN } else { &failed.line };
        let message = Message::new("whatif.failed").text("line", line).count("step", failed.step);
        message.bytes("bytes", failed.bytes)
    };
    let mut cautions: Vec<Message> = recording.failed.iter().take(MOST_FAILED).map(failure).collect();
    if let Some(version) = newest {
        cautions.push(Message::new("whatif.caution-version").text("version", version));
    }
    if recording.is_cut() {
        let blocks = recording.blocks.len() as u64;
        cautions
            .push(Message::new("whatif.caution-cut").count("segments", recording.held.len() as u64).count("n", blocks));
    }
    if recording.has_private_pools() {
        cautions.push(Message::new("whatif.caution-pools"));
    }
    if recording.has_waits() {
        cautions.push(Message::new("whatif.caution-streams"));
    }
    cautions.push(Message::new("whatif.caution-card"));
    cautions.push(Message::new("whatif.caution-program"));
    cautions
}

/// Measures a change of the settings; the inner error says why the allocator would not take it.
///
/// # Errors
/// The document records no calls, there is no such memory or version, or the version does not take
/// the recorded settings.
pub fn row(problem: &Problem, task: &WhatIfTask, change: &str) -> Result<Result<WhatIfRow, Message>, Message> {
    let recording = recording(problem, task)?;
    let measured = program(problem, task)?.measure(change, task.card);
    Ok(measured.map(|measured| {
        let stop = measured.on_card.and_then(|on_card| on_card.stop);
        let asks = stop.and_then(|stop| {
            let owner = recording.owners.get(stop.id as usize).copied().flatten();
            let failed = || recording.failed.iter().find(|failed| failed.step == stop.step).map(|failed| &failed.line);
            let name = owner.map(|buffer| &problem.buffers[buffer].name).or_else(failed);
            name.filter(|name| !name.is_empty()).cloned()
        });
        let (planner, options) = planned_as(&recording.settings, change, task.card);
        WhatIfRow { measured, asks, choice: PlannerChoice { planner: planner.into(), options } }
    }))
}

/// The row of the recorded settings, if there is one.
pub fn own(rows: &[WhatIfEntry]) -> Option<&WhatIfRow> {
    rows.first().and_then(|(_, row)| row.as_ref().ok())
}

/// The cheapest change that runs on the card, by its position.
pub fn cheapest_row(rows: &[WhatIfEntry]) -> Option<usize> {
    let measured = |(change, row): &'_ WhatIfEntry| (change.clone(), row.as_ref().ok().map(|row| row.measured.clone()));
    let others: Vec<_> = rows.iter().skip(1).map(measured).collect();
    cheapest(others.iter().map(|(change, measured)| (change.as_str(), measured.as_ref()))).map(|at| at + 1)
}

/// What a table comes to, as far as it is filled; none before the row of the recorded settings.
pub fn verdict(rows: &[WhatIfEntry], card: Option<u64>, is_complete: bool) -> Option<Message> {
    let measured = match &rows.first()?.1 {
        Ok(row) => &row.measured,
        // What the recorded program holds at first may be more than the card has.
        Err(why) => return Some(why.clone()),
    };
    let Some((card, on_card)) = card.zip(measured.on_card) else {
        return Some(Message::new("whatif.verdict-no-card").bytes("reserved", measured.reserved));
    };
    let Some(stop) = on_card.stop else {
        let smallest = measured.smallest.unwrap_or(0);
        let key = if on_card.left_out.is_some() { "whatif.verdict-runs-but" } else { "whatif.verdict-runs" };
        let runs = Message::new(key).bytes("card", card).bytes("smallest", smallest);
        return Some(with_left_out(runs, on_card.left_out));
    };
    let stopped = Message::new("whatif.verdict-stops").bytes("card", card).count("step", stop.step);
    if !is_complete {
        return Some(stopped);
    }
    Some(match cheapest_row(rows).map(|at| &rows[at]) {
        Some((change, Ok(row))) => Message::new("whatif.verdict-avoids")
            .inner("stopped", stopped)
            .text("change", change.clone())
            .bytes("smallest", row.measured.smallest.unwrap_or(0)),
        _ => Message::new("whatif.verdict-none").inner("stopped", stopped),
    })
}

/// The arithmetic of the request that fails on the card; nothing if the row runs.
pub fn arithmetic(row: &WhatIfRow) -> Vec<Message> {
    let Some(stop) = row.measured.on_card.and_then(|on_card| on_card.stop) else { return Vec::new() };
    let asks = Message::new("whatif.stop-asks").text("line", name_of(row));
    let mut lines = vec![asks.bytes("bytes", stop.bytes).bytes("segment", stop.segment)];
    if stop.given > 0 {
        lines.push(Message::new("whatif.stop-given").bytes("given", stop.given));
    }
    lines.push(Message::new("whatif.stop-free").bytes("free", stop.free).bytes("reserved", stop.reserved));
    let unused = stop.reserved.saturating_sub(stop.allocated);
    let pieces = Message::new("whatif.stop-pieces").bytes("unused", unused).bytes("largest", stop.largest);
    lines.push(pieces.bytes("rounded", stop.rounded));
    lines
}

/// What asks when a request fails; `?` if nobody knows it.
pub fn name_of(row: &WhatIfRow) -> String {
    row.asks.clone().unwrap_or_else(|| UNKNOWN.into())
}

/// What happens on the card.
pub fn result(on_card: OnCard) -> Message {
    match on_card.stop {
        Some(stop) => Message::new("whatif.stops").count("step", stop.step),
        None => {
            let key = if on_card.left_out.is_some() { "whatif.runs-but" } else { "whatif.runs" };
            let runs = Message::new(key).count("obtained", on_card.obtained).count("given", on_card.given);
            with_left_out(runs, on_card.left_out)
        }
    }
}

/// A sentence with the request that failed in the recording and was left out, if there is one.
fn with_left_out(message: Message, left_out: Option<LeftOut>) -> Message {
    match left_out {
        Some(LeftOut { step, bytes }) => message.count("step", step).bytes("bytes", bytes),
        None => message,
    }
}

fn peak_lines(problem: &Problem, recording: &Recording, peak: &AtPeak) -> PeakLines {
    let line = |id: u32| {
        let owner = recording.owners.get(id as usize).copied().flatten()?;
        problem.stacks.own_of(problem.buffers[owner].stack?).filter(|line| !line.is_empty())
    };
    let mut lines: BTreeMap<&str, u64> = BTreeMap::new();
    for &(id, bytes) in &peak.blocks {
        *lines.entry(line(id).unwrap_or(UNKNOWN)).or_default() += bytes;
    }
    let mut lines: Vec<(String, u64)> = lines.into_iter().map(|(line, bytes)| (line.to_string(), bytes)).collect();
    lines.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
    let AtPeak { step, allocated, waiting, .. } = *peak;
    PeakLines { allocated, step, waiting, lines }
}

/// What is allocated when most is, in words: the lines follow.
pub fn peak(facts: &Recorded) -> Message {
    let PeakLines { allocated, step, waiting, .. } = facts.peak;
    let key = if waiting > 0 { "whatif.peak-waiting" } else { "whatif.peak" };
    Message::new(key).bytes("allocated", allocated).count("step", step).bytes("waiting", waiting)
}

/// A change of the settings as a shell would set it: without the name of the variable, quotes and
/// blanks.
pub fn bare_change(text: &str) -> String {
    let text: String = text.split_whitespace().filter(|&word| word != "export").collect();
    let name = VARIABLES.iter().find_map(|name| text.strip_prefix(name)?.strip_prefix('='));
    name.unwrap_or(&text).trim_matches(['"', '\'']).to_string()
}

/// How near the replay with unchanged settings is to the recording.
pub fn check(facts: &Recorded) -> Message {
    let (failures, again) = facts.failures;
    let key = match (facts.is_equal(), failures > 0) {
        (true, false) => "whatif.equal",
        (true, true) => "whatif.equal-failed",
        (false, false) => "whatif.not-equal",
        (false, true) => "whatif.not-equal-failed",
    };
    // A request that failed lies nowhere.
    Message::new(key)
        .count("equal", facts.equal - again)
        .count("requests", facts.requests - failures)
        .count("again", again)
        .count("failures", failures)
        .count("same", facts.equal_segments)
        .count("segments", facts.segments)
}

#[cfg(test)]
mod tests {
    use super::*;
    use memplan_core::trace::Silent;
    use memplan_formats::import::{self, Answers};
    use memplan_planners::{self as planner, Input};

    const SNAPSHOT: &[u8] =
        include_bytes!("../../../tests/golden/data/cuda_allocator/snapshots/gpt_inference.pickle.gz");

    const CUT: &[u8] = include_bytes!("../../../tests/golden/data/cuda_allocator/snapshots/truncated.pickle.gz");

    #[test]
    fn a_table_has_a_verdict_once_it_is_filled_and_rows_have_plans() {
        let document = import::read(SNAPSHOT, Answers::default()).expect("a snapshot").document;
        let (problem, _) = document.own_plan().expect("blocks with addresses");
        let card = Some(80 << 20);
        let task = WhatIfTask { memory: 0, version: None, card, change: None };
        let mut rows: Vec<WhatIfEntry> = Vec::new();
        let key = |rows: &[WhatIfEntry], done| verdict(rows, card, done).map(|verdict| verdict.key);
        assert_eq!(key(&rows, false), None);
        for change in ["", "roundup_power2_divisions:8", "large_segment_size_mb:12"] {
            rows.push((change.into(), row(problem, &task, change).expect("a recording")));
            assert_eq!(key(&rows, false), Some("whatif.verdict-stops".into()));
        }
        assert_eq!((cheapest_row(&rows), key(&rows, true)), (Some(2), Some("whatif.verdict-avoids".into())));
        assert_eq!(key(&rows[..2], true), Some("whatif.verdict-none".into()));
        let first = own(&rows).expect("its own settings");
        assert_eq!(arithmetic(first).len(), 4);
        assert!(name_of(first).starts_with("block @"), "{}", name_of(first));
        // The plan of a row ends where the row does, and runs where it runs.
        let buffers = document.buffers().expect("a list");
        for (change, row) in &rows {
            let row = row.as_ref().expect("settings that it takes");
            let planner = planner::find(&row.choice.planner).expect("registered");
            let given = row.choice.options.iter().map(|(key, value)| (key.as_str(), value.as_str()));
            let options = planner.info().options(given).expect("options that it has");
            let input = Input { problem: &buffers, graph: None };
            let plan = planner.plan(input, &options, &mut Silent).expect("a plan");
            let runs = row.measured.on_card.is_some_and(|on_card| on_card.stop.is_none());
            assert_eq!(plan.unplanned.is_empty(), runs, "{change}");
            let asks = row.asks.as_ref().and_then(|name| buffers.buffer_named(name));
            assert_eq!(asks.is_some_and(|id| plan.places[id].is_none()), !runs, "{change}");
        }
    }

    #[test]
    fn a_cut_recording_needs_a_card_that_has_what_was_held() {
        let document = import::read(CUT, Answers::default()).expect("a snapshot").document;
        let (problem, _) = document.own_plan().expect("blocks with addresses");
        let held: u64 = problem.recordings[0].held.iter().map(|held| held.size).sum();
        let on = |card| {
            let task = WhatIfTask { memory: 0, version: None, card, change: None };
            row(problem, &task, "").expect("a recording").map(|row| row.measured)
        };
        assert!(on(None).is_ok_and(|measured| measured.smallest.is_some_and(|smallest| smallest >= held)));
        assert!(on(Some(held)).is_ok());
        assert_eq!(on(Some(held - 1)).map_err(|why| why.key), Err("whatif.held".into()));
    }
    fn facts(bytes: &[u8], version: Option<&str>, card: Option<u64>) -> Recorded {
        let document = import::read(bytes, Answers::default()).expect("a snapshot").document;
        let (problem, _) = document.own_plan().expect("blocks with addresses");
        let task = WhatIfTask { memory: 0, version: version.map(str::to_string), card, change: None };
        recorded(problem, &task).expect("a recording")
    }

    /// The process had 95% of 460 MiB, which the file does not hold: only that it held 386 MiB.
    #[test]
    fn a_process_could_hold_at_least_what_it_held() {
        let tight = include_bytes!("../../../tests/golden/data/cuda_allocator/snapshots/gc_tight.pickle.gz");
        for card in [None, Some(460 << 20), Some(100 << 20)] {
            let facts = facts(tight, None, card);
            assert!(facts.is_equal() && facts.difference.is_none(), "{} of {}", facts.equal, facts.requests);
        }
    }

    #[test]
    fn the_version_under_whose_rules_a_replay_is_exact_is_named() {
        let old = include_bytes!("../../../tests/golden/data/cuda_allocator/snapshots/small_tensors_2_12.pickle.gz");
        let newest = facts(old, None, None);
        assert!(!newest.is_equal());
        assert_eq!(newest.exact_version.as_deref(), Some("2.12"));
        assert_eq!(newest.difference.map(|message| message.key), Some("whatif.differs-version".into()));
        let right = facts(old, Some("2.12"), None);
        assert!(right.is_equal() && right.exact_version.is_none() && right.difference.is_none());
    }
}
