//! A node as it lies in the file. Models have hundreds of thousands of them: names are parts of the
//! file's bytes, and attributes are decoded when a rule asks for them and dropped again.

use super::message;
use super::messages::{AttributeProto, TensorProto};
use crate::import::protobuf::{Fields, Payload};
use memplan_core::base::Message;

/// Longest contents of a tensor in an attribute, in bytes, that are kept: 64 entries of 8 bytes,
/// and some room.
const MAX_SMALL: usize = 2048;

/// `NodeProto`, cut down to the fields that are read.
#[derive(Default, Debug)]
pub struct Node<'a> {
    pub input: Vec<&'a str>,
    pub output: Vec<&'a str>,
    pub name: &'a str,
    pub op_type: &'a str,
    pub domain: &'a str,
    /// Tells functions of one name apart.
    pub overload: &'a str,
    pub attributes: Vec<&'a [u8]>,
}

impl<'a> Node<'a> {
    /// # Errors
    /// The field that is damaged.
    pub fn read(bytes: &'a [u8]) -> Result<Node<'a>, Message> {
        let mut node = Node::default();
        for field in (Fields { rest: bytes }) {
            match field.map_err(|_| damaged("node"))? {
                (1, payload) => node.input.push(text(payload, "node.input")?),
                (2, payload) => node.output.push(text(payload, "node.output")?),
                (3, payload) => node.name = text(payload, "node.name")?,
                (4, payload) => node.op_type = text(payload, "node.op_type")?,
                (5, Payload::Bytes(attribute)) => node.attributes.push(attribute),
                (5, _) => return Err(damaged("node.attribute")),
                (7, payload) => node.domain = text(payload, "node.domain")?,
                (8, payload) => node.overload = text(payload, "node.overload")?,
                _ => {}
            }
        }
        Ok(node)
    }

    /// What the node is called in messages: its name, or that of what it makes.
    pub fn label(&self) -> &'a str {
        let first = || self.output.iter().find(|name| !name.is_empty()).copied().unwrap_or(self.op_type);
        if self.name.is_empty() { first() } else { self.name }
    }

    /// Whether the node is this operator of ONNX itself.
    pub fn is(&self, op: &str) -> bool {
        self.op_type == op && is_own(self.domain)
    }

    /// The attributes; the contents of a large tensor are left out.
    ///
    /// # Errors
    /// The decoder's reason, which names the field.
    pub fn decoded(&self) -> Result<Vec<AttributeProto>, Message> {
        let mut attributes = Vec::with_capacity(self.attributes.len());
        for &bytes in &self.attributes {
            let mut attribute: AttributeProto = message(bytes)?;
            if let Some(tensor) = attribute.t.as_mut().filter(|tensor| tensor.contents_bytes() > MAX_SMALL) {
                let (dims, data_type) = (std::mem::take(&mut tensor.dims), tensor.data_type);
                **tensor = TensorProto { dims, data_type, ..TensorProto::default() };
            }
            attributes.push(attribute);
        }
        Ok(attributes)
    }

    /// The graphs in the attributes, each with the name of its attribute.
    pub fn bodies(&self) -> Vec<(&'a str, &'a [u8])> {
        let mut bodies = Vec::new();
        for &attribute in &self.attributes {
            let mut name = "";
            for field in (Fields { rest: attribute }).flatten() {
                match field {
                    (1, Payload::Bytes(text)) => name = std::str::from_utf8(text).unwrap_or_default(),
                    (6 | 11, Payload::Bytes(graph)) => bodies.push((name, graph)),
                    _ => {}
                }
            }
        }
        bodies
    }
}

/// Whether a domain is that of ONNX itself.
pub fn is_own(domain: &str) -> bool {
    matches!(domain, "" | "ai.onnx")
}

pub fn text<'a>(payload: Payload<'a>, field: &'static str) -> Result<&'a str, Message> {
    let Payload::Bytes(bytes) = payload else { return Err(damaged(field)) };
    std::str::from_utf8(bytes).map_err(|_| damaged(field))
}

pub fn damaged(field: &'static str) -> Message {
    Message::new("fault.onnx-field").text("field", field)
}

/// The text of a field of a message; empty if it has none.
pub fn text_of(message: &[u8], tag: u32) -> &str {
    let text = |field| match field {
        Ok((found, Payload::Bytes(text))) if found == tag => std::str::from_utf8(text).ok(),
        _ => None,
    };
    Fields { rest: message }.filter_map(text).last().unwrap_or_default()
}
