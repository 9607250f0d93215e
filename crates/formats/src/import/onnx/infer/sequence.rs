//! Sequences whose length is known, and optional values.

use std::rc::Rc;

use super::{Call, Value, layout};
use crate::import::onnx::types::{BOOL, FLOAT, INT64};
use crate::import::shape::{Dims, Extent, axis_of, inserted};

use Extent::{Known, Open};

/// Most tensors of a sequence that are looked at one by one.
const MAX_ITEMS: usize = 4096;

pub fn infer(call: &Call) -> Option<Value> {
    let tensor = |elem: i32, dims: Option<Dims>| Value { elem, dims, ..Value::default() };
    let scalar = |elem: i32, contents: Option<Vec<Extent>>| Value { contents, ..tensor(elem, Some(Vec::new())) };
    let of = |items: Vec<Value>| {
        let elem = items.first().map_or(0, |first| first.elem);
        Value { elem, sequence: (items.len() <= MAX_ITEMS).then(|| Rc::new(items)), ..Value::default() }
    };
    let items = |input: usize| call.value(input)?.sequence.clone();
    Some(match call.op() {
        "Optional" | "OptionalGetElement" => call.value(0)?.without_contents(),
        "OptionalHasElement" => scalar(BOOL, None),
        "SequenceEmpty" => {
            let elem = call.int("dtype").and_then(|elem| i32::try_from(elem).ok()).unwrap_or(FLOAT);
            Value { elem, sequence: Some(Rc::new(Vec::new())), ..Value::default() }
        }
        "SequenceConstruct" => {
            let items = (0..call.inputs.len()).map(|input| Some(call.value(input)?.without_contents()));
            of(items.collect::<Option<_>>()?)
        }
        "SequenceInsert" => {
            let mut items = items(0)?.to_vec();
            let at = if call.has(2) { place(call, 2, items.len() + 1)? } else { items.len() };
            items.insert(at, call.value(1)?.without_contents());
            of(items)
        }
        "SequenceErase" => {
            let mut items = items(0)?.to_vec();
            let last = items.len().checked_sub(1)?;
            items.remove(if call.has(1) { place(call, 1, items.len())? } else { last });
            of(items)
        }
        "SequenceLength" => scalar(INT64, items(0).map(|items| vec![Known(items.len() as i64)])),
        "SequenceAt" => {
            let items = items(0)?;
            let first = items.first()?;
            match place(call, 1, items.len()) {
                Some(at) => items.get(at)?.clone(),
                None if items.iter().all(|item| item == first) => first.clone(),
                None => tensor(first.elem, first.dims.as_ref().map(|dims| vec![Open; dims.len()])),
            }
        }
        "SplitToSequence" => of(split(call)?),
        "ConcatFromSequence" => {
            let items = items(0)?;
            let first = items.first()?;
            if call.int("new_axis").unwrap_or_default() == 0 {
                let inputs = items.iter().map(Some).collect();
                return Some(tensor(first.elem, layout::concat(&Call { inputs, ..call.same() })));
            }
            let dims = first.dims.as_deref()?;
            let axis = axis_of(call.int("axis")?, dims.len() + 1)?;
            tensor(first.elem, Some(inserted(dims, axis, Known(items.len() as i64))?))
        }
        _ => return None,
    })
}

/// A place in a list of this length; negative ones count from its end.
fn place(call: &Call, input: usize, length: usize) -> Option<usize> {
    axis_of(*call.numbers(input)?.first()?, length)
}

fn split(call: &Call) -> Option<Vec<Value>> {
    let dims = call.dims(0)?;
    let axis = axis_of(call.int("axis").unwrap_or_default(), dims.len())?;
    let whole = dims.get(axis)?;
    let lengths: Vec<Extent> = if call.has(1) {
        let stated = call.contents(1)?;
        if call.dims(1)?.is_empty() {
            // Pieces of one length, the last one as long as what is left.
            let (length, whole) = (stated.first()?.known().filter(|length| *length > 0)?, whole.known()?);
            let count = usize::try_from(whole.checked_add(length - 1)? / length).ok().filter(|n| *n <= MAX_ITEMS)?;
            (0..count as i64).map(|at| Known(length.min(whole - at * length))).collect()
        } else {
            stated.to_vec()
        }
    } else {
        let count = usize::try_from(whole.known()?).ok().filter(|count| *count <= MAX_ITEMS)?;
        vec![Known(1); count]
    };
    let drops = !call.has(1) && call.int("keepdims").unwrap_or(1) == 0;
    let item = |length: Extent| {
        let mut dims = dims.to_vec();
        if drops {
            dims.remove(axis);
        } else {
            dims[axis] = length;
        }
        Value { elem: call.elem(0), dims: Some(dims), ..Value::default() }
    };
    Some(lengths.into_iter().map(item).collect())
}
