//! Values that branches leave under one name, and live ranges of programs that jump.
//!
//! A branch hands out its result by moving it to a name that all branches of a fork move theirs to.
//! Afterwards only one of the results is there. Bytes that two of them share are counted once, for
//! the first: the others have gaps in which only the rest of their bytes is in use.

use std::collections::BTreeMap;

use super::flow::Flow;
use super::steps::{Instructions, Role};
use memplan_core::problem::{Gap, Live};

/// Most values that one name may stand for.
const MOST_RESULTS: usize = 16;

/// Most steps that are looked at to find results that may share their bytes.
const MOST_LOOKS: usize = 1 << 26;

/// What each name may stand for.
#[derive(Default)]
pub struct Moves {
    /// For each name the values that are moved to it, directly or by another name, in order.
    results: BTreeMap<usize, Vec<usize>>,
    /// For each value those before it among the results of a name.
    before: BTreeMap<usize, Vec<usize>>,
    /// For each move, by its step, a value that its result may share bytes with.
    joins: BTreeMap<usize, usize>,
}

impl Moves {
    /// Follows the moves of a program in the order of the steps.
    pub fn of(all: &Instructions, flow: &Flow) -> Moves {
        let mut moves = Moves::default();
        let mut left = MOST_LOOKS;
        for (step, (from, to)) in (0..all.steps.len()).filter_map(|step| Some((step, all.moved(step)?))) {
            let found = moves.results.get(&from).cloned().unwrap_or_else(|| vec![from]);
            if let Some(other) = moves.results.get(&to).and_then(|others| joins(all, flow, &found, others, &mut left)) {
                moves.joins.insert(step, other);
            }
            let own = moves.results.entry(to).or_default();
            for value in found {
                if own.contains(&value) || own.len() == MOST_RESULTS {
                    continue;
                }
                let before = moves.before.entry(value).or_default();
                before.extend(own.iter().filter(|other| all.roles[**other] == Some(Role::Made)));
                before.truncate(MOST_RESULTS);
                own.push(value);
            }
        }
        moves
    }

    /// Whether a value is a name that others are moved to.
    pub fn is_name(&self, value: usize) -> bool {
        self.results.contains_key(&value)
    }

    /// A value that the result of this move may share its bytes with, because at most one of them
    /// is ever there: the first that was moved to the same name.
    pub fn joins(&self, step: usize) -> Option<usize> {
        self.joins.get(&step).copied()
    }

    /// Steps in which the bytes of some values of one storage are in use, and the gaps between
    /// them. The values are no names.
    pub fn live(&self, all: &Instructions, flow: &Flow, values: &[usize]) -> Option<(Live, Vec<Gap>)> {
        let own = values.first()?;
        let size = all.bytes[*own].unwrap_or(0);
        let mut spans: Vec<(Live, Option<(u64, u64)>)> = Vec::new();
        for step in 0..flow.steps() {
            let is_whole = values.iter().any(|&value| flow.is_named(step, value));
            let is_held = values.iter().any(|&value| flow.is_held(step, value));
            let window = match () {
                () if is_whole => Some((0, size)),
                () if is_held => self.window(all, flow, step, *own, size),
                () => None,
            };
            let now = Live::new(step as u32, step as u32 + 1);
            match spans.last_mut() {
                Some((live, last)) if *last == window => live.end = now.end,
                _ => spans.push((now, window)),
            }
        }
        let is_used = |(_, window): &&(Live, Option<(u64, u64)>)| window.is_some();
        let (start, end) = (spans.iter().find(is_used)?.0.start, spans.iter().rfind(is_used)?.0.end);
        let inside = spans.into_iter().filter(|(live, _)| start <= live.start && live.end <= end);
        let gaps = inside.filter(|(_, window)| *window != Some((0, size)));
        Some((Live::new(start, end), gaps.map(|(live, window)| Gap { live, window }).collect()))
    }

    /// The bytes of a value that no other result of the same name covers.
    fn window(&self, all: &Instructions, flow: &Flow, step: usize, value: usize, size: u64) -> Option<(u64, u64)> {
        let Some((memory, offset)) = all.tensors[value].and_then(|tensor| tensor.place()) else {
            return Some((0, size));
        };
        let (mut low, mut high) = (0, size);
        for &other in self.before.get(&value).into_iter().flatten() {
            let is_there = flow.is_held(step, other) || flow.is_named(step, other);
            let place = all.tensors[other].and_then(|tensor| tensor.place());
            let Some((_, start)) = place.filter(|place| is_there && place.0 == memory) else { continue };
            let from = start.saturating_sub(offset);
            let to = start.saturating_add(all.bytes[other].unwrap_or(0)).saturating_sub(offset).min(size);
            if from <= low && to > low {
                low = to;
            } else if from < high && to >= high {
                high = from;
            }
            if low >= high {
                return None;
            }
        }
        Some((low, high))
    }
}

/// The first of the other results of a name, if none of the new ones is ever there together with
/// one of the others, and all have the same size. `left` is what may still be looked at.
fn joins(all: &Instructions, flow: &Flow, new: &[usize], others: &[usize], left: &mut usize) -> Option<usize> {
    let first = others.first().copied()?;
    let size = all.bytes[first].filter(|size| *size > 0)?;
    let is_plain = |value: &usize| all.roles[*value] == Some(Role::Made) && all.bytes[*value] == Some(size);
    *left = left.checked_sub(new.len() * others.len() * flow.steps())?;
    let is_apart = |value: &usize| others.iter().all(|other| other != value && !flow.meet(*value, *other));
    (new.iter().chain(others).all(is_plain) && new.iter().all(is_apart)).then_some(first)
}
