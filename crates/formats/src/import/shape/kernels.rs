//! Axes that move, go, come, are cut and joined. A function answers `None` where an axis is not
//! there or shapes do not fit.

use super::{Dims, Extent, broadcast, product};

use Extent::{Known, Open};

/// A bound this far out means the end.
const FAR: i64 = i32::MAX as i64;

/// The shape with some axes folded: to 1 where they are kept, else they go.
pub fn folded(dims: &[Extent], is_folded: &[bool], keep: bool) -> Dims {
    let kept = dims.iter().zip(is_folded).filter(|(_, folded)| keep || !**folded);
    kept.map(|(extent, folded)| if *folded { Known(1) } else { extent.clone() }).collect()
}

/// The shape with another extent along an axis.
pub fn replaced(dims: &[Extent], axis: usize, extent: Extent) -> Option<Dims> {
    let mut dims = dims.to_vec();
    *dims.get_mut(axis)? = extent;
    Some(dims)
}

/// The shape with one more axis.
pub fn inserted(dims: &[Extent], axis: usize, extent: Extent) -> Option<Dims> {
    let (before, after) = dims.split_at_checked(axis)?;
    Some([before, &[extent], after].concat())
}

/// The shape with its axes in another order.
pub fn permuted(dims: &[Extent], order: impl IntoIterator<Item = Option<usize>>) -> Option<Dims> {
    order.into_iter().map(|axis| dims.get(axis?).cloned()).collect()
}

/// The axes before one as a single one, and those from it on.
pub fn flattened(dims: &[Extent], axis: usize) -> Option<Dims> {
    let (left, right) = dims.split_at_checked(axis)?;
    Some(vec![product(left), product(right)])
}

/// The elements of `source` over those of `dims`; extents in both cancel, known or not.
pub fn left_over(source: &[Extent], dims: &[Extent]) -> Extent {
    let mut above = source.to_vec();
    let mut below = Vec::new();
    for extent in dims {
        // Two unknown extents need not be the same.
        match above.iter().position(|there| there == extent && *there != Open) {
            Some(at) => drop(above.remove(at)),
            None => below.push(extent.clone()),
        }
    }
    product(&above).over(&product(&below))
}

/// Shapes one after the other along an axis; one that is not known leaves it open.
pub fn joined<'a>(shapes: impl IntoIterator<Item = Option<&'a [Extent]>>, axis: usize) -> Option<Dims> {
    let mut shapes = shapes.into_iter();
    let mut dims = shapes.next()??.to_vec();
    for other in shapes {
        let Some(other) = other else {
            *dims.get_mut(axis)? = Open;
            continue;
        };
        if other.len() != dims.len() {
            return None;
        }
        for (index, (into, extent)) in dims.iter_mut().zip(other).enumerate() {
            if index == axis {
                *into = into.plus(extent);
            } else if into.known().is_none() && (extent.known().is_some() || *into == Open) {
                *into = extent.clone();
            }
        }
    }
    Some(dims)
}

/// The shape with padding: an axis, with what comes before it and after it.
pub fn padded(dims: &[Extent], pads: impl IntoIterator<Item = (usize, Extent, Extent)>) -> Option<Dims> {
    let mut dims = dims.to_vec();
    for (axis, before, after) in pads {
        let extent = dims.get_mut(axis)?;
        *extent = extent.plus(&before).plus(&after);
    }
    Some(dims)
}

/// The product of two stacks of matrices, whose other axes broadcast. A vector on the left loses
/// its only extent, one on the right too.
pub fn multiplied(a: &[Extent], b: &[Extent]) -> Option<Dims> {
    let ([.., columns], [.., rows_or_columns]) = (a, b) else { return None };
    let (left_stack, rows) = match a {
        [stack @ .., rows, _] => (stack, Some(rows)),
        _ => (&a[..0], None),
    };
    let (right_stack, inner, columns_out) = match b {
        [stack @ .., inner, columns] => (stack, inner, Some(columns)),
        _ => (&b[..0], rows_or_columns, None),
    };
    if let (Some(a), Some(b)) = (columns.known(), inner.known())
        && a != b
    {
        return None;
    }
    let mut dims = if left_stack.is_empty() && right_stack.is_empty() {
        Vec::new()
    } else {
        broadcast(&[left_stack, right_stack])?
    };
    dims.extend(rows.cloned());
    dims.extend(columns_out.cloned());
    Some(dims)
}

/// Start and end inside an axis, as slices clamp them: from the end if negative.
pub fn span(extent: i64, start: i64, end: i64, step: i64) -> Option<(i64, i64)> {
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

/// The entries of a list from `start` to before `end`, as slices clamp them.
pub fn part(list: &[Extent], start: Option<i64>, end: Option<i64>) -> Option<&[Extent]> {
    let length = i64::try_from(list.len()).ok()?;
    let (start, end) = span(length, start.unwrap_or_default(), end.unwrap_or(length), 1)?;
    Some(list.get(usize::try_from(start).ok()?..usize::try_from(end).ok()?).unwrap_or_default())
}

fn steps_between(start: i64, end: i64, step: i64) -> i64 {
    let room = i128::from(end) - i128::from(start);
    let step = i128::from(step);
    if (room > 0) != (step > 0) || room == 0 {
        return 0;
    }
    i64::try_from((room + step - step.signum()) / step).unwrap_or_default()
}

/// Entries of an axis from `start` to before `end` in steps; a step of 0 stands for an unknown one.
pub fn sliced(extent: &Extent, start: &Extent, end: &Extent, step: i64) -> Extent {
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

/// Numbers from `start` to before `limit` in steps.
pub fn range(start: &Extent, limit: &Extent, step: &Extent) -> Extent {
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
