//! Products of matrices, and recurrent layers.

use super::Call;
use crate::import::shape::{Dims, Extent, multiplied};

/// Longest equation of an `Einsum` read.
const MAX_EQUATION: usize = 256;

pub fn matmul(call: &Call) -> Option<Dims> {
    multiplied(call.dims(0)?, call.dims(1)?)
}

pub fn gemm(call: &Call) -> Option<Dims> {
    let is_turned = |name: &str| call.int(name).unwrap_or_default() != 0;
    let ([m, k], [rows, n]) = (call.dims(0)?, call.dims(1)?) else { return None };
    let m = if is_turned("transA") { k } else { m };
    let n = if is_turned("transB") { rows } else { n };
    Some(vec![m.clone(), n.clone()])
}

/// The axes that an ellipsis stands for, outermost first, as letters that no equation has.
fn ellipsis(count: usize, of: usize) -> String {
    let first = of.saturating_sub(count);
    (first..of).filter_map(|axis| char::from_u32(0xe000 + axis as u32)).collect()
}

pub fn einsum(call: &Call) -> Option<Dims> {
    let equation: String = call.text("equation").chars().filter(|letter| !letter.is_whitespace()).collect();
    if equation.len() > MAX_EQUATION {
        return None;
    }
    let equation = without_ellipsis(call, &equation)?;
    let (inputs, output) = match equation.split_once("->") {
        Some((inputs, output)) => (inputs, Some(output)),
        None => (&equation[..], None),
    };
    let terms: Vec<&str> = inputs.split(',').collect();
    let mut extents: Vec<(char, Extent, usize)> = Vec::new();
    for (input, term) in terms.iter().enumerate() {
        let dims = call.dims(input)?;
        if term.chars().count() != dims.len() {
            return None;
        }
        for (letter, extent) in term.chars().zip(dims) {
            match extents.iter_mut().find(|(there, ..)| *there == letter) {
                Some((_, known, times)) => {
                    *times += 1;
                    if *known == Extent::Known(1)
                        || *known == Extent::Open
                        || extent.known().is_some_and(|value| value != 1)
                    {
                        *known = extent.clone();
                    }
                }
                None => extents.push((letter, extent.clone(), 1)),
            }
        }
    }
    let letters: Vec<char> = match output {
        Some(output) => output.chars().collect(),
        None => {
            let mut once: Vec<char> =
                extents.iter().filter(|(.., times)| *times == 1).map(|(letter, ..)| *letter).collect();
            once.sort();
            once
        }
    };
    letters
        .iter()
        .map(|letter| extents.iter().find(|(there, ..)| there == letter).map(|(_, extent, _)| extent.clone()))
        .collect()
}

/// An equation with letters for every ellipsis.
fn without_ellipsis(call: &Call, equation: &str) -> Option<String> {
    if !equation.contains('.') {
        return Some(equation.to_string());
    }
    let (inputs, output) = match equation.split_once("->") {
        Some((inputs, output)) => (inputs, Some(output)),
        None => (equation, None),
    };
    let terms: Vec<&str> = inputs.split(',').collect();
    let mut counts = Vec::with_capacity(terms.len());
    for (input, term) in terms.iter().enumerate() {
        let letters = term.chars().filter(|letter| *letter != '.').count();
        let rank = call.dims(input)?.len();
        counts.push(if term.contains("...") { rank.checked_sub(letters)? } else { 0 });
    }
    let most = counts.iter().copied().max()?;
    let written = |(term, count): (&&str, &usize)| term.replace("...", &ellipsis(*count, most));
    let inputs: Vec<String> = terms.iter().zip(&counts).map(written).collect();
    let output = match output {
        Some(output) => output.replace("...", &ellipsis(most, most)),
        // The letters that come once, after the axes of the ellipsis.
        None => {
            let once = |letter: &char| equation.chars().filter(|other| other == letter).count() == 1;
            let mut letters: Vec<char> =
                equation.chars().filter(|letter| letter.is_alphabetic() && once(letter)).collect();
            letters.sort();
            ellipsis(most, most) + &letters.iter().collect::<String>()
        }
    };
    Some(format!("{}->{output}", inputs.join(",")))
}

/// Determinants of a stack of square matrices.
pub fn det(call: &Call) -> Option<Dims> {
    let [stack @ .., _, _] = call.dims(0)? else { return None };
    Some(stack.to_vec())
}

/// Outputs: all states, the last one, and for LSTM the last cell.
pub fn recurrent(call: &Call) -> Vec<Option<Dims>> {
    let dims = || {
        let [first, second, _] = call.dims(0)? else { return None };
        let hidden = Extent::Known(call.int("hidden_size")?);
        let directions = Extent::Known(if call.text("direction") == "bidirectional" { 2 } else { 1 });
        Some(if call.int("layout").unwrap_or_default() == 0 {
            let (steps, batch) = (first.clone(), second.clone());
            (vec![steps, directions.clone(), batch.clone(), hidden.clone()], vec![directions, batch, hidden])
        } else {
            let (batch, steps) = (first.clone(), second.clone());
            (vec![batch.clone(), steps, directions.clone(), hidden.clone()], vec![batch, directions, hidden])
        })
    };
    match dims() {
        Some((all, last)) => vec![Some(all), Some(last.clone()), Some(last)],
        None => vec![None; 3],
    }
}
