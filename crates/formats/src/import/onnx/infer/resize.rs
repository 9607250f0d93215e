//! Images of another size.

use super::Call;
use crate::import::shape::{Dims, Extent, axis_of};

use Extent::{Known, Open};

/// Inputs: the image, and scales (version 10); from version 11 a region, scales, sizes.
pub fn resize(call: &Call) -> Option<Dims> {
    let dims = call.dims(0)?;
    let axes: Vec<usize> = match call.ints("axes") {
        Some(axes) => axes.iter().map(|&axis| axis_of(axis, dims.len())).collect::<Option<_>>()?,
        None => (0..dims.len()).collect(),
    };
    let (scales, sizes) = if call.version() < 11 { (1, usize::MAX) } else { (2, 3) };
    let mut result = dims.to_vec();
    if call.has(sizes) {
        let wanted = call.contents(sizes).map_or_else(|| vec![Open; axes.len()], <[Extent]>::to_vec);
        if wanted.len() != axes.len() {
            return None;
        }
        let policy = call.text("keep_aspect_ratio_policy");
        let wanted = if matches!(policy, "" | "stretch") { wanted } else { keep_ratio(dims, &axes, &wanted, policy)? };
        for (&axis, size) in axes.iter().zip(wanted) {
            *result.get_mut(axis)? = size;
        }
        return Some(result);
    }
    let scales = call.scales(scales).filter(|scales| scales.len() == axes.len());
    for (index, &axis) in axes.iter().enumerate() {
        let scale = scales.as_ref().and_then(|scales| scales.get(index).copied());
        let extent = result.get_mut(axis)?;
        *extent = scale.map_or(Open, |scale| scaled(extent, scale));
    }
    Some(result)
}

/// All axes by one factor: the largest that stays within the sizes, or the smallest that reaches
/// them.
fn keep_ratio(dims: &[Extent], axes: &[usize], wanted: &[Extent], policy: &str) -> Option<Dims> {
    let mut ratios = Vec::with_capacity(axes.len());
    for (&axis, size) in axes.iter().zip(wanted) {
        ratios.push((size.known()? as f32) / (dims.get(axis)?.known()? as f32));
    }
    let pick = if policy == "not_larger" { f32::min } else { f32::max };
    let ratio = ratios.into_iter().reduce(pick)?;
    let size = |&axis: &usize| {
        let size = (dims.get(axis)?.known()? as f32 * ratio).round();
        Some(if size.is_finite() { Known(size as i64) } else { Open })
    };
    axes.iter().map(size).collect()
}

pub fn upsample(call: &Call) -> Option<Dims> {
    let dims = call.dims(0)?;
    let floats = |name: &str| call.attribute(name).map(|attribute| &attribute.floats);
    let one = |name: &str| call.attribute(name)?.f.map(f64::from);
    let scales: Option<Vec<f64>> = match (floats("scales"), one("height_scale"), one("width_scale")) {
        (Some(list), ..) => Some(list.iter().map(|&scale| f64::from(scale)).collect()),
        (None, Some(height), Some(width)) => Some(vec![1.0, 1.0, height, width]),
        _ => call.scales(1),
    };
    let Some(scales) = scales.filter(|scales| scales.len() == dims.len()) else {
        return Some(vec![Open; dims.len()]);
    };
    Some(dims.iter().zip(scales).map(|(extent, scale)| scaled(extent, scale)).collect())
}

/// Rounded down. A symbol can be scaled by a whole number only, or divided by one.
fn scaled(extent: &Extent, scale: f64) -> Extent {
    if !(scale.is_finite() && scale > 0.0) {
        return Open;
    }
    match extent {
        // As runtimes do, in single precision.
        Known(value) => {
            let size = (*value as f32 * scale as f32).floor();
            if size.is_finite() { Known(size as i64) } else { Open }
        }
        _ if scale.fract() == 0.0 => extent.times(&Known(scale as i64)),
        _ if scale.recip().fract() == 0.0 => extent.over(&Known(scale.recip() as i64)),
        _ => Open,
    }
}
