//! What reading a model decided and noticed, as facts and warnings of the report.

use std::collections::{BTreeMap, BTreeSet};

use super::model::Model;
use crate::import::peak::told;
use crate::import::shape::Extent;
use memplan_core::base::Message;
use memplan_core::graph::Fault;

/// Most names listed in one sentence.
const MAX_LISTED: usize = 8;

/// Most names listed that a user may want to look up all of.
const MAX_SYMBOLS: usize = 1_000;

/// Counts one kind of event, with the name of its first occurrence.
#[derive(Clone, Default)]
pub struct Seen {
    first: String,
    count: u64,
}

impl Seen {
    pub fn add(&mut self, name: &str) {
        if self.count == 0 {
            self.first = name.to_string();
        }
        self.count += 1;
    }
}

#[derive(Clone, Default)]
pub struct Notes {
    pub constants: u64,
    /// Nodes that compute from weights alone.
    pub folded_nodes: u64,
    /// What nodes that run read of them, with its bytes.
    pub folded: Seen,
    pub folded_bytes: u64,
    /// Whether the nodes cannot run in the order of the file.
    pub is_unsorted: bool,
    /// Nodes that hold graphs, with the bytes that these need besides.
    pub bodies: Vec<(String, Extent)>,
    /// Nodes that collect more in ONNX Runtime than is counted.
    pub loops: Seen,
    /// Nodes that hold graphs whose meaning is not known.
    pub closed_bodies: Seen,
    /// Tensors inside nodes without a size.
    pub open_inside: BTreeSet<String>,
    /// Inputs with an extent of 0.
    pub zeros: Seen,
    /// Inputs that are outputs too.
    pub returned: Seen,
    /// Weights that are outputs too.
    pub fixed_results: Seen,
    /// Outputs that nothing makes.
    pub not_made: Seen,
    pub elsewhere: u64,
    pub views: u64,
    pub from_file: u64,
    pub inferred: u64,
    /// Values taken for symbols.
    pub symbols: BTreeMap<String, u64>,
    /// Symbols among them whose values were given.
    pub given: BTreeMap<String, u64>,
    pub renamed: BTreeMap<String, String>,
    /// Tensors of types without a fixed size, by the type's name.
    pub odd_types: BTreeMap<&'static str, Seen>,
    /// Tensors whose element type the file does not state.
    pub no_type: Seen,
    /// Operators without a rule whose outputs the file does not describe.
    pub no_rule: BTreeSet<String>,
    /// First shape that differs: tensor, file, operator.
    pub conflict: Option<[String; 3]>,
    pub conflicts: u64,
}

impl Notes {
    /// `open`: the name of the file, if it leaves shapes open.
    pub fn facts(&self, model: &Model, open: Option<&String>) -> Vec<Message> {
        let about = &model.about;
        let producer = [&*about.producer_name, &*about.producer_version].join(" ");
        let producer = producer.trim();
        let made_by = if producer.is_empty() { "fact.onnx-version" } else { "fact.onnx-producer" };
        let mut facts = vec![
            Message::new(made_by)
                .text("producer", producer)
                .count("ir", about.ir_version as u64)
                .count("opset", model.version().max(0) as u64),
        ];
        let mut counted = |key: &'static str, count: u64| {
            if count > 0 {
                facts.push(Message::new(key).count("count", count));
            }
        };
        counted("fact.onnx-functions", model.calls);
        counted("fact.onnx-constants", self.constants);
        counted("fact.onnx-elsewhere", self.elsewhere);
        if self.folded_nodes > 0 {
            let message = Message::new("fact.onnx-folded").count("count", self.folded_nodes);
            facts.push(message.count("tensors", self.folded.count).bytes("bytes", self.folded_bytes));
        }
        facts.extend(told(&self.bodies));
        let mut counted = |key: &'static str, count: u64| {
            if count > 0 {
                facts.push(Message::new(key).count("count", count));
            }
        };
        counted("fact.onnx-views", self.views);
        counted("fact.onnx-from-file", self.from_file);
        counted("fact.onnx-inferred", self.inferred);
        facts.push(Message::new("fact.onnx-inplace"));
        let named = |grown: bool| -> BTreeSet<String> {
            let is_grown = |name: &String, hint: u64| hint > 1 && !self.given.contains_key(name);
            let chosen = self.symbols.iter().filter(|(name, hint)| is_grown(name, **hint) == grown);
            chosen.map(|(name, hint)| format!("{name} = {hint}")).collect()
        };
        for (key, names) in [("fact.onnx-symbols", named(false)), ("fact.onnx-hints", named(true))] {
            if !names.is_empty() {
                let text = listed(&names, MAX_SYMBOLS);
                facts.push(Message::new(key).count("count", names.len() as u64).text("names", text));
            }
        }
        for (name, symbol) in
            self.renamed.iter().filter(|(_, symbol)| self.symbols.contains_key(*symbol)).take(MAX_LISTED)
        {
            facts.push(Message::new("fact.onnx-renamed").text("name", name).text("symbol", symbol));
        }
        if let Some(file) = open {
            facts.push(Message::new("fact.onnx-infer-command").text("file", in_command(file)));
        }
        facts
    }

    pub fn warnings(&self) -> Vec<Fault> {
        let mut warnings = Vec::new();
        let mut warn = |message: Message| warnings.push(Fault::new("", message));
        if self.is_unsorted {
            warn(Message::new("warning.onnx-unsorted"));
        }
        for (key, seen) in [
            ("warning.onnx-zero", &self.zeros),
            ("warning.onnx-returned", &self.returned),
            ("warning.onnx-fixed-result", &self.fixed_results),
            ("warning.onnx-not-made", &self.not_made),
            ("warning.onnx-loop", &self.loops),
            ("warning.onnx-closed-body", &self.closed_bodies),
        ] {
            if seen.count > 0 {
                warn(Message::new(key).text("name", &seen.first).count("count", seen.count));
            }
        }
        if !self.open_inside.is_empty() {
            let names = listed(&self.open_inside, MAX_SYMBOLS);
            let count = self.open_inside.len() as u64;
            warn(Message::new("warning.onnx-open-inside").count("count", count).text("names", names));
        }
        for (kind, seen) in &self.odd_types {
            warn(
                Message::new("warning.onnx-type")
                    .text("type", *kind)
                    .text("name", &seen.first)
                    .count("count", seen.count),
            );
        }
        if self.no_type.count > 0 {
            let message = Message::new("warning.onnx-no-type").text("name", &self.no_type.first);
            warn(message.count("count", self.no_type.count));
        }
        if !self.no_rule.is_empty() {
            let count = self.no_rule.len() as u64;
            warn(
                Message::new("warning.onnx-no-rule")
                    .count("count", count)
                    .text("ops", listed(&self.no_rule, MAX_SYMBOLS)),
            );
        }
        if let Some([name, file, operator]) = &self.conflict {
            let message = Message::new("warning.onnx-conflict").text("name", name).text("file", file);
            warn(message.text("operator", operator).count("count", self.conflicts));
        }
        warnings
    }
}

/// The name of a file inside the quotes of a command, unpacked; a name that might end them or call
/// something is not repeated.
fn in_command(file: &str) -> &str {
    let is_plain = |letter: char| letter.is_alphanumeric() || " ._-+=@()/".contains(letter);
    let file = file.strip_suffix(".gz").unwrap_or(file);
    if !file.is_empty() && file.chars().all(is_plain) { file } else { "model.onnx" }
}

fn listed(names: &BTreeSet<String>, most: usize) -> String {
    let mut text = names.iter().take(most).cloned().collect::<Vec<_>>().join(", ");
    if names.len() > most {
        text.push_str(", …");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_has_the_name_of_the_file_unless_it_would_break_out() {
        for name in ["net.onnx", "models/my net (2).onnx", "模型.onnx"] {
            assert_eq!(in_command(name), name);
        }
        assert_eq!(in_command("net.onnx.gz"), "net.onnx");
        for name in ["", "a'b.onnx", "a\"b", "$(rm)", "`id`", "a\\b", "a\nb"] {
            assert_eq!(in_command(name), "model.onnx");
        }
    }
}
