//! What the plan reads of a model: values with their bytes, and nodes in the order of the file.

/// A value of a graph.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Value {
    /// Its name, which decides between equal sizes.
    pub name: String,
    /// Its bytes; none for what is not planned: unknown or symbolic shapes, scalars, types of less
    /// than a byte.
    pub size: Option<u64>,
    /// Its first byte must be a multiple of this power of two; 0 and 1 ask for nothing, as the
    /// original does.
    pub align: u64,
    /// Index of its memory.
    pub memory: u32,
    /// An input of the graph.
    pub is_input: bool,
    /// A result of the graph.
    pub is_output: bool,
    /// An initializer.
    pub is_weight: bool,
    /// The node that needs these bytes while it runs, for bytes that are no value.
    pub scratch_of: Option<u32>,
}

/// An operator.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Node {
    /// Its name in ONNX.
    pub op: String,
    /// Values read, in order; none for a missing operand and for what is no value here.
    pub inputs: Vec<Option<u32>>,
    /// Values made.
    pub outputs: Vec<Option<u32>>,
    /// Pairs `(input, output)` that may lie on the same bytes, in place of those of the operator.
    pub stated: Option<Vec<(u32, u32)>>,
    /// Graphs in its attributes.
    pub subgraphs: Vec<Model>,
}

/// A graph.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Model {
    /// Its values; those of graphs around it have no place in it.
    pub values: Vec<Value>,
    /// Its nodes.
    pub nodes: Vec<Node>,
}

/// Operators whose one result may lie on their first operand.
const UNARY: [&str; 27] = [
    "Abs",
    "Ceil",
    "Celu",
    "Clip",
    "Elu",
    "Erf",
    "Exp",
    "Flatten",
    "Floor",
    "HardSigmoid",
    "Identity",
    "LeakyRelu",
    "Log",
    "Neg",
    "Reciprocal",
    "Relu",
    "Reshape",
    "Round",
    "Selu",
    "Sigmoid",
    "Sign",
    "Softplus",
    "Softsign",
    "Sqrt",
    "Squeeze",
    "Tanh",
    "Unsqueeze",
];

/// Operators whose result may lie on one of their two operands.
const BINARY: [&str; 10] = ["Add", "And", "Div", "Max", "Min", "Mod", "Mul", "Or", "Sub", "Xor"];

impl Node {
    /// Operands `(operand, result)` that the result may lie on, in the order in which they are
    /// tried.
    pub fn pairs(&self) -> Vec<(Option<u32>, Option<u32>)> {
        let at = |list: &[Option<u32>], index: u32| list.get(index as usize).copied().flatten();
        if let Some(stated) = &self.stated {
            return stated
                .iter()
                .map(|&(input, output)| (at(&self.inputs, input), at(&self.outputs, output)))
                .collect();
        }
        let [result] = self.outputs[..] else { return Vec::new() };
        let operands = match &self.inputs[..] {
            [first, ..] if UNARY.contains(&self.op.as_str()) => vec![*first],
            [first, second] if BINARY.contains(&self.op.as_str()) => vec![*first, *second],
            _ => Vec::new(),
        };
        operands.into_iter().map(|operand| (operand, result)).collect()
    }

    /// The name by which its subgraphs and their bytes go: that of its first result, or its number.
    pub fn key(&self, number: usize, values: &[Value]) -> String {
        let first = self.outputs.iter().flatten().next();
        first.map_or_else(|| format!("#node{number}"), |&value| values[value as usize].name.clone())
    }
}
