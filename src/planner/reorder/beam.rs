//! An order of a stretch step by step: of all nodes that may run next, those that keep the peak, then the bytes alive, low.

use std::ops::Range;

use super::exact::{contains, ready, with};
use super::model::Model;

struct State {
    done: Box<[u64]>,
    live: u64,
    peak: u64,
    order: Vec<u32>,
}

/// Nodes looked at before it gives up: a wide graph has as many that are ready as it has nodes.
const MOST: usize = 400_000_000;

/// The best order that `width` states find; none if the stretch is too wide to look at.
pub fn narrow(model: &Model, range: Range<usize>, live: u64, width: usize) -> Option<Vec<u32>> {
    let done = vec![0; range.len().div_ceil(64)].into_boxed_slice();
    let mut states = vec![State { done, live, peak: 0, order: Vec::new() }];
    let mut looked_at = 0;
    for size in 0..range.len() {
        let mut next = Vec::new();
        for (parent, state) in states.iter().enumerate() {
            let ran = |node: u32| (node as usize) < range.start || contains(&state.done, (node as usize) - range.start);
            looked_at += range.len();
            for node in ready(model, range.clone(), &state.done) {
                let (during, after) = model.run(state.live, node, range.start == 0 && size == 0, ran);
                next.push((state.peak.max(during), after, node, parent));
            }
        }
        if looked_at > MOST {
            return None;
        }
        next.sort_unstable();
        let mut kept: Vec<State> = Vec::new();
        for (peak, live, node, parent) in next {
            if kept.len() == width {
                break;
            }
            let parent = &states[parent];
            let done = with(&parent.done, node as usize - range.start);
            if kept.iter().all(|other| other.done != done) {
                let order = [parent.order.as_slice(), &[node]].concat();
                kept.push(State { done, live, peak, order });
            }
        }
        states = kept;
    }
    states.into_iter().next().map(|state| state.order)
}
