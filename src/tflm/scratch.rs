//! Working memory that the reference kernels ask for when they are prepared. Optimised kernels ask
//! for other sizes.

use super::model::{Operator, Subgraph, Tensor, element};
use crate::base::MAX_SAFE;

const INT16: u8 = 7;
const INT8: u8 = 9;

/// Bytes of each request of an operator, in the order of the requests; none if its operands are not
/// those of such an operator, or are too large. Not modelled: ADD_N, MIRROR_PAD, BATCH_MATMUL,
/// detection, and the unpacking of int4 weights.
pub fn scratch(graph: &Subgraph, operator: &Operator) -> Option<Vec<u64>> {
    let tensor = |index: i32| usize::try_from(index).ok().and_then(|index| graph.tensors.get(index));
    let input = |at: usize| operator.inputs.get(at).and_then(|&index| tensor(index));
    let output = || operator.outputs.first().and_then(|&index| tensor(index));
    let elements = |bytes: u64, tensor: &Tensor| product(std::iter::once(bytes).chain(tensor.shape.iter().copied()));
    let extents = |tensor: &Tensor| 4 * tensor.shape.len() as u64;
    Some(match operator.code {
        // SVDF
        27 => {
            let (first, weights, out) = (input(0)?, input(1)?, output()?);
            let (batch, filters, units) = (*first.shape.first()?, *weights.shape.first()?, *out.shape.last()?);
            let mut asked = vec![product([batch, filters, 4])?];
            if first.dtype == INT8 {
                asked.push(product([batch, units, 4])?);
            }
            asked
        }
        // MEAN, SUM
        40 | 74 => {
            let (first, axes) = (input(0)?, input(1)?);
            let mut asked = Vec::new();
            if matches!(first.dtype, INT16 | INT8) {
                asked.push(elements(4, output()?)?);
            }
            asked.extend([extents(first), elements(4, axes)?]);
            asked
        }
        // REDUCE_MAX, REDUCE_MIN
        82 | 89 => vec![extents(input(0)?), elements(4, input(1)?)?],
        // UNIDIRECTIONAL_SEQUENCE_LSTM
        44 => {
            let (batch, state) = (*input(0)?.shape.first()?, *input(18)?.shape.get(1)?);
            vec![product([batch, state, element(input(19)?.dtype)?])?; 4]
        }
        // TRANSPOSE_CONV
        67 => {
            let (image, out) = (input(2)?, output()?);
            let mut asked = Vec::new();
            if let Some(bias) = input(3).filter(|bias| image.dtype == INT16 && bias.dtype == INT16) {
                asked.push(elements(8, bias)?);
            }
            match image.dtype {
                INT8 => asked.push(elements(4, out)?),
                INT16 => asked.push(elements(8, out)?),
                _ => {}
            }
            asked
        }
        _ => Vec::new(),
    })
}

fn product(factors: impl IntoIterator<Item = u64>) -> Option<u64> {
    let product = factors.into_iter().try_fold(1u64, u64::checked_mul);
    product.filter(|product| *product <= MAX_SAFE)
}
