//! What of a graph is planned, and under which values: options shared by several commands.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;

use clap::{Args, ValueEnum};
use memplan_core::base::{Message, suggest};
use memplan_core::graph::{Attr, Graph, Node};
use memplan_core::problem::{Problem, Scope, Views};
use memplan_engine::api;
use memplan_formats::import::{Document, Format};
use memplan_planners::info;

use super::error::{CliError, remark, say};

/// The system of a planner of TensorFlow Lite Micro.
const TFLM: &str = "TFLM";

/// Largest alignment taken, as for tensors of a graph.
const MAX_ALIGN: u64 = 1 << 32;

#[derive(Args)]
pub struct ScopeArgs {
    /// Which tensors of a graph are planned besides intermediates: a list of inputs, outputs,
    /// weights, or none
    #[arg(long, value_name = "LIST", default_value = "inputs,outputs", value_parser = with)]
    with: With,

    /// Whether views share the storage of their root or are copies: share if absent. Commands that
    /// plan by one planner each copy for a .tflite file and tflm-greedy, whose runtime does; those
    /// that compare planners ask all for the same buffers
    #[arg(long, value_enum)]
    views: Option<ViewsArg>,

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
    let pair = text.split_once('=').filter(|(name, _)| !name.is_empty());
    let (name, value) = pair.ok_or_else(|| "a name, `=` and a whole number are needed".to_string())?;
    let number = value.trim().parse().map_err(|_| format!("`{value}` is no whole number of 0 or more"))?;
    Ok((name.to_string(), number))
}

/// Refuses two values of one name; `option` is how they were given.
pub fn one_value_each<T: PartialEq + Display>(option: &str, given: &[(String, T)]) -> Result<(), CliError> {
    for (at, (name, value)) in given.iter().enumerate() {
        if let Some((_, other)) = given[..at].iter().find(|(one, other)| one == name && other != value) {
            let message = Message::new("cli.two-values").text("option", option).text("name", name);
            let message = message.text("first", other.to_string()).text("second", value.to_string());
            return Err(CliError::because(&message));
        }
    }
    Ok(())
}

impl ScopeArgs {
    /// Values of symbols, as given.
    pub fn symbols(&self) -> &[(String, u64)] {
        &self.symbols
    }

    /// Prints the values of the symbols in a document.
    ///
    /// # Errors
    /// A value is given for a symbol that the document does not have.
    pub fn tell(&self, document: &Document) -> Result<(), CliError> {
        self.symbols_are_among(&document.graph().iter().flat_map(|graph| graph.symbols.keys().cloned()).collect())?;
        self.tell_one_of_several(document, "");
        Ok(())
    }

    /// The same of one of several documents, of which another may have the symbol. Lines begin with
    /// `file`.
    pub fn tell_one_of_several(&self, document: &Document, file: &str) {
        tell_symbols(document, &self.symbols.iter().cloned().collect(), file);
    }

    /// The buffers to plan, and the graph they come from if the file has one.
    pub fn problem(&self, document: Document) -> Result<(Problem, Option<Graph>), CliError> {
        self.tell(&document)?;
        Ok(api::problem(&document, &self.scope())?)
    }

    /// The name of a document, of which this can be planned.
    pub fn check(&self, document: &Document) -> Result<String, CliError> {
        Ok(self.problem(document.clone())?.0.name)
    }

    /// Writes the values given into the graph, as the ones that plans are made for.
    pub fn set_hints(&self, graph: &mut Graph) -> Result<(), CliError> {
        one_value_each("--symbol", &self.symbols)?;
        for (name, value) in &self.symbols {
            let Some(symbol) = graph.symbols.get_mut(name) else {
                return Err(unknown_symbol(name, &graph.symbols.keys().cloned().collect()));
            };
            if !symbol.admits(*value) {
                return Err(CliError::because(&symbol.refusal(name, &value.to_string())));
            }
            symbol.hint = *value;
        }
        Ok(())
    }

    /// # Errors
    /// A value is given for a symbol that is none of `known`, or two values for one.
    pub fn symbols_are_among(&self, known: &BTreeSet<String>) -> Result<(), CliError> {
        one_value_each("--symbol", &self.symbols)?;
        match self.symbols.iter().find(|(name, _)| !known.contains(name)) {
            Some((name, _)) => Err(unknown_symbol(name, known)),
            None => Ok(()),
        }
    }

    /// Returns the scope for one planner. Unless the command states what becomes of views, they are
    /// copies for the planner of TensorFlow Lite Micro, which copies where the interpreter of
    /// TensorFlow Lite, whose rule the reader of the file follows, does not.
    pub fn scope_for(&self, planner: &str, format: Format, document: &Document) -> Scope {
        // What lies in the memory of an accelerator is there for it too.
        let is_part = |node: &Node| matches!(node.attrs.get("alias"), Some(Attr::Json(_)));
        let has_parts = document.graph().is_some_and(|graph| graph.nodes.iter().any(is_part));
        let is_tflm = format == Format::TfLite && info(planner).is_some_and(|info| info.system == TFLM);
        let copies = self.views.is_none() && is_tflm && !has_parts;
        Scope { views: if copies { Views::Copy } else { self.scope().views }, ..self.scope() }
    }

    /// Tells that views are copies in the scope for this planner, unless the command states it.
    pub fn tell_copies(&self, scope: &Scope, planner: &str, document: &Document) {
        let has_views =
            document.graph().is_some_and(|graph| graph.nodes.iter().any(|node| node.aliases().next().is_some()));
        if self.views.is_none() && scope.views == Views::Copy && has_views {
            let words = say(&Message::new("cli.tflm-copies").text("planner", planner));
            remark(&Message::new("cli.fact").text("text", words));
        }
    }

    pub fn scope(&self) -> Scope {
        Scope {
            inputs: self.with.inputs,
            outputs: self.with.outputs,
            weights: self.with.weights,
            views: match self.views {
                Some(ViewsArg::Copy) => Views::Copy,
                Some(ViewsArg::Share) | None => Views::Share,
            },
            align: self.align,
            symbols: self.symbols.iter().cloned().collect::<BTreeMap<_, _>>(),
        }
    }
}

fn unknown_symbol(name: &str, known: &BTreeSet<String>) -> CliError {
    if known.is_empty() {
        return CliError::because(&Message::new("cli.no-symbols").text("name", name));
    }
    let names: Vec<&str> = known.iter().map(String::as_str).collect();
    let refusal = Message::new("cli.no-symbol").text("name", name).text("known", names.join(", "));
    CliError::because(&suggest(refusal, name, names))
}

/// Prints the values that symbols have where these are `given`. Lines begin with `file`.
pub fn tell_symbols(document: &Document, given: &BTreeMap<String, u64>, file: &str) {
    let Some(graph) = document.graph().filter(|graph| !graph.symbols.is_empty()) else { return };
    let values = graph.symbol_values(given);
    let words: Vec<String> = values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let message = Message::new("cli.symbols").count("n", words.len() as u64).text("values", words.join(", "));
    remark(&Message::new("cli.fact").text("text", format!("{file}{}", say(&message))));
}
