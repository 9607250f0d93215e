//! The smallest peak of a stretch by dynamic programming: what is alive depends only on which nodes
//! ran, so for every set of nodes that some order can run first, only the order with the lowest
//! peak matters.

use std::ops::Range;

use super::model::Model;
use super::ran::{Ran, ready, ready_after};

/// A set of nodes that ran.
struct ExecutedSet {
    done: Ran,
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

/// Bytes that the sets kept may take: a set of a hundred thousand nodes alone has twelve thousand.
const MEMORY: u64 = 1 << 25;

/// Looks for the order of a stretch with the smallest peak below `known`, which begins with `live`
/// bytes. `states` counts the sets kept; more than `budget` end it, or more than there is memory
/// for, or than can be found with so much `work`.
pub fn smallest(
    model: &Model,
    range: Range<usize>,
    live: u64,
    known: u64,
    (states, budget): (&mut u64, u64),
    work: &mut u64,
) -> Found {
    let empty = Ran::none(&range);
    let bytes = size_of::<ExecutedSet>() as u64 + empty.words() * 8;
    let budget = budget.min(*states + MEMORY / bytes);
    // No order is below what one node needs alone.
    let floor = range.clone().map(|node| model.least(node as u32)).max().unwrap_or(0);
    let mut layers = vec![vec![ExecutedSet { done: empty, live, peak: floor, parent: 0, node: 0 }]];
    // What may run after each set of the last layer.
    let mut fronts = vec![ready(model, &range)];
    for size in 0..range.len() {
        let mut next: Vec<ExecutedSet> = Vec::new();
        for ((state, front), parent) in layers[size].iter().zip(&fronts).zip(0..) {
            let is_first = range.start == 0 && size == 0;
            let mut choices = Vec::new();
            for &node in front {
                let (during, after) = model.run(state.live, node, is_first, |node| state.done.contains(node), work);
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
                let done = state.done.with(node);
                *work = work.saturating_sub(done.words());
                next.push(ExecutedSet { done, live, peak, parent, node });
            }
            if *work == 0 || next.len() as u64 > budget.saturating_mul(4) {
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
        let fronts_after =
            |state: &ExecutedSet| ready_after(model, &range, &fronts[state.parent as usize], &state.done, state.node);
        fronts = next.iter().map(fronts_after).collect();
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
