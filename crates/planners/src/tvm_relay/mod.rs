//! TVM Relay's static memory planner for the graph executor: storage tokens that calls hand on when
//! nobody reads them any more.
//!
//! **From**: apache/tvm, `src/relay/backend/graph_plan_memory.cc` of 0.6.1 (0d0d515), 0.7.0
//! (728b829) and 0.19.0 (c4dc0c2), with class `DeviceInfo` of `device_annotation.cc` (0.6, 0.7) and
//! `token_allocator.{h,cc}` (0.19).
//!
//! **Rule**: parameters first, in order, then call by call. A parameter or constant gets a storage
//! of its own that never becomes free. A call asks for one token a field of its result, in field
//! order: among the free storages of the same device within
//! `[size / match_range, size * match_range]` the smallest one that is large enough, among equals
//! the one freed first; else the largest that is too small, among equals the one freed last, which
//! is enlarged; else a new storage. Only then are its arguments counted down, in order; a storage
//! whose count reaches 0 becomes free. From 0.8 on a reshape takes over the token of its argument;
//! from 0.11 on values in texture memory get two-dimensional storages ([`blocks::choose_texture`]).
//!
//! **Time and alignment**: no live ranges, only counts of reads, in the order of the calls.
//! Storages have no addresses and sizes are not rounded. On an ordinary graph nodes run in file
//! order.
//!
//! **Cost**: O(n log n), plus the free storages of other devices and, with `branch_safe`, of
//! parallel branches that are passed over; devices O(n + edges).
//!
//! **Does badly**: a storage is handed on whole, and only inside the window. With 1000 bytes free a
//! request for 50 makes a new storage, since 50 · 16 = 800 < 1000; one for 100 takes all 1000. It
//! never looks ahead.
//!
//! **Differs from the original**: on an ordinary graph sizes are the problem's, storages of
//! different memories are never shared whatever devices were collected. A reshape whose argument
//! lives on shares its storage, and the plan states that both hold the same. Ties between free
//! textures fall to the lowest number; the original iterates over a hash set.

pub mod blocks;
pub mod devices;
mod graph;
pub mod program;
pub mod run;

use super::{
    Case, Complexity, Evidence, Group, Info, Input, Needs, NotApplicable, OptionKind, OptionSpec, Options, PlanError,
    Planner, Source,
};
use memplan_core::base::IdVec;
use memplan_core::graph::Format;
use memplan_core::plan::{Place, Plan, Pool, PoolId, PoolRole, Quirk, QuirkKind, Violation, check};
use memplan_core::problem::{BufferId, MemoryId, Problem};
use memplan_core::trace::{Decides, Explanation, Outcome, Probe, StatePanel};

use program::Order;

/// The generations of the planner that differ.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Version {
    /// Up to 0.6.1.
    V0_6,
    /// From 0.7.0 on.
    V0_7,
    /// Up to 0.19.0, the last: reshapes share the storage of their argument, and there are
    /// textures.
    V0_19,
}

impl Version {
    /// The version with this number.
    pub fn from_name(name: &str) -> Option<Version> {
        match name {
            "0.6.1" => Some(Version::V0_6),
            "0.7.0" => Some(Version::V0_7),
            "0.19.0" => Some(Version::V0_19),
            _ => None,
        }
    }

    /// Since 0.8.
    pub fn shares_reshapes(self) -> bool {
        self == Version::V0_19
    }

    /// Since 0.11.
    pub fn has_textures(self) -> bool {
        self == Version::V0_19
    }
}

/// TVM Relay's storage tokens.
pub struct TvmRelay;

static INFO: Info = Info {
    id: "tvm-relay",
    system: "TVM Relay",
    name: "GraphPlanMemory",
    source: Source {
        repository: "apache/tvm",
        version: "0.19.0 (c4dc0c2), 0.7.0 (728b829), 0.6.1 (0d0d515)",
        file: "src/relay/backend/graph_plan_memory.cc",
    },
    needs: Needs::Graph,
    options: &[
        OptionSpec {
            key: "version",
            original: "version",
            kind: OptionKind::Choice(&["0.6.1", "0.7.0", "0.19.0"]),
            default: "0.19.0",
        },
        OptionSpec {
            key: "match_range",
            original: "match_range_",
            kind: OptionKind::Whole { min: 0, max: 1 << 20 },
            default: "16",
        },
        OptionSpec {
            key: "weights",
            original: "BindParamsByName",
            kind: OptionKind::Choice(&["parameters", "constants"]),
            default: "parameters",
        },
        super::BRANCH_SAFE,
    ],
    complexity: Complexity::Sorting,
    align: 1,
    sweeps: true,
    ranked: true,
    example: "resnet18",
    group: Group::Historical,
    case: Case { options: &[], peak: 1050, best: 1000 },
    evidence: Evidence::Golden { system: "tvm_relay", planners: &["tvm_relay"] },
    explanation: Explanation {
        functions: &[
            (Decides::Outcome(Outcome::InPlace), "StorageAllocator::ReuseInputToken"),
            (Decides::Everything, "StorageAllocator::CreateToken"),
        ],
        panels: &[StatePanel::StorageTokens],
        headlines: &[Outcome::InPlace, Outcome::NewStorage],
        ..Explanation::USUAL
    },
    storages: true,
    formats: &[Format::GraphExecutor],
    ..Info::BASE
};

impl TvmRelay {
    /// Its data sheet.
    pub const INFO: &'static Info = &INFO;
}

impl Planner for TvmRelay {
    fn info(&self) -> &'static Info {
        Self::INFO
    }

    fn plan(&self, input: Input, options: &Options, probe: &mut dyn Probe) -> Result<Plan, PlanError> {
        let not_applicable = PlanError::NotApplicable;
        let graph = input.graph.ok_or(not_applicable(NotApplicable::NeedsGraph))?;
        let problem = input.problem;
        super::refuse_parts(input)?;
        let branches = super::branches(input, options)?;
        let version = Version::from_name(options.get("version")).unwrap_or(Version::V0_19);
        let program = graph::program(problem, graph, version, options.get("weights") == "constants");
        let devices = devices::devices(&program, Order::Dataflow, version, probe)
            .map_err(|devices::PartlyAnnotated| not_applicable(NotApplicable::PartlyAnnotated))?;
        let setting = run::Setting { version, match_range: options.whole("match_range"), branches: &branches };
        let visits = program.walk(Order::Listed);
        let planned = run::run(&program, &visits, &devices, setting, probe).ok_or(PlanError::Cancelled)?;
        let pool = |(id, block): (PoolId, &blocks::Block)| Pool {
            name: format!("storage {}", id.0),
            size: block.size,
            device: problem.memories[MemoryId(block.domain)].device.clone(),
            role: PoolRole::Storage,
        };
        let plan = Plan {
            pools: planned.blocks.enumerate().map(pool).collect(),
            places: planned.storage.iter().map(|id| id.map(|pool| Place { pool, offset: 0 })).collect(),
            ..Plan::default()
        };
        Ok(with_reshapes(problem, plan, &planned.shared))
    }
}

/// The plan with its reshapes, `(taker, donor)`: a storage is handed over where the argument dies;
/// where it lives on, both hold the same.
fn with_reshapes(problem: &Problem, mut plan: Plan, reshapes: &[(BufferId, BufferId)]) -> Plan {
    let mut contents: IdVec<BufferId, BufferId> = problem.buffers.ids().collect();
    reshapes.iter().for_each(|&(acceptor, donor)| contents[acceptor] = contents[donor]);
    let live = |id: BufferId| problem.buffers[id].live;
    let hands_over = |&&(acceptor, donor): &&(BufferId, BufferId)| {
        live(acceptor).start + 1 == live(donor).end && live(donor).start < live(acceptor).start
    };
    plan.shared = reshapes.iter().filter(hands_over).copied().collect();
    if plan.shared.len() < reshapes.len() {
        let same = |violation: Violation| match violation {
            Violation::Overlap { a, b, .. } if contents[a] == contents[b] => {
                Some(Quirk { kind: QuirkKind::SameContents, a, b })
            }
            _ => None,
        };
        plan.quirks = check(problem, &plan).into_iter().filter_map(same).collect();
    }
    plan
}

#[cfg(test)]
mod tests;
