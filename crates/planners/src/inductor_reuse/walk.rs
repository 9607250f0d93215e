//! The walk over the wrapper lines: which allocation becomes a takeover of a freed buffer.
//!
//! From `PythonWrapperCodegen.memory_plan_reuse`, `AllocateLine.plan`, `FreeIfNotReusedLine.plan`
//! and `ReuseLine.plan` in `torch/_inductor/codegen/wrapper.py`.

use super::PeakEstimate;
use crate::wrapper_lines::Line;

/// What the walk has to know of a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Facts {
    /// Number of its key: buffers with equal numbers may take over each other's storage.
    pub key: u32,
    /// Size in bytes.
    pub bytes: u64,
    /// Fused away: its lines are deleted.
    pub removed: bool,
    /// Aliases an input or is a tuple of tensors: its free line stays and is never offered.
    pub bound: bool,
    /// Named by the compiler as freed but never reused.
    pub kept_apart: bool,
}

/// Settings of a walk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rules {
    /// `config.allow_buffer_reuse`.
    pub reuse: bool,
    /// Whether a takeover must not raise the estimated peak.
    pub peak_test: bool,
}

/// Why the newest free buffer of a key was taken or left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// Freed at the node just before: memory is not looked at.
    Adjacent,
    /// The highest estimate between, plus the bytes, is at most the peak.
    Fits {
        /// The highest estimate between, in bytes.
        between: u64,
    },
    /// It is above the peak.
    WouldRaise {
        /// The highest estimate between, in bytes.
        between: u64,
    },
    /// The test is switched off.
    Untested,
    /// Branches of the graph are to stay parallel.
    Parallel,
    /// Freed at the node of the allocation or after it: the range between is inverted, and the
    /// original stops with an error.
    Inverted,
}

/// The one candidate of an allocation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Asked {
    /// The free buffer looked at.
    pub candidate: usize,
    /// Node of its free line.
    pub free_node: usize,
    /// Older free buffers of the same key, which are not looked at.
    pub older: usize,
    /// Why it was taken or refused.
    pub reason: Reason,
}

impl Asked {
    /// Whether the buffer was taken.
    pub fn is_taken(&self) -> bool {
        matches!(self.reason, Reason::Adjacent | Reason::Fits { .. } | Reason::Untested)
    }
}

/// A line that entered the map of free buffers.
#[derive(Clone, Copy, Debug)]
struct Freed {
    buffer: usize,
    node: usize,
    /// Its index in the result.
    line: usize,
}

/// The free buffers of each key, by its number.
type Stacks = Vec<Vec<Freed>>;

/// The state of a walk.
pub struct LineTraversal<'a> {
    facts: &'a [Facts],
    rules: Rules,
    /// Whether branches let two buffers share bytes.
    allow: &'a dyn Fn(usize, usize) -> bool,
    estimate: PeakEstimate,
    /// Estimates of the subgraphs, in the order in which they are entered.
    inner: std::vec::IntoIter<PeakEstimate>,
    stacks: Stacks,
    outer: Vec<(Stacks, PeakEstimate)>,
    after: Vec<Line>,
    taken: Vec<bool>,
}

/// Lines at the end that are cut before the walk: frees and the like after the last kernel, up to
/// one of a graph output.
pub fn tail(lines: &[Line], is_output: impl Fn(usize) -> bool) -> usize {
    let goes = |line: &&Line| line.is_memory_line() && !line.buffer().is_some_and(&is_output);
    lines.iter().rev().take_while(goes).count()
}

impl<'a> LineTraversal<'a> {
    /// A walk over buffers with these facts. `estimates` holds the one of the whole graph first,
    /// then one for each subgraph in the order of entry.
    pub fn new(
        facts: &'a [Facts],
        rules: Rules,
        estimates: Vec<PeakEstimate>,
        allow: &'a dyn Fn(usize, usize) -> bool,
    ) -> LineTraversal<'a> {
        let mut inner = estimates.into_iter();
        let estimate = inner.next().unwrap_or_default();
        let (stacks, outer, after, taken) = Default::default();
        LineTraversal { facts, rules, allow, estimate, inner, stacks, outer, after, taken }
    }

    /// Plans one line. Reports the candidate that an allocation had.
    pub fn step(&mut self, line: Line) -> Option<Asked> {
        let mut asked = None;
        let removed = |buffer: usize| self.facts[buffer].removed;
        let after = match line {
            Line::Alloc { buffer, .. } if removed(buffer) => Line::Null,
            Line::Reuse { old, .. } if removed(old) => Line::Null,
            Line::Free { buffer, .. } if removed(buffer) && !self.facts[buffer].bound => Line::Null,
            Line::Alloc { buffer, node } => {
                asked = self.allocate(buffer, node);
                match asked.filter(Asked::is_taken) {
                    Some(asked) => Line::Reuse { old: asked.candidate, new: buffer },
                    None => line,
                }
            }
            Line::Free { buffer, node } => {
                let facts = self.facts[buffer];
                if self.rules.reuse && !facts.bound && !facts.kept_apart {
                    let freed = Freed { buffer, node, line: self.after.len() };
                    let key = facts.key as usize;
                    self.stacks.resize_with(self.stacks.len().max(key + 1), Vec::new);
                    self.stacks[key].push(freed);
                }
                line
            }
            Line::EnterSubgraph => {
                let estimate = std::mem::replace(&mut self.estimate, self.inner.next().unwrap_or_default());
                self.outer.push((std::mem::take(&mut self.stacks), estimate));
                line
            }
            Line::ExitSubgraph => {
                // What was freed inside is forgotten with the body.
                if let Some((stacks, estimate)) = self.outer.pop() {
                    (self.stacks, self.estimate) = (stacks, estimate);
                }
                line
            }
            Line::Reuse { .. } | Line::View { .. } | Line::Null | Line::Other => line,
        };
        self.after.push(after);
        self.taken.push(false);
        asked
    }

    /// The estimate in force.
    pub fn estimate(&self) -> &PeakEstimate {
        &self.estimate
    }

    /// The newest free buffer of a key.
    pub fn newest(&self, key: u32) -> Option<usize> {
        self.stacks.get(key as usize)?.last().map(|freed| freed.buffer)
    }

    /// The lines so far, each with whether it is a free line whose storage was taken over.
    pub fn lines(&self) -> impl Iterator<Item = (Line, bool)> + '_ {
        self.after.iter().copied().zip(self.taken.iter().copied())
    }

    fn allocate(&mut self, buffer: usize, node: usize) -> Option<Asked> {
        let Facts { key, bytes, .. } = self.facts[buffer];
        let stack = self.stacks.get_mut(key as usize)?;
        // Only the newest is looked at; refused, it stays on top.
        let newest = *stack.last()?;
        let between = newest.node + 1..node;
        let reason = if !(self.allow)(newest.buffer, buffer) {
            Reason::Parallel
        } else if between.start == between.end {
            Reason::Adjacent
        } else if !self.rules.peak_test {
            Reason::Untested
        } else if between.start > between.end {
            Reason::Inverted
        } else {
            let between = self.estimate.highest_in(between.clone());
            let fits = between.saturating_add(bytes) <= self.estimate.peak();
            if fits { Reason::Fits { between } } else { Reason::WouldRaise { between } }
        };
        let asked = Asked { candidate: newest.buffer, free_node: newest.node, older: stack.len() - 1, reason };
        if asked.is_taken() {
            stack.pop();
            self.taken[newest.line] = true;
            self.estimate.add(between, bytes);
        }
        Some(asked)
    }
}
