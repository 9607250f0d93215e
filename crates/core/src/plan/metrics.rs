//! The figures of a plan, all defined here once.

use serde::{Deserialize, Serialize};

use super::{Plan, Proof};
use crate::problem::{BufferId, Problem, lower_bound, lower_bound_of};

/// Figures of one plan, sizes in bytes.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Metrics {
    /// Sum over pools of the highest end address.
    pub peak: u64,
    /// Largest load of everything asked for.
    pub lower_bound: u64,
    /// Largest load of what was placed.
    pub placed_lower_bound: u64,
    /// [`Metrics::need`] over [`Metrics::bound`]; absent when that bound is 0.
    pub ratio: Option<f64>,
    /// [`Metrics::need`] minus [`Metrics::bound`]; 0 when buffers take over storage in place and
    /// the need is below it.
    pub waste: u64,
    /// Sum of the placed sizes: what no sharing at all would take.
    pub unshared: u64,
    /// Number of buffers asked for.
    pub buffers: u64,
    /// Number of buffers that have a place.
    pub placed: u64,
    /// Number of pools.
    pub pools: u64,
    /// Buffers placed on bytes that an earlier one used.
    pub reuses: u64,
    /// No plan has a smaller peak: what a planner that searches has proved; at least `lower_bound`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proved_bound: Option<u64>,
    /// Whether the peak is proved to be the smallest; only planners that search report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub optimal: Option<bool>,
    /// Most bytes of storages held at once, where storages go back to an allocator after their last
    /// buffer; the peak is then the sum of all storages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<u64>,
}

/// How a peak stands to the lower bound that its plan is measured against.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Distance {
    /// The peak is the bound.
    At,
    /// Bytes above the bound: the waste.
    Above(u64),
    /// Bytes below the bound: buffers share bytes while both are live.
    Below(u64),
}

impl Metrics {
    /// The lower bound that ratio, waste and every other distance of this plan are measured
    /// against: the largest load of what it places, summed over the memories. A planner that
    /// computes only a figure is measured against everything asked for.
    pub fn bound(&self) -> u64 {
        if self.placed == 0 { self.lower_bound } else { self.placed_lower_bound }
    }

    /// Bytes that the plan needs, by which plans are ranked: the peak, or the most bytes held at
    /// once where storages go back to an allocator.
    pub fn need(&self) -> u64 {
        self.held.unwrap_or(self.peak)
    }

    /// Number of buffers that the plan leaves out.
    pub fn left_out(&self) -> u64 {
        self.buffers - self.placed
    }

    /// Returns true if the plan leaves out buffers and is measured against a smaller bound than
    /// that of everything asked for.
    pub fn has_own_bound(&self) -> bool {
        self.bound() != self.lower_bound
    }

    /// How far the need lies from [`Metrics::bound`].
    pub fn distance(&self) -> Distance {
        let bound = self.bound();
        match self.need() {
            need if need == bound => Distance::At,
            need if need > bound => Distance::Above(need - bound),
            need => Distance::Below(bound - need),
        }
    }
}

/// Metrics with every field, for formats that write no names and so can leave nothing out.
pub mod whole {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::Metrics;

    type Fields = (u64, u64, u64, Option<f64>, u64, u64, u64, u64, u64, u64, Option<u64>, Option<bool>, Option<u64>);

    /// Writes the fields in order.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn serialize<S: Serializer>(metrics: &Metrics, serializer: S) -> Result<S::Ok, S::Error> {
        let m = metrics.clone();
        let fields: Fields = (
            m.peak,
            m.lower_bound,
            m.placed_lower_bound,
            m.ratio,
            m.waste,
            m.unshared,
            m.buffers,
            m.placed,
            m.pools,
            m.reuses,
            m.proved_bound,
            m.optimal,
            m.held,
        );
        fields.serialize(serializer)
    }

    /// Reads the fields in order.
    ///
    /// # Errors
    /// Those of the deserializer.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Metrics, D::Error> {
        let (
            peak,
            lower_bound,
            placed_lower_bound,
            ratio,
            waste,
            unshared,
            buffers,
            placed,
            pools,
            reuses,
            proved_bound,
            optimal,
            held,
        ) = Fields::deserialize(deserializer)?;
        Ok(Metrics {
            peak,
            lower_bound,
            placed_lower_bound,
            ratio,
            waste,
            unshared,
            buffers,
            placed,
            pools,
            reuses,
            proved_bound,
            optimal,
            held,
        })
    }
}

/// Computes the figures of a plan.
pub fn metrics(problem: &Problem, plan: &Plan) -> Metrics {
    let is_placed = |id: BufferId| plan.places[id].is_some();
    let peak = plan.peak(problem);
    let placed_lower_bound = lower_bound_of(problem, is_placed);
    let placed: Vec<BufferId> = problem.buffers.ids().filter(|&id| is_placed(id)).collect();
    let mut metrics = Metrics {
        peak,
        lower_bound: lower_bound(problem),
        placed_lower_bound,
        ratio: None,
        waste: 0,
        unshared: placed.iter().map(|&id| problem.buffers[id].size).sum(),
        buffers: problem.buffers.len() as u64,
        placed: placed.len() as u64,
        pools: plan.pools.len() as u64,
        reuses: reuses(problem, plan),
        proved_bound: plan.proof.bound(),
        optimal: plan.proof.bound().map(|_| matches!(plan.proof, Proof::Optimal { .. })),
        held: plan.held(problem),
    };
    let bound = metrics.bound();
    metrics.ratio = (bound > 0).then(|| metrics.need() as f64 / bound as f64);
    metrics.waste = if let Distance::Above(waste) = metrics.distance() { waste } else { 0 };
    metrics
}

/// Counts buffers that begin on bytes some earlier, already dead buffer used: a sweep over starts
/// with the used bytes of each pool as disjoint spans.
fn reuses(problem: &Problem, plan: &Plan) -> u64 {
    let mut order: Vec<BufferId> =
        problem.buffers.ids().filter(|&id| plan.places[id].is_some() && problem.buffers[id].size > 0).collect();
    order.sort_by_key(|&id| (problem.buffers[id].live.start, id));
    let mut used: Vec<std::collections::BTreeMap<u64, u64>> = vec![Default::default(); plan.pools.len()];
    let mut count = 0;
    for id in order {
        let Some(place) = plan.places[id] else { continue };
        let (from, to) = (place.offset, place.offset + problem.buffers[id].size);
        let spans = &mut used[place.pool.0 as usize];
        let touched: Vec<(u64, u64)> =
            spans.range(..to).rev().take_while(|(_, end)| **end >= from).map(|(a, b)| (*a, *b)).collect();
        count += touched.iter().any(|&(start, end)| start < to && from < end) as u64;
        let (mut start, mut end) = (from, to);
        for (a, b) in touched {
            spans.remove(&a);
            start = start.min(a);
            end = end.max(b);
        }
        spans.insert(start, end);
    }
    count
}
