//! The figures of a plan: key, value, and which way is better. Names and exact definitions are in
//! the locale files under `figure.<key>` and `figure.<key>.is`.

use super::Measurement;
use memplan_core::base::{Sizes, exact};
use memplan_core::text::Speech;

/// The value of a figure for one plan.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum FigureValue {
    /// Bytes.
    Bytes(u64),
    /// A number of things.
    Count(u64),
    /// A quotient, such as 1.06.
    Ratio(f64),
    /// A part of a whole, 0 to 1.
    Share(f64),
    /// Milliseconds.
    Millis(f64),
    /// Yes or no.
    Yes(bool),
    /// Not known for this plan.
    Unknown,
}

/// Which values of a figure are better.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Better {
    /// Low ones.
    Least,
    /// High ones.
    Most,
}

/// A figure: a row of the page's table, a column of exported ones.
pub struct Figure {
    /// Key of the figure in locale files and exported tables.
    pub key: &'static str,
    /// None if neither way is better.
    pub better: Option<Better>,
    of: fn(&Measurement) -> FigureValue,
}

impl FigureValue {
    /// Returns the value to compare by; none if unknown.
    pub fn number(self) -> Option<f64> {
        match self {
            FigureValue::Bytes(value) | FigureValue::Count(value) => Some(value as f64),
            FigureValue::Ratio(value) | FigureValue::Share(value) | FigureValue::Millis(value) => Some(value),
            FigureValue::Yes(yes) => Some(yes as u8 as f64),
            FigureValue::Unknown => None,
        }
    }

    /// Returns the value for people; bytes in the unit that suits them.
    pub fn words(self, speech: Speech) -> String {
        match self {
            FigureValue::Bytes(bytes) => speech.bytes(bytes),
            FigureValue::Count(count) => exact(count),
            FigureValue::Ratio(ratio) => format!("{ratio:.2}"),
            FigureValue::Share(share) => format!("{:.0}\u{202f}%", share * 100.0),
            // Clocks of browsers have a resolution of 0.1 ms.
            FigureValue::Millis(0.0) => "<\u{202f}0.1".into(),
            FigureValue::Millis(millis) if millis >= 10.0 => format!("{millis:.0}"),
            FigureValue::Millis(millis) => format!("{millis:.2}"),
            FigureValue::Yes(true) => speech.word("compare.yes"),
            FigureValue::Yes(false) => speech.word("compare.no"),
            FigureValue::Unknown => "–".into(),
        }
    }

    /// Returns all bytes of a size, which its words may round.
    pub fn exact(self) -> Option<String> {
        match self {
            FigureValue::Bytes(bytes) => Some(Sizes::Exact.words(bytes)),
            _ => None,
        }
    }

    /// Returns the value for programs: bytes, counts, quotients with six digits; empty if unknown.
    pub fn plain(self) -> String {
        match self {
            FigureValue::Bytes(value) | FigureValue::Count(value) => value.to_string(),
            FigureValue::Ratio(value) | FigureValue::Share(value) => format!("{value:.6}"),
            FigureValue::Millis(value) => format!("{value:.3}"),
            FigureValue::Yes(yes) => yes.to_string(),
            FigureValue::Unknown => String::new(),
        }
    }
}

/// Returns a count that may be unknown.
fn count(value: Option<u64>) -> FigureValue {
    value.map_or(FigureValue::Unknown, FigureValue::Count)
}

/// Returns one of a pair of counts that may be unknown.
fn pair(pair: Option<(u32, u32)>, after: bool) -> FigureValue {
    count(pair.map(|pair| if after { pair.1 } else { pair.0 } as u64))
}

const fn figure(key: &'static str, better: Option<Better>, of: fn(&Measurement) -> FigureValue) -> Figure {
    Figure { key, better, of }
}

const LEAST: Option<Better> = Some(Better::Least);
const MOST: Option<Better> = Some(Better::Most);

/// All figures, in the order in which programs read them: new ones come last.
pub static FIGURES: [Figure; 27] = [
    figure("peak", LEAST, |m| FigureValue::Bytes(m.figures.metrics.peak)),
    figure("lower_bound", None, |m| FigureValue::Bytes(m.figures.metrics.lower_bound)),
    figure("ratio", LEAST, |m| m.figures.metrics.ratio.map_or(FigureValue::Unknown, FigureValue::Ratio)),
    figure("waste", LEAST, |m| FigureValue::Bytes(m.figures.metrics.waste)),
    figure("padding", LEAST, |m| FigureValue::Bytes(m.figures.padding)),
    figure("internal", LEAST, |m| FigureValue::Bytes(m.figures.internal)),
    figure("external", LEAST, |m| FigureValue::Bytes(m.figures.external)),
    figure("utilisation", MOST, |m| m.figures.utilisation.map_or(FigureValue::Unknown, FigureValue::Share)),
    figure("fragmentation", LEAST, |m| {
        m.figures.worst.map_or(FigureValue::Unknown, |worst| FigureValue::Share(worst.share()))
    }),
    figure("fragmentation_step", None, |m| count(m.figures.worst.map(|worst| worst.step as u64))),
    figure("peak_fragmentation", LEAST, |m| {
        m.figures.at_peak.map_or(FigureValue::Unknown, |here| FigureValue::Share(here.share()))
    }),
    figure("pools", None, |m| FigureValue::Count(m.figures.metrics.pools)),
    figure("slots", None, |m| FigureValue::Count(m.figures.slots)),
    figure("placed", None, |m| FigureValue::Count(m.figures.metrics.placed)),
    figure("left_out", None, |m| FigureValue::Count(m.figures.metrics.left_out())),
    figure("reuses", None, |m| FigureValue::Count(m.figures.metrics.reuses)),
    figure("reused", None, |m| match m.figures.metrics.unshared {
        0 => FigureValue::Unknown,
        bytes => FigureValue::Share(m.figures.reused as f64 / bytes as f64),
    }),
    figure("dependencies", LEAST, |m| count(m.figures.dependencies)),
    figure("longest_before", None, |m| pair(m.figures.longest, false)),
    figure("longest_after", LEAST, |m| pair(m.figures.longest, true)),
    figure("width_before", None, |m| pair(m.figures.width, false)),
    figure("width_after", MOST, |m| pair(m.figures.width, true)),
    figure("time", None, |m| m.millis.map_or(FigureValue::Unknown, FigureValue::Millis)),
    figure("frames", None, |m| FigureValue::Count(m.frames as u64)),
    figure("valid", None, |m| match m.figures.broken {
        0 => FigureValue::Yes(true),
        // It is the reading that is not valid.
        _ if m.figures.misread => FigureValue::Unknown,
        _ => FigureValue::Yes(false),
    }),
    figure("bound", None, |m| FigureValue::Bytes(m.figures.metrics.bound())),
    figure("held", LEAST, |m| m.figures.metrics.held.map_or(FigureValue::Unknown, FigureValue::Bytes)),
];

/// Figures that tables for people list behind another one.
const BESIDE: [(&str, &str); 2] = [("held", "peak"), ("bound", "lower_bound")];

/// Returns all figures as tables for people list them: the most bytes held at once beside the peak,
/// and the bound of the plan beside that of everything asked for.
pub fn in_tables() -> impl Iterator<Item = &'static Figure> {
    let is_moved = |figure: &&Figure| BESIDE.iter().any(|(key, _)| *key == figure.key);
    let others = FIGURES.iter().filter(move |figure| !is_moved(figure));
    others.flat_map(|figure| {
        let beside = BESIDE.iter().filter(move |(_, before)| *before == figure.key);
        std::iter::once(figure).chain(beside.filter_map(|(key, _)| Figure::named(key)))
    })
}

impl Figure {
    /// Returns the figure with this key.
    pub fn named(key: &str) -> Option<&'static Figure> {
        FIGURES.iter().find(|figure| figure.key == key)
    }

    /// Returns the value for a plan. A plan that breaks rules has no value of figures that plans
    /// are compared by.
    pub fn value(&self, found: &Measurement) -> FigureValue {
        if self.better.is_some() && found.figures.broken > 0 { FigureValue::Unknown } else { (self.of)(found) }
    }

    /// Returns which of some plans are best by this figure; none if all are equal or neither way is
    /// better.
    pub fn best_of(&self, found: &[Option<&Measurement>]) -> Vec<bool> {
        // A plan in which live buffers share bytes, or that leaves some out, is never the best.
        let value = |m: &&Measurement| self.value(m).number().filter(|_| m.figures.can_be_best());
        let values: Vec<Option<f64>> = found.iter().map(|m| m.as_ref().and_then(value)).collect();
        let known = || values.iter().flatten().copied();
        let (least, most) = (known().fold(f64::INFINITY, f64::min), known().fold(f64::NEG_INFINITY, f64::max));
        let wanted = match self.better {
            _ if least >= most => None,
            Some(Better::Least) => Some(least),
            Some(Better::Most) => Some(most),
            None => None,
        };
        values.into_iter().map(|value| value.is_some() && value == wanted).collect()
    }
}
