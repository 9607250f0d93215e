//! Arithmetic on the contents of numbers and short lists, entry by entry.

use super::Call;
use crate::import::onnx::types::{BOOL, DOUBLE, FLOAT, FLOAT16};
use crate::import::shape::Extent;

use Extent::{Known, Open, Text};

/// `BFLOAT16` among the types of ONNX.
const BFLOAT16: i32 = 16;

/// Whole numbers, as far as they are known.
pub fn infer(call: &Call) -> Option<Vec<Extent>> {
    let each = |change: fn(&Extent) -> Extent| Some(call.contents(0)?.iter().map(change).collect());
    match call.op() {
        "Add" => by_entry(call, |a, b| a.plus(b)),
        "Sub" => by_entry(call, |a, b| a.minus(b)),
        "Mul" => by_entry(call, |a, b| a.times(b)),
        "Div" => by_entry(call, if is_fraction(call.elem(0)) { exactly } else { truncated }),
        "Mod" if call.int("fmod").unwrap_or_default() != 0 => by_entry(call, remainder),
        "Mod" => by_entry(call, |a, b| a.modulo(b)),
        "Pow" => by_entry(call, power),
        "Min" => by_entry(call, |a, b| a.at_most(b)),
        "Max" => by_entry(call, |a, b| a.at_least(b)),
        "Equal" => by_entry(call, equal),
        "Less" => by_entry(call, |a, b| truth(is_less(a, b))),
        "Greater" => by_entry(call, |a, b| truth(is_less(b, a))),
        "LessOrEqual" => by_entry(call, |a, b| truth(is_less(b, a).map(|is| !is))),
        "GreaterOrEqual" => by_entry(call, |a, b| truth(is_less(a, b).map(|is| !is))),
        "And" => by_entry(call, |a, b| match (a, b) {
            (Known(0), _) | (_, Known(0)) => Known(0),
            (Known(_), Known(_)) => Known(1),
            _ => Open,
        }),
        "Or" => by_entry(call, |a, b| match (a, b) {
            (Known(0), Known(0)) => Known(0),
            (Known(1..), _) | (_, Known(1..)) => Known(1),
            _ => Open,
        }),
        "Xor" => by_entry(call, |a, b| match (a, b) {
            (Known(a), Known(b)) => truth(Some((*a != 0) != (*b != 0))),
            _ => Open,
        }),
        "Not" => each(|entry| truth(entry.known().map(|value| value == 0))),
        "Neg" => each(|entry| Known(0).minus(entry)),
        "Abs" => each(|entry| match entry {
            Known(value) => value.checked_abs().map_or(Open, Known),
            other if other.is_extent() => other.clone(),
            _ => Open,
        }),
        "Sign" => each(|entry| entry.known().map_or(Open, |value| Known(value.signum()))),
        _ => None,
    }
}

/// Numbers of which some are fractions, if all operands are known; in the precision of their type.
pub fn fractions(call: &Call) -> Option<Vec<f64>> {
    let is_single = match call.elem(0) {
        FLOAT => true,
        DOUBLE => false,
        _ => return None,
    };
    let rounded = |value: f64| if is_single { f64::from(value as f32) } else { value };
    let each = |change: fn(f64) -> f64| Some(call.scales(0)?.into_iter().map(change).map(rounded).collect());
    let both = |combine: fn(f64, f64) -> f64| {
        let (a, b) = (call.scales(0)?, call.scales(1)?);
        let length = if a.len() == 1 { b.len() } else { a.len() };
        if call.inputs.len() != 2 || (b.len() != length && b.len() != 1) {
            return None;
        }
        let at = |list: &[f64], index: usize| list.get(index).or(list.first()).copied();
        (0..length).map(|index| Some(rounded(combine(at(&a, index)?, at(&b, index)?)))).collect()
    };
    let numbers: Option<Vec<f64>> = match call.op() {
        "Add" => both(|a, b| a + b),
        "Sub" => both(|a, b| a - b),
        "Mul" => both(|a, b| a * b),
        "Div" => both(|a, b| a / b),
        "Pow" => both(f64::powf),
        "Min" => both(f64::min),
        "Max" => both(f64::max),
        "Neg" => each(|a| -a),
        "Abs" => each(f64::abs),
        "Sqrt" => each(f64::sqrt),
        "Reciprocal" => each(f64::recip),
        "Floor" => each(f64::floor),
        "Ceil" => each(f64::ceil),
        "Round" => each(f64::round_ties_even),
        "Identity" | "Squeeze" | "Unsqueeze" | "Reshape" => call.scales(0),
        "Concat" if call.dims(0)?.len() == 1 => {
            let lists: Option<Vec<Vec<f64>>> = (0..call.inputs.len()).map(|input| call.scales(input)).collect();
            lists.map(|lists| lists.concat())
        }
        "Cast" => match call.int("to").and_then(|to| i32::try_from(to).ok())? {
            FLOAT => Some(call.scales(0)?.into_iter().map(|value| f64::from(value as f32)).collect()),
            DOUBLE => call.scales(0),
            FLOAT16 | BFLOAT16 => None,
            BOOL => each(|value| f64::from(value != 0.0)),
            _ => each(f64::trunc),
        },
        _ => None,
    };
    numbers.filter(|numbers| numbers.iter().all(|number| number.is_finite()))
}

fn is_fraction(elem: i32) -> bool {
    matches!(elem, FLOAT | FLOAT16 | DOUBLE | BFLOAT16)
}

fn truth(is: Option<bool>) -> Extent {
    is.map_or(Open, |is| Known(i64::from(is)))
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

/// Whether one number is less than another.
fn is_less(a: &Extent, b: &Extent) -> Option<bool> {
    match (a, b) {
        (Known(a), Known(b)) => Some(a < b),
        (Text(a), Text(b)) if a == b => Some(false),
        (Text(_), Known(value)) if *value <= 0 && a.is_extent() => Some(false),
        (Known(value), Text(_)) if *value < 0 && b.is_extent() => Some(true),
        _ => None,
    }
}

/// What is left of a division rounded towards zero; it has the sign of the first number.
fn remainder(a: &Extent, b: &Extent) -> Extent {
    match (a, b) {
        (Known(a), Known(b)) => a.checked_rem(*b).map_or(Open, Known),
        _ if a.is_extent() && b.is_extent() => a.modulo(b),
        _ => Open,
    }
}

fn power(a: &Extent, b: &Extent) -> Extent {
    match (a, b) {
        (_, Known(0)) => Known(1),
        (_, Known(1)) => a.clone(),
        (Known(a), Known(b)) => u32::try_from(*b).ok().and_then(|power| a.checked_pow(power)).map_or(Open, Known),
        (Text(_), Known(2)) => a.times(a),
        _ => Open,
    }
}
