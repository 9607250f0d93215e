//! What the levers that cost nothing give.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::change::GraphChange;
use super::finish::{Nets, read};
use super::instance::{Lever, Request};
use super::order::{Found, best, is_chain, precedence};
use super::record::{MoveRecord, Peaks, Why};
use super::viewed::Viewed;
use crate::transform::{Merged, Net, apart, in_parts, refused_parts, run_order};
use memplan_core::base::{Id, Message};
use memplan_core::graph::{Graph, NodeId, TensorId};
use memplan_core::problem::stated_parts;

/// Key of what is told of concatenations in parts.
pub const PARTS: &str = "fit.move-parts";

/// What the free levers give.
pub struct Free {
    /// The graph in the order that was chosen.
    pub graph: Graph,
    /// The same with every concatenation in parts that may be so in some order: what bounds are
    /// told of.
    pub wide: Graph,
    /// The graph in its own order.
    first: Graph,
    /// The storages of the widest graph, with what another choice of views allows: what bounds are
    /// told of.
    pub bounds: Net,
    /// Whether the order is another than that of the file.
    pub is_reordered: bool,
    /// The search over orders, if it ended.
    pub orders: Option<Found>,
    /// Operators that must run before each one.
    pub before: Vec<BTreeSet<usize>>,
    /// Whether no other order is possible or allowed.
    pub is_single: bool,
    /// Concatenations that copy, with the key of the reason; nothing unless views are allowed.
    pub refused: Vec<(String, &'static str)>,
    /// See [`Viewed::joins`].
    pub joins: BTreeSet<usize>,
}

/// The largest load.
pub fn fullest(merged: &Merged) -> u64 {
    merged.load.iter().copied().max().unwrap_or(0)
}

/// A graph in which those concatenations copy that in its order gain nothing in parts.
pub struct SideBySide {
    /// The graph.
    pub graph: Graph,
    /// The largest load of it.
    peak: u64,
    /// The storages of the graph in which none of them copies.
    wide: Net,
}

impl SideBySide {
    /// Reads a graph, and lets concatenations copy until none gains nothing.
    ///
    /// # Errors
    /// A graph without sizes.
    pub fn of(wide: &Graph, request: &Request) -> Result<SideBySide, Message> {
        let (wide_net, mut merged) = read(wide, request)?;
        let (mut graph, mut net) = (wide.clone(), None);
        loop {
            let net_now = net.as_ref().unwrap_or(&wide_net);
            let makers = merged.clashes.iter().filter_map(|&whole| net_now.maker[whole]);
            let joins: Vec<NodeId> = makers.map(NodeId::from_index).collect();
            if joins.is_empty() {
                return Ok(SideBySide { graph, peak: fullest(&merged), wide: wide_net });
            }
            graph = apart(&graph, &joins);
            let (next, of_next) = read(&graph, request)?;
            (net, merged) = (Some(next), of_next);
        }
    }
}

impl Free {
    /// The best order of a graph, and which of its concatenations lie in parts, if any may.
    ///
    /// # Errors
    /// A budget that cannot be used, or a graph without sizes.
    pub fn of(viewed: &Viewed, may_part: bool, request: &Request, stop: &dyn Fn() -> bool) -> Result<Free, Message> {
        let align = request.scope.align;
        let wide = if may_part { in_parts(&viewed.graph, align) } else { viewed.graph.clone() };
        let SideBySide { graph: first, peak, wide: net } = SideBySide::of(&wide, request)?;
        let before = precedence(&wide, &net);
        let loose = |net: Net| Net { loose: viewed.loose.clone(), ..net };
        let mut free = Free {
            graph: first.clone(),
            wide,
            first,
            bounds: loose(net),
            orders: None,
            is_reordered: false,
            is_single: !request.has(Lever::Order) || is_chain(&before),
            before,
            refused: Vec::new(),
            joins: viewed.joins.clone(),
        };
        if request.has(Lever::Order) && peak > request.available()? {
            free.orders = best(&free.bounds, &free.before, request.has(Lever::InPlace), stop);
            if let Some(found) = free.orders.as_ref().filter(|found| found.peak < peak) {
                let wide = run_order(&free.wide, &found.order);
                let moved = SideBySide::of(&wide, request)?;
                // The file's permissions are judged in the new order, and may give less than the
                // search assumed.
                if moved.peak < peak {
                    free.before = precedence(&wide, &moved.wide);
                    free.bounds = loose(moved.wide);
                    (free.graph, free.wide, free.is_reordered) = (moved.graph, wide, true);
                }
            }
            // A proof needs an order that reaches what the search found.
            let reached = free.orders.is_some().then(|| fullest(&free.bounds.relaxed(request.has(Lever::InPlace))));
            free.orders = free.orders.filter(|found| Some(found.peak) == reached);
        }
        if request.has(Lever::Views) {
            let name = |id: NodeId| free.wide.nodes[id].name.clone();
            free.refused = refused_parts(&free.wide, align).into_iter().map(|(id, key)| (name(id), key)).collect();
            let clash = |id: &NodeId| free.wide.nodes[*id].attrs != free.graph.nodes[*id].attrs;
            let clashes: Vec<NodeId> = free.wide.nodes.ids().filter(clash).collect();
            free.refused.extend(clashes.into_iter().map(|id| (name(id), "fit.parts-order")));
        }
        Ok(free)
    }

    /// What of it lowers the largest load, one lever after the other; concatenations in parts in
    /// any case, since the changed graph has them. `viewed` is the graph before anything but views,
    /// `before` the load of the graph as it is.
    ///
    /// # Errors
    /// A graph without sizes.
    pub fn moves(
        &self,
        viewed: &Graph,
        request: &Request,
        before: u64,
    ) -> Result<Vec<(MoveRecord, GraphChange)>, Message> {
        let mut nets = Nets::new(request);
        let in_place = request.has(Lever::InPlace);
        let views = (Lever::Views, "fit.move-views", viewed, false);
        let order = (Lever::Order, "fit.move-order", &self.graph, in_place);
        let is_lower = fullest(&nets.read(&self.first, false)?.1) < fullest(&nets.read(viewed, false)?.1);
        // What lies in a concatenation comes before or after what lies in place: whichever way it
        // lowers the load.
        let rest = match is_lower {
            true => {
                [(Lever::Views, PARTS, &self.first, false), (Lever::InPlace, "fit.move-inplace", &self.first, in_place)]
            }
            false => {
                [(Lever::InPlace, "fit.move-inplace", viewed, in_place), (Lever::Views, PARTS, &self.first, in_place)]
            }
        };
        let levers = [views].into_iter().chain(rest).chain([order]);
        let (mut peak, mut found) = (before, Vec::new());
        for (lever, key, graph, in_place) in levers.filter(|(lever, ..)| request.has(*lever)) {
            let merged = nets.read(graph, in_place)?.1;
            let after = fullest(&merged);
            let has_parts = key == PARTS && graph.nodes.iter().any(|node| stated_parts(node).is_some());
            if after >= peak && !has_parts {
                continue;
            }
            let name = |tensor: TensorId| graph.tensors[tensor].name.clone();
            let tensors: Vec<String> = match lever {
                Lever::InPlace => merged.pairs.iter().map(|&(.., output)| name(TensorId::from_index(output))).collect(),
                Lever::Views if key == PARTS => {
                    let joins = graph.nodes.iter().filter(|node| stated_parts(node).is_some());
                    joins.flat_map(|node| node.results().iter().map(|&output| name(output))).collect()
                }
                _ => Vec::new(),
            };
            let count = [("count", tensors.len().to_string())];
            let move_record = MoveRecord {
                lever: lever.name().to_string(),
                peak: Peaks { before: peak, after: peak.min(after) },
                why: Why::new(key, if tensors.is_empty() { &[] } else { &count }),
                tensors,
                ..MoveRecord::default()
            };
            found.push((move_record, GraphChange::Free(Rc::new(graph.clone()), in_place)));
            peak = peak.min(after);
        }
        Ok(found)
    }
}
