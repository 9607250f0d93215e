//! From symbols to bytes: the value at the hints, or the upper end of a shape's range.

use std::collections::BTreeMap;

use crate::PlanError;
use memplan_core::base::Message;
use memplan_core::graph::{Dim, ExprError, Graph, TensorId};
use memplan_core::problem::{Buffer, Problem};

/// Which value a symbolic size is planned for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sizes {
    /// `HintBasedSymShapeEvalPass`.
    Hint,
    /// `ConstraintBasedSymShapeEvalPass`: the upper end of each extent by itself.
    Upper,
}

/// Bytes of a tensor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bytes {
    /// Bytes at the value taken for each symbol.
    pub bytes: u64,
    /// Some extent has no upper end, so that its hint stands in: larger inputs will not fit.
    pub unbounded: bool,
}

/// Bytes of a tensor. An extent whose upper end is infinite takes its value at the hints, whatever
/// its finite parts.
///
/// # Errors
/// When an extent has no value or the bytes are beyond 2^53 - 1.
pub fn bytes_of(graph: &Graph, tensor: TensorId, sizes: Sizes) -> Result<Bytes, ExprError> {
    let hints = graph.symbol_values(&BTreeMap::new());
    let symbolic = graph.tensors[tensor].shape.iter().any(|dim| matches!(dim, Dim::Expr(_)));
    if sizes == Sizes::Hint || !symbolic || graph.tensors[tensor].bytes.is_some() {
        return Ok(Bytes { bytes: graph.bytes_of(tensor, &hints)?, unbounded: false });
    }
    let mut shape = Vec::new();
    let mut unbounded = false;
    for dim in &graph.tensors[tensor].shape {
        shape.push(Dim::Fixed(match dim {
            Dim::Fixed(extent) => *extent,
            Dim::Unknown => return Err(ExprError::Unknown),
            Dim::Expr(expr) => match expr.upper(&graph.symbols)? {
                Some(extent) => extent,
                None => {
                    unbounded = true;
                    expr.size(&hints)?
                }
            },
        }));
    }
    let bytes = graph.tensors[tensor].dtype.bytes_of_shape(&shape, &hints)?;
    Ok(Bytes { bytes, unbounded })
}

/// Bytes of a buffer at the upper end; nothing if it comes from no graph. Never less than its size,
/// as values given for symbols may lie above their bounds.
///
/// # Errors
/// [`PlanError::Refused`] when an extent has no value or the bytes are beyond 2^53 - 1.
pub fn upper_of(buffer: &Buffer, graph: &Graph) -> Result<Option<Bytes>, PlanError> {
    let Some(&tensor) = buffer.tensors.first() else { return Ok(None) };
    let bound = bytes_of(graph, tensor, Sizes::Upper).map_err(|error| {
        let fault = Message::new("fault.size").name("name", buffer.name.clone());
        PlanError::Refused(fault.text("error", error.to_string()))
    })?;
    Ok(Some(Bytes { bytes: bound.bytes.max(buffer.size), ..bound }))
}

/// Gives every buffer of a problem its size at the upper end.
///
/// # Errors
/// As [`upper_of`], and when the sizes together are beyond 2^53 - 1.
pub fn raise(problem: &mut Problem, graph: &Graph) -> Result<(), PlanError> {
    for buffer in problem.buffers.iter_mut() {
        if let Some(bound) = upper_of(buffer, graph)? {
            buffer.size = bound.bytes;
        }
    }
    if problem.total_is_safe(1) { Ok(()) } else { Err(PlanError::Refused(Message::new("fault.sum-too-large"))) }
}
