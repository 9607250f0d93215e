//! Builds graphs from formats whose names may repeat, be empty or be very long.

use super::{Answers, Question, answers};
use memplan_core::base::Names;
use memplan_core::graph::{Dtype, Fault, Graph, Kind, RawDim, RawGraph, RawNode, RawSymbol, RawTensor, UNKNOWN, check};

/// Longest name kept, in characters.
pub const MAX_NAME: usize = 512;

/// A tensor put into a [`Builder`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Slot(pub usize);

/// Collects tensors and nodes; names are made unique with `#2`, `#3`, ….
#[derive(Debug, Default)]
pub struct Builder {
    raw: RawGraph,
    /// Names in use, each with the number to append when the name comes again.
    tensors: Names<String, u64>,
    nodes: Names<String, u64>,
}

/// A graph with what was noticed and what is still to be asked.
#[derive(Debug)]
pub struct Built {
    pub graph: Graph,
    pub warnings: Vec<Fault>,
    pub questions: Vec<Question>,
}

impl Builder {
    pub fn new(name: &str) -> Builder {
        Builder { raw: RawGraph { name: shortened(name), ..RawGraph::default() }, ..Builder::default() }
    }

    /// Makes room for so many more tensors and nodes.
    pub fn reserve(&mut self, tensors: usize, nodes: usize) {
        self.raw.tensors.reserve(tensors);
        self.raw.nodes.reserve(nodes);
        self.tensors.reserve(tensors);
        self.nodes.reserve(nodes);
    }

    /// Adds a symbol of shapes; a name that was added before is left as it is.
    pub fn symbol(&mut self, name: &str, symbol: RawSymbol) {
        self.raw.symbols.entry(name.to_string()).or_insert(symbol);
    }

    /// Puts a tensor in. An empty name becomes `tensor`.
    pub fn tensor(&mut self, name: &str, dtype: Dtype, shape: Vec<RawDim>, kind: Kind) -> Slot {
        let name = unique(&mut self.tensors, if name.is_empty() { "tensor" } else { name });
        let (dtype, shape, kind) = (Some(dtype), Some(shape), Some(kind));
        self.raw.tensors.push(RawTensor { name: Some(name), dtype, shape, kind, ..RawTensor::default() });
        Slot(self.raw.tensors.len() - 1)
    }

    /// Puts a node in, to run after those before it. An empty name becomes the operator's.
    pub fn node(&mut self, name: &str, op: &str, inputs: &[Slot], outputs: &[Slot]) -> &mut RawNode {
        let name = unique(&mut self.nodes, if name.is_empty() { op } else { name });
        let names =
            |slots: &[Slot]| slots.iter().filter_map(|slot| self.raw.tensors.get(slot.0)?.name.clone()).collect();
        let (inputs, outputs) = (names(inputs), names(outputs));
        self.raw.nodes.push(RawNode {
            name: Some(name),
            op: Some(shortened(op)),
            inputs,
            outputs,
            ..RawNode::default()
        });
        let last = self.raw.nodes.len() - 1;
        &mut self.raw.nodes[last]
    }

    /// The tensor, to state its bytes, device, alignment, arena or a better shape.
    pub fn tensor_mut(&mut self, slot: Slot) -> Option<&mut RawTensor> {
        self.raw.tensors.get_mut(slot.0)
    }

    /// The name that a tensor has got.
    pub fn name_of(&self, slot: Slot) -> &str {
        self.raw.tensors.get(slot.0).and_then(|tensor| tensor.name.as_deref()).unwrap_or_default()
    }

    /// What was collected so far, unchecked.
    pub fn raw(&self) -> &RawGraph {
        &self.raw
    }

    /// Returns what was collected, unchecked.
    pub fn into_raw(self) -> RawGraph {
        self.raw
    }

    /// Checks the whole. Shapes that the user stated are put in.
    ///
    /// # Errors
    /// Every fault, with the path that the graph would have as `memory-graph/1`.
    pub fn finish(mut self, answers: &Answers) -> Result<Built, Vec<Fault>> {
        let unmet = answers.unmet(&self.raw);
        if !unmet.is_empty() {
            return Err(unmet);
        }
        let questions = answers::fill(&mut self.raw, answers)?;
        let (graph, warnings) = check(self.raw)?;
        Ok(Built { graph, warnings, questions })
    }
}

/// A shape of which nothing is known.
pub fn unknown_shape() -> Vec<RawDim> {
    vec![RawDim::Text(UNKNOWN.to_string())]
}

fn shortened(name: &str) -> String {
    if name.len() <= MAX_NAME { name.to_string() } else { name.chars().take(MAX_NAME).collect() }
}

/// A name that is not taken yet: the name itself, or with `#2`, `#3`, ….
pub fn unique(taken: &mut Names<String, u64>, name: &str) -> String {
    let name = shortened(name);
    let Some(next) = taken.get(&name).copied() else {
        taken.insert(name.clone(), 2);
        return name;
    };
    let mut number = next;
    loop {
        let candidate = format!("{name}#{number}");
        number += 1;
        if !taken.contains_key(&candidate) {
            taken.insert(name, number);
            taken.insert(candidate.clone(), 2);
            return candidate;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_and_empty_names_are_told_apart() {
        let mut builder = Builder::new("twice");
        let a = builder.tensor("x", Dtype::Float32, vec![RawDim::Fixed(2)], Kind::Input);
        let b = builder.tensor("x", Dtype::Float32, unknown_shape(), Kind::Intermediate);
        let c = builder.tensor("", Dtype::Float32, vec![RawDim::Fixed(2)], Kind::Output);
        builder.node("", "Relu", &[a], &[b]);
        builder.node("", "Relu", &[b], &[c]);
        assert_eq!((builder.name_of(a), builder.name_of(b), builder.name_of(c)), ("x", "x#2", "tensor"));
        let mut answers = Answers::default();
        let built = builder.finish(&answers).expect("a valid graph");
        assert_eq!(built.graph.nodes.iter().map(|node| node.name.as_str()).collect::<Vec<_>>(), ["Relu", "Relu#2"]);
        let [Question::Shapes(open)] = &built.questions[..] else { panic!("{:?}", built.questions) };
        assert_eq!((open[0].tensor.as_str(), open[0].made_by.as_str()), ("x#2", "Relu"));
        answers.shapes.insert("x#2".into(), "3, 4".into());
        let mut raw = RawGraph { tensors: vec![RawTensor::default()], ..RawGraph::default() };
        raw.tensors[0].name = Some("x#2".into());
        raw.tensors[0].shape = Some(unknown_shape());
        assert_eq!(answers::fill(&mut raw, &answers), Ok(Vec::new()));
        assert_eq!(raw.tensors[0].shape, Some(vec![RawDim::Fixed(3), RawDim::Fixed(4)]));
    }
    /// Trying every number anew would take minutes.
    #[test]
    fn one_name_for_everything_takes_no_longer_than_many() {
        let mut builder = Builder::new("same");
        let last = (0..100_000).map(|_| builder.tensor("x", Dtype::Float32, vec![], Kind::Input)).last();
        assert_eq!(last.map(|slot| builder.name_of(slot)), Some("x#100000"));
        let own = builder.tensor("x#7", Dtype::Float32, vec![], Kind::Input);
        assert_eq!(builder.name_of(own), "x#7#2");
    }
}
