//! Parts of tensors picked by position, and tensors made from positions or sizes.

use super::{Call, Unknown};
use crate::import::onnx::extent::{Dims, Extent, axis_of, product};

use Extent::{Known, Open};

/// A bound this far out means the end.
const FAR: i64 = i32::MAX as i64;

pub fn slice(call: &Call) -> Option<Dims> {
    let mut dims = call.dims(0)?.to_vec();
    let bounds = |name: &str, input: usize| match call.ints(name) {
        Some(list) => Some(list.iter().map(|&bound| Known(bound)).collect()),
        None => call.contents(input).map(<[Extent]>::to_vec),
    };
    let (starts, ends): (Option<Vec<Extent>>, Option<Vec<Extent>>) = (bounds("starts", 1), bounds("ends", 2));
    let axes = match call.list("axes", 3) {
        Ok(Some(axes)) => axes.iter().map(|&axis| axis_of(axis, dims.len())).collect::<Option<Vec<usize>>>()?,
        Ok(None) => {
            let length = starts.as_ref().or(ends.as_ref()).map_or(dims.len(), Vec::len);
            (0..length.min(dims.len())).collect()
        }
        Err(Unknown) => return Some(vec![Open; dims.len()]),
    };
    let steps = match call.list("steps", 4) {
        Ok(steps) => steps.unwrap_or_else(|| vec![1; axes.len()]),
        Err(Unknown) => vec![0; axes.len()],
    };
    for (index, axis) in axes.into_iter().enumerate() {
        let at = |list: &Option<Vec<Extent>>| list.as_ref().and_then(|list| list.get(index).cloned()).unwrap_or(Open);
        let extent = dims.get_mut(axis)?;
        *extent = length(extent, &at(&starts), &at(&ends), steps.get(index).copied().unwrap_or_default());
    }
    Some(dims)
}

/// Entries from `start` to before `end` in steps; a step of 0 stands for an unknown one.
pub(super) fn length(extent: &Extent, start: &Extent, end: &Extent, step: i64) -> Extent {
    if let (Some(extent), Some(start), Some(end)) = (extent.known(), start.known(), end.known()) {
        return span(extent, start, end, step).map_or(Open, |(start, end)| Known(steps_between(start, end, step)));
    }
    if step < 1 {
        return Open;
    }
    let from = match start {
        Known(start) if *start < 0 => extent.plus(&Known(*start)).at_least(&Known(0)),
        other => other.clone(),
    };
    let to = match end {
        Known(end) if *end >= FAR => extent.clone(),
        Known(end) if *end < 0 => extent.plus(&Known(*end)),
        Known(_) => end.at_most(extent),
        // Taken to lie inside, as a program that slices by a size means it.
        other => other.clone(),
    };
    // The last entries of an axis long enough to have them.
    if let (Known(start), true) = (start, to == *extent)
        && *start < 0
        && step == 1
    {
        return start.checked_neg().map_or(Open, |last| Known(last).at_most(extent));
    }
    let room = to.minus(&from);
    let room = if from.known().is_none_or(|from| from > 1) || end.known().is_some_and(|end| end < 0) {
        room.at_least(&Known(0))
    } else {
        room
    };
    room.over_up(&Known(step))
}

/// Start and end inside the axis, as the operator clamps them.
pub(super) fn span(extent: i64, start: i64, end: i64, step: i64) -> Option<(i64, i64)> {
    if step == 0 || extent < 0 {
        return None;
    }
    let wrapped = |bound: i64| if bound < 0 { bound.saturating_add(extent) } else { bound };
    let (start, end) = (wrapped(start), wrapped(end));
    Some(if step > 0 {
        (start.clamp(0, extent), end.clamp(0, extent))
    } else {
        let last = extent - 1;
        (start.clamp(0.min(last), last), end.clamp(-1, last.max(-1)))
    })
}

fn steps_between(start: i64, end: i64, step: i64) -> i64 {
    let room = i128::from(end) - i128::from(start);
    let step = i128::from(step);
    if (room > 0) != (step > 0) || room == 0 {
        return 0;
    }
    i64::try_from((room + step - step.signum()) / step).unwrap_or_default()
}

pub fn gather(call: &Call) -> Option<Dims> {
    let (data, places) = (call.dims(0)?, call.dims(1)?);
    let axis = axis_of(call.int("axis").unwrap_or_default(), data.len())?;
    let (before, after) = (data.get(..axis)?, data.get(axis + 1..)?);
    Some([before, places, after].concat())
}

pub fn gather_nd(call: &Call) -> Option<Dims> {
    let (data, places) = (call.dims(0)?, call.dims(1)?);
    let stacked = usize::try_from(call.int("batch_dims").unwrap_or_default()).ok()?;
    let (last, before) = places.split_last()?;
    let depth = usize::try_from(last.known()?).ok()?;
    Some([before, data.get(stacked.checked_add(depth)?..)?].concat())
}

pub fn one_hot(call: &Call) -> Option<Dims> {
    let mut dims = call.dims(0)?.to_vec();
    let axis = axis_of(call.int("axis").unwrap_or(-1), dims.len() + 1)?;
    let depth = call.contents(1).and_then(|contents| contents.first().cloned());
    dims.insert(axis, depth.unwrap_or(Open));
    Some(dims)
}

/// As many entries as the condition has true ones.
pub fn compress(call: &Call) -> Option<Dims> {
    let Some(axis) = call.int("axis") else { return Some(vec![Open]) };
    let mut dims = call.dims(0)?.to_vec();
    let axis = axis_of(axis, dims.len())?;
    *dims.get_mut(axis)? = Open;
    Some(dims)
}

pub fn range(call: &Call) -> Option<Dims> {
    let at = |input: usize| call.contents(input).and_then(|contents| contents.first().cloned());
    let (Some(start), Some(limit), Some(step)) = (at(0), at(1), at(2)) else { return fractional_range(call) };
    Some(vec![range_length(&start, &limit, &step)])
}

pub(super) fn range_length(start: &Extent, limit: &Extent, step: &Extent) -> Extent {
    match (start.known(), limit.known(), step.known()) {
        (Some(start), Some(limit), Some(step)) if step != 0 => Known(steps_between(start, limit, step)),
        (_, _, Some(step)) if step > 0 => {
            let room = limit.minus(start);
            let room = if start.known().is_some_and(|start| start <= 0) { room } else { room.at_least(&Known(0)) };
            room.over_up(&Known(step))
        }
        _ => Open,
    }
}

fn fractional_range(call: &Call) -> Option<Dims> {
    let at = |input: usize| call.scales(input).and_then(|scales| scales.first().copied());
    let count = at(0).zip(at(1)).zip(at(2)).map(|((start, limit), step)| ((limit - start) / step).ceil().max(0.0));
    Some(vec![count.filter(|count| count.is_finite()).map_or(Open, |count| Known(count as i64))])
}

/// The positions `start` to `end` of a shape, as the attributes have them.
pub(super) fn part_of_shape<'a>(call: &Call, dims: &'a [Extent]) -> Option<&'a [Extent]> {
    let rank = i64::try_from(dims.len()).ok()?;
    let (start, end) = span(rank, call.int("start").unwrap_or_default(), call.int("end").unwrap_or(rank), 1)?;
    Some(dims.get(usize::try_from(start).ok()?..usize::try_from(end).ok()?).unwrap_or_default())
}

pub fn shape(call: &Call) -> Option<Dims> {
    let Some(dims) = call.dims(0) else { return Some(vec![Open]) };
    Some(vec![Known(i64::try_from(part_of_shape(call, dims)?.len()).ok()?)])
}

/// The contents of the only input are the shape.
pub fn from_contents(call: &Call) -> Option<Dims> {
    match call.contents(0) {
        Some(contents) => Some(contents.to_vec()),
        None => {
            let [length] = call.dims(0)? else { return None };
            let length = usize::try_from(length.known()?).ok().filter(|length| *length <= super::MAX_RANK)?;
            Some(vec![Open; length])
        }
    }
}

pub fn from_attribute(call: &Call) -> Option<Dims> {
    call.ints("shape").map(|list| list.iter().map(|&extent| Known(extent)).collect())
}

/// One row per axis, one column per entry that is not zero.
pub fn non_zero(call: &Call) -> Option<Dims> {
    let rank = call.dims(0).and_then(|dims| i64::try_from(dims.len()).ok());
    Some(vec![rank.map_or(Open, Known), Open])
}

/// Number of elements.
pub(super) fn size(dims: &[Extent]) -> Extent {
    product(dims)
}

pub fn multinomial(call: &Call) -> Option<Dims> {
    Some(vec![call.dims(0)?.first()?.clone(), Known(call.int("sample_size").unwrap_or(1))])
}

/// How many entries differ depends on the contents.
pub fn unique(call: &Call) -> Vec<Option<Dims>> {
    let values = || {
        let Some(axis) = call.int("axis") else { return Some(vec![Open]) };
        let mut dims = call.dims(0)?.to_vec();
        let axis = axis_of(axis, dims.len())?;
        *dims.get_mut(axis)? = Open;
        Some(dims)
    };
    vec![values(), Some(vec![Open]), Some(vec![Open]), Some(vec![Open])]
}

pub fn tf_idf(call: &Call) -> Option<Dims> {
    let [before @ .., _] = call.dims(0)? else { return None };
    let columns = call.ints("ngram_indexes")?.iter().max()?.checked_add(1)?;
    Some([before, &[Known(columns)]].concat())
}
