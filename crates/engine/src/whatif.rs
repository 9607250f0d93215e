//! What other settings of PyTorch's allocator would have done to a recorded program: one row of the
//! table a request, so that a page fills it row by row.

use serde::{Deserialize, Serialize};

use memplan_core::base::Message;
use memplan_core::problem::{Problem, Recording};
use memplan_formats::import::Document;
use memplan_planners::{Fidelity, Measured, WhatIf};

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
    Row(Result<Measured, Message>),
}

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
    /// Recorded requests, and those that got the recorded address in a replay.
    pub requests: u64,
    /// Of these, those with the recorded address or the recorded failure.
    pub equal: u64,
    /// Recorded segments at the end, and those that a replay ends with.
    pub segments: u64,
    /// Of these, those that are equal block by block.
    pub equal_segments: u64,
    /// Where a replay first differs.
    pub difference: Option<Message>,
    /// Steps at which requests failed.
    pub failed: Vec<u32>,
    /// What the recording does not hold, and what is assumed for it.
    pub cautions: Vec<Message>,
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
pub fn recorded_memories(problem: &Problem) -> impl Iterator<Item = u32> + '_ {
    (0..).zip(problem.recordings.iter()).filter(|(_, recording)| !recording.calls.is_empty()).map(|(memory, _)| memory)
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
/// As of [`asked`].
pub fn recorded(problem: &Problem, task: &WhatIfTask) -> Result<Recorded, Message> {
    let (recording, program) = (recording(problem, task)?, program(problem, task)?);
    let fidelity = program.check();
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
        segments: fidelity.segments,
        equal_segments: if fidelity.own_segments == fidelity.segments { fidelity.equal_segments } else { 0 },
        difference: difference(&fidelity),
        failed: recording.failed.iter().map(|failed| failed.step).collect(),
        cautions: cautions(recording, task.version.is_none().then(|| program.version())),
    })
}

fn difference(fidelity: &Fidelity) -> Option<Message> {
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

/// What a recording does not hold, where it matters to this one.
fn cautions(recording: &Recording, newest: Option<String>) -> Vec<Message> {
    let mut cautions = Vec::new();
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
/// As of [`asked`].
pub fn row(problem: &Problem, task: &WhatIfTask, change: &str) -> Result<Result<Measured, Message>, Message> {
    Ok(program(problem, task)?.measure(change, task.card))
}
