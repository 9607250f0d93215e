//! Parts of a life in which a buffer, or all of it but a window of its bytes, is unused.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::{Buffer, Live};

/// A hole in the life of a [`Buffer`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Gap {
    /// Steps in which it holds, inside the life of the buffer.
    pub live: Live,
    /// Bytes `[low, high)` of the buffer that stay in use; none = no byte does.
    pub window: Option<(u64, u64)>,
}

/// Steps in which the same bytes `[low, high)` of a buffer are in use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    /// The steps.
    pub live: Live,
    /// First byte in use.
    pub low: u64,
    /// Byte after the last in use.
    pub high: u64,
}

/// A step, and the window of a gap that begins there or ends; none at the end of the life.
type Border = (u32, Option<(bool, u64, u64)>);

/// Numbers with how often each is there.
type Counted = BTreeMap<u64, u64>;

/// Adds a number or takes it out.
fn count(numbers: &mut Counted, number: u64, adds: bool) {
    let count = numbers.entry(number).or_insert(0);
    *count = if adds { *count + 1 } else { count.saturating_sub(1) };
    if *count == 0 {
        numbers.remove(&number);
    }
}

impl Buffer {
    /// The life as spans of equal use in order of time, without those in which no byte is used.
    /// Where gaps meet, a byte must be in the windows of all of them to stay in use.
    pub fn spans(&self) -> Vec<Span> {
        let whole = Span { live: self.live, low: 0, high: self.size };
        if self.gaps.is_empty() {
            return vec![whole];
        }
        // Every step at which a gap begins or ends, inside the life; a life of many gaps is gone
        // through once.
        let mut borders: Vec<Border> = vec![(self.live.end, None)];
        for gap in &self.gaps {
            let (low, high) = gap.window.unwrap_or((0, 0));
            let (start, end) = (gap.live.start.max(self.live.start), gap.live.end.min(self.live.end));
            if start < end {
                borders.extend([(start, Some((true, low, high))), (end, Some((false, low, high)))]);
            }
        }
        borders.sort_by_key(|(step, _)| *step);
        // Windows of the gaps that hold, each bound with its number.
        let (mut lows, mut highs) = (Counted::new(), Counted::new());
        let mut spans: Vec<Span> = Vec::new();
        let mut start = self.live.start;
        for (end, change) in borders {
            if start < end {
                let low = lows.last_key_value().map_or(0, |(low, _)| *low);
                let high = highs.first_key_value().map_or(self.size, |(high, _)| self.size.min(*high));
                match spans.last_mut() {
                    _ if low >= high => {}
                    Some(last) if last.live.end == start && (last.low, last.high) == (low, high) => last.live.end = end,
                    _ => spans.push(Span { live: Live::new(start, end), low, high }),
                }
                start = end;
            }
            if let Some((begins, low, high)) = change {
                count(&mut lows, low, begins);
                count(&mut highs, high, begins);
            }
        }
        spans
    }

    /// The bytes in use at a step, from the first byte of the buffer; an empty range if none is.
    pub fn used_at(&self, step: u32) -> Range<u64> {
        if !self.live.contains(step) {
            return 0..0;
        }
        if self.gaps.is_empty() {
            return 0..self.size;
        }
        let spans = self.spans();
        spans.iter().find(|span| span.live.contains(step)).map_or(0..0, |span| span.low..span.high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// First step, first step after, window.
    type Drawn = (u32, u32, Option<(u64, u64)>);

    fn spans(gaps: &[Drawn]) -> Vec<(u32, u32, u64, u64)> {
        let gap = |&(start, end, window): &Drawn| Gap { live: Live::new(start, end), window };
        let buffer = Buffer { gaps: gaps.iter().map(gap).collect(), ..Buffer::of("b", 8, Live::new(2, 10)) };
        buffer.spans().into_iter().map(|span| (span.live.start, span.live.end, span.low, span.high)).collect()
    }

    #[test]
    fn gaps_cut_a_life_into_spans() {
        assert_eq!(spans(&[]), [(2, 10, 0, 8)]);
        assert_eq!(spans(&[(4, 6, None)]), [(2, 4, 0, 8), (6, 10, 0, 8)]);
        assert_eq!(spans(&[(8, 10, Some((2, 4))), (2, 3, None)]), [(3, 8, 0, 8), (8, 10, 2, 4)]);
        assert_eq!(spans(&[(4, 6, Some((0, 8)))]), [(2, 10, 0, 8)]);
        assert_eq!(spans(&[(2, 10, None)]), []);
    }

    #[test]
    fn where_gaps_meet_both_windows_hold() {
        let gaps = [(3, 7, Some((0, 4))), (5, 9, Some((2, 8)))];
        assert_eq!(spans(&gaps), [(2, 3, 0, 8), (3, 5, 0, 4), (5, 7, 2, 4), (7, 9, 2, 8), (9, 10, 0, 8)]);
        assert_eq!(spans(&[(3, 7, Some((0, 4))), (3, 7, Some((4, 8)))]), [(2, 3, 0, 8), (7, 10, 0, 8)]);
    }
}
