//! Paddings, which TFLite has in a constant operand.

use super::schema::{Model, Operator, SubGraph};
use memplan_core::graph::Attr;

/// Numbers of the element types `INT32` and `INT64`.
const INT32: i8 = 2;
const INT64: i8 = 4;

/// Most extents of a tensor whose paddings are read.
const MOST: usize = 16;

/// Returns what an operator puts before and behind each extent, as an attribute `paddings`; none of
/// other operators, and of paddings that are not constant.
pub fn of(name: &str, model: &Model, graph: &SubGraph, operator: &Operator) -> Option<(&'static str, Attr)> {
    if !matches!(name, "PAD" | "PADV2" | "MIRROR_PAD") {
        return None;
    }
    let index = usize::try_from(operator.inputs()?.iter().nth(1)?).ok()?;
    let tensors = graph.tensors()?;
    let tensor = (index < tensors.len()).then(|| tensors.get(index))?;
    let buffers = model.buffers()?;
    let buffer = tensor.buffer() as usize;
    let data = (buffer < buffers.len()).then(|| buffers.get(buffer))?.data()?.bytes();
    let numbers: Vec<i64> = match tensor.element() {
        INT32 => data.as_chunks::<4>().0.iter().map(|word| i64::from(i32::from_le_bytes(*word))).collect(),
        INT64 => data.as_chunks::<8>().0.iter().map(|word| i64::from_le_bytes(*word)).collect(),
        _ => return None,
    };
    let is_plain = !numbers.is_empty() && numbers.len() <= 2 * MOST && numbers.iter().all(|number| *number >= 0);
    let text = || numbers.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
    is_plain.then(|| ("paddings", Attr::Json(format!("[{}]", text()))))
}
