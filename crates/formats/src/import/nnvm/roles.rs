//! Kinds of arguments and names of entries. The format names only nodes and does not mark weights;
//! by convention certain names stand for weights.

use super::super::loose::{Loose, Object};
use super::super::{Answers, Parameters};
use super::file::File;
use memplan_core::base::Message;
use memplan_core::graph::Kind;

/// Endings that MXNet and NNVM give the arguments that their layers own.
const OWNED: [&str; 11] = [
    "_weight",
    "_bias",
    "_gamma",
    "_beta",
    "_moving_mean",
    "_moving_var",
    "_running_mean",
    "_running_var",
    "_mean",
    "_var",
    "_parameters",
];

/// Roles and names of entries.
pub struct Roles {
    pub graph_name: String,
    /// What our own writer notes for each entry, so that a graph comes back as it was: name and
    /// kind.
    noted: Vec<(String, Option<Kind>)>,
    /// By entry, for variables.
    weights: Vec<bool>,
    /// Whether the user may choose other kinds.
    pub asked: bool,
    heads: Vec<bool>,
    /// `node, input, output` that our own writer notes, and `node, input` that is not read.
    permissions: Vec<(usize, u32, u32)>,
    ignored: Vec<(usize, u32, u32)>,
}

impl Roles {
    pub fn of(file: &File, answers: &Answers) -> Roles {
        let mut heads = vec![false; file.entries()];
        file.heads.iter().for_each(|&entry| heads[entry] = true);
        let mut weights = vec![false; file.entries()];
        let variables = || file.nodes.iter().enumerate().filter(|(_, node)| node.op.is_none());
        let mut first = true;
        for (index, node) in variables() {
            let weight = match answers.parameters {
                Parameters::ByName => by_custom(&node.name),
                Parameters::Inputs => false,
                Parameters::Weights => !first,
            };
            first = false;
            file.outputs(index).for_each(|entry| weights[entry] = weight);
        }
        let (graph_name, noted) = noted(file);
        let asked = noted.is_empty() && variables().next().is_some();
        let (permissions, ignored) = (triples(file, "inplace"), triples(file, "ignore_inputs"));
        Roles { graph_name, noted, weights, asked, heads, permissions, ignored }
    }

    /// Takeovers that a node permits and inputs it does not read, as noted for it.
    pub fn noted_permissions(&self, node: usize, inputs: usize, outputs: usize) -> (Vec<(u32, u32)>, Vec<u32>) {
        // Both lists are in order of nodes.
        let of = |list: &[(usize, u32, u32)]| {
            let from = list.partition_point(|(of, ..)| *of < node);
            let own = list[from..].iter().take_while(|(of, ..)| *of == node);
            own.filter(|(_, input, _)| (*input as usize) < inputs).map(|&(_, input, output)| (input, output)).collect()
        };
        let mut pairs: Vec<(u32, u32)> = of(&self.permissions);
        pairs.retain(|(_, output)| (*output as usize) < outputs);
        let ignored: Vec<(u32, u32)> = of(&self.ignored);
        (pairs, ignored.into_iter().map(|(input, _)| input).collect())
    }

    /// `conv0`; of several outputs `split0.1`.
    pub fn name(&self, file: &File, node: usize, output: usize) -> String {
        let outputs = file.outputs(node);
        match self.noted.get(outputs.start + output) {
            Some((name, _)) => name.clone(),
            None if outputs.len() == 1 => file.nodes[node].name.clone(),
            None => format!("{}.{output}", file.nodes[node].name),
        }
    }

    pub fn kind(&self, file: &File, node: usize, entry: usize) -> Kind {
        match (&file.nodes[node].op, self.noted.get(entry)) {
            (None, Some((_, Some(kind @ (Kind::Input | Kind::Weight))))) => *kind,
            (None, _) if self.weights[entry] => Kind::Weight,
            (None, _) => Kind::Input,
            (Some(_), _) if self.heads[entry] => Kind::Output,
            (Some(_), _) => Kind::Intermediate,
        }
    }

    pub fn facts(&self, file: &File) -> Vec<Message> {
        let mut facts = vec![Message::new("fact.node-order")];
        if self.asked {
            let variables = file.nodes.iter().enumerate().filter(|(_, node)| node.op.is_none());
            let (mut weights, mut inputs) = (0u64, 0u64);
            for (index, _) in variables {
                let weight = file.outputs(index).any(|entry| self.weights[entry]);
                *(if weight { &mut weights } else { &mut inputs }) += 1;
            }
            facts.push(Message::new("fact.parameters").count("weights", weights).count("inputs", inputs));
        }
        let labels = file.nodes.iter().filter(|node| node.op.is_none() && node.name.ends_with("_label")).count() as u64;
        if labels > 0 {
            facts.push(Message::new("fact.labels").count("count", labels));
        }
        let updating = file.nodes.iter().filter(|node| node.updates).count() as u64;
        if updating > 0 {
            facts.push(Message::new("fact.auxiliary").count("count", updating));
        }
        facts
    }
}

/// `p0`, `p12`: what Relay calls the parameters it is given; and the endings of layers' own
/// arguments.
fn by_custom(name: &str) -> bool {
    let digits = name.strip_prefix('p').unwrap_or_default();
    let numbered = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    numbered || OWNED.iter().any(|ending| name.ends_with(ending))
}

/// Names that [`crate::export::graph_executor`] leaves in `metadata`, where TVM's own reader stops.
fn noted(file: &File) -> (String, Vec<(String, Option<Kind>)>) {
    let Some(Loose::Object(own)) = file.metadata.get("memplan") else { return Default::default() };
    let text = |own: &Object, key: &str| own.get(key).and_then(Loose::text).unwrap_or_default().to_string();
    let entry = |entry: &Loose| {
        let Loose::Object(entry) = entry else { return None };
        let kind = text(entry, "kind");
        Some((text(entry, "name"), Kind::ALL.into_iter().find(|known| known.name() == kind)))
    };
    let entries = match own.get("entries") {
        Some(Loose::List(entries)) => entries.iter().map(entry).collect::<Option<Vec<_>>>(),
        _ => None,
    };
    // Notes that do not fit the file are from another one.
    let fitting = entries.filter(|entries| entries.len() == file.entries());
    (text(own, "name"), fitting.unwrap_or_default())
}

/// Lists of whole numbers noted for nodes, in order of nodes; a missing third is 0.
fn triples(file: &File, key: &str) -> Vec<(usize, u32, u32)> {
    let Some(Loose::Object(own)) = file.metadata.get("memplan") else { return Vec::new() };
    let Some(Loose::List(items)) = own.get(key) else { return Vec::new() };
    let small = |parts: &[Loose], at: usize| u32::try_from(parts.get(at)?.whole()?).ok();
    let read = |item: &Loose| {
        let Loose::List(parts) = item else { return None };
        Some((small(parts, 0)? as usize, small(parts, 1)?, small(parts, 2).unwrap_or(0)))
    };
    let mut read: Vec<(usize, u32, u32)> = items.iter().filter_map(read).collect();
    read.sort_by_key(|(node, ..)| *node);
    read
}
