//! An answer step by step: the graph as it is, and after each change, every one with a plan.

use std::rc::Rc;

use super::finish::{Finished, quick, read};
use super::instance::{Lever, Request};
use super::search::striped;
use super::solve::Answer;
use crate::base::Message;
use crate::graph::{Graph, TensorId};
use crate::transform::{Block, bank, clone_before, spill};

/// A change as it can be made again, one for each of the moves that are told.
#[derive(Clone, PartialEq, Debug)]
pub enum Step {
    /// What a lever that costs nothing made of the graph, and whether outputs take over the storage of inputs.
    Free(Rc<Graph>, bool),
    /// A tensor leaves after a step and is back before another.
    Spill(TensorId, usize, usize, String),
    /// Tensors lie in another memory.
    Bank(Vec<TensorId>, String),
    /// The operator at a step runs again before another.
    Again(usize, usize),
    /// Operators run in stripes.
    Stripes(Block),
}

impl Step {
    /// The changed graph. Stripes are of a graph that nothing else changes any more (see [`Answer::stages`]).
    pub fn apply(&self, graph: &Graph) -> Graph {
        match self {
            Step::Free(made, _) => (**made).clone(),
            Step::Spill(tensor, last, next, memory) => spill(graph, *tensor, Some(*last), *next, memory),
            Step::Bank(tensors, memory) => bank(graph, tensors, memory),
            Step::Again(maker, next) => clone_before(graph, *maker, *next),
            Step::Stripes(_) => graph.clone(),
        }
    }
}

impl Answer {
    /// The graph as it is with a plan, and the same after each change, as far as time goes; the last one is that of the answer.
    ///
    /// # Errors
    /// A graph without sizes, or a plan that breaks a rule.
    pub fn stages(&self, graph: &Graph, request: &Request, stop: &dyn Fn() -> bool) -> Result<Vec<Finished>, Message> {
        let plain = Request { allow: [Lever::Planner].into(), ..request.clone() };
        let original = request.with_scratch(graph)?;
        let mut stages = vec![quick(&original, &plain)?];
        let (mut base, mut blocks) = (original, Vec::new());
        for (number, step) in self.steps.iter().enumerate() {
            if number + 1 == self.steps.len() || stop() {
                break;
            }
            let merges = match step {
                Step::Free(_, merges) => *merges,
                _ => request.has(Lever::InPlace),
            };
            let asked = if merges { request } else { &plain };
            base = step.apply(&base);
            if let Step::Stripes(block) = step {
                blocks.push(*block);
                blocks.sort_by_key(|block| block.first);
            }
            let (net, merged) = read(&base, asked)?;
            stages.push(quick(&striped(&base, &net, &merged, &blocks), asked)?);
        }
        if !self.steps.is_empty() {
            stages.extend(self.finished.clone());
        }
        Ok(stages)
    }
}
