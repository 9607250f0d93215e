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
use super::node::{Node, damaged, text};
use crate::base::Message;
use crate::import::protobuf::{Fields, Payload};

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
            self.out.nodes.push(bytes);
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
        let mut node = Vec::with_capacity(body.len() + 2 * prefix.len());
        let mut fields = Fields { rest: body };
        let mut rest = body;
        while let Some(field) = fields.next() {
            let raw = &rest[..rest.len() - fields.rest.len()];
            rest = fields.rest;
            match field.map_err(|_| damaged("functions.node"))? {
                (tag @ 1..=3, payload) => {
                    let name = text(payload, "functions.node")?;
                    match names.get(name).filter(|_| tag < 3) {
                        Some(actual) => put(&mut node, tag, actual.as_bytes()),
                        None if name.is_empty() => put(&mut node, tag, b""),
                        None => {
                            let own = format!("{prefix}{name}");
                            put(&mut node, tag, own.as_bytes());
                            self.taken.insert(own);
                        }
                    }
                }
                (5, Payload::Bytes(attribute)) if !text_of(attribute, REFERENCE).is_empty() => {
                    let wanted = text_of(attribute, REFERENCE);
                    let mut values = call.attributes.iter().chain(&function.defaults);
                    // An attribute that the call gives no value is left out.
                    if let Some(value) = values.find(|value| text_of(value, 1) == wanted) {
                        // Of a field that comes twice the last one counts.
                        let mut value = value.to_vec();
                        put(&mut value, 1, text_of(attribute, 1).as_bytes());
                        put(&mut node, 5, &value);
                    }
                }
                _ => node.extend_from_slice(raw),
            }
        }
        Ok(node)
    }
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

/// The text of a field of a message; empty if it has none.
fn text_of(message: &[u8], tag: u32) -> &str {
    let text = |field| match field {
        Ok((found, Payload::Bytes(text))) if found == tag => std::str::from_utf8(text).ok(),
        _ => None,
    };
    Fields { rest: message }.filter_map(text).last().unwrap_or_default()
}

fn identity(from: &str, to: &str) -> Vec<u8> {
    let mut node = Vec::new();
    for (tag, text) in [(1, from), (2, to), (4, "Identity")] {
        put(&mut node, tag, text.as_bytes());
    }
    node
}

/// Appends a field of bytes.
fn put(to: &mut Vec<u8>, tag: u32, bytes: &[u8]) {
    to.push((tag << 3 | 2) as u8);
    let mut length = bytes.len();
    while length >= 0x80 {
        to.push(length as u8 | 0x80);
        length >>= 7;
    }
    to.push(length as u8);
    to.extend_from_slice(bytes);
}
