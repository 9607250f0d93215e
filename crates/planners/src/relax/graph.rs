//! An ordinary graph as a function: each node allocates its results, then calls a kernel with its
//! operands and them.

use std::collections::BTreeMap;

use super::program::{Argument, Binding, Block, Function, How, Tensor};
use super::size::{self, Bounds, Extent, Size, element_bytes};
use memplan_core::base::IdVec;
use memplan_core::graph::{self, Dim, Graph, Kind, TensorId};
use memplan_core::problem::{BufferId, Problem, Scope};

/// Bounds of the symbols that have any. Where only a lower one is given, the pass knows no more
/// than that the symbol is not below 0.
fn bounds(graph: &Graph) -> Bounds {
    let of = |symbol: &graph::Symbol| match (symbol.min, symbol.max) {
        (min, Some(max)) => Some((min.unwrap_or(0), max)),
        (Some(_), None) => Some((0, u64::MAX)),
        (None, None) => None,
    };
    graph.symbols.iter().filter_map(|(name, symbol)| Some((name.clone(), of(symbol)?))).collect()
}

/// Bytes that the pass counts for a tensor; none if it is not understood, or stated.
fn size_of(graph: &Graph, tensor: &graph::Tensor, bounds: &Bounds) -> Option<Size> {
    let extent = |dim: &Dim| match dim {
        Dim::Fixed(number) => Some(Extent::Number(*number)),
        Dim::Expr(expr) => Some(Extent::Symbolic(expr.clone())),
        Dim::Unknown => None,
    };
    if tensor.bytes.is_some() {
        return None;
    }
    let shape = tensor.shape.iter().map(extent).collect::<Option<Vec<Extent>>>()?;
    let (target, scope) = graph.devices[tensor.device].split_once(':').unwrap_or_default();
    let texture = (target == "opencl" && scope != "global").then_some(scope);
    size::size(&shape, element_bytes(tensor.dtype.name())?, bounds, texture)
}

/// Gives buffers the bytes that the pass counts: whole bytes an element, symbols at their upper
/// bounds, those without one at the values of the scope, rows of textures rounded up.
pub fn resize(problem: &mut Problem, graph: &Graph, scope: &Scope) {
    let bounds = bounds(graph);
    let symbols = graph.symbol_values(&scope.symbols);
    for buffer in problem.buffers.iter_mut().filter(|buffer| buffer.kind == Kind::Intermediate) {
        let Some(&root) = buffer.tensors.first() else { continue };
        let bytes = match size_of(graph, &graph.tensors[root], &bounds) {
            Some(Size::Bytes(bytes)) => Some(bytes),
            Some(Size::Symbolic(expr)) => expr.size(&symbols).ok(),
            None => None,
        };
        if let Some(bytes) = bytes {
            // A storage in which others lie, too, stays as large as they need it.
            buffer.size = if buffer.tensors.len() == 1 { bytes } else { bytes.max(buffer.size) };
        }
    }
}

/// The function of a graph. Its tensors are the buffers of the problem.
pub fn function(problem: &Problem, graph: &Graph) -> Function {
    let mut buffer_of: IdVec<TensorId, Option<BufferId>> = IdVec::from_elem(None, graph.tensors.len());
    for (id, buffer) in problem.buffers.enumerate() {
        buffer.tensors.iter().for_each(|&tensor| buffer_of[tensor] = Some(id));
    }
    let bounds = bounds(graph);
    let mut keys = BTreeMap::new();
    // The tensor that each buffer holds first; another one in it is a name of that.
    let mut first: IdVec<BufferId, Option<TensorId>> = IdVec::from_elem(None, problem.buffers.len());
    let held = held(graph, &buffer_of, problem.buffers.len());
    let mut bindings = Vec::new();
    let name =
        |variable: TensorId, of: TensorId| Binding::Name { variable: variable.0, value: Argument::Variable(of.0) };
    for (id, node) in graph.nodes.enumerate().filter(|(_, node)| !node.is_placeholder()) {
        let views: Vec<(TensorId, TensorId)> =
            node.aliases().filter(|&(input, output)| buffer_of[input] == buffer_of[output]).collect();
        let (mut arguments, mut later) = (node.inputs.clone(), Vec::new());
        for &output in &node.outputs {
            if let Some(&(input, _)) = views.iter().find(|&&(_, view)| view == output) {
                later.push(name(output, input));
                continue;
            }
            let Some(buffer) = buffer_of[output] else { continue };
            if let Some(holder) = first[buffer] {
                later.push(name(output, holder));
                arguments.push(holder);
                continue;
            }
            first[buffer] = Some(output);
            let facts = &problem.buffers[buffer];
            if facts.kind == Kind::Input || facts.kind == Kind::Weight {
                continue;
            }
            let tensor = &graph.tensors[output];
            let next = keys.len() as u32;
            let key = *keys.entry((facts.memory, tensor.dtype)).or_insert(next);
            let size = match size_of(graph, tensor, &bounds) {
                Some(Size::Symbolic(expr)) => Size::Symbolic(expr),
                _ => Size::Bytes(facts.size),
            };
            let is_symbolic = tensor.shape.iter().any(|dim| matches!(dim, Dim::Expr(_)));
            let tensor = Tensor { size, bytes: facts.size, key, is_symbolic, buffer, held: held[buffer] };
            bindings.push(Binding::Allocate { variable: output.0, tensor });
            arguments.push(output);
        }
        // A node that only makes views is no kernel.
        if later.is_empty() || later.len() < node.outputs.len() || arguments.len() > node.inputs.len() {
            let arguments = arguments.into_iter().map(|TensorId(tensor)| Argument::Variable(tensor)).collect();
            bindings.push(Binding::Call { step: id.0, how: How::Counts, arguments });
        }
        bindings.extend(later);
    }
    let is_result = |(_, tensor): &(TensorId, &graph::Tensor)| tensor.kind == Kind::Output;
    let result = graph.tensors.enumerate().filter(is_result).map(|(TensorId(tensor), _)| Argument::Variable(tensor));
    Function {
        variables: graph.tensors.len() as u32,
        blocks: vec![Block { bindings }],
        result: Argument::Tuple(result.collect()),
        plans_dynamic_results: false,
    }
}

/// Uses of each buffer that are never over: those of what the caller keeps.
fn held(graph: &Graph, buffer_of: &IdVec<TensorId, Option<BufferId>>, buffers: usize) -> IdVec<BufferId, u32> {
    let mut held: IdVec<BufferId, u32> = IdVec::from_elem(0, buffers);
    graph.stated.kept.iter().filter_map(|&tensor| buffer_of[tensor]).for_each(|buffer| held[buffer] = 1);
    held
}
