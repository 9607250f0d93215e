//! A plan written into an ExecuTorch program (docs/tflm.md): the offset of each tensor that has a
//! place, and the bytes of each planned memory.

use std::collections::{BTreeMap, BTreeSet};

use crate::answer::Failure;
use crate::readers;
use memplan_core::base::{IdVec, Message, align_up};
use memplan_core::graph::{Attr, Fault, Graph, Node, TensorId};
use memplan_core::plan::{Place, Plan, PoolRole, check, metrics};
use memplan_core::problem::{Buffer, BufferId, Gap, Live, Problem};
use memplan_formats::import::{Answers, Document};
use memplan_formats::pte::Program;
use memplan_formats::tflm::ALIGN;

/// A program whose tensors can get other places.
pub struct PlannedProgram<'a> {
    program: Program<'a>,
    /// Its graph.
    graph: Graph,
    /// All its buffers.
    problem: Problem,
    /// Those that it states places for, in groups that share their bytes.
    groups: Vec<Vec<BufferId>>,
    /// Live ranges that are longer than those of the file, because only its own places allow them.
    longer: BTreeMap<BufferId, Live>,
}

/// A program with another plan.
pub struct WrittenProgram {
    /// The file.
    pub data: Vec<u8>,
    /// Bytes of the planned memories with the new plan.
    pub with: u64,
    /// The same as the program was.
    pub without: u64,
    /// The lower bound of what is planned, in bytes.
    pub bound: u64,
}

impl<'a> PlannedProgram<'a> {
    /// Reads a `.pte` file that is not compressed.
    ///
    /// # Errors
    /// What is wrong with the file, or why its tensors cannot get other places.
    pub fn read(data: &'a [u8]) -> Result<PlannedProgram<'a>, Failure> {
        let program = Program::read(data).map_err(refused)?;
        let (graph, problem, own) = read(data, &program)?;
        // The program was planned by a system that knows more than its file states.
        if let Some(violation) = check(&problem, &own).first() {
            return Err(refused(Message::new("pte.own-invalid").inner("reason", violation.message(&problem))));
        }
        let results = Results::of(&graph, &problem, &own);
        let (groups, longer) = (results.groups(&problem, &own), results.longer);
        Ok(PlannedProgram { program, graph, problem, groups, longer })
    }

    /// The buffers to be planned, without a graph and as ExecuTorch aligns them.
    pub fn asked(&self) -> Problem {
        Problem {
            name: self.problem.name.clone(),
            buffers: self.groups.iter().map(|group| self.plain(group)).collect::<Vec<_>>().into(),
            memories: self.problem.memories.clone(),
            steps: self.problem.steps,
            ..Problem::default()
        }
    }

    /// One buffer for those that share their bytes, without a graph.
    fn plain(&self, group: &[BufferId]) -> Buffer {
        let mut lives: Vec<Live> = group.iter().filter_map(|id| self.longer.get(id)).copied().collect();
        lives.extend(group.iter().flat_map(|&id| self.problem.buffers[id].spans()).map(|span| span.live));
        lives.sort_unstable();
        let first = &self.problem.buffers[group[0]];
        let mut live = lives.first().copied().unwrap_or(first.live);
        let mut gaps = Vec::new();
        for next in lives {
            if next.start > live.end {
                gaps.push(Gap { live: Live::new(live.end, next.start), window: None });
            }
            live.end = live.end.max(next.end);
        }
        Buffer { align: ALIGN, tensors: Vec::new(), live, gaps, ..first.clone() }
    }

    /// Writes a plan of the buffers that were [asked](Self::asked) for, in the same order. The file
    /// has been read back: it has the same values, the new places and no overlap.
    ///
    /// # Errors
    /// The first fault of the plan, or why the program cannot have it.
    pub fn written(&self, asked: &Problem, plan: &Plan) -> Result<WrittenProgram, Failure> {
        if let Some(violation) = check(asked, plan).first() {
            return Err(refused(violation.message(asked)));
        }
        let mut offsets = vec![None; self.program.slots.len()];
        // The memory of each pool.
        let mut memories: BTreeMap<u32, u32> = BTreeMap::new();
        let slot_of: Vec<usize> = used(&self.program).collect();
        for (place, group) in plan.places.iter().zip(&self.groups) {
            let place = place.ok_or_else(|| refused(Message::new("tflm.left-out")))?;
            for tensor in group.iter().flat_map(|&id| &self.problem.buffers[id].tensors) {
                // A tensor of the graph is a value of the program: `read` has seen to that.
                let at = slot_of[tensor.0 as usize];
                let Some(slot) = self.program.slots.get(at).copied().flatten() else { continue };
                offsets[at] = Some(place.offset);
                let is_arena = !matches!(plan.pools[place.pool].role, PoolRole::Storage | PoolRole::Figure);
                if !is_arena || *memories.entry(place.pool.0).or_insert(slot.memory) != slot.memory {
                    return Err(refused(Message::new("pte.one-arena")));
                }
            }
        }
        if memories.values().collect::<BTreeSet<_>>().len() < memories.len() {
            return Err(refused(Message::new("pte.one-arena")));
        }
        let pools = plan.pools.iter().enumerate();
        let size = |bytes: u64| align_up(bytes, ALIGN).saturating_add(self.program.behind);
        let sizes: BTreeMap<u32, u64> =
            pools.filter_map(|(at, pool)| Some((*memories.get(&(at as u32))?, size(pool.size)))).collect();
        let without = sizes.keys().map(|&memory| self.program.size(memory)).sum::<Result<u64, Message>>();
        let data = self.program.write(&offsets, &sizes).map_err(refused)?;
        self.read_back(&data, plan, &sizes)?;
        let bound = metrics(asked, plan).lower_bound;
        Ok(WrittenProgram { data, with: sizes.values().sum(), without: without.map_err(refused)?, bound })
    }

    /// The reader of other tools' files, which shares no code with the writer, finds the same
    /// values, the new places and no overlap.
    fn read_back(&self, new: &[u8], plan: &Plan, sizes: &BTreeMap<u32, u64>) -> Result<(), Failure> {
        let differs = |what: &str| Err(refused(Message::new("tflm.differs").text("what", what)));
        let program = Program::read(new).map_err(refused)?;
        let (graph, after, found) = read(new, &program)?;
        if self.graph != graph || self.problem.buffers.len() != after.buffers.len() {
            return differs("values");
        }
        let offset = |places: &IdVec<BufferId, Option<Place>>, id| places[id].map(|place| place.offset);
        let mut pairs = self.groups.iter().zip(plan.places.ids());
        let is_moved = |(group, own): (&Vec<BufferId>, BufferId)| {
            group.iter().any(|&id| offset(&plan.places, own) != offset(&found.places, id))
        };
        if pairs.any(is_moved) {
            return differs("offsets");
        }
        if found.pools.iter().map(|pool| pool.size).sum::<u64>() != sizes.values().sum::<u64>() {
            return differs("sizes");
        }
        check(&after, &found).first().map_or(Ok(()), |violation| Err(refused(violation.message(&after))))
    }
}

/// Buffers that branches of a program leave their results in (docs/formats.md, `joins`).
#[derive(Default)]
struct Results {
    /// For some buffers an earlier one that they share bytes with.
    joins: BTreeMap<BufferId, BufferId>,
    /// Buffers that are alive as long as the name that they are moved to, beside their own life.
    longer: BTreeMap<BufferId, Live>,
}

impl Results {
    fn of(graph: &Graph, problem: &Problem, own: &Plan) -> Results {
        let mut results = Results::default();
        let moves: Vec<&Node> = graph.nodes.iter().filter(|node| node.op == "move" && node.inputs.len() == 2).collect();
        if moves.is_empty() {
            return results;
        }
        let mut buffer_of: BTreeMap<TensorId, BufferId> = BTreeMap::new();
        for (id, buffer) in problem.buffers.enumerate().filter(|(id, _)| own.places[*id].is_some()) {
            buffer_of.extend(buffer.tensors.iter().map(|&tensor| (tensor, id)));
        }
        let named: BTreeMap<&str, TensorId> =
            graph.tensors.enumerate().map(|(id, tensor)| (tensor.name.as_str(), id)).collect();
        let mut apart = Vec::new();
        for node in moves {
            let pair = [node.inputs[0], node.inputs[1]].map(|tensor| buffer_of.get(&tensor).copied());
            let [Some(from), Some(to)] = pair else { continue };
            let other = node.attrs.get("joins").and_then(|attr| match attr {
                Attr::Text(name) | Attr::Json(name) => buffer_of.get(named.get(name.as_str())?).copied(),
            });
            match other.map(|other| (results.first(from), results.first(other))) {
                Some((one, other)) if one != other => _ = results.joins.insert(one.max(other), one.min(other)),
                Some(_) => {}
                None => apart.push((from, to)),
            }
        }
        // What a result is moved to may be moved on: as often as there are moves.
        for _ in 0..apart.len() {
            let before = results.longer.clone();
            for &(from, to) in &apart {
                let members = problem.buffers.ids().filter(|&id| results.first(id) == results.first(to));
                let lives: Vec<Live> = members.map(|id| results.life(problem, id)).collect();
                let own = results.life(problem, from);
                let start = lives.iter().map(|live| live.start).fold(own.start, u32::min);
                let end = lives.iter().map(|live| live.end).fold(own.end, u32::max);
                results.longer.insert(from, Live::new(start, end));
            }
            if results.longer == before {
                break;
            }
        }
        results
    }

    fn life(&self, problem: &Problem, id: BufferId) -> Live {
        self.longer.get(&id).copied().unwrap_or(problem.buffers[id].live)
    }

    /// The first of the buffers that share bytes with this one.
    fn first(&self, mut id: BufferId) -> BufferId {
        while let Some(&before) = self.joins.get(&id) {
            id = before;
        }
        id
    }

    /// The buffers that the program places, in groups that share their bytes.
    fn groups(&self, problem: &Problem, own: &Plan) -> Vec<Vec<BufferId>> {
        let mut groups: BTreeMap<BufferId, Vec<BufferId>> = BTreeMap::new();
        for id in problem.buffers.ids().filter(|&id| own.places[id].is_some()) {
            groups.entry(self.first(id)).or_default().push(id);
        }
        groups.into_values().collect()
    }
}

/// The tensors of a program that its graph has, by their number among its tensors.
fn used<'p>(program: &'p Program) -> impl Iterator<Item = usize> + 'p {
    program.is_used.iter().enumerate().filter(|(_, used)| **used).map(|(at, _)| at)
}

/// The graph of a program, its buffers and its own plan.
fn read(data: &[u8], program: &Program) -> Result<(Graph, Problem, Plan), Failure> {
    let Document::Planned(graph, problem, plan) = readers::read(data, &Answers::default())?.document else {
        return Err(refused(Message::new("pte.no-plan")));
    };
    // The graph leaves out what nothing names.
    if graph.tensors.len() != used(program).count() {
        return Err(refused(Message::new("tflm.differs").text("what", "values")));
    }
    Ok((graph, problem, plan))
}

fn refused(why: Message) -> Failure {
    Failure::Faults(vec![Fault::new("", why)])
}
