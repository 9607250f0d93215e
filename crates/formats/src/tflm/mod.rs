//! Plans written into models (docs/tflm.md): the arena of TensorFlow Lite Micro as it will
//! be at run time, and plans in `.tflite` files.
//!
//! **From**: tensorflow/tflite-micro 90b983c, `micro_allocation_info.cc`, `micro_allocator.cc`,
//! `greedy_memory_planner.cc`, `non_persistent_buffer_planner_shim.h` and
//! `docs/memory_management.md`; tensorflow/tensorflow `schema.fbs`.
//! **Time**: one clock for all subgraphs. A buffer is in use from its first to its last time, both
//! included.
//! **Size**: rounded up to 16 bytes, as are all addresses.

mod arena;
mod flex;
mod kernels;
mod model;
mod offsets;
mod table;
mod tail;
mod write;

use memplan_core::base::Message;

pub use arena::{Arena, Request, Who, arena, within_operators};
pub use model::Model;
pub use offsets::{check, check_replaceable, offsets, problem, read_back};
pub use table::c_table;
pub use tail::Tail;
pub use write::{reorder, write};

/// What every address and every size is a multiple of, in bytes.
pub const ALIGN: u64 = 16;

/// Why a model or a plan cannot be used, as a message.
pub type Refusal = Message;

#[cfg(test)]
mod tests;
