//! What of a graph is planned, and under which values: options shared by several commands.

use std::collections::{BTreeMap, BTreeSet};

use clap::{Args, ValueEnum};
use memplan::api;
use memplan::base::Message;
use memplan::graph::Graph;
use memplan::import::Document;
use memplan::problem::{Problem, Scope, Views};

use super::error::CliError;

/// Largest alignment taken, as for tensors of a graph.
const MAX_ALIGN: u64 = 1 << 32;

#[derive(Args)]
pub struct ScopeArgs {
    /// Which tensors of a graph are planned besides intermediates: a list of inputs, outputs,
    /// weights, or none
    #[arg(long, value_name = "LIST", default_value = "inputs,outputs", value_parser = with)]
    with: With,

    /// Whether views share the storage of their root or are copies
    #[arg(long, value_enum, default_value_t = ViewsArg::Share)]
    views: ViewsArg,

    /// Alignment in bytes of every buffer, a power of two
    #[arg(long, value_name = "N", default_value = "1", value_parser = alignment)]
    align: u64,

    /// Value of a symbol in shapes, such as s0=8 (repeatable)
    #[arg(long = "symbol", value_name = "NAME=VALUE", value_parser = symbol)]
    symbols: Vec<(String, u64)>,
}

#[derive(Clone, Copy)]
struct With {
    inputs: bool,
    outputs: bool,
    weights: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum ViewsArg {
    Share,
    Copy,
}

fn with(list: &str) -> Result<With, String> {
    let mut with = With { inputs: false, outputs: false, weights: false };
    if list == "none" {
        return Ok(with);
    }
    for word in list.split(',') {
        match word.trim() {
            "inputs" => with.inputs = true,
            "outputs" => with.outputs = true,
            "weights" => with.weights = true,
            other => return Err(format!("`{other}` is none of inputs, outputs, weights")),
        }
    }
    Ok(with)
}

fn alignment(text: &str) -> Result<u64, String> {
    let align = text.parse().ok().filter(|align: &u64| align.is_power_of_two() && *align <= MAX_ALIGN);
    align.ok_or_else(|| format!("a power of two from 1 to {MAX_ALIGN} is needed"))
}

fn symbol(text: &str) -> Result<(String, u64), String> {
    let pair = text.split_once('=').and_then(|(name, value)| Some((name.to_string(), value.parse().ok()?)));
    pair.ok_or_else(|| "a name, `=` and a whole number are needed".to_string())
}

impl ScopeArgs {
    /// The buffers to plan, and the graph they come from if the file has one.
    pub fn problem(&self, document: Document) -> Result<(Problem, Option<Graph>), CliError> {
        Ok(api::problem(&document, &self.scope())?)
    }

    /// The name of a document, of which this can be planned.
    pub fn check(&self, document: &Document) -> Result<String, CliError> {
        Ok(self.problem(document.clone())?.0.name)
    }

    /// Writes the values given into the graph, as the ones that plans are made for.
    pub fn set_hints(&self, graph: &mut Graph) -> Result<(), CliError> {
        for (name, value) in &self.symbols {
            let Some(symbol) = graph.symbols.get_mut(name) else {
                return Err(CliError::because(&Message::new("fault.scope-symbol").text("name", name)));
            };
            if !symbol.admits(*value) {
                return Err(CliError::because(&symbol.refusal(name, &value.to_string())));
            }
            symbol.hint = *value;
        }
        Ok(())
    }

    /// # Errors
    /// A value is given for a symbol that is none of `known`.
    pub fn symbols_are_among(&self, known: &BTreeSet<String>) -> Result<(), CliError> {
        match self.symbols.iter().find(|(name, _)| !known.contains(name)) {
            Some((name, _)) => Err(CliError::because(&Message::new("fault.scope-symbol").text("name", name))),
            None => Ok(()),
        }
    }

    pub fn scope(&self) -> Scope {
        Scope {
            inputs: self.with.inputs,
            outputs: self.with.outputs,
            weights: self.with.weights,
            views: match self.views {
                ViewsArg::Share => Views::Share,
                ViewsArg::Copy => Views::Copy,
            },
            align: self.align,
            symbols: self.symbols.iter().cloned().collect::<BTreeMap<_, _>>(),
        }
    }
}
