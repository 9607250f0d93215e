//! An answer step by step: the graph as it is, and after each change, every one with a plan.

use super::change::GraphChange;
use super::finish::{Finished, quick, read};
use super::instance::{Lever, Request};
use super::search::striped;
use super::solve::Answer;
use memplan_core::base::Message;
use memplan_core::graph::Graph;

impl Answer {
    /// The graph as it is with a plan, and the same after each change, as far as time goes; the
    /// last one is that of the answer.
    ///
    /// # Errors
    /// A graph without sizes, or a plan that breaks a rule.
    pub fn stages(&self, graph: &Graph, request: &Request, stop: &dyn Fn() -> bool) -> Result<Vec<Finished>, Message> {
        let plain = Request { allow: [Lever::Planner].into(), ..request.clone() };
        let original = request.with_scratch(graph)?;
        let mut stages = vec![quick(&original, &plain)?];
        let (mut base, mut blocks) = (original, Vec::new());
        for (number, change) in self.changes.iter().enumerate() {
            if number + 1 == self.changes.len() || stop() {
                break;
            }
            let merges = match change {
                GraphChange::Free(_, merges) => *merges,
                _ => request.has(Lever::InPlace),
            };
            let asked = if merges { request } else { &plain };
            base = change.apply(&base);
            if let GraphChange::Stripes(block) = change {
                blocks.push(*block);
                blocks.sort_by_key(|block| block.first);
            }
            let (net, merged) = read(&base, asked)?;
            stages.push(quick(&striped(&base, &net, &merged, &blocks), asked)?);
        }
        if !self.changes.is_empty() {
            stages.extend(self.finished.clone());
        }
        Ok(stages)
    }
}
