//! An order of a stretch step by step: of all nodes that may run next, those that keep the peak,
//! then the bytes alive, low.

use std::ops::Range;

use super::model::Model;
use super::ran::{Ran, ready, ready_after};

struct PartialOrder {
    done: Ran,
    ready: Vec<u32>,
    live: u64,
    peak: u64,
}

/// The best order that `width` states find; none if that takes more than `work`, of which it takes
/// its part.
pub fn narrow(model: &Model, range: Range<usize>, live: u64, width: usize, work: &mut u64) -> Option<Vec<u32>> {
    let mut states = vec![PartialOrder { done: Ran::none(&range), ready: ready(model, &range), live, peak: 0 }];
    // Position of the set before and the last node of every set that was kept.
    let mut layers: Vec<Vec<(usize, u32)>> = Vec::new();
    for size in 0..range.len() {
        let mut next = Vec::new();
        for (parent, state) in states.iter().enumerate() {
            for &node in &state.ready {
                let is_first = range.start == 0 && size == 0;
                let (during, after) = model.run(state.live, node, is_first, |node| state.done.contains(node), work);
                next.push((state.peak.max(during), after, node, parent));
            }
        }
        // The best are picked, and sets are copied.
        *work = work.saturating_sub(states.iter().map(|state| state.done.words()).sum::<u64>() + 4 * next.len() as u64);
        if *work == 0 {
            return None;
        }
        // Each set comes from a state at most once, so no more can be met before there are enough.
        let enough = width * states.len();
        if next.len() > enough {
            next.select_nth_unstable(enough);
            next.truncate(enough);
        }
        next.sort_unstable();
        let (mut kept, mut layer): (Vec<PartialOrder>, Vec<(usize, u32)>) = Default::default();
        for (peak, live, node, parent) in next {
            if kept.len() == width {
                break;
            }
            let before = &states[parent];
            let done = before.done.with(node);
            if kept.iter().all(|other| other.done != done) {
                let ready = ready_after(model, &range, &before.ready, &done, node);
                kept.push(PartialOrder { done, ready, live, peak });
                layer.push((parent, node));
            }
        }
        states = kept;
        layers.push(layer);
    }
    let mut at = 0;
    let mut order: Vec<u32> = Vec::with_capacity(layers.len());
    for layer in layers.iter().rev() {
        let (parent, node) = layer[at];
        order.push(node);
        at = parent;
    }
    order.reverse();
    Some(order)
}
