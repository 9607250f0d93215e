//! What a file leaves open: questions to the user, and the answers that reading it again takes.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use memplan_core::base::{Message, nearest, suggest};
use memplan_core::graph::{Dtype, Fault, RawDim, RawGraph, RawSymbol, RawTensor, UNKNOWN};

/// Answers to what formats leave to their reader.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Answers {
    /// How a CSV's `end`, `end_time` column is meant.
    pub end: EndRule,
    /// Which arguments of a graph are inputs and which weights, where the file does not state it.
    pub parameters: Parameters,
    /// Which of several models in one file; empty = the first.
    pub model: String,
    /// Shapes or sizes of tensors that the file leaves unknown, by the tensor's name, as
    /// `Stated::parse` reads them.
    pub shapes: BTreeMap<String, String>,
    /// Values of symbols, in place of the file's own or of a reader's guess. A name that the file
    /// does not have is no fault here: another file of the same command may have it.
    pub symbols: BTreeMap<String, u64>,
    /// Whether nodes that compute from weights alone are steps.
    pub constants: Constants,
    /// Whether a graph too large for a quick answer is wanted all the same. Only the page asks.
    pub large: bool,
    /// Name of the file, for commands that messages suggest.
    pub file: String,
}

impl Answers {
    /// Whether every answer is the default, so that reading the file without them gives the same
    /// document.
    pub fn are_none(&self) -> bool {
        let Answers { end, parameters, model, shapes, symbols, constants, large: _, file: _ } = self;
        *end == EndRule::default()
            && *parameters == Parameters::default()
            && *constants == Constants::default()
            && model.is_empty()
            && shapes.is_empty()
            && symbols.is_empty()
    }
}

/// How the last column of a live range is meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum EndRule {
    /// By the column's name: `upper` exclusive, `end` and `end_time` inclusive.
    #[default]
    Format,
    /// Exclusive whatever the name.
    Exclusive,
}

/// How arguments of unknown role are taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Parameters {
    /// By the naming convention of the format: in TVM, weights are `p` and digits.
    #[default]
    ByName,
    /// All are inputs of the graph.
    Inputs,
    /// All but the first are weights.
    Weights,
}

/// What becomes of nodes that compute from weights alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Constants {
    /// Their results are weights, which are computed once before the first run.
    #[default]
    Fold,
    /// They are steps of every run.
    Keep,
}

/// Something the file leaves open. Answers go into [`Answers`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Question {
    /// Whether the end column of a CSV is exclusive: `end`.
    End,
    /// Which of these models is meant: `model`.
    Model(Vec<String>),
    /// Whether arguments are inputs or weights: `parameters`.
    Parameters,
    /// Whether nodes that compute from weights alone are steps: `constants`.
    Constants,
    /// Tensors without a size: `shapes`.
    Shapes(Vec<Unsized>),
}

/// A tensor that has no size yet.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Unsized {
    /// Name of the tensor.
    pub tensor: String,
    /// Operator and name of the node that makes it; empty for an input of the graph.
    pub made_by: String,
    /// What is known of the shape, such as `1, ?, 56, 56`.
    pub known: String,
    /// What was answered before and did not help, if anything.
    pub answer: String,
}

/// What a user states for a tensor without a size.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stated {
    /// Element type; none = the one in the file.
    pub dtype: Option<Dtype>,
    /// Shape or bytes.
    pub extent: Extent,
}

/// The size of a tensor as a user states it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Extent {
    /// Extents, outermost first.
    Shape(Vec<RawDim>),
    /// The size in bytes, whatever the element type.
    Bytes(u64),
}

impl Stated {
    /// Reads `1, 64, 56, 56` or `1x64x56x56` (extents, also expressions over symbols),
    /// `float16 1, 64`, or `1204 B`.
    pub fn parse(text: &str) -> Option<Stated> {
        let text = text.trim();
        let (dtype, rest) = match text.split_once(char::is_whitespace) {
            Some((first_part, rest)) if first_part.starts_with(|first: char| first.is_ascii_alphabetic()) => {
                match Dtype::from_name(first_part).or_else(|| Dtype::suggestion(first_part)) {
                    Some(dtype) => (Some(dtype), rest.trim()),
                    None => (None, text),
                }
            }
            _ => (None, text),
        };
        if let Some(bytes) = rest.strip_suffix(['B', 'b'])
            && let Ok(bytes) = bytes.trim().parse()
        {
            return Some(Stated { dtype, extent: Extent::Bytes(bytes) });
        }
        let rest = rest.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(rest).trim();
        let split: Vec<&str> = match rest {
            "" => return None,
            _ if rest.contains([',', '×']) => rest.split([',', '×']).collect(),
            _ if rest.split('x').all(|part| part.trim().parse::<u64>().is_ok()) => rest.split('x').collect(),
            _ => vec![rest],
        };
        let mut shape = Vec::with_capacity(split.len());
        for extent in split {
            let extent = extent.trim();
            shape.push(match extent.parse() {
                Ok(extent) => RawDim::Fixed(extent),
                Err(_) if extent.is_empty() || memplan_core::graph::Expr::parse(extent).is_err() => return None,
                Err(_) => RawDim::Text(extent.to_string()),
            });
        }
        Some(Stated { dtype, extent: Extent::Shape(shape) })
    }
}

impl Answers {
    /// What was stated for a tensor.
    ///
    /// # Errors
    /// A fault that names the tensor, when the text is no shape and no size.
    pub fn stated(&self, tensor: &str) -> Result<Option<Stated>, Fault> {
        let Some(text) = self.shapes.get(tensor).filter(|text| !text.trim().is_empty()) else { return Ok(None) };
        let unclear = || Fault::new(tensor, Message::new("fault.stated-shape").text("name", tensor).text("text", text));
        Stated::parse(text).map(Some).ok_or_else(unclear)
    }
}

impl Answers {
    /// A fault for each tensor that a size was stated for and that is not there.
    pub fn unmet(&self, raw: &RawGraph) -> Vec<Fault> {
        if self.shapes.is_empty() {
            return Vec::new();
        }
        let names: BTreeSet<&str> = raw.tensors.iter().filter_map(|tensor| tensor.name.as_deref()).collect();
        let unmet = self.shapes.keys().filter(|name| !names.contains(name.as_str()));
        let fault = |name: &String| {
            let near = nearest(name, names.iter().copied());
            let key = if near.is_some() { "fault.stated-nothing-near" } else { "fault.stated-nothing" };
            let message = Message::new(key).text("name", name).text("near", near.unwrap_or_default());
            Fault::new(name, message)
        };
        unmet.map(fault).collect()
    }
}

/// Which of the models of a file is read: the one that was asked for, else the first. Equal names
/// get a number.
///
/// # Errors
/// A fault that lists the names, when no model has the one asked for.
pub fn model(mut names: Vec<String>, answers: &Answers) -> Result<(usize, Vec<Question>), Fault> {
    let mut seen: BTreeMap<String, u64> = BTreeMap::new();
    for name in &mut names {
        let count = seen.entry(name.clone()).and_modify(|count| *count += 1).or_insert(1);
        if *count > 1 {
            *name = format!("{name} ({count})");
        }
    }
    let chosen = match names.iter().position(|name| *name == answers.model) {
        Some(chosen) => chosen,
        None if answers.model.is_empty() => 0,
        None => {
            let message = Message::new("fault.no-such-model").text("name", &answers.model);
            let message = message.text("known", names.join(", "));
            return Err(Fault::new("", suggest(message, &answers.model, names.iter().map(String::as_str))));
        }
    };
    let questions = if names.len() > 1 { vec![Question::Model(names)] } else { Vec::new() };
    Ok((chosen, questions))
}

/// Whether a tensor has no size: an unknown extent and no explicit bytes.
pub fn is_unsized(tensor: &RawTensor) -> bool {
    let unknown = |dim: &RawDim| matches!(dim, RawDim::Text(text) if text.trim() == UNKNOWN);
    tensor.bytes.is_none() && tensor.shape.as_ref().is_some_and(|shape| shape.iter().any(unknown))
}

/// Puts what was stated into tensors without a size, and asks for the rest. Symbols get the values
/// given, if these are allowed: the file's own may leave extents without a size.
///
/// # Errors
/// A fault for every statement that is neither a shape nor a size.
pub fn fill(raw: &mut RawGraph, answers: &Answers) -> Result<Vec<Question>, Vec<Fault>> {
    for (name, &value) in &answers.symbols {
        let admits = |symbol: &&mut RawSymbol| {
            symbol.min.is_none_or(|min| value >= min) && symbol.max.is_none_or(|max| value <= max)
        };
        if let Some(symbol) = raw.symbols.get_mut(name).filter(admits) {
            symbol.hint = Some(value);
        }
    }
    let mut faults = Vec::new();
    let mut open: BTreeMap<String, u64> = BTreeMap::new();
    for (index, tensor) in raw.tensors.iter_mut().enumerate() {
        if !is_unsized(tensor) {
            continue;
        }
        let Some(name) = tensor.name.clone() else { continue };
        match answers.stated(&name) {
            Ok(Some(Stated { dtype, extent })) => {
                tensor.dtype = dtype.or(tensor.dtype);
                match extent {
                    Extent::Shape(shape) => tensor.shape = Some(shape),
                    Extent::Bytes(bytes) => tensor.bytes = Some(bytes),
                }
            }
            Ok(None) => {
                open.insert(name, index as u64);
            }
            Err(fault) => faults.push(fault),
        }
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    if open.is_empty() {
        return Ok(Vec::new());
    }
    let mut made_by = vec![String::new(); raw.tensors.len()];
    for node in &raw.nodes {
        for output in &node.outputs {
            if let Some(&index) = open.get(output) {
                let (op, name) = (node.op.as_deref().unwrap_or_default(), node.name.as_deref().unwrap_or_default());
                made_by[index as usize] = if op == name { op.to_string() } else { format!("{op} {name}") };
            }
        }
    }
    // In the order of the file: the first unknown is the one whose answer resolves most.
    let mut order: Vec<(usize, String)> = open.into_iter().map(|(name, index)| (index as usize, name)).collect();
    order.sort();
    let unsized_ = order.into_iter().map(|(index, tensor)| Unsized {
        made_by: std::mem::take(&mut made_by[index]),
        known: known(&raw.tensors[index]),
        answer: answers.shapes.get(&tensor).cloned().unwrap_or_default(),
        tensor,
    });
    Ok(vec![Question::Shapes(unsized_.collect())])
}

fn known(tensor: &RawTensor) -> String {
    let extent = |dim: &RawDim| match dim {
        RawDim::Fixed(extent) => extent.to_string(),
        RawDim::Text(text) => text.clone(),
    };
    tensor.shape.iter().flatten().map(extent).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(text: &str) -> Option<Vec<RawDim>> {
        match Stated::parse(text)?.extent {
            Extent::Shape(shape) => Some(shape),
            Extent::Bytes(_) => None,
        }
    }

    #[test]
    fn shapes_and_sizes_are_read_as_people_write_them() {
        let fixed = |extents: &[u64]| Some(extents.iter().map(|&extent| RawDim::Fixed(extent)).collect::<Vec<_>>());
        assert_eq!(shape("1, 64,56"), fixed(&[1, 64, 56]));
        assert_eq!(shape("[1x64x56]"), fixed(&[1, 64, 56]));
        assert_eq!(shape("1×64"), fixed(&[1, 64]));
        assert_eq!(shape("7"), fixed(&[7]));
        assert_eq!(shape("2*s0, 4"), Some(vec![RawDim::Text("2*s0".into()), RawDim::Fixed(4)]));
        assert_eq!(Stated::parse("1204 B").map(|stated| stated.extent), Some(Extent::Bytes(1204)));
        assert_eq!(Stated::parse("fp16 2,3").and_then(|stated| stated.dtype), Some(Dtype::Float16));
        assert_eq!(shape("batch"), Some(vec![RawDim::Text("batch".into())]));
        for wrong in ["", "1,,2", "?", "1, ?", "1 2"] {
            assert!(Stated::parse(wrong).is_none(), "{wrong}");
        }
    }
}
