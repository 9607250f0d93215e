//! The outline that NNVM, MXNet and TVM share: nodes, the entries they make, and lists with one
//! value an entry.

use super::super::content::Content;
use super::super::loose::{Loose, Object};
use memplan_core::base::Message;
use memplan_core::graph::Fault;

/// Most entries taken, so that a short file's claim of billions costs little.
const MAX_ENTRIES: usize = 1 << 18;

/// Whether a file has this outline, and if so whether it states shapes.
pub fn outline(content: &Content) -> Option<Shapes> {
    let top = content.object()?;
    let has = |key: &str| top.get(key).is_some();
    if !has("nodes") || !(has("node_row_ptr") || has("arg_nodes")) {
        return None;
    }
    let stated = |key: &str| top.get(key).filter(|value| **value != Loose::Null);
    let shapes = match stated("attrs").or_else(|| stated("attr")) {
        Some(Loose::Object(attrs)) => value_of(attrs, "shape"),
        _ => None,
    };
    Some(if matches!(shapes, None | Some(Loose::Null)) { Shapes::Asked } else { Shapes::Stated })
}

/// Where the shapes of a file's values come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shapes {
    /// From its `attrs`.
    Stated,
    /// From the user, who states those of the inputs.
    Asked,
}

/// A value of the graph's `attrs`, which is written as `[type, value]`.
fn value_of<'b, 'a>(attrs: &'b Object<'a>, key: &str) -> Option<&'b Loose<'a>> {
    match attrs.get(key)? {
        Loose::List(pair) => match &pair[..] {
            [Loose::Text(_), value] => Some(value),
            _ => attrs.get(key),
        },
        other => Some(other),
    }
}

/// A node with what it reads, by entry.
#[derive(Debug)]
pub struct Node {
    /// `None` = a variable: an argument of the graph.
    pub op: Option<String>,
    pub name: String,
    pub attrs: Vec<(String, String)>,
    pub inputs: Vec<usize>,
    /// Inputs that the node updates itself: the version of a read is above 0 (auxiliary states of
    /// MXNet).
    pub updates: bool,
}

impl Node {
    pub fn attr(&self, key: &str) -> Option<&str> {
        self.attrs.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    /// The operator: for a call of TVM the name of the called function, otherwise `op`.
    pub fn operator(&self) -> &str {
        match self.op.as_deref() {
            Some("tvm_op") => self.attr("func_name").unwrap_or("tvm_op"),
            other => other.unwrap_or_default(),
        }
    }
}

/// A file's outline, every reference resolved to an entry.
#[derive(Debug)]
pub struct File<'a> {
    pub nodes: Vec<Node>,
    /// First entry of each node, and their number at the end: `node_row_ptr`.
    pub rows: Vec<usize>,
    /// Entries that are outputs of the graph.
    pub heads: Vec<usize>,
    attrs: Object<'a>,
    pub metadata: Object<'a>,
}

pub fn fault(path: impl Into<String>, message: Message) -> Vec<Fault> {
    vec![Fault::new(path, message)]
}

pub fn wrong_type(path: impl Into<String>, expected: &'static str, found: &Loose) -> Vec<Fault> {
    let found: String = found.excerpt(40);
    fault(path, Message::new("fault.wrong-type").inner("expected", Message::new(expected)).text("found", found))
}

/// The members of a list, or a fault at `path`.
fn list<'b, 'a>(value: Option<&'b Loose<'a>>, path: &str) -> Result<&'b [Loose<'a>], Vec<Fault>> {
    match value {
        Some(Loose::List(items)) => Ok(items),
        None | Some(Loose::Null) => Ok(&[]),
        Some(other) => Err(wrong_type(path, "type.list", other)),
    }
}

/// `[node, output, version]`, `[node, output]` of old files; the version is 0 when absent.
fn reference(value: &Loose) -> Option<(usize, usize, u64)> {
    let Loose::List(parts) = value else { return None };
    let part = |at: usize| parts.get(at).and_then(Loose::whole);
    let small = |at: usize| part(at).and_then(|part| usize::try_from(part).ok());
    (parts.len() <= 3).then_some(())?;
    Some((small(0)?, small(1)?, part(2).unwrap_or(0)))
}

impl<'a> File<'a> {
    /// # Errors
    /// What is no node list, and references to what is not there.
    pub fn read(mut top: Object<'a>) -> Result<File<'a>, Vec<Fault>> {
        let nodes = top.take("nodes");
        let nodes = list(nodes.as_ref(), "nodes")?;
        if nodes.is_empty() {
            return Err(fault("nodes", Message::new("fault.nnvm-no-nodes")));
        }
        let heads = top.take("heads");
        let heads = list(heads.as_ref(), "heads")?;
        let mut read = Vec::new();
        // References wait until the entries of every node are known.
        let mut references = Vec::new();
        for (index, value) in nodes.iter().enumerate() {
            let path = format!("nodes[{index}]");
            let Loose::Object(object) = value else { return Err(wrong_type(path, "type.object", value)) };
            for key in ["op", "name"] {
                if object.get(key).and_then(Loose::text).is_none() {
                    return Err(fault(format!("{path}.{key}"), Message::new("fault.missing").text("field", key)));
                }
            }
            let inputs = list(object.get("inputs"), &format!("{path}.inputs"))?;
            references.push(resolve(inputs, &format!("{path}.inputs"))?);
            read.push(node(object));
        }
        let head_references = resolve(heads, "heads")?;
        let rows = match top.take("node_row_ptr") {
            Some(value) => stated_rows(&value, read.len())?,
            None => counted_rows(&read, &references, &head_references)?,
        };
        for (index, references) in references.iter().enumerate() {
            for (slot, reference) in references.iter().enumerate() {
                let entry = entry(&rows, *reference, || format!("nodes[{index}].inputs[{slot}]"))?;
                read[index].inputs.push(entry);
                read[index].updates |= reference.2 > 0;
            }
        }
        let mut outputs = Vec::with_capacity(head_references.len());
        for (slot, reference) in head_references.iter().enumerate() {
            outputs.push(entry(&rows, *reference, || format!("heads[{slot}]"))?);
        }
        let object = |value: Option<Loose<'a>>| match value {
            Some(Loose::Object(object)) => object,
            _ => Object::default(),
        };
        let attrs = object(top.take("attrs").or_else(|| top.take("attr")));
        let metadata = object(top.take("metadata"));
        Ok(File { nodes: read, rows, heads: outputs, attrs, metadata })
    }

    /// The number of entries.
    pub fn entries(&self) -> usize {
        self.rows.last().copied().unwrap_or(0)
    }

    /// Entries that a node makes.
    pub fn outputs(&self, node: usize) -> std::ops::Range<usize> {
        self.rows[node]..self.rows[node + 1]
    }

    /// A value of the graph's `attrs`, which is written as `[type, value]`.
    pub fn value(&self, key: &str) -> Option<&Loose<'a>> {
        value_of(&self.attrs, key)
    }

    /// A list of `attrs` with one value an entry.
    ///
    /// # Errors
    /// When it is no list or has another length.
    pub fn per_entry(&self, key: &'static str) -> Result<Option<&[Loose<'a>]>, Vec<Fault>> {
        let path = || format!("attrs.{key}");
        match self.value(key) {
            None | Some(Loose::Null) => Ok(None),
            Some(Loose::List(items)) if items.len() == self.entries() => Ok(Some(items)),
            Some(Loose::List(items)) => {
                let message = Message::new("fault.nnvm-entries").count("found", items.len() as u64);
                Err(fault(path(), message.count("entries", self.entries() as u64)))
            }
            Some(other) => Err(wrong_type(path(), "type.list", other)),
        }
    }
}

fn node(object: &Object) -> Node {
    let text = |key: &str| object.get(key).and_then(Loose::text).unwrap_or_default();
    let mut attrs = Vec::new();
    for key in ["param", "attr", "attrs"] {
        let Some(Loose::Object(members)) = object.get(key) else { continue };
        for (name, value) in &members.0 {
            let value = value.text().map_or_else(|| value.json(), str::to_string);
            attrs.push((name.to_string(), value));
        }
    }
    let op = Some(text("op")).filter(|op| !matches!(*op, "" | "null"));
    Node { op: op.map(str::to_string), name: text("name").into(), attrs, inputs: Vec::new(), updates: false }
}

type Reference = (usize, usize, u64);

fn resolve(values: &[Loose], path: &str) -> Result<Vec<Reference>, Vec<Fault>> {
    let read = |(slot, value)| {
        reference(value).ok_or_else(|| wrong_type(format!("{path}[{slot}]"), "type.nnvm-reference", value))
    };
    values.iter().enumerate().map(read).collect()
}

/// The entry of a reference; `path` is written only when there is none.
fn entry(rows: &[usize], (node, output, _): Reference, path: impl Fn() -> String) -> Result<usize, Vec<Fault>> {
    let row = rows.get(node).copied().zip(node.checked_add(1).and_then(|next| rows.get(next)).copied());
    let entry = row.and_then(|(first, end)| first.checked_add(output).filter(|entry| *entry < end));
    let message = || Message::new("fault.nnvm-reference").count("node", node as u64).count("output", output as u64);
    entry.ok_or_else(|| fault(path(), message()))
}

fn too_many() -> Vec<Fault> {
    fault("nodes", Message::new("fault.too-many").count("limit", MAX_ENTRIES as u64))
}

fn stated_rows(value: &Loose, nodes: usize) -> Result<Vec<usize>, Vec<Fault>> {
    let items = list(Some(value), "node_row_ptr")?;
    let wrong = || fault("node_row_ptr", Message::new("fault.nnvm-rows").count("nodes", nodes as u64));
    let mut rows = Vec::with_capacity(items.len());
    for item in items {
        let row = item.whole().and_then(|row| usize::try_from(row).ok()).ok_or_else(wrong)?;
        if row > MAX_ENTRIES {
            return Err(too_many());
        }
        if rows.last().is_some_and(|last| row < *last) {
            return Err(wrong());
        }
        rows.push(row);
    }
    if rows.len() != nodes + 1 || rows[0] != 0 {
        return Err(wrong());
    }
    Ok(rows)
}

/// Files of the oldest writers have no `node_row_ptr`: a node makes as many entries as it states or
/// as are read.
fn counted_rows(nodes: &[Node], reads: &[Vec<Reference>], heads: &[Reference]) -> Result<Vec<usize>, Vec<Fault>> {
    let stated = |node: &Node| node.attr("num_outputs").and_then(|number| number.parse().ok()).unwrap_or(1);
    let mut counts: Vec<usize> = nodes.iter().map(|node| stated(node).max(1)).collect();
    for (node, output, _) in reads.iter().flatten().chain(heads) {
        // What names no node is reported where it is resolved.
        if let Some(count) = counts.get_mut(*node) {
            *count = (*count).max(output.saturating_add(1));
        }
    }
    let mut rows = vec![0usize];
    for count in counts {
        let next = rows[rows.len() - 1].saturating_add(count);
        if next > MAX_ENTRIES {
            return Err(too_many());
        }
        rows.push(next);
    }
    Ok(rows)
}
