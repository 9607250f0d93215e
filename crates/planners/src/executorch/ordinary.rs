//! A problem as ExecuTorch would see it: specs by device, arenas as pools, and the answer as a
//! plan.

use std::collections::{BTreeMap, BTreeSet};

use super::bound::upper_of;
use super::from_graph::roles;
use super::rules::Rules;
use super::spec::{ALIGN, Answer, DEFAULT_ARENA, Refusal, Settings, Spec};
use super::stage::Stage;
use crate::{Input, Options, PlanError, branches};
use memplan_core::base::{Id, IdVec, Message};
use memplan_core::graph::{Graph, Kind, TensorId};
use memplan_core::plan::{Place, Plan, Pool, PoolId, PoolRole, Quirk, QuirkKind, Unplanned, Violation, check};
use memplan_core::problem::{Branches, Buffer, BufferId, Live, Memory, MemoryId, Problem};
use memplan_core::trace::{Event, Note, Probe};

/// Buffers that are planned together: those of one device.
pub struct Group {
    /// Device of its arenas.
    pub device: String,
    /// Its buffers in order of the input.
    pub specs: Vec<Spec>,
    /// The arenas they use, each with a memory of the problem that it stands for.
    pub arenas: BTreeMap<u32, MemoryId>,
}

/// Where the arenas of buffers come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Naming {
    /// The option `rules`, else the memory of the problem.
    Arenas,
    /// The caller has arenas of its own for each memory of the problem.
    Apart,
    /// As `Apart`, and the option `rules`, else the graph, pins buffers to some of the caller's
    /// arenas.
    Pins,
}

/// A problem made ready.
pub struct Task<'a> {
    /// The problem that is planned.
    pub problem: &'a Problem,
    /// Which buffers may share bytes.
    pub branches: Branches,
    /// The alignment of everything: 16, or a larger one asked for.
    pub settings: Settings,
    /// The processor's own memory first, then the others by name.
    pub groups: Vec<Group>,
    /// Buffers whose size has no upper bound, with the bytes at the hints.
    unbounded: Vec<(BufferId, u64)>,
    /// Weights: the original never plans a constant.
    constants: Vec<BufferId>,
    /// Whether some read is not counted, as its node declares to ignore it.
    ignores: bool,
}

impl<'a> Task<'a> {
    /// Specs of a problem in the order of its buffers.
    ///
    /// # Errors
    /// When an option is not understood or a size has no value.
    pub fn new(input: Input<'a>, options: &Options, naming: Naming) -> Result<Task<'a>, PlanError> {
        let problem = input.problem;
        let align = problem.buffers.iter().map(|buffer| buffer.align).fold(ALIGN, u64::max);
        let rules = Rules::read(options.get("rules"))?.arenas(problem.buffers.iter(), input.graph);
        let upper = input.graph.filter(|_| options.get("sizes") == "upper");
        let lives = input.graph.map_or_else(Vec::new, |graph| original_lives(graph, problem));
        let mut unbounded = Vec::new();
        let mut constants = Vec::new();
        let is_default = |memory: &&Memory| memory.mem_id == Some(DEFAULT_ARENA);
        let numbered: BTreeSet<&str> =
            problem.memories.iter().filter(is_default).map(|memory| memory.device.as_str()).collect();
        let mut groups: BTreeMap<(bool, &str, Option<u32>), Group> = BTreeMap::new();
        for (id, buffer) in problem.buffers.enumerate() {
            if buffer.kind == Kind::Weight {
                constants.push(id);
                continue;
            }
            let mut bytes = buffer.size;
            if let Some(graph) = upper
                && let Some(bound) = upper_of(buffer, graph)?
            {
                bytes = bound.bytes;
                if bound.unbounded {
                    unbounded.push((id, bytes));
                }
            }
            let memory = &problem.memories[buffer.memory];
            let mem_id = rules[id.index()].or(memory.mem_id);
            // A memory without a number uses the number of the default arena. Where the device has
            // a memory of that number, too, they are two memories all the same: one arena for both
            // could be smaller than the bound.
            let clashes = mem_id.is_none() && numbered.contains(memory.device.as_str());
            let pin =
                || input.graph.zip(buffer.tensors.first()).and_then(|(graph, &tensor)| graph.tensors[tensor].mem_id);
            let (own, mem_id) = match naming {
                Naming::Apart => (mem_id, None),
                // A memory that has a number still was not joined with the others of its device:
                // see `join_arenas`.
                Naming::Pins if memory.mem_id.is_some() => (memory.mem_id, rules[id.index()]),
                Naming::Pins => (None, rules[id.index()].or_else(pin)),
                Naming::Arenas if clashes => (Some(DEFAULT_ARENA), None),
                Naming::Arenas => (None, mem_id),
            };
            let spec = Spec {
                buffer: id,
                bytes,
                held: buffer.size,
                live: lives.get(id.index()).copied().unwrap_or(buffer.live),
                mem_id,
                align: ALIGN,
                base: None,
            };
            let group = groups
                .entry((!memory.device.starts_with("cpu"), &memory.device, own))
                .or_insert_with(|| Group { device: memory.device.clone(), specs: Vec::new(), arenas: BTreeMap::new() });
            group.arenas.entry(spec.arena()).or_insert(buffer.memory);
            group.specs.push(spec);
        }
        let reserved: u128 = groups.values().flat_map(|group| &group.specs).map(|spec| spec.bytes as u128).sum();
        if reserved + problem.buffers.len() as u128 * align as u128 > memplan_core::base::MAX_SAFE as u128 {
            return Err(PlanError::Refused(Message::new("fault.sum-too-large")));
        }
        Ok(Task {
            problem,
            branches: branches(input, options)?,
            settings: Settings::new(align),
            groups: groups.into_values().collect(),
            unbounded,
            constants,
            ignores: problem.buffers.iter().zip(&lives).any(|(buffer, live)| live.end < buffer.live.end),
        })
    }

    /// Plans every group with `run` and puts the answers together. `pool_name` names the pool of an
    /// arena.
    ///
    /// # Errors
    /// What `run` refuses.
    pub fn plan(
        &self,
        probe: &mut dyn Probe,
        pool_name: impl Fn(u32) -> String,
        mut run: impl FnMut(usize, &mut Stage) -> Result<Answer, Refusal>,
    ) -> Result<Plan, PlanError> {
        for &(buffer, bytes) in &self.unbounded {
            probe.event(Event::Note { note: Note::Unbounded, subject: buffer.0, a: bytes, b: 0 });
        }
        let mut plan = Plan::empty(self.problem);
        plan.unplanned = self.constants.iter().map(|&id| (id, Unplanned::WeightIsConstant)).collect();
        let mut stage = Stage::new(probe, self.problem.buffers.len());
        for (number, group) in self.groups.iter().enumerate() {
            stage.enter(&group.arenas);
            let answer = run(number, &mut stage).map_err(|refusal| refusal.explain(self.problem))?;
            for (spec, place) in group.specs.iter().zip(&answer.places) {
                plan.places[spec.buffer] =
                    place.map(|place| Place { pool: PoolId(stage.pool(place.mem_id)), offset: place.offset });
            }
            for &mem_id in group.arenas.keys() {
                let size = answer.arenas.get(&mem_id).copied().unwrap_or(0);
                let (name, device) = (pool_name(mem_id), group.device.clone());
                plan.pools.push(Pool { name, size, device, role: PoolRole::Arena });
            }
            stage.finalize(&group.specs, &answer);
            for (&mem_id, &size) in &answer.arenas {
                stage.note(Note::ArenaFinal, stage.pool(mem_id), size, 0);
            }
        }
        if !self.problem.buffers.is_empty() {
            probe.event(Event::Finalize);
        }
        if self.ignores {
            plan.quirks = check(self.problem, &plan).into_iter().filter_map(quirk).collect();
        }
        Ok(plan)
    }
}

/// Makes one memory of all arenas of a device, where the graph pins buffers to one of them.
pub fn join_arenas(problem: &mut Problem, graph: &Graph) {
    let mut memories: IdVec<MemoryId, Memory> = IdVec::new();
    let joined: IdVec<MemoryId, MemoryId> = problem
        .memories
        .iter()
        .map(|memory| {
            let same = |&id: &MemoryId| memories[id].device == memory.device;
            let known = memories.ids().find(same);
            known.unwrap_or_else(|| memories.push(Memory { device: memory.device.clone(), mem_id: None }))
        })
        .collect();
    let is_stated = |buffer: &Buffer| {
        let tensor = buffer.tensors.first().and_then(|&tensor| graph.tensors.get(tensor));
        tensor.is_some_and(|tensor| tensor.mem_id == problem.memories[buffer.memory].mem_id)
    };
    if problem.buffers.iter().all(is_stated) {
        problem.buffers.iter_mut().for_each(|buffer| buffer.memory = joined[buffer.memory]);
        problem.memories = memories;
    }
}

fn quirk(violation: Violation) -> Option<Quirk> {
    match violation {
        Violation::Overlap { a, b, .. } => Some(Quirk { kind: QuirkKind::IgnoredRead, a, b }),
        _ => None,
    }
}

/// Live ranges as the original counts them where a graph has more than the problem; empty if it
/// does not. What a placeholder holds is there from the start, a buffer that the program changes
/// lives through the whole run, and reads that nodes declare to ignore are not counted. What the
/// program returns or keeps lives to the end all the same.
fn original_lives(graph: &Graph, problem: &Problem) -> Vec<Live> {
    if graph.nodes.iter().all(|node| node.ignore_inputs.is_empty() && !node.is_placeholder()) {
        return Vec::new();
    }
    let roles = roles(graph);
    let mut buffer_of: IdVec<TensorId, Option<BufferId>> = IdVec::from_elem(None, graph.tensors.len());
    let mut lives: IdVec<BufferId, Live> = IdVec::from_elem(Live { start: 0, end: 0 }, problem.buffers.len());
    for (id, buffer) in problem.buffers.enumerate() {
        buffer.tensors.iter().for_each(|&tensor| buffer_of[tensor] = Some(id));
        let stays = |&tensor: &TensorId| matches!(graph.tensors[tensor].kind, Kind::Output | Kind::Weight);
        let is_kept = |tensor: &TensorId| graph.stated.kept.contains(tensor);
        let to_the_end = buffer.tensors.is_empty() || buffer.tensors.iter().any(|id| stays(id) || is_kept(id));
        let start = buffer.live.start;
        lives[id] = Live::new(start, if to_the_end { buffer.live.end } else { start + 1 });
        if buffer.tensors.iter().any(|&tensor| roles[tensor].mutable_buffer) {
            lives[id] = Live::new(0, problem.steps);
        }
    }
    for (step, node) in graph.nodes.enumerate() {
        let read = node.inputs.iter().enumerate();
        let read = read.filter(|(slot, _)| !node.ignore_inputs.contains(&(*slot as u32))).map(|(_, tensor)| tensor);
        for buffer in read.chain(&node.outputs).filter_map(|&tensor| buffer_of[tensor]) {
            lives[buffer].end = lives[buffer].end.max(step.0 + 1);
        }
        if node.is_placeholder() {
            node.outputs.iter().filter_map(|&tensor| buffer_of[tensor]).for_each(|buffer| lives[buffer].start = 0);
        }
    }
    lives.iter().copied().collect()
}
