//! Made-up problems of any size for benchmarks: the same for the same arguments on every machine.

use super::{Buffer, Live, Memory, MemoryId, Problem};
use crate::graph::Kind;

/// `count` buffers of 1 to 256 units of 64 bytes that live 1 to 40 steps, one in fifty ten times as long.
pub fn sample(count: u32, seed: u64) -> Problem {
    let mut random = seed.wrapping_mul(2).wrapping_add(1);
    let mut draw = move |below: u64| {
        // xorshift64*: good enough to look irregular.
        random ^= random >> 12;
        random ^= random << 25;
        random ^= random >> 27;
        (random.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % below
    };
    let mut problem = Problem { name: format!("sample{count}"), steps: count.max(1), ..Problem::default() };
    problem.memories.push(Memory { device: "cpu".into(), mem_id: None });
    for index in 0..count {
        let start = index;
        let long = if draw(50) == 0 { 10 } else { 1 };
        let length = (1 + draw(40) * long) as u32;
        problem.buffers.push(Buffer {
            name: format!("b{index}"),
            size: 64 * (1 + draw(256)),
            live: Live::new(start, (start + length).min(problem.steps.max(start + 1))),
            align: 1,
            memory: MemoryId(0),
            kind: Kind::Intermediate,
            fixed: None,
            tensors: Vec::new(),
        });
    }
    problem
}
