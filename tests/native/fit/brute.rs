//! Every choice tried: orders, stripes, and concatenations whose inputs lie in their output.

use std::collections::{BTreeMap, BTreeSet};

use memplan_core::graph::{Attr, Graph, Kind, Node, NodeId, TensorId};
use memplan_core::problem::{Scope, lifetimes, load};
use memplan_fit::transform::{Block, Net, StripeRange, heights, in_place, into_stripes, run_order};

use super::execute::extents;
use super::random::is_impure;

/// The graph with every choice of concatenations whose inputs lie in their output: intermediates,
/// each in one of them, of which none is joined itself. The first joins none.
pub fn joins(graph: &Graph, may_join: bool) -> Vec<Graph> {
    let cats: Vec<NodeId> = graph.nodes.enumerate().filter(|(_, node)| node.op == "cat").map(|(id, _)| id).collect();
    let times = |tensor: &TensorId| cats.iter().filter(|&&cat| graph.nodes[cat].inputs.contains(tensor)).count();
    let is_part = |tensor: &TensorId| {
        let is_made = cats.iter().any(|&cat| graph.nodes[cat].outputs.contains(tensor));
        graph.tensors[*tensor].kind == Kind::Intermediate && times(tensor) == 1 && !is_made
    };
    let mut found = vec![graph.clone()];
    for &cat in cats.iter().filter(|&&cat| may_join && graph.nodes[cat].inputs.iter().all(is_part)) {
        let mut from = 0;
        let mut range = |input: &TensorId| {
            let range = (from, from + extents(graph, *input)[1]);
            from = range.1;
            format!("[{},{}]", range.0, range.1)
        };
        let ranges: Vec<String> = graph.nodes[cat].inputs.iter().map(&mut range).collect();
        for chosen in 0..found.len() {
            let mut joined = found[chosen].clone();
            let attrs = joined.nodes[cat].attrs_mut();
            attrs.insert("parts".into(), Attr::Json(format!("[{}]", ranges.join(","))));
            found.push(joined);
        }
    }
    found
}

/// The largest load of a graph as it is planned, with storage taken over or not.
pub fn largest_load(graph: &Graph, merges: bool) -> u64 {
    let net = Net::of(graph, &Scope::default(), &|_| true).expect("sizes");
    let merged = if merges { net.merged() } else { net.plain() };
    if net.parts.iter().all(|parts| parts.is_empty()) {
        return merged.load.into_iter().max().unwrap_or(0);
    }
    // Bytes between living parts count, too.
    let problem = lifetimes(&in_place(graph, &merged.pairs, &net.root), &Scope::default()).expect("sizes");
    let load = load(&problem, |_| true).max();
    assert!(load >= merged.load.into_iter().max().unwrap_or(0));
    load
}

/// What looks at a choice of ranges in stripes, each with its last operator.
type Judge<'a> = dyn FnMut(&[(Block, usize)]) + 'a;

/// Smallest number of multiplications more of all ways to run ranges in stripes within a capacity,
/// by trying all of them, each with every choice of concatenations in parts.
pub fn cheapest_stripes(graph: &Graph, capacity: u64, may_join: bool) -> Option<u64> {
    let joins = joins(graph, may_join);
    let net = Net::of(graph, &Scope::default(), &|_| true).expect("sizes");
    let merged = net.merged();
    let before = net.macs();
    let mut best: Option<u64> = None;
    let mut chosen: Vec<(Block, usize)> = Vec::new();
    fn walk(
        at: usize,
        chosen: &mut Vec<(Block, usize)>,
        net: &Net,
        ranges: &BTreeMap<(usize, usize), StripeRange>,
        judge: &mut Judge,
    ) {
        if at == net.ops.len() {
            return judge(chosen);
        }
        walk(at + 1, chosen, net, ranges, judge);
        for last in at + 1..net.ops.len() {
            let Some(range) = ranges.get(&(at, last)) else { break };
            for height in heights(range.rows()) {
                if let Some(block) = range.block(height) {
                    chosen.push((block, last));
                    walk(last + 1, chosen, net, ranges, judge);
                    chosen.pop();
                }
            }
        }
    }
    let mut ranges = BTreeMap::new();
    for first in 0..net.ops.len() {
        let alive: Vec<usize> =
            (0..net.bytes.len()).filter(|&at| net.life[at].0 <= first && net.life[at].1 > first).collect();
        for last in first + 1..net.ops.len() {
            let Some(range) = StripeRange::new(&net, &merged, &alive, first, last) else { break };
            ranges.insert((first, last), range);
        }
    }
    walk(0, &mut chosen, &net, &ranges, &mut |chosen| {
        // Rows that nobody reads are not made in stripes; that is no credit for other ranges.
        let macs: u64 = chosen.iter().map(|(block, _)| block.price.macs).sum();
        if best.is_some_and(|best| best <= macs) {
            return;
        }
        let range = |block: &Block| &ranges[&(block.first, block.last)];
        let blocks: Vec<_> =
            chosen.iter().map(|(block, _)| (*block, range(block).schedule(block.height).expect("rows"))).collect();
        let whole: Vec<Vec<bool>> = chosen.iter().map(|(block, _)| range(block).whole().to_vec()).collect();
        let striped = into_stripes(graph, &blocks, &whole);
        let changed = Net::of(&striped, &Scope::default(), &|_| true).expect("sizes");
        assert!(changed.macs() <= before + macs);
        if joins.iter().any(|graph| largest_load(&into_stripes(graph, &blocks, &whole), true) <= capacity) {
            best = Some(macs);
        }
    });
    best
}

/// The smallest largest load of all orders, with and without overwriting and concatenations in
/// parts.
pub fn least_of_orders(graph: &Graph, merges: bool, may_join: bool) -> u64 {
    let mut best = u64::MAX;
    let joins = joins(graph, may_join);
    let mut makers: Vec<BTreeSet<usize>> = {
        let maker: BTreeMap<TensorId, usize> = graph
            .nodes
            .iter()
            .enumerate()
            .flat_map(|(step, node)| node.outputs.iter().map(move |&o| (o, step)))
            .collect();
        let read = |node: &Node| node.inputs.iter().filter_map(|input| maker.get(input).copied()).collect();
        graph.nodes.iter().map(read).collect()
    };
    // Operators that are not pure keep their order.
    let impure: Vec<usize> =
        graph.nodes.iter().enumerate().filter(|(_, node)| is_impure(node)).map(|(step, _)| step).collect();
    for pair in impure.windows(2) {
        makers[pair[1]].insert(pair[0]);
    }
    fn walk(order: &mut Vec<usize>, makers: &[BTreeSet<usize>], judge: &mut dyn FnMut(&[usize])) {
        if order.len() == makers.len() {
            return judge(order);
        }
        for step in 0..makers.len() {
            if !order.contains(&step) && makers[step].iter().all(|maker| order.contains(maker)) {
                order.push(step);
                walk(order, makers, judge);
                order.pop();
            }
        }
    }
    walk(&mut Vec::new(), &makers, &mut |order| {
        let loads = joins.iter().map(|graph| largest_load(&run_order(graph, order), merges));
        best = best.min(loads.min().unwrap_or(0));
    });
    best
}
