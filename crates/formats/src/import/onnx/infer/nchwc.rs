//! Operators on images whose channels lie in blocks, which ONNX Runtime puts into a model that it
//! optimizes for a processor (microsoft/onnxruntime 1.32,
//! `core/graph/contrib_ops/nchwc_schema_defs.cc`). The number of channels is rounded up to whole
//! blocks, in the file for weights, at run time where an image comes in.

use super::rules::Rule;
use super::{Call, window};
use crate::import::shape::{Dims, Extent, Table};

use Extent::Known;
use Rule::One;

pub const RULES: Table<Rule> = &[
    (&["Conv"], One(window::conv)),
    (&["MaxPool", "AveragePool"], One(window::pool)),
    (&["GlobalMaxPool", "GlobalAveragePool"], One(window::global_pool)),
    (&["Upsample"], One(upsample)),
    (&["ReorderInput"], One(reorder_input)),
    (&["ReorderOutput"], One(reorder_output)),
];

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
