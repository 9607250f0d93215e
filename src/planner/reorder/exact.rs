//! The smallest peak of a stretch by dynamic programming: what is alive depends only on which nodes ran, so for every set
//! of nodes that some order can run first, only the order with the lowest peak matters.

use std::ops::Range;

use super::model::Model;

/// A set of nodes that ran.
struct State {
    /// One bit a node of the stretch.
    done: Box<[u64]>,
    live: u64,
    /// Lowest peak of an order that runs just these.
    peak: u64,
    /// Position of the set without the last node in the layer before.
    parent: u32,
    node: u32,
}

pub enum Found {
    /// An order with a lower peak; none is lower still.
    Lower(Vec<u32>),
    /// No order is below the peak that was known.
    Nothing,
    /// The budget ran out.
    Unknown,
}

pub fn contains(done: &[u64], index: usize) -> bool {
    done.get(index / 64).is_some_and(|word| word >> (index % 64) & 1 == 1)
}

pub fn with(done: &[u64], index: usize) -> Box<[u64]> {
    let mut more: Box<[u64]> = done.into();
    if let Some(word) = more.get_mut(index / 64) {
        *word |= 1 << (index % 64);
    }
    more
}

/// Nodes of a stretch that may run next.
pub fn ready<'m>(model: &'m Model, range: Range<usize>, done: &'m [u64]) -> impl Iterator<Item = u32> + 'm {
    let from = range.start;
    let ran = move |node: u32| (node as usize) < from || contains(done, node as usize - from);
    range
        .filter(move |&node| !contains(done, node - from) && model.before[node].iter().all(|&first| ran(first)))
        .map(|node| node as u32)
}

/// Bytes that the sets kept may take: a set of a hundred thousand nodes alone has twelve thousand.
const MEMORY: usize = 1 << 25;

/// Looks for the order of a stretch with the smallest peak below `known`, which begins with `live` bytes. `states` counts the
/// sets kept; more than `budget` end it, or more than there is memory for.
pub fn smallest(model: &Model, range: Range<usize>, live: u64, known: u64, states: &mut u64, budget: u64) -> Found {
    let bytes = size_of::<State>() + range.len().div_ceil(64) * 8;
    let budget = budget.min(*states + (MEMORY / bytes) as u64);
    let empty = vec![0; range.len().div_ceil(64)].into_boxed_slice();
    // No order is below what one node needs alone.
    let floor = range.clone().map(|node| model.least(node as u32)).max().unwrap_or(0);
    let mut layers = vec![vec![State { done: empty, live, peak: floor, parent: 0, node: 0 }]];
    for size in 0..range.len() {
        let mut next: Vec<State> = Vec::new();
        for (state, parent) in layers[size].iter().zip(0..) {
            let ran = |node: u32| (node as usize) < range.start || contains(&state.done, (node as usize) - range.start);
            let is_first = range.start == 0 && size == 0;
            let mut choices = Vec::new();
            for node in ready(model, range.clone(), &state.done) {
                let (during, after) = model.run(state.live, node, is_first, ran);
                let peak = state.peak.max(during);
                // It raises nothing and leaves no more than before: to wait for it can help nobody.
                let is_free = during <= state.peak && after <= state.live;
                if is_free {
                    choices = vec![(node, peak, after)];
                    break;
                }
                if peak < known {
                    choices.push((node, peak, after));
                }
            }
            for (node, peak, live) in choices {
                let done = with(&state.done, node as usize - range.start);
                next.push(State { done, live, peak, parent, node });
            }
            if next.len() as u64 > budget.saturating_mul(4) {
                return Found::Unknown;
            }
        }
        next.sort_by(|a, b| (&a.done, a.peak, a.parent, a.node).cmp(&(&b.done, b.peak, b.parent, b.node)));
        next.dedup_by(|later, first| later.done == first.done);
        *states += next.len() as u64;
        if next.is_empty() {
            return Found::Nothing;
        }
        if *states > budget {
            return Found::Unknown;
        }
        layers.push(next);
    }
    let mut at = 0;
    let mut order: Vec<u32> = Vec::new();
    for layer in layers.iter().skip(1).rev() {
        order.push(layer[at].node);
        at = layer[at].parent as usize;
    }
    order.reverse();
    Found::Lower(order)
}
