//! What each lever does alone, and why it does no more.

use std::collections::BTreeSet;

use super::finish::Nets;
use super::free::side_by_side;
use super::instance::{Bounds, Lever, Request};
use super::order::{best, is_chain, precedence};
use super::record::{LeverRecord, PriceRecord, Why};
use super::search::Search;
use super::stripes::Ranges;
use crate::base::{Id, Message};
use crate::graph::{Graph, NodeId};
use crate::transform::{Merged, Net, Price, RowRule, in_parts, refused_parts, views};

/// Most operators of a graph on which every lever is tried alone.
const MOST: usize = 400;

/// What each lever reaches alone, of a graph whose fullest step has `before` bytes and whose
/// operators `total` multiplications. The graph comes as it is, and with the views of the answer.
///
/// # Errors
/// A graph without sizes.
pub fn ladder(
    (original, graph): (&Graph, &Graph),
    request: &Request,
    (before, total): (u64, u64),
    stop: &dyn Fn() -> bool,
) -> Result<Vec<LeverRecord>, Message> {
    let mut rows = Vec::new();
    let mut nets = Nets::new(request);
    let capacity = request.available()?;
    let plain = Request { allow: [Lever::Planner].into(), ..request.clone() };
    let viewed = views(graph);
    let named = side_by_side(&in_parts(&viewed, request.scope.align), &plain)?;
    let refused = refused_parts(&viewed, request.scope.align);
    for lever in Lever::ALL {
        let alone = Request { allow: [Lever::Planner, lever].into(), limits: Bounds::default(), ..request.clone() };
        let nothing = PriceRecord::of(&Price::default(), total);
        let mut row = LeverRecord { lever: lever.name().to_string(), price: nothing.clone(), ..LeverRecord::default() };
        let graph = match lever {
            Lever::Views => &named,
            Lever::Order => original,
            _ => graph,
        };
        let (net, merged) = nets.read(graph, alone.has(Lever::InPlace))?;
        let reached = merged.load.iter().copied().max().unwrap_or(0);
        let is_small = net.ops.len() <= MOST && !stop();
        match lever {
            Lever::Planner | Lever::InPlace | Lever::Views => row.peak = Some(reached),
            Lever::Order => {
                // Alone: no output takes over an input, and every copy is made.
                let needs = precedence(graph, net);
                if is_chain(&needs) {
                    row.peak = Some(before);
                    row.reason = Some(Why::new("fit.one-order", &[]));
                } else {
                    row.peak = best(net, &needs, false, stop).map(|found| found.peak.min(before));
                }
            }
            Lever::Bank | Lever::Spill if request.budget.memories.len() < 2 => {
                row.peak = Some(before);
                row.reason = Some(Why::new("fit.one-memory", &[]));
            }
            Lever::Stripes if is_small => {
                let mut ranges = Ranges::new(net, &merged);
                let order = |price: &Price, moves| request.prefer.key(price, moves);
                let least = ranges.least(stop);
                if let Some(way) = least.and_then(|least| ranges.cheapest(least.max(capacity), &order, stop)) {
                    row.peak = Some(way.peak(&merged.load));
                    row.price = PriceRecord::of(&way.price, total);
                }
            }
            Lever::Bank | Lever::Spill | Lever::Recompute if is_small => {
                let search = Search { request: &alone, capacity, total, stop };
                let (peak, price) = search.greedy(graph)?;
                row.peak = Some(peak);
                row.price = PriceRecord::of(&price, total);
            }
            Lever::Bank | Lever::Spill | Lever::Recompute | Lever::Stripes => {}
        }
        if row.reason.is_none() && row.peak == Some(before) && row.price == nothing {
            let copy = refused.first().filter(|_| lever == Lever::Views);
            let copy = copy.map(|&(id, key)| Why::new(key, &[("name", graph.nodes[id].name.clone())]));
            let why = copy.or_else(|| idle(lever, graph, net, &merged));
            row.reason = Some(why.unwrap_or_else(|| Why::new("fit.saves-nothing", &[])));
        }
        rows.push(row);
    }
    Ok(rows)
}

/// Why a lever saves nothing alone, if that can be said in a word.
fn idle(lever: Lever, graph: &Graph, net: &Net, merged: &Merged) -> Option<Why> {
    let step = (0..merged.load.len()).rev().max_by_key(|&step| merged.load[step])?;
    let op = &net.ops[step];
    let operands: BTreeSet<usize> = op.reads.iter().chain(&op.makes).flat_map(|&at| net.holders(merged, at)).collect();
    let is_alive = |at: &usize| merged.life[*at].0 <= step && step < merged.life[*at].1 && net.bytes[*at] > 0;
    let rests = (0..merged.life.len()).filter(is_alive).any(|at| !operands.contains(&at));
    let name = ("name", graph.nodes[NodeId::from_index(step)].name.clone());
    match lever {
        Lever::Planner => Some(Why::new("fit.idle-planner", &[name])),
        Lever::InPlace => Some(Why::new("fit.idle-inplace", &[("count", merged.pairs.len().to_string()), name])),
        Lever::Views => Some(Why::new("fit.idle-views", &[])),
        Lever::Spill | Lever::Recompute if !rests => Some(Why::new("fit.idle-operands", &[name])),
        Lever::Stripes => match op.rule {
            RowRule::Pinned(key) => Some(Why::new(key, &[name])),
            _ => None,
        },
        Lever::Order | Lever::Bank | Lever::Spill | Lever::Recompute => None,
    }
}
