//! Gives every value a storage by counting reads: a storage whose last read is done may serve any
//! value of about its size.
//!
//! **From**: apache/tvm v0.6.1, `nnvm/src/pass/plan_memory.cc` (`PlanMemory`, `GraphAllocator`),
//! `graph_algorithm.h` (`ColorNodeGroup`), `nnvm/src/compiler/graph_compile.cc`
//! (`DecorateMemoryPlan`) and `src/runtime/graph/graph_runtime.cc` (`SetupStorage`). MXNet up to
//! 1.9.1 holds a copy of the pass.
//! **Rule**: nodes in order. First the in-place pairs, as listed: an output takes over the storage
//! of an input with exactly one read left (an identity needs no such count). Then requests, outputs
//! of more elements first, the higher index among equals. Fit: of the free storages between request
//! / R and request x R the smallest that is large enough, the one released first among equals; else
//! the largest that is too small, the one released last among equals, which is enlarged; else a new
//! one. Then the reads of the inputs are done, and storage without reads left becomes free; so does
//! that of outputs that nobody reads. A colour lets only nodes of one chain hand storage to each
//! other.
//! **Time and alignment**: one tick a node; inputs of a node are released after its outputs have
//! storage. No alignment: storages have no addresses.
//! **Cost**: `O(n log n)` unless devices, colours or branches refuse storages; each refused one is
//! looked at again at every request: then `O(n f)` with `f` free storages, as the original. A
//! search walks once for each range tried.
//! **Does badly**: sizes that differ by more than R. With R = 16 a chain of 1000, 1000, 10, 10
//! bytes takes 2020 bytes: 10 uses no storage above 160. With R = 1 a chain of 64, 64, 65 takes
//! 193, although enlarging the first would make 129.
//! **Differs**: the original takes 4 bytes for every element, whatever its type (option
//! `element_bytes=4`), calls a shape without extents unknown, and compares neither devices nor
//! widths beyond the byte before a takeover. It walks depth first from the outputs; here nodes keep
//! the order of the file. Another name for a storage is a value of its own there. A search keeps
//! the smallest total there, here also any of the ranges tried (option `keep`).

mod adapt;
mod allocator;
mod colors;
mod network;
mod runtime;
mod search;
#[cfg(test)]
mod tests;
mod walk;

use std::collections::BTreeSet;

pub use adapt::{ElementBytes, count_four, identity_flags, network_of};
pub use allocator::Block;
pub use network::{Entry, Network, Node, Pair, Read, Slot};
pub use runtime::{Assign, Room, SetupFault, assigns, decorate, set_up};
pub use search::{Answer, Request, Try, plan_memory};
pub use walk::{Layout, Takeover};

use super::{
    Case, Complexity, Evidence, Group, Info, Input, Needs, NotApplicable, OptionKind, OptionSpec, Options, PlanError,
    Planner, Source,
};
use memplan_core::base::IdVec;
use memplan_core::graph::Format;
use memplan_core::graph::{Graph, Kind};
use memplan_core::plan::{Place, Plan, Pool, PoolId, PoolRole, Quirk, QuirkKind, Unplanned};
use memplan_core::problem::{BufferId, MemoryId, Problem, Scope};
use memplan_core::trace::{Decides, Event, Explanation, Note, Outcome, Probe};

/// NNVM's PlanMemory pass.
pub struct Nnvm;

static OPTIONS: &[OptionSpec] = &[
    super::BRANCH_SAFE,
    OptionSpec {
        key: "element_bytes",
        original: "GraphAllocator::Request",
        kind: OptionKind::Choice(&["real", "4"]),
        default: "real",
    },
    OptionSpec { key: "inplace", original: "FInplaceOption", kind: OptionKind::Flag, default: "false" },
    OptionSpec {
        key: "match_range",
        original: "NNVM_EXEC_MATCH_RANGE",
        kind: OptionKind::Whole { min: 0, max: 1 << 30 },
        default: "16",
    },
    OptionSpec {
        key: "num_temp",
        original: "NNVM_EXEC_NUM_TEMP",
        kind: OptionKind::Whole { min: 1, max: 64 },
        default: "1",
    },
    OptionSpec { key: "runtime", original: "GraphRuntime::SetupStorage", kind: OptionKind::Flag, default: "false" },
    OptionSpec { key: "keep", original: "keep", kind: OptionKind::Whole { min: 0, max: 1 << 30 }, default: "0" },
    OptionSpec { key: "search", original: "NNVM_AUTO_SEARCH_MATCH_RANGE", kind: OptionKind::Flag, default: "false" },
];

static INFO: Info = Info {
    id: "nnvm",
    system: "NNVM",
    name: "PlanMemory",
    source: Source { repository: "apache/tvm", version: "v0.6.1", file: "nnvm/src/pass/plan_memory.cc" },
    needs: Needs::Graph,
    options: OPTIONS,
    complexity: Complexity::Sorting,
    align: 1,
    sweeps: true,
    ranked: true,
    example: "resnet18",
    group: Group::Historical,
    case: Case { options: &[], peak: 1010, best: 1000 },
    evidence: Evidence::Golden { system: "nnvm", planners: &["nnvm"] },
    explanation: Explanation {
        functions: &[
            (Decides::Outcome(Outcome::InPlace), "AllocMemory"),
            (Decides::Everything, "GraphAllocator::Request"),
        ],
        headlines: &[Outcome::InPlace],
        ..Explanation::USUAL
    },
    storages: true,
    formats: &[Format::SymbolJson],
    ..Info::BASE
};

impl Nnvm {
    /// Its data sheet.
    pub const INFO: &'static Info = &INFO;
}

impl Planner for Nnvm {
    fn info(&self) -> &'static Info {
        Self::INFO
    }

    fn prepare(
        &self,
        problem: &mut Problem,
        graph: Option<&Graph>,
        _: &Scope,
        options: &Options,
    ) -> Result<Option<Graph>, PlanError> {
        if let Some(graph) = graph.filter(|_| counts_four(options)) {
            count_four(problem, graph);
        }
        Ok(None)
    }

    fn plan(&self, input: Input, options: &Options, probe: &mut dyn Probe) -> Result<Plan, PlanError> {
        super::refuse_parts(input)?;
        let branches = super::branches(input, options)?;
        let graph = input.graph.ok_or(PlanError::NotApplicable(NotApplicable::NeedsGraph))?;
        let element_bytes = if counts_four(options) { ElementBytes::Four } else { ElementBytes::Real };
        let network = network_of(graph, input.problem, element_bytes);
        let request = Request {
            match_range: options.whole("match_range"),
            search: options.flag("search"),
            keep: Some(options.whole("keep")).filter(|&keep| keep > 0),
            num_temp: options.whole("num_temp"),
            inplace: options.flag("inplace"),
            range: 0..network.nodes.len(),
            branches: &branches,
        };
        let answer = plan_memory(&network, &request, probe)?;
        let (_, layout) = answer.kept.ok_or(PlanError::NotApplicable(NotApplicable::NothingTried))?;
        if options.flag("runtime") {
            report_runtime(&network, &layout, probe);
        }
        Ok(plan(input.problem, &network, &layout))
    }
}

/// Whether every element counts 4 bytes.
pub fn counts_four(options: &Options) -> bool {
    options.get("element_bytes") == "4"
}

/// Reports which storage each variable gets, what becomes of assigns, and the pool that the run
/// time makes. The plan stays that of the pass: a value that is made in its variable lies on bytes
/// that the graph still needs.
fn report_runtime(network: &Network, layout: &Layout, probe: &mut dyn Probe) {
    let mut report = |note, subject, a, b| probe.event(Event::Note { note, subject, a, b });
    let cases = assigns(network);
    let slots = decorate(network, &layout.slots, &cases);
    for (node, case) in network.nodes.iter().zip(&cases) {
        match case {
            Assign::No => {}
            Assign::Copy => report(Note::AssignCopy, node.id, 0, 0),
            Assign::Nothing => report(Note::AssignNothing, node.id, 0, 0),
        }
    }
    for (entry, (slot, before)) in network.entries.iter().zip(slots.iter().zip(&layout.slots)) {
        if let (Slot::Block(id), true) = (*slot, slot != before) {
            report(Note::Decorated, entry.buffer.0, id.into(), 0);
        }
    }
    let devices: Vec<u32> = network.entries.iter().map(|entry| entry.device).collect();
    match set_up(network, &slots, &devices) {
        Ok(rooms) => rooms.iter().zip(0..).for_each(|(room, id)| {
            report(Note::Room, id, room.floats(), room.device.into());
        }),
        Err(SetupFault::NoStorage { entry }) => report(Note::NoRoom, network.entries[entry as usize].buffer.0, 0, 0),
        Err(SetupFault::TwoDevices { storage }) => report(Note::TwoDevices, storage, 0, 0),
    }
}

/// The layout as a plan: one pool a storage, as large as the largest value in it really is.
fn plan(problem: &Problem, network: &Network, layout: &Layout) -> Plan {
    let mut plan = Plan::empty(problem);
    for (number, block) in layout.blocks.iter().enumerate() {
        let device = problem.memories[MemoryId(block.device)].device.clone();
        plan.pools.push(Pool { name: format!("storage {number}"), size: 0, device, role: PoolRole::Storage });
    }
    for (id, buffer) in problem.buffers.enumerate() {
        match (buffer.kind, layout.slots[id.0 as usize]) {
            (Kind::Input, _) => plan.unplanned.push((id, Unplanned::InputOfCaller)),
            (Kind::Weight, _) => plan.unplanned.push((id, Unplanned::WeightIsConstant)),
            (_, Slot::Block(block)) => {
                let pool = &mut plan.pools[PoolId(block)];
                pool.size = pool.size.max(buffer.size);
                plan.places[id] = Some(Place { pool: PoolId(block), offset: 0 });
            }
            _ => {}
        }
    }
    let live = |entry: u32| problem.buffers[BufferId(entry)].live;
    for &(acceptor, donor) in &layout.shared {
        // Where ignored reads or an identity let the donor live on, the overlap is reported as what
        // it is.
        if live(acceptor).start + 1 == live(donor).end && live(donor).start < live(acceptor).start {
            plan.shared.push((BufferId(acceptor), BufferId(donor)));
        }
    }
    plan.quirks = quirks(problem, network, layout, &plan);
    plan
}

/// Pairs that lie on the same bytes while both are needed, with the rule of the original that lets
/// them. Only overlaps that one of its rules explains are named.
fn quirks(problem: &Problem, network: &Network, layout: &Layout, plan: &Plan) -> Vec<Quirk> {
    let mut ignored = vec![false; layout.blocks.len()];
    for read in network.nodes.iter().flat_map(|node| &node.reads).filter(|read| read.ignored) {
        if let Some(Slot::Block(block)) = read.entry.map(|entry| layout.slots[entry as usize]) {
            ignored[block as usize] = true;
        }
    }
    let shared: BTreeSet<(BufferId, BufferId)> = plan.shared.iter().copied().collect();
    let mut members: IdVec<PoolId, Vec<BufferId>> = IdVec::from_elem(Vec::new(), plan.pools.len());
    for (id, place) in plan.places.enumerate() {
        if let Some(place) = place.filter(|_| problem.buffers[id].size > 0) {
            members[place.pool].push(id);
        }
    }
    let mut quirks = Vec::new();
    for (pool, members) in members.ids().zip(members.iter()) {
        let mut members = members.clone();
        members.sort_by_key(|&id| (problem.buffers[id].live.start, id));
        let mut alive: Vec<BufferId> = Vec::new();
        for id in members {
            alive.retain(|&other| problem.buffers[other].live.end > problem.buffers[id].live.start);
            for &other in &alive {
                if shared.contains(&(id, other)) || shared.contains(&(other, id)) {
                    continue;
                }
                let same = layout.contents[id.0 as usize] == layout.contents[other.0 as usize];
                let kind = if same { QuirkKind::SameContents } else { QuirkKind::IgnoredRead };
                if same || ignored[pool.0 as usize] {
                    quirks.push(Quirk { kind, a: other.min(id), b: other.max(id) });
                }
            }
            alive.push(id);
        }
    }
    quirks
}
