//! The pools that rows name, and the memories that these are parts of.

use std::collections::HashMap;

use memplan_core::base::IdVec;
use memplan_core::plan::{Pool, PoolId, PoolRole};
use memplan_core::problem::{Memory, MemoryId};

/// Device of a row that names no pool.
const DEFAULT_DEVICE: &str = "cpu";

/// Pools and memories by device and number, of one type: each other one would bring the code of a
/// map of its own.
type Known = HashMap<(String, Option<u32>), u32>;

/// All pools and memories named so far.
#[derive(Default)]
pub struct Pools {
    pub pools: IdVec<PoolId, Pool>,
    pub memories: IdVec<MemoryId, Memory>,
    known_pools: Known,
    known_memories: Known,
    before: Option<Before>,
}

/// The cells of the row before and what they stand for: most rows are of the same pool and memory.
struct Before {
    pool: String,
    memory: String,
    found: (MemoryId, PoolId),
}

impl Pools {
    /// The memory and the pool that a row is of. The cell of the memory is empty if the file does
    /// not state it.
    pub fn of_row(&mut self, pool: &str, memory: &str) -> (MemoryId, PoolId) {
        // Two empty texts are not compared: where `memcmp` is given no bytes and no address, some
        // processors take long.
        let is_same = |a: &str, b: &str| (a.is_empty() && b.is_empty()) || a == b;
        if let Some(before) = &self.before
            && is_same(&before.pool, pool)
            && is_same(&before.memory, memory)
        {
            return before.found;
        }
        let found = self.find(pool, memory);
        self.before = Some(Before { pool: pool.to_string(), memory: memory.to_string(), found });
        found
    }

    fn find(&mut self, pool: &str, memory: &str) -> (MemoryId, PoolId) {
        let Memory { device, mem_id } = memory_of(if memory.is_empty() { pool } else { memory });
        let memory = *self
            .known_memories
            .entry((device.clone(), mem_id))
            .or_insert_with(|| self.memories.push(Memory { device: device.clone(), mem_id }).0);
        // Two spellings of one memory are one pool.
        let spelled = memory_of(pool);
        let pool = *self.known_pools.entry((spelled.device, spelled.mem_id)).or_insert_with(|| {
            let name = if pool.is_empty() { "arena" } else { pool }.to_string();
            self.pools.push(Pool { name, size: 0, device, role: PoolRole::Arena }).0
        });
        (MemoryId(memory), PoolId(pool))
    }
}

/// The memory that a `pool` cell names: a device, the number of an arena on the default device, or
/// `device/number`.
pub fn memory_of(pool: &str) -> Memory {
    // `01` is not `1`: two spellings are two pools.
    let number = |text: &str| text.parse::<u32>().ok().filter(|number| number.to_string() == text);
    let default = || DEFAULT_DEVICE.to_string();
    if pool.is_empty() {
        return Memory { device: default(), mem_id: None };
    }
    if let Some(id) = number(pool) {
        return Memory { device: default(), mem_id: Some(id) };
    }
    match pool.rsplit_once('/') {
        Some((device, id)) if !device.is_empty() && number(id).is_some() => {
            Memory { device: device.to_string(), mem_id: number(id) }
        }
        _ => Memory { device: pool.to_string(), mem_id: None },
    }
}
