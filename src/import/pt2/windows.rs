//! Windows of convolutions and pools: the arguments that decide which rows of its input an operator
//! needs, as attributes of its node.
//!
//! The signatures are those of ATen (pytorch/pytorch `native_functions.yaml`). A program leaves out
//! arguments that have their default.

use super::super::loose::{Loose, member};
use crate::graph::Attr;

/// Arguments of windows with their defaults; one without a default is always stated.
type Signature = &'static [(&'static str, Option<&'static str>)];

const CONVOLUTION: Signature =
    &[("stride", Some("1")), ("padding", Some("0")), ("dilation", Some("1")), ("groups", Some("1"))];
const TRANSPOSED: Signature = &[
    ("stride", Some("1")),
    ("padding", Some("0")),
    ("output_padding", Some("0")),
    ("groups", Some("1")),
    ("dilation", Some("1")),
];
const EITHER: Signature = &[
    ("stride", None),
    ("padding", None),
    ("dilation", None),
    ("transposed", None),
    ("output_padding", None),
    ("groups", None),
];
// Without a stride, windows of a pool stand side by side.
const MAX_POOL: Signature = &[
    ("kernel_size", None),
    ("stride", Some("[]")),
    ("padding", Some("0")),
    ("dilation", Some("1")),
    ("ceil_mode", Some("false")),
];
const AVERAGE_POOL: Signature =
    &[("kernel_size", None), ("stride", Some("[]")), ("padding", Some("0")), ("ceil_mode", Some("false"))];

fn signature(op: &str) -> Signature {
    match op {
        "conv1d" | "conv2d" | "conv3d" => CONVOLUTION,
        "conv_transpose1d" | "conv_transpose2d" | "conv_transpose3d" => TRANSPOSED,
        "convolution" => EITHER,
        "max_pool1d" | "max_pool2d" | "max_pool3d" | "max_pool2d_with_indices" | "max_pool3d_with_indices" => MAX_POOL,
        "avg_pool1d" | "avg_pool2d" | "avg_pool3d" => AVERAGE_POOL,
        _ => &[],
    }
}

/// The attributes of an operator with a window, nothing of others. What depends on a symbol is left
/// out. `argument` gives the argument of a name, if the program has it.
pub fn attributes<'b, 'a: 'b>(op: &str, argument: impl Fn(&str) -> Option<&'b Loose<'a>>) -> Vec<(String, Attr)> {
    let mut attributes: Vec<(String, Attr)> = Vec::new();
    for &(name, default) in signature(op) {
        let value = match argument(name) {
            Some(stated) => attribute(stated),
            None => default.map(|default| Attr::Json(default.into())),
        };
        let value = match value {
            // The size of the window stands before its stride.
            Some(Attr::Json(list)) if name == "stride" && list == "[]" => attributes.first().map(|size| size.1.clone()),
            value => value,
        };
        attributes.extend(value.map(|value| (name.to_string(), value)));
    }
    attributes
}

/// Numbers, a flag or a word, each in an object with one member that is named after the type.
fn attribute(argument: &Loose) -> Option<Attr> {
    let stated = |kind| member(argument, kind);
    let json = |value: &Loose| Some(Attr::Json(value.json()));
    if let Some(Loose::List(items)) = stated("as_sym_ints") {
        let numbers: Option<Vec<Loose>> = items.iter().map(|item| member(item, "as_int").cloned()).collect();
        return json(&Loose::List(numbers?));
    }
    if let Some(Loose::Text(word)) = stated("as_string") {
        return Some(Attr::Text(word.to_string()));
    }
    json(["as_int", "as_ints", "as_bool"].into_iter().find_map(stated)?)
}
