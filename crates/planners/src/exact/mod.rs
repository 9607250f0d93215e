//! Exact search: walks all plans that matter and leaves out whole families of which it can prove
//! that none is within a capacity. It finds a plan, proves that there is none, or reports that it
//! does not know.
//!
//! **From**: MiniMalloc (google/minimalloc, `src/solver.cc`, `src/sweeper.cc`, commit 9f5cf81;
//! Moffitt, ASPLOS 2023): the same search tree with cheaper nodes and one more rule, *stuck*.
//!
//! **Rule**: buffers are placed from low to high offsets, each as low as what is placed below it
//! lets it. At equal offsets a word of letters gives the order. A candidate is passed over if the
//! plan is met elsewhere (*canonical*) or if another buffer fits below it (*dominance*); it is
//! refused if what is left of some section no longer fits above it, or if it pushes another buffer
//! above the capacity. A buffer that was passed over must later lie on one that is still to be
//! placed; if no such place is left, the node ends (*stuck*). When the rest falls into parts that
//! share nothing they are solved apart. Three words take turns with node limits that grow fourfold.
//!
//! **Smallest plan**: a few greedy plans give the first peak. Where many buffers fill nearly all
//! steps, they are put together like a puzzle first (`perfect`). The bound is asked for next.
//! Should that stay open, plans of little waste are looked for (a beam search, which proves
//! nothing), then the tree is walked many times for a short while, each time in an order that
//! chance changes a little (`restarts`). Last, capacities between are asked for, open ones again
//! with more nodes. A capacity that is asked for and stays open for long is tried in these ways,
//! too. A peak is called optimal only if it equals the bound or the whole tree below it was walked.
//!
//! **Time and alignment**: half-open steps. Alignments, stated positions (`fixed`) and gaps are
//! kept. Windows of gaps may let a buffer start above another and yet lie below it; the search does
//! not look at such plans and then proves nothing. Every memory has a search of its own, and a
//! capacity holds for each.
//!
//! **Cost**: exponential; a node costs about `O(n)`. Nodes are counted, not seconds, so that runs
//! repeat; refused candidates that take as long as a node count as one.
//!
//! **Differs**: the room left in every section is checked once for all candidates of a node instead
//! of after the updates (nothing that comes later lies lower, so one number decides); a section
//! remembers one buffer that was low enough, and a buffer the section that refused it last; the
//! tree is walked without recursion.

mod greedy;
mod model;
mod orders;
mod perfect;
mod refute;
mod report;
mod restarts;
mod search;
mod solve;
mod state;
#[cfg(test)]
mod tests;

pub(crate) use self::solve::{Answer, Request, solve, usual_nodes};
use super::arenas::Arenas;
use super::{
    Case, Complexity, Contender, Effort, Evidence, FIXED, Group, Info, Input, Needs, OptionKind, OptionSpec, Options,
    PlanError, Planner, Source, Work,
};
use memplan_core::base::{Id, Message};
use memplan_core::plan::{Plan, Proof};
use memplan_core::problem::{BufferId, Problem};
use memplan_core::trace::{Decides, Event, Explanation, Outcome, Probe, Sentences};

/// The exact search.
pub struct Exact;

static INFO: Info = Info {
    id: "exact",
    system: "MiniMalloc",
    name: "exact search",
    source: Source { repository: "google/minimalloc", version: "9f5cf81", file: "src/solver.cc" },
    needs: Needs::Intervals,
    options: &[
        OptionSpec { key: "capacity", original: "capacity", kind: OptionKind::Text, default: "" },
        OptionSpec { key: "nodes", original: "nodes", kind: OptionKind::Whole { min: 0, max: 1 << 40 }, default: "0" },
        OptionSpec { original: "offset", ..FIXED },
        super::BRANCH_SAFE,
    ],
    complexity: Complexity::Exponential,
    align: 1,
    sweeps: false,
    ranked: true,
    example: "two_branches",
    case: Case { options: &[], peak: 7, best: 7 },
    evidence: Evidence::Stated("evidence.exact"),
    effort: Effort::Search,
    group: Group::Search,
    uses_gaps: true,
    storages: false,
    formats: &[],
    // Before the climbs: where it proves its plan, nothing else need run.
    contender: Some(Contender { turn: 9, work: Work::Nodes { nodes: 500_000, passes: 48 } }),
    explanation: Explanation {
        functions: &[(Decides::Everything, "SolverImpl::SearchSolutions")],
        sentences: Sentences::Proof,
        headlines: &[Outcome::AtEnd, Outcome::Gap],
        ..Explanation::USUAL
    },
};

impl Exact {
    /// Its data sheet.
    pub const INFO: &'static Info = &INFO;
}

impl Planner for Exact {
    fn info(&self) -> &'static Info {
        Self::INFO
    }

    fn plan(&self, input: Input, options: &Options, probe: &mut dyn Probe) -> Result<Plan, PlanError> {
        let branches = super::branches(input, options)?;
        let capacity = capacity(options.get("capacity"))?;
        let request = Request { branches: &branches, capacity, nodes: options.whole("nodes") };
        let answer = solve(input, request, probe)?;
        Ok(report(input.problem, &answer, probe))
    }
}

/// Nothing, or a number of bytes.
fn capacity(text: &str) -> Result<Option<u64>, PlanError> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let bytes = text.parse().ok().filter(|bytes| *bytes <= memplan_core::base::MAX_SAFE);
    let refused = || PlanError::Refused(Message::new("fault.exact-capacity").text("found", text));
    bytes.map(Some).ok_or_else(refused)
}

/// Reports the plan from low to high offsets, as the search built it.
fn report(problem: &Problem, answer: &Answer, probe: &mut dyn Probe) -> Plan {
    let mut order: Vec<BufferId> = problem.buffers.ids().collect();
    order.sort_by_key(|&id| (problem.buffers[id].memory, answer.offsets[id.index()], id));
    let mut arenas = Arenas::new(problem);
    for id in order {
        let (buffer, offset) = (&problem.buffers[id], answer.offsets[id.index()]);
        probe.event(Event::Begin { buffer: id });
        let outcome = match buffer.size {
            0 => Outcome::Nothing,
            size if offset + size > arenas.peak(buffer.memory) => Outcome::AtEnd,
            _ => Outcome::Gap,
        };
        arenas.place(id, offset, outcome, probe);
    }
    let bound = answer.bound;
    let proof = if answer.proved { Proof::Optimal { bound } } else { Proof::Best { bound } };
    Plan { proof, ..arenas.into_plan() }
}
