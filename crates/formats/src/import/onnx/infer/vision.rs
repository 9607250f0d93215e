//! Sampling from images, and regions of them.

use super::Call;
use crate::import::shape::{Dims, Extent, axis_of};

use Extent::{Known, Open};

pub fn grid_sample(call: &Call) -> Option<Dims> {
    let ([batch, channels, ..], [_, places @ .., _]) = (call.dims(0)?, call.dims(1)?) else { return None };
    Some([&[batch.clone(), channels.clone()], places].concat())
}

pub fn affine_grid(call: &Call) -> Option<Dims> {
    let rank = call.dims(0).and_then(|dims| dims.get(1)?.known());
    match (call.contents(1), call.dims(1).and_then(|dims| dims.first()?.known()), rank) {
        (Some([batch, _, places @ ..]), ..) => {
            let count = Known(places.len() as i64);
            Some([std::slice::from_ref(batch), places, &[count]].concat())
        }
        (_, Some(4), _) | (_, None, Some(2)) => Some(vec![Open, Open, Open, Known(2)]),
        (_, Some(5), _) | (_, None, Some(3)) => Some(vec![Open, Open, Open, Open, Known(3)]),
        _ => None,
    }
}

/// Regions of interest, each with as many rows and columns as the attributes state.
pub fn roi_align(call: &Call) -> Option<Dims> {
    let ([_, channels, ..], [regions, ..]) = (call.dims(0)?, call.dims(1)?) else { return None };
    let side = |name: &str| Known(call.int(name).unwrap_or(1));
    Some(vec![regions.clone(), channels.clone(), side("output_height"), side("output_width")])
}

pub fn roi_pool(call: &Call) -> Option<Dims> {
    let ([_, channels, ..], [regions, ..]) = (call.dims(0)?, call.dims(1)?) else { return None };
    let sides = call.ints("pooled_shape")?.iter().map(|&side| Known(side));
    Some([regions.clone(), channels.clone()].into_iter().chain(sides).collect())
}

/// `CropAndResize` of com.microsoft: the extents of a crop are an input.
pub fn crop_and_resize(call: &Call) -> Option<Dims> {
    let ([_, channels, ..], [regions, ..]) = (call.dims(0)?, call.dims(1)?) else { return None };
    let crop = call.contents(3).map_or_else(|| vec![Open; 2], <[Extent]>::to_vec);
    Some([&[regions.clone(), channels.clone()], &crop[..]].concat())
}

pub fn col2im(call: &Call) -> Option<Dims> {
    let [batch, columns, _] = call.dims(0)? else { return None };
    let block = call.contents(2)?;
    let channels = columns.over(&block.iter().fold(Known(1), |all, extent| all.times(extent)));
    Some([&[batch.clone(), channels], call.contents(1)?].concat())
}

pub fn center_crop_pad(call: &Call) -> Option<Dims> {
    let mut dims = call.dims(0)?.to_vec();
    let axes: Vec<i64> = match call.ints("axes") {
        Some(axes) => axes.to_vec(),
        None => (0..dims.len() as i64).collect(),
    };
    for (index, axis) in axes.into_iter().enumerate() {
        let axis = axis_of(axis, dims.len())?;
        let wanted = call.contents(1).and_then(|shape| shape.get(index).cloned());
        *dims.get_mut(axis)? = wanted.unwrap_or(Open);
    }
    Some(dims)
}
