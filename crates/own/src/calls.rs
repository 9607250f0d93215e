//! What a program said, turned into events and a plan.

use std::collections::BTreeMap;

use memplan_core::base::Message;
use memplan_core::plan::Plan;
use memplan_core::problem::{BufferId, Problem};
use memplan_core::trace::{Event, Note, Outcome, Probe, Verdict, in_the_way};
use memplan_planners::{Arenas, PlanError};

use crate::board::{Board, Gap};

/// Most names in a sentence.
const MAX_NAMES: usize = 5;

/// Something that a program said. Lines count from 1; 0 is unknown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Call {
    /// A buffer gets its place.
    Place {
        /// The buffer.
        buffer: BufferId,
        /// First byte, from the base of its memory.
        offset: u64,
        /// Line of the program.
        line: u32,
    },
    /// A place is looked at for a buffer that has none yet.
    Look {
        /// The buffer.
        buffer: BufferId,
        /// First byte of the place.
        offset: u64,
        /// What came of it, in the words of the program.
        reason: String,
        /// Line of the program.
        line: u32,
    },
    /// Anything else, in words.
    Note {
        /// The words.
        text: String,
        /// Line of the program.
        line: u32,
    },
}

/// Texts that notes name by number; equal ones are there once.
#[derive(Default)]
pub struct Texts {
    all: Vec<String>,
    known: BTreeMap<String, u32>,
}

impl Texts {
    fn number(&mut self, text: &str) -> u32 {
        if let Some(&number) = self.known.get(text) {
            return number;
        }
        let number = self.all.len() as u32;
        self.all.push(text.to_string());
        self.known.insert(text.to_string(), number);
        number
    }
}

/// Reports what a program decides, and collects the plan.
pub struct Reporter<'a> {
    problem: &'a Problem,
    /// The lines of the program; empty if they are not known.
    lines: Vec<&'a str>,
    arenas: Arenas<'a>,
    texts: Texts,
    /// What is placed so far.
    pub board: Board,
    decisions: u32,
}

impl<'a> Reporter<'a> {
    /// Reports a plan of a problem; `code` is the program, or empty.
    pub fn new(problem: &'a Problem, code: &'a str, board: Board) -> Reporter<'a> {
        let lines = code.lines().collect();
        Reporter { problem, lines, arenas: Arenas::new(problem), texts: Texts::default(), board, decisions: 0 }
    }

    /// Begins the decision of a buffer and returns whether all places looked at are wanted.
    pub fn begin(&mut self, id: BufferId, probe: &mut dyn Probe) -> bool {
        probe.event(Event::Begin { buffer: id });
        self.decisions += 1;
        probe.wants_detail(self.decisions - 1)
    }

    /// Reports the gaps of a buffer that goes to `offset`, and returns the outcome.
    pub fn look_at_gaps(
        &self,
        id: BufferId,
        gaps: &[Gap],
        offset: u64,
        detail: bool,
        probe: &mut dyn Probe,
    ) -> Outcome {
        let size = self.board.size(id);
        let holds = |gap: &Gap| gap.from <= offset && offset.saturating_add(size) <= gap.end;
        let chosen = gaps.iter().position(holds);
        if detail {
            for (number, gap) in gaps.iter().enumerate() {
                let verdict = match gap.size() >= size {
                    _ if chosen == Some(number) => Verdict::Chosen,
                    true => Verdict::Fits,
                    false => Verdict::TooSmall,
                };
                let room = if gap.is_open { u64::MAX } else { gap.end - gap.from };
                probe.event(Event::Block { verdict, offset: gap.from, room });
            }
            if chosen.is_none() {
                self.look(id, offset, Verdict::Chosen, probe);
            }
        }
        match chosen {
            None => Outcome::Overlap,
            Some(number) if gaps[number].is_open => Outcome::AtEnd,
            Some(_) => Outcome::Gap,
        }
    }

    /// Reports one place; `free` is the verdict if nothing is in the way.
    fn look(&self, id: BufferId, offset: u64, free: Verdict, probe: &mut dyn Probe) {
        let others = self.board.in_the_way(id, offset);
        let verdict = if others.is_empty() { free } else { Verdict::Overlaps };
        in_the_way(probe, others);
        probe.event(Event::Block { verdict, offset, room: self.board.size(id) });
    }

    /// Reports the line that leads to the next event.
    pub fn line(&mut self, line: u32, probe: &mut dyn Probe) {
        if line > 0 {
            let code = self.lines.get(line as usize - 1).map_or("", |line| line.trim());
            let subject = self.texts.number(code);
            probe.event(Event::Note { note: Note::CodeLine, subject, a: line.into(), b: 0 });
        }
    }

    /// Places the buffer of the decision.
    pub fn place(&mut self, id: BufferId, offset: u64, outcome: Outcome, probe: &mut dyn Probe) {
        self.arenas.place(id, offset, outcome, probe);
        self.board.put(id, offset);
    }

    /// Places a buffer without bytes.
    pub fn nothing(&mut self, id: BufferId, probe: &mut dyn Probe) {
        self.begin(id, probe);
        self.place(id, 0, Outcome::Nothing, probe);
    }

    fn words(&mut self, note: Note, text: &str, a: u64, probe: &mut dyn Probe) {
        let subject = self.texts.number(text);
        probe.event(Event::Note { note, subject, a, b: 0 });
    }

    /// Reports calls in their order. What was said before a placement belongs to its decision;
    /// places looked at for a buffer wait until that one is placed.
    ///
    /// # Errors
    /// The first one that makes no sense, or that a buffer is left without a place.
    pub fn tell(&mut self, calls: &[Call], probe: &mut dyn Probe) -> Result<(), PlanError> {
        let total = self.problem.buffers.len() as u64;
        let mut waiting: Vec<&Call> = Vec::new();
        for call in calls {
            match call {
                Call::Place { buffer, offset, line } => {
                    if probe.pulse(u64::from(self.decisions).min(total), total).is_break() {
                        return Err(PlanError::Cancelled);
                    }
                    let concerns = |call: &&Call| match call {
                        Call::Look { buffer: other, .. } => other == buffer,
                        _ => true,
                    };
                    let (now, later): (Vec<&Call>, Vec<&Call>) = waiting.into_iter().partition(concerns);
                    waiting = later;
                    self.decide(*buffer, *offset, *line, &now, probe);
                }
                _ => waiting.push(call),
            }
        }
        for call in waiting {
            // Its line would be taken for that of the last placement.
            if let Call::Note { text, .. } = call {
                self.words(Note::OwnNote, text, 0, probe);
            }
        }
        self.finish(probe)
    }

    /// Reports the decision of one buffer with what was said before.
    fn decide(&mut self, id: BufferId, offset: u64, line: u32, said: &[&Call], probe: &mut dyn Probe) {
        let detail = self.begin(id, probe);
        for call in said {
            match call {
                Call::Look { offset: place, reason, line, .. } if detail => {
                    self.line(*line, probe);
                    if !reason.is_empty() {
                        self.words(Note::OwnReason, reason, *place, probe);
                    }
                    let verdict = if *place == offset { Verdict::Chosen } else { Verdict::Fits };
                    self.look(id, *place, verdict, probe);
                }
                _ => self.note(call, probe),
            }
        }
        self.line(line, probe);
        let outcome = match self.problem.buffers[id].size {
            0 => Outcome::Nothing,
            _ => self.look_at_gaps(id, &self.board.gaps(id), offset, false, probe),
        };
        self.place(id, offset, outcome, probe);
    }

    /// Reports a note; nothing else.
    pub fn note(&mut self, call: &Call, probe: &mut dyn Probe) {
        if let Call::Note { text, line } = call {
            self.line(*line, probe);
            self.words(Note::OwnNote, text, 0, probe);
        }
    }

    /// Places what has no bytes, and refuses if anything else has no place.
    ///
    /// # Errors
    /// Names the first buffers without one.
    pub fn finish(&mut self, probe: &mut dyn Probe) -> Result<(), PlanError> {
        let mut left = Vec::new();
        for (id, buffer) in self.problem.buffers.enumerate() {
            match buffer.size {
                _ if self.board.is_placed(id) => {}
                0 => self.nothing(id, probe),
                _ => left.push(buffer.name.clone()),
            }
        }
        if left.is_empty() {
            return Ok(());
        }
        Err(PlanError::Refused(
            Message::new("own-planner.unplaced").count("n", left.len() as u64).text("names", listed(&left)),
        ))
    }

    /// The plan of what was placed.
    pub fn into_plan(self) -> Plan {
        Plan { texts: self.texts.all, ..self.arenas.into_plan() }
    }
}

/// Some of many names.
pub fn listed(names: &[String]) -> String {
    let more = if names.len() > MAX_NAMES { ", …" } else { "" };
    format!("{}{more}", names[..names.len().min(MAX_NAMES)].join(", "))
}
