//! Arguments of operators of ATen that decide which rows of its input an operator needs, as
//! attributes of its node.
//!
//! The signatures are those of pytorch/pytorch `native_functions.yaml`. A program of `torch.export`
//! leaves out arguments that have their default; one of ExecuTorch lists all of them in this order.

use memplan_core::graph::{Attr, UNKNOWN};

/// The arguments that count, in the order of the signature, with their defaults; one without a
/// default is always stated.
struct Signature {
    /// Arguments before them.
    first: usize,
    arguments: &'static [(&'static str, Option<&'static str>)],
}

const CONVOLUTION: Signature = Signature {
    first: 3,
    arguments: &[("stride", Some("1")), ("padding", Some("0")), ("dilation", Some("1")), ("groups", Some("1"))],
};
const TRANSPOSED: Signature = Signature {
    first: 3,
    arguments: &[
        ("stride", Some("1")),
        ("padding", Some("0")),
        ("output_padding", Some("0")),
        ("groups", Some("1")),
        ("dilation", Some("1")),
    ],
};
const EITHER: Signature = Signature {
    first: 3,
    arguments: &[
        ("stride", None),
        ("padding", None),
        ("dilation", None),
        ("transposed", None),
        ("output_padding", None),
        ("groups", None),
    ],
};
// Without a stride, windows of a pool stand side by side.
const MAX_POOL: Signature = Signature {
    first: 1,
    arguments: &[
        ("kernel_size", None),
        ("stride", Some("[]")),
        ("padding", Some("0")),
        ("dilation", Some("1")),
        ("ceil_mode", Some("false")),
    ],
};
const AVERAGE_POOL: Signature = Signature {
    first: 1,
    arguments: &[("kernel_size", None), ("stride", Some("[]")), ("padding", Some("0")), ("ceil_mode", Some("false"))],
};
const BATCH_NORM: Signature = Signature { first: 5, arguments: &[("training", None)] };
// `scales_h` in the signature with one factor an extent. Without factors the sizes decide.
const UPSAMPLE: Signature = Signature { first: 2, arguments: &[("scale_factors", None)] };

fn signature(op: &str) -> Option<&'static Signature> {
    Some(match op {
        "conv1d" | "conv2d" | "conv3d" => &CONVOLUTION,
        "conv_transpose1d" | "conv_transpose2d" | "conv_transpose3d" => &TRANSPOSED,
        "convolution" => &EITHER,
        "max_pool1d" | "max_pool2d" | "max_pool3d" | "max_pool2d_with_indices" | "max_pool3d_with_indices" => &MAX_POOL,
        "avg_pool1d" | "avg_pool2d" | "avg_pool3d" => &AVERAGE_POOL,
        "batch_norm" => &BATCH_NORM,
        "upsample_nearest1d" | "upsample_nearest2d" | "upsample_nearest3d" => &UPSAMPLE,
        _ => return None,
    })
}

/// An argument of a call.
#[derive(Clone, PartialEq, Debug)]
pub enum Argument {
    /// Not stated: it has its default.
    Default,
    /// Numbers, a flag or a word.
    Stated(Attr),
    /// Known only when the program runs.
    Open,
}

/// The attributes of an operator with a window, nothing of others. What is known only when the
/// program runs is [`UNKNOWN`]. `argument` returns the argument of a position and a name.
pub fn attributes(op: &str, argument: impl Fn(usize, &str) -> Argument) -> Vec<(String, Attr)> {
    let Some(signature) = signature(op) else { return Vec::new() };
    let mut attributes: Vec<(String, Attr)> = Vec::new();
    for (at, &(name, default)) in signature.arguments.iter().enumerate() {
        let value = match argument(signature.first + at, name) {
            Argument::Stated(value) => Some(value),
            Argument::Default => default.map(|default| Attr::Json(default.into())),
            Argument::Open => Some(Attr::Text(UNKNOWN.into())),
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
