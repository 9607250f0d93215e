//! Buffer CSV (docs/buffer-csv.md): one row a buffer, columns found by name. Reads MiniMalloc's
//! files (`id,lower,upper,size,…`) and the `tensor_name,size,offset,start_time,end_time` ones of
//! home-made planners.
//!
//! `upper` is the first step after a buffer's life; `end` and `end_time` are its last step, unless
//! the answers make them exclusive. A file in which every row has an offset is a plan.

mod cells;
mod columns;
mod pools;
mod records;
mod row;
mod rows;
#[cfg(test)]
mod tests;

use self::columns::{Columns, Role};
use self::records::{Records, first_line, separator};
use self::rows::{Rows, Table};
use super::answers::{Answers, EndRule, Question};
use super::content::Content;
use super::document::{Document, Parsed};
use memplan_core::base::{MAX_SAFE, Message};
use memplan_core::graph::{Fault, Faults};
use memplan_core::plan::{Place, Plan, collides, faults};
use memplan_core::problem::Problem;

pub use self::pools::memory_of;

/// Most rows taken, so that a hostile file cannot exhaust memory.
const MAX_ROWS: usize = 2_000_000;

/// Most execution steps taken. Nothing is kept for each step; this keeps numbers of steps readable
/// and far from 32 bits.
pub const MAX_STEPS: u64 = 1 << 24;

/// Number of faults after which reading stops. It is above the number that is reported, so that the
/// report states that there are more.
pub const MOST_FAULTS: usize = 1_000;

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
    let mut records = Records::new(text);
    let Some(header) = records.read()? else {
        return Err(vec![Fault::new("", Message::new("fault.empty-file"))]);
    };
    let columns = Columns::find(header);
    if columns.is_err() {
        records.skip_rest()?;
    }
    let (columns, mut warnings) = columns?;
    let by_format = columns.end_is_inclusive();
    let mut inclusive = by_format && end == EndRule::Format;
    let table = table(records, &columns, inclusive)?;
    let remarks = remarks(&table);
    let mut document = document(table)?;
    if inclusive
        && columns.end_is_ambiguous()
        && let Some(better) = without_overlaps(&document)
    {
        document = better;
        inclusive = false;
        warnings.push(Fault::new("", Message::new("warning.csv-end-exclusive")));
    }
    let mut facts = vec![
        Message::new(if inclusive { "fact.csv-end-inclusive" } else { "fact.csv-end-exclusive" })
            .text("column", columns.name(Role::End)),
    ];
    let unused = columns.unused();
    if !unused.is_empty() {
        facts.push(Message::new("fact.csv-unused").text("columns", unused.join(", ")));
    }
    warnings.extend(remarks.into_iter().map(|message| Fault::new("", message)));
    let questions = if by_format { vec![Question::End] } else { Vec::new() };
    warnings.extend(collisions(&document).map(|message| Fault::new("", message)));
    Ok(Parsed { facts, warnings, questions, ..Parsed::plain(document) })
}

/// Reads the rows after the header.
fn table(mut records: Records, columns: &Columns, inclusive: bool) -> Result<Table, Vec<Fault>> {
    let mut rows = Rows::new(columns, inclusive, records.likely_rows());
    while !rows.has_enough_faults()
        && let Some(record) = records.read()?
    {
        rows.add(record);
    }
    records.skip_rest()?;
    rows.into_table()
}

fn in_row_order(mut faults: Vec<(u64, Message)>) -> Vec<Fault> {
    faults.sort_by_key(|(line, _)| *line);
    let mut ordered = Faults::default();
    ordered.extend(faults.into_iter().map(|(line, message)| Fault::new(path(line), message)));
    ordered.into_vec()
}

/// Buffers, or a plan if every row has an offset.
fn document(table: Table) -> Result<Document, Vec<Fault>> {
    let Table { buffers, memories, mut pools, pool_of, shared, quirks, .. } = table;
    let mut problem = Problem { buffers, memories, ..Problem::default() };
    problem.steps = last_step(&problem);
    if !problem.total_is_safe(1) {
        return Err(vec![Fault::new("", Message::new("fault.sum-too-large"))]);
    }
    let pairs = problem.buffers.iter().zip(pool_of.iter());
    let places: Option<Vec<Place>> = pairs.map(|(buffer, &pool)| Some(Place { pool, offset: buffer.fixed? })).collect();
    let Some(places) = places.filter(|places| !places.is_empty()) else { return Ok(Document::Buffers(problem)) };
    for (place, buffer) in places.iter().zip(problem.buffers.iter()) {
        let pool = &mut pools[place.pool];
        pool.size = pool.size.max(place.offset + buffer.size);
    }
    if pools.iter().map(|pool| pool.size as u128).sum::<u128>() > MAX_SAFE as u128 {
        return Err(vec![Fault::new("", Message::new("fault.sum-too-large"))]);
    }
    let plan = Plan { pools, places: places.into_iter().map(Some).collect(), shared, quirks, ..Plan::default() };
    Ok(Document::Plan(problem, plan))
}

/// The number of steps: at least one.
fn last_step(problem: &Problem) -> u32 {
    problem.buffers.iter().map(|buffer| buffer.live.end).fold(1, u32::max)
}

/// The place of a fault: the line as spreadsheets count it, the header being row 1.
fn path(line: u64) -> String {
    format!("row {line}")
}

/// The exclusive reading of a plan in which buffers collide, if none do in it.
fn without_overlaps(inclusive: &Document) -> Option<Document> {
    let Document::Plan(problem, plan) = inclusive else { return None };
    if !collides(problem, plan) || problem.buffers.iter().any(|buffer| buffer.live.len() < 2) {
        return None;
    }
    let mut problem = problem.clone();
    for buffer in problem.buffers.iter_mut() {
        buffer.live.end -= 1;
        buffer.gaps.iter_mut().for_each(|gap| gap.live.end -= 1);
        buffer.gaps.retain(|gap| !gap.live.is_empty());
    }
    problem.steps = last_step(&problem);
    (!collides(&problem, plan)).then(|| Document::Plan(problem, plan.clone()))
}

/// That a plan breaks rules, other than where it names overlaps of its original: its peak is then
/// no result.
fn collisions(document: &Document) -> Option<Message> {
    let Document::Plan(problem, plan) = document else { return None };
    let count = faults(problem, plan).len();
    (count > 0).then(|| Message::new("warning.plan-invalid").count("n", count))
}

/// Warnings about a file without faults.
fn remarks(table: &Table) -> Vec<Message> {
    let mut remarks = Vec::new();
    let rows = table.buffers.len();
    if rows == 0 {
        remarks.push(Message::new("warning.csv-no-rows"));
    }
    let with_gaps = table.buffers.iter().filter(|buffer| !buffer.gaps.is_empty()).count();
    if with_gaps > 0 {
        remarks.push(Message::new("warning.gaps-whole-range").count("buffers", with_gaps as u64));
    }
    let negatives = &table.negatives;
    if negatives.count > 0 {
        let message = Message::new("warning.csv-negative-offset").count("n", negatives.count);
        remarks.push(message.text("found", &negatives.first));
    }
    let placed = table.buffers.iter().filter(|buffer| buffer.fixed.is_some()).count();
    if 0 < placed && placed < rows {
        let message = Message::new("warning.csv-some-offsets");
        remarks.push(message.count("placed", placed as u64).count("rows", rows as u64));
    }
    remarks
}
