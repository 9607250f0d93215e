//! What each lever does alone, and why it does no more.

use std::collections::BTreeSet;

use super::finish::Nets;
use super::free::{SideBySide, fullest};
use super::instance::{Bounds, Lever, Request};
use super::order::{best, is_chain, precedence};
use super::record::{LeverRecord, PriceRecord, Why};
use super::search::Search;
use super::stripes::Ranges;
use crate::transform::{Merged, Net, Price, RowRule, in_parts, refused_parts, views};
use memplan_core::base::{Id, Message};
use memplan_core::graph::{Graph, NodeId};

/// Most operators of a graph on which every lever is tried alone whatever time that takes.
const MOST: usize = 400;

/// Seconds beyond those of the search for levers that it left no time for.
pub const LADDER_SECONDS: f64 = 0.3;

/// A graph of which is told what each lever does alone.
#[derive(Clone, PartialEq, Debug)]
pub struct Ladder {
    /// The graph as it is.
    pub original: Graph,
    /// The graph with the views of the answer.
    pub viewed: Graph,
    /// Bytes of the fullest step as it is.
    pub before: u64,
    /// Multiplications of all operators.
    pub graph_macs: u64,
}

impl Ladder {
    /// What each lever reaches alone. Levers that cost are tried on a small graph only, and as long
    /// as there is time.
    ///
    /// # Errors
    /// A graph without sizes.
    pub fn rows(&self, request: &Request, stop: &dyn Fn() -> bool) -> Result<Vec<LeverRecord>, Message> {
        let is_small = self.viewed.nodes.len() <= MOST;
        let tries = Tries::of(self, request)?;
        let mut nets = Nets::new(request);
        Lever::ALL.into_iter().map(|lever| tries.row(lever, &mut nets, is_small, stop)).collect()
    }

    /// Tries the levers that were not tried, on a graph of any size, as long as there is time.
    ///
    /// # Errors
    /// A graph without sizes.
    pub fn complete(
        &self,
        rows: &mut [LeverRecord],
        request: &Request,
        stop: &dyn Fn() -> bool,
    ) -> Result<(), Message> {
        if rows.iter().all(|row| row.peak.is_some()) {
            return Ok(());
        }
        let tries = Tries::of(self, request)?;
        let mut nets = Nets::new(request);
        for (row, lever) in rows.iter_mut().zip(Lever::ALL).filter(|(row, _)| row.peak.is_none()) {
            *row = tries.row(lever, &mut nets, true, stop)?;
        }
        Ok(())
    }
}

/// What is tried, with what several levers need.
struct Tries<'a> {
    ladder: &'a Ladder,
    request: &'a Request,
    capacity: u64,
    /// The graph with views and concatenations in parts.
    named: Graph,
    /// Concatenations that copy, with the key of the reason.
    refused: Vec<(NodeId, &'static str)>,
}

impl<'a> Tries<'a> {
    fn of(ladder: &'a Ladder, request: &'a Request) -> Result<Tries<'a>, Message> {
        let plain = Request { allow: [Lever::Planner].into(), ..request.clone() };
        let viewed = views(&ladder.viewed);
        let align = request.scope.align;
        Ok(Tries {
            ladder,
            request,
            capacity: request.available()?,
            named: SideBySide::of(&in_parts(&viewed, align), &plain)?.graph,
            refused: refused_parts(&viewed, align),
        })
    }

    fn row<'t>(
        &'t self,
        lever: Lever,
        nets: &mut Nets<'t>,
        may_try: bool,
        stop: &dyn Fn() -> bool,
    ) -> Result<LeverRecord, Message> {
        let Ladder { original, viewed, before, graph_macs } = self.ladder;
        let request = self.request;
        let alone = Request { allow: [Lever::Planner, lever].into(), limits: Bounds::default(), ..request.clone() };
        let nothing = PriceRecord::of(&Price::default(), *graph_macs);
        let mut row = LeverRecord { lever: lever.name().to_string(), price: nothing.clone(), ..LeverRecord::default() };
        let graph = match lever {
            Lever::Views => &self.named,
            Lever::Order => original,
            _ => viewed,
        };
        let (net, merged) = nets.read(graph, alone.has(Lever::InPlace))?;
        let may_try = may_try && !stop();
        match lever {
            Lever::Planner | Lever::InPlace | Lever::Views => row.peak = Some(fullest(&merged)),
            Lever::Order => {
                // Alone: no output takes over an input, and every copy is made.
                let needs = precedence(graph, net);
                if is_chain(&needs) {
                    row.peak = Some(*before);
                    row.reason = Some(Why::new("fit.one-order", &[]));
                } else {
                    row.peak = best(net, &needs, false, stop).map(|found| found.peak.min(*before));
                }
            }
            Lever::Bank | Lever::Spill if request.budget.memories.len() < 2 => {
                row.peak = Some(*before);
                row.reason = Some(Why::new("fit.one-memory", &[]));
            }
            Lever::Stripes if may_try => {
                let mut ranges = Ranges::new(net, &merged);
                let order = |price: &Price, moves| request.prefer.key(price, moves);
                let least = ranges.least(stop);
                if let Some(way) = least.and_then(|least| ranges.cheapest(least.max(self.capacity), &order, stop)) {
                    row.peak = Some(way.peak(&merged.load));
                    row.price = PriceRecord::of(&way.price, *graph_macs);
                }
            }
            Lever::Bank | Lever::Spill | Lever::Recompute if may_try => {
                let search = Search { request: &alone, capacity: self.capacity, graph_macs: *graph_macs, stop };
                if let Some((peak, price)) = search.greedy(graph)? {
                    row.peak = Some(peak);
                    row.price = PriceRecord::of(&price, *graph_macs);
                }
            }
            Lever::Bank | Lever::Spill | Lever::Recompute | Lever::Stripes => {}
        }
        if row.reason.is_none() && row.peak == Some(*before) && row.price == nothing {
            let copy = self.refused.first().filter(|_| lever == Lever::Views);
            let copy = copy.map(|&(id, key)| Why::new(key, &[("name", viewed.nodes[id].name.clone())]));
            let why = copy.or_else(|| idle(lever, graph, net, &merged));
            row.reason = Some(why.unwrap_or_else(|| Why::new("fit.saves-nothing", &[])));
        }
        Ok(row)
    }
}

/// Why a lever saves nothing alone, if that can be said in a word.
fn idle(lever: Lever, graph: &Graph, net: &Net, merged: &Merged) -> Option<Why> {
    let step = (0..merged.load.len()).rev().max_by_key(|&step| merged.load[step])?;
    // A graph without operators has loads all the same.
    let op = net.ops.get(step)?;
    let operands: BTreeSet<usize> = op.reads.iter().chain(&op.makes).flat_map(|&at| net.holders(merged, at)).collect();
    let is_alive = |at: &usize| merged.life[*at].0 <= step && step < merged.life[*at].1 && net.bytes[*at] > 0;
    let has_resting = (0..merged.life.len()).filter(is_alive).any(|at| !operands.contains(&at));
    let name = ("name", graph.nodes[NodeId::from_index(step)].name.clone());
    match lever {
        Lever::Planner => Some(Why::new("fit.idle-planner", &[name])),
        Lever::InPlace => Some(Why::new("fit.idle-inplace", &[("count", merged.pairs.len().to_string()), name])),
        Lever::Views => Some(Why::new("fit.idle-views", &[])),
        Lever::Spill | Lever::Recompute if !has_resting => Some(Why::new("fit.idle-operands", &[name])),
        Lever::Stripes => match op.rule {
            RowRule::Pinned(key) => Some(Why::new(key, &[name])),
            _ => None,
        },
        Lever::Order | Lever::Bank | Lever::Spill | Lever::Recompute => None,
    }
}
