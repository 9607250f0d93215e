//! Is a plan one of this instance, and does it keep the rules? No planner is asked.

use std::collections::BTreeMap;

use memplan_core::base::Message;
use memplan_core::graph::Fault;
use memplan_core::plan::check;
use memplan_core::problem::{Buffer, Problem};
use memplan_formats::import::{self, Answers, Document};
use memplan_planners::plan_at;

/// What the check of a plan found.
#[derive(Clone, PartialEq, Debug)]
pub struct Judged {
    /// Bytes that the plan needs.
    pub peak: u64,
    /// Number of buffers that have a place.
    pub placed: u64,
    /// Every rule that it breaks.
    pub violations: Vec<Message>,
}

/// Returns the buffers of an instance's file, without positions and capacity.
///
/// # Errors
/// The faults of the file; one if it holds a graph.
pub fn buffers(bytes: &[u8]) -> Result<Problem, Vec<Fault>> {
    let graph = || vec![Fault::new("", Message::new("league.no-buffers"))];
    let mut problem = import::read(bytes, Answers::default())?.document.into_buffers().ok_or_else(graph)?;
    problem.buffers.iter_mut().for_each(|buffer| buffer.fixed = None);
    Ok(Problem { capacity: None, ..problem })
}

/// Returns the offsets of a file's plan with the buffers that they are for, in bytes.
///
/// # Errors
/// The faults of the file; one if it holds no plan.
pub fn of_plan(bytes: &[u8]) -> Result<(Problem, Vec<Option<u64>>), Vec<Fault>> {
    match import::read(bytes, Answers::default())?.document {
        Document::Plan(problem, plan) => {
            let offsets = plan.places.iter().map(|place| place.map(|place| place.offset)).collect();
            Ok((problem, offsets))
        }
        _ => Err(vec![Fault::new("", Message::new("api.no-plan"))]),
    }
}

/// What counts of a buffer when instances are told apart: names and order differ from program to
/// program.
fn key(buffer: &Buffer) -> (u32, u32, u64) {
    (buffer.live.start, buffer.live.end, buffer.size)
}

/// Returns the digest of an instance: FNV-1a in 64 bits over `start,end,size` of all buffers, a
/// line each, sorted as text.
pub fn digest(problem: &Problem) -> String {
    let line = |buffer: &Buffer| {
        let (start, end, size) = key(buffer);
        format!("{start},{end},{size}\n")
    };
    let mut lines: Vec<String> = problem.buffers.iter().map(line).collect();
    lines.sort_unstable();
    let bytes = lines.iter().flat_map(|line| line.bytes());
    let hash =
        bytes.fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    format!("{hash:016x}")
}

/// Returns the offsets of a plan in the order of an instance, none for buffers that the plan leaves
/// out; none at all if the plan has a buffer that the instance has not. Buffers of equal life and
/// size stand for each other.
pub fn fitted(instance: &Problem, (plan, offsets): (&Problem, &[Option<u64>])) -> Option<Vec<Option<u64>>> {
    let mut given: BTreeMap<(u32, u32, u64), Vec<Option<u64>>> = BTreeMap::new();
    for (buffer, offset) in plan.buffers.iter().zip(offsets) {
        given.entry(key(buffer)).or_default().push(*offset);
    }
    // The first buffers of a kind take the first offsets.
    given.values_mut().for_each(|offsets| offsets.reverse());
    let taken =
        instance.buffers.iter().map(|buffer| given.get_mut(&key(buffer)).and_then(Vec::pop).flatten()).collect();
    given.values().all(Vec::is_empty).then_some(taken)
}

/// Checks offsets, in bytes and in the order of the instance: as a plan of one arena in which every
/// buffer holds all its bytes for its whole life.
pub fn judged(instance: &Problem, offsets: &[Option<u64>]) -> Judged {
    let pairs = instance.buffers.iter().zip(offsets).filter_map(|(buffer, offset)| Some((buffer, (*offset)?)));
    let (buffers, offsets): (Vec<Buffer>, Vec<u64>) = pairs.map(|(buffer, offset)| (whole(buffer), offset)).unzip();
    let placed = Problem { buffers: buffers.into_iter().collect(), ..instance.clone() };
    let plan = plan_at(&placed, &offsets);
    Judged {
        peak: plan.peak(&placed),
        placed: offsets.len() as u64,
        violations: check(&placed, &plan).iter().map(|violation| violation.message(&placed)).collect(),
    }
}

fn whole(buffer: &Buffer) -> Buffer {
    Buffer { gaps: Vec::new(), fixed: None, ..buffer.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "id,lower,upper,size\na,0,2,4\nb,1,3,4\nc,2,4,4\n";

    fn list() -> Problem {
        buffers(LIST.as_bytes()).expect("a list")
    }

    #[test]
    fn names_order_and_positions_do_not_change_the_digest() {
        let other = buffers(b"name;size;start;upper;offset\nx;4;2;4;0\ny;4;1;3;4\nz;4;0;2;0\n").expect("a plan");
        assert_eq!(digest(&list()), digest(&other));
        assert_eq!(digest(&Problem::default()), "cbf29ce484222325");
        let larger = buffers(LIST.replace("4\nb", "5\nb").as_bytes()).expect("a list");
        assert_ne!(digest(&list()), digest(&larger));
        assert!(buffers(include_bytes!("../../../../www/graphs/teaching.json")).is_err());
    }

    #[test]
    fn plans_are_judged_by_what_the_instance_states() {
        let fine = judged(&list(), &[Some(0), Some(4), Some(0)]);
        assert_eq!((fine.peak, fine.placed, fine.violations.len()), (8, 3, 0));
        let part = judged(&list(), &[Some(0), None, Some(0)]);
        assert_eq!((part.peak, part.placed, part.violations.len()), (4, 2, 0));
        let broken = judged(&list(), &[Some(0), Some(2), Some(0)]);
        assert_eq!(broken.violations.len(), 2, "{broken:?}");
    }

    #[test]
    fn a_plan_of_another_program_is_put_into_the_order_of_the_instance() {
        let (plan, offsets) =
            of_plan(b"id,lower,upper,size,offset\nz,2,4,4,8\nx,0,2,4,0\ny,1,3,4,4\n").expect("a plan");
        assert_eq!(fitted(&list(), (&plan, &offsets)), Some(vec![Some(0), Some(4), Some(8)]));
        let (part, offsets) = of_plan(b"id,lower,upper,size,offset\nx,0,2,4,0\n").expect("a plan");
        assert_eq!(fitted(&list(), (&part, &offsets)), Some(vec![Some(0), None, None]));
        let (strange, offsets) = of_plan(b"id,lower,upper,size,offset\nx,0,3,4,0\n").expect("a plan");
        assert_eq!(fitted(&list(), (&strange, &offsets)), None);
        assert!(of_plan(LIST.as_bytes()).is_err());
    }
}
