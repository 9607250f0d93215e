//! An allocator with size classes: the bitmap of its classes, the lists of free blocks, and all
//! blocks by address. Rebuilt from the events alone.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::{Cell, Row, Section, Table, View};
use crate::fold::Fold;
use crate::{Frame, Run};
use memplan_core::base::{Arg, Message};
use memplan_core::plan::{PoolId, pool_words};
use memplan_core::problem::BufferId;
use memplan_core::trace::{Event, Note, StatePanel};

/// Parts of a power of two, as the allocator has them.
const PARTS: u64 = 32;
/// Most blocks of a class that are listed.
const MAX_LISTED: usize = 8;

/// Level and part of a size: the power of two below it, and which of 32 equal parts up to the next.
fn class(size: u64) -> (u32, u64) {
    let level = size.max(1).ilog2();
    (level, (size - (1 << level)) >> level.saturating_sub(PARTS.ilog2()))
}

/// Smallest size of a class, and the smallest above it.
fn span((level, part): (u32, u64)) -> (u64, u64) {
    let shift = level.saturating_sub(PARTS.ilog2());
    ((1 << level) + (part << shift), (1 << level) + ((part + 1) << shift))
}

/// The blocks of one arena.
#[derive(Clone, Default)]
struct Arena {
    /// Free blocks of each class, oldest first: first byte and size.
    lists: BTreeMap<(u32, u64), Vec<(u64, u64)>>,
    /// Open buffers by first byte.
    open: BTreeMap<u64, BufferId>,
    /// Classes that the events of this frame's decision changed.
    changed: BTreeSet<(u32, u64)>,
}

impl Arena {
    fn blocks(&self) -> impl Iterator<Item = (u64, u64)> {
        self.lists.values().flatten().copied()
    }
}

/// The arenas by pool, and where each open buffer lies.
#[derive(Clone, Default)]
struct Arenas {
    by_pool: BTreeMap<u32, Arena>,
    lies: BTreeMap<BufferId, (u32, u64)>,
}

impl Fold for Arenas {
    fn new(_: &Run) -> Arenas {
        Arenas::default()
    }

    fn apply(&mut self, _: &Run, event: &Event) {
        match *event {
            Event::Begin { .. } => self.by_pool.values_mut().for_each(|arena| arena.changed.clear()),
            Event::Note { note: note @ (Note::ClassEnter | Note::ClassJoin | Note::ClassLeave), subject, a, b } => {
                let arena = self.by_pool.entry(subject).or_default();
                let list = arena.lists.entry(class(b)).or_default();
                if note == Note::ClassLeave {
                    list.retain(|&block| block != (a, b));
                } else {
                    list.push((a, b));
                }
                if list.is_empty() {
                    arena.lists.remove(&class(b));
                }
                arena.changed.insert(class(b));
            }
            Event::Place { buffer, pool, offset, .. } => {
                self.lies.insert(buffer, (pool, offset));
                self.by_pool.entry(pool).or_default().open.insert(offset, buffer);
            }
            Event::Release { buffer } => {
                if let Some((pool, offset)) = self.lies.remove(&buffer) {
                    self.by_pool.entry(pool).or_default().open.remove(&offset);
                }
            }
            _ => {}
        }
    }
}

/// The arenas after the events up to a frame.
fn arenas(run: &Run, frame: &Frame) -> Option<Rc<Arenas>> {
    let arenas = run.has_panel(StatePanel::SizeClasses).then(|| run.fold::<Arenas>(frame.events));
    arenas.filter(|arenas| !arenas.by_pool.is_empty())
}

fn arena_name(run: &Run, pool: u32) -> Cell {
    let name = run.plan.pools.get(PoolId(pool)).map_or("arena", |pool| &pool.name);
    Cell::Say(pool_words(name))
}

/// The bitmap: a row for each power of two in use, a square for each of its 32 classes, filled if
/// the class has a free block.
pub fn bitmap(run: &Run, frame: &Frame) -> Option<Section> {
    let arenas = arenas(run, frame)?;
    let mut rows = Vec::new();
    for (&pool, arena) in &arenas.by_pool {
        let levels: BTreeSet<u32> = arena.lists.keys().map(|class| class.0).collect();
        for &level in levels.iter().rev() {
            let square = |part| if arena.lists.contains_key(&(level, part)) { '■' } else { '□' };
            let blocks: usize =
                arena.lists.iter().filter(|(class, _)| class.0 == level).map(|(_, list)| list.len()).sum();
            rows.push(Row {
                cells: vec![
                    arena_name(run, pool),
                    Cell::Value(Arg::Bytes(1 << level)),
                    Cell::Value(Arg::Text((0..PARTS).map(square).collect())),
                    Cell::count(blocks as u64),
                ],
                changed: arena
                    .changed
                    .iter()
                    .any(|class| class.0 == level)
                    .then(|| Message::new("panel.changed.changed")),
                pool: Some(PoolId(pool)),
                ..Row::default()
            });
        }
    }
    let table = Table::new(&["arena", "#from-size", "classes", "#free-blocks"], rows, None);
    Some(Section { id: "size-classes", view: View::Table(table) })
}

/// The lists: a row for each class that has a free block, with its blocks in the order in which
/// they are taken.
pub fn lists(run: &Run, frame: &Frame) -> Option<Section> {
    let arenas = arenas(run, frame)?;
    let mut rows = Vec::new();
    for (&pool, arena) in &arenas.by_pool {
        for (&class, list) in arena.lists.iter().rev() {
            let (from, to) = span(class);
            let mut names: Vec<String> =
                list.iter().take(MAX_LISTED).map(|(start, size)| format!("{start}+{size}")).collect();
            if list.len() > MAX_LISTED {
                names.push("…".into());
            }
            rows.push(Row {
                cells: vec![
                    arena_name(run, pool),
                    Cell::Value(Arg::Span(from, to)),
                    Cell::count(list.len() as u64),
                    Cell::Value(Arg::Names(names)),
                ],
                changed: arena.changed.contains(&class).then(|| Message::new("panel.changed.changed")),
                pool: Some(PoolId(pool)),
                ..Row::default()
            });
        }
    }
    let table = Table::new(&["arena", "sizes", "#free-blocks", "oldest-first"], rows, None);
    Some(Section { id: "class-lists", view: View::Table(table) })
}

/// All blocks by address, the highest first: who is in each, or that it is free.
pub fn blocks(run: &Run, frame: &Frame) -> Option<Section> {
    let arenas = arenas(run, frame)?;
    let mut rows = Vec::new();
    for (&pool, arena) in &arenas.by_pool {
        let mut starts: BTreeMap<u64, Option<BufferId>> = arena.blocks().map(|(start, _)| (start, None)).collect();
        starts.extend(arena.open.iter().map(|(&start, &buffer)| (start, Some(buffer))));
        let room = arena.blocks().map(|(start, size)| start + size).max().unwrap_or(0);
        let ends = starts.keys().copied().skip(1).chain([room]);
        let mut found: Vec<Row> =
            starts.iter().zip(ends).map(|((&start, &holder), end)| block(run, pool, (start, end), holder)).collect();
        // The rest that was never used, or is free again, stands alone at the top.
        if let Some(last) = found.last_mut().filter(|last| last.buffer.is_none()) {
            last.cells[2] = Cell::Say(Message::new("panel.state.rest"));
        }
        found.reverse();
        rows.extend(found);
    }
    let current = frame.focus.and_then(|focus| rows.iter().position(|row| row.buffer == Some(focus)));
    let table = Table::new(&["arena", "#bytes", "state"], rows, current);
    Some(Section { id: "block-list", view: View::Table(table) })
}

fn block(run: &Run, pool: u32, (start, end): (u64, u64), holder: Option<BufferId>) -> Row {
    let state = match holder {
        Some(buffer) => Message::new("panel.state.in-use").name("name", run.problem.buffers[buffer].name.clone()),
        None => Message::new("panel.state.free"),
    };
    Row {
        cells: vec![arena_name(run, pool), Cell::Value(Arg::Span(start, end)), Cell::Say(state)],
        buffer: holder,
        pool: Some(PoolId(pool)),
        faded: holder.is_none(),
        ..Row::default()
    }
}
