//! What TVM Relay's planner reads of a function: values with sizes and devices, calls in order, and
//! who reads what.
//!
//! Whatever the input is — a graph of this program, a recorded case — it is turned into a
//! [`Program`] first.

use memplan_core::base::IdVec;
use memplan_core::graph::Dtype;
use memplan_core::problem::BufferId;

/// A function: its values are numbered like the buffers of the problem.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// One for each buffer of the problem.
    pub values: IdVec<BufferId, Value>,
    /// Calls, each after the calls that it reads from.
    pub calls: Vec<Call>,
    /// Values made up front, in the order of the function's parameters.
    pub parameters: Vec<BufferId>,
    /// The tensors of the result; one that is given twice stands here twice.
    pub results: Vec<Operand>,
}

/// One tensor: what a storage token is made for.
#[derive(Clone, Debug)]
pub struct Value {
    /// Bytes, see [`tensor_bytes`].
    pub size: u64,
    /// Device type as it is given from version 0.8 on; 0 = not annotated.
    pub device: u32,
    /// What has to be equal besides the device type: the memory scope, the memory that a graph
    /// fixes.
    pub domain: u32,
    /// Set when the memory scope asks for a two-dimensional texture.
    pub texture: Option<Texture>,
}

/// Sides of a texture in its own elements, and the type of these.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Texture {
    /// Texels in a row.
    pub width: u64,
    /// Rows.
    pub height: u64,
    /// Element type.
    pub dtype: Dtype,
}

/// One operator call.
#[derive(Clone, Debug, Default)]
pub struct Call {
    /// Step of the graph.
    pub node: u32,
    /// Every read, tuples flattened; a value read twice stands here twice.
    pub reads: Vec<Operand>,
    /// One value a field of the result, in field order.
    pub outputs: Vec<BufferId>,
    /// Source and destination device type of a `device_copy`.
    pub copy: Option<(u32, u32)>,
    /// Changes only the shape: from 0.8 on its value takes over the token of its argument.
    pub reshape_only: bool,
}

/// Something a call or the result reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Operand {
    /// The value whose token counts the read; none for what is not planned.
    pub value: Option<BufferId>,
    /// Index of the call that makes it; none for parameters and constants.
    pub call: Option<usize>,
}

/// A stop of a walk over the function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Visit {
    /// What it is.
    pub entry: Entry,
    /// Index of the innermost copy call among whose arguments the walk was when it first came here.
    pub below: Option<usize>,
}

/// A node of the expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Entry {
    /// A parameter or constant.
    Source(BufferId),
    /// An index into [`Program::calls`].
    Call(usize),
}

/// Where a walk starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// Depth first from the result, as a plain dataflow function is visited. Calls that the result
    /// does not need follow.
    Dataflow,
    /// Call by call as listed, as a function in let form is visited.
    Listed,
}

impl Program {
    /// Every parameter, every constant that is read and every call, once: parameters first, then
    /// what a call reads before the call itself.
    pub fn walk(&self, order: Order) -> Vec<Visit> {
        let mut walk = RelayTraversal {
            program: self,
            met: IdVec::from_elem(false, self.values.len()),
            called: vec![false; self.calls.len()],
            visits: Vec::with_capacity(self.values.len()),
        };
        self.parameters.iter().for_each(|&value| walk.source(value, None));
        if order == Order::Dataflow {
            self.results.iter().for_each(|&result| walk.descend(result));
        }
        (0..self.calls.len()).for_each(|call| walk.descend(Operand { value: None, call: Some(call) }));
        walk.visits
    }

    /// How often each value is read by calls and by the result.
    pub fn counts(&self) -> IdVec<BufferId, u32> {
        let mut counts = IdVec::from_elem(0u32, self.values.len());
        let reads = self.calls.iter().flat_map(|call| &call.reads).chain(&self.results);
        reads.filter_map(|read| read.value).for_each(|value| counts[value] += 1);
        counts
    }
}

impl Entry {
    /// The values that come to be here.
    pub fn values<'a>(&'a self, program: &'a Program) -> &'a [BufferId] {
        match self {
            Entry::Source(value) => std::slice::from_ref(value),
            Entry::Call(call) => &program.calls[*call].outputs,
        }
    }
}

struct RelayTraversal<'a> {
    program: &'a Program,
    met: IdVec<BufferId, bool>,
    called: Vec<bool>,
    visits: Vec<Visit>,
}

impl RelayTraversal<'_> {
    fn source(&mut self, value: BufferId, below: Option<usize>) {
        if !std::mem::replace(&mut self.met[value], true) {
            self.visits.push(Visit { entry: Entry::Source(value), below });
        }
    }

    /// Visits what `start` needs and then itself. The stack is explicit: a chain may be as long as
    /// the graph.
    fn descend(&mut self, start: Operand) {
        // Call, next argument, copy below which the call was met.
        let mut stack: Vec<(usize, usize, Option<usize>)> = Vec::new();
        self.enter(start, None, &mut stack);
        while let Some((call, next, below)) = stack.last_mut() {
            let facts = &self.program.calls[*call];
            if let Some(&read) = facts.reads.get(*next) {
                *next += 1;
                let below = if facts.copy.is_some() { Some(*call) } else { *below };
                self.enter(read, below, &mut stack);
            } else {
                self.visits.push(Visit { entry: Entry::Call(*call), below: *below });
                stack.pop();
            }
        }
    }

    fn enter(&mut self, operand: Operand, below: Option<usize>, stack: &mut Vec<(usize, usize, Option<usize>)>) {
        match (operand.call, operand.value) {
            (Some(call), _) if !self.called[call] => {
                self.called[call] = true;
                stack.push((call, 0, below));
            }
            (None, Some(value)) => self.source(value, below),
            _ => {}
        }
    }
}

/// A dimension below zero: the planner stops.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NegativeDimension;

/// Bytes of a token, `GetMemorySize` of the original: elements times whole bytes of one element, so
/// that two 4-bit numbers take two bytes. A tensor without dimensions has one element.
///
/// # Errors
/// [`NegativeDimension`].
pub fn tensor_bytes(shape: &[i64], dtype: Dtype) -> Result<u64, NegativeDimension> {
    let mut elements: u64 = 1;
    for &extent in shape {
        elements = elements.saturating_mul(u64::try_from(extent).map_err(|_| NegativeDimension)?);
    }
    Ok(elements.saturating_mul(dtype.bits().div_ceil(8)))
}

/// Sides of the texture that a scope asks for; none if it is no texture scope. The shape is cut at
/// an axis: the dimensions before it give the height, those from it on up to the channels, which
/// come last, give the width.
pub fn texture(scope: &str, shape: &[u64], dtype: Dtype) -> Option<Texture> {
    if !scope.contains("texture") {
        return None;
    }
    let rank = shape.len();
    let axis = match scope {
        "global.texture-weight" => 1,
        "global.texture-nhwc" if rank == 3 => 1,
        "global.texture-nhwc" => 2,
        _ => rank.saturating_sub(2),
    };
    let last = rank.saturating_sub(1);
    let (before, after) = shape[..last].split_at(axis.min(last));
    let product = |extents: &[u64]| extents.iter().fold(1u64, |product, &extent| product.saturating_mul(extent));
    Some(Texture { width: product(after), height: product(before), dtype })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_count_whole_bytes_an_element() {
        assert_eq!(tensor_bytes(&[3, 5], Dtype::Float16), Ok(30));
        assert_eq!(tensor_bytes(&[3], Dtype::Int4), Ok(3));
        assert_eq!(tensor_bytes(&[], Dtype::Float32), Ok(4));
        assert_eq!(tensor_bytes(&[4, -1], Dtype::Bool), Err(NegativeDimension));
    }

    #[test]
    fn each_scope_cuts_the_shape_at_its_own_axis() {
        let sides =
            |scope, shape: &[u64]| texture(scope, shape, Dtype::Float32).map(|texture| (texture.width, texture.height));
        assert_eq!(sides("global.texture", &[1, 4, 8, 6, 4]), Some((6, 32)));
        assert_eq!(sides("global.texture-weight", &[1, 4, 8, 6, 4]), Some((192, 1)));
        assert_eq!(sides("global.texture-nhwc", &[1, 4, 8, 6, 4]), Some((48, 4)));
        assert_eq!(sides("global.texture-nhwc", &[4, 6, 4]), Some((6, 4)));
        assert_eq!(sides("global.texture", &[]), Some((1, 1)));
        assert_eq!(sides("global", &[4, 4]), None);
    }

    #[test]
    fn a_walk_meets_everything_once_and_knows_its_copy() {
        let value = |size| Value { size, device: 0, domain: 0, texture: None };
        let made = |value, call| Operand { value: Some(BufferId(value)), call: Some(call) };
        let given = |value| Operand { value: Some(BufferId(value)), call: None };
        // 2 = f(0), 3 = copy(2), 4 = g(constant 1, 3, 2)
        let call =
            |node, reads, output, copy| Call { node, reads, outputs: vec![BufferId(output)], copy, ..Call::default() };
        let program = Program {
            values: vec![value(4); 5].into(),
            calls: vec![
                call(0, vec![given(0)], 2, None),
                call(1, vec![made(2, 0)], 3, Some((1, 2))),
                call(2, vec![given(1), made(3, 1), made(2, 0)], 4, None),
            ],
            parameters: vec![BufferId(0)],
            results: vec![made(4, 2)],
        };
        let visit = |entry, below| Visit { entry, below };
        let deep = program.walk(Order::Dataflow);
        assert_eq!(
            deep,
            [
                visit(Entry::Source(BufferId(0)), None),
                visit(Entry::Source(BufferId(1)), None),
                visit(Entry::Call(0), Some(1)),
                visit(Entry::Call(1), None),
                visit(Entry::Call(2), None),
            ]
        );
        let listed: Vec<Entry> = program.walk(Order::Listed).iter().map(|visit| visit.entry).collect();
        let source = |value| Entry::Source(BufferId(value));
        assert_eq!(listed, [source(0), Entry::Call(0), Entry::Call(1), source(1), Entry::Call(2)]);
        assert_eq!(program.counts().as_slice(), [1, 1, 2, 1, 1]);
    }
}
