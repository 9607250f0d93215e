//! Which owner used each byte of an address space last.

use std::collections::BTreeMap;

/// Bytes `[start, end)` with their owner.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Owned<T> {
    /// First byte.
    pub start: u64,
    /// Byte after the last.
    pub end: u64,
    /// Who took these bytes last.
    pub owner: T,
}

/// Spans that do not overlap, each with its owner. Taking bytes ends the ownership of their
/// previous owners.
#[derive(Clone, Debug)]
pub struct Owners<T> {
    spans: BTreeMap<u64, (u64, T)>,
}

impl<T> Default for Owners<T> {
    fn default() -> Self {
        Owners { spans: BTreeMap::new() }
    }
}

impl<T: Copy> Owners<T> {
    /// Gives `[start, end)` to `owner` and returns the parts that had owners before, in address
    /// order. An empty range changes nothing.
    pub fn take(&mut self, start: u64, end: u64, owner: T) -> Vec<Owned<T>> {
        if start >= end {
            return Vec::new();
        }
        let before = self.spans.range(..start).next_back().filter(|(_, (to, _))| *to > start);
        let first = before.map_or(start, |(&from, _)| from);
        let met: Vec<(u64, u64, T)> = self.spans.range(first..end).map(|(&from, &(to, old))| (from, to, old)).collect();
        for &(from, to, old) in &met {
            self.spans.remove(&from);
            if from < start {
                self.spans.insert(from, (start, old));
            }
            if to > end {
                self.spans.insert(end, (to, old));
            }
        }
        self.spans.insert(start, (end, owner));
        met.into_iter().map(|(from, to, owner)| Owned { start: from.max(start), end: to.min(end), owner }).collect()
    }

    /// All spans in address order.
    pub fn iter(&self) -> impl Iterator<Item = Owned<T>> + '_ {
        self.spans.iter().map(|(&start, &(end, owner))| Owned { start, end, owner })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(owners: &Owners<char>) -> Vec<(u64, u64, char)> {
        owners.iter().map(|span| (span.start, span.end, span.owner)).collect()
    }

    #[test]
    fn taking_bytes_cuts_what_lay_there() {
        let mut owners = Owners::default();
        assert_eq!(owners.take(0, 10, 'a'), []);
        assert_eq!(owners.take(3, 5, 'b'), [Owned { start: 3, end: 5, owner: 'a' }]);
        assert_eq!(spans(&owners), [(0, 3, 'a'), (3, 5, 'b'), (5, 10, 'a')]);
        let had = [(2, 3, 'a'), (3, 5, 'b'), (5, 6, 'a')].map(|(start, end, owner)| Owned { start, end, owner });
        assert_eq!(owners.take(2, 6, 'c'), had);
        assert_eq!(owners.take(20, 20, 'd'), []);
        assert_eq!(owners.take(10, 12, 'e'), []);
        assert_eq!(spans(&owners), [(0, 2, 'a'), (2, 6, 'c'), (6, 10, 'a'), (10, 12, 'e')]);
    }
}
