//! Random buffers and graphs, not yet checked for anything.

use crate::exercise::dice::Dice;
use memplan_core::base::IdVec;
use memplan_core::graph::{DeviceId, Dim, Dtype, Graph, Kind, Node, NodeId, Tensor, TensorId};
use memplan_core::problem::{Buffer, Live, Memory, Problem};

/// Bytes of a unit: sizes are small multiples of it, so that they are easy to add.
pub const UNIT: u64 = 16 * 1024;

/// A buffer without a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Block {
    pub size: u64,
    pub start: u32,
    pub end: u32,
}

/// `count` blocks within some steps: mostly of two to four steps, one in four of any length.
pub fn crowd(dice: &mut Dice, count: u64, steps: u64, largest: u64) -> Vec<Block> {
    let block = |_| {
        let start = dice.below(steps - 1);
        let long = if dice.below(4) == 0 { dice.within(1..=steps) } else { dice.within(2..=4) };
        let end = steps.min(start + long);
        Block { size: UNIT * dice.within(1..=largest), start: start as u32, end: end as u32 }
    };
    (0..count).map(block).collect()
}

/// The number of one of some areas, each drawn as often as it is large.
pub fn by_area(dice: &mut Dice, areas: impl Iterator<Item = u64> + Clone) -> usize {
    let mut drawn = dice.below(areas.clone().sum());
    let is_it = |area: u64| {
        let is_it = drawn < area;
        drawn = drawn.saturating_sub(area);
        is_it
    };
    areas.map(is_it).position(|is_it| is_it).unwrap_or(0)
}

/// A rectangle of steps by units that is cut into `count` blocks, of which each is then left out
/// with a chance of `left_out` in 16. What is left fits into the height.
pub fn cut(dice: &mut Dice, count: usize, steps: u64, height: u64, left_out: u64) -> Vec<Block> {
    // (first step, steps, units)
    let mut parts = vec![(0, steps, height)];
    while parts.len() < count {
        // Large parts are cut more often.
        let at = by_area(dice, parts.iter().map(|&(_, long, high)| long * high));
        let (from, long, high) = parts[at];
        let in_time = dice.below(2) == 0;
        match in_time {
            true if long >= 2 => {
                let first = dice.within(1..=long - 1);
                parts[at] = (from, first, high);
                parts.push((from + first, long - first, high));
            }
            false if high >= 2 => {
                let low = dice.within(1..=high - 1);
                parts[at] = (from, long, low);
                parts.push((from, long, high - low));
            }
            _ => {}
        }
    }
    parts.retain(|_| dice.below(16) >= left_out);
    let block = |(from, long, high): (u64, u64, u64)| Block {
        size: UNIT * high,
        start: from as u32,
        end: (from + long) as u32,
    };
    parts.into_iter().map(block).collect()
}

/// The buffers of some blocks, named by letters in order of birth. Steps without a block, and those
/// in which the same blocks are alive as in the step before, are left out.
pub fn problem(name: String, blocks: Vec<Block>, align: u64) -> Problem {
    named(name, blocks, align, ('A'..='Z').map(String::from))
}

/// The same with other names.
pub fn named(name: String, mut blocks: Vec<Block>, align: u64, names: impl Iterator<Item = String>) -> Problem {
    let alive =
        |step: u32| -> Vec<bool> { blocks.iter().map(|block| (block.start..block.end).contains(&step)).collect() };
    let last = blocks.iter().map(|block| block.end).max().unwrap_or(0);
    let is_kept = |step: &u32| alive(*step).contains(&true) && (*step == 0 || alive(*step) != alive(step - 1));
    let kept: Vec<u32> = (0..last).filter(is_kept).collect();
    let at = |step: u32| kept.partition_point(|&kept| kept < step) as u32;
    blocks.iter_mut().for_each(|block| *block = Block { start: at(block.start), end: at(block.end), ..*block });
    blocks.sort_by_key(|block| block.start);
    let buffer = |(block, name): (&Block, String)| Buffer {
        align,
        ..Buffer::of(name, block.size, Live::new(block.start, block.end))
    };
    let buffers: IdVec<_, Buffer> = blocks.iter().zip(names).map(buffer).collect();
    Problem {
        name,
        steps: buffers.iter().map(|buffer| buffer.live.end).max().unwrap_or(1),
        buffers,
        memories: vec![Memory { device: "cpu".into(), mem_id: None }].into(),
        ..Problem::default()
    }
}

fn tensor(name: &str, bytes: u64, kind: Kind, align: u64) -> Tensor {
    Tensor {
        name: name.into(),
        dtype: Dtype::UInt8,
        shape: vec![Dim::Fixed(bytes)],
        kind,
        bytes: None,
        device: DeviceId(0),
        own_device: false,
        align: (align > 1).then_some(align),
        mem_id: None,
        role: None,
    }
}

fn node(name: String, inputs: Vec<TensorId>, outputs: Vec<TensorId>) -> Node {
    Node {
        name,
        op: "op".into(),
        inputs,
        outputs,
        device: None,
        inplace: Vec::new(),
        ignore_inputs: Vec::new(),
        attrs: Default::default(),
    }
}

fn empty(name: &str) -> Graph {
    Graph { name: name.into(), devices: vec!["cpu".to_string()].into(), ..Graph::default() }
}

/// A graph with the live ranges of some buffers: a node for each step, which makes what is born
/// there and reads what it is the last step of.
pub fn graph(problem: &Problem) -> Graph {
    let mut graph = empty(&problem.name);
    let mut nodes: IdVec<NodeId, Node> =
        (0..problem.steps).map(|step| node(format!("n{step}"), Vec::new(), Vec::new())).collect();
    for buffer in problem.buffers.iter() {
        let id = graph.tensors.push(tensor(&buffer.name, buffer.size, buffer.kind, buffer.align));
        nodes[NodeId(buffer.live.start)].outputs.push(id);
        if buffer.live.len() > 1 {
            nodes[NodeId(buffer.live.end - 1)].inputs.push(id);
        }
    }
    graph.nodes = nodes;
    graph
}

/// A graph of operators that each make one tensor and read one or two earlier ones; the last one
/// reads what nobody else read.
pub fn operators(dice: &mut Dice, name: &str, count: u64) -> Graph {
    let mut graph = empty(name);
    let mut unread: Vec<TensorId> = Vec::new();
    for (index, letter) in (0..count).zip('a'..='z') {
        let is_last = index + 1 == count;
        let mut inputs = Vec::new();
        if is_last {
            inputs.append(&mut unread);
        } else if index > 0 {
            // The newest half of the time, so that the graph is neither a chain nor a star.
            for _ in 0..dice.within(1..=2) {
                let source = TensorId(if dice.below(2) == 0 { index - 1 } else { dice.below(index) } as u32);
                if !inputs.contains(&source) {
                    inputs.push(source);
                }
            }
            inputs.sort();
            unread.retain(|id| !inputs.contains(id));
        }
        let kind = if is_last { Kind::Output } else { Kind::Intermediate };
        let made = tensor(&letter.to_ascii_uppercase().to_string(), 1024 * dice.within(1..=12), kind, 1);
        let made = graph.tensors.push(made);
        unread.push(made);
        graph.nodes.push(node(letter.to_string(), inputs, vec![made]));
    }
    graph
}
