//! Functions of the file (`FunctionProto`), written out where nodes call them as onnx's own inliner
//! does it: a call becomes the nodes of its function, with names of their own and the attributes of
//! the call in place of references. The result has the form of nodes in a file, so that the rest of
//! the reader needs no code for functions.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use super::layout::{Layout, MAX_ITEMS};
use super::message;
use super::messages::OperatorSet;
use super::node::is_own;
use super::node::{Node, damaged, text, text_of};
use crate::import::protobuf::{Fields, Payload, put};
use memplan_core::base::Message;

/// Most functions inside each other.
const MAX_DEPTH: usize = 16;
/// Most bytes of functions and nodes gone through, so that a small file cannot fill the memory.
const MAX_BYTES: usize = 256 << 20;

#[derive(Default)]
pub struct Inlined<'a> {
    pub nodes: Vec<Cow<'a, [u8]>>,
    /// Calls that were replaced.
    pub calls: u64,
    /// Version of ONNX's own operators that functions import; 0 if none does.
    pub version: i64,
}

#[derive(Default)]
struct Function<'a> {
    name: &'a str,
    domain: &'a str,
    overload: &'a str,
    inputs: Vec<&'a str>,
    outputs: Vec<&'a str>,
    nodes: Vec<&'a [u8]>,
    /// Attributes that calls may leave out, with their values.
    defaults: Vec<&'a [u8]>,
    version: i64,
    bytes: usize,
}

/// Replaces every call of a function of the file.
///
/// # Errors
/// A function that calls itself, calls too deep or too many, or the field that is damaged.
pub fn inline<'a>(layout: &Layout<'a>) -> Result<Inlined<'a>, Message> {
    let functions: Vec<Function> =
        layout.functions.iter().map(|bytes| Function::read(bytes)).collect::<Result<_, _>>()?;
    let key = |(index, function): (usize, &Function<'a>)| {
        ((domain(function.domain), function.name, function.overload), index)
    };
    let library = Library { by_name: functions.iter().enumerate().map(key).collect(), functions };
    let version = library.functions.iter().map(|function| function.version).max().unwrap_or(0);
    let mut writer = Writer { out: Inlined { nodes: Vec::new(), calls: 0, version }, ..Writer::default() };
    if library.functions.is_empty() {
        writer.out.nodes = layout.nodes.iter().map(|&node| Cow::Borrowed(node)).collect();
        return Ok(writer.out);
    }
    writer.taken = names(layout);
    for &node in &layout.nodes {
        writer.write(Cow::Borrowed(node), &library, &mut Vec::new())?;
    }
    Ok(writer.out)
}

struct Library<'a> {
    functions: Vec<Function<'a>>,
    by_name: HashMap<(&'a str, &'a str, &'a str), usize>,
}

#[derive(Default)]
struct Writer<'a> {
    out: Inlined<'a>,
    /// Names and prefixes that are used.
    taken: BTreeSet<String>,
    /// The number that the next call of a label tries first.
    next: HashMap<String, u64>,
    bytes: usize,
    written: u64,
    /// Graphs that the one being written lies in.
    graphs: usize,
}

impl<'a> Writer<'a> {
    /// Puts a node out, or what the function that it calls makes of it. `inside`: the functions
    /// that it lies in.
    fn write(&mut self, bytes: Cow<'a, [u8]>, library: &Library, inside: &mut Vec<usize>) -> Result<(), Message> {
        let Ok(call) = Node::read(&bytes) else {
            // Reading it reports the fault.
            self.out.nodes.push(bytes);
            return Ok(());
        };
        let Some(&index) = library.by_name.get(&(domain(call.domain), call.op_type, call.overload)) else {
            let expanded = if call.bodies().is_empty() { None } else { self.expanded(&bytes, library, inside)? };
            self.out.nodes.push(expanded.map_or(bytes, Cow::Owned));
            return Ok(());
        };
        let refusal = |key: &'static str| {
            let message = Message::new(key).text("op", call.op_type).text("node", call.label());
            Err(message.count("limit", MAX_DEPTH as u64))
        };
        match inside.len() {
            _ if inside.contains(&index) => return refusal("fault.onnx-recursion"),
            MAX_DEPTH => return refusal("fault.onnx-depth"),
            _ => {}
        }
        let function = &library.functions[index];
        self.out.calls += 1;
        self.charge(function.bytes)?;
        let prefix = self.prefix(call.label());
        let given = call.input.iter().copied().chain(std::iter::repeat(""));
        let mut names: HashMap<&str, String> = function.inputs.iter().copied().zip(given.map(str::to_string)).collect();
        let mut copies = Vec::new();
        for (&formal, &actual) in function.outputs.iter().zip(&call.output).filter(|(_, actual)| !actual.is_empty()) {
            // What goes through, or comes out twice, is made by no node inside.
            match names.get(formal) {
                Some(made) => copies.push(identity(made, actual)),
                None => _ = names.insert(formal, actual.to_string()),
            }
        }
        inside.push(index);
        for body in &function.nodes {
            let node = self.renamed(body, &call, function, &names, &prefix)?;
            self.charge(node.len())?;
            self.write(Cow::Owned(node), library, inside)?;
        }
        inside.pop();
        self.out.nodes.extend(copies.into_iter().map(Cow::Owned));
        Ok(())
    }

    /// A node with the calls replaced in the graphs that it holds; none if these lie too deep,
    /// which reading them reports.
    fn expanded(
        &mut self,
        bytes: &[u8],
        library: &Library,
        inside: &mut Vec<usize>,
    ) -> Result<Option<Vec<u8>>, Message> {
        if self.graphs >= MAX_DEPTH {
            return Ok(None);
        }
        self.graphs += 1;
        let node = edited(bytes, "node", |tag, payload, to| match (tag, payload) {
            (5, Payload::Bytes(attribute)) if holds_graphs(attribute) => {
                let attribute = edited(attribute, "node.attribute", |tag, payload, to| match (tag, payload) {
                    (6 | 11, Payload::Bytes(graph)) => {
                        let outer = std::mem::take(&mut self.out.nodes);
                        let graph = edited(graph, "node.attribute.g", |tag, payload, to| match (tag, payload) {
                            (1, Payload::Bytes(node)) => {
                                self.charge(node.len())?;
                                self.write(Cow::Owned(node.to_vec()), library, inside)?;
                                self.out.nodes.drain(..).for_each(|node| put(to, 1, &node));
                                Ok(true)
                            }
                            _ => Ok(false),
                        });
                        self.out.nodes = outer;
                        put(to, tag, &graph?);
                        Ok(true)
                    }
                    _ => Ok(false),
                })?;
                put(to, 5, &attribute);
                Ok(true)
            }
            _ => Ok(false),
        });
        self.graphs -= 1;
        node.map(Some)
    }

    fn charge(&mut self, bytes: usize) -> Result<(), Message> {
        self.bytes = self.bytes.saturating_add(bytes);
        self.written += 1;
        if self.bytes <= MAX_BYTES && self.written <= MAX_ITEMS {
            return Ok(());
        }
        Err(Message::new("fault.onnx-functions-large").count("limit", MAX_ITEMS).bytes("bytes", MAX_BYTES as u64))
    }

    /// The beginning of all names inside a call, of which no other name has it.
    fn prefix(&mut self, label: &str) -> String {
        let number = self.next.entry(label.to_string()).or_insert(1);
        loop {
            let prefix = if *number == 1 { format!("{label}/") } else { format!("{label}_{number}/") };
            *number += 1;
            let like_it = self.taken.range(prefix.clone()..).next().is_some_and(|name| name.starts_with(&prefix));
            if !like_it {
                self.taken.insert(prefix.clone());
                return prefix;
            }
        }
    }

    /// A node of a function as the call makes it.
    fn renamed(
        &mut self,
        body: &[u8],
        call: &Node,
        function: &Function,
        names: &HashMap<&str, String>,
        prefix: &str,
    ) -> Result<Vec<u8>, Message> {
        edited(body, "functions.node", |tag, payload, to| match (tag, payload) {
            (1..=3, payload) => {
                let name = text(payload, "functions.node")?;
                let actual = names.get(name).filter(|_| tag < 3);
                self.put_name(to, tag, name, actual, prefix);
                Ok(true)
            }
            (5, Payload::Bytes(attribute)) if !text_of(attribute, REFERENCE).is_empty() => {
                let wanted = text_of(attribute, REFERENCE);
                let mut values = call.attributes.iter().chain(&function.defaults);
                // An attribute that the call gives no value is left out.
                if let Some(value) = values.find(|value| text_of(value, 1) == wanted) {
                    // Of a field that comes twice the last one counts.
                    let mut value = value.to_vec();
                    put(&mut value, 1, text_of(attribute, 1).as_bytes());
                    put(to, 5, &value);
                }
                Ok(true)
            }
            (5, Payload::Bytes(attribute)) if holds_graphs(attribute) && self.graphs < MAX_DEPTH => {
                self.graphs += 1;
                let attribute = edited(attribute, "node.attribute", |tag, payload, to| match (tag, payload) {
                    (6 | 11, Payload::Bytes(graph)) => {
                        self.charge(graph.len())?;
                        put(to, tag, &self.renamed_graph(graph, call, function, names, prefix)?);
                        Ok(true)
                    }
                    _ => Ok(false),
                });
                self.graphs -= 1;
                put(to, 5, &attribute?);
                Ok(true)
            }
            _ => Ok(false),
        })
    }

    /// A graph that a node of a function holds, with names as the call makes them.
    fn renamed_graph(
        &mut self,
        graph: &[u8],
        call: &Node,
        function: &Function,
        names: &HashMap<&str, String>,
        prefix: &str,
    ) -> Result<Vec<u8>, Message> {
        edited(graph, "node.attribute.g", |tag, payload, to| {
            let Payload::Bytes(part) = payload else { return Ok(false) };
            // The field of a part in which its name lies.
            let name_in = match tag {
                1 => {
                    put(to, 1, &self.renamed(part, call, function, names, prefix)?);
                    return Ok(true);
                }
                5 => 8,
                11..=13 => 1,
                15 => {
                    let sparse = edited(part, "sparse_initializer", |tag, payload, to| match (tag, payload) {
                        (1, Payload::Bytes(values)) => {
                            put(to, 1, &self.with_name(values, 8, names, prefix)?);
                            Ok(true)
                        }
                        _ => Ok(false),
                    })?;
                    put(to, 15, &sparse);
                    return Ok(true);
                }
                _ => return Ok(false),
            };
            put(to, tag, &self.with_name(part, name_in, names, prefix)?);
            Ok(true)
        })
    }

    fn with_name(
        &mut self,
        part: &[u8],
        name_in: u32,
        names: &HashMap<&str, String>,
        prefix: &str,
    ) -> Result<Vec<u8>, Message> {
        edited(part, "node.attribute.g", |tag, payload, to| {
            if tag != name_in {
                return Ok(false);
            }
            let name = text(payload, "node.attribute.g")?;
            self.put_name(to, tag, name, names.get(name), prefix);
            Ok(true)
        })
    }

    /// Writes the name that a name of a function becomes.
    fn put_name(&mut self, to: &mut Vec<u8>, tag: u32, name: &str, actual: Option<&String>, prefix: &str) {
        match actual {
            Some(actual) => put(to, tag, actual.as_bytes()),
            None if name.is_empty() => put(to, tag, b""),
            None => {
                let own = format!("{prefix}{name}");
                put(to, tag, own.as_bytes());
                self.taken.insert(own);
            }
        }
    }
}

/// A message with some of its fields written anew. `edit` returns whether it wrote the field; the
/// others stay as they are.
fn edited(
    bytes: &[u8],
    field: &'static str,
    mut edit: impl FnMut(u32, Payload, &mut Vec<u8>) -> Result<bool, Message>,
) -> Result<Vec<u8>, Message> {
    let mut out = Vec::with_capacity(bytes.len() + 64);
    let (mut fields, mut rest) = (Fields { rest: bytes }, bytes);
    while let Some(next) = fields.next() {
        let raw = &rest[..rest.len() - fields.rest.len()];
        rest = fields.rest;
        let (tag, payload) = next.map_err(|_| damaged(field))?;
        if !edit(tag, payload, &mut out)? {
            out.extend_from_slice(raw);
        }
    }
    Ok(out)
}

fn holds_graphs(attribute: &[u8]) -> bool {
    Fields { rest: attribute }.any(|field| matches!(field, Ok((6 | 11, _))))
}

/// `ref_attr_name` of an attribute: the attribute of the function that it stands for.
const REFERENCE: u32 = 21;

impl<'a> Function<'a> {
    fn read(bytes: &'a [u8]) -> Result<Function<'a>, Message> {
        let mut function = Function { bytes: bytes.len(), ..Function::default() };
        for field in (Fields { rest: bytes }) {
            match field.map_err(|_| damaged("functions"))? {
                (1, payload) => function.name = text(payload, "functions.name")?,
                (4, payload) => function.inputs.push(text(payload, "functions.input")?),
                (5, payload) => function.outputs.push(text(payload, "functions.output")?),
                (7, Payload::Bytes(node)) => function.nodes.push(node),
                (9, Payload::Bytes(set)) => {
                    let set: OperatorSet = message(set)?;
                    if is_own(&set.domain) {
                        function.version = set.version;
                    }
                }
                (10, payload) => function.domain = text(payload, "functions.domain")?,
                (11, Payload::Bytes(attribute)) => function.defaults.push(attribute),
                (13, payload) => function.overload = text(payload, "functions.overload")?,
                _ => {}
            }
        }
        Ok(function)
    }
}

fn domain(name: &str) -> &str {
    if is_own(name) { "" } else { name }
}

/// The names of the graph itself.
fn names(layout: &Layout) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for field in (Fields { rest: layout.graph }).flatten() {
        match field {
            (1, Payload::Bytes(node)) => names.extend(outputs(node).map(str::to_string)),
            (5, Payload::Bytes(weight)) => _ = names.insert(text_of(weight, 8).to_string()),
            (11, Payload::Bytes(input)) => _ = names.insert(text_of(input, 1).to_string()),
            _ => {}
        }
    }
    names
}

fn outputs(node: &[u8]) -> impl Iterator<Item = &str> {
    let name = |field| match field {
        Ok((2, Payload::Bytes(name))) => std::str::from_utf8(name).ok(),
        _ => None,
    };
    Fields { rest: node }.filter_map(name)
}

fn identity(from: &str, to: &str) -> Vec<u8> {
    let mut node = Vec::new();
    for (tag, text) in [(1, from), (2, to), (4, "Identity")] {
        put(&mut node, tag, text.as_bytes());
    }
    node
}
