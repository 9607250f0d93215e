//! One row: what it states, what is wrong with it alone, and the buffer that it becomes.

use super::MOST_FAULTS;
use memplan_core::base::Message;
use memplan_core::graph::Kind;
use memplan_core::plan::QuirkKind;
use memplan_core::problem::{self, Buffer, Live, MemoryId};

/// One buffer as its row states it.
pub struct Row<'a> {
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
    pub gaps: Vec<Gap<'a>>,
}

/// A part of the life in which the buffer, or all of it but a window, is unused.
pub struct Gap<'a> {
    pub text: &'a str,
    pub start: u64,
    pub last_or_end: u64,
    pub window: Option<(u64, u64)>,
}

impl Row<'_> {
    /// What is wrong with the life and its gaps, no more than is of use.
    pub fn faults(&self, inclusive: bool) -> Vec<Message> {
        let end = self.last_or_end as u64 + inclusive as u64;
        if self.start as u64 >= end {
            let key = if inclusive { "fault.csv-life-inclusive" } else { "fault.csv-life" };
            return vec![Message::new(key).count("start", self.start).count("end", self.last_or_end)];
        }
        let is_outside = |gap: &&Gap| {
            let gap_end = gap.last_or_end + inclusive as u64;
            let window_fits = gap.window.is_none_or(|(low, high)| low <= high && high <= self.size);
            gap.start >= gap_end || gap.start < self.start as u64 || gap_end > end || !window_fits
        };
        let outside = self.gaps.iter().filter(is_outside).take(MOST_FAULTS);
        outside.map(|gap| Message::new("fault.csv-gap-outside").text("found", gap.text)).collect()
    }

    /// The buffer of a row whose life and gaps have no faults.
    pub fn buffer(&self, inclusive: bool, memory: MemoryId) -> Buffer {
        let gap = |gap: &Gap| {
            let live = Live::new(gap.start as u32, gap.last_or_end as u32 + inclusive as u32);
            problem::Gap { live, window: gap.window }
        };
        Buffer {
            name: self.name.to_string(),
            size: self.size,
            live: Live::new(self.start, self.last_or_end + inclusive as u32),
            align: self.align,
            memory,
            kind: self.kind,
            fixed: self.offset,
            gaps: self.gaps.iter().map(gap).collect(),
            tensors: Vec::new(),
            stack: None,
            kernel: None,
        }
    }
}

/// What stands for a row with faults, so that other rows can name it. No document is made of it.
pub fn faulty(name: &str) -> Buffer {
    Buffer::of(name, 0, Live::new(0, 1))
}
