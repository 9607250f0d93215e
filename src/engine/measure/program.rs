//! A plan written into an ExecuTorch program (docs/tflm.md): the offset of each tensor that has a
//! place, and the bytes of each planned memory.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::{IdVec, Message, align_up};
use crate::engine::answer::Failure;
use crate::engine::readers;
use crate::graph::Fault;
use crate::import::{Answers, Document};
use crate::plan::{Place, Plan, PoolRole, check, metrics};
use crate::problem::{Buffer, BufferId, Live, Problem};
use crate::tflm::ALIGN;
use crate::tflm::pte::Program;

/// A program whose tensors can get other places.
pub struct PlannedProgram<'a> {
    data: &'a [u8],
    program: Program<'a>,
    /// All its buffers.
    problem: Problem,
    /// Those that it states places for.
    kept: Vec<BufferId>,
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
        let (problem, own) = read(data, &program)?;
        let kept = problem.buffers.ids().filter(|&id| own.places[id].is_some()).collect();
        Ok(PlannedProgram { data, program, problem, kept })
    }

    /// The buffers to be planned, without a graph and as ExecuTorch aligns them.
    pub fn asked(&self) -> Problem {
        Problem {
            name: self.problem.name.clone(),
            buffers: self.kept.iter().map(|&id| self.plain(id)).collect::<Vec<_>>().into(),
            memories: self.problem.memories.clone(),
            steps: self.problem.steps,
            ..Problem::default()
        }
    }

    /// A buffer without a graph. What may hold its bytes from run to run is alive throughout.
    fn plain(&self, id: BufferId) -> Buffer {
        let buffer = &self.problem.buffers[id];
        let lasts = buffer.tensors.iter().any(|tensor| self.program.is_lasting.get(tensor.0 as usize) == Some(&true));
        let live = if lasts { Live::new(0, self.problem.steps) } else { buffer.live };
        Buffer { align: ALIGN, tensors: Vec::new(), live, ..buffer.clone() }
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
        for (place, &id) in plan.places.iter().zip(&self.kept) {
            let place = place.ok_or_else(|| refused(Message::new("tflm.left-out")))?;
            for tensor in &self.problem.buffers[id].tensors {
                // A tensor of the graph is a value of the program: `read` has seen to that.
                let at = tensor.0 as usize;
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
        let sizes: BTreeMap<u32, u64> =
            pools.filter_map(|(at, pool)| Some((*memories.get(&(at as u32))?, align_up(pool.size, ALIGN)))).collect();
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
        let ((before, _), (after, found)) = (read(self.data, &self.program)?, read(new, &program)?);
        if before != after {
            return differs("values");
        }
        let offset = |places: &IdVec<BufferId, Option<Place>>, id| places[id].map(|place| place.offset);
        let pairs = self.kept.iter().zip(plan.places.ids());
        if pairs.into_iter().any(|(&id, own)| offset(&plan.places, own) != offset(&found.places, id)) {
            return differs("offsets");
        }
        if found.pools.iter().map(|pool| pool.size).sum::<u64>() != sizes.values().sum::<u64>() {
            return differs("sizes");
        }
        check(&after, &found).first().map_or(Ok(()), |violation| Err(refused(violation.message(&after))))
    }
}

/// The buffers of a program and its own plan; every tensor of the program is one of the graph.
fn read(data: &[u8], program: &Program) -> Result<(Problem, Plan), Failure> {
    let Document::Planned(graph, problem, plan) = readers::read(data, &Answers::default())?.document else {
        return Err(refused(Message::new("pte.no-plan")));
    };
    // The graph leaves out what no instruction names.
    if graph.tensors.len() != program.slots.len() {
        return Err(refused(Message::new("pte.unused")));
    }
    Ok((problem, plan))
}

fn refused(why: Message) -> Failure {
    Failure::Faults(vec![Fault::new("", why)])
}
