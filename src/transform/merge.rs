//! Outputs that take over the storage of inputs, and what that means for concatenations in parts.

use super::net::{Merged, Net};

/// A pair `(input, output)` of storages that may become one.
type Pair = (usize, usize);

impl Net {
    /// Storages as they are.
    pub fn plain(&self) -> Merged {
        let find = (0..self.bytes.len()).collect();
        let life = self.life.clone();
        let mut merged = Merged { find, life, pairs: Vec::new(), load: Vec::new(), clashes: Vec::new() };
        merged.load = self.load(&merged);
        merged.clashes = self.apart(&merged);
        merged
    }

    /// Merges every pair that is permitted: the operator is the last to use the input, the sizes are equal, and the input is
    /// neither the caller's nor kept. Pairs are judged in the order of operators, and of an output's pairs the first does.
    pub fn merged(&self) -> Merged {
        let mut merged = self.merge(false);
        merged.clashes.extend(self.apart(&merged));
        merged.clashes.sort_unstable();
        merged.clashes.dedup();
        merged
    }

    /// Loads that no choice of concatenations in parts is below: pairs that some choice permits count as merged.
    pub fn relaxed(&self, merges: bool) -> Merged {
        if merges { self.merge(true) } else { self.plain() }
    }

    fn merge(&self, is_relaxed: bool) -> Merged {
        let mut merged = self.plain();
        merged.clashes.clear();
        let mut taken = vec![false; self.bytes.len()];
        // Whether a storage, or what became one with it, is a part of a concatenation.
        let mut is_part: Vec<bool> = self.part_of.iter().map(Option::is_some).collect();
        // Of a concatenation in parts and what took it over the step after the last use by that name.
        let mut own_end = self.own_end.clone();
        for (step, op) in self.ops.iter().enumerate() {
            for &(input, output) in &op.pairs {
                let (from, to) = (merged.find[input], merged.find[output]);
                if taken[output] || to != output || self.bytes[output] == 0 {
                    continue;
                }
                let refusal = self.refusal(&merged, step, (input, output));
                // Without parts, the last reader of the copy could take it over although a part of it is read again.
                let outlives = refusal == Some("fit.refused-later")
                    && !self.parts[from].is_empty()
                    && own_end[from] == step + 1
                    && !self.kept[from]
                    && self.size(from) == self.bytes[output];
                if refusal.is_some() && !outlives {
                    continue;
                }
                // One storage cannot lie in two concatenations, nor be larger than its range.
                let is_whole = !self.parts[from].is_empty();
                let clash = match self.part_of[output] {
                    _ if outlives => Some(from),
                    Some(part) if is_whole || is_part[from] || self.bytes[from] != self.bytes[output] => Some(part),
                    _ => None,
                };
                merged.clashes.extend(clash);
                if clash.is_some() && !is_relaxed {
                    continue;
                }
                taken[output] = true;
                if outlives {
                    merged.life[output].0 = (step + 1).min(merged.life[output].1);
                    continue;
                }
                let end = merged.life[output].1;
                for holder in self.holders(&merged, input) {
                    merged.life[holder].1 = merged.life[holder].1.max(end);
                }
                is_part[from] |= self.part_of[output].is_some();
                own_end[from] = own_end[from].max(self.own_end[output]);
                merged.life[output] = (0, 0);
                merged.find[output] = from;
                merged.pairs.push((step, input, output));
            }
        }
        merged.load = self.load(&merged);
        merged
    }

    /// Why a pair may not become one storage, as a key.
    pub fn refusal(&self, merged: &Merged, step: usize, (input, output): Pair) -> Option<&'static str> {
        let holders = self.holders(merged, input);
        let bytes: u64 = holders.iter().map(|&holder| self.bytes[holder]).sum();
        if holders.iter().any(|&holder| self.input[holder]) {
            Some("fit.refused-input")
        } else if self.kept[input] || holders.iter().any(|&holder| self.kept[holder]) {
            Some("fit.refused-kept")
        } else if holders.iter().any(|&holder| merged.life[holder].1 != step + 1) {
            Some("fit.refused-later")
        } else if !self.ops[step].fits(bytes, self.bytes[output]) {
            Some("fit.refused-size")
        } else {
            None
        }
    }

    /// Concatenations whose living parts are not side by side at every step: the bytes between them are in use, too.
    fn apart(&self, merged: &Merged) -> Vec<usize> {
        let has_hole = |parts: &Vec<usize>| {
            let lives: Vec<(usize, usize)> = parts.iter().map(|&part| merged.life[merged.find[part]]).collect();
            // Of those before each and of those after it, the least birth and the latest end.
            let beside = |lives: &mut dyn Iterator<Item = &(usize, usize)>| -> Vec<(usize, usize)> {
                let mut so_far = (usize::MAX, 0);
                let next = |&(start, end): &(usize, usize)| {
                    let before = so_far;
                    so_far = (so_far.0.min(start), so_far.1.max(end));
                    before
                };
                lives.map(next).collect()
            };
            let (before, mut after) = (beside(&mut lives.iter()), beside(&mut lives.iter().rev()));
            after.reverse();
            // Between two that are alive, the one that is not has been born later than some on both sides, or is gone earlier.
            (1..lives.len().max(1) - 1)
                .any(|at| before[at].0.max(after[at].0) < lives[at].0 || before[at].1.min(after[at].1) > lives[at].1)
        };
        (0..self.parts.len()).filter(|&whole| has_hole(&self.parts[whole])).collect()
    }
}
