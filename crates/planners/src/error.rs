//! Why a planner gives no plan.

use memplan_core::base::{Arg, Message};
use memplan_core::problem::BufferId;

/// Most names listed in a sentence.
pub const MAX_NAMES: usize = 20;

/// Why a planner gives no plan.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PlanError {
    /// The planner cannot use this input.
    NotApplicable(NotApplicable),
    /// The smallest plan found needs more than the problem's capacity.
    OverCapacity {
        /// Bytes of the smallest plan found.
        need: u64,
        /// Bytes that there are.
        have: u64,
    },
    /// The planner's own rules forbid it, or an option of free text is not understood; the reason
    /// in words.
    Refused(Message),
    /// No plan is within the capacity asked for, in bytes.
    Infeasible {
        /// Bytes asked for.
        capacity: u64,
        /// Buffers that do not fit even by themselves.
        buffers: Vec<BufferId>,
        /// Their names.
        names: Vec<String>,
        /// Whether they fit as soon as any one of them is left out.
        irreducible: bool,
    },
    /// The nodes of a search were used up before it was known whether a plan is within the
    /// capacity; the smallest peak found and the proved bound, in bytes.
    Undecided {
        /// Bytes asked for.
        capacity: u64,
        /// Nodes visited.
        nodes: u64,
        /// Smallest peak found, in bytes.
        best: u64,
        /// Proved bound, in bytes.
        bound: u64,
    },
    /// Stopped from outside.
    Cancelled,
}

/// What is missing for a planner to apply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NotApplicable {
    /// The planner plans graphs only.
    NeedsGraph,
    /// Branches can be kept parallel only if there is a graph.
    BranchesNeedGraph,
    /// The graph has more nodes than a table of their order can hold.
    TooManyNodes {
        /// Most nodes that it can hold.
        limit: u64,
    },
    /// The problem has more buffers than the planner is run for.
    TooManyBuffers {
        /// Most buffers that it is run for.
        limit: u64,
    },
    /// Copies give a device to some values only.
    PartlyAnnotated,
    /// The options leave a search with nothing to try.
    NothingTried,
}

impl PlanError {
    /// Buffers that do not fit into the capacity asked for, even by themselves; empty for any other
    /// reason.
    pub fn conflict(&self) -> &[BufferId] {
        match self {
            PlanError::Infeasible { buffers, .. } => buffers,
            _ => &[],
        }
    }

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
