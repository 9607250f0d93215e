//! Working memory that the reference kernels ask for when they are prepared. Optimised kernels ask for other sizes.

use super::model::{Operator, Subgraph, Tensor, element};

const INT16: u8 = 7;
const INT8: u8 = 9;

/// Bytes of each request of an operator, in the order of the requests. Not modelled: ADD_N, MIRROR_PAD, BATCH_MATMUL,
/// detection, and the unpacking of int4 weights.
pub fn scratch(graph: &Subgraph, operator: &Operator) -> Option<Vec<u64>> {
    let tensor = |index: i32| usize::try_from(index).ok().and_then(|index| graph.tensors.get(index));
    let input = |at: usize| operator.inputs.get(at).and_then(|&index| tensor(index));
    let output = || operator.outputs.first().and_then(|&index| tensor(index));
    let count = |tensor: &Tensor| tensor.shape.iter().product::<u64>();
    let words = |tensor: &Tensor| tensor.shape.len() as u64;
    Some(match operator.code {
        // SVDF
        27 => {
            let (first, weights, out) = (input(0)?, input(1)?, output()?);
            let (batch, filters, units) = (*first.shape.first()?, *weights.shape.first()?, *out.shape.last()?);
            let own = Some(batch * units * 4).filter(|_| first.dtype == INT8);
            std::iter::once(batch * filters * 4).chain(own).collect()
        }
        // MEAN, SUM
        40 | 74 => {
            let (first, axes) = (input(0)?, input(1)?);
            let sums = matches!(first.dtype, INT16 | INT8).then_some(4 * count(output()?));
            sums.into_iter().chain([4 * words(first), 4 * count(axes)]).collect()
        }
        // REDUCE_MAX, REDUCE_MIN
        82 | 89 => vec![4 * words(input(0)?), 4 * count(input(1)?)],
        // UNIDIRECTIONAL_SEQUENCE_LSTM
        44 => {
            let (batch, state) = (*input(0)?.shape.first()?, *input(18)?.shape.get(1)?);
            vec![batch * state * element(input(19)?.dtype)?; 4]
        }
        // TRANSPOSE_CONV
        67 => {
            let (image, out) = (input(2)?, output()?);
            let bias = input(3).filter(|bias| image.dtype == INT16 && bias.dtype == INT16).map(|bias| 8 * count(bias));
            let sums = match image.dtype {
                INT8 => Some(4 * count(out)),
                INT16 => Some(8 * count(out)),
                _ => None,
            };
            bias.into_iter().chain(sums).collect()
        }
        _ => Vec::new(),
    })
}
