//! Convolution and pooling.

use super::{Call, Value};
use crate::import::shape::{Dims, Extent, Rounding, Window};

use Extent::{Known, Open};

/// The windows of a node; `None` where lists do not fit the number of axes.
fn windows(call: &Call, kernels: &[Extent]) -> Option<Vec<Window>> {
    let count = kernels.len();
    let list = |name: &str, length: usize, otherwise: i64| match call.ints(name) {
        Some(list) if list.len() == length => Some(list.to_vec()),
        Some(list) if !list.is_empty() => None,
        _ => Some(vec![otherwise; length]),
    };
    let (strides, dilations) = (list("strides", count, 1)?, list("dilations", count, 1)?);
    let pads = match call.text("auto_pad") {
        "" | "NOTSET" => list("pads", count.checked_mul(2)?, 0)?,
        _ => vec![0; count.checked_mul(2)?],
    };
    if strides.iter().chain(&dilations).any(|&value| value < 1) {
        return None;
    }
    let window = |index: usize| Window {
        kernel: kernels[index].clone(),
        stride: strides[index],
        dilation: dilations[index],
        pads: (pads[index], pads[index + count]),
    };
    Some((0..count).map(window).collect())
}

fn is_same(call: &Call) -> bool {
    matches!(call.text("auto_pad"), "SAME_UPPER" | "SAME_LOWER")
}

/// An image of so many windows along every axis.
fn slide(call: &Call, head: [&Extent; 2], spatial: &[Extent], kernels: &[Extent], rounding: Rounding) -> Option<Dims> {
    let rounding = if is_same(call) { Rounding::Same } else { rounding };
    let windows = windows(call, kernels)?;
    let counts = spatial.iter().zip(&windows).map(|(extent, window)| window.count(extent, rounding));
    Some(head.into_iter().cloned().chain(counts).collect())
}

/// The attribute `kernel_shape`.
fn stated_kernels(call: &Call, count: usize) -> Option<Vec<Extent>> {
    let list = call.ints("kernel_shape").filter(|list| list.len() == count)?;
    Some(list.iter().map(|&extent| Known(extent)).collect())
}

/// The kernel as it is stated, else that of the weights.
fn kernels(call: &Call, weights: &[Extent], count: usize) -> Option<Vec<Extent>> {
    let kernels = stated_kernels(call, count).unwrap_or_else(|| weights.to_vec());
    (kernels.len() == count).then_some(kernels)
}

pub fn conv(call: &Call) -> Option<Dims> {
    let [batch, _, spatial @ ..] = call.dims(0)? else { return None };
    let [channels, _, weights @ ..] = call.dims(1)? else { return None };
    slide(call, [batch, channels], spatial, &kernels(call, weights, spatial.len())?, Rounding::Down)
}

pub fn conv_transpose(call: &Call) -> Option<Dims> {
    let [batch, _, spatial @ ..] = call.dims(0)? else { return None };
    let [_, per_group, weights @ ..] = call.dims(1)? else { return None };
    let windows = windows(call, &kernels(call, weights, spatial.len())?)?;
    let mut dims = vec![batch.clone(), per_group.times(&Known(call.int("group").unwrap_or(1)))];
    let added = call.ints("output_padding").unwrap_or_default();
    for (index, (extent, window)) in spatial.iter().zip(&windows).enumerate() {
        // From opset 24 the attribute may hold all extents; before, the spatial ones.
        let stated =
            call.ints("output_shape").and_then(|list| list.get(list.len().checked_sub(windows.len())? + index));
        dims.push(match stated {
            Some(&stated) => Known(stated),
            None if is_same(call) => extent.times(&Known(window.stride)),
            None => window.slid_over(extent, &Known(added.get(index).copied().unwrap_or_default())),
        });
    }
    Some(dims)
}

/// The second output of `MaxPool`, the places of the largest elements, has the same shape.
pub fn pool(call: &Call) -> Option<Dims> {
    let [batch, channels, spatial @ ..] = call.dims(0)? else { return None };
    let is_up = call.int("ceil_mode").unwrap_or_default() != 0;
    let rounding = if is_up { Rounding::UpInside } else { Rounding::Down };
    slide(call, [batch, channels], spatial, &stated_kernels(call, spatial.len())?, rounding)
}

pub fn global_pool(call: &Call) -> Option<Dims> {
    let [batch, channels, spatial @ ..] = call.dims(0)? else { return None };
    let mut dims = vec![batch.clone(), channels.clone()];
    dims.extend(spatial.iter().map(|_| Known(1)));
    Some(dims)
}

/// The way back from a pooling; an input may state the extents.
pub fn max_unpool(call: &Call) -> Option<Dims> {
    let all = call.dims(0)?;
    if call.has(2) {
        return Some(call.contents(2).map_or_else(|| vec![Open; all.len()], <[Extent]>::to_vec));
    }
    let [batch, channels, spatial @ ..] = all else { return None };
    let windows = windows(call, &stated_kernels(call, spatial.len())?)?;
    let extents = spatial.iter().zip(&windows).map(|(extent, window)| window.slid_over(extent, &Known(0)));
    Some([batch.clone(), channels.clone()].into_iter().chain(extents).collect())
}

/// Applies a rule of images to one whose channels come last.
pub fn channels_last(call: &Call, rule: fn(&Call) -> Option<Dims>) -> Option<Dims> {
    let mut dims = call.copy(0)?;
    dims.get_mut(1..)?.rotate_right(1);
    let image = Value { dims: Some(dims), ..Value::default() };
    let mut inputs = call.inputs.clone();
    *inputs.first_mut()? = Some(&image);
    let mut dims = rule(&Call { inputs, ..call.same() })?;
    dims.get_mut(1..)?.rotate_left(1);
    Some(dims)
}
