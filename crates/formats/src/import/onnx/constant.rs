//! What a `Constant` node states.

use super::infer::{self, MAX_RANK, Value};
use super::messages::{AttributeProto, TensorProto};
use super::types;
use crate::import::shape::Extent;

/// Extents as a weight has them; `None` for more than any tensor has.
pub fn numbers(dims: &[i64]) -> Option<Vec<Extent>> {
    (dims.len() <= MAX_RANK).then(|| dims.iter().map(|&extent| Extent::Known(extent)).collect())
}

/// The value that an attribute of a `Constant` node states; at most one of them does.
pub fn of_attribute(attribute: &AttributeProto) -> Option<Value> {
    let list =
        |elem: i32, length: usize| Value { elem, dims: Some(vec![Extent::Known(length as i64)]), ..Value::default() };
    let of = |tensor: &TensorProto| {
        let (contents, fractions) = infer::of_tensor(tensor);
        Value { elem: tensor.data_type, dims: numbers(&tensor.dims), contents, fractions, ..Value::default() }
    };
    let floats = |dims: Vec<i64>, float_data: Vec<f32>| {
        of(&TensorProto { dims, data_type: types::FLOAT, float_data, ..TensorProto::default() })
    };
    let ints = |dims: Vec<i64>, int64_data: Vec<i64>| {
        of(&TensorProto { dims, data_type: types::INT64, int64_data, ..TensorProto::default() })
    };
    Some(match &*attribute.name {
        "value" => of(attribute.t.as_ref()?),
        "value_int" => ints(Vec::new(), vec![attribute.i.unwrap_or_default()]),
        "value_ints" => ints(vec![attribute.ints.len() as i64], attribute.ints.clone()),
        "value_float" => floats(Vec::new(), vec![attribute.f.unwrap_or_default()]),
        "value_floats" => floats(vec![attribute.floats.len() as i64], attribute.floats.clone()),
        "value_string" => Value { elem: types::STRING, dims: Some(Vec::new()), ..Value::default() },
        "value_strings" => list(types::STRING, attribute.strings.len()),
        "sparse_value" => {
            let sparse = attribute.sparse_tensor.as_ref()?;
            Value { elem: sparse.values.as_ref()?.data_type, dims: numbers(&sparse.dims), ..Value::default() }
        }
        _ => return None,
    })
}
