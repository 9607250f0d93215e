//! The planners, equal to the systems that they come from.
//!
//! In goes a list of buffers with live ranges ([`Input`]), for some planners with the graph, and
//! the values of [`Options`]. Out comes a plan; every decision on the way goes to a [`Probe`].
//! [`Info`] is the data sheet of a planner: its source, its options, its cost, and how far it was
//! compared with the original.
//!
//! Each planner is one file or folder and one line in [`REGISTRY`]; the page, the command line, the
//! property tests and the benchmarks find it there. Begin with [`Planner`], then read
//! `free_list/mod.rs`, the plainest family.

#![deny(unsafe_code)]
#![warn(missing_docs)]

mod arenas;
pub mod beam;
mod best;
pub mod climb;
pub mod cuda_caching;
mod error;
pub mod exact;
mod examples;
pub mod executorch;
pub mod free_list;
pub mod gap_fit;
pub mod ggml;
pub mod glow;
mod in_place;
pub mod inductor_reuse;
pub mod inductor_tree;
mod info;
pub mod iree;
mod live_index;
mod lower_bound;
pub mod mlir;
mod naive;
mod neighbours;
pub mod nnvm;
pub mod onnxruntime;
pub mod onnxsim;
mod orders;
pub mod outside;
mod random;
pub mod registered;
pub mod relax;
pub mod reorder;
pub mod shared_objects;
#[cfg(test)]
mod testing;
pub mod tinygrad;
pub mod triton;
pub mod tvm_relay;
pub mod vela;
mod ways;
pub mod wrapper_lines;

use memplan_core::base::Message;
use memplan_core::graph::Format;
use memplan_core::graph::{self, Graph};
use memplan_core::plan::Plan;
use memplan_core::problem::{Branches, Problem, Scope, first_joined};
use memplan_core::text::Speech;
use memplan_core::trace::{Origin, Probe};

pub use arenas::{Arenas, plan_at};
pub use cuda_caching::{AtPeak, Fidelity, LeftOut, Measured, OnCard, Stop, WhatIf, cheapest, planned_as};
use error::MAX_NAMES;
pub use error::{NotApplicable, PlanError};
pub use examples::{QUIRKS, SPECIALS, Special};
pub use executorch::Rules;
pub use info::{
    Case, Complexity, Contender, Effort, Evidence, Group, Info, Needs, OptionError, OptionKind, OptionSpec, Options,
    Source, Work,
};
pub use live_index::LiveIndex;
pub use onnxsim::has_bytes;
pub use onnxsim::model::{Model as OnnxModel, Node as OnnxNode, Value as OnnxValue};
pub use onnxsim::plan::{Laid as OnnxPlan, lay as plan_onnx};
pub use ways::{way, way_name};

/// What a planner is given.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// Buffers, memories and steps.
    pub problem: &'a Problem,
    /// Absent when the input holds only buffers.
    pub graph: Option<&'a Graph>,
}

/// The option of every planner that makes a plan, but for users' own: buffers share bytes only if a
/// path of the graph orders all their uses.
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

/// Refuses concatenations whose inputs lie in their output, for planners that give storage out node
/// by node: theirs would begin only when the concatenation runs.
///
/// # Errors
/// [`PlanError::Refused`] with the first one.
pub fn refuse_parts(input: Input) -> Result<(), PlanError> {
    match input.graph.and_then(|graph| first_joined(graph, input.problem)) {
        Some(node) => Err(PlanError::Refused(Message::new("fault.parts").name("name", node.name.clone()))),
        None => Ok(()),
    }
}

/// The option whose key all planners that can keep stated positions share.
pub const FIXED: OptionSpec = OptionSpec { key: "fixed", original: "fixed", kind: OptionKind::Flag, default: "false" };

/// Changes a problem to what the options of a planner ask of it, so that figures and pictures are
/// those of the problem planned: first [`Planner::prepare`], then stated positions are dropped
/// unless the planner is to keep them.
///
/// Returns the graph in the order in which it runs if that is not the order of the file: from here
/// on it stands for the graph of the file.
///
/// # Errors
/// [`PlanError::Refused`] from the planner, or when all sizes together, each with room for the
/// alignment of the planner, are beyond 2^53 - 1.
pub fn prepare(
    planner: &dyn Planner,
    problem: &mut Problem,
    graph: Option<&Graph>,
    scope: &Scope,
    options: &Options,
) -> Result<Option<Graph>, PlanError> {
    let reordered = planner.prepare(problem, graph, scope, options)?;
    if !options.flag(FIXED.key) {
        problem.buffers.iter_mut().for_each(|buffer| buffer.fixed = None);
    }
    if !problem.total_is_safe(planner.info().align) {
        return Err(PlanError::Refused(Message::new("fault.sum-too-large")));
    }
    Ok(reordered)
}

/// A problem as the options of a planner ask for it, and its plan.
#[derive(Clone, PartialEq, Debug)]
pub struct Made {
    /// The problem that was planned.
    pub problem: Problem,
    /// The graph in the order in which its nodes run, if that is not the order of the file.
    pub reordered: Option<Graph>,
    /// Its plan.
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
    let reordered = prepare(planner, &mut problem, graph, scope, options)?;
    let plan = planner.plan(Input { problem: &problem, graph: reordered.as_ref().or(graph) }, options, probe)?;
    Ok(Made { problem, reordered, plan })
}

/// Returns whether a run ends with a proof: of the smallest peak, that nothing fits a capacity, or
/// of the best order of execution.
pub fn proves(id: &str, options: &Options) -> bool {
    [PROVER.info().id, PORTFOLIO, ORDERER.info().id].contains(&id) || looks_for_order(options)
}

/// Whether [`prepare`] looks for another order of execution, which can take longer than the plan.
pub fn looks_for_order(options: &Options) -> bool {
    !matches!(options.get(reorder::REORDER), "" | "off")
}

/// An algorithm that gives every buffer a place, and reports what it does while it runs.
///
/// Implementations are deterministic: no clock, no unseeded randomness, no hash-map order. The plan
/// must not depend on the probe.
pub trait Planner: Sync {
    /// Its data sheet.
    fn info(&self) -> &'static Info;

    /// Changes the problem to what the options ask of it before it is planned: other sizes, another
    /// order of the nodes. Returns the graph in its new order, or none if the order of the file
    /// stays.
    ///
    /// # Errors
    /// [`PlanError::Refused`] when the options cannot be met.
    fn prepare(
        &self,
        problem: &mut Problem,
        graph: Option<&Graph>,
        scope: &Scope,
        options: &Options,
    ) -> Result<Option<Graph>, PlanError> {
        let _ = (problem, graph, scope, options);
        Ok(None)
    }

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

        /// Their data sheets, in the same order: a program that uses these alone carries no
        /// algorithm.
        pub static INFOS: &[&Info] = &[$(<$planner>::INFO,)*];
    };
}

registry! {
    inductor_tree::InductorTree,
    inductor_reuse::InductorReuse,
    cuda_caching::CudaCaching,
    executorch::Greedy,
    executorch::Closest,
    executorch::Naive,
    executorch::Suite,
    executorch::Hierarchy,
    executorch::Banked,
    relax::Relax,
    tvm_relay::TvmRelay,
    nnvm::Nnvm,
    ggml::Ggml,
    onnxruntime::OnnxRuntime,
    onnxsim::Onnxsim,
    tinygrad::Tinygrad,
    vela::VelaGreedy,
    glow::Glow,
    mlir::MlirStatic,
    iree::IreeLayoutSlices,
    triton::TritonShared,
    gap_fit::TfliteArena,
    gap_fit::TflmGreedy,
    gap_fit::GreedyBySize,
    gap_fit::GreedyByBreadth,
    gap_fit::XlaHeap,
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
    vela::VelaHillClimb,
    climb::HillClimb,
    exact::Exact,
    best::Best,
    reorder::Reorder,
    naive::Naive,
    lower_bound::LowerBound,
}

/// Most tensors of a graph that is shown by the first planner of [`FIRST`], whose work is
/// quadratic.
pub const MANY_TENSORS: usize = 20_000;

/// Most buffers of a list that is shown by the last planner of [`FIRST`], which searches.
pub const MANY_LISTED: usize = 1_000;

/// Id of the planner that runs many others and keeps the best plan.
pub const PORTFOLIO: &str = best::ID;

/// Id of the planner of kernels: what a kernel takes is what its compiler's planner makes of it.
pub const KERNELS: &str = triton::ID;

/// Ids of the planners that documents are shown by at first unless a planner names their format: a
/// graph; a graph of more than [`MANY_TENSORS`] or a list of more than [`MANY_LISTED`]; a list of
/// buffers.
pub const FIRST: [&str; 3] = [inductor_tree::ID, free_list::FIRST_FIT_ID, PORTFOLIO];

/// Returns the planner of the tool whose files have this format, if there is one.
pub fn of_format(format: Format) -> Option<&'static str> {
    INFOS.iter().find(|info| info.formats.contains(&format)).map(|info| info.id)
}

/// Ids of the planners that a comparison begins with, beside the one that is shown.
pub const USUAL: [&str; 3] = [FIRST[0], FIRST[1], gap_fit::GREEDY_BY_SIZE_ID];

/// The planner that times of other planners, and of machines, are compared with.
pub static YARDSTICK: &dyn Planner = &free_list::FirstFit;

/// The planner that looks for an order of the nodes with a smaller load.
pub static ORDERER: &dyn Planner = &reorder::Reorder;

/// The planner whose plans ONNX models hold as entries beside their values.
pub static ANNOTATOR: &dyn Planner = &onnxsim::Onnxsim;

/// The planner that proves that a peak is the smallest, where it can; its option [`PROVER_NODES`]
/// limits the search.
pub static PROVER: &dyn Planner = &exact::Exact;

/// The option of [`PROVER`] that limits the number of nodes that it looks at.
pub const PROVER_NODES: &str = "nodes";

/// The planner with this id: one of memplan, or one that was [`registered`].
pub fn find(id: &str) -> Option<&'static dyn Planner> {
    let own = || registered::find(id);
    REGISTRY.iter().copied().find(|planner| planner.info().id == id).or_else(own)
}

/// The data sheet of the planner with this id.
pub fn info(id: &str) -> Option<&'static Info> {
    let own = || registered::find(id).map(Planner::info);
    INFOS.iter().copied().find(|info| info.id == id).or_else(own)
}

/// What people call a planner that a user wrote; none of those of memplan, whose ids tell.
pub fn own_name(id: &str) -> Option<&'static str> {
    registered::find(id).map(|planner| planner.info().name)
}

/// System and algorithm of the planner with this id for people; of an id that is not registered,
/// that the plan is of the file.
pub fn title_of(id: &str, speech: Speech) -> String {
    info(id).map_or_else(|| speech.word("planner.imported"), |info| info.full_title(speech))
}

/// Returns the name of a planner as a sentence has it: the algorithm, with its system only where
/// that is another project.
pub fn name_in_text(id: &str, begins_sentence: bool, speech: Speech) -> String {
    // Names of files and commands stay as they are.
    let own = INFOS.iter().copied().find(|info| info.id == id && info.source.repository.is_empty());
    let name = own.map_or_else(|| title_of(id, speech), |info| info.title(speech).1);
    let mut letters = name.chars();
    // What others call their own stays as they write it.
    match letters.next().filter(|_| begins_sentence && own.is_some()) {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => name,
    }
}

/// Returns what a replay needs to know of the planner with this id; of an id that is not
/// registered, such as that of a plan from a file, only the id. `align`: the alignment in bytes
/// that the planner imposes.
pub fn origin(id: &str, align: u64) -> Origin {
    let explanation = info(id).map_or(&Info::BASE.explanation, |info| &info.explanation);
    Origin { planner: id.to_string(), align, explanation, way_name }
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
