//! An allocator that caches: its segments, the free blocks in the order in which it looks at them,
//! and its counters.

use std::rc::Rc;

use super::{Cell, Row, Section, Table, View};
use crate::cache::{Cache, HeldSegment};
use crate::{Frame, Run};
use memplan_core::base::{Arg, Message};
use memplan_core::plan::{PoolId, pool_words};
use memplan_core::trace::StatePanel;

/// The allocator after the events up to a frame.
fn cache(run: &Run, frame: &Frame) -> Option<Rc<Cache>> {
    let cache = run.has_panel(StatePanel::CachedBlocks).then(|| run.fold::<Cache>(frame.events));
    cache.filter(|cache| !cache.segments.is_empty())
}

fn pool_cell(run: &Run, pool: u32) -> Cell {
    Cell::Say(run.plan.pools.get(PoolId(pool)).map_or_else(|| Message::new("pool.only"), |pool| pool_words(&pool.name)))
}

/// A segment in the table of segments, where few letters have room.
fn segment_cell(run: &Run, pool: u32) -> Cell {
    let cell = pool_cell(run, pool);
    let Cell::Say(words) = &cell else { return cell };
    let key = match &*words.key {
        "pool.segment-small" => "panel.segment-small",
        "pool.segment-large" => "panel.segment-large",
        "pool.segment-expandable" => "panel.segment-expandable",
        _ => return cell,
    };
    Cell::Say(Message { key: key.into(), ..words.clone() })
}

/// A row for each segment: its bytes, those in use, and its free blocks.
pub fn segments(run: &Run, frame: &Frame) -> Option<Section> {
    let cache = cache(run, frame)?;
    let row = |(&pool, held): (&u32, &HeldSegment)| {
        let free: u64 = held.free.values().sum();
        Row {
            cells: vec![
                segment_cell(run, pool),
                Cell::bytes(held.bytes),
                Cell::bytes(held.bytes.saturating_sub(free)),
                Cell::bytes(free),
                Cell::count(held.free.len() as u64),
            ],
            changed: held.changed.then(|| Message::new("panel.changed.changed")),
            pool: Some(PoolId(pool)),
            faded: free == held.bytes,
            ..Row::default()
        }
    };
    let rows: Vec<Row> = cache.segments.iter().map(row).collect();
    let table = Table::new(&["segment", "#size", "#in-use", "#free-bytes", "#free-blocks"], rows, None);
    Some(Section { id: "segments", view: View::Table(table) })
}

/// A row for each free block, in the order in which a request looks at them: the smallest first, of
/// equal ones that of the oldest segment, then the lowest.
pub fn free_blocks(run: &Run, frame: &Frame) -> Option<Section> {
    let cache = cache(run, frame)?;
    let free =
        cache.segments.iter().flat_map(|(&pool, held)| held.free.iter().map(move |(&at, &size)| (size, pool, at)));
    let mut free: Vec<(u64, u32, u64)> = free.collect();
    free.sort_unstable();
    let row = |(size, pool, at): (u64, u32, u64)| Row {
        cells: vec![Cell::bytes(size), pool_cell(run, pool), Cell::Value(Arg::Span(at, at + size))],
        pool: Some(PoolId(pool)),
        ..Row::default()
    };
    let rows: Vec<Row> = free.into_iter().map(row).collect();
    let table = Table::new(&["#size", "segment", "#bytes"], rows, None);
    Some(Section { id: "free-blocks", view: View::Table(table) })
}

/// What the allocator counts.
pub fn counters(run: &Run, frame: &Frame) -> Option<Section> {
    let cache = cache(run, frame)?;
    let (reserved, allocated, free) = (cache.reserved(), cache.allocated(), cache.free());
    let waiting = reserved.saturating_sub(allocated).saturating_sub(free);
    let parts = [("panel.cache.waiting", waiting), ("panel.cache.free", free)];
    let bytes = [
        ("panel.cache.reserved", reserved),
        ("panel.cache.allocated", allocated),
        ("panel.cache.unused", reserved.saturating_sub(allocated)),
    ];
    // The parts of what is not allocated are worth a row where there are two.
    let bytes = bytes.into_iter().chain(parts.into_iter().filter(|_| waiting > 0));
    let counts = [
        ("panel.cache.obtained", cache.obtained),
        ("panel.cache.given", cache.given),
        ("panel.cache.emptied", cache.emptied),
    ];
    let row = |key: &'static str, cell: Cell| Row { cells: vec![Cell::Say(Message::new(key)), cell], ..Row::default() };
    let bytes = bytes.map(|(key, bytes)| row(key, Cell::bytes(bytes)));
    let rows: Vec<Row> = bytes.chain(counts.into_iter().map(|(key, count)| row(key, Cell::count(count)))).collect();
    let table = Table::new(&["counter", "#value"], rows, None);
    Some(Section { id: "cache-counters", view: View::Table(table) })
}
