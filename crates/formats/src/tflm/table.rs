//! The plan as a table of C++ for `NonPersistentMemoryPlannerShim`, which takes the place of the
//! greedy planner.

use std::fmt::Write;

use super::{Arena, Who};

/// A header with the offsets in the order in which they are asked for. It is for a model without a
/// plan of its own.
pub fn c_table(arena: &Arena, name: &str) -> String {
    let mut rows = String::new();
    let blanks = |figure: &str| " ".repeat(10usize.saturating_sub(figure.len()).max(1));
    for (request, place) in arena.requests.iter().zip(&arena.places) {
        let place = place.to_string();
        let who = match request.who {
            Who::Tensor(index) => format!("subgraph {} tensor {index}", request.subgraph),
            Who::Scratch(index) => format!("scratch of subgraph {} operator {index}", request.subgraph),
        };
        let _ = writeln!(rows, "    {place},{}// {who}", blanks(&place));
    }
    let count = arena.requests.len().to_string();
    format!(
        "#include <cstdint>\n#include \"tensorflow/lite/micro/memory_planner/memory_plan_struct.h\"\n\n\
         alignas(4) static const int32_t {name}_data[] = {{\n    {count},{}// buffer_count\n{rows}}};\n\n\
         static const tflite::BufferPlan* const {name} = reinterpret_cast<const tflite::BufferPlan*>({name}_data);\n",
        blanks(&count)
    )
}
