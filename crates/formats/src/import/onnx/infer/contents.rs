//! Contents of numbers and short lists that become shapes later: the chains of small operators that
//! exporters write before a `Reshape` or an `Expand`.

use super::{Call, arithmetic, gather, layout};
use crate::import::onnx::messages::TensorProto;
use crate::import::onnx::types::{BOOL, DOUBLE, FLOAT, INT32, INT64};
use crate::import::shape::{Extent, axis_of, product, range, span};

use Extent::{Known, Open};

/// Most entries carried.
const MAX_CONTENTS: usize = 64;

/// Stored in another file.
const EXTERNAL: i32 = 1;

/// Whole numbers, or else fractions, of a constant that has few of them.
pub fn of_tensor(tensor: &TensorProto) -> (Option<Vec<Extent>>, Option<Vec<f64>>) {
    let count = tensor.dims.iter().try_fold(1usize, |all, &extent| all.checked_mul(usize::try_from(extent).ok()?));
    let count = count.unwrap_or(usize::MAX);
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
    sorted(fractions)
}

/// Contents of an output of this shape, if they follow from the inputs: whole numbers, or else
/// fractions. Those of tables lie row by row.
pub fn infer(call: &Call, output: usize, dims: &[Extent]) -> (Option<Vec<Extent>>, Option<Vec<f64>>) {
    let length = product(dims).known().and_then(|length| usize::try_from(length).ok());
    let Some(length) = length.filter(|length| *length <= MAX_CONTENTS) else { return (None, None) };
    let whole = if output == 0 || call.op() == "Split" { entries(call, output, length) } else { None };
    let whole = whole.filter(|entries| entries.len() == length);
    if output > 0 || whole.as_ref().is_some_and(|entries| !entries.contains(&Open)) {
        return (whole, None);
    }
    match arithmetic::fractions(call).filter(|entries| entries.len() == length) {
        Some(fractions) => sorted(fractions),
        None => (whole, None),
    }
}

/// Numbers as whole ones if all of them are.
fn sorted(numbers: Vec<f64>) -> (Option<Vec<Extent>>, Option<Vec<f64>>) {
    if numbers.iter().all(|entry| entry.fract() == 0.0 && entry.abs() < 1e15) {
        return (Some(numbers.into_iter().map(|entry| Known(entry as i64)).collect()), None);
    }
    (None, Some(numbers))
}

/// The entries of an output that has so many.
fn entries(call: &Call, output: usize, length: usize) -> Option<Vec<Extent>> {
    Some(match call.op() {
        "Shape" => gather::part_of_shape(call, call.dims(0)?)?.to_vec(),
        "Size" => vec![product(call.dims(0)?)],
        "Identity" | "Squeeze" | "Unsqueeze" | "Reshape" | "Flatten" | "Floor" | "Ceil" | "Round" => {
            call.contents(0)?.to_vec()
        }
        "Cast" => cast(call)?,
        "Gather" => pick(call)?,
        "Concat" => join(call)?,
        "Slice" => cut(call)?,
        "Split" => piece(call, output, length)?,
        "Transpose" => turn(call)?,
        "Tile" => tile(call, length)?,
        "Expand" => expand(call, length)?,
        "ScatterND" | "ScatterElements" | "Scatter" => put(call)?,
        "CumSum" => sums(call)?,
        "ReduceProd" => vec![product(call.contents(0)?)],
        "ReduceSum" => vec![call.contents(0)?.iter().fold(Known(0), |sum, entry| sum.plus(entry))],
        "ReduceMax" => vec![call.contents(0)?.iter().cloned().reduce(|a, b| a.at_least(&b))?],
        "ReduceMin" => vec![call.contents(0)?.iter().cloned().reduce(|a, b| a.at_most(&b))?],
        "Where" => choose(call)?,
        "Range" => count_up(call)?,
        "ConstantOfShape" => vec![filler(call)?; length],
        _ => arithmetic::infer(call)?,
    })
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
    let rank = call.dims(0)?.len();
    // Of tables, only rows one after the other.
    if rank > 1 && axis_of(call.int("axis")?, rank) != Some(0) {
        return None;
    }
    let mut all = Vec::new();
    for input in 0..call.inputs.len() {
        all.extend_from_slice(call.contents(input)?);
        if all.len() > MAX_CONTENTS {
            return None;
        }
    }
    Some(all)
}

/// A part of a list, or whole rows of a table.
fn cut(call: &Call) -> Option<Vec<Extent>> {
    let (contents, dims) = (call.contents(0)?, call.dims(0)?);
    let bound = |name: &str, input: usize| call.list(name, input).ok()?.and_then(|list| list.first().copied());
    let (start, end) = (bound("starts", 1)?, bound("ends", 2)?);
    let step = if call.has(4) { bound("steps", 4)? } else { 1 };
    let (rows, row) = dims.split_first()?;
    if dims.len() > 1 {
        let axes = call.list("axes", 3).ok()?.unwrap_or_else(|| vec![0]);
        let starts = call.list("starts", 1).ok()??.len();
        if starts != 1 || !matches!(axes[..], [axis] if axis_of(axis, dims.len()) == Some(0)) {
            return None;
        }
    }
    let row = usize::try_from(product(row).known()?).ok()?;
    let (mut at, end) = span(rows.known()?, start, end, step)?;
    let mut taken = Vec::new();
    while if step > 0 { at < end } else { at > end } {
        let from = usize::try_from(at).ok()?.checked_mul(row)?;
        taken.extend_from_slice(contents.get(from..from.checked_add(row)?)?);
        at = at.checked_add(step)?;
    }
    Some(taken)
}

/// One of the lists into which a list is split.
fn piece(call: &Call, output: usize, length: usize) -> Option<Vec<Extent>> {
    let all = layout::split(call);
    let mut from = 0usize;
    for dims in all.get(..output)? {
        let [extent] = dims.as_deref()? else { return None };
        from = from.checked_add(usize::try_from(extent.known()?).ok()?)?;
    }
    let contents = call.contents(0).filter(|_| call.dims(0).is_some_and(|dims| dims.len() == 1))?;
    Some(contents.get(from..from.checked_add(length)?)?.to_vec())
}

/// Columns become rows.
fn turn(call: &Call) -> Option<Vec<Extent>> {
    let contents = call.contents(0)?;
    let [rows, columns] = call.dims(0)? else { return None };
    let (rows, columns) = (usize::try_from(rows.known()?).ok()?, usize::try_from(columns.known()?).ok()?);
    if call.ints("perm").is_some_and(|order| order != [1, 0]) {
        return Some(contents.to_vec());
    }
    let places = (0..columns).flat_map(|column| (0..rows).map(move |row| (row, column)));
    places.map(|(row, column)| contents.get(row.checked_mul(columns)?.checked_add(column)?).cloned()).collect()
}

fn tile(call: &Call, length: usize) -> Option<Vec<Extent>> {
    let contents = call.contents(0).filter(|_| call.dims(0).is_some_and(|dims| dims.len() == 1))?;
    Some(contents.iter().cycle().take(length).cloned().collect())
}

fn expand(call: &Call, length: usize) -> Option<Vec<Extent>> {
    match call.contents(0)? {
        [single] => Some(vec![single.clone(); length]),
        contents => Some(contents.to_vec()),
    }
}

/// A list with other entries in some places.
fn put(call: &Call) -> Option<Vec<Extent>> {
    let mut contents = call.contents(0).filter(|_| call.dims(0).is_some_and(|dims| dims.len() == 1))?.to_vec();
    if !matches!(call.text("reduction"), "" | "none") {
        return None;
    }
    let (places, updates) = (call.numbers(1)?, call.contents(2)?);
    if places.len() != updates.len() {
        return None;
    }
    for (place, update) in places.into_iter().zip(updates) {
        let at = axis_of(place, contents.len())?;
        *contents.get_mut(at)? = update.clone();
    }
    Some(contents)
}

/// Sums of all entries up to each.
fn sums(call: &Call) -> Option<Vec<Extent>> {
    let mut contents = call.contents(0).filter(|_| call.dims(0).is_some_and(|dims| dims.len() == 1))?.to_vec();
    let is_set = |name: &str| call.int(name).unwrap_or_default() != 0;
    if is_set("reverse") {
        contents.reverse();
    }
    let mut sum = Known(0);
    for entry in &mut contents {
        let before = sum.clone();
        sum = sum.plus(entry);
        *entry = if is_set("exclusive") { before } else { sum.clone() };
    }
    if is_set("reverse") {
        contents.reverse();
    }
    Some(contents)
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
    let length = range(&Known(start), &Known(at(1)?), &Known(step)).known()?;
    let length = usize::try_from(length).ok().filter(|length| *length <= MAX_CONTENTS)?;
    let entry = |index: usize| step.checked_mul(i64::try_from(index).ok()?)?.checked_add(start).map(Known);
    (0..length).map(entry).collect()
}

fn filler(call: &Call) -> Option<Extent> {
    match call.attribute("value") {
        Some(value) => of_tensor(value.t.as_ref()?).0?.first().cloned(),
        None => Some(Known(0)),
    }
}
