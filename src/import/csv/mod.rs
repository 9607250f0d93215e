//! Buffer CSV (docs/buffer-csv.md): one row a buffer, columns found by name. Reads MiniMalloc's files
//! (`id,lower,upper,size,…`) and the `tensor_name,size,offset,start_time,end_time` ones of home-made planners.
//!
//! `upper` is the first step after a buffer's life; `end` and `end_time` are its last step, unless the
//! answers make them exclusive. A file in which every row has an offset is a plan.

mod columns;
mod rows;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use ::csv::{ReaderBuilder, StringRecord};

use self::columns::{Columns, Role};
use self::rows::{Row, Rows};
use super::ask::{Answers, EndRule, Question};
use super::content::Content;
use super::document::{Document, Parsed};
use crate::base::{Arrange, IdVec, MAX_SAFE, Message};
use crate::graph::{Fault, Faults};
use crate::plan::{Place, Plan, Pool, PoolId, PoolRole, Quirk, Violation, check};
use crate::problem::{Buffer, BufferId, Live, Memory, MemoryId, Problem};

/// Most rows taken, so that a hostile file cannot exhaust memory.
const MAX_ROWS: usize = 2_000_000;

/// Most execution steps taken. Nothing is kept for each step; this keeps numbers of steps readable and far from 32 bits.
pub const MAX_STEPS: u64 = 1 << 24;

/// Device of a row that names no pool.
const DEFAULT_DEVICE: &str = "cpu";

/// Whether the first line has separators and a known column name.
fn looks_like_csv(text: &str) -> bool {
    let header = first_line(text);
    let separator = separator(header) as char;
    header.contains(separator) && header.split(separator).any(columns::is_known)
}

/// Whether a file is a table of buffers.
pub fn sniff(content: &Content) -> bool {
    !content.start().starts_with('{') && looks_like_csv(content.start())
}

/// Reads a buffer CSV.
///
/// # Errors
/// Every fault found, each with its row in the file.
pub fn read(content: Content, answers: &Answers) -> Result<Parsed, Vec<Fault>> {
    read_csv(content.text().unwrap_or_default(), answers.end)
}

/// Reads the text of a buffer CSV.
fn read_csv(text: &str, end: EndRule) -> Result<Parsed, Vec<Fault>> {
    let records = records(text)?;
    let mut records = records.iter();
    let Some(header) = records.next() else {
        return Err(vec![Fault::new("", Message::new("fault.empty-file"))]);
    };
    let (columns, mut warnings) = Columns::find(header)?;
    let mut rows = Rows::default();
    for record in records {
        if rows.has_enough_faults() {
            break;
        }
        rows.add(record, &columns);
    }
    let by_format = columns.end_is_inclusive();
    let inclusive = by_format && end == EndRule::Format;
    rows.check(inclusive);
    let (rows, faults) = rows.into_parts();
    if !faults.is_empty() {
        return Err(in_row_order(faults));
    }
    let mut document = document(&rows, inclusive)?;
    let mut read_inclusive = inclusive;
    if inclusive
        && columns.end_is_ambiguous()
        && let Some(better) = without_overlaps(&document, &rows)
    {
        document = better;
        read_inclusive = false;
        warnings.push(Fault::new("", Message::new("warning.csv-end-exclusive")));
    }
    let mut facts = vec![
        Message::new(if read_inclusive { "fact.csv-end-inclusive" } else { "fact.csv-end-exclusive" })
            .text("column", columns.name(Role::End)),
    ];
    let unused = columns.unused();
    if !unused.is_empty() {
        facts.push(Message::new("fact.csv-unused").text("columns", unused.join(", ")));
    }
    warnings.extend(remarks(&rows).into_iter().map(|message| Fault::new("", message)));
    let questions = if by_format { vec![Question::End] } else { Vec::new() };
    warnings.extend(collisions(&document).map(|message| Fault::new("", message)));
    Ok(Parsed { facts, warnings, questions, ..Parsed::plain(document) })
}

fn first_line(text: &str) -> &str {
    text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default()
}

fn separator(header: &str) -> u8 {
    [b',', b';', b'\t'].into_iter().find(|&separator| header.contains(separator as char)).unwrap_or(b',')
}

/// All rows as text. One row takes no memory of its own, of which a million would be a lot.
#[derive(Default)]
struct Records {
    /// The cells one after the other.
    text: String,
    /// Where each cell ends in the text.
    ends: Vec<usize>,
    /// Line in the file, and the number of the first cell.
    rows: Vec<(u64, usize)>,
}

/// A row as text, with its line in the file.
#[derive(Clone, Copy)]
struct Record<'a> {
    line: u64,
    text: &'a str,
    from: usize,
    ends: &'a [usize],
}

impl<'a> Record<'a> {
    fn len(&self) -> usize {
        self.ends.len()
    }

    fn get(&self, index: usize) -> Option<&'a str> {
        let end = *self.ends.get(index)?;
        let from = index.checked_sub(1).map_or(self.from, |before| self.ends[before]);
        Some(&self.text[from..end])
    }

    fn iter(self) -> impl Iterator<Item = &'a str> {
        (0..self.len()).filter_map(move |index| self.get(index))
    }
}

impl Records {
    fn add(&mut self, line: u64, fields: &StringRecord) {
        self.rows.push((line, self.ends.len()));
        for field in fields {
            self.text.push_str(field);
            self.ends.push(self.text.len());
        }
    }

    fn iter(&self) -> impl Iterator<Item = Record<'_>> {
        self.rows.iter().enumerate().map(|(number, &(line, first))| {
            let last = self.rows.get(number + 1).map_or(self.ends.len(), |&(_, next)| next);
            let from = first.checked_sub(1).map_or(0, |before| self.ends[before]);
            Record { line, text: &self.text, from, ends: &self.ends[first..last] }
        })
    }
}

fn records(text: &str) -> Result<Records, Vec<Fault>> {
    let mut reader = ReaderBuilder::new();
    let reader = reader.has_headers(false).flexible(true).delimiter(separator(first_line(text)));
    let mut reader = reader.from_reader(text.as_bytes());
    let mut records = Records::default();
    let mut lines = Lines { text: text.as_bytes(), at: 0, line: 1 };
    let mut fields = StringRecord::new();
    loop {
        let more = reader.read_record(&mut fields).map_err(|error| {
            vec![Fault::new("", Message::new("fault.csv-syntax").text("reason", error.to_string()))]
        })?;
        if !more {
            return Ok(records);
        }
        let line = lines.of_record_at(fields.position().map_or(0, |position| position.byte() as usize));
        // Spreadsheets leave rows of nothing but separators.
        if fields.iter().any(|field| !field.trim().is_empty()) {
            records.add(line, &fields);
        }
        if records.rows.len() > MAX_ROWS {
            let message = Message::new("fault.too-many").count("limit", MAX_ROWS as u64);
            return Err(vec![Fault::new("", message)]);
        }
    }
}

/// Counts lines up to where records begin: the positions that the parser states are those before skipped line ends.
struct Lines<'a> {
    text: &'a [u8],
    at: usize,
    line: u64,
}

impl Lines<'_> {
    fn of_record_at(&mut self, byte: usize) -> u64 {
        while let Some(&next) = self.text.get(self.at)
            && (self.at < byte || matches!(next, b'\r' | b'\n'))
        {
            self.line += (next == b'\n') as u64;
            self.at += 1;
        }
        self.line
    }
}

fn in_row_order(mut faults: Vec<(u64, Message)>) -> Vec<Fault> {
    faults.arrange_by_key(|(line, _)| *line);
    let mut ordered = Faults::default();
    ordered.extend(faults.into_iter().map(|(line, message)| Fault::new(path(line), message)));
    ordered.into_vec()
}

/// Buffers, or a plan if every row has an offset.
fn document(rows: &[Row], inclusive: bool) -> Result<Document, Vec<Fault>> {
    let mut problem = Problem { buffers: Vec::with_capacity(rows.len()).into(), ..Problem::default() };
    let mut pools: IdVec<PoolId, Pool> = IdVec::new();
    let mut pool_of: Vec<PoolId> = Vec::with_capacity(rows.len());
    // Pools and memories by device and number, of one type: each other one would bring the code of a map of its own.
    let mut known: HashMap<(String, Option<u32>), u32> = HashMap::new();
    let mut memories = known.clone();
    // Most rows are of the pool and the memory of the row before.
    let mut before: Option<(&Row, u32, PoolId)> = None;
    for row in rows {
        let same = before.filter(|(other, ..)| (other.pool, other.memory) == (row.pool, row.memory));
        let (memory, pool) = if let Some((_, memory, pool)) = same {
            (memory, pool)
        } else {
            let Memory { device, mem_id } = memory_of(if row.memory.is_empty() { row.pool } else { row.memory });
            let memory = *memories
                .entry((device.clone(), mem_id))
                .or_insert_with(|| problem.memories.push(Memory { device: device.clone(), mem_id }).0);
            // Two spellings of one memory are one pool.
            let spelled = memory_of(row.pool);
            let pool = *known.entry((spelled.device, spelled.mem_id)).or_insert_with(|| {
                let name = if row.pool.is_empty() { "arena" } else { row.pool }.to_string();
                pools.push(Pool { name, size: 0, device, role: PoolRole::Arena }).0
            });
            (memory, PoolId(pool))
        };
        before = Some((row, memory, pool));
        pool_of.push(pool);
        let live = Live::new(row.start, row.last_or_end + inclusive as u32);
        problem.steps = problem.steps.max(live.end);
        problem.buffers.push(Buffer {
            name: row.name.to_string(),
            size: row.size,
            live,
            align: row.align,
            memory: MemoryId(memory),
            kind: row.kind,
            fixed: row.offset,
            gaps: row.gaps(inclusive),
            tensors: Vec::new(),
        });
    }
    problem.steps = problem.steps.max(1);
    if !problem.total_is_safe(1) {
        return Err(vec![Fault::new("", Message::new("fault.sum-too-large"))]);
    }
    let places: Option<Vec<Place>> =
        problem.buffers.iter().zip(pool_of).map(|(buffer, pool)| Some(Place { pool, offset: buffer.fixed? })).collect();
    let Some(places) = places.filter(|places| !places.is_empty()) else { return Ok(Document::Buffers(problem)) };
    for (place, buffer) in places.iter().zip(problem.buffers.iter()) {
        let pool = &mut pools[place.pool];
        pool.size = pool.size.max(place.offset + buffer.size);
    }
    if pools.iter().map(|pool| pool.size as u128).sum::<u128>() > MAX_SAFE as u128 {
        return Err(vec![Fault::new("", Message::new("fault.sum-too-large"))]);
    }
    let (shared, quirks) = relations(rows);
    let plan = Plan { pools, places: places.into_iter().map(Some).collect(), shared, quirks, ..Plan::default() };
    Ok(Document::Plan(problem, plan))
}

/// Acceptors with their donors, and the overlaps that the original system makes too.
fn relations(rows: &[Row]) -> (Vec<(BufferId, BufferId)>, Vec<Quirk>) {
    if rows.iter().all(|row| row.shares.is_empty() && row.quirks.is_empty()) {
        return Default::default();
    }
    let named: HashMap<&str, BufferId> = rows.iter().map(|row| row.name).zip((0..).map(BufferId)).collect();
    let rows = || (0..).map(BufferId).zip(rows);
    let shared = rows().filter_map(|(acceptor, row)| Some((acceptor, *named.get(row.shares)?)));
    let quirks = rows().flat_map(|(a, row)| row.quirks.iter().map(move |(kind, other)| (*kind, a, other)));
    let quirks = quirks.filter_map(|(kind, a, other)| Some(Quirk { kind, a, b: *named.get(other.as_str())? }));
    (shared.collect(), quirks.collect())
}

/// The place of a fault: the line as spreadsheets count it, the header being row 1.
fn path(line: u64) -> String {
    format!("row {line}")
}

/// The exclusive reading, if it makes a valid plan of one in which buffers collide.
fn without_overlaps(inclusive: &Document, rows: &[Row]) -> Option<Document> {
    let collides = |document: &Document| match document {
        Document::Plan(problem, plan) => {
            let overlap = |fault: &Violation| matches!(fault, Violation::Overlap { .. }) && !fault.is_quirk_of(plan);
            check(problem, plan).iter().any(overlap)
        }
        _ => false,
    };
    if !collides(inclusive) || rows.iter().any(|row| row.start >= row.last_or_end) {
        return None;
    }
    document(rows, false).ok().filter(|exclusive| !collides(exclusive))
}

/// That a plan breaks rules, other than where it names overlaps of its original: its peak is then no result.
fn collisions(document: &Document) -> Option<Message> {
    let Document::Plan(problem, plan) = document else { return None };
    let count = check(problem, plan).iter().filter(|fault| !fault.is_quirk_of(plan)).count();
    (count > 0).then(|| Message::new("warning.plan-invalid").count("n", count))
}

/// Warnings about a file without faults.
fn remarks(rows: &[Row]) -> Vec<Message> {
    let mut remarks = Vec::new();
    if rows.is_empty() {
        remarks.push(Message::new("warning.csv-no-rows"));
    }
    let with_gaps = rows.iter().filter(|row| row.has_gaps()).count();
    if with_gaps > 0 {
        remarks.push(Message::new("warning.gaps-whole-range").count("buffers", with_gaps as u64));
    }
    let placed = rows.iter().filter(|row| row.offset.is_some()).count();
    if 0 < placed && placed < rows.len() {
        let message = Message::new("warning.csv-some-offsets");
        remarks.push(message.count("placed", placed as u64).count("rows", rows.len() as u64));
    }
    remarks
}

/// The memory that a `pool` cell names: a device, the number of an arena on the default device, or `device/number`.
pub fn memory_of(pool: &str) -> Memory {
    // `01` is not `1`: two spellings are two pools.
    let number = |text: &str| text.parse::<u32>().ok().filter(|number| number.to_string() == text);
    let default = || DEFAULT_DEVICE.to_string();
    if pool.is_empty() {
        return Memory { device: default(), mem_id: None };
    }
    if let Some(id) = number(pool) {
        return Memory { device: default(), mem_id: Some(id) };
    }
    match pool.rsplit_once('/') {
        Some((device, id)) if !device.is_empty() && number(id).is_some() => {
            Memory { device: device.to_string(), mem_id: number(id) }
        }
        _ => Memory { device: pool.to_string(), mem_id: None },
    }
}
