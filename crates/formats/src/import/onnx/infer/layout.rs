//! Operators that give elements another order or number of axes.

use super::{Call, Unknown};
use crate::import::shape::{
    Dims, Extent, axis_of, broadcast, flattened, folded, joined, left_over, padded, permuted, replaced,
};

use Extent::{Known, Open};

pub fn transpose(call: &Call) -> Option<Dims> {
    let dims = call.dims(0)?;
    match call.ints("perm") {
        Some(order) if order.len() == dims.len() => {
            permuted(dims, order.iter().map(|&axis| usize::try_from(axis).ok()))
        }
        Some(_) => None,
        None => permuted(dims, (0..dims.len()).rev().map(Some)),
    }
}

/// The target; entries 0 copy, one −1 takes what is left.
pub fn reshape(call: &Call) -> Option<Dims> {
    let target = match call.ints("shape") {
        Some(list) => list.iter().map(|&extent| Known(extent)).collect(),
        None => match call.contents(1) {
            Some(contents) => contents.to_vec(),
            None => return open(call.dims(1)?),
        },
    };
    let source = call.dims(0);
    let copies = call.int("allowzero").unwrap_or_default() == 0;
    let mut dims = Vec::with_capacity(target.len());
    let mut rest = None;
    for (axis, extent) in target.iter().enumerate() {
        dims.push(match extent {
            Known(0) if copies => source.and_then(|source| source.get(axis).cloned()).unwrap_or(Open),
            Known(-1) => {
                rest = Some(axis);
                Known(1)
            }
            other => other.clone(),
        });
    }
    if let Some(rest) = rest {
        *dims.get_mut(rest)? = source.map_or(Open, |source| left_over(source, &dims));
    }
    Some(dims)
}

/// As many unknown extents as the list that states them is long.
fn open(list: &[Extent]) -> Option<Dims> {
    let [length] = list else { return None };
    let length = usize::try_from(length.known()?).ok().filter(|length| *length <= super::MAX_RANK)?;
    Some(vec![Open; length])
}

pub fn flatten(call: &Call) -> Option<Dims> {
    let dims = call.dims(0)?;
    let axis = call.int("axis").unwrap_or(1);
    // Unlike elsewhere the axis may be the number of axes.
    let axis = if axis == i64::try_from(dims.len()).ok()? { dims.len() } else { axis_of(axis, dims.len())? };
    flattened(dims, axis)
}

pub fn squeeze(call: &Call) -> Option<Dims> {
    let dims = call.dims(0)?;
    let mut gone = vec![false; dims.len()];
    match call.list("axes", 1) {
        Ok(Some(axes)) => {
            for axis in axes {
                *gone.get_mut(axis_of(axis, dims.len())?)? = true;
            }
        }
        // Every extent of one goes, so all must be known.
        Ok(None) => {
            for (gone, extent) in gone.iter_mut().zip(dims) {
                *gone = extent.known()? == 1;
            }
        }
        Err(Unknown) => return None,
    }
    Some(folded(dims, &gone, false))
}

pub fn unsqueeze(call: &Call) -> Option<Dims> {
    let dims = call.dims(0)?;
    let axes = call.list("axes", 1).ok()??;
    let rank = dims.len().checked_add(axes.len()).filter(|rank| *rank <= super::MAX_RANK)?;
    let mut new = vec![false; rank];
    for axis in axes {
        *new.get_mut(axis_of(axis, rank)?)? = true;
    }
    let mut old = dims.iter();
    new.iter().map(|new| if *new { Some(Known(1)) } else { old.next().cloned() }).collect()
}

pub fn concat(call: &Call) -> Option<Dims> {
    let axis = axis_of(call.int("axis").unwrap_or(1), call.dims(0)?.len())?;
    joined((0..call.inputs.len()).map(|input| call.dims(input)), axis)
}

pub fn split(call: &Call) -> Vec<Option<Dims>> {
    let parts = call.outputs();
    let pieces = || {
        let dims = call.dims(0)?;
        let axis = axis_of(call.int("axis").unwrap_or_default(), dims.len())?;
        let whole = dims.get(axis)?;
        let lengths: Vec<Extent> = match call.list("split", 1) {
            Ok(Some(list)) => list.iter().map(|&length| Known(length)).collect(),
            Err(Unknown) => vec![Open; parts],
            Ok(None) => {
                let count = Known(i64::try_from(parts).ok()?);
                let each = if call.int("num_outputs").is_some() { whole.over_up(&count) } else { whole.over(&count) };
                // The last part may be shorter.
                let before = each.times(&count.minus(&Known(1)));
                let mut lengths = vec![each; parts];
                *lengths.last_mut()? = whole.minus(&before);
                lengths
            }
        };
        Some(lengths.into_iter().map(|length| replaced(dims, axis, length)).collect())
    };
    pieces().unwrap_or_else(|| vec![None; parts])
}

pub fn expand(call: &Call) -> Option<Dims> {
    let dims = call.dims(0);
    match call.contents(1) {
        Some(target) => broadcast(&[dims?, target]),
        None => {
            let open = open(call.dims(1)?)?;
            broadcast(&[dims?, &open])
        }
    }
}

pub fn tile(call: &Call) -> Option<Dims> {
    let dims = call.dims(0)?;
    match call.contents(1) {
        // The first version repeats along one axis.
        Some(tiles) if call.version() < 6 => {
            let ([tiles], [axis]) = (tiles, &call.numbers(2)?[..]) else { return None };
            let axis = axis_of(*axis, dims.len())?;
            replaced(dims, axis, dims.get(axis)?.times(tiles))
        }
        Some(repeats) if repeats.len() == dims.len() => {
            Some(dims.iter().zip(repeats).map(|(extent, repeats)| extent.times(repeats)).collect())
        }
        Some(_) => None,
        None => Some(vec![Open; dims.len()]),
    }
}

pub fn pad(call: &Call) -> Option<Dims> {
    let dims = call.dims(0)?;
    let stated = call.ints("pads").or_else(|| call.ints("paddings"));
    let pads: Vec<Extent> = match (stated, call.contents(1)) {
        (Some(list), _) => list.iter().map(|&pad| Known(pad)).collect(),
        (None, Some(contents)) => contents.to_vec(),
        (None, None) => return Some(vec![Open; dims.len()]),
    };
    let axes: Vec<usize> = if call.has(3) {
        call.numbers(3)?.iter().map(|&axis| axis_of(axis, dims.len())).collect::<Option<_>>()?
    } else {
        (0..dims.len()).collect()
    };
    let (before, after) = pads.split_at_checked(axes.len()).filter(|(_, after)| after.len() == axes.len())?;
    let pads = axes.into_iter().zip(before).zip(after);
    padded(dims, pads.map(|((axis, before), after)| (axis, before.clone(), after.clone())))
}

pub fn depth_to_space(call: &Call) -> Option<Dims> {
    let block = Known(call.int("blocksize")?);
    let [batch, depth, height, width] = call.dims(0)? else { return None };
    Some(vec![batch.clone(), depth.over(&block.times(&block)), height.times(&block), width.times(&block)])
}

pub fn space_to_depth(call: &Call) -> Option<Dims> {
    let block = Known(call.int("blocksize")?);
    let [batch, depth, height, width] = call.dims(0)? else { return None };
    Some(vec![batch.clone(), depth.times(&block).times(&block), height.over(&block), width.over(&block)])
}
