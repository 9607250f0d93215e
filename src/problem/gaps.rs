//! Parts of a life in which a buffer, or all of it but a window of its bytes, is unused.

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

impl Buffer {
    /// The life as spans of equal use in order of time, without those in which no byte is used. Where gaps meet, a byte must
    /// be in the windows of all of them to stay in use.
    pub fn spans(&self) -> Vec<Span> {
        let whole = Span { live: self.live, low: 0, high: self.size };
        if self.gaps.is_empty() {
            return vec![whole];
        }
        let inside = |step: &u32| self.live.start < *step && *step < self.live.end;
        let mut borders: Vec<u32> =
            self.gaps.iter().flat_map(|gap| [gap.live.start, gap.live.end]).filter(inside).collect();
        borders.extend([self.live.start, self.live.end]);
        borders.sort_unstable();
        borders.dedup();
        let mut spans: Vec<Span> = Vec::new();
        for (&start, &end) in borders.iter().zip(borders.iter().skip(1)) {
            let held = self.gaps.iter().filter(|gap| gap.live.contains(start));
            let windows = held.map(|gap| gap.window.unwrap_or((0, 0)));
            let (low, high) = windows.fold((0, self.size), |(low, high), (from, to)| (low.max(from), high.min(to)));
            match spans.last_mut() {
                _ if low >= high => {}
                Some(last) if last.live.end == start && (last.low, last.high) == (low, high) => last.live.end = end,
                _ => spans.push(Span { live: Live::new(start, end), low, high }),
            }
        }
        spans
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Kind;
    use crate::problem::MemoryId;

    /// First step, first step after, window.
    type Drawn = (u32, u32, Option<(u64, u64)>);

    fn spans(gaps: &[Drawn]) -> Vec<(u32, u32, u64, u64)> {
        let gap = |&(start, end, window): &Drawn| Gap { live: Live::new(start, end), window };
        let buffer = Buffer {
            name: "b".into(),
            size: 8,
            live: Live::new(2, 10),
            align: 1,
            memory: MemoryId(0),
            kind: Kind::Intermediate,
            fixed: None,
            gaps: gaps.iter().map(gap).collect(),
            tensors: vec![],
        };
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
