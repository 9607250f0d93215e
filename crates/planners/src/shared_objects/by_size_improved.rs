//! Shared objects, greedy by size improved: buffers that no object could do without first, then
//! those nearest in time to an object.
//!
//! **From**: tensorflow/tensorflow 25227c9,
//! `tensorflow/lite/delegates/gpu/common/memory_management/ greedy_by_size_assignment.cc`,
//! `GreedyBySizeDistPriorityAssignment`.
//! **Rule**: entry `p` of the positional maxima is the largest `p`-th largest size over all steps;
//! the position of a buffer is the last entry that is not smaller. Again and again the waiting
//! buffer is taken with the smallest position, then the smallest distance to a member of an object
//! that is free for it, then the larger size, then by position in the input. It goes to that
//! object, which is enlarged if need be; no object is free: a new one. Distance is the number of
//! steps from the last one of the earlier life to the first one of the later. Of equally near
//! objects the one that came near first stays, and the oldest one follows when it is lost.
//! **Time**: see the folder. Positions count for each memory by itself, memory after memory.
//! **Cost**: `O(n^2)`: every placement changes the distances of all that wait, and ties between
//! objects depend on the whole history. Distances are kept only for the buffers of one position at
//! a time. 100 000 buffers take far more than a second.
//! **Does badly**: near in time is not alike in size; an object may be enlarged by a neighbour
//! although a better one is free.
//! **Differs**: nothing; the original's comment prefers the larger of equally near objects, its
//! code does not.

use std::cmp::Reverse;

use super::positions::positions;
use super::{Objects, pulse};
use crate::{BRANCH_SAFE, Case, Complexity, Evidence, Group, Info, Input, Needs, Options, PlanError, Planner, Source};
use memplan_core::plan::{Plan, PoolId};
use memplan_core::problem::BufferId;
use memplan_core::trace::{Decides, Event, Explanation, Note, Probe, Sentences, StatePanel};

/// Shared objects by size, improved by distance in time.
pub struct BySizeImproved;

static INFO: Info = Info {
    id: "shared-objects-by-size-improved",
    system: "TFLite GPU",
    name: "GreedyBySizeDistPriorityAssignment",
    source: Source {
        repository: "tensorflow/tensorflow",
        version: "25227c9",
        file: "tensorflow/lite/delegates/gpu/common/memory_management/greedy_by_size_assignment.cc",
    },
    needs: Needs::Intervals,
    options: &[BRANCH_SAFE],
    complexity: Complexity::Quadratic,
    align: 1,
    sweeps: false,
    ranked: true,
    example: "two_branches",
    case: Case { options: &[], peak: 16, best: 15 },
    evidence: Evidence::Stated("evidence.shared-objects"),
    explanation: Explanation {
        functions: &[(Decides::Everything, "GreedyBySizeDistPriorityAssignment")],
        sentences: Sentences::Distance,
        panels: &[StatePanel::SharedObjects],
        ..Explanation::USUAL
    },
    group: Group::Classic,
    storages: true,
    ..Info::BASE
};

/// A buffer that waits, and how near each object is to it.
struct Waiting {
    buffer: BufferId,
    /// By object of its memory; none once a member is alive together with it.
    distances: Vec<Option<u32>>,
    /// Distance and index of the nearest one.
    nearest: Option<(u32, usize)>,
}

/// A placement: the buffer and its object's index in its memory.
#[derive(Clone, Copy)]
struct Placed {
    buffer: BufferId,
    object: usize,
}

impl BySizeImproved {
    /// Its data sheet.
    pub const INFO: &'static Info = &INFO;
}

impl Planner for BySizeImproved {
    fn info(&self) -> &'static Info {
        Self::INFO
    }

    fn plan(&self, input: Input, options: &Options, probe: &mut dyn Probe) -> Result<Plan, PlanError> {
        let problem = input.problem;
        let mut objects = Objects::new(input, options)?;
        let positions = positions(problem);
        let mut order: Vec<BufferId> = problem.buffers.ids().collect();
        order.sort_by_key(|&id| (problem.buffers[id].memory, positions[id], id));
        let key = |id: BufferId| (problem.buffers[id].memory, positions[id]);
        let mut decision = 0;
        let mut history: Vec<Placed> = Vec::new();
        let mut pools: Vec<PoolId> = Vec::new();
        let mut memory = None;
        for group in order.chunk_by(|&a, &b| key(a) == key(b)) {
            let here = Some(problem.buffers[group[0]].memory);
            if memory != here {
                memory = here;
                history.clear();
                pools.clear();
            }
            let mut waiting: Vec<Waiting> = Vec::with_capacity(group.len());
            for &buffer in group {
                let mut new = Waiting { buffer, distances: Vec::new(), nearest: None };
                history.iter().for_each(|&placed| new.heed(placed, &objects));
                waiting.push(new);
            }
            while let Some(first) = first(&waiting, &objects) {
                pulse(decision, order.len(), probe)?;
                let Waiting { buffer, nearest, .. } = waiting.remove(first);
                probe.event(Event::Begin { buffer });
                let a = u64::from(positions[buffer]) + 1;
                probe.event(Event::Note { note: Note::Position, subject: buffer.0, a, b: 0 });
                let chosen = nearest.map(|(_, object)| pools[object]);
                let detail = probe.wants_detail(decision as u32);
                let pool = objects.take(buffer, chosen, None, detail, probe);
                let object = nearest.map_or(pools.len(), |(_, object)| object);
                if nearest.is_none() {
                    pools.push(pool);
                }
                let placed = Placed { buffer, object };
                waiting.iter_mut().for_each(|waiting| waiting.heed(placed, &objects));
                history.push(placed);
                decision += 1;
            }
        }
        Ok(objects.into_plan())
    }
}

/// Index of the one that is taken next.
fn first(waiting: &[Waiting], objects: &Objects) -> Option<usize> {
    let rank = |waiting: &Waiting| {
        let distance = waiting.nearest.map_or(u32::MAX, |(distance, _)| distance);
        (distance, Reverse(objects.problem.buffers[waiting.buffer].size))
    };
    (0..waiting.len()).min_by_key(|&index| (rank(&waiting[index]), index))
}

impl Waiting {
    /// Takes notice of a placement.
    fn heed(&mut self, placed: Placed, objects: &Objects) {
        let is_new = placed.object == self.distances.len();
        if !is_new && self.distances[placed.object].is_none() {
            return;
        }
        let lives = [self.buffer, placed.buffer].map(|id| objects.problem.buffers[id].live);
        let allowed = objects.branches.allow(self.buffer, placed.buffer);
        let distance = lives[0].distance(lives[1]).filter(|_| allowed);
        if is_new {
            self.distances.push(distance);
        } else if distance.is_none() {
            self.distances[placed.object] = None;
            if self.nearest.is_some_and(|(_, object)| object == placed.object) {
                let known =
                    self.distances.iter().enumerate().filter_map(|(object, distance)| Some(((*distance)?, object)));
                self.nearest = known.min();
            }
        } else {
            self.distances[placed.object] = self.distances[placed.object].min(distance);
        }
        if let Some(distance) = distance
            && self.nearest.is_none_or(|(nearest, _)| distance < nearest)
        {
            self.nearest = Some((distance, placed.object));
        }
    }
}
