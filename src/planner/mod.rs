//! Floor 3: the planners. Each is one file (or folder) and one line in [`REGISTRY`]; everything else — page, command line,
//! property tests, benches — finds it there.

pub mod free_list;
pub mod inductor_tree;
mod info;
mod lower_bound;
mod naive;

use crate::graph::Graph;
use crate::plan::Plan;
use crate::problem::Problem;
use crate::trace::Probe;

pub use info::{Info, Needs, OptionError, OptionKind, OptionSpec, Options, Source};

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
