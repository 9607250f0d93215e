//! A planner that takes open slots: the slots that are open, and the buffers that the last round
//! moves.

use std::collections::BTreeMap;

use super::{Cell, Row, Section, Table, View};
use crate::fold::Fold;
use crate::{Frame, Run};
use memplan_core::base::{Arg, Message};
use memplan_core::problem::{BufferId, MemoryId};
use memplan_core::trace::{Event, Note, StatePanel};

/// The open slots of each memory, by offset, the oldest of equals first.
#[derive(Clone, Default)]
struct Slots {
    open: BTreeMap<MemoryId, BTreeMap<(u64, u32), Slot>>,
    /// Memory of the buffer of the present decision.
    memory: MemoryId,
    /// Number of events so far, which also numbers the slots.
    events: u32,
}

#[derive(Clone)]
struct Slot {
    live: (u32, u32),
    /// Number of the event that opened it.
    event: u32,
}

impl Fold for Slots {
    fn new(_: &Run) -> Slots {
        Slots::default()
    }

    fn apply(&mut self, run: &Run, event: &Event) {
        match *event {
            Event::Begin { buffer } => self.memory = run.problem.buffers[buffer].memory,
            Event::Note { note: Note::SlotOpen | Note::SlotMove, subject: from, a: offset, b: until } => {
                let live = (from, u32::try_from(until).unwrap_or(u32::MAX));
                let slot = Slot { live, event: self.events };
                self.open.entry(self.memory).or_default().insert((offset, self.events), slot);
            }
            // It is always the first one.
            Event::Note { note: Note::SlotTake | Note::SlotDrop, .. } => {
                self.open.entry(self.memory).or_default().pop_first();
            }
            _ => {}
        }
        self.events += 1;
    }
}

/// The slots that are open, with those that the present decision opened marked.
pub fn open_slots(run: &Run, frame: &Frame) -> Option<Section> {
    if !run.has_panel(StatePanel::OpenSlots) {
        return None;
    }
    let begin = run.timeline.decisions[frame.decision?].begin;
    let slots = run.fold::<Slots>(frame.events);
    let row = |(&(offset, _), slot): (&(u64, u32), &Slot)| Row {
        cells: vec![Cell::Value(Arg::Address(offset)), Cell::Value(Arg::Live(slot.live.0, slot.live.1))],
        changed: (slot.event >= begin).then(|| Message::new("panel.changed.new")),
        ..Row::default()
    };
    let rows = slots.open.get(&slots.memory).into_iter().flatten().map(row).collect();
    Some(Section { id: "open-slots", view: View::Table(Table::new(&["#offset", "#live"], rows, None)) })
}

/// A buffer of a round: how many others it overlaps, its colour, and where it moved from and to.
struct Pushed {
    buffer: BufferId,
    overlaps: u64,
    color: u64,
    moved: Option<(u64, u64)>,
}

/// The buffers of the latest round that overlap: how many others each overlaps, its colour, and
/// where it moves.
pub fn rounds(run: &Run, frame: &Frame) -> Option<Section> {
    if !run.has_panel(StatePanel::OpenSlots) || !run.has_note(Note::Round) {
        return None;
    }
    let begin = run.noted(frame.events, &[Note::Round]).next_back().map_or(frame.events, |(number, _)| number);
    let mut pushed: Vec<Pushed> = Vec::new();
    let mut current = None;
    for event in &run.timeline.events[begin as usize..frame.events as usize] {
        let Event::Note { note, subject, a, b } = *event else { continue };
        let named = match note {
            Note::Overlap => vec![subject, a as u32],
            Note::Lifted | Note::RoundColor => vec![subject],
            _ => continue,
        };
        for buffer in named.into_iter().map(BufferId) {
            let at = pushed.iter().position(|row| row.buffer == buffer).unwrap_or(pushed.len());
            if at == pushed.len() {
                pushed.push(Pushed { buffer, overlaps: 0, color: 0, moved: None });
            }
            match note {
                Note::Overlap => pushed[at].overlaps += 1,
                Note::Lifted => (pushed[at].moved, current) = (Some((a, b)), Some(at)),
                _ => pushed[at].color = a,
            }
        }
    }
    let row = |row: &Pushed| {
        let offset = frame.places[row.buffer].map_or(0, |place| place.offset);
        let place = row.moved.map_or(Cell::Value(Arg::Address(offset)), |(from, to)| Cell::Grown(from, to));
        Row {
            cells: vec![Cell::name(run, row.buffer), Cell::count(row.overlaps), Cell::count(row.color), place],
            buffer: Some(row.buffer),
            ..Row::default()
        }
    };
    let table = Table::new(&["buffer", "#overlaps", "#color", "#offset"], pushed.iter().map(row).collect(), current);
    Some(Section { id: "push-rounds", view: View::Table(table) })
}
