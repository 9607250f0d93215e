//! Convolution and pooling.

use super::Call;
use crate::import::onnx::extent::{Dims, Extent};

use Extent::Known;

/// A sliding window along one axis.
struct Axis {
    kernel: Extent,
    stride: i64,
    dilation: i64,
    before: i64,
    after: i64,
}

impl Axis {
    /// Elements from the first to the last that a window covers.
    fn reach(&self) -> Extent {
        self.kernel.minus(&Known(1)).times(&Known(self.dilation)).plus(&Known(1))
    }
}

/// The windows of a node; `None` where lists do not fit the number of axes.
fn axes(call: &Call, kernels: &[Extent]) -> Option<Vec<Axis>> {
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
    let axis = |index: usize| Axis {
        kernel: kernels[index].clone(),
        stride: strides[index],
        dilation: dilations[index],
        before: pads[index],
        after: pads[index + count],
    };
    Some((0..count).map(axis).collect())
}

fn is_same(call: &Call) -> bool {
    matches!(call.text("auto_pad"), "SAME_UPPER" | "SAME_LOWER")
}

/// Number of windows along every axis.
fn slide(call: &Call, spatial: &[Extent], kernels: &[Extent], up: bool) -> Option<Dims> {
    let axes = axes(call, kernels)?;
    let count = |(extent, axis): (&Extent, &Axis)| {
        let stride = Known(axis.stride);
        if is_same(call) {
            return extent.over_up(&stride);
        }
        let room = extent.plus(&Known(axis.before)).plus(&Known(axis.after)).minus(&axis.reach());
        let steps = if up { room.over_up(&stride) } else { room.over(&stride) };
        // Rounded up, the last window must still begin inside the input or the padding before it.
        let fits = match (up, steps.known(), extent.plus(&Known(axis.before)).known()) {
            (true, Some(steps), Some(end)) => steps.saturating_mul(axis.stride) < end,
            _ => true,
        };
        let windows = if fits { steps.plus(&Known(1)) } else { steps };
        if windows.known().is_some_and(|windows| windows < 0) { Extent::Open } else { windows }
    };
    Some(spatial.iter().zip(&axes).map(count).collect())
}

pub fn conv(call: &Call) -> Option<Dims> {
    let weight = if call.op() == "QLinearConv" { 3 } else { 1 };
    let [batch, _, spatial @ ..] = call.dims(0)? else { return None };
    let [channels, _, kernel @ ..] = call.dims(weight)? else { return None };
    let kernels = kernels(call, spatial.len()).unwrap_or_else(|| kernel.to_vec());
    if kernels.len() != spatial.len() {
        return None;
    }
    let mut dims = vec![batch.clone(), channels.clone()];
    dims.extend(slide(call, spatial, &kernels, false)?);
    Some(dims)
}

/// The attribute `kernel_shape`.
fn kernels(call: &Call, count: usize) -> Option<Vec<Extent>> {
    let list = call.ints("kernel_shape").filter(|list| list.len() == count)?;
    Some(list.iter().map(|&extent| Known(extent)).collect())
}

pub fn conv_transpose(call: &Call) -> Option<Dims> {
    let [batch, _, spatial @ ..] = call.dims(0)? else { return None };
    let [_, per_group, kernel @ ..] = call.dims(1)? else { return None };
    let kernels = kernels(call, spatial.len()).unwrap_or_else(|| kernel.to_vec());
    if kernels.len() != spatial.len() {
        return None;
    }
    let axes = axes(call, &kernels)?;
    let mut dims = vec![batch.clone(), per_group.times(&Known(call.int("group").unwrap_or(1)))];
    let added = call.ints("output_padding").unwrap_or_default();
    for (index, (extent, axis)) in spatial.iter().zip(&axes).enumerate() {
        let stride = Known(axis.stride);
        // From opset 24 the attribute may hold all extents; before, the spatial ones.
        let stated = call.ints("output_shape").and_then(|list| list.get(list.len().checked_sub(axes.len())? + index));
        dims.push(match stated {
            Some(&stated) => Known(stated),
            None if is_same(call) => extent.times(&stride),
            None => {
                let added = Known(added.get(index).copied().unwrap_or_default());
                let pads = Known(axis.before).plus(&Known(axis.after));
                extent.minus(&Known(1)).times(&stride).plus(&added).plus(&axis.reach()).minus(&pads)
            }
        });
    }
    Some(dims)
}

/// The second output of `MaxPool`, the places of the largest elements, has the same shape.
pub fn pool(call: &Call) -> Vec<Option<Dims>> {
    let dims = || {
        let [batch, channels, spatial @ ..] = call.dims(0)? else { return None };
        let up = call.int("ceil_mode").unwrap_or_default() != 0;
        let mut dims = vec![batch.clone(), channels.clone()];
        dims.extend(slide(call, spatial, &kernels(call, spatial.len())?, up)?);
        Some(dims)
    };
    let dims = dims();
    vec![dims.clone(), dims]
}

pub fn global_pool(call: &Call) -> Option<Dims> {
    let [batch, channels, spatial @ ..] = call.dims(0)? else { return None };
    let mut dims = vec![batch.clone(), channels.clone()];
    dims.extend(spatial.iter().map(|_| Known(1)));
    Some(dims)
}

/// The way back from a pooling, without an input that states the extents.
pub fn unpool(call: &Call) -> Option<Dims> {
    let [batch, channels, spatial @ ..] = call.dims(0)? else { return None };
    let axes = axes(call, &kernels(call, spatial.len())?)?;
    let extent = |(extent, axis): (&Extent, &Axis)| {
        let pads = Known(axis.before).plus(&Known(axis.after));
        extent.minus(&Known(1)).times(&Known(axis.stride)).plus(&axis.kernel).minus(&pads)
    };
    Some([batch.clone(), channels.clone()].into_iter().chain(spatial.iter().zip(&axes).map(extent)).collect())
}
