//! Contents of numbers and short lists that become shapes later: the chains of small operators that
//! exporters write before a `Reshape` or an `Expand`.

use super::{Call, gather, shapes};
use crate::import::onnx::extent::{Extent, product};
use crate::import::onnx::messages::TensorProto;
use crate::import::onnx::types::{BOOL, DOUBLE, FLOAT, FLOAT16, INT32, INT64};

use Extent::{Known, Open, Text};

/// Most entries carried.
pub const MAX_CONTENTS: usize = 64;

/// Stored in another file.
const EXTERNAL: i32 = 1;

/// Whole numbers, or else fractions, of a constant that has few of them.
pub fn of_tensor(tensor: &TensorProto) -> (Option<Vec<Extent>>, Option<Vec<f64>>) {
    let count = match tensor.dims[..] {
        [] => 1,
        [count] => usize::try_from(count).unwrap_or(usize::MAX),
        _ => usize::MAX,
    };
    if count > MAX_CONTENTS || tensor.data_location == EXTERNAL {
        return (None, None);
    }
    let raw = &tensor.raw_data;
    let whole: Option<Vec<i64>> = match tensor.data_type {
        INT64 if raw.is_empty() => Some(tensor.int64_data.clone()),
        INT32 | BOOL if raw.is_empty() => Some(tensor.int32_data.iter().map(|&entry| i64::from(entry)).collect()),
        INT64 => Some(raw.as_chunks().0.iter().map(|&bytes| i64::from_le_bytes(bytes)).collect()),
        INT32 => Some(raw.as_chunks().0.iter().map(|&bytes| i64::from(i32::from_le_bytes(bytes))).collect()),
        BOOL => Some(raw.iter().map(|&byte| i64::from(byte != 0)).collect()),
        _ => None,
    };
    if let Some(whole) = whole {
        return ((whole.len() == count).then(|| whole.into_iter().map(Known).collect()), None);
    }
    let fractions: Vec<f64> = match tensor.data_type {
        FLOAT if raw.is_empty() => tensor.float_data.iter().map(|&entry| f64::from(entry)).collect(),
        FLOAT => raw.as_chunks().0.iter().map(|&bytes| f64::from(f32::from_le_bytes(bytes))).collect(),
        DOUBLE if raw.is_empty() => tensor.double_data.clone(),
        DOUBLE => raw.as_chunks().0.iter().map(|&bytes| f64::from_le_bytes(bytes)).collect(),
        _ => return (None, None),
    };
    if fractions.len() != count {
        return (None, None);
    }
    if fractions.iter().all(|entry| entry.fract() == 0.0 && entry.abs() < 1e15) {
        return (Some(fractions.into_iter().map(|entry| Known(entry as i64)).collect()), None);
    }
    (None, Some(fractions))
}

/// Contents of the first output, if they follow from the inputs.
pub fn infer(call: &Call) -> Option<Vec<Extent>> {
    let contents = match call.op() {
        "Shape" => gather::part_of_shape(call, call.dims(0)?)?.to_vec(),
        "Size" => vec![gather::size(call.dims(0)?)],
        "Identity" | "Squeeze" | "Unsqueeze" | "Reshape" | "Floor" | "Ceil" | "Round" => call.contents(0)?.to_vec(),
        "Cast" => cast(call)?,
        "Gather" => pick(call)?,
        "Concat" => join(call)?,
        "Slice" => cut(call)?,
        "Add" => by_entry(call, |a, b| a.plus(b))?,
        "Sub" => by_entry(call, |a, b| a.minus(b))?,
        "Mul" => by_entry(call, |a, b| a.times(b))?,
        "Div" => by_entry(call, if is_fraction(call.elem(0)) { exactly } else { truncated })?,
        "Min" => by_entry(call, |a, b| a.at_most(b))?,
        "Max" => by_entry(call, |a, b| a.at_least(b))?,
        "Equal" => by_entry(call, equal)?,
        "Neg" => call.contents(0)?.iter().map(|entry| Known(0).minus(entry)).collect(),
        "ReduceProd" => vec![product(call.contents(0)?)],
        "Where" => choose(call)?,
        "Range" => count_up(call)?,
        "ConstantOfShape" => repeat(call)?,
        _ => return None,
    };
    // Only numbers and lists; an operator that makes a table of them is of no use to a shape.
    let dims = shapes(call).into_iter().next()??;
    let length = if dims.len() > 1 { None } else { product(&dims).known() };
    (length == i64::try_from(contents.len()).ok()).then_some(contents)
}

fn is_fraction(elem: i32) -> bool {
    matches!(elem, FLOAT | FLOAT16 | DOUBLE | 16)
}

fn cast(call: &Call) -> Option<Vec<Extent>> {
    let contents = call.contents(0)?;
    if call.int("to") != Some(i64::from(BOOL)) {
        return Some(contents.to_vec());
    }
    let truth = |entry: &Extent| entry.known().map_or(Open, |value| Known(i64::from(value != 0)));
    Some(contents.iter().map(truth).collect())
}

fn pick(call: &Call) -> Option<Vec<Extent>> {
    let data = call.contents(0)?;
    // A single number has no axis to pick from.
    if call.dims(0)?.len() != 1 || !matches!(call.int("axis"), None | Some(0 | -1)) {
        return None;
    }
    let entry = |place: i64| {
        let place = if place < 0 { place.checked_add(i64::try_from(data.len()).ok()?)? } else { place };
        data.get(usize::try_from(place).ok()?).cloned()
    };
    call.numbers(1)?.into_iter().map(entry).collect()
}

fn join(call: &Call) -> Option<Vec<Extent>> {
    let mut all = Vec::new();
    for input in 0..call.inputs.len() {
        all.extend_from_slice(call.contents(input)?);
        if all.len() > MAX_CONTENTS {
            return None;
        }
    }
    Some(all)
}

fn cut(call: &Call) -> Option<Vec<Extent>> {
    let contents = call.contents(0)?;
    let bound = |name: &str, input: usize| call.list(name, input).ok()?.and_then(|list| list.first().copied());
    let (start, end) = (bound("starts", 1)?, bound("ends", 2)?);
    let step = if call.has(4) { bound("steps", 4)? } else { 1 };
    let (mut at, end) = gather::span(i64::try_from(contents.len()).ok()?, start, end, step)?;
    let mut taken = Vec::new();
    while if step > 0 { at < end } else { at > end } {
        taken.push(contents.get(usize::try_from(at).ok()?)?.clone());
        at = at.checked_add(step)?;
    }
    Some(taken)
}

/// Entry by entry; a single one goes with all of the others.
fn by_entry(call: &Call, combine: fn(&Extent, &Extent) -> Extent) -> Option<Vec<Extent>> {
    let mut result = call.contents(0)?.to_vec();
    for input in 1..call.inputs.len() {
        let other = call.contents(input)?;
        let length = if result.len() == 1 { other.len() } else { result.len() };
        if other.len() != length && other.len() != 1 {
            return None;
        }
        let entry = |index: usize| {
            let (a, b) = (result.get(index).or(result.first())?, other.get(index).or(other.first())?);
            Some(combine(a, b))
        };
        result = (0..length).map(entry).collect::<Option<_>>()?;
    }
    Some(result)
}

/// Whole numbers are divided towards zero.
fn truncated(a: &Extent, b: &Extent) -> Extent {
    match (a, b) {
        (Known(a), Known(b)) => a.checked_div(*b).map_or(Open, Known),
        _ => a.over(b),
    }
}

/// A quotient of fractions is carried only if it is whole.
fn exactly(a: &Extent, b: &Extent) -> Extent {
    match (a, b) {
        (Known(a), Known(b)) if a.checked_rem(*b) == Some(0) => a.checked_div(*b).map_or(Open, Known),
        (Text(_), _) | (_, Text(_)) => {
            let quotient = a.over(b);
            if quotient.times(b) == *a { quotient } else { Open }
        }
        _ => Open,
    }
}

fn equal(a: &Extent, b: &Extent) -> Extent {
    match (a, b) {
        (Known(a), Known(b)) => Known(i64::from(a == b)),
        (Text(a), Text(b)) if a == b => Known(1),
        // Extents are not negative, so they differ from the −1 that stands for "the same as
        // before".
        (Text(_), Known(value)) | (Known(value), Text(_)) if *value < 0 => Known(0),
        _ => Open,
    }
}

fn choose(call: &Call) -> Option<Vec<Extent>> {
    let (which, yes, no) = (call.contents(0)?, call.contents(1)?, call.contents(2)?);
    let length = which.len().max(yes.len()).max(no.len());
    let entry = |index: usize| {
        let at = |list: &[Extent]| if list.len() == 1 { list.first().cloned() } else { list.get(index).cloned() };
        let (yes, no) = (at(yes)?, at(no)?);
        Some(match at(which)? {
            Known(0) => no,
            Known(_) => yes,
            _ if yes == no => yes,
            _ => Open,
        })
    };
    (0..length).map(entry).collect()
}

fn count_up(call: &Call) -> Option<Vec<Extent>> {
    let at = |input: usize| call.numbers(input)?.first().copied();
    let (start, step) = (at(0)?, at(2)?);
    let length = gather::range_length(&Known(start), &Known(at(1)?), &Known(step)).known()?;
    let length = usize::try_from(length).ok().filter(|length| *length <= MAX_CONTENTS)?;
    let entry = |index: usize| step.checked_mul(i64::try_from(index).ok()?)?.checked_add(start).map(Known);
    (0..length).map(entry).collect()
}

fn repeat(call: &Call) -> Option<Vec<Extent>> {
    let count = product(call.contents(0)?).known()?;
    let count = usize::try_from(count).ok().filter(|count| *count <= MAX_CONTENTS)?;
    let value = match call.attribute("value") {
        Some(value) => of_tensor(value.t.as_ref()?).0?.first()?.clone(),
        None => Known(0),
    };
    Some(vec![value; count])
}
