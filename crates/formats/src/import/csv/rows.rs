//! The rows: each becomes a buffer as soon as it is read, and what is rare is kept beside.

use super::cells::{Cells, Negatives, cell};
use super::columns::{Columns, Role};
use super::pools::Pools;
use super::records::Record;
use super::row::{Row, faulty};
use super::{MOST_FAULTS, in_row_order};
use memplan_core::base::{IdVec, Message, NameIndex};
use memplan_core::graph::Fault;
use memplan_core::plan::{Pool, PoolId, Quirk, QuirkKind};
use memplan_core::problem::{Buffer, BufferId, Memory, MemoryId};

/// What few rows have: relations to other rows, which may stand further down, and the faults that
/// follow those of all cells.
struct Rest {
    row: BufferId,
    shares: String,
    quirks: Vec<(QuirkKind, String)>,
    faults: Vec<Message>,
}

/// The rows so far.
pub struct Rows<'a> {
    columns: &'a Columns,
    inclusive: bool,
    buffers: IdVec<BufferId, Buffer>,
    pool_of: IdVec<BufferId, PoolId>,
    line_of: IdVec<BufferId, u64>,
    names: NameIndex,
    pools: Pools,
    rest: Vec<Rest>,
    /// Faults in `rest`.
    late_faults: usize,
    /// By line of the file.
    faults: Vec<(u64, Message)>,
    negatives: Negatives,
}

/// What the rows of a file without faults state.
pub struct Table {
    pub buffers: IdVec<BufferId, Buffer>,
    pub memories: IdVec<MemoryId, Memory>,
    pub pools: IdVec<PoolId, Pool>,
    pub pool_of: IdVec<BufferId, PoolId>,
    /// Acceptors with their donors.
    pub shared: Vec<(BufferId, BufferId)>,
    /// Overlaps that the original system makes too.
    pub quirks: Vec<Quirk>,
    pub negatives: Negatives,
}

impl<'a> Rows<'a> {
    /// No rows yet, with room for as many as are expected.
    pub fn new(columns: &'a Columns, inclusive: bool, expected: usize) -> Rows<'a> {
        Rows {
            columns,
            inclusive,
            buffers: Vec::with_capacity(expected).into(),
            pool_of: Vec::with_capacity(expected).into(),
            line_of: Vec::with_capacity(expected).into(),
            names: NameIndex::with_capacity(expected),
            pools: Pools::default(),
            rest: Vec::new(),
            late_faults: 0,
            faults: Vec::new(),
            negatives: Negatives::default(),
        }
    }

    pub fn add(&mut self, record: Record) {
        let Record { line, fields } = record;
        let columns = self.columns;
        if fields.len() != columns.count() {
            let message = Message::new("fault.csv-fields");
            return self.fault(line, message.count("found", fields.len()).count("expected", columns.count()));
        }
        let name = cell(record, columns, Role::Name);
        self.name(line, name);
        let (faults, negatives) = (&mut self.faults, &mut self.negatives);
        let (buffer, pool) = match (Cells { record, columns, faults, negatives }).row() {
            Some(row) => self.buffer(row),
            None => (faulty(name), PoolId(0)),
        };
        self.buffers.push(buffer);
        self.pool_of.push(pool);
        self.line_of.push(line);
    }

    /// Adds the name of the next row.
    fn name(&mut self, line: u64, name: &str) {
        if name.is_empty() {
            return self.fault(line, Message::new("fault.csv-empty-name"));
        }
        let next = self.buffers.len() as u32;
        if let Some(first) = self.names.add(name, next, |at| &self.buffers[BufferId(at)].name) {
            let first = self.line_of[BufferId(first)];
            self.fault(line, Message::new("fault.csv-duplicate").text("name", name).count("first", first));
        }
    }

    /// The buffer and the pool of a row; what else the row has is kept beside.
    fn buffer(&mut self, row: Row) -> (Buffer, PoolId) {
        let (memory, pool) = self.pools.of_row(row.pool, row.memory);
        let faults = row.faults(self.inclusive);
        let buffer = if faults.is_empty() { row.buffer(self.inclusive, memory) } else { faulty(row.name) };
        self.keep(row, faults);
        (buffer, pool)
    }

    /// Keeps relations and faults until all rows are read. A file with enough faults needs no more
    /// of them.
    fn keep(&mut self, row: Row, mut faults: Vec<Message>) {
        if self.late_faults >= MOST_FAULTS {
            faults.clear();
        }
        if row.shares.is_empty() && row.quirks.is_empty() && faults.is_empty() {
            return;
        }
        self.late_faults += faults.len();
        let (shares, quirks) = (row.shares.to_string(), row.quirks);
        self.rest.push(Rest { row: BufferId(self.buffers.len() as u32), shares, quirks, faults });
    }

    pub fn has_enough_faults(&self) -> bool {
        self.faults.len() >= MOST_FAULTS
    }

    fn fault(&mut self, line: u64, message: Message) {
        self.faults.push((line, message));
    }

    /// The buffers, after a check of what depends on other rows.
    ///
    /// # Errors
    /// All faults, in the order of their rows.
    pub fn into_table(mut self) -> Result<Table, Vec<Fault>> {
        let rest = std::mem::take(&mut self.rest);
        let (mut shared, mut quirks) = (Vec::new(), Vec::new());
        for Rest { row, shares, quirks: of_row, faults } in rest {
            if self.has_enough_faults() {
                break;
            }
            let line = self.line_of[row];
            match self.named(&shares) {
                Some(donor) => shared.push((row, donor)),
                None if shares.is_empty() => {}
                None => self.fault(line, Message::new("fault.plan-unknown-donor").text("name", shares)),
            }
            for (kind, name) in of_row {
                match self.named(&name) {
                    Some(b) => quirks.push(Quirk { kind, a: row, b }),
                    None => self.fault(line, Message::new("fault.plan-unknown-buffer").text("name", name)),
                }
            }
            self.faults.extend(faults.into_iter().map(|message| (line, message)));
        }
        if !self.faults.is_empty() {
            return Err(in_row_order(self.faults));
        }
        let Pools { pools, memories, .. } = self.pools;
        let (buffers, pool_of, negatives) = (self.buffers, self.pool_of, self.negatives);
        Ok(Table { buffers, memories, pools, pool_of, shared, quirks, negatives })
    }

    fn named(&self, name: &str) -> Option<BufferId> {
        self.names.find(name, |at| &self.buffers[BufferId(at)].name).map(BufferId)
    }
}
