//! Which operators give another name to storage that is there.

use super::meta::Meta;

/// Operators of ATen whose outputs always are views of their first input (`native_functions.yaml`:
/// `Tensor(a)`).
const VIEWS: &str = " view unsafe_view view_as reshape_alias permute transpose t swapaxes swapdims movedim moveaxis adjoint \
    numpy_T mT matrix_H slice select narrow split split_with_sizes unsafe_split unsafe_chunk chunk tensor_split hsplit vsplit \
    dsplit unbind unsqueeze squeeze expand expand_as broadcast_to diagonal unfold unflatten as_strided detach alias real imag \
    view_as_real view_as_complex lift_fresh getitem atleast_1d atleast_2d atleast_3d ";

/// Views where the strides allow it, copies elsewhere.
pub const IF_VIEWABLE: [&str; 4] = ["reshape", "reshape_as", "flatten", "ravel"];

/// Operators that give back what they got if there is nothing to do.
const IF_SAME: [&str; 6] = ["contiguous", "to", "type_as", "dropout", "feature_dropout", "alpha_dropout"];

/// Whether the outputs are views of the first input. `trains` = the flag of a dropout.
pub fn is_view(op: &str, overload: &str, input: Option<&Meta>, output: Option<&Meta>, trains: bool) -> bool {
    if VIEWS.split_ascii_whitespace().any(|view| view == op) {
        return true;
    }
    // By the rule of PyTorch an operator whose name ends in `_` writes its first input and gives it
    // back.
    if op.ends_with('_') && !op.ends_with("__") && overload != "out" {
        return true;
    }
    let (Some(input), Some(output)) = (input, output) else { return false };
    if IF_VIEWABLE.contains(&op) {
        return input.viewable_as(output);
    }
    IF_SAME.contains(&op) && !trains && input.same_as(output)
}

/// Whether the tensors that are given by these keywords are those that the operator writes and
/// gives back: `mm.out(out)`, `topk.values(values, indices)`, `max.dim_max(max, max_values)`.
pub fn takes_results(overload: &str, keywords: &[&str]) -> bool {
    overload.contains("out") || keywords.iter().any(|keyword| overload.ends_with(keyword))
}
