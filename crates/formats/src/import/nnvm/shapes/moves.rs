//! Operators that move, cut, join and reduce.

use super::{Call, Shape, from_front, product};

pub fn flatten(call: &mut Call) -> Option<Vec<Shape>> {
    let (first, rest) = call.input(0)?.split_first()?;
    Some(vec![vec![*first, product(rest)?]])
}

/// MXNet's codes: 0 keeps an extent, -1 is what remains, -2 keeps all the rest, -3 joins two, -4
/// splits one in the next two.
pub fn reshape(call: &mut Call) -> Option<Vec<Shape>> {
    let data = call.input(0)?;
    let codes =
        call.numbers(&["shape"]).filter(|codes| !codes.is_empty()).or_else(|| call.numbers(&["target_shape"]))?;
    if call.flag("reverse") {
        return None;
    }
    let (mut shape, mut at, mut open): (Shape, usize, Option<usize>) = (Vec::new(), 0, None);
    let mut codes = codes.into_iter();
    while let Some(code) = codes.next() {
        match code {
            0 => {
                shape.push(*data.get(at)?);
                at += 1;
            }
            -1 => {
                open = Some(shape.len());
                shape.push(1);
                at += 1;
            }
            -2 => {
                shape.extend(data.get(at..)?);
                at = data.len();
            }
            -3 => {
                shape.push(product(data.get(at..at.checked_add(2)?)?)?);
                at += 2;
            }
            -4 => {
                let (whole, parts) = (*data.get(at)?, [codes.next()?, codes.next()?]);
                let part = |part: i64, other: i64| match (u64::try_from(part), u64::try_from(other)) {
                    (Ok(part), _) if part > 0 => Some(part),
                    (Err(_), Ok(other)) => whole.checked_div(other),
                    _ => None,
                };
                shape.extend([part(parts[0], parts[1])?, part(parts[1], parts[0])?]);
                at += 1;
            }
            extent => {
                shape.push(u64::try_from(extent).ok()?);
                at += 1;
            }
        }
    }
    let all = product(data)?;
    if let Some(open) = open {
        let known = product(&shape)?;
        shape[open] = all.checked_div(known)?;
    }
    (product(&shape)? == all).then_some(vec![shape])
}

pub fn transpose(call: &mut Call) -> Option<Vec<Shape>> {
    let data = call.input(0)?;
    let axes = call.numbers(&["axes"]).filter(|axes| !axes.is_empty());
    let Some(axes) = axes else { return Some(vec![data.iter().rev().copied().collect()]) };
    (axes.len() == data.len()).then_some(())?;
    Some(vec![axes.into_iter().map(|axis| Some(data[from_front(axis, data.len())?])).collect::<Option<_>>()?])
}

pub fn swap(call: &mut Call) -> Option<Vec<Shape>> {
    let mut shape = call.input(0)?.clone();
    let (a, b) = (call.axis(&["dim1"], 0, shape.len())?, call.axis(&["dim2"], 0, shape.len())?);
    shape.swap(a, b);
    Some(vec![shape])
}

pub fn expand_dims(call: &mut Call) -> Option<Vec<Shape>> {
    let mut shape = call.input(0)?.clone();
    let axis = call.axis(&["axis"], 0, shape.len() + 1)?;
    let count = call.size(&["num_newaxis"]).unwrap_or(1);
    for _ in 0..count.min(8) {
        shape.insert(axis, 1);
    }
    Some(vec![shape])
}

pub fn squeeze(call: &mut Call) -> Option<Vec<Shape>> {
    let data = call.input(0)?;
    let named = if call.node.attr("axis") == Some("None") { None } else { call.numbers(&["axis"]) };
    let axes = named.unwrap_or_default();
    let axes: Vec<usize> = axes.into_iter().map(|axis| from_front(axis, data.len())).collect::<Option<_>>()?;
    let goes = |axis: usize| if axes.is_empty() { data[axis] == 1 } else { axes.contains(&axis) };
    let kept: Shape = (0..data.len()).filter(|&axis| !goes(axis)).map(|axis| data[axis]).collect();
    Some(vec![if kept.is_empty() { vec![1] } else { kept }])
}

pub fn concat(call: &mut Call) -> Option<Vec<Shape>> {
    let mut shape = call.input(0)?.clone();
    let axis = call.axis(&["dim", "axis"], 1, shape.len())?;
    for index in 1..call.inputs.len() {
        let other = call.input(index).filter(|other| other.len() == shape.len())?;
        shape[axis] = shape[axis].checked_add(other[axis])?;
    }
    Some(vec![shape])
}

pub fn stack(call: &mut Call) -> Option<Vec<Shape>> {
    let mut shape = call.input(0)?.clone();
    let axis = call.axis(&["axis"], 0, shape.len() + 1)?;
    shape.insert(axis, call.inputs.len() as u64);
    Some(vec![shape])
}

/// Equal parts, or NNVM's list of places to cut at.
pub fn split(call: &mut Call) -> Option<Vec<Shape>> {
    let data = call.input(0)?.clone();
    let axis = call.axis(&["axis"], 1, data.len())?;
    let with = |extent: u64| {
        let mut shape = data.clone();
        shape[axis] = extent;
        shape
    };
    let cuts = call.numbers(&["indices_or_sections"]).filter(|cuts| cuts.len() > 1);
    if let Some(cuts) = cuts {
        let mut from = 0;
        let mut shapes = Vec::new();
        for cut in cuts {
            let cut = u64::try_from(cut).ok()?;
            shapes.push(with(cut.checked_sub(from)?));
            from = cut;
        }
        shapes.push(with(data[axis].checked_sub(from)?));
        return Some(shapes);
    }
    let parts = call.size(&["num_outputs", "indices_or_sections"])?;
    let mut part = with(data[axis].checked_div(parts)?);
    if call.flag("squeeze_axis") {
        part.remove(axis);
    }
    Some(vec![part; call.outputs.min(usize::try_from(parts).ok()?)])
}

/// The length of `begin..end` with a step, where negative places count from the end and `None` is
/// the end itself.
fn cut(extent: u64, begin: Option<i64>, end: Option<i64>, step: i64) -> Option<u64> {
    let whole = i64::try_from(extent).ok()?;
    let place = |at: i64| if at < 0 { at.saturating_add(whole) } else { at }.clamp(0, whole);
    (step > 0).then_some(())?;
    let (begin, end) = (place(begin.unwrap_or(0)), end.map_or(whole, place));
    Some(u64::try_from(end - begin).ok()?.div_ceil(u64::try_from(step).ok()?))
}

pub fn slice_axis(call: &mut Call) -> Option<Vec<Shape>> {
    let mut shape = call.input(0)?.clone();
    let axis = call.axis(&["axis"], 0, shape.len())?;
    let end = if call.node.attr("end") == Some("None") { None } else { Some(call.number(&["end"])?) };
    shape[axis] = cut(shape[axis], call.number(&["begin"]), end, 1)?;
    Some(vec![shape])
}

/// A list in which `None` leaves an axis alone.
fn places(call: &Call, keys: &[&str]) -> Vec<Option<i64>> {
    let text = keys.iter().find_map(|key| call.node.attr(key)).unwrap_or_default();
    let parts = text.split(',').map(|part| part.trim_matches(['(', ')', '[', ']', ' ']));
    parts.map(|part| part.parse().ok()).collect()
}

pub fn slice(call: &mut Call) -> Option<Vec<Shape>> {
    let mut shape = call.input(0)?.clone();
    let (begin, end) = (places(call, &["begin"]), places(call, &["end"]));
    let step = places(call, &["step", "stride"]);
    let at = |places: &[Option<i64>], axis: usize| places.get(axis).copied().flatten();
    for axis in 0..shape.len().min(begin.len()) {
        shape[axis] = cut(shape[axis], at(&begin, axis), at(&end, axis), at(&step, axis).unwrap_or(1))?;
    }
    Some(vec![shape])
}

/// Amounts before and after each axis in turn.
pub fn pad(call: &mut Call) -> Option<Vec<Shape>> {
    let mut shape = call.input(0)?.clone();
    let amounts = call.numbers(&["pad_width"])?;
    (amounts.len() == 2 * shape.len()).then_some(())?;
    for (extent, amounts) in shape.iter_mut().zip(amounts.chunks_exact(2)) {
        for amount in amounts {
            *extent = extent.checked_add(u64::try_from(*amount).ok()?)?;
        }
    }
    Some(vec![shape])
}

pub fn reduce(call: &mut Call) -> Option<Vec<Shape>> {
    let data = call.input(0)?;
    let named = if call.node.attr("axis") == Some("None") { None } else { call.numbers(&["axis"]) };
    let axes = named.filter(|axes| !axes.is_empty());
    let axes = match axes {
        None => (0..data.len()).collect::<Vec<usize>>(),
        Some(axes) => axes.into_iter().map(|axis| from_front(axis, data.len())).collect::<Option<_>>()?,
    };
    let goes = |axis: usize| axes.contains(&axis) != call.flag("exclude");
    let keep = call.flag("keepdims");
    let shape: Shape = (0..data.len())
        .filter(|&axis| keep || !goes(axis))
        .map(|axis| if goes(axis) { 1 } else { data[axis] })
        .collect();
    Some(vec![if shape.is_empty() { vec![1] } else { shape }])
}
