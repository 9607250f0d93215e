//! The graph that is edited as bytes: for the worker, and for the browser to keep.

use serde::Serialize;

use memplan_core::graph::edit::Draft;

/// Tensors and nodes that are written in one task.
pub const SHARE: usize = 20_000;

/// A draft on its way to bytes, a share at a time. Postcard writes lists item by item, so this is
/// what it writes of the whole.
#[derive(Clone, Debug)]
pub struct Encoding {
    draft: Draft,
    /// How many tensors and nodes have been written.
    written: usize,
    bytes: Vec<u8>,
}

impl Encoding {
    /// Begins with the head of a draft.
    pub fn of(draft: Draft) -> Encoding {
        let mut encoding = Encoding { written: 0, bytes: Vec::new(), draft };
        let head = (encoding.draft.name.clone(), encoding.draft.symbols.clone(), encoding.draft.tensors.len());
        encoding.write(&head);
        encoding
    }

    /// Writes so many tensors and nodes and returns whether there are more.
    pub fn go_on(&mut self, share: usize) -> bool {
        let (tensors, all) = (self.draft.tensors.len(), self.draft.tensors.len() + self.draft.nodes.len());
        let end = self.written.saturating_add(share).min(all);
        for at in self.written..end {
            match at.checked_sub(tensors) {
                None => self.write(&self.draft.tensors[at].clone()),
                Some(0) => self.write(&(self.draft.nodes.len(), self.draft.nodes[0].clone())),
                Some(node) => self.write(&self.draft.nodes[node].clone()),
            }
        }
        self.written = end;
        end < all
    }

    /// Returns the bytes that were written since this was asked last.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes)
    }

    /// Returns the bytes, or what is left of them.
    pub fn finish(mut self) -> Vec<u8> {
        if self.draft.nodes.is_empty() {
            self.write(&0usize);
        }
        self.bytes
    }

    fn write(&mut self, value: &impl Serialize) {
        // Plain values: writing them cannot fail.
        self.bytes = postcard::to_extend(value, std::mem::take(&mut self.bytes)).unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use memplan_core::graph::{Graph, RawGraph, sample};

    #[test]
    fn shares_of_any_length_are_the_bytes_of_the_whole() {
        for (graph, share) in [(sample(40, 7), 7), (sample(40, 7), usize::MAX), (Graph::default(), 1)] {
            let draft = Draft::from(&graph);
            let mut encoding = Encoding::of(draft.clone());
            let mut bytes = Vec::new();
            while encoding.go_on(share) {
                bytes.append(&mut encoding.take());
            }
            bytes.append(&mut encoding.finish());
            assert_eq!(bytes, postcard::to_stdvec(&RawGraph::from(draft.clone())).expect("plain values"));
            assert_eq!(postcard::from_bytes(&bytes), Ok(draft));
        }
    }
}
