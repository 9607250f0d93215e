//! What is placed, and in which order (`MemoryPlanner.allocate_groups`).

use std::cmp::Reverse;

use memplan_core::problem::BufferId;

/// One planned unit: all names that share a storage (`BufferGroup` of the original).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The buffer that it stands for in events.
    pub buffer: BufferId,
    /// Bytes, unpadded; of a symbolic size the hint.
    pub size: u64,
    /// Range `[begin, end)`. It is empty for a group that is never freed and is no output.
    pub begin: u32,
    /// First step after its life.
    pub end: u32,
    /// Whether the graph returns it.
    pub is_output: bool,
    /// Index of the device; every device has its own list of pools.
    pub device: u32,
    /// First moment at which the size is known, for sizes that are known only at run time.
    pub earliest_available: Option<u32>,
}

/// `config.memory_pool`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemoryPool {
    /// No pool grows: what fits in none opens a fixed one.
    None,
    /// Pools of intermediates grow; each output opens a fixed pool of its own.
    Intermediates,
    /// Pools of intermediates grow; outputs lie one above the other in a pool.
    Outputs,
    /// Outputs are placed like intermediates.
    Combined,
}

impl MemoryPool {
    /// The mode of this name; the original's default for anything else.
    pub fn from_name(name: &str) -> MemoryPool {
        match name {
            "none" => MemoryPool::None,
            "outputs" => MemoryPool::Outputs,
            "combined" => MemoryPool::Combined,
            _ => MemoryPool::Intermediates,
        }
    }
}

/// Indices of `groups` in order of placement: outputs small before large, then the rest large
/// before small, longer life first among equals, complete ties in group order.
pub fn placement_order(groups: &[Group], mode: MemoryPool) -> Vec<usize> {
    let is_output = |index: &usize| mode != MemoryPool::Combined && groups[*index].is_output;
    let length = |index: usize| groups[index].end - groups[index].begin;
    let (mut outputs, mut rest): (Vec<usize>, Vec<usize>) = (0..groups.len()).partition(is_output);
    outputs.sort_by_key(|&index| (groups[index].size, Reverse(length(index))));
    rest.sort_by_key(|&index| (Reverse(groups[index].size), Reverse(length(index))));
    outputs.extend(rest);
    outputs
}
