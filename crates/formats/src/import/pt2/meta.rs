//! Metadata of a tensor: type, extents, strides, device.

use std::collections::{BTreeMap, HashMap};

use super::super::loose::{Loose, Object};
use super::sympy::translate;
use memplan_core::base::{MAX_SAFE, Message};
use memplan_core::graph::{Dtype, Expr, Fault, RawDim, RawSymbol, UNKNOWN};

/// `ScalarType` of the schema.
fn dtype(code: u64) -> Option<Dtype> {
    Some(match code {
        1 => Dtype::UInt8,
        2 => Dtype::Int8,
        3 => Dtype::Int16,
        4 => Dtype::Int32,
        5 => Dtype::Int64,
        6 => Dtype::Float16,
        7 => Dtype::Float32,
        8 => Dtype::Float64,
        10 => Dtype::Complex64,
        11 => Dtype::Complex128,
        12 => Dtype::Bool,
        13 => Dtype::BFloat16,
        28 => Dtype::UInt16,
        29 => Dtype::Float8E4M3Fn,
        30 => Dtype::Float8E5M2,
        31 => Dtype::Float8E4M3Fnuz,
        32 => Dtype::Float8E5M2Fnuz,
        _ => return None,
    })
}

/// Type, extents, and how it lies in memory.
pub struct Meta {
    pub dtype: Dtype,
    pub shape: Vec<RawDim>,
    pub device: Option<String>,
    /// Extents and strides in elements for the values with which the program was exported; `None`
    /// where not known.
    sizes: Vec<Option<u64>>,
    strides: Vec<Option<u64>>,
}

impl Meta {
    /// One of known extents and strides, for tests.
    #[cfg(test)]
    pub fn of(sizes: &[u64], strides: &[u64]) -> Meta {
        let known = |list: &[u64]| list.iter().map(|&value| Some(value)).collect();
        let (sizes, strides) = (known(sizes), known(strides));
        Meta { dtype: Dtype::Float32, shape: Vec::new(), device: None, sizes, strides }
    }

    fn known(list: &[Option<u64>]) -> Option<Vec<u64>> {
        list.iter().copied().collect()
    }

    /// Whether extents of another tensor name the same elements without a copy: groups of extents
    /// become others only where their strides let them be merged (`computeStride` in
    /// `aten/src/ATen/TensorUtils.cpp`).
    pub fn viewable_as(&self, other: &Meta) -> bool {
        let known = Meta::known(&self.sizes).zip(Meta::known(&self.strides)).zip(Meta::known(&other.sizes));
        let Some(((sizes, strides), new)) = known.filter(|((sizes, strides), _)| sizes.len() == strides.len()) else {
            return false;
        };
        if sizes.contains(&0) || sizes.is_empty() {
            return true;
        }
        let mut left = new.iter().rev().copied().peekable();
        let (mut base, mut elements, mut viewed) = (strides[strides.len() - 1], 1u64, 1u64);
        for at in (0..sizes.len()).rev() {
            elements = elements.saturating_mul(sizes[at]);
            let goes_on = at > 0 && (sizes[at - 1] == 1 || strides[at - 1] == elements.saturating_mul(base));
            if goes_on {
                continue;
            }
            while let Some(size) = left.next_if(|&size| viewed < elements || size == 1) {
                viewed = viewed.saturating_mul(size);
            }
            if viewed != elements {
                return false;
            }
            if at > 0 {
                (base, elements, viewed) = (strides[at - 1], 1, 1);
            }
        }
        left.peek().is_none()
    }

    pub fn same_as(&self, other: &Meta) -> bool {
        let one = |meta: &Meta| (meta.dtype, meta.device.clone(), meta.sizes.clone(), meta.strides.clone());
        one(self) == one(other)
    }

    /// Bytes from the first element to the last, where the strides leave gaps.
    pub fn span(&self) -> Option<Span> {
        let (sizes, strides) = (Meta::known(&self.sizes)?, Meta::known(&self.strides)?);
        if sizes.len() != strides.len() || sizes.contains(&0) {
            return None;
        }
        let elements = sizes.iter().try_fold(1u64, |all, size| all.checked_mul(*size))?;
        let last = sizes
            .iter()
            .zip(&strides)
            .try_fold(0u64, |last, (size, stride)| last.checked_add((size - 1).checked_mul(*stride)?))?;
        let span = last.checked_add(1)?;
        let bytes = span.checked_mul(self.dtype.bits())?.div_ceil(8);
        let fixed = self.shape.iter().all(|dim| matches!(dim, RawDim::Fixed(_)));
        (span != elements).then_some(Span { bytes, fixed })
    }
}

/// The size of a tensor whose strides leave gaps between elements.
pub struct Span {
    pub bytes: u64,
    /// Whether it holds for every value of the symbols.
    pub fixed: bool,
}

/// Most expressions of which the value of a symbol is sought.
const MOST_IMPLIED: usize = 100;

/// Largest value of a symbol that is sought.
const MOST_SOUGHT: u64 = 1 << 16;

/// The smallest value of a symbol for which an expression in it has a value.
fn solved(name: &str, expr: &Expr, value: u64) -> Option<u64> {
    (1..=value.clamp(1, MOST_SOUGHT))
        .find(|&at| expr.value(&BTreeMap::from([(name.to_string(), at)])) == Ok(i128::from(value)))
}

/// Reads extents and remembers the symbols in them.
#[derive(Default)]
pub struct Extents<'a> {
    /// Translations made before: programs repeat few expressions often.
    seen: HashMap<&'a str, Option<String>>,
    pub symbols: BTreeMap<String, RawSymbol>,
    /// Values of expressions in one symbol, which may be nowhere by itself.
    implied: Vec<(String, Expr, u64)>,
    /// Expressions that could not be read: how many extents, and the first.
    pub unread: (u64, String),
}

impl<'a> Extents<'a> {
    /// An extent, and its value when the program was exported.
    fn extent(&mut self, value: &'a Loose) -> (RawDim, Option<u64>) {
        let unknown = || (RawDim::Text(UNKNOWN.into()), None);
        let Loose::Object(size) = value else { return unknown() };
        if let Some(extent) = size.get("as_int").and_then(Loose::whole) {
            return (RawDim::Fixed(extent), Some(extent));
        }
        let Some(Loose::Object(expression)) = size.get("as_expr") else { return unknown() };
        let hint = match expression.get("hint") {
            Some(Loose::Object(hint)) => hint.get("as_int").and_then(Loose::whole),
            _ => None,
        };
        let text = expression.get("expr_str").and_then(Loose::text).unwrap_or_default();
        let read = self.seen.entry(text).or_insert_with(|| translate(text)).clone();
        let parsed = read.and_then(|read| Some((Expr::parse(&read).ok()?, read)));
        let Some((expr, read)) = parsed else {
            self.unread.0 += 1;
            if self.unread.1.is_empty() {
                self.unread.1 = text.chars().take(80).collect();
            }
            return hint.map_or_else(unknown, |hint| (RawDim::Fixed(hint), Some(hint)));
        };
        for name in expr.symbols() {
            let symbol = self.symbols.entry(name.to_string()).or_default();
            if name == read {
                symbol.hint = symbol.hint.or(hint);
            }
        }
        if let (Some(hint), [name]) = (hint, &expr.symbols()[..]) {
            let is_known = self.symbols.get(*name).is_some_and(|symbol| symbol.hint.is_some());
            if *name != read && !is_known && self.implied.len() < MOST_IMPLIED {
                self.implied.push((name.to_string(), expr.clone(), hint));
            }
        }
        match read.parse() {
            Ok(number) => (RawDim::Fixed(number), Some(number)),
            Err(_) => (RawDim::Text(read), hint),
        }
    }

    fn list(&mut self, value: Option<&'a Loose>) -> (Vec<RawDim>, Vec<Option<u64>>) {
        match value {
            Some(Loose::List(items)) => items.iter().map(|item| self.extent(item)).unzip(),
            _ => Default::default(),
        }
    }

    /// A record of `tensor_values`.
    pub fn meta(&mut self, name: &str, value: &'a Loose) -> Result<Meta, Fault> {
        let path = || format!("graph_module.graph.tensor_values.{name}");
        let Loose::Object(meta) = value else { return Err(Fault::new(path(), Message::new("fault.not-an-object"))) };
        let code = meta.get("dtype").and_then(Loose::whole);
        let unknown = || Fault::new(path(), Message::new("fault.scalar-type").text("code", excerpt(meta.get("dtype"))));
        let dtype = code.and_then(dtype).ok_or_else(unknown)?;
        let (shape, sizes) = self.list(meta.get("sizes"));
        let strides = self.strides(meta.get("strides"));
        Ok(Meta { dtype, shape, device: device(meta), sizes, strides })
    }

    /// Only the values matter: symbols that occur in strides alone are none of the graph.
    fn strides(&mut self, value: Option<&Loose>) -> Vec<Option<u64>> {
        let Some(Loose::List(items)) = value else { return Vec::new() };
        let stride = |item: &Loose| {
            let Loose::Object(item) = item else { return None };
            if let Some(stride) = item.get("as_int").and_then(Loose::whole) {
                return Some(stride);
            }
            let (Some(Loose::Object(expression)), key) = (item.get("as_expr"), "hint") else { return None };
            let Some(Loose::Object(hint)) = expression.get(key) else { return None };
            hint.get("as_int").and_then(Loose::whole)
        };
        items.iter().map(stride).collect()
    }

    /// Puts the limits of `range_constraints` to the symbols that shapes use, and a value where the
    /// program has none. Gives the names of those.
    pub fn limit(&mut self, constraints: Option<&Loose>) -> Vec<String> {
        let limits = if let Some(Loose::Object(limits)) = constraints { Some(limits) } else { None };
        let mut without = Vec::new();
        for (name, symbol) in &mut self.symbols {
            if let Some(Loose::Object(limit)) = limits.and_then(|limits| limits.get(name)) {
                // Beyond exact numbers stands for no limit at all.
                let bound = |key: &str| limit.get(key).and_then(Loose::whole).filter(|bound| *bound <= MAX_SAFE);
                (symbol.min, symbol.max) = (bound("min_val"), bound("max_val"));
            }
            if symbol.hint.is_none() {
                let mut implied = self.implied.iter().filter(|(other, ..)| other == name);
                symbol.hint = implied.find_map(|(_, expr, value)| solved(name, expr, *value));
            }
            if symbol.hint.is_none() {
                symbol.hint = Some(symbol.min.unwrap_or(1).max(1));
                without.push(name.clone());
            }
        }
        without
    }
}

fn excerpt(value: Option<&Loose>) -> String {
    value.map(Loose::json).unwrap_or_default().chars().take(40).collect()
}

/// The device, such as `cuda:0`; nothing for the CPU, which is the default.
fn device(meta: &Object) -> Option<String> {
    let Some(Loose::Object(device)) = meta.get("device") else { return None };
    let kind = device.get("type").and_then(Loose::text).filter(|kind| *kind != "cpu")?;
    let index = device.get("index").and_then(Loose::whole);
    Some(index.map_or_else(|| kind.to_string(), |index| format!("{kind}:{index}")))
}
