//! The list of differences.

use serde::{Deserialize, Serialize};

use super::matching::{Matches, Rule};
use super::{Side, largest_first, last};
use memplan_core::base::{IdVec, Owners};
use memplan_core::graph::Graph;
use memplan_core::plan::PoolId;
use memplan_core::problem::BufferId;

/// What kind of difference a row is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum Group {
    /// Alive at the new peak and not at the old one.
    Entered,
    /// Alive at the old peak and not at the new one.
    Left,
    /// At both peaks, with another size or element type.
    Size,
    /// At both peaks, with another life.
    Lifetime,
    /// Changed, added or removed, at neither peak.
    Elsewhere,
    /// At both peaks and unchanged.
    Same,
}

impl Group {
    /// All groups, in the order of a list.
    pub const ALL: [Group; 6] =
        [Group::Entered, Group::Left, Group::Size, Group::Lifetime, Group::Elsewhere, Group::Same];

    /// Its name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Group::Entered => "entered",
            Group::Left => "left",
            Group::Size => "size",
            Group::Lifetime => "lifetime",
            Group::Elsewhere => "elsewhere",
            Group::Same => "same",
        }
    }
}

/// A buffer of one or both sides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Row {
    /// The kind of difference.
    pub group: Group,
    /// The buffer before, if there was one.
    pub old: Option<BufferId>,
    /// The buffer after, if there is one.
    pub new: Option<BufferId>,
    /// Why the two are taken for the same; none unless there are two.
    pub rule: Option<Rule>,
    /// Bytes by which the load at the peak changes because of it, up or down; for rows away from
    /// the peak, the larger size.
    pub bytes: u64,
    /// Whether the element type changed.
    pub retyped: bool,
}

/// Both sides with what counts of them.
pub(super) struct Sides<'a> {
    pub old: Side<'a>,
    pub new: Side<'a>,
    pub counted: [&'a IdVec<BufferId, bool>; 2],
    pub peaks: [u32; 2],
}

impl Sides<'_> {
    fn at_peak(&self, side: usize, id: BufferId) -> bool {
        let problem = [self.old, self.new][side].problem;
        self.counted[side][id] && problem.buffers[id].live.contains(self.peaks[side]) && problem.buffers[id].size > 0
    }

    /// Whether the two lives begin and end at other operators. Without a counterpart of the step,
    /// whether their lengths differ.
    fn lives_differ(&self, old: BufferId, new: BufferId, steps: &[(u32, u32)]) -> bool {
        let (a, b) = (&self.old.problem.buffers[old], &self.new.problem.buffers[new]);
        if self.old.graph.is_none() || self.new.graph.is_none() {
            return a.live != b.live;
        }
        let mapped = |step: u32| steps.binary_search_by_key(&step, |&(old, _)| old).ok().map(|at| steps[at].1);
        match (mapped(a.live.start), mapped(last(a))) {
            (Some(start), Some(end)) => start != b.live.start || end != last(b),
            _ => a.live.len() != b.live.len(),
        }
    }

    fn retyped(&self, old: BufferId, new: BufferId) -> bool {
        let dtype = |graph: Option<&Graph>, problem: &memplan_core::problem::Problem, id: BufferId| {
            let tensor = *problem.buffers[id].tensors.first()?;
            Some(graph?.tensors.get(tensor)?.dtype)
        };
        let before = dtype(self.old.graph, self.old.problem, old);
        let after = dtype(self.new.graph, self.new.problem, new);
        before.is_some() && after.is_some() && before != after
    }
}

/// Every buffer that changed or is alive at a peak, once.
pub(super) fn rows(sides: &Sides, matches: &Matches, steps: &[(u32, u32)]) -> Vec<Row> {
    let mut rows = Vec::new();
    for (id, buffer) in sides.old.problem.buffers.enumerate().filter(|&(id, _)| sides.counted[0][id]) {
        let pair = matches.buffers.old[id].filter(|pair| sides.counted[1][pair.id]);
        let Some(pair) = pair else {
            let group = if sides.at_peak(0, id) { Group::Left } else { Group::Elsewhere };
            rows.push(Row { group, old: Some(id), new: None, rule: None, bytes: buffer.size, retyped: false });
            continue;
        };
        let other = &sides.new.problem.buffers[pair.id];
        let (resized, retyped) = (buffer.size != other.size, sides.retyped(id, pair.id));
        let is_changed = resized || retyped || sides.lives_differ(id, pair.id, steps);
        let (group, bytes) = match (sides.at_peak(0, id), sides.at_peak(1, pair.id)) {
            (false, true) => (Group::Entered, other.size),
            (true, false) => (Group::Left, buffer.size),
            (true, true) if resized || retyped => (Group::Size, buffer.size.abs_diff(other.size)),
            (true, true) if is_changed => (Group::Lifetime, other.size),
            (true, true) => (Group::Same, other.size),
            (false, false) if is_changed => (Group::Elsewhere, buffer.size.max(other.size)),
            (false, false) => continue,
        };
        rows.push(Row { group, old: Some(id), new: Some(pair.id), rule: Some(pair.rule), bytes, retyped });
    }
    let is_counted = |id: BufferId| sides.counted[0][id];
    let alone = |id: &BufferId| matches.buffers.new[*id].is_none_or(|pair| !is_counted(pair.id));
    for id in sides.new.problem.buffers.ids().filter(|&id| sides.counted[1][id]).filter(alone) {
        let group = if sides.at_peak(1, id) { Group::Entered } else { Group::Elsewhere };
        let bytes = sides.new.problem.buffers[id].size;
        rows.push(Row { group, old: None, new: Some(id), rule: None, bytes, retyped: false });
    }
    largest_first(&mut rows, |row| row.bytes);
    Group::ALL
        .iter()
        .flat_map(|group| rows.iter().filter(|row| row.group == *group).copied().collect::<Vec<_>>())
        .collect()
}

/// `(user, earlier user)` on the new side: what is alive at its peak and lay on the earlier one's
/// bytes before, and now does not.
pub(super) fn reuses_lost(sides: &Sides, matches: &Matches) -> Vec<(BufferId, BufferId)> {
    let [before, after] = [sides.old, sides.new].map(reuses);
    let mut lost = Vec::new();
    for (id, earlier) in before.enumerate() {
        let Some(user) = matches.buffers.old[id].map(|pair| pair.id) else { continue };
        if !sides.at_peak(1, user) || sides.new.plan.places.get(user).copied().flatten().is_none() {
            continue;
        }
        for other in earlier.iter().filter_map(|&earlier| Some(matches.buffers.old[earlier]?.id)) {
            if !after[user].contains(&other) && !lost.contains(&(user, other)) {
                lost.push((user, other));
            }
        }
    }
    lost
}

/// The buffers that were on the bytes of each one last before it.
fn reuses(side: Side) -> IdVec<BufferId, Vec<BufferId>> {
    let (problem, plan) = (side.problem, side.plan);
    let mut order: Vec<BufferId> = problem.buffers.ids().collect();
    order.sort_by_key(|&id| (problem.buffers[id].live.start, id));
    let mut owners: IdVec<PoolId, Owners<BufferId>> = IdVec::from_elem(Owners::default(), plan.pools.len());
    let mut found = IdVec::from_elem(Vec::new(), problem.buffers.len());
    for id in order {
        let Some(place) = plan.places.get(id).copied().flatten() else { continue };
        let end = place.offset.saturating_add(problem.buffers[id].size);
        for had in owners[place.pool].take(place.offset, end, id) {
            let is_over = problem.buffers[had.owner].live.end <= problem.buffers[id].live.start;
            if is_over && !found[id].contains(&had.owner) {
                found[id].push(had.owner);
            }
        }
    }
    found
}
