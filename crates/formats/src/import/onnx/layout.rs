//! Where the parts of a model lie, without decoding them: recognises ONNX among other binary files,
//! finds the field in which a truncated file ends, and bounds the memory that a hostile file can
//! make the decoder take.
//!
//! Protobuf has no signature, and an empty file is a model without nodes. A file counts as ONNX
//! only with an `ir_version` from 1 to 100, at least one `opset_import`, and a graph with at least
//! one node.

use std::ops::RangeInclusive;

use crate::import::protobuf::{Broken, Fields, Payload};

/// Most nodes, initializers, inputs, outputs or shapes of a graph, each, and most attributes of all
/// nodes together.
pub const MAX_ITEMS: u64 = 500_000;

const IR_VERSIONS: RangeInclusive<u64> = 1..=100;

/// Slices of the file.
#[derive(Default, Debug)]
pub struct Layout<'a> {
    pub graph: &'a [u8],
    pub nodes: Vec<&'a [u8]>,
    pub initializers: Vec<&'a [u8]>,
    pub sparse: Vec<&'a [u8]>,
    pub functions: Vec<&'a [u8]>,
}

#[derive(PartialEq, Eq, Debug)]
pub enum Refusal {
    NotOnnx,
    /// The file breaks off in this field, which needs so many bytes.
    Cut {
        field: String,
        needs: u64,
    },
    /// The field is no protobuf.
    Damaged {
        field: String,
    },
    /// More than [`MAX_ITEMS`] of this field.
    TooMany {
        field: &'static str,
    },
}

pub fn layout(bytes: &[u8]) -> Result<Layout<'_>, Refusal> {
    let (mut ir, mut opsets) = (0, 0u64);
    let mut found = Layout::default();
    for field in (Fields { rest: bytes }) {
        let is_known = IR_VERSIONS.contains(&ir);
        match field {
            Ok((1, Payload::Number(version))) => ir = version,
            Ok((7, Payload::Bytes(graph))) if is_known => found.graph = graph,
            Ok((8, Payload::Bytes(_))) => opsets = opsets.saturating_add(1),
            Ok((25, Payload::Bytes(function))) if is_known => found.functions.push(function),
            Ok(_) => {}
            Err(Broken::Cut { tag: 7, needs, left }) if is_known => {
                let (field, needs) = deepest_cut(left).unwrap_or_else(|| ("graph".to_string(), needs));
                return Err(Refusal::Cut { field, needs });
            }
            Err(Broken::Cut { tag, needs, .. }) if is_known && !found.graph.is_empty() => {
                return Err(Refusal::Cut { field: model_field(tag).to_string(), needs });
            }
            Err(_) => return Err(Refusal::NotOnnx),
        }
    }
    if !IR_VERSIONS.contains(&ir) || opsets == 0 {
        return Err(Refusal::NotOnnx);
    }
    parts(&mut found)?;
    if found.nodes.is_empty() { Err(Refusal::NotOnnx) } else { Ok(found) }
}

/// The parts of a graph inside a node, which may have no nodes.
///
/// # Errors
/// [`Refusal::Damaged`] or [`Refusal::TooMany`].
pub fn body(graph: &[u8]) -> Result<Layout<'_>, Refusal> {
    let mut found = Layout { graph, ..Layout::default() };
    match parts(&mut found) {
        Err(Refusal::NotOnnx) => Err(Refusal::Damaged { field: "node.attribute.g".to_string() }),
        other => other.map(|()| found),
    }
}

/// Lists the large parts of the graph, counts the others.
fn parts(found: &mut Layout) -> Result<(), Refusal> {
    let (mut counts, mut attributes) = ([0u64; 16], 0u64);
    for field in (Fields { rest: found.graph }) {
        let (tag, payload) = field.map_err(|_| {
            if found.nodes.is_empty() { Refusal::NotOnnx } else { Refusal::Damaged { field: "graph".to_string() } }
        })?;
        let (Payload::Bytes(part), Some(count)) = (payload, counts.get_mut(tag as usize)) else { continue };
        *count += 1;
        if *count > MAX_ITEMS {
            return Err(Refusal::TooMany { field: graph_field(tag) });
        }
        match tag {
            1 => {
                attributes += Fields { rest: part }.filter(|field| matches!(field, Ok((5, _)))).count() as u64;
                if attributes > MAX_ITEMS {
                    return Err(Refusal::TooMany { field: "node.attribute" });
                }
                found.nodes.push(part);
            }
            5 => found.initializers.push(part),
            15 => found.sparse.push(part),
            _ => {}
        }
    }
    Ok(())
}

/// The field of a cut-off graph that is not complete, such as `graph.initializer[7]`, and the bytes
/// it needs.
fn deepest_cut(graph: &[u8]) -> Option<(String, u64)> {
    let mut counts = [0u64; 16];
    for field in (Fields { rest: graph }) {
        match field {
            Ok((tag, _)) => {
                if let Some(count) = counts.get_mut(tag as usize) {
                    *count += 1;
                }
            }
            Err(Broken::Cut { tag, needs, .. }) => {
                let index = counts.get(tag as usize).copied().unwrap_or_default();
                return Some((format!("graph.{}[{index}]", graph_field(tag)), needs));
            }
            Err(Broken::Damaged) => return None,
        }
    }
    None
}

fn model_field(tag: u32) -> &'static str {
    match tag {
        8 => "opset_import",
        14 => "metadata_props",
        25 => "functions",
        _ => "model",
    }
}

fn graph_field(tag: u32) -> &'static str {
    match tag {
        1 => "node",
        2 => "name",
        5 => "initializer",
        11 => "input",
        12 => "output",
        13 => "value_info",
        15 => "sparse_initializer",
        _ => "field",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_without_version_nodes_or_operator_set_is_none() {
        let node = [0x3a, 4, 0x0a, 2, 0x0a, 0];
        let opset = [0x42, 2, 0x10, 17];
        let whole = [&[8, 8][..], &node, &opset].concat();
        assert_eq!(layout(&whole).map(|found| found.nodes.len()), Ok(1));
        for wrong in [
            vec![],
            [&[8, 0][..], &node, &opset].concat(),
            [&[8, 101][..], &node, &opset].concat(),
            [&[8, 8][..], &node].concat(),
            [&[8, 8][..], &[0x3a, 0], &opset].concat(),
        ] {
            assert_eq!(layout(&wrong).map(|found| found.nodes.len()), Err(Refusal::NotOnnx), "{wrong:?}");
        }
    }

    #[test]
    fn a_cut_names_the_field_it_is_in() {
        let graph = [0x3a, 0x20, 0x0a, 0, 0x0a, 0, 0x2a, 0, 0x2a, 0xc8, 1, 1, 2, 3];
        let cut = layout(&[&[8, 8][..], &graph].concat()).map(|_| ());
        assert_eq!(cut, Err(Refusal::Cut { field: "graph.initializer[1]".into(), needs: 200 }));
    }
}
