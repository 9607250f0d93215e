//! Make it fit: an answer as it is shown, and what fills the fast memory at a step.

use std::cmp::Reverse;
use std::rc::Rc;

use memplan_core::base::Message;
use memplan_core::graph::{Node, TensorId};
use memplan_core::problem::{Buffer, load};
use memplan_engine::{AnswerToWrite, FitFile, Fitted, Planned};
use memplan_fit::FitRecord;
use memplan_replay::Run;
use memplan_scene::Index;
use serde_bytes::ByteBuf;

/// A plan with what is looked up in it.
pub type FitSide = (Rc<Run>, Rc<Index>);

/// An answer as it is shown.
#[derive(Debug)]
pub struct FitShown {
    /// The answer in figures.
    pub record: FitRecord,
    /// The graph as it is, and after each change, each with its number of changes.
    pub sides: Vec<(usize, FitSide)>,
    /// What can be taken away.
    pub files: Vec<(FitFile, ByteBuf)>,
    /// If something was found: what of it a TensorFlow Lite model can be written with, or why it
    /// cannot.
    pub to_write: Option<Result<AnswerToWrite, Message>>,
}

impl PartialEq for FitShown {
    /// Equal to itself alone: comparing plans would take as long as drawing them.
    fn eq(&self, other: &FitShown) -> bool {
        std::ptr::eq(self, other)
    }
}

impl FitShown {
    /// Returns what an answer shows.
    pub fn of(fitted: Fitted, index: impl Fn(&Run) -> Index) -> FitShown {
        let side = |(after, planned): (usize, Planned)| {
            let run = planned.into_run(None);
            let index = Rc::new(index(&run));
            (after, (Rc::new(run), index))
        };
        FitShown {
            record: fitted.record,
            sides: fitted.stages.into_iter().map(side).collect(),
            files: fitted.files,
            to_write: fitted.to_write,
        }
    }

    /// The plan after so many changes, if it was made.
    pub fn side(&self, moves: usize) -> Option<&FitSide> {
        self.sides.iter().find(|(after, _)| *after == moves).map(|(_, side)| side)
    }
    /// Whether a buffer lies in the fast memory.
    pub fn is_fast(&self, run: &Run, buffer: &Buffer) -> bool {
        let slower = self.record.budget.memories.get(1..).unwrap_or_default();
        let device = &run.problem.memories[buffer.memory].device;
        slower.iter().all(|memory| memory.name != *device)
    }

    /// Bytes alive in the fast memory, step by step.
    pub fn loads(&self, run: &Run) -> Vec<u64> {
        let problem = &run.problem;
        load(problem, |id| self.is_fast(run, &problem.buffers[id])).by_step(problem.steps)
    }

    /// The first step of the largest load of the fast memory, and its bytes.
    pub fn fullest(&self, run: &Run) -> (u32, u64) {
        self.fullest_steps(run, 1).first().copied().unwrap_or_default()
    }

    /// So many steps at which most is alive in the fast memory, with their bytes: the earlier first
    /// where they are equal.
    pub fn fullest_steps(&self, run: &Run, most: usize) -> Vec<(u32, u64)> {
        let mut steps: Vec<(u32, u64)> = (0..).zip(self.loads(run)).collect();
        let first = |a: &(u32, u64), b: &(u32, u64)| b.1.cmp(&a.1).then(a.0.cmp(&b.0));
        if steps.len() > most {
            steps.select_nth_unstable_by(most, first);
            steps.truncate(most);
        }
        steps.sort_unstable_by(first);
        steps
    }

    /// What is alive at a step in the fast memory with its bytes in use, the largest first.
    pub fn alive<'a>(&self, (run, index): &'a FitSide, step: u32) -> Vec<(&'a Buffer, u64)> {
        let mut alive = Vec::new();
        index.alive(&run.problem, step, step + 1, |id| {
            let buffer = &run.problem.buffers[id];
            let bytes = buffer.used_at(step);
            alive.push((buffer, bytes.end - bytes.start));
        });
        alive.retain(|&(buffer, bytes)| bytes > 0 && self.is_fast(run, buffer));
        alive.sort_by_key(|&(_, bytes)| Reverse(bytes));
        alive
    }
}

/// The operator of a step.
pub fn operator_at(run: &Run, step: u32) -> Option<&Node> {
    run.graph.as_ref()?.nodes.iter().nth(step as usize)
}

/// Key of the word for what a buffer is to an operator.
pub fn role(operator: Option<&Node>, buffer: &Buffer) -> &'static str {
    let among = |tensors: &[TensorId]| tensors.iter().any(|tensor| buffer.tensors.contains(tensor));
    match operator {
        Some(node) if among(&node.outputs) => "fit.role-made",
        Some(node) if among(&node.inputs) => "fit.role-read",
        _ => "fit.role-resting",
    }
}
