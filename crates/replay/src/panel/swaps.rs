//! A climb that reports every attempt: the curve of attempts, and the range that ends highest with
//! those that it rests on.

use super::{Cell, Row, Section, Table, View};
use crate::{Frame, Run};
use memplan_core::base::{Arg, Message};
use memplan_core::problem::BufferId;
use memplan_core::trace::Note;

/// An attempt, read from the events.
#[derive(Default)]
struct Attempt {
    number: u64,
    /// The range that ends highest, with its end.
    bottleneck: (BufferId, u64),
    /// Each range with the one that it rests on, from the highest down.
    chain: Vec<(BufferId, BufferId)>,
    swapped: Vec<(BufferId, BufferId)>,
    /// Bytes reached, and the note that reported them.
    reached: Option<(u64, Note)>,
}

const NOTES: [Note; 7] =
    [Note::Bottleneck, Note::RestsOn, Note::Swap, Note::SwapStuck, Note::SwapBetter, Note::SwapEqual, Note::SwapWorse];

fn attempts(run: &Run, frame: &Frame) -> Vec<Attempt> {
    let mut attempts: Vec<Attempt> = Vec::new();
    for (_, (note, subject, a, b)) in run.noted(frame.events, &NOTES) {
        if note == Note::Bottleneck {
            attempts.push(Attempt { number: b, bottleneck: (BufferId(subject), a), ..Attempt::default() });
        }
        let Some(last) = attempts.last_mut() else { continue };
        match note {
            Note::RestsOn => last.chain.push((BufferId(subject), BufferId(a as u32))),
            Note::Swap | Note::SwapStuck => last.swapped.push((BufferId(subject), BufferId(a as u32))),
            Note::SwapBetter => last.reached = Some((b, note)),
            Note::SwapEqual | Note::SwapWorse => last.reached = Some((a, note)),
            _ => {}
        }
    }
    attempts
}

/// All attempts in order with the bytes that each reached; those taken back faded.
pub fn swaps(run: &Run, frame: &Frame) -> Option<Section> {
    let attempts = attempts(run, frame);
    let largest = attempts.iter().filter_map(|attempt| attempt.reached).map(|(bytes, _)| bytes).max();
    let name = |id: BufferId| run.problem.buffers[id].name.clone();
    let row = |attempt: &Attempt| {
        let pairs = attempt.swapped.iter().map(|&(one, other)| format!("{} ↔ {}", name(one), name(other)));
        let share = |(bytes, _): (u64, Note)| bytes as f64 / largest.unwrap_or(1).max(1) as f64;
        let changed = match attempt.reached {
            Some((_, Note::SwapBetter)) => Some(Message::new("panel.changed.better")),
            Some((_, Note::SwapEqual)) => Some(Message::new("panel.changed.equal")),
            _ => None,
        };
        Row {
            cells: vec![
                Cell::count(attempt.number),
                Cell::name(run, attempt.bottleneck.0),
                Cell::Value(Arg::Names(pairs.collect())),
                attempt.reached.map_or(Cell::Empty, |(bytes, _)| Cell::bytes(bytes)),
                attempt.reached.map_or(Cell::Empty, |reached| Cell::Bar(share(reached))),
            ],
            faded: attempt.reached.is_some_and(|(_, note)| note == Note::SwapWorse),
            changed,
            buffer: Some(attempt.bottleneck.0),
            ..Row::default()
        }
    };
    let rows: Vec<Row> = attempts.iter().map(row).collect();
    let current = rows.len().checked_sub(1)?;
    let table = Table::new(&["#attempt", "bottleneck", "swapped", "#reached", "share"], rows, Some(current));
    Some(Section { id: "swaps", view: View::Table(table) })
}

/// The range that ends highest in the latest attempt, and each one with that on whose end it rests.
pub fn chain(run: &Run, frame: &Frame) -> Option<Section> {
    let attempts = attempts(run, frame);
    let last = attempts.last()?;
    let (top, end) = last.bottleneck;
    let below = last.chain.iter().map(|&(_, below)| below);
    let links: Vec<BufferId> = std::iter::once(top).chain(below).collect();
    let row = |(index, &id): (usize, &BufferId)| Row {
        cells: vec![
            Cell::name(run, id),
            if index == 0 { Cell::Value(Arg::Address(end)) } else { Cell::Empty },
            links.get(index + 1).map_or(Cell::Empty, |&below| Cell::name(run, below)),
        ],
        buffer: Some(id),
        ..Row::default()
    };
    let rows = links.iter().enumerate().map(row).collect();
    Some(Section {
        id: "attempt-chain",
        view: View::Table(Table::new(&["bottleneck", "#end", "rests-on"], rows, Some(0))),
    })
}
