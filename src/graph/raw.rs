//! A network as a file states it: names, not yet checked. Readers fill it, [`super::check`] turns it into a
//! [`super::Graph`].

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Attr, Dtype, Kind};
use crate::base::Message;

/// Something wrong in a file: where, and what, with a remedy in its words.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Fault {
    /// JSON path (`tensors[12].shape[1]`) or another place in the file; empty = the whole file.
    pub path: String,
    pub message: Message,
}

impl Fault {
    pub fn new(path: impl Into<String>, message: Message) -> Self {
        Fault { path: path.into(), message }
    }

    /// Whether this is the entry at the end of a list that stands for faults left out.
    pub fn stands_for_more(&self) -> bool {
        self.message.key == MORE
    }
}

/// Most faults reported of one file. A small file can have millions of them; readers stop at this number.
const MAX_FAULTS: usize = 500;

/// Faults as a reader finds them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Faults(Vec<Fault>);

impl Faults {
    /// Whether the limit is reached, so that the reader may stop.
    pub fn are_enough(&self) -> bool {
        self.0.len() >= MAX_FAULTS
    }

    /// Returns `Ok` while there are fewer faults than the limit.
    ///
    /// # Errors
    /// All faults, once the limit is reached.
    pub fn go_on(&mut self) -> Result<(), Vec<Fault>> {
        if self.are_enough() { Err(std::mem::take(self).into_vec()) } else { Ok(()) }
    }

    pub fn push(&mut self, fault: Fault) {
        if !self.are_enough() {
            self.0.push(fault);
        }
    }

    pub fn extend(&mut self, faults: impl IntoIterator<Item = Fault>) {
        let room = MAX_FAULTS - self.0.len();
        self.0.extend(faults.into_iter().take(room));
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = &Fault> {
        self.0.iter()
    }

    /// All faults; if the limit was reached, the last one stands for those left out.
    pub fn into_vec(mut self) -> Vec<Fault> {
        if self.are_enough() && !self.0.last().is_some_and(Fault::stands_for_more) {
            self.0.truncate(MAX_FAULTS - 1);
            self.0.push(Fault::new("", Message::new(MORE).count("n", self.0.len() as u64)));
        }
        self.0
    }
}

/// Key of the message that ends a list of too many faults.
const MORE: &str = "fault.more";

/// An unchecked network. A field is `None` where the reader has already reported a fault there, so that
/// one mistake is one message.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct RawGraph {
    pub name: String,
    pub symbols: BTreeMap<String, RawSymbol>,
    pub tensors: Vec<RawTensor>,
    pub nodes: Vec<RawNode>,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct RawSymbol {
    pub hint: Option<u64>,
    pub min: Option<u64>,
    pub max: Option<u64>,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct RawTensor {
    pub name: Option<String>,
    pub dtype: Option<Dtype>,
    pub shape: Option<Vec<RawDim>>,
    pub kind: Option<Kind>,
    pub bytes: Option<u64>,
    pub device: Option<String>,
    pub align: Option<u64>,
    pub mem_id: Option<u32>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum RawDim {
    Fixed(u64),
    Text(String),
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct RawNode {
    pub name: Option<String>,
    pub op: Option<String>,
    pub inputs: Vec<String>,
    pub outputs: Vec<String>,
    pub device: Option<String>,
    pub inplace: Vec<(u32, u32)>,
    pub ignore_inputs: Vec<u32>,
    pub attrs: BTreeMap<String, Attr>,
}
