//! `memplan write` for ExecuTorch programs.

use std::collections::{BTreeMap, BTreeSet};

use memplan::base::{IdVec, Message, align_up};
use memplan::import::{self, Answers, Document};
use memplan::plan::{Plan, PoolRole, check, metrics};
use memplan::problem::{Buffer, BufferId, Live, Problem};
use memplan::tflm::ALIGN;
use memplan::tflm::pte::Program;

use super::error::CliError;

/// A program with another plan.
pub struct Written {
    /// The file.
    pub data: Vec<u8>,
    /// Bytes of the planned memories, with the new plan and as the file was.
    pub with: u64,
    pub without: u64,
    /// The lower bound of what is planned.
    pub bound: u64,
}

/// Lets `plan` place what a program has places for, and writes the places into it.
pub fn written(
    data: &[u8],
    plan: impl FnOnce(Problem) -> Result<(Problem, Plan), CliError>,
) -> Result<Written, CliError> {
    let refuse = |refusal: Message| CliError::because(&refusal);
    let program = Program::read(data).map_err(refuse)?;
    let (problem, of_file) = read(data)?;
    let kept: Vec<BufferId> = problem.buffers.ids().filter(|&id| of_file.places[id].is_some()).collect();
    let asked = Problem {
        name: problem.name.clone(),
        buffers: kept.iter().map(|&id| plain(&program, &problem, id)).collect::<Vec<_>>().into(),
        memories: problem.memories.clone(),
        steps: problem.steps,
        ..Problem::default()
    };
    let (asked, plan) = plan(asked)?;
    if let Some(violation) = check(&asked, &plan).first() {
        return Err(CliError::because(&violation.message(&asked)));
    }

    let mut offsets = vec![None; program.slots.len()];
    // The memory of each pool, and the pools of each memory.
    let mut memories: BTreeMap<u32, u32> = BTreeMap::new();
    for (place, &id) in plan.places.iter().zip(&kept) {
        let place = place.ok_or_else(|| refuse(Message::new("tflm.left-out")))?;
        for tensor in &problem.buffers[id].tensors {
            // A tensor of the graph is a value of the program: `read` has seen to that.
            let at = tensor.0 as usize;
            let Some(slot) = program.slots.get(at).copied().flatten() else { continue };
            offsets[at] = Some(place.offset);
            let is_arena = !matches!(plan.pools[place.pool].role, PoolRole::Storage | PoolRole::Figure);
            if !is_arena || *memories.entry(place.pool.0).or_insert(slot.memory) != slot.memory {
                return Err(refuse(Message::new("pte.one-arena")));
            }
        }
    }
    if memories.values().collect::<BTreeSet<_>>().len() < memories.len() {
        return Err(refuse(Message::new("pte.one-arena")));
    }
    let pools = plan.pools.iter().enumerate();
    let sizes: BTreeMap<u32, u64> =
        pools.filter_map(|(at, pool)| Some((*memories.get(&(at as u32))?, align_up(pool.size, ALIGN)))).collect();
    let without = sizes.keys().map(|&memory| program.size(memory)).sum::<Result<u64, Message>>().map_err(refuse)?;
    let written = program.write(&offsets, &sizes).map_err(refuse)?;
    read_back(data, &written, &kept, &plan, &sizes)?;
    let bound = metrics(&asked, &plan).lower_bound;
    Ok(Written { data: written, with: sizes.values().sum(), without, bound })
}

/// A buffer without a graph, as ExecuTorch aligns it. What may hold its bytes from run to run is alive throughout.
fn plain(program: &Program, problem: &Problem, id: BufferId) -> Buffer {
    let buffer = &problem.buffers[id];
    let lasts = buffer.tensors.iter().any(|tensor| program.is_lasting.get(tensor.0 as usize) == Some(&true));
    let live = if lasts { Live::new(0, problem.steps) } else { buffer.live };
    Buffer { align: ALIGN, tensors: Vec::new(), live, ..buffer.clone() }
}

/// The buffers of a program and its own plan; every tensor of the program is one of the graph.
fn read(data: &[u8]) -> Result<(Problem, Plan), CliError> {
    let document = import::read(data, Answers::default()).map_err(|faults| CliError::faults(&faults))?.document;
    let Document::Planned(graph, problem, plan) = document else {
        return Err(CliError::because(&Message::new("pte.no-plan")));
    };
    let tensors = Program::read(data).map_err(|refusal| CliError::because(&refusal))?.slots.len();
    // The graph leaves out what no instruction names.
    if graph.tensors.len() != tensors {
        return Err(CliError::because(&Message::new("pte.unused")));
    }
    Ok((problem, plan))
}

/// The reader of the other commands, which shares no code with the writer, finds the same values, the new places and no overlap.
fn read_back(
    old: &[u8],
    new: &[u8],
    kept: &[BufferId],
    plan: &Plan,
    sizes: &BTreeMap<u32, u64>,
) -> Result<(), CliError> {
    let differs = |what: &str| Err(CliError::because(&Message::new("tflm.differs").text("what", what)));
    let ((before, _), (after, found)) = (read(old)?, read(new)?);
    if before != after {
        return differs("values");
    }
    let offset = |places: &IdVec<BufferId, Option<memplan::plan::Place>>, id| places[id].map(|place| place.offset);
    let mut planned = plan.places.ids();
    if !kept.iter().all(|&id| planned.next().is_some_and(|own| offset(&plan.places, own) == offset(&found.places, id)))
    {
        return differs("offsets");
    }
    if found.pools.iter().map(|pool| pool.size).sum::<u64>() != sizes.values().sum::<u64>() {
        return differs("sizes");
    }
    match check(&after, &found).first() {
        Some(violation) => Err(CliError::because(&violation.message(&after))),
        None => Ok(()),
    }
}
