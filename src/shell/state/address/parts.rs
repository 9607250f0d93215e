//! The parts of a fragment.

use std::collections::BTreeMap;

use crate::compare::state::comparison::{Compared, Sheet, Sync};
use crate::step::state::breakpoints::{Breaks, Wanted};
use memplan_core::base::decimal;
pub use memplan_core::base::fragment::{escape, unescape};
use memplan_core::problem::{Scope, Views};
pub use memplan_engine::write_scope;
use memplan_scene::Window;

/// Steps from and to, bytes from and to; without bytes, all addresses.
pub fn read_view(text: &str) -> Option<Window> {
    let read = |number: &str| match number.strip_prefix('-') {
        Some(number) => decimal(number).map(|number| -number),
        None => decimal(number),
    };
    let numbers: Vec<f64> = text.split(',').map_while(read).collect();
    if numbers.len() != text.split(',').count() {
        return None;
    }
    let (from, to, bytes) = match numbers[..] {
        [from, to] => (from, to, None),
        [from, to, low, high] => (from, to, Some((low, high))),
        _ => return None,
    };
    // Beyond these no float holds whole bytes.
    let is_range = |from: f64, to: f64| from < to && from.abs() < 1e15 && to.abs() < 1e15;
    let is_whole = is_range(from, to) && bytes.is_none_or(|(low, high)| is_range(low, high));
    is_whole.then_some(Window { steps: (from, to), bytes })
}

/// How plans stand side by side, defaults left out.
pub fn write_compared(compared: &Compared) -> String {
    let mut words = Vec::new();
    let mut number = |name: &str, value: Option<u64>| words.extend(value.map(|value| format!("{name}:{value}")));
    number("ref", Some(compared.reference as u64).filter(|reference| *reference > 0));
    number("step", compared.step.map(u64::from));
    number("at", compared.position.map(u64::from));
    number("diff", compared.differences.then_some(1));
    number("fit", compared.fit_each.then_some(1));
    number("turn", compared.turned.then_some(1));
    number("broken", compared.squeezed.then_some(1));
    number("card", compared.card);
    if compared.sheet != Sheet::default() {
        words.push(format!("sheet:{}", compared.sheet.name()));
    }
    if compared.cursors.iter().any(|cursor| *cursor != u32::MAX) {
        words.push(format!("cur:{}", compared.cursors.iter().map(u32::to_string).collect::<Vec<_>>().join("/")));
    }
    words.join(",")
}

/// Reads how plans stand side by side; unknown words are passed over.
pub fn read_compared(text: &str, compared: &mut Compared) {
    for (key, value) in pairs(text) {
        match key.as_str() {
            "ref" => compared.reference = value.parse().unwrap_or(0),
            "step" => compared.step = value.parse().ok(),
            "at" => compared.position = value.parse().ok(),
            "diff" => compared.differences = value == "1",
            "fit" => compared.fit_each = value == "1",
            "turn" => compared.turned = value == "1",
            "broken" => compared.squeezed = value == "1",
            "card" => compared.card = value.parse().ok().filter(|card| *card > 0),
            // Older links state here how columns step; now the key `by` does.
            "sync" => compared.sync = Sync::from_name(&value).unwrap_or_default(),
            "sheet" => compared.sheet = Sheet::from_name(&value).unwrap_or_default(),
            "cur" => compared.cursors = value.split('/').map(|cursor| cursor.parse().unwrap_or(u32::MAX)).collect(),
            _ => {}
        }
    }
}

/// Reads what is planned; unknown words are passed over.
pub fn read_scope(text: &str) -> Scope {
    let mut scope = Scope::default();
    for (key, value) in pairs(text) {
        let on = value == "1";
        match key.as_str() {
            "inputs" => scope.inputs = on,
            "outputs" => scope.outputs = on,
            "weights" => scope.weights = on,
            "copies" => scope.views = if on { Views::Copy } else { Views::Share },
            "align" => {
                scope.align =
                    value.parse().ok().filter(|align: &u64| align.is_power_of_two() && *align <= 1 << 32).unwrap_or(1)
            }
            symbol => {
                if let (Some(name), Ok(value)) = (symbol.strip_prefix('@'), value.parse()) {
                    scope.symbols.insert(name.into(), value);
                }
            }
        }
    }
    scope
}

/// Kinds by name, those that look for a number with it, and decisions. A tree node means nothing in
/// another run.
pub fn write_breaks(breaks: &Breaks) -> String {
    let kind = |kind: &Wanted| match kind {
        Wanted::Address => format!("address:{}", breaks.targets.address),
        Wanted::Step => format!("step:{}", breaks.targets.step),
        _ => kind.name().to_string(),
    };
    let kinds = breaks.kinds.iter().filter(|kind| **kind != Wanted::Node).map(kind);
    kinds.chain(breaks.decisions.iter().map(|decision| format!("d{decision}"))).collect::<Vec<_>>().join(",")
}

/// Reads what stops play; unknown words are passed over.
pub fn read_breaks(text: &str) -> Breaks {
    let mut breaks = Breaks::default();
    for word in text.split(',') {
        let number = |name: &str| word.strip_prefix(name)?.strip_prefix(':')?.parse::<u64>().ok();
        if let Some(address) = number("address") {
            breaks.kinds.insert(Wanted::Address);
            breaks.targets.address = address;
        } else if let Some(step) = number("step").and_then(|step| u32::try_from(step).ok()) {
            breaks.kinds.insert(Wanted::Step);
            breaks.targets.step = step;
        } else if let Some(kind) = Wanted::from_name(word) {
            breaks.kinds.insert(kind);
        } else if let Some(decision) = word.strip_prefix('d').and_then(|number| number.parse().ok()) {
            breaks.decisions.insert(decision);
        }
    }
    breaks
}

/// Reads `key:value` pairs between commas.
pub fn pairs(text: &str) -> BTreeMap<String, String> {
    let split = |word: &str| word.split_once(':').map(|(key, value)| (key.to_string(), value.to_string()));
    text.split(',').filter_map(split).collect()
}
