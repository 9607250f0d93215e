//! Values for symbols to which the file gives none.

use std::collections::BTreeMap;

use memplan_core::graph::Expr;

/// Largest value taken for a symbol to which the file gives none: 16 seconds of sound at 64 kHz.
const MAX_HINT: u64 = 1 << 20;

/// Most times that values are looked through, so that values that push one another up come to an
/// end.
const MAX_ROUNDS: u32 = 32;

/// A value for every symbol: the one `given`, else 1, or the next power of two with which no extent
/// is empty or negative. An image needs some width to go through a chain of convolutions. Extents
/// that stay below 1 whatever power is taken leave the values as they are.
pub fn hints(expressions: &BTreeMap<String, Expr>, given: &BTreeMap<String, u64>) -> BTreeMap<String, u64> {
    let names = expressions.values().flat_map(Expr::symbols);
    let hint = |name: &str| (name.to_string(), given.get(name).copied().unwrap_or(1));
    let mut hints: BTreeMap<String, u64> = names.map(hint).collect();
    for _ in 0..MAX_ROUNDS {
        let mut grew = false;
        for expr in expressions.values() {
            if let Some(raised) = raised(expr, &hints, given) {
                hints.extend(raised);
                grew = true;
            }
        }
        if !grew {
            break;
        }
    }
    hints
}

/// The symbols of an expression below 1, doubled until it is at least 1: all together, else one
/// alone. None if it is that already, or never becomes it.
fn raised(expr: &Expr, hints: &BTreeMap<String, u64>, given: &BTreeMap<String, u64>) -> Option<BTreeMap<String, u64>> {
    let symbols = expr.symbols();
    let values: BTreeMap<String, u64> =
        symbols.iter().map(|&name| (name.to_string(), hints.get(name).copied().unwrap_or(1))).collect();
    let falls_short = |values: &BTreeMap<String, u64>| expr.value(values).is_ok_and(|value| value < 1);
    if !falls_short(&values) {
        return None;
    }
    let free: Vec<&str> = symbols.into_iter().filter(|name| !given.contains_key(*name)).collect();
    let groups = std::iter::once(&free[..]).chain(free.chunks(1));
    groups.into_iter().find_map(|group| {
        let mut trial = values.clone();
        while falls_short(&trial) {
            let growing = trial.iter_mut().filter(|(name, value)| group.contains(&&***name) && **value < MAX_HINT);
            if growing.map(|(_, value)| *value *= 2).count() == 0 {
                return None;
            }
        }
        Some(trial)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(texts: &[&str], given: &[(&str, u64)]) -> Vec<u64> {
        let parsed = texts.iter().map(|&text| (text.to_string(), Expr::parse(text).expect("an expression")));
        let given = given.iter().map(|&(name, value)| (name.to_string(), value)).collect();
        hints(&parsed.collect(), &given).into_values().collect()
    }

    #[test]
    fn are_the_least_powers_of_two_with_which_extents_have_elements() {
        assert_eq!(of(&["n", "n - 20", "(n - 4) // 2"], &[]), [32]);
        assert_eq!(of(&["w - 16000"], &[]), [16384]);
    }

    #[test]
    fn raise_one_symbol_where_all_together_do_not_help() {
        assert_eq!(of(&["a - b", "a", "b"], &[]), [2, 1]);
    }

    #[test]
    fn keep_what_is_given() {
        assert_eq!(of(&["n", "n - 20", "m - n"], &[("n", 21)]), [32, 21]);
        assert_eq!(of(&["a - b", "a", "b"], &[("a", 10), ("b", 3)]), [10, 3]);
    }

    #[test]
    fn do_not_grow_for_extents_that_stay_empty() {
        assert_eq!(of(&["2 * a - 2 * b * a", "0 * a"], &[("b", 1)]), [1, 1]);
        assert_eq!(of(&["n - 99999999999"], &[]), [1]);
    }
}
