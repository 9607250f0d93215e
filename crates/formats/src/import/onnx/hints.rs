//! Values for symbols to which the file gives none.

use std::collections::BTreeMap;

use memplan_core::graph::Expr;

/// Largest value taken for a symbol to which the file gives none.
const MAX_HINT: u64 = 4096;

/// Most times that values are looked through, so that values that push one another up come to an
/// end.
const MAX_ROUNDS: u32 = 32;

/// A value for every symbol: 1, or the next power of two with which no extent is empty or negative.
/// An image needs some width to go through a chain of convolutions.
pub fn hints(expressions: &BTreeMap<String, Expr>) -> BTreeMap<String, u64> {
    let names = expressions.values().flat_map(Expr::symbols);
    let mut hints: BTreeMap<String, u64> = names.map(|name| (name.to_string(), 1)).collect();
    for _ in 0..MAX_ROUNDS {
        let mut grew = false;
        for expr in expressions.values() {
            if expr.value(&hints).is_ok_and(|value| value < 1) {
                for name in expr.symbols() {
                    if let Some(hint) = hints.get_mut(name).filter(|hint| **hint < MAX_HINT) {
                        *hint *= 2;
                        grew = true;
                    }
                }
            }
        }
        if !grew {
            break;
        }
    }
    hints
}
