//! Operators that fold axes.

use super::Call;
use crate::import::shape::{Dims, Extent, axis_of, folded, replaced};

pub fn reduce(call: &Call) -> Option<Dims> {
    let dims = call.dims(0)?;
    let keep = call.int("keepdims").unwrap_or(1) != 0;
    let axes = match call.list("axes", 1) {
        Ok(axes) => axes.unwrap_or_default(),
        // Which axes go is not known, but with `keepdims` their number does not matter.
        Err(_) => return keep.then(|| vec![Extent::Open; dims.len()]),
    };
    if axes.is_empty() && call.int("noop_with_empty_axes").unwrap_or_default() != 0 {
        return Some(dims.to_vec());
    }
    let mut is_folded = vec![axes.is_empty(); dims.len()];
    for axis in axes {
        *is_folded.get_mut(axis_of(axis, dims.len())?)? = true;
    }
    Some(folded(dims, &is_folded, keep))
}

pub fn arg(call: &Call) -> Option<Dims> {
    let dims = call.dims(0)?;
    let mut is_folded = vec![false; dims.len()];
    *is_folded.get_mut(axis_of(call.int("axis").unwrap_or_default(), dims.len())?)? = true;
    Some(folded(dims, &is_folded, call.int("keepdims").unwrap_or(1) != 0))
}

/// Values and their places, alike.
pub fn top_k(call: &Call) -> Option<Dims> {
    let dims = call.dims(0)?;
    let axis = axis_of(call.int("axis").unwrap_or(-1), dims.len())?;
    let from_input = || call.contents(1).and_then(|contents| contents.first().cloned());
    let count = call.int("k").map(Extent::Known).or_else(from_input);
    replaced(dims, axis, count.unwrap_or(Extent::Open))
}

/// A loss: one number, or one for each target; and the logarithms of probabilities.
pub fn loss(call: &Call) -> Vec<Option<Dims>> {
    let loss = if call.text("reduction") == "none" { call.copy(1) } else { Some(Vec::new()) };
    vec![loss, call.copy(0)]
}
