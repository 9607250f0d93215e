//! ExecuTorch: shared objects with their members, arenas, and the algorithms that a suite tried.

use std::collections::BTreeMap;

use super::{Cell, Row, Section, Table, View};
use crate::{Frame, Run};
use memplan_core::base::{Arg, Id, Message};
use memplan_core::plan::{PoolId, pool_words};
use memplan_core::problem::{BufferId, Live};
use memplan_core::trace::{Event, Note, StatePanel};

/// Most members of an object named one by one.
const MAX_NAMES: usize = 4;

/// A shared object after the events so far.
struct Object {
    size: u64,
    start: u64,
    members: Vec<BufferId>,
    /// First step at which it is free for those who look at its last use only.
    free_from: u32,
}

/// What a decision did to an object: its pool, its index there and the word for it.
type Change = (u32, usize, &'static str);

/// Objects of each pool in order of creation.
type Objects = BTreeMap<u32, Vec<Object>>;

fn applies(run: &Run) -> bool {
    run.has_panel(StatePanel::ArenaObjects)
}

fn emitted<'a>(run: &'a Run, frame: &Frame) -> &'a [Event] {
    &run.timeline.events[..frame.events as usize]
}

/// The objects at a frame, and what its decision did to them: to the one that it uses last.
fn objects_at(run: &Run, frame: &Frame) -> (Objects, Vec<Change>) {
    let mut objects = Objects::new();
    let mut changes: Vec<Change> = Vec::new();
    // Notes of a decision stand before its placement, which names the pool.
    let mut opened = None;
    let mut grown = None;
    let mut member = None;
    let mut marked: Vec<(usize, u32)> = Vec::new();
    for event in emitted(run, frame) {
        match *event {
            Event::Begin { .. } => {
                (opened, grown, member) = (None, None, None);
                marked.clear();
                changes.clear();
            }
            Event::Note { note: Note::ObjectMarked, subject, b, .. } => marked.push((subject as usize, b as u32 + 1)),
            Event::Note { note: Note::Object, a, b, .. } => opened = Some((a, b)),
            Event::Note { note: Note::ObjectGrows, b, .. } => grown = Some(b),
            Event::Note { note: Note::Member, subject, .. } => member = Some(subject as usize),
            Event::Place { buffer, pool, .. } => {
                let Some(index) = member else { continue };
                let list = objects.entry(pool).or_default();
                if let Some((size, start)) = opened {
                    list.push(Object { size, start, members: Vec::new(), free_from: 0 });
                }
                for &(index, free_from) in &marked {
                    if let Some(object) = list.get_mut(index) {
                        object.free_from = free_from;
                        changes.push((pool, index, "panel.objects.marked"));
                    }
                }
                let Some(object) = list.get_mut(index) else { continue };
                object.size = grown.unwrap_or(object.size);
                object.members.push(buffer);
                object.free_from = run.problem.buffers[buffer].live.end;
                let word = match (opened, grown) {
                    (Some(_), _) => "panel.objects.new",
                    (None, Some(_)) => "panel.objects.enlarged",
                    (None, None) => "panel.objects.taken",
                };
                changes.push((pool, index, word));
            }
            _ => {}
        }
    }
    for list in objects.values_mut() {
        // Objects above an enlarged one begin higher than was reported.
        let mut start = list.first().map_or(0, |first| first.start);
        for object in list {
            object.start = start;
            start += object.size;
        }
    }
    (objects, changes)
}

/// A shared object inside an arena, at a frame.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ArenaObject {
    /// The arena.
    pub pool: PoolId,
    /// First byte, from the base of the arena.
    pub start: u64,
    /// Its bytes.
    pub size: u64,
    /// The buffers in it, in the order in which they came.
    pub members: Vec<BufferId>,
}

/// The shared objects inside arenas, by arena and address; none of planners that have no such
/// objects.
pub fn arena_objects(run: &Run, frame: &Frame) -> Vec<ArenaObject> {
    if !applies(run) {
        return Vec::new();
    }
    let of_pool = |(pool, list): (u32, Vec<Object>)| {
        list.into_iter().map(move |Object { size, start, members, .. }| ArenaObject {
            pool: PoolId(pool),
            start,
            size,
            members,
        })
    };
    objects_at(run, frame).0.into_iter().flat_map(of_pool).collect()
}

/// Shared objects: arena, place, size, first and last use, until when it is marked as used,
/// members.
pub fn objects(run: &Run, frame: &Frame) -> Option<Section> {
    if !applies(run) {
        return None;
    }
    let (objects, changes) = objects_at(run, frame);
    // Of the older planner only: an object may be marked as used longer than anybody in it is
    // alive.
    let marks = run.timeline.events.iter().any(|event| matches!(event, Event::Note { note: Note::ObjectMarked, .. }));
    let mut rows = Vec::new();
    let mut current = None;
    for (&pool, list) in &objects {
        let name = run.plan.pools.get(PoolId(pool)).map_or_else(String::new, |pool| pool.name.clone());
        for (index, object) in list.iter().enumerate() {
            let lives = object.members.iter().map(|&member| run.problem.buffers[member].live);
            let used = lives.reduce(|a, b| Live { start: a.start.min(b.start), end: a.end.max(b.end) });
            let own = |change: &&Change| (change.0, change.1) == (pool, index);
            if changes.last().filter(own).is_some() {
                current = Some(rows.len());
            }
            let mut cells = vec![
                Cell::count(index as u64),
                Cell::Say(pool_words(&name)),
                Cell::Value(Arg::Address(object.start)),
                Cell::bytes(object.size),
                used.map_or(Cell::Empty, |used| Cell::Value(Arg::Live(used.start, used.end))),
            ];
            cells.extend(marks.then(|| Cell::count(object.free_from)));
            cells.push(Cell::Value(Arg::Names(names(run, &object.members))));
            rows.push(Row {
                cells,
                changed: changes.iter().rfind(own).map(|&(_, _, word)| Message::new(word)),
                buffer: object.members.last().copied(),
                pool: Some(PoolId(pool)),
                ..Row::default()
            });
        }
    }
    let mut columns = vec!["#number", "arena", "#offset", "#bytes", "#live"];
    columns.extend(marks.then_some("#free-from"));
    columns.push("members");
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
    let row = |pool: &crate::PoolView| Row {
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
    let preamble = emitted(run, frame).iter().take_while(|event| !matches!(event, Event::Begin { .. }));
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
        let memory = run.problem.memories.get(memplan_core::problem::MemoryId(subject));
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
