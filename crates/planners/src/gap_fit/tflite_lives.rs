//! What TensorFlow Lite's interpreter does to lives before its arena is planned: inputs stay, and
//! some results overwrite an operand.
//!
//! **From**: tensorflow/tensorflow v2.21.0, `tensorflow/lite/arena_planner.cc`, `PlanAllocations`
//! (inputs count one use more) and `IdentifyInPlaceTensors`, `InputTensorCanBeShared`.
//! **Rule**: in the order of the nodes, an output takes over the first input that it may overwrite,
//! that has as many bytes and more than 4, that is read once and whose storage is read once under
//! its first name; never a graph input, never for a graph output. Both are placed once, for both
//! lives.

use crate::in_place::Pairs;
use memplan_core::graph::{Graph, Kind, TensorId};
use memplan_core::problem::{BufferId, Problem};
use memplan_core::trace::Note;

/// `kScalarTensorBytes` of the original.
const SCALAR_BYTES: u64 = 4;

/// Lets inputs live to the end.
pub fn keep_inputs(problem: &mut Problem) {
    let steps = problem.steps;
    problem.buffers.iter_mut().filter(|buffer| buffer.kind == Kind::Input).for_each(|buffer| buffer.live.end = steps);
}

/// Finds who takes over whose storage, and lets the first donor of each chain live as long as the
/// chain.
pub fn take_over(problem: &mut Problem, graph: &Graph) -> Pairs {
    let mut reads = vec![0u32; graph.tensors.len()];
    graph.nodes.iter().flat_map(|node| &node.inputs).for_each(|tensor| reads[tensor.0 as usize] += 1);
    let reads = |tensor: &TensorId| reads[tensor.0 as usize];
    let given = problem.clone();
    let mut pairs = Pairs::default();
    for permission in &given.inplace {
        let (acceptor, donor) = (permission.output, permission.input);
        let (to, from) = (&given.buffers[acceptor], &given.buffers[donor]);
        let inner = to.kind == Kind::Intermediate && from.kind == Kind::Intermediate;
        let dies = to.live.start == permission.node.0 && from.live.end == to.live.start + 1;
        let in_turn = from.live.start < to.live.start;
        let inputs = &graph.nodes[permission.node].inputs;
        let is_once = |tensor: &TensorId| reads(tensor) <= 1 || !inputs.contains(tensor);
        let once = || from.tensors.first().is_none_or(|own| reads(own) <= 1) && from.tensors.iter().all(is_once);
        pairs.judge(acceptor, donor, || {
            if !inner {
                Some((Note::InPlaceKind, 0, 0))
            } else if to.size != from.size {
                Some((Note::InPlaceBytes, from.size, to.size))
            } else if to.size <= SCALAR_BYTES {
                Some((Note::InPlaceSmall, to.size, 0))
            } else if to.memory != from.memory {
                Some((Note::InPlaceMemory, 0, 0))
            } else if to.align > from.align {
                Some((Note::InPlaceAlign, from.align, to.align))
            } else if to.fixed.is_some() || from.fixed.is_some() {
                Some((Note::InPlaceStated, 0, 0))
            } else if !dies || !in_turn {
                Some((Note::InPlaceAlive, 0, 0))
            } else if !once() {
                Some((Note::InPlaceReadMore, 0, 0))
            } else {
                None
            }
        });
    }
    // The storage of a chain is that of its first donor.
    let mut root: Vec<BufferId> = given.buffers.ids().collect();
    for &(acceptor, donor) in &pairs.shared {
        let first = root[donor.0 as usize];
        root[acceptor.0 as usize] = first;
        // Every tensor has one storage: those who ask for its users find them there.
        let tensors = std::mem::take(&mut problem.buffers[acceptor].tensors);
        let chain = &mut problem.buffers[first];
        chain.live.end = chain.live.end.max(given.buffers[acceptor].live.end);
        chain.tensors.extend(tensors);
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use memplan_core::problem::{Live, Scope, lifetimes};
    use memplan_formats::import::{self, Answers};

    /// `x → a → b → c`, each with permission to overwrite, `c` read by `d` and once more by `e`,
    /// and an output `y`.
    fn chain() -> (Graph, Problem) {
        let tensor =
            |name: &str, kind: &str| format!(r#"{{"name":"{name}","dtype":"uint8","shape":[8],"kind":"{kind}"}}"#);
        let node = |output: &str, inputs: &str| {
            let quoted = inputs.split(' ').map(|name| format!("{name:?}")).collect::<Vec<_>>().join(",");
            format!(r#"{{"name":"n{output}","op":"op","inputs":[{quoted}],"outputs":["{output}"],"inplace":[[0,0]]}}"#)
        };
        let tensors = [
            ("x", "input"),
            ("a", "intermediate"),
            ("b", "intermediate"),
            ("c", "intermediate"),
            ("d", "intermediate"),
            ("e", "intermediate"),
            ("y", "output"),
        ];
        let nodes = [("a", "x"), ("b", "a"), ("c", "b"), ("d", "c"), ("e", "c d"), ("y", "e")];
        let text = format!(
            r#"{{"format":"memory-graph/1","tensors":[{}],"nodes":[{}]}}"#,
            tensors.map(|(name, kind)| tensor(name, kind)).join(","),
            nodes.map(|(output, inputs)| node(output, inputs)).join(",")
        );
        let read = import::read(text.as_bytes(), Answers::default()).expect("a valid graph").document;
        let graph = read.graph().expect("nodes").clone();
        let problem = lifetimes(&graph, &Scope::default()).expect("sizes are known");
        (graph, problem)
    }

    #[test]
    fn chains_share_one_place_and_two_readers_none() {
        let (graph, mut problem) = chain();
        let pairs = take_over(&mut problem, &graph);
        let name = |id: BufferId| problem.buffers[id].name.as_str();
        // Not a from x, a graph input; not d or e from c, which both read; not y, a graph output.
        assert_eq!(
            pairs.shared.iter().map(|&(acceptor, donor)| (name(acceptor), name(donor))).collect::<Vec<_>>(),
            [("b", "a"), ("c", "b")]
        );
        let first = problem.buffer_named("a").expect("named");
        assert_eq!((problem.buffers[first].live, problem.buffers[first].tensors.len()), (Live::new(0, 5), 3));
        let held = problem.buffers.iter().map(|buffer| buffer.tensors.len());
        assert_eq!(held.sum::<usize>(), graph.tensors.len(), "no tensor is held twice");
    }

    #[test]
    fn inputs_are_kept_to_the_end() {
        let (_, mut problem) = chain();
        keep_inputs(&mut problem);
        let live: Vec<Live> = problem.buffers.iter().map(|buffer| buffer.live).take(2).collect();
        assert_eq!(live, [Live::new(0, 6), Live::new(0, 2)]);
    }
}
