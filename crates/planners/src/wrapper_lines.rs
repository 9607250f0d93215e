//! The wrapper lines that Inductor's code generation writes: what both of its planners read, and
//! how an ordinary graph is turned into them.
//!
//! From pytorch/pytorch 2.15.0 (d0f2af8b), `torch/_inductor/codegen/wrapper.py`, the subclasses of
//! `WrapperLine`.

use memplan_core::base::Id;
use memplan_core::graph::Kind;
use memplan_core::problem::{BufferId, Problem};

/// A line as far as memory planning sees it; buffers are indices into the caller's list, nodes are
/// positions in the scheduler's order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Line {
    /// A buffer comes into being.
    Alloc {
        /// The buffer made.
        buffer: usize,
        /// The node that makes it.
        node: usize,
    },
    /// Its last use is over.
    Free {
        /// The buffer freed.
        buffer: usize,
        /// The node after which it is freed.
        node: usize,
    },
    /// `new` takes over the storage of `old`.
    Reuse {
        /// The buffer that is dead.
        old: usize,
        /// The buffer made.
        new: usize,
    },
    /// `new` is a view of `base`.
    View {
        /// The buffer that holds the bytes.
        base: usize,
        /// The view of it.
        new: usize,
    },
    /// A deleted line.
    Null,
    /// The body of a condition or a loop begins.
    EnterSubgraph,
    /// It ends.
    ExitSubgraph,
    /// Anything else that is no memory planning line: kernel calls, drops of graph inputs,
    /// comments.
    Other,
}

impl Line {
    /// Whether the line allocates, frees or reuses a buffer.
    pub fn is_memory_line(self) -> bool {
        !matches!(self, Line::EnterSubgraph | Line::ExitSubgraph | Line::Other)
    }

    /// The buffer that the line is about; for a takeover or a view the old one.
    pub fn buffer(self) -> Option<usize> {
        match self {
            Line::Alloc { buffer, .. } | Line::Free { buffer, .. } => Some(buffer),
            Line::Reuse { old: buffer, .. } | Line::View { base: buffer, .. } => Some(buffer),
            _ => None,
        }
    }
}

/// Lines of an ordinary graph: each node is one kernel. Before it the storages that it makes are
/// allocated, in the order of the problem; after it those whose last reader it is are freed, in
/// string order of their names. `donor` names the storage that a buffer takes over in place, which
/// then has no line of its own to free it. Graph inputs and weights belong to the caller and
/// outputs outlive the graph, so none of them is freed.
pub fn lines_of(problem: &Problem, donor: impl Fn(BufferId) -> Option<BufferId>) -> Vec<Line> {
    let steps = problem.steps as usize;
    let mut born: Vec<Vec<BufferId>> = vec![Vec::new(); steps];
    let mut dead: Vec<Vec<BufferId>> = vec![Vec::new(); steps];
    let mut given = vec![false; problem.buffers.len()];
    let planned = |kind| matches!(kind, Kind::Intermediate | Kind::Output);
    for (id, buffer) in problem.buffers.enumerate().filter(|(_, buffer)| planned(buffer.kind)) {
        if let Some(born) = born.get_mut(buffer.live.start as usize) {
            born.push(id);
        }
        if let Some(donor) = donor(id) {
            given[donor.index()] = true;
        }
    }
    for (id, buffer) in problem.buffers.enumerate().filter(|(_, buffer)| buffer.kind == Kind::Intermediate) {
        let last = (buffer.live.end as usize).saturating_sub(1);
        if let (false, Some(dead)) = (given[id.index()], dead.get_mut(last)) {
            dead.push(id);
        }
    }
    let mut lines = Vec::new();
    for (node, (born, mut dead)) in born.into_iter().zip(dead).enumerate() {
        lines.extend(born.into_iter().map(|new| match donor(new) {
            Some(old) => Line::Reuse { old: old.index(), new: new.index() },
            None => Line::Alloc { buffer: new.index(), node },
        }));
        lines.push(Line::Other);
        dead.sort_by(|&a, &b| problem.buffers[a].name.cmp(&problem.buffers[b].name));
        lines.extend(dead.into_iter().map(|id| Line::Free { buffer: id.index(), node }));
    }
    lines
}
