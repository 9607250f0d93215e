//! ExecuTorch: shared objects with their members, arenas, and the algorithms that a suite tried.

use std::collections::BTreeMap;

use super::{Cell, Row, Section, Table, View};
use crate::base::{Arg, Id, Message};
use crate::plan::{PoolId, pool_words};
use crate::problem::{BufferId, Live};
use crate::replay::{Frame, Run};
use crate::trace::{Event, Note};

/// Most members of an object named one by one.
const MAX_NAMES: usize = 4;

/// A shared object as far as the events have told.
struct Object {
    size: u64,
    start: u64,
    members: Vec<BufferId>,
}

/// Objects of each pool in order of creation.
type Objects = BTreeMap<u32, Vec<Object>>;

fn applies(run: &Run) -> bool {
    run.planner.starts_with("executorch-")
}

fn told<'a>(run: &'a Run, frame: &Frame) -> &'a [Event] {
    &run.timeline.events[..frame.events as usize]
}

/// The objects at a frame, and the one that its decision uses with the word for what happened to it.
fn objects_at(run: &Run, frame: &Frame) -> (Objects, Option<(u32, usize, &'static str)>) {
    let mut objects = Objects::new();
    let mut current = None;
    // Notes of a decision stand before its placement, which names the pool.
    let mut opened = None;
    let mut grown = None;
    let mut member = None;
    for event in told(run, frame) {
        match *event {
            Event::Begin { .. } => (opened, grown, member, current) = (None, None, None, None),
            Event::Note { note: Note::Object, a, b, .. } => opened = Some((a, b)),
            Event::Note { note: Note::ObjectGrows, b, .. } => grown = Some(b),
            Event::Note { note: Note::Member, subject, .. } => member = Some(subject as usize),
            Event::Place { buffer, pool, .. } => {
                let Some(index) = member else { continue };
                let list = objects.entry(pool).or_default();
                if let Some((size, start)) = opened {
                    list.push(Object { size, start, members: Vec::new() });
                }
                let Some(object) = list.get_mut(index) else { continue };
                object.size = grown.unwrap_or(object.size);
                object.members.push(buffer);
                let word = match (opened, grown) {
                    (Some(_), _) => "panel.objects.new",
                    (None, Some(_)) => "panel.objects.enlarged",
                    (None, None) => "panel.objects.taken",
                };
                current = Some((pool, index, word));
            }
            _ => {}
        }
    }
    for list in objects.values_mut() {
        // Those above an enlarged object begin higher than they were told.
        let mut start = list.first().map_or(0, |first| first.start);
        for object in list {
            object.start = start;
            start += object.size;
        }
    }
    (objects, current)
}

/// Shared objects: arena, place, size, first and last use, members.
pub fn objects(run: &Run, frame: &Frame) -> Option<Section> {
    if !applies(run) {
        return None;
    }
    let (objects, now) = objects_at(run, frame);
    let mut rows = Vec::new();
    let mut current = None;
    for (&pool, list) in &objects {
        let name = run.plan.pools.get(PoolId(pool)).map_or_else(String::new, |pool| pool.name.clone());
        for (index, object) in list.iter().enumerate() {
            let lives = object.members.iter().map(|&member| run.problem.buffers[member].live);
            let used = lives.reduce(|a, b| Live { start: a.start.min(b.start), end: a.end.max(b.end) });
            let changed = now.filter(|(there, at, _)| (*there, *at) == (pool, index)).map(|(_, _, word)| word);
            if changed.is_some() {
                current = Some(rows.len());
            }
            rows.push(Row {
                cells: vec![
                    Cell::count(index as u64),
                    Cell::Say(pool_words(&name)),
                    Cell::Value(Arg::Address(object.start)),
                    Cell::bytes(object.size),
                    used.map_or(Cell::Empty, |used| Cell::Value(Arg::Live(used.start, used.end))),
                    Cell::Value(Arg::Names(names(run, &object.members))),
                ],
                changed: changed.map(Message::new),
                buffer: object.members.last().copied(),
                pool: Some(PoolId(pool)),
                ..Row::default()
            });
        }
    }
    let columns = ["#number", "arena", "#offset", "#bytes", "#live", "members"];
    let table = Table::new(&columns, rows, current);
    (!objects.is_empty()).then_some(Section { id: "objects", view: View::Table(table) })
}

/// The latest members first, as they explain who has the object now.
fn names(run: &Run, members: &[BufferId]) -> Vec<String> {
    let latest = members.iter().rev().take(MAX_NAMES);
    let mut names: Vec<String> = latest.map(|&member| run.problem.buffers[member].name.clone()).collect();
    if members.len() > MAX_NAMES {
        names.push("…".into());
    }
    names
}

/// Arenas with the size so far.
pub fn arenas(run: &Run, frame: &Frame) -> Option<Section> {
    if !applies(run) {
        return None;
    }
    let decided = frame.focus.and_then(|focus| frame.places[focus]).map(|place| place.pool);
    let row = |pool: &crate::replay::PoolView| Row {
        cells: vec![
            Cell::Say(pool_words(&pool.name)),
            Cell::Value(Arg::Text(pool.device.clone())),
            if pool.end == pool.end_before { Cell::bytes(pool.end) } else { Cell::Grown(pool.end_before, pool.end) },
            run.plan.pools.get(pool.id).map_or(Cell::Empty, |planned| Cell::bytes(planned.size)),
        ],
        pool: Some(pool.id),
        ..Row::default()
    };
    let rows: Vec<Row> = frame.pools.iter().map(row).collect();
    let current = decided.map(|pool| pool.index());
    let table = Table::new(&["arena", "device", "#bytes", "#final"], rows, current);
    (!frame.pools.is_empty()).then_some(Section { id: "arenas", view: View::Table(table) })
}

/// The algorithms of a suite with their totals, the winner marked.
pub fn suite(run: &Run, frame: &Frame) -> Option<Section> {
    let preamble = told(run, frame).iter().take_while(|event| !matches!(event, Event::Begin { .. }));
    let mut rows: Vec<Row> = Vec::new();
    let mut first_of_device = 0;
    let mut device = None;
    for event in preamble {
        let Event::Note { note, subject, a, b } = *event else { continue };
        if device.replace(subject) != Some(subject) {
            first_of_device = rows.len();
        }
        if note == Note::SuiteKept {
            let winner = rows.get_mut(first_of_device + (a as usize).saturating_sub(1));
            winner.into_iter().for_each(|row| row.changed = Some(Message::new("panel.suite.kept")));
        }
        let Some(algorithm) = algorithm(note) else { continue };
        let memory = run.problem.memories.get(crate::problem::MemoryId(subject));
        rows.push(Row {
            cells: vec![
                Cell::count(a),
                Cell::Value(Arg::Text(algorithm.to_string())),
                Cell::Value(Arg::Text(memory.map_or_else(String::new, |memory| memory.device.clone()))),
                Cell::bytes(b),
            ],
            settings: vec![("algorithms", algorithm.to_string())],
            ..Row::default()
        });
    }
    let table = Table::new(&["#number", "algorithm", "device", "#total"], rows, None);
    (!table.rows.is_empty()).then_some(Section { id: "suite", view: View::Table(table) })
}

/// The word of the option `algorithms` for an algorithm that was tried.
fn algorithm(note: Note) -> Option<&'static str> {
    match note {
        Note::TriedNaive => Some("naive"),
        Note::TriedGreedy => Some("greedy"),
        Note::TriedNoOverlap => Some("greedy_no_overlap"),
        Note::TriedClosest => Some("greedy_v0.5"),
        _ => None,
    }
}
