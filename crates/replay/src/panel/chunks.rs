//! An allocator with chunks: their free blocks, and the reads and views that each buffer waits for.
//! Rebuilt from the events alone.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::{Cell, Row, Section, Table, View};
use crate::fold::Fold;
use crate::{Frame, Run};
use memplan_core::base::{Arg, Message};
use memplan_core::plan::{PoolId, pool_words};
use memplan_core::problem::BufferId;
use memplan_core::trace::{Event, Note, StatePanel};

/// Free blocks and highest end of a chunk.
#[derive(Clone, Default)]
struct Chunk {
    /// First byte and end of each free block, in the order of the list; no end if the chunk has
    /// none.
    free: Vec<(u64, Option<u64>)>,
    /// Highest end so far, rounded up.
    max: u64,
    /// Whether the events of this frame's decision changed it.
    changed: bool,
}

impl Chunk {
    /// The place of a new block in the list.
    fn insert(&mut self, start: u64, end: u64) {
        let at = self.free.iter().position(|block| block.0 >= start).unwrap_or(self.free.len());
        self.free.insert(at, (start, Some(end)));
    }

    /// The reports on its free blocks. `offset`: where the buffer of the decision was placed.
    fn apply(&mut self, note: Note, offset: u64, a: u64, b: u64) {
        let at = |start: u64| move |block: &(u64, Option<u64>)| block.0 == start;
        match note {
            Note::ChunkNew => self.free = vec![(0, Some(a))],
            Note::ChunkEndless => self.free = vec![(0, None)],
            Note::FreeLeft => {
                if let Some(block) = self.free.iter_mut().find(|block| block.0 == a) {
                    block.0 = offset;
                }
                self.insert(a, a + b);
            }
            Note::FreeCut | Note::EndCut | Note::FreeUsedUp => {
                let Some(index) = self.free.iter().position(at(offset)) else { return };
                if note == Note::FreeUsedUp {
                    self.free.remove(index);
                } else {
                    self.free[index].0 = a;
                }
            }
            Note::FreedAlone => self.insert(a, a + b),
            Note::FreedBelow | Note::FreedBoth => {
                let Some(index) = self.free.iter().position(at(a)) else { return };
                self.free[index].1 = Some(a + b);
                if note == Note::FreedBoth && index + 1 < self.free.len() {
                    self.free.remove(index + 1);
                }
            }
            Note::FreedAbove => {
                let above = self.free.iter_mut().find(|block| block.1 == Some(a + b));
                above.into_iter().for_each(|block| block.0 = a);
            }
            Note::FreedToEnd => {
                self.free.retain(|block| block.1.is_some() && block.0 < a);
                self.free.push((a, None));
            }
            _ => return,
        }
        self.changed = true;
    }
}

/// Reads and views left, and what became of a buffer.
#[derive(Clone, Copy)]
struct Count {
    reads: u64,
    views: u64,
    state: &'static str,
    changed: bool,
}

#[derive(Clone, Default)]
struct ChunkTable {
    chunks: BTreeMap<u32, Chunk>,
    counts: BTreeMap<BufferId, Count>,
    /// Where the last buffer was placed, and the rounded size that is asked for.
    offset: u64,
    rounded: u64,
    /// What may be changed in this decision.
    touched: Vec<BufferId>,
}

impl ChunkTable {
    fn count(&mut self, buffer: BufferId, change: impl FnOnce(&mut Count)) {
        if let Some(count) = self.counts.get_mut(&buffer) {
            change(count);
            count.changed = true;
            self.touched.push(buffer);
        }
    }

    fn set(&mut self, buffer: BufferId, state: &'static str) {
        self.count(buffer, |count| count.state = state);
    }
}

impl Fold for ChunkTable {
    fn new(_: &Run) -> ChunkTable {
        ChunkTable::default()
    }

    fn apply(&mut self, _: &Run, event: &Event) {
        match *event {
            Event::Begin { .. } => {
                self.chunks.values_mut().for_each(|chunk| chunk.changed = false);
                for buffer in self.touched.drain(..) {
                    self.counts.get_mut(&buffer).into_iter().for_each(|count| count.changed = false);
                }
            }
            Event::Release { buffer } => self.set(buffer, "panel.state.free"),
            Event::Place { buffer, pool, offset, .. } | Event::Move { buffer, pool, offset } => {
                self.set(buffer, "panel.state.held");
                self.offset = offset;
                // A takeover requests nothing, and the highest end stays.
                let end = offset + std::mem::take(&mut self.rounded);
                if let Some(chunk) = self.chunks.get_mut(&pool) {
                    chunk.max = chunk.max.max(end);
                }
            }
            Event::Note { note, subject, a, b } => {
                let buffer = BufferId(subject);
                match note {
                    Note::ChunkRequest => self.rounded = b,
                    Note::InPlaceDies => self.set(buffer, "panel.state.handed-on"),
                    Note::KeptOutput | Note::HeldOutput => self.set(buffer, "panel.state.kept-output"),
                    Note::HeldUnread => self.set(buffer, "panel.state.never-read"),
                    Note::ReadsLeft => {
                        let new = Count { reads: 0, views: 0, state: "panel.state.held", changed: false };
                        self.counts.entry(buffer).or_insert(new);
                        self.count(buffer, |count| (count.reads, count.views) = (a, b));
                    }
                    Note::ViewReadsLeft => self.count(buffer, |count| count.views = b),
                    _ if is_of_chunk(note) => {
                        self.chunks.entry(subject).or_default().apply(note, self.offset, a, b);
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }
}

/// Chunks and counts after the events up to a frame.
fn chunk_table(run: &Run, frame: &Frame) -> Option<Rc<ChunkTable>> {
    run.has_panel(StatePanel::Chunks).then(|| run.fold(frame.events))
}

fn is_of_chunk(note: Note) -> bool {
    matches!(
        note,
        Note::ChunkNew
            | Note::ChunkEndless
            | Note::FreeLeft
            | Note::FreeCut
            | Note::EndCut
            | Note::FreeUsedUp
            | Note::FreedAlone
            | Note::FreedBelow
            | Note::FreedAbove
            | Note::FreedBoth
            | Note::FreedToEnd
    )
}

/// A row for each free block of each chunk, the highest first. The last block of a list is the end
/// block.
pub fn chunks(run: &Run, frame: &Frame) -> Option<Section> {
    let state = chunk_table(run, frame)?;
    let mut rows = Vec::new();
    for (&pool, chunk) in &state.chunks {
        let name = run.plan.pools.get(PoolId(pool)).map_or("arena", |pool| &pool.name);
        for (index, &(start, end)) in chunk.free.iter().enumerate().rev() {
            let block = match end {
                Some(end) => Cell::Value(Arg::Span(start, end)),
                None => Cell::Say(Message::new("place.from").bytes("from", start)),
            };
            let is_last = index + 1 == chunk.free.len();
            let kind = match (is_last, chunk.max.checked_sub(start)) {
                (false, _) => Message::new("panel.state.hole"),
                (true, Some(spare)) if spare > 0 => Message::new("panel.state.end-spare").bytes("size", spare),
                (true, _) => Message::new("panel.state.end"),
            };
            rows.push(Row {
                cells: vec![Cell::Say(pool_words(name)), block, Cell::Say(kind), Cell::bytes(chunk.max)],
                changed: chunk.changed.then(|| Message::new("panel.changed.changed")),
                pool: Some(PoolId(pool)),
                ..Row::default()
            });
        }
    }
    let table = Table::new(&["chunk", "#bytes", "state", "#highest-end"], rows, None);
    (!state.chunks.is_empty()).then_some(Section { id: "chunks", view: View::Table(table) })
}

/// A row for each buffer that has had a place: its reads and views that are still to come.
pub fn counts(run: &Run, frame: &Frame) -> Option<Section> {
    let state = chunk_table(run, frame)?;
    let row = |(&buffer, count): (&BufferId, &Count)| Row {
        cells: vec![
            Cell::name(run, buffer),
            Cell::count(count.reads),
            Cell::count(count.views),
            Cell::Say(Message::new(count.state)),
        ],
        changed: count.changed.then(|| Message::new("panel.changed.changed")),
        buffer: Some(buffer),
        faded: matches!(count.state, "panel.state.free" | "panel.state.handed-on"),
        ..Row::default()
    };
    let rows: Vec<Row> = state.counts.iter().map(row).collect();
    let current = rows.iter().position(|row| row.buffer == frame.focus);
    let is_filled = !rows.is_empty();
    let table = Table::new(&["buffer", "#reads", "#views", "state"], rows, current);
    is_filled.then_some(Section { id: "counts", view: View::Table(table) })
}
