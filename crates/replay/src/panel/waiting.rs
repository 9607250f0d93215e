//! A planner that takes buffers out of the largest load of those that wait: that load by step, and
//! who is live at its peak.

use super::{Cell, Row, Section, Table, View, notes};
use crate::{Frame, Run};
use memplan_core::base::{Arg, Message, align_up};
use memplan_core::problem::BufferId;
use memplan_core::trace::{Event, Note, StatePanel};

/// The buffers of one memory that wait for their place at a frame, the one in question among them.
struct Waiting {
    focus: BufferId,
    /// Every size is rounded up to a multiple of it, in bytes.
    align: u64,
    /// The step of the largest load, if the planner looks for it.
    peak: Option<u32>,
    buffers: Vec<BufferId>,
}

fn waiting(run: &Run, frame: &Frame) -> Option<Waiting> {
    if !run.has_panel(StatePanel::WaitingLoad) {
        return None;
    }
    let focus = frame.focus?;
    let events = &run.timeline.events[..frame.events as usize];
    let of_decision = events.iter().rev().take_while(|event| !matches!(event, Event::Begin { .. }));
    let mut peaks = of_decision.filter_map(|event| match *event {
        Event::Note { note: Note::WaitingPeak, subject, .. } => Some(subject),
        _ => None,
    });
    let memory = run.problem.buffers[focus].memory;
    let waits =
        |&id: &BufferId| run.problem.buffers[id].memory == memory && (id == focus || frame.places[id].is_none());
    Some(Waiting {
        focus,
        align: notes(run, frame.events, Note::Rounds).next().map_or(1, |(_, align, _)| align),
        peak: peaks.next(),
        buffers: run.problem.buffers.ids().filter(waits).collect(),
    })
}

impl Waiting {
    fn size(&self, run: &Run, id: BufferId) -> u64 {
        align_up(run.problem.buffers[id].size, self.align)
    }
}

/// The load of the buffers that wait, a row for each step from which it is another, with its peak
/// marked.
pub fn loads(run: &Run, frame: &Frame) -> Option<Section> {
    let waiting = waiting(run, frame)?;
    // Step, bytes that come, bytes that go.
    let mut changes: Vec<(u32, u64, u64)> = Vec::new();
    for &id in &waiting.buffers {
        let live = run.problem.buffers[id].live;
        changes.extend([(live.start, waiting.size(run, id), 0), (live.end, 0, waiting.size(run, id))]);
    }
    // What comes at a step is counted before what goes: no sum is below 0.
    changes.sort_by_key(|&(step, _, gone)| (step, gone > 0));
    let mut load = 0;
    let mut loads: Vec<(u32, u64)> = Vec::new();
    for (step, come, gone) in changes {
        load = load + come - gone;
        match loads.last_mut() {
            Some(last) if last.0 == step => last.1 = load,
            _ => loads.push((step, load)),
        }
    }
    loads.retain(|(step, _)| *step < run.problem.steps);
    let largest = loads.iter().map(|(_, load)| *load).max().unwrap_or(0).max(1);
    let current = waiting.peak.and_then(|peak| loads.partition_point(|(step, _)| *step <= peak).checked_sub(1));
    let row = |(number, &(step, load)): (usize, &(u32, u64))| Row {
        cells: vec![Cell::count(u64::from(step)), Cell::bytes(load), Cell::Bar(load as f64 / largest as f64)],
        changed: (current == Some(number)).then(|| Message::new("panel.waiting.peak")),
        ..Row::default()
    };
    let rows = loads.iter().enumerate().map(row).collect();
    let table = Table::new(&["#step", "#load", "share"], rows, current);
    Some(Section { id: "waiting-load", view: View::Table(table) })
}

/// The buffers that wait and are live at the peak of that load, the largest first, and the one that
/// is taken.
pub fn live_at_peak(run: &Run, frame: &Frame) -> Option<Section> {
    let waiting = waiting(run, frame)?;
    let peak = waiting.peak?;
    let mut ids = waiting.buffers.clone();
    ids.retain(|&id| run.problem.buffers[id].live.contains(peak));
    ids.sort_by_key(|&id| std::cmp::Reverse(waiting.size(run, id)));
    let row = |&id: &BufferId| {
        let live = run.problem.buffers[id].live;
        Row {
            cells: vec![
                Cell::name(run, id),
                Cell::bytes(waiting.size(run, id)),
                Cell::Value(Arg::Live(live.start, live.end)),
            ],
            changed: (id == waiting.focus).then(|| Message::new("panel.objects.taken")),
            buffer: Some(id),
            ..Row::default()
        }
    };
    let rows: Vec<Row> = ids.iter().map(row).collect();
    let current = ids.iter().position(|&id| id == waiting.focus);
    let table = Table::new(&["buffer", "#bytes", "#live"], rows, current);
    Some(Section { id: "waiting-peak", view: View::Table(table) })
}
