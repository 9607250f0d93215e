//! What a step of training holds each buffer for, and how many bytes of each class are alive when.
//!
//! PyTorch's memory profiler (`torch/profiler/_memory_profiler.py`) has the same classes. Here they
//! follow from two things that a file states, the loss and the gradients ([`TrainingRole`]), and
//! from live ranges: a buffer made before the backward pass and read in it is an activation.

use super::{Buffer, BufferId, Load, Problem, load};
use crate::base::{Id, IdVec};
use crate::graph::{Graph, Kind, TrainingRole};

/// What a step of training holds a buffer for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum BufferClass {
    /// A parameter of the network, or another constant.
    Weight,
    /// Supplied by the caller.
    Input,
    /// Made in the forward pass, and read in the backward pass.
    Activation,
    /// The gradient of a weight or an input.
    Gradient,
    /// Used up within its pass.
    Temporary,
    /// Handed to the caller, and no gradient: the loss is one.
    Output,
}

impl BufferClass {
    /// All classes, from what is alive longest to what is alive shortest.
    pub const ALL: [BufferClass; 6] = [
        BufferClass::Weight,
        BufferClass::Input,
        BufferClass::Output,
        BufferClass::Activation,
        BufferClass::Gradient,
        BufferClass::Temporary,
    ];

    /// The last part of keys of its words.
    pub const fn name(self) -> &'static str {
        match self {
            BufferClass::Weight => "weight",
            BufferClass::Input => "input",
            BufferClass::Activation => "activation",
            BufferClass::Gradient => "gradient",
            BufferClass::Temporary => "temporary",
            BufferClass::Output => "output",
        }
    }
}

/// The classes of all buffers of a graph of training.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Classes {
    /// The first step of the backward pass.
    pub backward: u32,
    of: IdVec<BufferId, BufferClass>,
}

/// The bytes of one class over time.
#[derive(Clone, PartialEq, Debug)]
pub struct Stratum {
    /// The class.
    pub class: BufferClass,
    /// Bytes of it that are alive, all memories together.
    pub load: Load,
    /// Bytes of it and of the classes before it.
    pub up_to: Load,
}

impl Classes {
    /// Returns the classes of a problem's buffers; none of a graph that states no loss, which is no
    /// step of training. `graph` is in the order in which it runs.
    pub fn of(problem: &Problem, graph: Option<&Graph>) -> Option<Classes> {
        let graph = graph?;
        let is_loss = |tensor: &_| graph.tensors[*tensor].role == Some(TrainingRole::Loss);
        let made = graph.nodes.enumerate().find(|(_, node)| node.outputs.iter().any(is_loss))?;
        let backward = made.0.index() as u32 + 1;
        let of = problem.buffers.iter().map(|buffer| class(graph, backward, buffer)).collect();
        Some(Classes { backward, of })
    }

    /// The class of a buffer.
    pub fn class(&self, id: BufferId) -> BufferClass {
        self.of[id]
    }

    /// The bytes of each class over time, in the order of [`BufferClass::ALL`]; classes without a
    /// byte are left out.
    pub fn strata(&self, problem: &Problem) -> Vec<Stratum> {
        let rank = |class| BufferClass::ALL.into_iter().position(|one| one == class);
        let stratum = |class| Stratum {
            class,
            load: load(problem, |id| self.of[id] == class),
            up_to: load(problem, |id| rank(self.of[id]) <= rank(class)),
        };
        BufferClass::ALL.into_iter().map(stratum).filter(|stratum| stratum.load.max() > 0).collect()
    }
}

fn class(graph: &Graph, backward: u32, buffer: &Buffer) -> BufferClass {
    let roles = buffer.tensors.iter().filter_map(|&tensor| graph.tensors.get(tensor)?.role);
    let is_gradient = roles.into_iter().any(|role| role == TrainingRole::Gradient);
    match buffer.kind {
        Kind::Weight => BufferClass::Weight,
        Kind::Input => BufferClass::Input,
        Kind::Intermediate | Kind::Output if is_gradient => BufferClass::Gradient,
        Kind::Output => BufferClass::Output,
        Kind::Intermediate if buffer.live.start < backward && buffer.live.end > backward => BufferClass::Activation,
        Kind::Intermediate => BufferClass::Temporary,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{self, Dtype, RawDim, RawGraph, RawNode, RawTensor};
    use crate::problem::{Scope, lifetimes};

    /// x, w → h → loss; back: s (needs h) → gradient of w.
    fn training(role: Option<TrainingRole>) -> Graph {
        let tensor = |name: &str, kind, role| {
            let shape = Some(vec![RawDim::Fixed(8)]);
            let (name, dtype) = (Some(name.to_string()), Some(Dtype::UInt8));
            RawTensor { name, dtype, shape, kind: Some(kind), role, ..RawTensor::default() }
        };
        let node = |name: &str, inputs: &[&str], output: &str| {
            let inputs = inputs.iter().map(|name| name.to_string()).collect();
            let (name, op) = (Some(name.to_string()), Some("op".to_string()));
            RawNode { name, op, inputs, outputs: vec![output.to_string()], ..RawNode::default() }
        };
        let raw = RawGraph {
            tensors: vec![
                tensor("x", Kind::Input, None),
                tensor("w", Kind::Weight, None),
                tensor("t", Kind::Intermediate, None),
                tensor("h", Kind::Intermediate, None),
                tensor("loss", Kind::Output, role),
                tensor("s", Kind::Intermediate, None),
                tensor("dw", Kind::Output, Some(TrainingRole::Gradient)),
            ],
            nodes: vec![
                node("a", &["x", "w"], "t"),
                node("b", &["t"], "h"),
                node("c", &["h"], "loss"),
                node("d", &["loss"], "s"),
                node("e", &["s", "h"], "dw"),
            ],
            ..RawGraph::default()
        };
        graph::check(raw).unwrap().0
    }

    #[test]
    fn classes_follow_from_the_loss_the_gradients_and_the_live_ranges() {
        let graph = training(Some(TrainingRole::Loss));
        let problem = lifetimes(&graph, &Scope { weights: true, ..Scope::default() }).unwrap();
        let classes = Classes::of(&problem, Some(&graph)).unwrap();
        assert_eq!(classes.backward, 3);
        let class = |name: &str| {
            let id = problem.buffers.enumerate().find(|(_, buffer)| buffer.name == name).unwrap().0;
            classes.class(id)
        };
        assert_eq!(class("w"), BufferClass::Weight);
        assert_eq!(class("x"), BufferClass::Input);
        assert_eq!(class("t"), BufferClass::Temporary);
        assert_eq!(class("h"), BufferClass::Activation);
        assert_eq!(class("loss"), BufferClass::Output);
        assert_eq!(class("s"), BufferClass::Temporary);
        assert_eq!(class("dw"), BufferClass::Gradient);
        // Together they are the load.
        let strata = classes.strata(&problem);
        let whole = load(&problem, |_| true);
        for step in 0..problem.steps {
            assert_eq!(strata.iter().map(|stratum| stratum.load.at(step)).sum::<u64>(), whole.at(step));
            let mut sum = 0;
            for stratum in &strata {
                sum += stratum.load.at(step);
                assert_eq!(stratum.up_to.at(step), sum);
            }
        }
    }

    #[test]
    fn a_graph_without_a_loss_has_no_classes() {
        let graph = training(None);
        let problem = lifetimes(&graph, &Scope::default()).unwrap();
        assert_eq!(Classes::of(&problem, Some(&graph)), None);
        assert_eq!(Classes::of(&problem, None), None);
    }
}
