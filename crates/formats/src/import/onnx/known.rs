//! What is known of one tensor: from the file, from its operator, and from the user.

use super::infer::{self, MAX_RANK, Value};
use super::messages::ValueInfo;
use super::node::{Node, is_own};
use super::nodes::{GraphReader, is_complete};
use super::{file_dims, types};
use crate::import::answers::{Extent as StatedExtent, Stated};
use crate::import::shape::{Extent, words};
use memplan_core::base::Message;
use memplan_core::graph::{Expr, Fault, RawDim};

/// Nodes that are looked through at most for what reads a tensor.
const MOST_LOOKED_THROUGH: usize = 1_000_000;

impl<'a> GraphReader<'a, '_> {
    /// What is known of a result, and what the file says of it.
    pub fn value_of(&mut self, node: &Node, name: &str, inferred: Value) -> (Value, Option<&'a ValueInfo>) {
        let info = self.infos.get(name).copied();
        let file = info.map(|info| self.stated_in_file(info)).unwrap_or_default();
        let had_file = is_complete(&file);
        let mut value = self.merged(name, file, inferred);
        // Exporters state the extents of the indices once they stand in rows.
        if node.op_type == "NonZero" && is_own(node.domain) && !is_complete(&value) {
            value.dims = self.turned_back(name).or(value.dims);
        }
        let notes = &mut self.common.notes;
        if is_complete(&value) {
            *(if had_file { &mut notes.from_file } else { &mut notes.inferred }) += 1;
        } else if !self.state(name, &mut value) && !infer::knows(node) && node.bodies().is_empty() {
            let domain = if is_own(node.domain) { String::new() } else { format!("{}::", node.domain) };
            self.common.notes.no_rule.insert(format!("{domain}{}", node.op_type));
        }
        (value, info)
    }

    /// The extents of a tensor that a `Transpose` reads whose result has extents in the file.
    fn turned_back(&mut self, name: &str) -> Option<Vec<Extent>> {
        let net = self.net;
        if self.looked_through > MOST_LOOKED_THROUGH {
            return None;
        }
        self.looked_through += net.nodes.len();
        let reads = |node: &Node| node.is("Transpose") && node.input.first() == Some(&name);
        let turn = net.nodes.iter().filter_map(|bytes| Node::read(bytes).ok()).find(reads)?;
        let info = self.infos.get(turn.output.first()?).copied()?;
        let dims = self.stated_in_file(info).dims?;
        let order = turn.decoded().ok()?.into_iter().find(|attribute| attribute.name == "perm");
        let order = order.map_or_else(|| (0..dims.len() as i64).rev().collect(), |order| order.ints);
        let at = |axis: i64| order.iter().position(|&from| from == axis).and_then(|at| dims.get(at).cloned());
        (0..dims.len() as i64).map(at).collect()
    }

    /// Takes over the shape that the user states for a tensor; whether there is one. A size in
    /// bytes is put in at the end.
    pub fn state(&mut self, name: &str, value: &mut Value) -> bool {
        match self.common.answers.stated(name) {
            Ok(Some(Stated { dtype, extent: StatedExtent::Shape(shape) })) => {
                value.dims = Some(shape.iter().map(stated_extent).collect());
                value.sequence = None;
                value.elem = match dtype {
                    Some(dtype) => types::elem_of(dtype),
                    None if value.elem == 0 => types::FLOAT,
                    None => value.elem,
                };
                true
            }
            Ok(stated) => stated.is_some(),
            Err(fault) => {
                self.common.faults.push(fault);
                true
            }
        }
    }

    /// Gives the symbols in the shape of an input the values that the user states for its shape.
    pub fn bind(&mut self, name: &str, value: &Value) {
        let stated = match self.common.answers.stated(name) {
            Ok(Some(Stated { extent: StatedExtent::Shape(shape), .. })) => shape,
            Ok(_) => return,
            Err(fault) => return self.common.faults.push(fault),
        };
        let dims = value.dims.as_deref().unwrap_or_default();
        let fits = |(dim, stated): (&Extent, &RawDim)| match (dim, stated) {
            (Extent::Known(extent), RawDim::Fixed(stated)) => u64::try_from(*extent) == Ok(*stated),
            (Extent::Text(text), RawDim::Fixed(_)) => {
                Expr::parse(text).is_ok_and(|expr| expr.symbols() == [text.as_ref()])
            }
            (dim, stated) => *dim == stated_extent(stated),
        };
        if dims.len() != stated.len() || !dims.iter().zip(&stated).all(fits) {
            let message = Message::new("fault.onnx-stated").text("name", name).text("file", words(dims));
            return self.common.faults.push(Fault::new(name, message));
        }
        for (dim, stated) in dims.iter().zip(&stated) {
            if let (Extent::Text(text), RawDim::Fixed(stated)) = (dim, stated) {
                let bound = *self.common.bound.entry(text.to_string()).or_insert(*stated);
                if bound != *stated {
                    let message = Message::new("fault.onnx-bound").text("symbol", text.as_ref());
                    let message = message.count("first", bound).count("second", *stated);
                    self.common.faults.push(Fault::new(name, message));
                }
            }
        }
    }

    /// The shape and type that the file states for a tensor.
    pub fn stated_in_file(&mut self, info: &ValueInfo) -> Value {
        let kind = info.kind.as_ref();
        let elem =
            kind.and_then(|kind| kind.tensor.as_ref().or(kind.sparse.as_ref())).map_or(0, |tensor| tensor.elem_type);
        let dims = file_dims(info).filter(|dims| dims.len() <= MAX_RANK);
        let dims = dims.map(|dims| dims.iter().map(|dim| self.common.symbols.extent(dim)).collect());
        Value { elem, dims, ..Value::default() }
    }

    /// Combines the extents of the file and of the operator. Numbers of the file win. A symbol that
    /// no input has is a placeholder of the exporter: the operator's extent replaces it. So is an
    /// extent of 0 that the operator does not make.
    pub fn merged(&mut self, name: &str, file: Value, inferred: Value) -> Value {
        let elem = if file.elem == 0 { inferred.elem } else { file.elem };
        let dims = match (file.dims, inferred.dims) {
            (Some(file), None) => Some(file.into_iter().map(|extent| self.better(extent, Extent::Open)).collect()),
            (None, other) => other,
            (Some(file), Some(operator)) => {
                let differ = |(a, b): (&Extent, &Extent)| matches!((a.known(), b.known()), (Some(a), Some(b)) if a != b && a != 0);
                if file.len() != operator.len() || file.iter().zip(&operator).any(differ) {
                    let notes = &mut self.common.notes;
                    notes.conflicts += 1;
                    notes.conflict.get_or_insert_with(|| [name.to_string(), words(&file), words(&operator)]);
                    Some(file)
                } else {
                    let pairs = file.into_iter().zip(operator);
                    Some(pairs.map(|(file, operator)| self.better(file, operator)).collect())
                }
            }
        };
        Value { elem, dims, ..inferred }
    }

    fn better(&self, file: Extent, operator: Extent) -> Extent {
        let is_made_up = match &file {
            Extent::Known(0) => return operator,
            Extent::Known(_) => false,
            Extent::Open => true,
            Extent::Text(text) => Expr::parse(text)
                .is_ok_and(|expr| expr.symbols().iter().any(|symbol| !self.common.symbols.is_of_inputs(symbol))),
        };
        if is_made_up && operator != Extent::Open { operator } else { file }
    }
}

fn stated_extent(dim: &RawDim) -> Extent {
    match dim {
        RawDim::Fixed(extent) => i64::try_from(*extent).map_or(Extent::Open, Extent::Known),
        RawDim::Text(text) => Extent::parse(text),
    }
}
