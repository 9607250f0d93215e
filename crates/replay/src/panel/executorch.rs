//! ExecuTorch: shared objects with their members, arenas, and the algorithms that a suite tried.

use std::collections::BTreeMap;

use super::{Cell, Row, Section, Table, View};
use crate::fold::Fold;
use crate::{Frame, Run};
use memplan_core::base::{Arg, Id, Message};
use memplan_core::plan::{PoolId, pool_words};
use memplan_core::problem::{BufferId, Live};
use memplan_core::trace::{Event, Note, StatePanel};

/// Most members of an object named one by one.
const MAX_NAMES: usize = 4;

/// A shared object after the events so far.
#[derive(Clone)]
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

/// The objects so far, and what the decision did to them: to the one that it uses last.
#[derive(Clone, Default)]
struct ObjectTable {
    objects: Objects,
    changes: Vec<Change>,
    /// Notes of a decision stand before its placement, which names the pool: size and start of an
    /// object that it opens, the size to which it enlarges one, the object that it uses, and until
    /// when others are marked as used.
    opened: Option<(u64, u64)>,
    grown: Option<u64>,
    member: Option<usize>,
    marked: Vec<(usize, u32)>,
}

impl Fold for ObjectTable {
    fn new(_: &Run) -> ObjectTable {
        ObjectTable::default()
    }

    fn apply(&mut self, run: &Run, event: &Event) {
        match *event {
            Event::Begin { .. } => {
                (self.opened, self.grown, self.member) = (None, None, None);
                self.marked.clear();
                self.changes.clear();
            }
            Event::Note { note: Note::ObjectMarked, subject, b, .. } => {
                self.marked.push((subject as usize, b as u32 + 1));
            }
            Event::Note { note: Note::Object, a, b, .. } => self.opened = Some((a, b)),
            Event::Note { note: Note::ObjectGrows, b, .. } => self.grown = Some(b),
            Event::Note { note: Note::Member, subject, .. } => self.member = Some(subject as usize),
            Event::Place { buffer, pool, .. } => {
                let Some(index) = self.member else { return };
                let list = self.objects.entry(pool).or_default();
                if let Some((size, start)) = self.opened {
                    list.push(Object { size, start, members: Vec::new(), free_from: 0 });
                }
                for &(index, free_from) in &self.marked {
                    if let Some(object) = list.get_mut(index) {
                        object.free_from = free_from;
                        self.changes.push((pool, index, "panel.objects.marked"));
                    }
                }
                let Some(object) = list.get_mut(index) else { return };
                object.size = self.grown.unwrap_or(object.size);
                object.members.push(buffer);
                object.free_from = run.problem.buffers[buffer].live.end;
                let word = match (self.opened, self.grown) {
                    (Some(_), _) => "panel.objects.new",
                    (None, Some(_)) => "panel.objects.enlarged",
                    (None, None) => "panel.objects.taken",
                };
                self.changes.push((pool, index, word));
            }
            _ => {}
        }
    }
}

/// The objects of a pool with their first bytes: those above an enlarged one begin higher than was
/// reported.
fn stacked(list: &[Object]) -> impl Iterator<Item = (u64, &Object)> {
    let mut next = list.first().map_or(0, |first| first.start);
    list.iter().map(move |object| {
        let start = next;
        next += object.size;
        (start, object)
    })
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
    let of_pool = |(&pool, list): (&u32, &Vec<Object>)| {
        let object = |(start, object): (u64, &Object)| ArenaObject {
            pool: PoolId(pool),
            start,
            size: object.size,
            members: object.members.clone(),
        };
        stacked(list).map(object).collect::<Vec<_>>()
    };
    run.fold::<ObjectTable>(frame.events).objects.iter().flat_map(of_pool).collect()
}

/// Shared objects: arena, place, size, first and last use, until when it is marked as used,
/// members.
pub fn objects(run: &Run, frame: &Frame) -> Option<Section> {
    if !applies(run) {
        return None;
    }
    let ObjectTable { objects, changes, .. } = &*run.fold::<ObjectTable>(frame.events);
    // Of the older planner only: an object may be marked as used longer than anybody in it is
    // alive.
    let marks = run.has_note(Note::ObjectMarked);
    let mut rows = Vec::new();
    let mut current = None;
    for (&pool, list) in objects {
        let name = run.plan.pools.get(PoolId(pool)).map_or_else(String::new, |pool| pool.name.clone());
        for (index, (start, object)) in stacked(list).enumerate() {
            let lives = object.members.iter().map(|&member| run.problem.buffers[member].live);
            let used = lives.reduce(|a, b| Live { start: a.start.min(b.start), end: a.end.max(b.end) });
            let own = |change: &&Change| (change.0, change.1) == (pool, index);
            if changes.last().filter(own).is_some() {
                current = Some(rows.len());
            }
            let mut cells = vec![
                Cell::count(index as u64),
                Cell::Say(pool_words(&name)),
                Cell::Value(Arg::Address(start)),
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
    let preamble =
        run.timeline.events[..frame.events as usize].iter().take_while(|event| !matches!(event, Event::Begin { .. }));
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
