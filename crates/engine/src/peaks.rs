//! The peak of a plan and nothing else: what a list of planners shows beside each.

use serde::{Deserialize, Serialize};

use crate::plan::{Prepared, prepare};
use crate::source::IMPORTED;
use memplan_core::base::{Id, Message};
use memplan_core::plan::{Metrics, Plan, check_up_to, metrics};
use memplan_core::problem::{BufferId, Problem, Scope};
use memplan_core::trace::Silent;
use memplan_formats::import::Document;
use memplan_planners::{self as planner, Input};

use crate::compare::PlannerChoice;

/// What a plan takes, and the least that any plan of the same buffers takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PeakFound {
    /// Bytes that the plan needs.
    pub peak: u64,
    /// Lower bound in bytes of the buffers that the plan places; of all buffers if it places none.
    pub bound: u64,
    /// Number of buffers that the plan leaves out; 0 if it only computes a figure.
    pub left_out: u64,
    /// Whether no live buffers share bytes and no rule is broken: only then the bound holds.
    pub sound: bool,
}

impl PeakFound {
    /// Returns the peak of a plan with these metrics.
    pub fn of(metrics: &Metrics, sound: bool) -> PeakFound {
        let left_out = if metrics.placed == 0 { 0 } else { metrics.left_out() };
        PeakFound { peak: metrics.need(), bound: metrics.bound(), left_out, sound }
    }

    fn of_plan(problem: &Problem, plan: &Plan) -> PeakFound {
        let is_sound = plan.misreading.is_none() && check_up_to(problem, plan, 1).is_empty();
        PeakFound::of(&metrics(problem, plan), is_sound)
    }

    /// Whether the plan is one of all buffers that keeps the rules, so that its peak can be set
    /// against that of another one.
    pub fn is_whole(self) -> bool {
        self.sound && self.left_out == 0
    }

    /// Whether no plan has a smaller peak.
    pub fn is_at_bound(self) -> bool {
        self.is_whole() && self.peak == self.bound
    }

    /// Returns the peak in parts of the bound; none if the bound is 0.
    pub fn ratio(self) -> Option<f64> {
        (self.bound > 0).then(|| self.peak as f64 / self.bound as f64)
    }
}

/// A planner with the peak of its plan, or why there is no plan.
pub type PeakEntry = (PlannerChoice, Result<PeakFound, Message>);

/// Plans once, without events.
pub(super) fn peak(document: &Document, scope: &Scope, choice: &PlannerChoice) -> Result<PeakFound, Message> {
    if choice.planner == IMPORTED {
        let own = document.own_plan_beside(scope).ok_or_else(|| Message::new("compare.no-own-plan"));
        return own.map(|(problem, plan)| PeakFound::of_plan(&problem, &plan));
    }
    if let Some(info) = planner::info(&choice.planner) {
        planner::applicable(info, document.graph().is_some()).map_err(|why| why.message())?;
    }
    let Prepared { planner, options, problem, reordered } = prepare(document, scope, &choice.planner, &choice.options)?;
    let input = Input { problem: &problem, graph: reordered.as_ref().or(document.graph()) };
    let plan = planner.plan(input, &options, &mut Silent).map_err(|error| error.message())?;
    Ok(PeakFound::of_plan(&problem, &plan))
}

/// The peaks of a planner without the bytes of one buffer after the other; none for those without a
/// plan.
pub(super) fn without(
    document: &Document,
    scope: &Scope,
    choice: &PlannerChoice,
    buffers: &[BufferId],
) -> Vec<Option<u64>> {
    let Ok(prepared) = prepare(document, scope, &choice.planner, &choice.options) else { return Vec::new() };
    let Prepared { planner, options, mut problem, reordered } = prepared;
    let (graph, count) = (reordered.as_ref().or(document.graph()), problem.buffers.len());
    let mut peak = |&id: &BufferId| {
        let buffer = &mut problem.buffers[id];
        // A buffer of no bytes is in nobody's way, and all others keep their numbers.
        let (size, gaps) = (std::mem::take(&mut buffer.size), std::mem::take(&mut buffer.gaps));
        let plan = planner.plan(Input { problem: &problem, graph }, &options, &mut Silent);
        let peak = plan.ok().map(|plan| metrics(&problem, &plan).need());
        let buffer = &mut problem.buffers[id];
        (buffer.size, buffer.gaps) = (size, gaps);
        peak
    };
    buffers.iter().map(|id| if id.index() < count { peak(id) } else { None }).collect()
}
