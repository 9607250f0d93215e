//! A planner that takes buffers out of the largest load of those that wait: that load by step, and who is live at its peak.

use super::{Cell, Row, Section, Table, View, notes};
use crate::base::{Arg, Arrange, Message, align_up};
use crate::problem::BufferId;
use crate::replay::{Frame, Run};
use crate::trace::{Event, Note, StatePanel};

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

/// The load of the buffers that wait, by step, with its peak marked.
pub fn loads(run: &Run, frame: &Frame) -> Option<Section> {
    let waiting = waiting(run, frame)?;
    let steps = run.problem.steps as usize;
    let (mut added, mut freed) = (vec![0; steps + 1], vec![0; steps + 1]);
    for &id in &waiting.buffers {
        let live = run.problem.buffers[id].live;
        added[live.start as usize] += waiting.size(run, id);
        freed[live.end as usize] += waiting.size(run, id);
    }
    let mut load = 0;
    let loads: Vec<u64> = added
        .into_iter()
        .zip(freed)
        .take(steps)
        .map(|(added, freed)| {
            load = load + added - freed;
            load
        })
        .collect();
    let largest = loads.iter().copied().max().unwrap_or(0).max(1);
    let row = |(step, &load): (usize, &u64)| Row {
        cells: vec![Cell::count(step as u64), Cell::bytes(load), Cell::Bar(load as f64 / largest as f64)],
        changed: (waiting.peak == Some(step as u32)).then(|| Message::new("panel.waiting.peak")),
        ..Row::default()
    };
    let rows = loads.iter().enumerate().map(row).collect();
    let current = waiting.peak.map(|step| step as usize);
    let table = Table::new(&["#step", "#load", "share"], rows, current);
    Some(Section { id: "waiting-load", view: View::Table(table) })
}

/// The buffers that wait and are live at the peak of that load, the largest first, and the one that is taken.
pub fn live_at_peak(run: &Run, frame: &Frame) -> Option<Section> {
    let waiting = waiting(run, frame)?;
    let peak = waiting.peak?;
    let mut ids = waiting.buffers.clone();
    ids.retain(|&id| run.problem.buffers[id].live.contains(peak));
    ids.arrange_by_key(|&id| std::cmp::Reverse(waiting.size(run, id)));
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
