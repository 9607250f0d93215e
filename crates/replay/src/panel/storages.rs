//! Storages of planners that give no addresses: who is in each, how many reads are left, whom it
//! served. Told by the events alone, so every planner whose pools are storages has it.

use super::{Cell, Row, Section, Table, View};
use crate::fold::Fold;
use crate::{Frame, Run};
use memplan_core::base::{Arg, Message};
use memplan_core::graph::Kind;
use memplan_core::plan::{PoolId, PoolRole};
use memplan_core::problem::BufferId;
use memplan_core::trace::{Event, StatePanel};

/// Place of the column of reads.
const READS: usize = 3;
const NEW: &str = "panel.changed.new";
/// Names listed of those that a storage served, the last ones.
const MAX_SERVED: usize = 6;

/// A number with what it was before this frame's decision.
#[derive(Clone, Copy, Default)]
struct Tracked {
    now: u64,
    before: u64,
}

impl Tracked {
    fn cell(self, as_bytes: bool) -> Cell {
        if as_bytes {
            // Bytes keep their unit; the word of the row states that they rose.
            Cell::bytes(self.now)
        } else if self.now != self.before {
            Cell::Change(self.before, self.now)
        } else {
            Cell::count(self.now)
        }
    }
}

#[derive(Clone, Default)]
struct Storage {
    bytes: Tracked,
    reads: Tracked,
    /// What lies in it, or lay in it last.
    holder: Option<BufferId>,
    served: Vec<BufferId>,
    free: bool,
    /// What this frame's decision did to it.
    changed: Option<Message>,
}

impl Storage {
    fn is_new(&self) -> bool {
        self.changed.as_ref().is_some_and(|changed| changed.key == NEW)
    }
}

pub fn storages(run: &Run, frame: &Frame) -> Option<Section> {
    // Tokens, which may be held for good and shared by several values, have a table of their own.
    let own_table = run.has_panel(StatePanel::StorageTokens);
    if own_table || !run.plan.pools.iter().any(|pool| pool.role == PoolRole::Storage) {
        return None;
    }
    let Storages { storages, lies, .. } = &*run.fold::<Storages>(frame.events);
    let current = frame.focus.and_then(|focus| lies[focus.0 as usize]).map(|pool| pool as usize);
    let rows: Vec<Row> = storages.iter().zip(0..).map(|(storage, id)| row(run, storage, PoolId(id))).collect();
    let mut columns = vec!["#storage", "#bytes", "device", "#reads", "state", "served"];
    let mut rows = rows;
    // Not every planner counts reads.
    if !run.known(counts_reads).0 {
        columns.remove(READS);
        rows.iter_mut().for_each(|row| drop(row.cells.remove(READS)));
    }
    let table = Table::new(&columns, rows, current);
    (!storages.is_empty()).then_some(Section { id: "storages", view: View::Table(table) })
}

fn row(run: &Run, storage: &Storage, id: PoolId) -> Row {
    let buffer = |id: BufferId| &run.problem.buffers[id];
    let device = run.plan.pools.get(id).map_or_else(String::new, |pool| pool.device.clone());
    let state = match storage.holder {
        _ if storage.free => Cell::Say(Message::new("panel.state.free")),
        Some(holder) => {
            let given_back = buffer(holder).kind == Kind::Output && buffer(holder).live.end == run.problem.steps;
            let key = if given_back { "panel.state.kept" } else { "panel.state.in-use" };
            Cell::Say(Message::new(key).name("name", buffer(holder).name.clone()))
        }
        None => Cell::Empty,
    };
    let skipped = storage.served.len().saturating_sub(MAX_SERVED);
    // The latest first: a narrow panel cuts the end.
    let mut served: Vec<String> = storage.served[skipped..].iter().rev().map(|&id| buffer(id).name.clone()).collect();
    if skipped > 0 {
        served.push("…".into());
    }
    Row {
        cells: vec![
            Cell::count(id.0),
            storage.bytes.cell(true),
            Cell::Value(Arg::Text(device)),
            storage.reads.cell(false),
            state,
            Cell::Value(Arg::Names(served)),
        ],
        changed: storage.changed.clone(),
        buffer: storage.holder,
        pool: Some(id),
        ..Row::default()
    }
}

#[derive(Clone)]
struct Storages {
    storages: Vec<Storage>,
    /// Storage of each buffer.
    lies: Vec<Option<u32>>,
    /// What this decision may have changed.
    touched: Vec<u32>,
}

impl Storages {
    fn touch(&mut self, pool: u32) -> &mut Storage {
        self.touched.push(pool);
        let index = pool as usize;
        if self.storages.len() <= index {
            self.storages.resize(index + 1, Storage::default());
        }
        &mut self.storages[index]
    }
}

impl Fold for Storages {
    fn new(run: &Run) -> Storages {
        Storages { storages: Vec::new(), lies: vec![None; run.problem.buffers.len()], touched: Vec::new() }
    }

    fn apply(&mut self, run: &Run, event: &Event) {
        match *event {
            Event::Begin { .. } => {
                for pool in self.touched.drain(..) {
                    let storage = &mut self.storages[pool as usize];
                    storage.bytes.before = storage.bytes.now;
                    storage.reads.before = storage.reads.now;
                    storage.changed = None;
                }
            }
            Event::OpenPool { pool, .. } => self.touch(pool).changed = Some(Message::new(NEW)),
            Event::Place { buffer, pool, .. } => {
                let name = run.problem.buffers[buffer].name.clone();
                self.lies[buffer.0 as usize] = Some(pool);
                let storage = self.touch(pool);
                storage.holder = Some(buffer);
                storage.free = false;
                storage.served.push(buffer);
                // One that was freed for this very buffer is taken over, not free.
                if !storage.is_new() {
                    storage.changed = Some(Message::new("panel.changed.taken-by").name("name", name));
                }
            }
            Event::Grow { pool, to, .. } => {
                let storage = self.touch(pool);
                storage.bytes.now = to;
                if !storage.is_new() {
                    storage.changed = Some(Message::new("panel.changed.enlarged"));
                }
            }
            Event::Refs { buffer, to, .. } => {
                if let Some(pool) = self.lies[buffer.0 as usize] {
                    self.touch(pool).reads.now = to.into();
                }
            }
            Event::Release { buffer } => {
                if let Some(pool) = self.lies[buffer.0 as usize] {
                    let storage = self.touch(pool);
                    storage.free = true;
                    storage.changed = Some(Message::new("panel.changed.freed"));
                }
            }
            _ => {}
        }
    }
}

/// Whether the planner counts reads.
struct CountsReads(bool);

fn counts_reads(run: &Run) -> CountsReads {
    CountsReads(run.timeline.events.iter().any(|event| matches!(event, Event::Refs { .. })))
}
