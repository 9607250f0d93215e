//! The cells of one row: text → numbers, every fault with the row it is in.

use super::columns::{Columns, Role};
use super::records::Record;
use super::row::{Gap, Row};
use super::{MAX_STEPS, MOST_FAULTS};
use memplan_core::base::shown::from_cell;
use memplan_core::base::{MAX_SAFE, Message};
use memplan_core::graph::Kind;
use memplan_core::plan::QuirkKind;

/// Largest alignment taken, as for tensors of a graph.
const MAX_ALIGN: u64 = 1 << 32;

/// The text in a column; empty if the file does not have it.
pub fn cell<'a>(record: Record<'a>, columns: &Columns, role: Role) -> &'a str {
    columns.index(role).and_then(|index| record.fields.get(index)).map_or("", from_cell)
}

/// Negative offsets other than −1, which tools write for a buffer without a place.
#[derive(Default)]
pub struct Negatives {
    pub count: u64,
    /// The first of them.
    pub first: String,
}

/// The cells of a row that has as many as the header.
pub struct Cells<'a, 'b> {
    pub record: Record<'a>,
    pub columns: &'a Columns,
    /// Faults of all rows so far, by line of the file.
    pub faults: &'b mut Vec<(u64, Message)>,
    /// Those of all rows so far.
    pub negatives: &'b mut Negatives,
}

impl<'a> Cells<'a, '_> {
    /// What the cells state, if all that a buffer needs can be read.
    pub fn row(&mut self) -> Option<Row<'a>> {
        let (start, last_or_end, size) = (self.number(Role::Start), self.number(Role::End), self.number(Role::Size));
        let start = self.step(Role::Start, start, MAX_STEPS - 1);
        // The first step after a life may be the one after all steps.
        let largest = if self.columns.end_is_inclusive() { MAX_STEPS - 1 } else { MAX_STEPS };
        let last_or_end = self.step(Role::End, last_or_end, largest);
        let align = self.align();
        let offset = self.offset();
        let kind = self.kind();
        let gaps = self.gaps();
        let quirks = self.quirks();
        Some(Row {
            name: self.text(Role::Name),
            start: start?,
            last_or_end: last_or_end?,
            size: size?,
            align: align?,
            offset,
            pool: self.text(Role::Pool),
            memory: self.columns.index(Role::Pool).map_or("", |_| self.text(Role::Memory)),
            kind: kind?,
            shares: self.text(Role::Shares),
            quirks,
            gaps,
        })
    }

    fn text(&self, role: Role) -> &'a str {
        cell(self.record, self.columns, role)
    }

    fn fault(&mut self, message: Message) {
        self.faults.push((self.record.line, message));
    }

    fn number(&mut self, role: Role) -> Option<u64> {
        let text = self.text(role);
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
        self.fault(Message::new(key).text("column", self.columns.name(role)).text("found", found));
        None
    }

    fn step(&mut self, role: Role, number: Option<u64>, largest: u64) -> Option<u32> {
        let number = number?;
        if number > largest {
            let message = Message::new("fault.csv-steps").text("column", self.columns.name(role));
            self.fault(message.count("found", number).count("limit", largest));
            return None;
        }
        Some(number as u32)
    }

    fn align(&mut self) -> Option<u64> {
        if self.text(Role::Align).is_empty() {
            return Some(1);
        }
        let align = self.number(Role::Align)?;
        if !align.is_power_of_two() || align > MAX_ALIGN {
            self.fault(Message::new("fault.alignment").count("align", align));
            return None;
        }
        Some(align)
    }

    /// Nothing and negative numbers mean that the row has no offset.
    fn offset(&mut self) -> Option<u64> {
        let text = self.text(Role::Offset);
        let negative = text.strip_prefix('-').is_some_and(|digits| digits.parse::<u64>().is_ok());
        if negative && text != "-1" {
            if self.negatives.count == 0 {
                self.negatives.first = text.chars().take(40).collect();
            }
            self.negatives.count += 1;
        }
        if text.is_empty() || negative { None } else { self.number(Role::Offset) }
    }

    fn kind(&mut self) -> Option<Kind> {
        let text = self.text(Role::Kind);
        if text.is_empty() {
            return Some(Kind::Intermediate);
        }
        let kind = Kind::ALL.into_iter().find(|kind| kind.name().eq_ignore_ascii_case(text));
        if kind.is_none() {
            self.fault(Message::new("fault.kind").text("found", text));
        }
        kind
    }

    fn gaps(&mut self) -> Vec<Gap<'a>> {
        let mut gaps = Vec::new();
        for item in self.text(Role::Gaps).split_ascii_whitespace() {
            if self.faults.len() >= MOST_FAULTS {
                break;
            }
            match gap(item) {
                Some(gap) => gaps.push(gap),
                None => self.fault(Message::new("fault.csv-gap").text("found", item)),
            }
        }
        gaps
    }

    fn quirks(&mut self) -> Vec<(QuirkKind, String)> {
        let mut quirks = Vec::new();
        for item in self.text(Role::Quirks).split_ascii_whitespace() {
            if self.faults.len() >= MOST_FAULTS {
                break;
            }
            let (found, name) = item.split_once(':').unwrap_or((item, ""));
            match QuirkKind::ALL.into_iter().find(|kind| kind.name() == found) {
                Some(kind) => quirks.push((kind, decoded(name))),
                None => {
                    let known = QuirkKind::ALL.map(QuirkKind::name).join(", ");
                    self.fault(Message::new("fault.plan-quirk").text("found", found).text("known", known));
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
