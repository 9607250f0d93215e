//! Shapes of what a node makes, from the shapes of what it reads: one rule per operator, as the
//! operator specification (onnx/onnx 1.23, docs/Operators.md) states them, over expressions so that
//! a symbolic batch keeps its name. [`rules`] has the table of ONNX itself. An operator or a case
//! without a rule gives nothing.

mod arithmetic;
mod attention;
mod contents;
mod elements;
mod gather;
mod layout;
mod linear;
mod microsoft;
mod nchwc;
mod reduce;
mod resize;
mod rules;
mod sequence;
mod signal;
mod vision;
mod window;

use std::borrow::Cow;
use std::rc::Rc;

use super::messages::AttributeProto;
use super::node::{Node, is_own};
use super::types::dtype;
use crate::import::shape::{Dims, Extent, find, product};
use memplan_core::graph::Dtype;
use rules::Rule;

pub use contents::of_tensor;

/// Most extents of a shape.
pub const MAX_RANK: usize = 64;

/// What is known of a tensor.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Value {
    /// Element type as ONNX numbers it; 0 = not known.
    pub elem: i32,
    pub dims: Option<Dims>,
    /// Contents of a number or a short list, where they are whole numbers.
    pub contents: Option<Vec<Extent>>,
    /// Contents of a short constant list that are no whole numbers, such as scales.
    pub fractions: Option<Vec<f64>>,
    /// The tensors of a sequence, if their number is known.
    pub sequence: Option<Rc<Vec<Value>>>,
}

impl Value {
    /// Type and extents of the memory that it takes: a sequence is its tensors one after the
    /// other.
    pub fn stored_as(&self) -> (i32, Option<Cow<'_, [Extent]>>) {
        let Some(items) = &self.sequence else { return (self.elem, self.dims.as_deref().map(Cow::Borrowed)) };
        let elem = items.first().map_or(self.elem, |first| first.elem);
        let mut elements = Extent::Known(0);
        for item in items.iter() {
            let Some(dims) = item.dims.as_ref().filter(|_| item.elem == elem) else { return (elem, None) };
            elements = elements.plus(&product(dims));
        }
        (elem, Some(Cow::Owned(vec![elements])))
    }

    /// The memory that it takes in bits.
    pub fn bits(&self) -> Option<Extent> {
        let (elem, dims) = self.stored_as();
        Some(product(&dims?).times(&Extent::Known(dtype(elem)?.bits() as i64)))
    }

    /// Type and extents of a tensor, if they are numbers.
    pub fn in_numbers(&self) -> Option<(Dtype, Vec<u64>)> {
        let extent = |extent: &Extent| u64::try_from(extent.known()?).ok();
        let dims = self.dims.as_ref().filter(|_| self.sequence.is_none())?;
        Some((dtype(self.elem)?, dims.iter().map(extent).collect::<Option<_>>()?))
    }

    /// Type and shape alone.
    pub fn without_contents(&self) -> Value {
        Value { elem: self.elem, dims: self.dims.clone(), sequence: self.sequence.clone(), ..Value::default() }
    }
}

/// A node with what is known of its inputs.
pub struct Call<'a> {
    node: &'a Node<'a>,
    attributes: &'a [AttributeProto],
    /// Version of the operator set; 0 for operators that are not of ONNX itself.
    version: i64,
    /// Channels that lie together in images of ONNX Runtime's own layout.
    block: i64,
    inputs: Vec<Option<&'a Value>>,
}

impl<'a> Call<'a> {
    pub fn new(
        node: &'a Node<'a>,
        attributes: &'a [AttributeProto],
        version: i64,
        block: i64,
        inputs: Vec<Option<&'a Value>>,
    ) -> Call<'a> {
        Call { node, attributes, version, block, inputs }
    }

    pub fn op(&self) -> &'a str {
        self.node.op_type
    }

    pub fn version(&self) -> i64 {
        self.version
    }

    /// Whether the input is there at all.
    pub fn has(&self, input: usize) -> bool {
        self.value(input).is_some()
    }

    fn value(&self, input: usize) -> Option<&'a Value> {
        self.inputs.get(input).copied().flatten()
    }

    pub fn elem(&self, input: usize) -> i32 {
        self.value(input).map_or(0, |value| value.elem)
    }

    fn dims(&self, input: usize) -> Option<&'a [Extent]> {
        self.value(input)?.dims.as_deref()
    }

    fn contents(&self, input: usize) -> Option<&'a [Extent]> {
        self.value(input)?.contents.as_deref()
    }

    /// Contents that are plain numbers.
    fn numbers(&self, input: usize) -> Option<Vec<i64>> {
        self.contents(input)?.iter().map(Extent::known).collect()
    }

    /// Numbers, whole or not, of an input.
    fn scales(&self, input: usize) -> Option<Vec<f64>> {
        let value = self.value(input)?;
        let whole = || self.numbers(input).map(|numbers| numbers.iter().map(|&number| number as f64).collect());
        value.fractions.clone().or_else(whole)
    }

    pub fn attribute(&self, name: &str) -> Option<&'a AttributeProto> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }

    pub fn int(&self, name: &str) -> Option<i64> {
        self.attribute(name)?.i
    }

    fn ints(&self, name: &str) -> Option<&'a [i64]> {
        self.attribute(name).map(|attribute| &attribute.ints[..])
    }

    fn text(&self, name: &str) -> &'a str {
        let bytes = self.attribute(name).and_then(|attribute| attribute.s.as_deref());
        bytes.and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default()
    }

    /// The shape of an input as that of an output.
    fn copy(&self, input: usize) -> Option<Dims> {
        self.dims(input).map(<[Extent]>::to_vec)
    }

    /// A list that older operator sets have as an attribute and newer ones as an input. `Ok(None)`
    /// = left out.
    fn list(&self, name: &str, input: usize) -> Result<Option<Vec<i64>>, Unknown> {
        match (self.ints(name), self.value(input)) {
            (Some(list), _) => Ok(Some(list.to_vec())),
            (None, Some(_)) => self.numbers(input).map(Some).ok_or(Unknown),
            (None, None) => Ok(None),
        }
    }

    fn outputs(&self) -> usize {
        self.node.output.len()
    }

    /// The same call, to be given other inputs.
    fn same(&self) -> Call<'a> {
        Call { inputs: Vec::new(), ..*self }
    }

    /// The same call with these of its inputs alone.
    fn with(&self, inputs: &[usize]) -> Call<'a> {
        Call { inputs: inputs.iter().map(|&input| self.value(input)).collect(), ..*self }
    }
}

/// A list whose entries are not known.
struct Unknown;

/// Whether there is a rule for the shapes of this operator.
pub fn knows(node: &Node) -> bool {
    rule(node).is_some()
}

fn rule(node: &Node) -> Option<&'static Rule> {
    let table = match node.domain {
        MICROSOFT => microsoft::RULES,
        NCHWC => nchwc::RULES,
        domain if is_own(domain) => rules::RULES,
        _ => return None,
    };
    find(table, node.op_type)
}

/// The domain of the operators that ONNX Runtime adds.
const MICROSOFT: &str = "com.microsoft";

/// The domain of its operators on images whose channels lie in blocks.
pub const NCHWC: &str = "com.microsoft.nchwc";

/// What is known of each output.
pub fn infer(call: &Call) -> Vec<Value> {
    let mut results = vec![Value::default(); call.outputs()];
    let Some(rule) = rule(call.node) else { return results };
    let is_own = is_own(call.node.domain);
    let passes_on = is_own && call.op() == "Identity" && call.value(0).is_some_and(|value| value.sequence.is_some());
    if passes_on || matches!(rule, Rule::Sequence) {
        let value = if passes_on { call.value(0).cloned() } else { sequence::infer(call) };
        if let (Some(result), Some(value)) = (results.first_mut(), value) {
            *result = value;
        }
        return results;
    }
    let shapes = rule.shapes(call);
    for (index, (result, dims)) in results.iter_mut().zip(shapes).enumerate() {
        result.elem = match call.node.domain {
            MICROSOFT => microsoft::elem(call, index),
            NCHWC => call.elem(0),
            _ => elements::of_output(call, index),
        };
        result.dims = dims.filter(|dims| dims.len() <= MAX_RANK);
        if let Some(dims) = result.dims.as_ref().filter(|_| is_own) {
            (result.contents, result.fractions) = contents::infer(call, index, dims);
        }
    }
    results
}
