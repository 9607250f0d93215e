//! Colours of the nodes, match ranges tried, and the pool at run time.

use super::{Cell, Chip, Row, Section, Table, View, notes};
use crate::fold::Fold;
use crate::{Frame, Run, node_name};
use memplan_core::base::{Arg, Message};
use memplan_core::plan::PoolId;
use memplan_core::problem::{BufferId, MemoryId};
use memplan_core::trace::{Event, Note};

/// The nodes in order, each with its colour.
pub fn colors(run: &Run, frame: &Frame) -> Option<Section> {
    let current = run.noted(frame.events, &[Note::Node]).next_back().map(|(_, (_, node, ..))| node);
    let chip = |(node, color, _): (u32, u64, u64)| {
        let label = node_name(run, node.into());
        Chip {
            class: u8::try_from(color).unwrap_or(u8::MAX),
            words: Message::new("panel.chip.color").count("color", color),
            current: current == Some(node),
            label,
        }
    };
    // Colours are reported only before the first decision.
    let first = run.timeline.decisions.first().map_or(frame.events, |decision| decision.begin.min(frame.events));
    let chips: Vec<Chip> = notes(run, first, Note::Color).map(chip).collect();
    (!chips.is_empty()).then_some(Section { id: "colors", view: View::Strip(chips) })
}

/// Ranges tried with what each leads to; clicking one plans with it.
pub fn tries(run: &Run, frame: &Frame) -> Option<Section> {
    let tried: Vec<(u32, u64, u64)> = notes(run, frame.events, Note::Try).collect();
    let kept = notes(run, frame.events, Note::Keep).next().map(|(value, ..)| value);
    let largest = tried.iter().map(|&(_, total, _)| total).max()?;
    let row = |&(value, total, _): &(u32, u64, u64)| Row {
        cells: vec![
            Cell::count(value),
            Cell::bytes(total),
            if largest > 0 { Cell::Bar(total as f64 / largest as f64) } else { Cell::Empty },
        ],
        changed: (kept == Some(value)).then(|| Message::new("panel.changed.best")),
        // The search stays on, so that the others can still be looked at.
        settings: vec![("keep", value.to_string())],
        ..Row::default()
    };
    let rows = tried.iter().map(row).collect();
    let current = kept.and_then(|kept| tried.iter().position(|&(value, ..)| value == kept));
    let table = Table::new(&["#range", "#total", "share"], rows, current);
    Some(Section { id: "tries", view: View::Table(table) })
}

/// The storage at run time of each buffer.
#[derive(Clone)]
struct Storages(Vec<Option<u32>>);

impl Fold for Storages {
    fn new(run: &Run) -> Storages {
        Storages(vec![None; run.problem.buffers.len()])
    }

    fn apply(&mut self, _: &Run, event: &Event) {
        match *event {
            Event::Place { buffer, pool, .. } => self.0[buffer.0 as usize] = Some(pool),
            Event::Note { note: Note::Decorated, subject, a, .. } => self.0[subject as usize] = Some(a as u32),
            _ => {}
        }
    }
}

/// The arrays that the run time makes, with the values in each.
pub fn runtime(run: &Run, frame: &Frame) -> Option<Section> {
    let rooms: Vec<(u32, u64, u64)> = notes(run, frame.events, Note::Room).collect();
    if rooms.is_empty() {
        return None;
    }
    let mut holds: Vec<Vec<String>> = vec![Vec::new(); rooms.len()];
    for (buffer, pool) in run.fold::<Storages>(frame.events).0.iter().enumerate() {
        if let Some(held) = pool.and_then(|pool| holds.get_mut(pool as usize)) {
            held.push(run.problem.buffers[BufferId(buffer as u32)].name.clone());
        }
    }
    let row = |(&(pool, bytes, memory), held): (&(u32, u64, u64), Vec<String>)| Row {
        cells: vec![
            Cell::count(pool),
            Cell::bytes(bytes),
            Cell::Value(Arg::Text(run.problem.memories[MemoryId(memory as u32)].device.clone())),
            Cell::Value(Arg::Names(held)),
        ],
        // Storage of variables exists at run time only.
        pool: run.plan.pools.get(PoolId(pool)).map(|_| PoolId(pool)),
        ..Row::default()
    };
    let rows = rooms.iter().zip(holds).map(row).collect();
    let table = Table::new(&["#storage", "#bytes", "device", "holds"], rows, None);
    Some(Section { id: "runtime", view: View::Table(table) })
}
