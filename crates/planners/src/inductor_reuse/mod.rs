//! PyTorch Inductor's default planner: a freed buffer is handed on, whole, to a later one of the
//! same kind.
//!
//! **From**: pytorch/pytorch 2.15.0 (d0f2af8b), `torch/_inductor/codegen/wrapper.py`,
//! `memory_plan_reuse`, `AllocateLine.plan` and `EfficientPeakEstimate`. It runs for training
//! graphs, and for inference unless `config.memory_planning` is on.
//!
//! **Rule**: the wrapper lines in order of execution. A free line goes on top of the stack of its
//! key: device, element type, storage length in elements *as text*, alignment, memory pool. An
//! allocation looks only at the buffer on top of its own key's stack. It takes over that buffer if
//! the node just before freed it. If it was freed earlier, the bytes would stay occupied between,
//! so the allocation takes it over only if the highest estimate of the nodes between, plus the
//! bytes of the buffer, is at most the peak estimated before any reuse; the estimates of these
//! nodes then rise by those bytes. Frees of one node go in string order of the names, so `buf10`
//! lies beneath `buf2`.
//!
//! **Time and alignment**: positions of lines. On an ordinary graph every node is one kernel and
//! every operator output one buffer: allocated before its node, freed after its last reader
//! ([`lines_of`]); graph inputs and weights belong to the caller and are not in the estimate. A
//! chain of takeovers is one storage; there are no addresses between storages. What nobody takes
//! over is freed for good where it is freed: the plan needs the most bytes that are held at once,
//! and not all storages together.
//!
//! **Cost**: O(n log n): a segment tree answers for the highest estimate of a range.
//!
//! **Does badly**: it lowers the number of allocations, not their sum. Kinds never mix. After a
//! dead float32 buffer of 1000 elements, one of 999 elements, or 1000 of int32, is a fresh
//! allocation.
//!
//! **Differs from the original**: the alignment in the key is the number of bytes asked for instead
//! of a flag, the memory pool is the arena that the graph assigns, and there is one stream.
//! In-place takeovers, which the original's scheduler decides beforehand, are an option that
//! follows the permissions of the graph; those that a captured graph states as aliases are part of
//! the estimate alone. Communication buffers and kernel profile scopes do not
//! occur.

mod estimate;
mod report;
mod walk;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::ControlFlow;

use super::in_place::Pairs;
use super::wrapper_lines::{Line, lines_of};
use super::{
    BRANCH_SAFE, Case, Complexity, Evidence, Info, Input, Needs, NotApplicable, OptionKind, OptionSpec, Options,
    PlanError, Planner, Source,
};
use memplan_core::base::{Id, IdVec};
use memplan_core::graph::{Graph, Kind, TensorId};
use memplan_core::plan::{Place, Plan, Pool, PoolRole, Unplanned};
use memplan_core::problem::{Branches, Buffer, BufferId, Problem, ReuseKey};
use memplan_core::trace::{Decides, Event, Explanation, Note, Outcome, Probe, StatePanel, Verdict};

pub use estimate::{PeakEstimate, Span};
pub use walk::{Asked, Facts, LineTraversal, Reason, Rules, tail};

/// Inductor's reuse of whole buffers.
pub struct InductorReuse;

static INFO: Info = Info {
    id: "inductor-reuse",
    system: "Inductor",
    name: "memory_plan_reuse",
    source: Source {
        repository: "pytorch/pytorch",
        version: "2.15.0 (d0f2af8b)",
        file: "torch/_inductor/codegen/wrapper.py",
    },
    needs: Needs::Graph,
    options: &[
        OptionSpec {
            key: "peak_test",
            original: "AllocateLine.should_reuse_buffer",
            kind: OptionKind::Flag,
            default: "true",
        },
        OptionSpec {
            key: "inplace_buffers",
            original: "config.inplace_buffers",
            kind: OptionKind::Flag,
            default: "false",
        },
        BRANCH_SAFE,
    ],
    complexity: Complexity::Sorting,
    align: 1,
    sweeps: true,
    ranked: true,
    example: "resnet18",
    case: Case { options: &[], peak: 796, best: 400 },
    evidence: Evidence::Golden { system: "inductor", planners: &["memory_plan_reuse"] },
    explanation: Explanation {
        functions: &[
            (Decides::Outcome(Outcome::InPlace), "ReuseLine.plan"),
            (Decides::Everything, "AllocateLine.plan"),
        ],
        panels: &[StatePanel::ReuseStacks],
        headlines: &[Outcome::NewStorage, Outcome::Reuse],
        ..Explanation::USUAL
    },
    storages: true,
    ..Info::BASE
};

impl InductorReuse {
    /// Its data sheet.
    pub const INFO: &'static Info = &INFO;
}

impl Planner for InductorReuse {
    fn info(&self) -> &'static Info {
        Self::INFO
    }

    fn plan(&self, input: Input, options: &Options, probe: &mut dyn Probe) -> Result<Plan, PlanError> {
        let graph = input.graph.ok_or(PlanError::NotApplicable(NotApplicable::NeedsGraph))?;
        let problem = input.problem;
        let branches = super::branches(input, options)?;
        let keys = problem.buffers.ids().map(|id| ReuseKey::of(graph, problem, id)).collect();
        let on = options.flag("inplace_buffers");
        let pairs = if on { pairs(problem, &keys, &branches) } else { Pairs::default() };
        let donors: HashMap<BufferId, BufferId> = pairs.shared.iter().copied().collect();
        let mut lines = lines_of(problem, |id| donors.get(&id).copied());
        let dropped = tail(&lines, |buffer| problem.buffers[BufferId(buffer as u32)].kind == Kind::Output);
        lines.truncate(lines.len() - dropped);

        let facts = facts(problem, &keys);
        let allow = |a: usize, b: usize| branches.allow(BufferId(a as u32), BufferId(b as u32));
        let rules = Rules { reuse: true, peak_test: options.flag("peak_test") };
        let walk = LineTraversal::new(&facts, rules, vec![estimate(problem, graph)], &allow);
        if let Some(node) = u32::try_from(walk.estimate().peak_node()).ok().filter(|_| !lines.is_empty()) {
            probe.event(Event::Note { note: Note::ReusePeak, subject: node, a: walk.estimate().peak(), b: 0 });
        }
        if dropped > 0 {
            probe.event(Event::Note { note: Note::ReuseTail, subject: dropped as u32, a: 0, b: 0 });
        }
        let mut run = Run {
            problem,
            facts: &facts,
            walk,
            pairs: &pairs,
            probe,
            plan: Plan { returned: true, ..Plan::empty(problem) },
            free: BTreeSet::new(),
            idle: 0,
            released: Vec::new(),
            decisions: 0,
        };
        for (id, buffer) in problem.buffers.enumerate() {
            match buffer.kind {
                Kind::Input => run.plan.unplanned.push((id, Unplanned::InputOfCaller)),
                Kind::Weight => run.plan.unplanned.push((id, Unplanned::WeightIsConstant)),
                Kind::Intermediate | Kind::Output => {}
            }
        }
        for line in lines {
            run.line(line)?;
        }
        run.report_released();
        if run.decisions > 0 {
            let sum = run.plan.pools.iter().map(|pool| pool.size).sum();
            let held = run.plan.held(problem).unwrap_or(sum);
            run.probe.event(Event::Note { note: Note::ReuseHeld, subject: 0, a: held, b: sum });
        }
        Ok(run.plan)
    }
}

/// State of one run: the traversal of the lines, the plan so far, and the probe that gets the
/// events.
struct Run<'a> {
    problem: &'a Problem,
    facts: &'a [Facts],
    walk: LineTraversal<'a>,
    pairs: &'a Pairs,
    probe: &'a mut dyn Probe,
    plan: Plan,
    /// Bytes and number of every key that has a free buffer, to find the nearest ones.
    free: BTreeSet<(u64, u32)>,
    /// Free buffers of all keys.
    idle: u64,
    /// Freed since the last allocation: reported with the next one.
    released: Vec<BufferId>,
    decisions: u32,
}

impl Run<'_> {
    fn line(&mut self, line: Line) -> Result<(), PlanError> {
        match line {
            Line::Free { buffer, .. } => {
                self.walk.step(line);
                self.released.push(BufferId::from_index(buffer));
                self.free.insert((self.facts[buffer].bytes, self.facts[buffer].key));
                self.idle += 1;
            }
            Line::Alloc { buffer, node } => {
                let decision = self.begin(buffer)?;
                let asked = self.walk.step(line);
                match &asked {
                    Some(asked) => self.report_asked(buffer, node, asked),
                    None => self.report_missing(decision, buffer),
                }
                match asked.filter(Asked::is_taken) {
                    Some(asked) => self.hand_on(buffer, asked),
                    None => self.open(BufferId::from_index(buffer)),
                }
            }
            Line::Reuse { old, new } => {
                self.begin(new)?;
                self.walk.step(line);
                let (old, new) = (BufferId::from_index(old), BufferId::from_index(new));
                if let Some(place) = self.plan.places[old] {
                    self.report_storage(Verdict::Chosen, place.pool);
                }
                self.plan.shared.push((new, old));
                self.place(new, Outcome::InPlace, self.plan.places[old]);
            }
            _ => {
                self.walk.step(line);
            }
        }
        Ok(())
    }

    fn begin(&mut self, buffer: usize) -> Result<u32, PlanError> {
        if self.probe.pulse(self.decisions as u64, self.problem.buffers.len() as u64) == ControlFlow::Break(()) {
            return Err(PlanError::Cancelled);
        }
        self.probe.event(Event::Begin { buffer: BufferId::from_index(buffer) });
        self.report_released();
        self.pairs.report(BufferId::from_index(buffer), self.probe);
        self.decisions += 1;
        Ok(self.decisions - 1)
    }

    fn hand_on(&mut self, buffer: usize, asked: Asked) {
        let Facts { key, bytes, .. } = self.facts[buffer];
        self.idle -= 1;
        if self.walk.newest(key).is_none() {
            self.free.remove(&(bytes, key));
        }
        let place = self.plan.places[BufferId::from_index(asked.candidate)];
        self.place(BufferId::from_index(buffer), Outcome::Reuse, place);
    }

    /// A storage of its own, as large as its first buffer.
    fn open(&mut self, id: BufferId) {
        let buffer = &self.problem.buffers[id];
        let pool = self.plan.pools.push(Pool {
            name: format!("storage {}", self.plan.pools.len()),
            size: buffer.size,
            device: self.problem.memories[buffer.memory].device.clone(),
            role: PoolRole::Storage,
        });
        self.probe.event(Event::OpenPool { pool: pool.0, memory: buffer.memory.0, growing: false });
        self.place(id, Outcome::NewStorage, Some(Place { pool, offset: 0 }));
        if buffer.size > 0 {
            self.probe.event(Event::Grow { pool: pool.0, from: 0, to: buffer.size });
        }
    }

    fn place(&mut self, buffer: BufferId, outcome: Outcome, place: Option<Place>) {
        let Some(Place { pool, offset }) = place else { return };
        self.probe.event(Event::Place { outcome, buffer, pool: pool.0, offset });
        self.plan.places[buffer] = Some(Place { pool, offset });
    }
}

/// Facts of each buffer for the traversal: its bytes and the number of its key. Keys are numbered
/// in order of first appearance.
fn facts(problem: &Problem, keys: &IdVec<BufferId, Option<ReuseKey>>) -> Vec<Facts> {
    let mut numbers: HashMap<Option<&ReuseKey>, u32> = HashMap::new();
    let mut number = |key| {
        let next = numbers.len() as u32;
        *numbers.entry(key).or_insert(next)
    };
    let facts = |(id, buffer): (BufferId, &Buffer)| Facts {
        key: number(keys[id].as_ref()),
        bytes: buffer.size,
        ..Facts::default()
    };
    problem.buffers.enumerate().map(facts).collect()
}

/// Returns which buffer is made in place of which, by the rules of the original's scheduler:
///
/// * the graph permits it, and no later node reads the old buffer,
/// * device, arena, element type and alignment are equal,
/// * the new buffer has 95 % to 100 % of the old buffer's bytes.
fn pairs(problem: &Problem, keys: &IdVec<BufferId, Option<ReuseKey>>, branches: &Branches) -> Pairs {
    let mut pairs = Pairs::default();
    for pair in &problem.inplace {
        let (old, new) = (&problem.buffers[pair.input], &problem.buffers[pair.output]);
        let planned = old.kind == Kind::Intermediate && matches!(new.kind, Kind::Intermediate | Kind::Output);
        let meets_once =
            new.live.start == pair.node.0 && old.live.end == pair.node.0 + 1 && old.live.start < pair.node.0;
        let kind = |id: BufferId| keys[id].as_ref().map(|key| (key.memory, key.dtype, key.align));
        let fits = new.size <= old.size && new.size as u128 * 100 >= old.size as u128 * 95;
        pairs.judge(pair.output, pair.input, || {
            if !planned {
                Some((Note::InPlaceKind, 0, 0))
            } else if !meets_once {
                Some((Note::InPlaceAlive, 0, 0))
            } else if !fits {
                Some((Note::InPlaceShare, old.size, new.size))
            } else if kind(pair.input) != kind(pair.output) {
                Some((Note::InPlaceKey, 0, 0))
            } else if !branches.allow(pair.input, pair.output) {
                Some((Note::InPlaceParallel, 0, 0))
            } else {
                None
            }
        });
    }
    pairs
}

/// Estimates the bytes at each node of an ordinary graph: buffers made by nodes, each until its
/// last reader has run. What overwrites an operand is counted beside it at its node: the original
/// estimates before it knows that.
fn estimate(problem: &Problem, graph: &Graph) -> PeakEstimate {
    let planned = problem.buffers.iter().filter(|buffer| matches!(buffer.kind, Kind::Intermediate | Kind::Output));
    let span = planned.map(|buffer| Span {
        bytes: buffer.size,
        from: buffer.live.start as usize,
        until: (buffer.kind == Kind::Intermediate).then_some(buffer.live.end as usize),
    });
    let of_several = problem.buffers.iter().filter(|buffer| buffer.tensors.len() > 1);
    let storages: BTreeMap<TensorId, u64> =
        of_several.flat_map(|buffer| buffer.tensors.iter().map(|&tensor| (tensor, buffer.size))).collect();
    // Few nodes have aliases, and names of operators are slow to look up.
    let overwriting = graph.nodes.enumerate().filter(|(_, node)| node.aliases().next().is_some() && !node.is_view());
    let twice = overwriting.flat_map(|(id, node)| {
        let storages = &storages;
        node.aliases().filter_map(move |(_, output)| {
            let from = id.index();
            Some(Span { bytes: *storages.get(&output)?, from, until: Some(from + 1) })
        })
    });
    PeakEstimate::of(problem.steps as usize, span.chain(twice))
}

#[cfg(test)]
mod tests;
