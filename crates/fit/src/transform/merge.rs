//! Outputs that take over the storage of inputs, and what that means for concatenations in parts.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::net::{Merged, Net};

/// A pair `(input, output)` of storages that may become one.
type Pair = (usize, usize);

/// A pair of an operator that may become one storage.
struct Edge {
    input: usize,
    output: usize,
    /// The storage that the input became part of.
    from: usize,
    /// The concatenation in parts that stands in the way.
    clash: Option<usize>,
    /// Whether a part of the input is read again, so that the two are one only if the concatenation
    /// copies.
    outlives: bool,
}

/// Pairs of one operator in which no input and no output comes twice, and whose outputs have the
/// most bytes together. Where an output has a choice, that is the first of the list as far as the
/// others leave it.
pub fn largest_matching(pairs: &[Pair], bytes: &dyn Fn(usize) -> u64) -> Vec<Pair> {
    let mut outputs: Vec<usize> = pairs.iter().map(|&(_, output)| output).collect();
    outputs.sort_unstable();
    outputs.dedup();
    outputs.sort_by_key(|&output| std::cmp::Reverse(bytes(output)));
    let mut inputs: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    pairs.iter().for_each(|&(input, output)| inputs.entry(output).or_default().push(input));
    let (mut given, mut taken) = (BTreeMap::new(), BTreeMap::new());
    for output in outputs {
        // Outputs that have an input may take another one, so that this one gets it.
        let mut asked: BTreeMap<usize, usize> = BTreeMap::new();
        let mut open = VecDeque::from([output]);
        let mut free = None;
        while let (None, Some(asking)) = (free, open.pop_front()) {
            for &input in &inputs[&asking] {
                if asked.contains_key(&input) {
                    continue;
                }
                asked.insert(input, asking);
                match given.get(&input) {
                    Some(&owner) => open.push_back(owner),
                    None => {
                        free = Some(input);
                        break;
                    }
                }
            }
        }
        while let Some(input) = free {
            let owner = asked[&input];
            given.insert(input, owner);
            free = taken.insert(owner, input);
        }
    }
    given.into_iter().collect()
}

impl Net {
    /// Storages as they are.
    pub fn plain(&self) -> Merged {
        let find = (0..self.bytes.len()).collect();
        let life = self.life.clone();
        let (pairs, load, clashes) = (Vec::new(), Vec::new(), Vec::new());
        let mut merged = Merged { find, life, pairs, load, clashes, overwrites: false };
        merged.load = self.load(&merged);
        merged.clashes = self.apart(&merged);
        merged
    }

    /// Merges pairs that are permitted: the operator is the last to use the input, the sizes are
    /// equal, and the input is neither the caller's nor kept. Of each operator as many bytes as
    /// possible are merged.
    pub fn merged(&self) -> Merged {
        let mut merged = self.merge(false);
        merged.clashes.extend(self.apart(&merged));
        merged.clashes.sort_unstable();
        merged.clashes.dedup();
        merged
    }

    /// Loads that no choice of concatenations in parts is below: pairs that some choice permits
    /// count as merged.
    pub fn relaxed(&self, merges: bool) -> Merged {
        if merges { self.merge(true) } else { self.plain() }
    }

    fn merge(&self, is_relaxed: bool) -> Merged {
        let mut merged = Merged { overwrites: true, ..self.plain() };
        merged.clashes.clear();
        // Whether a storage, or what became one with it, is a part of a concatenation.
        let mut is_part: Vec<bool> = self.part_of.iter().map(Option::is_some).collect();
        // Of a concatenation in parts and what took it over the step after the last use by that
        // name.
        let mut own_end = self.own_end.clone();
        for step in 0..self.ops.len() {
            if is_relaxed {
                self.loosen(&mut merged, step);
            }
            let edges = self.edges(&merged, step, (&is_part, &own_end));
            let open = edges.iter().filter(|edge| is_relaxed || edge.clash.is_none());
            let open: Vec<Pair> = open.map(|edge| (edge.from, edge.output)).collect();
            let mut chosen: BTreeSet<Pair> =
                largest_matching(&open, &|output| self.bytes[output]).into_iter().collect();
            let lying: BTreeSet<usize> = chosen.iter().map(|&(_, output)| output).collect();
            let apart = edges.iter().filter(|edge| !lying.contains(&edge.output));
            merged.clashes.extend(apart.filter_map(|edge| edge.clash));
            let mut given = BTreeSet::new();
            for edge in edges.iter().filter(|edge| chosen.remove(&(edge.from, edge.output))) {
                let holders = self.holders(&merged, edge.input);
                // A concatenation and a part of it are the same bytes.
                let is_given = holders.iter().any(|holder| !given.insert(*holder));
                if is_given && !is_relaxed {
                    continue;
                }
                if is_given || edge.outlives {
                    self.start_later(&mut merged, step, edge.output);
                    continue;
                }
                let end = merged.life[edge.output].1;
                for holder in holders {
                    merged.life[holder].1 = merged.life[holder].1.max(end);
                }
                is_part[edge.from] |= self.part_of[edge.output].is_some();
                own_end[edge.from] = own_end[edge.from].max(self.own_end[edge.output]);
                merged.life[edge.output] = (0, 0);
                merged.find[edge.output] = edge.from;
                merged.pairs.push((step, edge.input, edge.output));
            }
        }
        merged.load = self.load(&merged);
        merged
    }

    /// An output that lies on an input in some choice: at the operator that makes it, it needs no
    /// bytes besides.
    fn start_later(&self, merged: &mut Merged, step: usize, output: usize) {
        merged.life[output].0 = (step + 1).min(merged.life[output].1);
    }

    fn loosen(&self, merged: &mut Merged, step: usize) {
        for &made in self.ops[step].makes.iter().filter(|made| self.loose.contains(made)) {
            self.start_later(merged, step, made);
        }
    }

    /// The pairs of an operator that may become one storage by what was merged before it.
    fn edges(&self, merged: &Merged, step: usize, (is_part, own_end): (&[bool], &[usize])) -> Vec<Edge> {
        let edge = |&(input, output): &Pair| {
            let from = merged.find[input];
            if merged.find[output] != output || self.bytes[output] == 0 || merged.life[output].0 > step {
                return None;
            }
            let refusal = self.refusal(merged, step, (input, output));
            // Without parts, the last reader of the copy could take it over although a part of it
            // is read again.
            let outlives = refusal == Some("fit.refused-later")
                && !self.parts[from].is_empty()
                && own_end[from] == step + 1
                && !self.kept[from]
                && self.size(from) == self.bytes[output];
            if refusal.is_some() && !outlives {
                return None;
            }
            // One storage cannot lie in two concatenations, nor be larger than its range.
            let is_whole = !self.parts[from].is_empty();
            let clash = match self.part_of[output] {
                _ if outlives => Some(from),
                Some(part) if is_whole || is_part[from] || self.bytes[from] != self.bytes[output] => Some(part),
                _ => None,
            };
            Some(Edge { input, output, from, clash, outlives })
        };
        self.ops[step].pairs.iter().filter_map(edge).collect()
    }

    /// Why a pair may not become one storage, as a key.
    pub fn refusal(&self, merged: &Merged, step: usize, (input, output): Pair) -> Option<&'static str> {
        let holders = self.holders(merged, input);
        let bytes = self.sum(holders.iter().copied());
        if holders.iter().any(|&holder| self.input[holder]) {
            Some("fit.refused-input")
        } else if self.kept[input] || holders.iter().any(|&holder| self.kept[holder]) {
            Some("fit.refused-kept")
        } else if holders.iter().any(|&holder| merged.life[holder].1 != step + 1) {
            Some("fit.refused-later")
        } else if bytes != self.bytes[output] {
            Some("fit.refused-size")
        } else {
            None
        }
    }

    /// Concatenations whose living parts are not side by side at every step: the bytes between them
    /// are in use, too.
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
            // Between two that are alive, the one that is not has been born later than some on both
            // sides, or is gone earlier.
            (1..lives.len().max(1) - 1)
                .any(|at| before[at].0.max(after[at].0) < lives[at].0 || before[at].1.min(after[at].1) > lives[at].1)
        };
        (0..self.parts.len()).filter(|&whole| has_hole(&self.parts[whole])).collect()
    }
}
