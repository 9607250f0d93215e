//! Fourier transforms and their windows.

use super::Call;
use crate::import::shape::{Dims, Extent, axis_of};

use Extent::{Known, Open};

fn first(call: &Call, input: usize) -> Extent {
    call.contents(input).and_then(|contents| contents.first().cloned()).unwrap_or(Open)
}

/// Frequencies of a real signal: half of them, and the one in the middle.
fn half(length: &Extent) -> Extent {
    length.over(&Known(2)).plus(&Known(1))
}

pub fn dft(call: &Call) -> Option<Dims> {
    let mut dims = call.dims(0)?.to_vec();
    // Since version 20 the axis is an input.
    let axis = match call.int("axis") {
        Some(axis) => axis,
        None if call.version() < 20 => 1,
        None if call.has(2) => call.numbers(2)?.first().copied()?,
        None => -2,
    };
    let axis = axis_of(axis, dims.len())?;
    let (is_half, is_inverse) = (call.int("onesided") == Some(1), call.int("inverse") == Some(1));
    let known = if call.has(1) { first(call, 1) } else { dims.get(axis)?.clone() };
    let length = match (is_half, is_inverse) {
        (true, false) => half(&known),
        (true, true) if !call.has(1) => known.minus(&Known(1)).times(&Known(2)),
        _ => known,
    };
    *dims.get_mut(axis)? = length;
    *dims.last_mut()? = Known(if is_half && is_inverse { 1 } else { 2 });
    Some(dims)
}

pub fn stft(call: &Call) -> Option<Dims> {
    let [batch, length, ..] = call.dims(0)? else { return None };
    let frame =
        if call.has(3) { first(call, 3) } else { call.dims(2).and_then(|dims| dims.first().cloned()).unwrap_or(Open) };
    let frames = length.minus(&frame).over(&first(call, 1)).plus(&Known(1));
    let bins = if call.int("onesided").unwrap_or(1) == 1 { half(&frame) } else { frame };
    Some(vec![batch.clone(), frames, bins, Known(2)])
}

/// `HannWindow` and the like: the length is an input.
pub fn window(call: &Call) -> Option<Dims> {
    Some(vec![first(call, 0)])
}

pub fn mel_weights(call: &Call) -> Option<Dims> {
    Some(vec![half(&first(call, 1)), first(call, 0)])
}

/// `Rfft` of com.microsoft.
pub fn rfft(call: &Call) -> Option<Dims> {
    let mut dims = call.dims(0)?.to_vec();
    if call.int("onesided").unwrap_or(1) != 0 {
        let last = dims.last_mut()?;
        *last = half(last);
    }
    dims.push(Known(2));
    Some(dims)
}

/// `Irfft` of com.microsoft.
pub fn irfft(call: &Call) -> Option<Dims> {
    let [before @ .., last, _] = call.dims(0)? else { return None };
    let is_half = call.int("onesided").unwrap_or(1) != 0;
    let length = if is_half { last.minus(&Known(1)).times(&Known(2)) } else { last.clone() };
    Some([before, &[length]].concat())
}
