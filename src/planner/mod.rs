//! Floor 3: the planners. Each is one file (or folder) and one line in [`REGISTRY`]; everything else — page, command line,
//! property tests, benches — finds it there.

mod arenas;
pub mod beam;
pub mod free_list;
pub mod gap_fit;
pub mod inductor_tree;
mod info;
mod live_index;
mod lower_bound;
mod naive;
mod orders;
pub mod shared_objects;
#[cfg(test)]
mod testing;

use crate::base::Message;
use crate::graph::{self, Graph};
use crate::plan::Plan;
use crate::problem::{Branches, Problem};
use crate::trace::Probe;

pub use info::{Evidence, Info, Needs, OptionError, OptionKind, OptionSpec, Options, Source};

/// What a planner is given.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    pub problem: &'a Problem,
    /// Absent when the input holds only buffers.
    pub graph: Option<&'a Graph>,
}

/// Why a planner gives no plan.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PlanError {
    /// The planner cannot use this input.
    NotApplicable(NotApplicable),
    /// The smallest plan found needs more than the problem's capacity.
    OverCapacity { need: u64, have: u64 },
    /// Stopped from outside.
    Cancelled,
}

/// What is missing for a planner to apply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NotApplicable {
    NeedsGraph,
    /// Branches can be kept parallel only where a graph tells them.
    BranchesNeedGraph,
    /// The graph has more nodes than a table of their order can hold.
    TooManyNodes {
        limit: u64,
    },
}

impl PlanError {
    /// The reason in words.
    pub fn message(&self) -> Message {
        match self {
            PlanError::NotApplicable(why) => why.message(),
            PlanError::OverCapacity { need, have } => {
                Message::new("fault.over-capacity").count("need", *need).count("have", *have)
            }
            PlanError::Cancelled => Message::new("fault.cancelled"),
        }
    }
}

impl NotApplicable {
    /// The reason in words.
    pub fn message(self) -> Message {
        match self {
            NotApplicable::NeedsGraph => Message::new("fault.needs-graph"),
            NotApplicable::BranchesNeedGraph => Message::new("fault.branches-need-graph"),
            NotApplicable::TooManyNodes { limit } => Message::new("fault.too-many-nodes").count("limit", limit),
        }
    }
}

/// The option that every planner takes: buffers share bytes only if a path of the graph orders all their uses.
pub const BRANCH_SAFE: OptionSpec =
    OptionSpec { key: "branch_safe", original: "branch_safe", kind: OptionKind::Flag, default: "false" };

/// The relation that [`BRANCH_SAFE`] asks for; one that allows everything when the option is off.
///
/// # Errors
/// [`PlanError::NotApplicable`] when it is on and there is no graph, or one that is too large.
pub fn branches(input: Input, options: &Options) -> Result<Branches, PlanError> {
    if !options.flag(BRANCH_SAFE.key) {
        return Ok(Branches::default());
    }
    let graph = input.graph.ok_or(PlanError::NotApplicable(NotApplicable::BranchesNeedGraph))?;
    Branches::of(graph, input.problem)
        .ok_or(PlanError::NotApplicable(NotApplicable::TooManyNodes { limit: graph::MAX_NODES as u64 }))
}

/// An algorithm that gives every buffer a place, and says what it does while it does it.
///
/// Implementations are deterministic: no clock, no unseeded randomness, no hash-map order. The plan must not depend on
/// the probe.
pub trait Planner: Sync {
    fn info(&self) -> &'static Info;

    /// Plans `input`.
    ///
    /// # Errors
    /// [`PlanError`] when the input cannot be used or the run was stopped.
    fn plan(&self, input: Input, options: &Options, probe: &mut dyn Probe) -> Result<Plan, PlanError>;
}

/// All planners, in the order in which they are listed.
pub static REGISTRY: &[&dyn Planner] = &[
    &inductor_tree::InductorTree,
    &free_list::FirstFit,
    &free_list::BestFit,
    &free_list::WorstFit,
    &beam::Beam,
    &gap_fit::GreedyBySize,
    &gap_fit::GreedyByBreadth,
    &gap_fit::TfliteArena,
    &gap_fit::TflmGreedy,
    &shared_objects::BySize,
    &shared_objects::ByBreadth,
    &shared_objects::BySizeImproved,
    &shared_objects::InOrder,
    &naive::Naive,
    &lower_bound::LowerBound,
];

/// The planner with this id.
pub fn find(id: &str) -> Option<&'static dyn Planner> {
    REGISTRY.iter().copied().find(|planner| planner.info().id == id)
}

/// Whether `planner` can use what there is.
///
/// # Errors
/// [`NotApplicable`] with what is missing.
pub fn applicable(planner: &dyn Planner, has_graph: bool) -> Result<(), NotApplicable> {
    match planner.info().needs {
        Needs::Graph if !has_graph => Err(NotApplicable::NeedsGraph),
        _ => Ok(()),
    }
}
