//! Operators that move, cut, join and reduce.

use super::{Call, Shape};
use crate::import::shape::{
    Extent, axis_of, flattened, folded, inserted, joined, padded, permuted, product, replaced, sliced, span,
};

use Extent::Known;

pub fn flatten(call: &mut Call) -> Option<Vec<Shape>> {
    Some(vec![flattened(call.input(0)?, 1)?])
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
        let mut read = 1;
        match code {
            0 => shape.push(data.get(at)?.clone()),
            -1 => {
                open = Some(shape.len());
                shape.push(Known(1));
            }
            -2 => {
                let rest = data.get(at..)?;
                shape.extend_from_slice(rest);
                read = rest.len();
            }
            -3 => {
                read = 2;
                shape.push(product(data.get(at..at.checked_add(read)?)?));
            }
            -4 => {
                let (whole, a, b) = (data.get(at)?.known()?, codes.next()?, codes.next()?);
                let part = |part: i64, other: i64| match (part, other) {
                    (1.., _) => Some(Known(part)),
                    (..=-1, 1..) => Some(Known(whole / other)),
                    _ => None,
                };
                shape.extend([part(a, b)?, part(b, a)?]);
            }
            extent => shape.push(Known(extent)),
        }
        at += read;
    }
    let all = product(data);
    if let Some(open) = open {
        shape[open] = all.over(&product(&shape));
    }
    (all.known().is_some() && product(&shape) == all).then_some(vec![shape])
}

pub fn transpose(call: &mut Call) -> Option<Vec<Shape>> {
    let data = call.input(0)?;
    let axes = call.numbers(&["axes"]).filter(|axes| !axes.is_empty());
    let axes = axes.unwrap_or_else(|| (0..data.len() as i64).rev().collect());
    (axes.len() == data.len()).then_some(())?;
    Some(vec![permuted(data, axes.into_iter().map(|axis| axis_of(axis, data.len())))?])
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
        shape = inserted(&shape, axis, Known(1))?;
    }
    Some(vec![shape])
}

/// The axes that an operator names; none for no name, an empty list or `None`.
fn axes(call: &Call, rank: usize) -> Option<Vec<usize>> {
    let named = if call.node.attr("axis") == Some("None") { None } else { call.numbers(&["axis"]) };
    named.unwrap_or_default().into_iter().map(|axis| axis_of(axis, rank)).collect()
}

/// The shape of what is left of folded axes; a number is a list of one.
fn left(data: &Shape, is_folded: impl Fn(usize) -> bool, keep: bool) -> Vec<Shape> {
    let is_folded: Vec<bool> = (0..data.len()).map(is_folded).collect();
    let shape = folded(data, &is_folded, keep);
    vec![if shape.is_empty() { vec![Known(1)] } else { shape }]
}

pub fn squeeze(call: &mut Call) -> Option<Vec<Shape>> {
    let data = call.input(0)?;
    let axes = axes(call, data.len())?;
    Some(left(data, |axis| if axes.is_empty() { data[axis] == Known(1) } else { axes.contains(&axis) }, false))
}

pub fn reduce(call: &mut Call) -> Option<Vec<Shape>> {
    let data = call.input(0)?;
    let axes = axes(call, data.len())?;
    let is_named = |axis: usize| axes.is_empty() || axes.contains(&axis);
    Some(left(data, |axis| is_named(axis) != call.flag("exclude"), call.flag("keepdims")))
}

pub fn concat(call: &mut Call) -> Option<Vec<Shape>> {
    let axis = call.axis(&["dim", "axis"], 1, call.input(0)?.len())?;
    Some(vec![joined(call.inputs.iter().map(Option::as_deref), axis)?])
}

pub fn stack(call: &mut Call) -> Option<Vec<Shape>> {
    let shape = call.input(0)?;
    let axis = call.axis(&["axis"], 0, shape.len() + 1)?;
    Some(vec![inserted(shape, axis, Known(call.inputs.len() as i64))?])
}

/// Equal parts, or NNVM's list of places to cut at.
pub fn split(call: &mut Call) -> Option<Vec<Shape>> {
    let data = call.input(0)?;
    let axis = call.axis(&["axis"], 1, data.len())?;
    let cuts = call.numbers(&["indices_or_sections"]).filter(|cuts| cuts.len() > 1);
    if let Some(cuts) = cuts {
        let ends = cuts.iter().map(|&cut| Known(cut)).chain([data[axis].clone()]);
        let starts = [0].iter().chain(&cuts).map(|&cut| Known(cut));
        return starts.zip(ends).map(|(start, end)| replaced(data, axis, end.minus(&start))).collect();
    }
    let parts = call.size(&["num_outputs", "indices_or_sections"]).filter(|parts| *parts > 0)?;
    let mut part = replaced(data, axis, data[axis].over(&Known(parts)))?;
    if call.flag("squeeze_axis") {
        part.remove(axis);
    }
    Some(vec![part; call.outputs.min(usize::try_from(parts).ok()?)])
}

/// The length of `begin..end` with a step, where `None` is the end itself.
fn cut(extent: &Extent, begin: Option<i64>, end: Option<i64>, step: i64) -> Option<Extent> {
    let whole = extent.known()?;
    let (from, to) = span(whole, begin.unwrap_or(0), end.unwrap_or(whole), step)?;
    (step > 0 && from <= to).then(|| sliced(extent, &Known(from), &Known(to), step))
}

pub fn slice_axis(call: &mut Call) -> Option<Vec<Shape>> {
    let shape = call.input(0)?;
    let axis = call.axis(&["axis"], 0, shape.len())?;
    let end = if call.node.attr("end") == Some("None") { None } else { Some(call.number(&["end"])?) };
    Some(vec![replaced(shape, axis, cut(&shape[axis], call.number(&["begin"]), end, 1)?)?])
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
        shape[axis] = cut(&shape[axis], at(&begin, axis), at(&end, axis), at(&step, axis).unwrap_or(1))?;
    }
    Some(vec![shape])
}

/// Amounts before and after each axis in turn.
pub fn pad(call: &mut Call) -> Option<Vec<Shape>> {
    let shape = call.input(0)?;
    let amounts = call.numbers(&["pad_width"])?;
    (amounts.len() == 2 * shape.len() && amounts.iter().all(|amount| *amount >= 0)).then_some(())?;
    let pads = amounts.chunks_exact(2).enumerate();
    Some(vec![padded(shape, pads.map(|(axis, pair)| (axis, Known(pair[0]), Known(pair[1]))))?])
}

pub fn filled(call: &mut Call) -> Option<Vec<Shape>> {
    Some(vec![call.numbers(&["shape"])?.into_iter().map(Known).collect()])
}
