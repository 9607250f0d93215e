//! Dimension names of ONNX, which are any text, as symbols of expressions.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::messages::{Dimension, ValueInfo};
use crate::import::shape::Extent;
use memplan_core::graph::Expr;

/// What exporters write as the name of an extent that has none.
const NAMELESS: [&str; 4] = ["", "?", "-1", "None"];

#[derive(Default)]
pub struct Symbols {
    /// Name in the file → symbol.
    names: HashMap<String, String>,
    /// Symbols, each with the number that its next repetition tries first.
    taken: HashMap<String, u64>,
    /// Symbols of the inputs, which a run of the model gives values to.
    of_inputs: BTreeSet<String>,
    /// Names that could not stay as they are, and what they became.
    pub renamed: BTreeMap<String, String>,
}

impl Symbols {
    /// Takes down the names in the inputs, so that `2*s0` elsewhere is known to be an expression
    /// over `s0` and `batch-size` to be none over `batch`.
    pub fn new(inputs: &[ValueInfo]) -> Symbols {
        let mut symbols = Symbols::default();
        for name in inputs.iter().flat_map(super::file_dims).flatten().filter_map(|dim| dim.param.as_deref()) {
            if is_plain(name) && !NAMELESS.contains(&name) && symbols.taken.insert(name.to_string(), 2).is_none() {
                symbols.of_inputs.insert(name.to_string());
                symbols.names.insert(name.to_string(), name.to_string());
            }
        }
        symbols
    }

    /// An extent as the file states it.
    pub fn extent(&mut self, dim: &Dimension) -> Extent {
        match (dim.value, dim.param.as_deref()) {
            (Some(value), _) if value >= 0 => Extent::Known(value),
            (None, Some(name)) if !NAMELESS.contains(&name.trim()) => self.named(name),
            _ => Extent::Open,
        }
    }

    fn named(&mut self, name: &str) -> Extent {
        if !self.names.contains_key(name) && !is_plain(name) {
            let expr = Expr::parse(name).ok();
            if let Some(expr) = expr.filter(|expr| expr.symbols().iter().all(|symbol| self.names.contains_key(*symbol)))
            {
                return Extent::parse(expr.source());
            }
        }
        Extent::Text(self.symbol(name).into())
    }

    fn symbol(&mut self, name: &str) -> String {
        if let Some(symbol) = self.names.get(name) {
            return symbol.clone();
        }
        let symbol = self.free(name);
        if symbol != name {
            self.renamed.insert(name.to_string(), symbol.clone());
        }
        self.names.insert(name.to_string(), symbol.clone());
        symbol
    }

    /// A symbol for an extent of an input that has neither number nor name.
    pub fn fresh(&mut self, input: &str, axis: usize) -> Extent {
        let symbol = self.free(&format!("{input}_{axis}"));
        self.of_inputs.insert(symbol.clone());
        Extent::Text(symbol.into())
    }

    pub fn is_of_inputs(&self, symbol: &str) -> bool {
        self.of_inputs.contains(symbol)
    }

    /// Notes a symbol as one of an input.
    pub fn note_input(&mut self, extent: &Extent) {
        if let Extent::Text(text) = extent
            && let Ok(expr) = Expr::parse(text)
        {
            self.of_inputs.extend(expr.symbols().iter().map(|symbol| symbol.to_string()));
        }
    }

    fn free(&mut self, name: &str) -> String {
        let letters = name.chars().take(64).map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' });
        let mut base: String = letters.collect();
        if base.starts_with(|first: char| !first.is_ascii_alphabetic() && first != '_') {
            base.insert(0, 'd');
        }
        let Some(&first) = self.taken.get(&base) else {
            self.taken.insert(base.clone(), 2);
            return base;
        };
        let mut number = first;
        let symbol = loop {
            let symbol = format!("{base}_{number}");
            number += 1;
            if !self.taken.contains_key(&symbol) {
                break symbol;
            }
        };
        self.taken.insert(base, number);
        self.taken.insert(symbol.clone(), 2);
        symbol
    }
}

/// Whether expressions take the name as it is.
fn is_plain(name: &str) -> bool {
    name.len() <= 64
        && name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_symbols_and_expressions_stay_expressions() {
        let named = |name: &str| Dimension { value: None, param: Some(name.to_string()) };
        let mut symbols = Symbols::default();
        for (name, symbol) in
            [("s0", "s0"), ("batch-size", "batch_size"), ("batch_size", "batch_size_2"), ("1st", "d1st")]
        {
            assert_eq!(symbols.extent(&named(name)), Extent::Text(symbol.into()));
        }
        assert_eq!(symbols.extent(&named("s0*2 + 1")), Extent::Text("2*s0 + 1".into()));
        assert_eq!(symbols.extent(&named("s0 + other")), Extent::Text("s0___other".into()));
        assert_eq!(symbols.extent(&named("?")), Extent::Open);
        assert_eq!(symbols.fresh("input:0", 1), Extent::Text("input_0_1".into()));
        assert_eq!(symbols.renamed.len(), 4);
    }
}
