//! Parts of tensors picked by position, and tensors made from positions or sizes.

use super::{Call, Unknown};
use crate::import::shape::{self, Dims, Extent, axis_of, inserted, part, replaced, sliced};

use Extent::{Known, Open};

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
        *extent = sliced(extent, &at(&starts), &at(&ends), steps.get(index).copied().unwrap_or_default());
    }
    Some(dims)
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
    let dims = call.dims(0)?;
    let axis = axis_of(call.int("axis").unwrap_or(-1), dims.len() + 1)?;
    let depth = call.contents(1).and_then(|contents| contents.first().cloned());
    inserted(dims, axis, depth.unwrap_or(Open))
}

/// As many entries along an axis, or of all, as the contents decide: those for which a condition is
/// true, or those that differ.
pub fn picked(call: &Call) -> Option<Dims> {
    let Some(axis) = call.int("axis") else { return Some(vec![Open]) };
    let dims = call.dims(0)?;
    replaced(dims, axis_of(axis, dims.len())?, Open)
}

pub fn range(call: &Call) -> Option<Dims> {
    let at = |input: usize| call.contents(input).and_then(|contents| contents.first().cloned());
    let (Some(start), Some(limit), Some(step)) = (at(0), at(1), at(2)) else { return fractional_range(call) };
    Some(vec![shape::range(&start, &limit, &step)])
}

fn fractional_range(call: &Call) -> Option<Dims> {
    let at = |input: usize| call.scales(input).and_then(|scales| scales.first().copied());
    let count = at(0).zip(at(1)).zip(at(2)).map(|((start, limit), step)| ((limit - start) / step).ceil().max(0.0));
    Some(vec![count.filter(|count| count.is_finite()).map_or(Open, |count| Known(count as i64))])
}

/// The positions `start` to `end` of a shape, as the attributes have them.
pub(super) fn part_of_shape<'a>(call: &Call, dims: &'a [Extent]) -> Option<&'a [Extent]> {
    part(dims, call.int("start"), call.int("end"))
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

pub fn multinomial(call: &Call) -> Option<Dims> {
    Some(vec![call.dims(0)?.first()?.clone(), Known(call.int("sample_size").unwrap_or(1))])
}

/// The entries that differ, and three lists of places and counts.
pub fn unique(call: &Call) -> Vec<Option<Dims>> {
    vec![picked(call), Some(vec![Open]), Some(vec![Open]), Some(vec![Open])]
}

pub fn tf_idf(call: &Call) -> Option<Dims> {
    let [before @ .., _] = call.dims(0)? else { return None };
    let columns = call.ints("ngram_indexes")?.iter().max()?.checked_add(1)?;
    Some([before, &[Known(columns)]].concat())
}
