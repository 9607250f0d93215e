//! Why a capacity is too small: few buffers that do not fit even by themselves.

use super::model::Model;
use super::report::{Limits, Reporter};
use super::search::{Found, Search};
use crate::PlanError;
use memplan_core::problem::{Branches, BufferId, Problem};
use memplan_core::trace::Silent;

/// Buffers that have no plan within the capacity.
pub struct Set {
    pub ids: Vec<BufferId>,
    /// Whether without any one of them there is a plan.
    pub irreducible: bool,
}

/// Leaves out as many buffers as possible: groups first, half of what is left, then smaller ones,
/// then single buffers; what cannot be decided with `nodes` for all questions stays.
///
/// # Errors
/// [`PlanError::Cancelled`].
pub fn smallest_set(
    problem: &Problem,
    model: &Model,
    branches: &Branches,
    capacity: i32,
    nodes: u64,
    reporter: &mut Reporter,
) -> Result<Set, PlanError> {
    let bytes = model.bytes(capacity);
    let mut ids = start(model, capacity);
    let (mut left, mut irreducible) = (nodes, true);
    let mut group = ids.len().div_ceil(2);
    'groups: while group > 0 {
        irreducible = true;
        let mut from = 0;
        while from < ids.len() {
            let to = (from + group).min(ids.len());
            let rest: Vec<BufferId> = ids[..from].iter().chain(&ids[to..]).copied().collect();
            if reporter.pulse(nodes).is_break() {
                return Err(PlanError::Cancelled);
            }
            if left == 0 {
                irreducible = false;
                break 'groups;
            }
            match fits(problem, &rest, branches, bytes, left / 16 + 1, &mut left) {
                Some(false) => ids = rest,
                Some(true) => from = to,
                None => {
                    irreducible = false;
                    from = to;
                }
            }
        }
        group = if group == 1 { 0 } else { group.div_ceil(2) };
    }
    ids.sort_unstable();
    Ok(Set { ids, irreducible })
}

/// The buffers of a section that is too full, of two stated positions too high, or all.
fn start(model: &Model, capacity: i32) -> Vec<BufferId> {
    let mut items: Vec<u32> = (0..model.items.len() as u32).collect();
    let high = items.iter().find(|&&index| {
        let item = &model.items[index as usize];
        item.fixed.unwrap_or(0) + item.size > capacity
    });
    if let Some(&index) = high {
        return vec![model.items[index as usize].id];
    }
    let full = (0..model.loads.len()).find(|&section| model.loads[section] > capacity);
    if let Some(section) = full {
        items = model.sections.of(section as u32).iter().map(|member| member.item).collect();
    }
    // Small ones first: a proof most often needs the large ones.
    items.sort_by_key(|&index| (model.items[index as usize].size, index));
    items.into_iter().map(|index| model.items[index as usize].id).collect()
}

/// Whether these buffers have a plan, if that can be found out with so many nodes.
fn fits(
    problem: &Problem,
    ids: &[BufferId],
    branches: &Branches,
    bytes: u64,
    nodes: u64,
    left: &mut u64,
) -> Option<bool> {
    let model = Model::new(problem, ids, branches).ok()?;
    // Many buffers take their time even before they are searched.
    *left -= (model.neighbours.entries() as u64 / 16).min(*left);
    let mut silent = Silent;
    let mut reporter = Reporter::new(&mut silent, &model, memplan_core::problem::MemoryId(0), None, Limits::default());
    let mut search = Search::new(&model);
    let capacity = (bytes / model.unit).min(i32::MAX as u64 / 2) as i32;
    let found = search.decide(capacity, nodes.min(*left), &mut reporter);
    *left -= search.nodes.min(*left);
    match found {
        Found::Plan(_) => Some(true),
        Found::Nothing if model.complete => Some(false),
        _ => None,
    }
}
