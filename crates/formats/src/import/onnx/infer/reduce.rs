//! Operators that fold axes.

use super::Call;
use crate::import::onnx::extent::{Dims, Extent, axis_of};

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
    let mut folded = vec![axes.is_empty(); dims.len()];
    for axis in axes {
        *folded.get_mut(axis_of(axis, dims.len())?)? = true;
    }
    Some(fold(dims, &folded, keep))
}

fn fold(dims: &[Extent], folded: &[bool], keep: bool) -> Dims {
    let kept = dims.iter().zip(folded).filter(|(_, folded)| keep || !**folded);
    kept.map(|(extent, folded)| if *folded { Extent::Known(1) } else { extent.clone() }).collect()
}

pub fn arg(call: &Call) -> Option<Dims> {
    let dims = call.dims(0)?;
    let mut folded = vec![false; dims.len()];
    *folded.get_mut(axis_of(call.int("axis").unwrap_or_default(), dims.len())?)? = true;
    Some(fold(dims, &folded, call.int("keepdims").unwrap_or(1) != 0))
}

/// Values and their places.
pub fn top_k(call: &Call) -> Vec<Option<Dims>> {
    let dims = || {
        let mut dims = call.dims(0)?.to_vec();
        let axis = axis_of(call.int("axis").unwrap_or(-1), dims.len())?;
        let from_input = || call.contents(1).and_then(|contents| contents.first().cloned());
        let count = call.int("k").map(Extent::Known).or_else(from_input);
        *dims.get_mut(axis)? = count.unwrap_or(Extent::Open);
        Some(dims)
    };
    let dims = dims();
    vec![dims.clone(), dims]
}

/// A loss: one number, or one for each target; and the logarithms of probabilities.
pub fn loss(call: &Call) -> Vec<Option<Dims>> {
    let each = || call.dims(1).map(<[Extent]>::to_vec);
    let loss = if call.text("reduction") == "none" { each() } else { Some(Vec::new()) };
    vec![loss, call.dims(0).map(<[Extent]>::to_vec)]
}
