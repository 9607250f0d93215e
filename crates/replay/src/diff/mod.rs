//! Two plans beside each other: what made the peak rise or fall between two versions of a
//! model (docs/diff.md).
//!
//! Tensors and operators of both sides are matched first ([`Matches`]); everything else is reported
//! in terms of the matches.

mod causes;
mod limit;
mod matching;
mod record;
mod report;
mod rows;
mod sequence;

use serde::{Deserialize, Serialize};

use memplan_core::base::{Id, IdVec};
use memplan_core::graph::{Graph, Kind};
use memplan_core::plan::Plan;
use memplan_core::problem::{Buffer, BufferId, Load, Problem, load, lower_bound_of};

pub use causes::{Broken, Loss};
pub use limit::Limit;
pub use matching::{Confidence, Matches, Pair, Rule};
pub use record::{DiffRecord, FORMAT, LossRecord, ModelRecord, PartRecord, RowRecord, SideRecord, UnreadRecord};
pub use report::{details, percent, report_markdown, report_text, row_note, sentences};
pub use rows::{Group, Row};

/// One of the two plans, with what it was made from.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// The buffers.
    pub problem: &'a Problem,
    /// The graph in the order in which its nodes run; none for a list of buffers.
    pub graph: Option<&'a Graph>,
    /// Where the buffers lie.
    pub plan: &'a Plan,
}

/// What counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counted {
    /// Leave out weights, and inputs that are recognised as weights (see [`is_weight`]).
    pub without_weights: bool,
}

/// Figures of one side, over the buffers that count. Sizes in bytes.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct SideFigures {
    /// Sum over pools of the highest end.
    pub peak: u64,
    /// Largest load of what is placed.
    pub bound: u64,
    /// First step of the largest load.
    pub step: u32,
    /// Number of steps.
    pub steps: u32,
    /// Bytes of weights left out.
    pub left_out: u64,
    /// Bytes alive at each step at which they change: `(step, bytes from here on)`.
    pub curve: Vec<(u32, u64)>,
}

/// Whose fault a larger peak is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Blame {
    /// The peak did not rise.
    None,
    /// The lower bound rose by as much as the peak, or more.
    Graph,
    /// The lower bound did not rise.
    Plan,
    /// The bound rose, and the plan lies further above it than before.
    Both {
        /// Bytes that the bound rose.
        graph: u64,
        /// Bytes that the distance to the bound grew.
        plan: u64,
    },
}

/// What differs between two plans.
#[derive(Clone, PartialEq, Debug)]
pub struct Diff {
    /// Figures before.
    pub old: SideFigures,
    /// Figures after.
    pub new: SideFigures,
    /// What was matched with what.
    pub matches: Matches,
    /// Whether the sides have so little in common that a list of differences is of no use; then
    /// `rows` is empty.
    pub is_unrelated: bool,
    /// The differences, in the order of [`Group::ALL`], the largest of each group first.
    pub rows: Vec<Row>,
    /// Storage that operators overwrote before and no longer overwrite, the largest first.
    pub lost: Vec<Loss>,
    /// Storage that operators overwrite now and did not before.
    pub won: Vec<Loss>,
    /// Nodes of the new side without a counterpart, in their order; by index.
    pub added: Vec<u32>,
    /// Nodes of the old side without a counterpart.
    pub removed: Vec<u32>,
    /// Matched nodes that run at another place among their like: `(old, new)`.
    pub moved: Vec<(u32, u32)>,
    /// Matched steps in the order of both sides: `(old, new)`.
    pub steps: Vec<(u32, u32)>,
    /// `(user, earlier user)` on the new side: buffers alive at the peak whose counterpart lay on
    /// the bytes of the other's before, and that no longer do.
    pub reuses_lost: Vec<(BufferId, BufferId)>,
    /// The step of the old side that is matched to the new peak or is the nearest before it, with
    /// the bytes alive there.
    pub same_place: Option<(u32, u64)>,
}

/// Compares two plans.
pub fn diff(old: Side, new: Side, counted: Counted) -> Diff {
    let (old_in, new_in) = (counts(old, counted), counts(new, counted));
    let matches = matching::matches(old, new);
    let (before, after) = (figures(old, &old_in), figures(new, &new_in));
    let is_unrelated = matches.is_unrelated();
    let mut diff = Diff {
        old: before,
        new: after,
        is_unrelated,
        rows: Vec::new(),
        lost: Vec::new(),
        won: Vec::new(),
        added: Vec::new(),
        removed: Vec::new(),
        moved: Vec::new(),
        steps: matches.steps(),
        reuses_lost: Vec::new(),
        same_place: None,
        matches,
    };
    if is_unrelated {
        return diff;
    }
    let sides = rows::Sides { old, new, counted: [&old_in, &new_in], peaks: [diff.old.step, diff.new.step] };
    diff.rows = rows::rows(&sides, &diff.matches, &diff.steps);
    diff.lost = causes::lost(old, new, &diff.matches);
    diff.won = causes::lost(new, old, &diff.matches.reversed());
    (diff.added, diff.removed) = diff.matches.unmatched();
    diff.moved = diff.matches.moved(&diff.steps);
    diff.reuses_lost = rows::reuses_lost(&sides, &diff.matches);
    let at = diff.steps.partition_point(|&(_, step)| step <= diff.new.step);
    let place = at.checked_sub(1).map(|at| diff.steps[at].0);
    diff.same_place = place.map(|step| (step, load(old.problem, |id| old_in[id]).at(step)));
    diff
}

impl Diff {
    /// The rise of the peak in bytes and as a share of the old one; below 0 if it fell. The share
    /// is none from a peak of 0.
    pub fn change(&self) -> (i128, Option<f64>) {
        let bytes = i128::from(self.new.peak) - i128::from(self.old.peak);
        (bytes, (self.old.peak > 0).then(|| bytes as f64 / self.old.peak as f64))
    }

    /// Whose fault it is that the peak rose.
    pub fn blame(&self) -> Blame {
        let rise = self.new.peak.saturating_sub(self.old.peak);
        let graph = self.new.bound.saturating_sub(self.old.bound);
        if rise == 0 {
            Blame::None
        } else if graph == 0 {
            Blame::Plan
        } else if graph >= rise {
            Blame::Graph
        } else {
            Blame::Both { graph, plan: rise - graph }
        }
    }
}

/// The buffers that count: those with a place, or all if the planner computes only a figure;
/// without weights if so wished.
fn counts(side: Side, counted: Counted) -> IdVec<BufferId, bool> {
    let has_places = side.plan.places.iter().any(Option::is_some);
    let wanted = |id: BufferId| {
        let is_placed = side.plan.places.get(id).copied().flatten().is_some();
        (is_placed || !has_places) && !(counted.without_weights && is_weight(side, id))
    };
    side.problem.buffers.ids().map(wanted).collect()
}

/// Whether a buffer holds a weight: its file states it, or it is an input that lives through the
/// whole run, is alone in its pool, and has the name that JAX gives an element of a nested argument
/// (`ws_0__1_.1` for `ws[0][1]`). Files of XLA call all arguments parameters, whatever they are.
pub fn is_weight(side: Side, id: BufferId) -> bool {
    let buffer = &side.problem.buffers[id];
    if buffer.kind != Kind::Input {
        return buffer.kind == Kind::Weight;
    }
    let plain = buffer.name.rsplit_once('.').map_or(&*buffer.name, |(name, number)| {
        if number.bytes().all(|letter| letter.is_ascii_digit()) { name } else { &*buffer.name }
    });
    let is_whole = buffer.live.start == 0 && buffer.live.end >= side.problem.steps;
    plain.ends_with('_') && is_whole && is_alone(side, id)
}

fn is_alone(side: Side, id: BufferId) -> bool {
    let place = |id: BufferId| side.plan.places.get(id).copied().flatten();
    let Some(own) = place(id) else { return true };
    !side.problem.buffers.ids().any(|other| other != id && place(other).is_some_and(|place| place.pool == own.pool))
}

fn figures(side: Side, counted: &IdVec<BufferId, bool>) -> SideFigures {
    let plan = Plan {
        places: side.plan.places.enumerate().map(|(id, place)| place.filter(|_| counted[id])).collect(),
        ..side.plan.clone()
    };
    let load: Load = load(side.problem, |id| counted[id]);
    let left_out = side.problem.buffers.enumerate().filter(|&(id, _)| !counted[id] && is_weight(side, id));
    SideFigures {
        peak: plan.need(side.problem),
        bound: lower_bound_of(side.problem, |id| counted[id]),
        step: load.peak_step(),
        steps: side.problem.steps,
        left_out: left_out.map(|(_, buffer)| buffer.size).fold(0, u64::saturating_add),
        curve: load.stretches(0, side.problem.steps).map(|(from, _, bytes)| (from, bytes)).collect(),
    }
}

/// Sorts the largest first, equal ones by position.
fn largest_first<T>(items: &mut [T], bytes: impl Fn(&T) -> u64) {
    items.sort_by_key(|item| std::cmp::Reverse(bytes(item)));
}

/// The buffer that holds each tensor of a graph.
fn holders(problem: &Problem, graph: &Graph) -> IdVec<memplan_core::graph::TensorId, Option<BufferId>> {
    let mut holders = IdVec::from_elem(None, graph.tensors.len());
    for (id, buffer) in problem.buffers.enumerate() {
        for &tensor in buffer.tensors.iter().filter(|tensor| tensor.index() < graph.tensors.len()) {
            holders[tensor].get_or_insert(id);
        }
    }
    holders
}

/// The last step of a life.
fn last(buffer: &Buffer) -> u32 {
    buffer.live.end.saturating_sub(1)
}

#[cfg(test)]
mod tests;
