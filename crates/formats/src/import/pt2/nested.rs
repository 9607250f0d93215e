//! Nodes that run graphs of their own: `cond`, `while_loop`, and graphs that run once in place.
//! Such a node is one step, and what is alive inside beyond the bytes of its results is scratch of
//! that step.
//!
//! Source: pytorch/pytorch 2.15.0, `torch/_higher_order_ops/cond.py` (`cond_op_dense`) and
//! `while_loop.py` (`while_loop_dense`): a branch is called as a function; a loop holds the states
//! before a turn until the turn has made the next ones.

use super::super::build::{Builder, Slot, unknown_shape};
use super::super::loose::{Loose, Object, member};
use super::super::peak::{bytes, larger, peak};
use super::super::shape::Extent;
use super::program::{ProgramReader, Signature, items, tensors_of};
use memplan_core::graph::{Dtype, Fault, Kind};

use Extent::{Known, Open};

/// How deep graphs may lie in each other.
const MAX_DEPTH: usize = 16;

/// Operators that run their graph once, on their operands.
const ONCE: [&str; 7] = [
    "hints_wrapper",
    "invoke_subgraph",
    "strict_mode",
    "tag_activation_checkpoint",
    "wrap",
    "wrap_with_autocast",
    "wrap_with_set_grad_enabled",
];

impl<'a> ProgramReader<'a> {
    /// Returns the scratch of a node that runs graphs; none of other nodes. `outputs`: its results.
    ///
    /// # Errors
    /// Graphs inside that are not understood.
    pub(super) fn scratch(
        &mut self,
        node: &str,
        op: &str,
        arguments: &'a [Loose<'a>],
        outputs: &[Slot],
    ) -> Result<Option<Slot>, Vec<Fault>> {
        let graph = |one: &'a Loose<'a>| match member(member(member(one, "arg")?, "as_graph")?, "graph")? {
            Loose::Object(graph) => Some(graph),
            _ => None,
        };
        let graphs: Vec<&'a Object<'a>> = arguments.iter().filter_map(graph).collect();
        if graphs.is_empty() {
            return Ok(None);
        }
        let loops = op == "while_loop";
        if !(loops || op == "cond" || ONCE.contains(&op)) || self.nested.depth >= MAX_DEPTH {
            *self.nested.unread.entry(op.to_string()).or_insert(0) += 1;
            return Ok(None);
        }
        let states = if loops { outputs.len() } else { 0 };
        let (mut most, mut held) = (Known(0), Known(0));
        for graph in graphs {
            let (inside, results) = self.inside(graph, states)?;
            most = larger(&most, &inside.plus(&held));
            // The flag that lets a loop go on stays while its body runs.
            held = if loops { results } else { Known(0) };
        }
        let own = larger(&most.minus(&together(&self.builder, outputs)), &Known(0));
        self.nested.planned.push((node.to_string(), own.clone()));
        if own == Known(0) {
            return Ok(None);
        }
        let shape = if own == Open { unknown_shape() } else { vec![own.raw()] };
        Ok(Some(self.builder.tensor(&format!("{node}/body"), Dtype::UInt8, shape, Kind::Intermediate)))
    }

    /// The most bytes alive inside a graph, results included, and the bytes of these. Its first
    /// `states` inputs have storage of their own, which lasts as long as the graph; the others are
    /// operands of the node.
    fn inside(&mut self, graph: &'a Object<'a>, states: usize) -> Result<(Extent, Extent), Vec<Fault>> {
        let inputs: Vec<String> = items(graph, "inputs").iter().flat_map(|one| tensors_of(Some(one))).collect();
        let kind = |at: usize| if at < states { Kind::Input } else { Kind::Weight };
        let signature = Signature {
            kinds: inputs.iter().enumerate().map(|(at, name)| (name.clone(), kind(at))).collect(),
            outputs: items(graph, "outputs").iter().flat_map(|one| tensors_of(Some(one))).collect(),
            ..Signature::default()
        };
        let extents = std::mem::take(&mut self.extents);
        let mut inner = ProgramReader::new(Builder::new(""), extents, signature, graph)?;
        inner.nested.depth = self.nested.depth + 1;
        inner.graph(graph)?;
        let slots = |name: &String| inner.slots.get(name).copied();
        let results: Vec<Slot> = inner.signature.outputs.iter().filter_map(slots).collect();
        let handed: Vec<Slot> = inputs.iter().take(states).filter_map(slots).chain(results.iter().copied()).collect();
        self.extents = inner.extents;
        for (op, count) in inner.nested.unread {
            *self.nested.unread.entry(op).or_insert(0) += count;
        }
        Ok((peak(inner.builder.raw(), &handed), together(&inner.builder, &results)))
    }
}

fn together(builder: &Builder, slots: &[Slot]) -> Extent {
    let tensors = &builder.raw().tensors;
    slots.iter().fold(Known(0), |sum: Extent, slot| sum.plus(&bytes(&tensors[slot.0])))
}
