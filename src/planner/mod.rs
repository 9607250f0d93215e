//! Floor 3: the planners. Each is one file (or folder) and one line in [`REGISTRY`]; everything else — page, command line,
//! property tests, benches — finds it there.

mod arenas;
pub mod beam;
mod best;
pub mod climb;
pub mod exact;
pub mod executorch;
pub mod free_list;
pub mod gap_fit;
mod in_place;
pub mod inductor_reuse;
pub mod inductor_tree;
mod info;
mod live_index;
mod lower_bound;
mod naive;
pub mod nnvm;
mod orders;
pub mod reorder;
pub mod shared_objects;
#[cfg(test)]
mod testing;
pub mod tvm_relay;
pub mod wrapper_lines;

use crate::base::{Arg, Message};
use crate::graph::{self, Graph};
use crate::plan::Plan;
use crate::problem::{Branches, BufferId, Problem, Scope};
use crate::trace::Probe;

pub use arenas::plan_at;
pub use info::{Case, Evidence, Info, Needs, OptionError, OptionKind, OptionSpec, Options, Source};

/// Most names listed in a sentence.
const MAX_NAMES: usize = 20;

/// The argument of a message that names all of them, for a picture; no sentence says it.
const CONFLICT: &str = "conflict";

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
    /// The planner's own rules forbid it, or an option of free text is not understood; the reason in words.
    Refused(Message),
    /// No plan is within the capacity asked for, in bytes.
    Infeasible {
        capacity: u64,
        /// Buffers that do not fit even by themselves, with their names.
        buffers: Vec<BufferId>,
        names: Vec<String>,
        /// Whether they fit as soon as any one of them is left out.
        irreducible: bool,
    },
    /// The nodes of a search were used up before it was known whether a plan is within the capacity; the smallest peak found
    /// and the proved bound, in bytes.
    Undecided { capacity: u64, nodes: u64, best: u64, bound: u64 },
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
    /// The problem has more buffers than the planner is run for.
    TooManyBuffers {
        limit: u64,
    },
    /// Copies give a device to some values only.
    PartlyAnnotated,
    /// The options leave a search with nothing to try.
    NothingTried,
}

impl PlanError {
    /// The reason in words.
    pub fn message(&self) -> Message {
        match self {
            PlanError::NotApplicable(why) => why.message(),
            PlanError::OverCapacity { need, have } => {
                Message::new("fault.over-capacity").count("need", *need).count("have", *have)
            }
            PlanError::Refused(message) => message.clone(),
            PlanError::Infeasible { capacity, names, irreducible, .. } => {
                let key = match (names.len(), irreducible) {
                    (1, _) => "fault.infeasible-one",
                    (_, true) => "fault.infeasible",
                    (_, false) => "fault.infeasible-perhaps-fewer",
                };
                let shown = names.iter().take(MAX_NAMES).cloned();
                let more = (names.len() > MAX_NAMES).then(|| "…".to_string());
                Message::new(key)
                    .count("capacity", *capacity)
                    .count("n", names.len() as u64)
                    .with("names", Arg::Names(shown.chain(more).collect()))
                    .with(CONFLICT, Arg::Names(names.clone()))
            }
            PlanError::Undecided { capacity, nodes, best, bound } => Message::new("fault.undecided")
                .count("capacity", *capacity)
                .count("nodes", *nodes)
                .count("best", *best)
                .count("bound", *bound),
            PlanError::Cancelled => Message::new("fault.cancelled"),
        }
    }
}

/// Names of the buffers that do not fit into the capacity asked for, as far as a message or one inside it tells them.
pub fn conflict(message: &Message) -> Option<&[String]> {
    message.args.iter().find_map(|(name, arg)| match arg {
        Arg::Names(names) if name == CONFLICT => Some(names.as_slice()),
        Arg::Inner(inner) => conflict(inner),
        _ => None,
    })
}

impl NotApplicable {
    /// The reason in words.
    pub fn message(self) -> Message {
        match self {
            NotApplicable::NeedsGraph => Message::new("fault.needs-graph"),
            NotApplicable::BranchesNeedGraph => Message::new("fault.branches-need-graph"),
            NotApplicable::PartlyAnnotated => Message::new("fault.partly-annotated"),
            NotApplicable::TooManyNodes { limit } => Message::new("fault.too-many-nodes").count("limit", limit),
            NotApplicable::TooManyBuffers { limit } => Message::new("fault.too-many-buffers").count("limit", limit),
            NotApplicable::NothingTried => Message::new("fault.nothing-tried"),
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

/// Changes a problem to what the options of a planner ask of it: stated positions that the planner does not look at are no
/// demand on its plan, and with `sizes` = `upper` every buffer has the size that its symbols allow at most, so that figures
/// and pictures are those of the sizes planned for; so they are with NNVM's 4 bytes an element. A planner that changes the order of execution gives back the graph in
/// the order in which it runs, and live ranges are those of that order: from here on it stands for the graph of the file.
///
/// # Errors
/// [`PlanError::Refused`] when a bound has no value, or when all sizes together, each with room for the alignment of the
/// planner, are beyond 2^53 - 1.
pub fn prepare(
    info: &Info,
    problem: &mut Problem,
    graph: Option<&Graph>,
    scope: &Scope,
    options: &Options,
) -> Result<Option<Graph>, PlanError> {
    let reordered = match graph.filter(|_| !options.get(reorder::REORDER).is_empty()) {
        Some(graph) => reorder::prepare(problem, graph, scope, options)?,
        None => None,
    };
    if !options.flag("fixed") {
        problem.buffers.iter_mut().for_each(|buffer| buffer.fixed = None);
    }
    if let Some(graph) = graph.filter(|_| options.get("sizes") == "upper") {
        executorch::bound::raise(problem, graph)?;
    }
    if let Some(graph) = graph.filter(|_| nnvm::counts_four(options)) {
        nnvm::count_four(problem, graph);
    }
    if !problem.total_is_safe(info.align) {
        return Err(PlanError::Refused(Message::new("fault.sum-too-large")));
    }
    Ok(reordered)
}

/// A problem as the options of a planner ask for it, and its plan.
#[derive(Clone, PartialEq, Debug)]
pub struct Made {
    pub problem: Problem,
    /// The graph in the order in which its nodes run, if that is not the order of the file.
    pub reordered: Option<Graph>,
    pub plan: Plan,
}

/// [`prepare`]s a problem and plans it.
///
/// # Errors
/// [`PlanError`] when the input cannot be used or the run was stopped.
pub fn run(
    planner: &dyn Planner,
    problem: &Problem,
    graph: Option<&Graph>,
    scope: &Scope,
    options: &Options,
    probe: &mut dyn Probe,
) -> Result<Made, PlanError> {
    let mut problem = problem.clone();
    let reordered = prepare(planner.info(), &mut problem, graph, scope, options)?;
    let plan = planner.plan(Input { problem: &problem, graph: reordered.as_ref().or(graph) }, options, probe)?;
    Ok(Made { problem, reordered, plan })
}

/// Whether [`prepare`] looks for another order of execution, which can take longer than the plan.
pub fn looks_for_order(options: &Options) -> bool {
    !matches!(options.get(reorder::REORDER), "" | "off")
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

/// Lists the planners once, for those who run them and for those who only speak of them.
macro_rules! registry {
    ($($planner:path,)*) => {
        /// All planners, in the order in which they are listed.
        pub static REGISTRY: &[&dyn Planner] = &[$(&$planner,)*];

        /// Their data sheets, in the same order: a program that uses these alone carries no algorithm.
        pub static INFOS: &[&Info] = &[$(<$planner>::INFO,)*];
    };
}

registry! {
    inductor_tree::InductorTree,
    inductor_reuse::InductorReuse,
    executorch::Greedy,
    executorch::Closest,
    executorch::Naive,
    executorch::Suite,
    executorch::Hierarchy,
    tvm_relay::TvmRelay,
    nnvm::Nnvm,
    gap_fit::TfliteArena,
    gap_fit::TflmGreedy,
    gap_fit::GreedyBySize,
    gap_fit::GreedyByBreadth,
    gap_fit::XlaPackingSearch,
    gap_fit::UsmpGreedyBySize,
    gap_fit::UsmpGreedyByConflicts,
    shared_objects::BySize,
    shared_objects::BySizeImproved,
    shared_objects::ByBreadth,
    shared_objects::InOrder,
    shared_objects::ByMinCostFlow,
    free_list::FirstFit,
    free_list::BestFit,
    free_list::WorstFit,
    beam::Beam,
    climb::UsmpHillClimb,
    climb::HillClimb,
    exact::Exact,
    best::Best,
    reorder::Reorder,
    naive::Naive,
    lower_bound::LowerBound,
}

/// The planner with this id.
pub fn find(id: &str) -> Option<&'static dyn Planner> {
    REGISTRY.iter().copied().find(|planner| planner.info().id == id)
}

/// The data sheet of the planner with this id.
pub fn info(id: &str) -> Option<&'static Info> {
    INFOS.iter().copied().find(|info| info.id == id)
}

/// Whether a planner can use what there is.
///
/// # Errors
/// [`NotApplicable`] with what is missing.
pub fn applicable(info: &Info, has_graph: bool) -> Result<(), NotApplicable> {
    match info.needs {
        Needs::Graph if !has_graph => Err(NotApplicable::NeedsGraph),
        _ => Ok(()),
    }
}
