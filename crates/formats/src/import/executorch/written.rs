//! What was last written at each place of a program's memories.

use std::collections::{BTreeMap, BTreeSet};

use super::calls::{Form, Named};

/// Instructions from the first to before the second.
pub type Region = (usize, usize);

/// What has been written where, in the order of the instructions.
#[derive(Debug, Default)]
pub struct Written {
    /// By memory and offset: the numbers of the instructions, each with the value that it wrote.
    at: BTreeMap<(u32, u64), Vec<(usize, usize)>>,
    /// Values that have been read since they were written.
    read: BTreeSet<usize>,
    /// Instructions that are not run if the current one is, in order.
    left_out: Vec<Region>,
}

impl Written {
    /// Instruction `number` has written `value`.
    pub fn push(&mut self, place: (u32, u64), number: usize, value: usize) {
        self.read.remove(&value);
        self.at.entry(place).or_default().push((number, value));
    }

    /// The value was read.
    pub fn read(&mut self, value: usize) {
        self.read.insert(value);
    }

    /// Whether the value has been read since it was written.
    pub fn is_read(&self, value: usize) -> bool {
        self.read.contains(&value)
    }

    /// What these instructions have written does not count.
    pub fn leave_out(&mut self, regions: &[Region]) {
        if self.left_out != regions {
            self.left_out = regions.to_vec();
        }
    }

    /// The value that was last written at a place.
    pub fn last(&self, place: (u32, u64)) -> Option<usize> {
        let mut writes = &self.at.get(&place)?[..];
        // From the last region to the first: each cuts off at most its own writes.
        for &(start, end) in self.left_out.iter().rev() {
            let &(number, _) = writes.last()?;
            if (start..end).contains(&number) {
                writes = &writes[..writes.partition_point(|(number, _)| *number < start)];
            }
        }
        writes.last().map(|&(_, value)| value)
    }
}

/// Two branches of which one runs: instructions of the first and of the second.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Fork {
    then: Region,
    otherwise: Region,
}

/// Which instructions are not run if another one is.
#[derive(Debug)]
pub struct Regions {
    forks: Vec<Fork>,
    next: usize,
    /// Forks whose second branch the walk is in, from outside to inside.
    inside: Vec<Fork>,
    excluded: Vec<Region>,
}

/// Branches inside branches that are told apart. Deeper ones count as if they all ran.
const MOST_NESTED: usize = 64;

impl Regions {
    /// Finds the forks of a program: a jump over instructions of which the last one jumps on,
    /// always.
    pub fn of(named: &[Named]) -> Regions {
        let mut forks: Vec<Fork> = Vec::new();
        for (at, jump) in named.iter().enumerate() {
            let Form::Jump { to, .. } = jump.form else { continue };
            if to <= at + 1 || to > named.len() {
                continue;
            }
            if let Form::Jump { to: end, always: true } = named[to - 1].form
                && end >= to
                && end <= named.len()
            {
                forks.push(Fork { then: (at, to), otherwise: (to, end) });
            }
        }
        forks.sort_by_key(|fork| fork.otherwise.0);
        Regions { forks, next: 0, inside: Vec::new(), excluded: Vec::new() }
    }

    /// The instructions that are not run if this one is, as far as they come before it. To be asked
    /// in the order of the instructions.
    pub fn excluded(&mut self, number: usize) -> &[Region] {
        let before = self.inside.len();
        self.inside.retain(|fork| number < fork.otherwise.1);
        let mut changed = self.inside.len() != before;
        while let Some(fork) = self.forks.get(self.next).filter(|fork| fork.otherwise.0 <= number) {
            if number < fork.otherwise.1 && self.inside.len() < MOST_NESTED {
                self.inside.push(*fork);
                changed = true;
            }
            self.next += 1;
        }
        if changed {
            self.excluded = self.inside.iter().map(|fork| fork.then).collect();
            self.excluded.sort_unstable();
        }
        &self.excluded
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_write_that_can_have_happened_counts() {
        let mut written = Written::default();
        for (number, value) in [(0, 10), (2, 11), (5, 12)] {
            written.push((1, 64), number, value);
        }
        assert_eq!((written.last((1, 64)), written.last((1, 0))), (Some(12), None));
        written.leave_out(&[(1, 3), (4, 7)]);
        assert_eq!(written.last((1, 64)), Some(10));
        written.leave_out(&[(0, 9)]);
        assert_eq!(written.last((1, 64)), None);
        written.read(12);
        assert!(written.is_read(12) && !written.is_read(11));
        written.push((1, 0), 8, 12);
        assert!(!written.is_read(12), "what was written anew has not been read");
    }
}
