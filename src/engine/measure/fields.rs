//! The figures of a table: name, value, and which way is better. Words and exact definitions are in the locale files under
//! `figure.<key>` and `figure.<key>.is`.

use super::Measurement;
use crate::base::exact;
use crate::text::Speech;

/// One figure of a plan.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Cell {
    Bytes(u64),
    Count(u64),
    /// A quotient, such as 1.06.
    Ratio(f64),
    /// A part of a whole, 0 to 1.
    Share(f64),
    Millis(f64),
    Yes(bool),
    /// Not known for this plan.
    Unknown,
}

/// Which value is the better one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Best {
    Least,
    Most,
}

/// A row of the table, a column of its files.
pub struct Field {
    pub key: &'static str,
    /// None where neither way is better.
    pub best: Option<Best>,
    of: fn(&Measurement) -> Cell,
}

impl Cell {
    /// The value to compare by.
    pub fn number(self) -> Option<f64> {
        match self {
            Cell::Bytes(value) | Cell::Count(value) => Some(value as f64),
            Cell::Ratio(value) | Cell::Share(value) | Cell::Millis(value) => Some(value),
            Cell::Yes(yes) => Some(yes as u8 as f64),
            Cell::Unknown => None,
        }
    }

    /// For people; bytes in the unit of the document, which the table's heading names.
    pub fn words(self, speech: Speech) -> String {
        match self {
            Cell::Bytes(bytes) => speech.unit.figure(bytes),
            Cell::Count(count) => exact(count),
            Cell::Ratio(ratio) => format!("{ratio:.2}"),
            Cell::Share(share) => format!("{:.0}\u{202f}%", share * 100.0),
            // Browsers tell tenths of milliseconds.
            Cell::Millis(0.0) => "<\u{202f}0.1".into(),
            Cell::Millis(millis) if millis >= 10.0 => format!("{millis:.0}"),
            Cell::Millis(millis) => format!("{millis:.2}"),
            Cell::Yes(true) => speech.word("compare.yes"),
            Cell::Yes(false) => speech.word("compare.no"),
            Cell::Unknown => "–".into(),
        }
    }

    /// For programs: bytes, counts, quotients with six digits; empty where nothing is known.
    pub fn plain(self) -> String {
        match self {
            Cell::Bytes(value) | Cell::Count(value) => value.to_string(),
            Cell::Ratio(value) | Cell::Share(value) => format!("{value:.6}"),
            Cell::Millis(value) => format!("{value:.3}"),
            Cell::Yes(yes) => yes.to_string(),
            Cell::Unknown => String::new(),
        }
    }
}

fn count(value: Option<u64>) -> Cell {
    value.map_or(Cell::Unknown, Cell::Count)
}

fn pair(pair: Option<(u32, u32)>, after: bool) -> Cell {
    count(pair.map(|pair| if after { pair.1 } else { pair.0 } as u64))
}

const fn field(key: &'static str, best: Option<Best>, of: fn(&Measurement) -> Cell) -> Field {
    Field { key, best, of }
}

const LEAST: Option<Best> = Some(Best::Least);
const MOST: Option<Best> = Some(Best::Most);

/// All figures, in the order in which they are shown.
pub static FIELDS: [Field; 25] = [
    field("peak", LEAST, |m| Cell::Bytes(m.figures.metrics.peak)),
    field("lower_bound", None, |m| Cell::Bytes(m.figures.metrics.lower_bound)),
    field("ratio", LEAST, |m| m.figures.metrics.ratio.map_or(Cell::Unknown, Cell::Ratio)),
    field("waste", LEAST, |m| Cell::Bytes(m.figures.metrics.waste)),
    field("padding", LEAST, |m| Cell::Bytes(m.figures.padding)),
    field("internal", LEAST, |m| Cell::Bytes(m.figures.internal)),
    field("external", LEAST, |m| Cell::Bytes(m.figures.external)),
    field("utilisation", MOST, |m| m.figures.utilisation.map_or(Cell::Unknown, Cell::Share)),
    field("fragmentation", LEAST, |m| m.figures.worst.map_or(Cell::Unknown, |worst| Cell::Share(worst.share()))),
    field("fragmentation_step", None, |m| count(m.figures.worst.map(|worst| worst.step as u64))),
    field("peak_fragmentation", LEAST, |m| m.figures.at_peak.map_or(Cell::Unknown, |here| Cell::Share(here.share()))),
    field("pools", None, |m| Cell::Count(m.figures.metrics.pools)),
    field("slots", None, |m| Cell::Count(m.figures.slots)),
    field("placed", None, |m| Cell::Count(m.figures.metrics.placed)),
    field("left_out", None, |m| Cell::Count(m.figures.metrics.buffers - m.figures.metrics.placed)),
    field("reuses", None, |m| Cell::Count(m.figures.metrics.reuses)),
    field("reused", None, |m| match m.figures.metrics.unshared {
        0 => Cell::Unknown,
        bytes => Cell::Share(m.figures.reused as f64 / bytes as f64),
    }),
    field("dependencies", LEAST, |m| count(m.figures.dependencies)),
    field("longest_before", None, |m| pair(m.figures.longest, false)),
    field("longest_after", LEAST, |m| pair(m.figures.longest, true)),
    field("width_before", None, |m| pair(m.figures.width, false)),
    field("width_after", MOST, |m| pair(m.figures.width, true)),
    field("time", None, |m| m.millis.map_or(Cell::Unknown, Cell::Millis)),
    field("frames", None, |m| Cell::Count(m.frames as u64)),
    field("valid", None, |m| Cell::Yes(m.figures.broken == 0)),
];

impl Field {
    /// The figure with this key.
    pub fn named(key: &str) -> Option<&'static Field> {
        FIELDS.iter().find(|field| field.key == key)
    }

    /// The figure of a plan. What plans are compared by is no figure of one that breaks rules.
    pub fn cell(&self, found: &Measurement) -> Cell {
        if self.best.is_some() && found.figures.broken > 0 { Cell::Unknown } else { (self.of)(found) }
    }

    /// Which of some measurements are best by this figure; none if all are equal or nothing is better.
    pub fn best_of(&self, found: &[Option<&Measurement>]) -> Vec<bool> {
        // A plan in which live buffers share bytes wins nothing.
        let value = |m: &&Measurement| self.cell(m).number().filter(|_| m.figures.is_sound());
        let values: Vec<Option<f64>> = found.iter().map(|m| m.as_ref().and_then(value)).collect();
        let known = || values.iter().flatten().copied();
        let (least, most) = (known().fold(f64::INFINITY, f64::min), known().fold(f64::NEG_INFINITY, f64::max));
        let wanted = match self.best {
            _ if least >= most => None,
            Some(Best::Least) => Some(least),
            Some(Best::Most) => Some(most),
            None => None,
        };
        values.into_iter().map(|value| value.is_some() && value == wanted).collect()
    }
}
