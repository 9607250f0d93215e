//! Why a budget is out of reach: figures that a reader can add up, and that [`super::verify`] computes again.

use super::free::Free;
use super::instance::{Lever, Request};
use super::order::{Found, is_chain};
use super::record::{CertificateRecord, Edge, Refusal, StorageRecord, Why};
use super::stripes::Ranges;
use crate::base::Id;
use crate::graph::{NodeId, TensorId};
use crate::transform::{Merged, Net, RowRule};

/// What is known of the free levers.
pub struct Known<'a> {
    /// What they give.
    pub free: &'a Free,
    /// The storages of its widest graph.
    pub net: &'a Net,
    /// What of them is one in the most favourable choice.
    pub merged: &'a Merged,
}

fn tensor(known: &Known, at: usize) -> String {
    known.free.wide.tensors[TensorId::from_index(at)].name.clone()
}

fn node(known: &Known, step: usize) -> String {
    known.free.wide.nodes[NodeId::from_index(step)].name.clone()
}

fn levers(request: &Request) -> Vec<String> {
    request.allow.iter().map(|lever| lever.name().to_string()).collect()
}

/// The strongest reason why no answer is within `capacity`; none if none is known. `stop` ends the search for one of stripes.
pub fn certify(request: &Request, known: &Known, capacity: u64, stop: &dyn Fn() -> bool) -> Option<CertificateRecord> {
    let has = |lever| request.has(lever);
    let slower = request.budget.memories.len() > 1;
    let (spills, banks) = (has(Lever::Spill) && slower, has(Lever::Bank) && slower);
    let rests = spills || has(Lever::Recompute);
    let is_fixed = !has(Lever::Order) || is_chain(&known.free.before);
    if banks {
        return None;
    }
    if has(Lever::Stripes) {
        if !rests && is_fixed {
            return stripes(request, known, capacity, stop);
        }
        return operator(request, known, capacity, (true, spills));
    }
    if rests {
        return operator(request, known, capacity, (false, spills));
    }
    if !has(Lever::Order) {
        return Some(load(request, known, "load", None)).filter(|found| found.bound > capacity);
    }
    match &known.free.orders {
        Some(found) => Some(load(request, known, "orders", Some(found))).filter(|found| found.bound > capacity),
        None => operator(request, known, capacity, (false, spills)),
    }
}

/// The first step of the largest load, with everything that is alive there.
fn load(request: &Request, known: &Known, kind: &str, found: Option<&Found>) -> CertificateRecord {
    let merged = known.merged;
    let step = (0..merged.load.len()).rev().max_by_key(|&step| merged.load[step]).unwrap_or(0);
    let op = known.net.ops.get(step);
    let mut storages = Vec::new();
    for (at, &(start, end)) in merged.life.iter().enumerate() {
        if start <= step && step < end && known.net.bytes[at] > 0 {
            let is = |list: &[usize]| list.iter().any(|&used| known.net.holders(merged, used).contains(&at));
            let role = match op {
                Some(op) if is(&op.reads) => "read",
                Some(op) if is(&op.makes) => "made",
                _ => "resting",
            };
            storages.push(StorageRecord { name: tensor(known, at), bytes: known.net.bytes[at], role: role.into() });
        }
    }
    CertificateRecord {
        levers: levers(request),
        kind: kind.to_string(),
        bound: merged.load.get(step).copied().unwrap_or(0),
        op: known.free.wide.nodes.iter().nth(step).map(|node| node.name.clone()).unwrap_or_default(),
        storages,
        refusals: refusals(request, known, step),
        ideals: found.map(|found| found.ideals),
        ..CertificateRecord::default()
    }
}

fn refusals(request: &Request, known: &Known, step: usize) -> Vec<Refusal> {
    let Some(op) = known.net.ops.get(step) else { return Vec::new() };
    let plain = known.net.plain();
    let pairs = op.pairs.iter().filter(|_| request.has(Lever::InPlace));
    let refused = pairs.filter_map(|&(input, output)| {
        let key = known.net.refusal(&plain, step, (input, output))?;
        let args = [("input", tensor(known, input)), ("output", tensor(known, output))];
        Some(Refusal { lever: Lever::InPlace.name().into(), why: Why::new(key, &args) })
    });
    let name = node(known, step);
    let copies = known.free.refused.iter().filter(|(join, _)| *join == name);
    let copies = copies
        .map(|(_, key)| Refusal { lever: Lever::Views.name().into(), why: Why::new(key, &[("name", name.clone())]) });
    refused.chain(copies).collect()
}

/// The operator whose own storages are too many, of those that no allowed change relieves: in stripes those that run whole, and
/// with spills not counting what may lie on a graph input that came back.
fn operator(
    request: &Request,
    known: &Known,
    capacity: u64,
    (is_striped, spills): (bool, bool),
) -> Option<CertificateRecord> {
    let merges = request.has(Lever::InPlace);
    let bytes = |step: usize| {
        known
            .net
            .working_set(step, merges, spills)
            .iter()
            .map(|(at, _)| known.net.bytes[*at])
            .fold(0, u64::saturating_add)
    };
    let is_whole = |step: &usize| !is_striped || matches!(known.net.ops[*step].rule, RowRule::Pinned(_));
    let step = (0..known.net.ops.len()).filter(is_whole).rev().max_by_key(|&step| bytes(step))?;
    let set = known.net.working_set(step, merges, spills);
    let storage = |&(at, is_made): &(usize, bool)| StorageRecord {
        name: tensor(known, at),
        bytes: known.net.bytes[at],
        role: if is_made { "made" } else { "read" }.to_string(),
    };
    let mut refused = refusals(request, known, step);
    if let (true, RowRule::Pinned(key)) = (is_striped, known.net.ops[step].rule) {
        let why = Why::new(key, &[("name", node(known, step))]);
        refused.push(Refusal { lever: Lever::Stripes.name().to_string(), why });
    }
    (bytes(step) > capacity).then(|| CertificateRecord {
        levers: levers(request),
        kind: "operator".to_string(),
        bound: bytes(step),
        op: node(known, step),
        storages: set.iter().filter(|(at, _)| known.net.bytes[*at] > 0).map(storage).collect(),
        refusals: refused,
        ..CertificateRecord::default()
    })
}

/// Most operators of a graph whose ranges are all listed.
const MOST: usize = 2000;

fn stripes(request: &Request, known: &Known, capacity: u64, stop: &dyn Fn() -> bool) -> Option<CertificateRecord> {
    if known.net.ops.len() > MOST {
        return operator(request, known, capacity, (true, false));
    }
    let mut ranges = Ranges::new(known.net, known.merged);
    let Some(bound) = ranges.least(stop) else { return operator(request, known, capacity, (true, false)) };
    if bound <= capacity {
        return None;
    }
    let (reached, leaving) = ranges.closed(capacity);
    let edge =
        |&(first, last, peak): &(usize, usize, u64)| Edge { first: node(known, first), last: node(known, last), peak };
    let op = reached.last().copied().filter(|&at| at < known.net.ops.len()).map(|at| node(known, at));
    Some(CertificateRecord {
        levers: levers(request),
        kind: "stripes".to_string(),
        bound,
        op: op.unwrap_or_default(),
        reached: reached.into_iter().map(|at| at as u64).collect(),
        edges: leaving.iter().map(edge).collect(),
        ..CertificateRecord::default()
    })
}
