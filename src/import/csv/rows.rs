//! The rows: text → numbers, every fault with the row it is in.

use std::collections::hash_map::Entry;

use super::columns::{Columns, Role};
use super::{MAX_STEPS, Record};
use crate::base::shown::from_cell;
use crate::base::{MAX_SAFE, Message, Names};
use crate::graph::Kind;
use crate::plan::QuirkKind;
use crate::problem::{self, Live};

/// Largest alignment taken, as for tensors of a graph.
const MAX_ALIGN: u64 = 1 << 32;

/// Number of faults after which reading stops. It is above the number that is reported, so that the report says that there
/// are more.
const MOST_FAULTS: usize = 1_000;

/// One buffer as its row states it.
pub struct Row<'a> {
    line: u64,
    pub name: &'a str,
    pub start: u32,
    /// The last step of life or the first after, depending on the column.
    pub last_or_end: u32,
    pub size: u64,
    pub align: u64,
    pub offset: Option<u64>,
    pub pool: &'a str,
    /// The memory that the pool is a part of; empty if the file does not state it.
    pub memory: &'a str,
    pub kind: Kind,
    /// The buffer whose storage it takes over, or nothing.
    pub shares: &'a str,
    /// Overlaps of the original system, each with the name of the other buffer.
    pub quirks: Vec<(QuirkKind, String)>,
    gaps: Vec<Gap<'a>>,
}

/// A part of the life in which the buffer, or all of it but a window, is unused.
struct Gap<'a> {
    text: &'a str,
    start: u64,
    last_or_end: u64,
    window: Option<(u64, u64)>,
}

impl Row<'_> {
    pub fn has_gaps(&self) -> bool {
        !self.gaps.is_empty()
    }

    /// The gaps of a row that was checked.
    pub fn gaps(&self, inclusive: bool) -> Vec<problem::Gap> {
        let steps = |gap: &Gap| {
            let (start, end) = (u32::try_from(gap.start).ok()?, u32::try_from(gap.last_or_end).ok()?);
            let end = end.checked_add(inclusive as u32)?;
            (start < end).then(|| problem::Gap { live: Live::new(start, end), window: gap.window })
        };
        self.gaps.iter().filter_map(steps).collect()
    }
}

#[derive(Default)]
pub struct Rows<'a> {
    pub rows: Vec<Row<'a>>,
    /// By line of the file.
    pub faults: Vec<(u64, Message)>,
    first_line_of: Names<&'a str, u64>,
}

impl<'a> Rows<'a> {
    pub fn add(&mut self, record: Record<'a>, columns: &Columns) {
        let line = record.line;
        if record.len() != columns.count() {
            let message = Message::new("fault.csv-fields");
            self.fault(line, message.count("found", record.len()).count("expected", columns.count()));
            return;
        }
        let cell = |role: Role| columns.index(role).and_then(|index| record.get(index)).map_or("", from_cell);
        let name = cell(Role::Name);
        self.name(line, name);
        let mut number = |role: Role| self.number(line, columns.name(role), cell(role));
        let (start, last_or_end, size) = (number(Role::Start), number(Role::End), number(Role::Size));
        let start = self.step(line, columns.name(Role::Start), start, MAX_STEPS - 1);
        // The first step after a life may be the one after all steps.
        let largest = if columns.end_is_inclusive() { MAX_STEPS - 1 } else { MAX_STEPS };
        let last_or_end = self.step(line, columns.name(Role::End), last_or_end, largest);
        let align = self.align(line, columns.name(Role::Align), cell(Role::Align));
        let offset = self.offset(line, columns.name(Role::Offset), cell(Role::Offset));
        let kind = self.kind(line, cell(Role::Kind));
        let gaps = self.gaps(line, cell(Role::Gaps));
        let quirks = self.quirks(line, cell(Role::Quirks));
        let complete = start.zip(last_or_end).zip(size).zip(align).zip(kind);
        if let Some(((((start, last_or_end), size), align), kind)) = complete {
            let (pool, shares) = (cell(Role::Pool), cell(Role::Shares));
            let memory = columns.index(Role::Pool).map_or("", |_| cell(Role::Memory));
            self.rows.push(Row {
                line,
                name,
                start,
                last_or_end,
                size,
                align,
                offset,
                pool,
                memory,
                kind,
                shares,
                quirks,
                gaps,
            });
        }
    }

    /// Checks what depends on other rows and on how the end of a life is meant.
    pub fn check(&mut self, inclusive: bool) {
        for row in &self.rows {
            if self.faults.len() >= MOST_FAULTS {
                break;
            }
            let end = row.last_or_end as u64 + inclusive as u64;
            let mut fault = |message| self.faults.push((row.line, message));
            if !row.shares.is_empty() && !self.first_line_of.contains_key(row.shares) {
                fault(Message::new("fault.plan-unknown-donor").text("name", row.shares));
            }
            for (_, name) in row.quirks.iter().filter(|(_, name)| !self.first_line_of.contains_key(name.as_str())) {
                fault(Message::new("fault.plan-unknown-buffer").text("name", name.as_str()));
            }
            if row.start as u64 >= end {
                let key = if inclusive { "fault.csv-life-inclusive" } else { "fault.csv-life" };
                fault(Message::new(key).count("start", row.start).count("end", row.last_or_end));
                continue;
            }
            for gap in &row.gaps {
                let gap_end = gap.last_or_end + inclusive as u64;
                let window_fits = gap.window.is_none_or(|(low, high)| low <= high && high <= row.size);
                if gap.start >= gap_end || gap.start < row.start as u64 || gap_end > end || !window_fits {
                    fault(Message::new("fault.csv-gap-outside").text("found", gap.text));
                }
            }
        }
    }

    /// The rows and the faults; names are no longer looked up.
    pub fn into_parts(self) -> (Vec<Row<'a>>, Vec<(u64, Message)>) {
        (self.rows, self.faults)
    }

    pub fn has_enough_faults(&self) -> bool {
        self.faults.len() >= MOST_FAULTS
    }

    fn fault(&mut self, line: u64, message: Message) {
        self.faults.push((line, message));
    }

    fn name(&mut self, line: u64, name: &'a str) {
        if name.is_empty() {
            return self.fault(line, Message::new("fault.csv-empty-name"));
        }
        match self.first_line_of.entry(name) {
            Entry::Vacant(entry) => _ = entry.insert(line),
            Entry::Occupied(entry) => {
                let message = Message::new("fault.csv-duplicate").text("name", name).count("first", *entry.get());
                self.faults.push((line, message));
            }
        }
    }

    fn number(&mut self, line: u64, column: &str, text: &str) -> Option<u64> {
        let digits = text.strip_prefix('-').unwrap_or(text);
        let key = if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            "fault.csv-number"
        } else if digits.len() < text.len() {
            "fault.csv-negative"
        } else {
            match text.parse::<u64>() {
                Ok(number) if number <= MAX_SAFE => return Some(number),
                _ => "fault.csv-too-large",
            }
        };
        let found: String = text.chars().take(40).collect();
        self.fault(line, Message::new(key).text("column", column).text("found", found));
        None
    }

    fn step(&mut self, line: u64, column: &str, number: Option<u64>, largest: u64) -> Option<u32> {
        let number = number?;
        if number > largest {
            let message = Message::new("fault.csv-steps").text("column", column);
            self.fault(line, message.count("found", number).count("limit", largest));
            return None;
        }
        Some(number as u32)
    }

    fn align(&mut self, line: u64, column: &str, text: &str) -> Option<u64> {
        if text.is_empty() {
            return Some(1);
        }
        let align = self.number(line, column, text)?;
        if !align.is_power_of_two() || align > MAX_ALIGN {
            self.fault(line, Message::new("fault.alignment").count("align", align));
            return None;
        }
        Some(align)
    }

    /// Nothing and negative numbers mean that the row has no offset.
    fn offset(&mut self, line: u64, column: &str, text: &str) -> Option<u64> {
        let negative = text.strip_prefix('-').is_some_and(|digits| digits.parse::<u64>().is_ok());
        if text.is_empty() || negative { None } else { self.number(line, column, text) }
    }

    fn kind(&mut self, line: u64, text: &str) -> Option<Kind> {
        if text.is_empty() {
            return Some(Kind::Intermediate);
        }
        let kind = Kind::ALL.into_iter().find(|kind| kind.name().eq_ignore_ascii_case(text));
        if kind.is_none() {
            self.fault(line, Message::new("fault.kind").text("found", text));
        }
        kind
    }

    fn gaps(&mut self, line: u64, text: &'a str) -> Vec<Gap<'a>> {
        let mut gaps = Vec::new();
        for item in text.split_ascii_whitespace() {
            if self.has_enough_faults() {
                break;
            }
            match gap(item) {
                Some(gap) => gaps.push(gap),
                None => self.fault(line, Message::new("fault.csv-gap").text("found", item)),
            }
        }
        gaps
    }

    fn quirks(&mut self, line: u64, text: &str) -> Vec<(QuirkKind, String)> {
        let mut quirks = Vec::new();
        for item in text.split_ascii_whitespace() {
            if self.has_enough_faults() {
                break;
            }
            let (found, name) = item.split_once(':').unwrap_or((item, ""));
            match QuirkKind::ALL.into_iter().find(|kind| kind.name() == found) {
                Some(kind) => quirks.push((kind, decoded(name))),
                None => {
                    let known = QuirkKind::ALL.map(QuirkKind::name).join(", ");
                    self.fault(line, Message::new("fault.plan-quirk").text("found", found).text("known", known));
                }
            }
        }
        quirks
    }
}

/// The name that a text stands for: `%20` is a blank, `%25` the sign itself.
fn decoded(text: &str) -> String {
    let mut parts = text.split('%');
    let mut name = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let code = part.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok()).filter(u8::is_ascii);
        match code {
            Some(code) => name.extend([char::from(code).to_string().as_str(), &part[2..]]),
            None => name.extend(["%", part]),
        }
    }
    name
}

/// `a-b` or `a-b@low:high`.
fn gap(text: &str) -> Option<Gap<'_>> {
    let pair = |text: &str, mark: char| {
        let (low, high) = text.split_once(mark)?;
        let number = |text: &str| text.parse::<u64>().ok().filter(|number| *number <= MAX_SAFE);
        Some((number(low)?, number(high)?))
    };
    let (times, window) = match text.split_once('@') {
        Some((times, window)) => (times, Some(pair(window, ':')?)),
        None => (text, None),
    };
    let (start, last_or_end) = pair(times, '-')?;
    Some(Gap { text, start, last_or_end, window })
}
