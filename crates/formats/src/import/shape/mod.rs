//! Shapes of what operators make, where a file does not state them. The arithmetic stands here
//! once, over extents that may be symbols or not known; the readers of ONNX and of NNVM have tables
//! of operators that name a kernel and the parameters to give it.

mod extent;
mod kernels;
mod window;

pub use extent::{Dims, Extent, axis_of, broadcast, product, words};
pub use kernels::{
    flattened, folded, inserted, joined, left_over, multiplied, padded, part, permuted, range, replaced, sliced, span,
};
pub use window::{Rounding, Window};

/// Operators with their rules: each row has the names that share one.
pub type Table<R> = &'static [(&'static [&'static str], R)];

/// The rule of an operator.
pub fn find<R>(table: Table<R>, op: &str) -> Option<&'static R> {
    table.iter().find(|(names, _)| names.contains(&op)).map(|(_, rule)| rule)
}
