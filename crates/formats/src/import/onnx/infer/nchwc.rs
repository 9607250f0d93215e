//! Operators on images whose channels lie in blocks, which ONNX Runtime puts into a model that it
//! optimizes for a processor (microsoft/onnxruntime 1.32,
//! `core/graph/contrib_ops/nchwc_schema_defs.cc`). The number of channels is rounded up to whole
//! blocks, in the file for weights, at run time where an image comes in.

use super::{Call, Rule, window};
use crate::import::onnx::extent::{Dims, Extent};

use Extent::Known;

/// The rule for the shapes of an operator.
pub fn rule(op: &str) -> Option<Rule> {
    Some(match op {
        "Conv" => |call| vec![window::conv(call)],
        "MaxPool" | "AveragePool" => |call| window::pool(call).into_iter().take(1).collect(),
        "GlobalMaxPool" | "GlobalAveragePool" => |call| vec![window::global_pool(call)],
        "Upsample" => |call| vec![upsample(call)],
        "ReorderInput" => |call| vec![reorder_input(call)],
        "ReorderOutput" => |call| vec![reorder_output(call)],
        _ => return None,
    })
}

fn is_last(call: &Call) -> bool {
    call.int("channels_last").unwrap_or_default() != 0
}

fn reorder_input(call: &Call) -> Option<Dims> {
    let mut dims = call.dims(0)?.to_vec();
    if is_last(call) {
        dims.get_mut(1..)?.rotate_right(1);
    }
    let (channels, block) = (dims.get_mut(1)?, Known(call.block));
    *channels = channels.over_up(&block).times(&block);
    Some(dims)
}

fn reorder_output(call: &Call) -> Option<Dims> {
    let mut dims = call.dims(0)?.to_vec();
    *dims.get_mut(1)? = Known(call.int("channels")?);
    if is_last(call) {
        dims.get_mut(1..)?.rotate_left(1);
    }
    Some(dims)
}

fn upsample(call: &Call) -> Option<Dims> {
    let (dims, scales) = (call.dims(0)?, call.ints("scales")?);
    let scaled = dims.iter().zip(scales).map(|(extent, &scale)| extent.times(&Known(scale)));
    (dims.len() == scales.len()).then(|| scaled.collect())
}
