//! Why a budget is out of reach: figures that a reader can add up, and that [`super::verify()`]
//! computes again.

use std::collections::BTreeSet;

use super::free::Free;
use super::instance::{Lever, Request, StoredIn};
use super::order::{Found, is_chain};
use super::record::{CertificateRecord, Edge, Refusal, StorageRecord, Why};
use super::single::may_lie_in;
use super::stripes::Ranges;
use crate::transform::{Merged, Net, RowRule};
use memplan_core::base::{Id, Message};
use memplan_core::graph::{NodeId, TensorId};

/// What the free levers give, read once.
struct Known<'a> {
    free: &'a Free,
    /// The storages of its widest graph.
    net: &'a Net,
    /// What of them is one in the most favourable choice.
    merged: Merged,
}

impl Known<'_> {
    fn of<'a>(free: &'a Free, request: &Request) -> Known<'a> {
        Known { free, net: &free.bounds, merged: free.bounds.relaxed(request.has(Lever::InPlace)) }
    }

    /// The inputs of a concatenation that another choice of views makes in it; none of any other
    /// storage.
    fn inside(&self, at: usize) -> &[usize] {
        match self.net.maker[at] {
            Some(maker) if self.free.joins.contains(&at) => &self.net.ops[maker].operands,
            _ => &[],
        }
    }
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

/// Whether storages may leave the fast memory and come back.
fn spills(request: &Request) -> bool {
    request.has(Lever::Spill) && request.budget.memories.len() > 1
}

/// Kinds of certificates that hold for these levers, the strongest first. `own` is the graph in its
/// own order.
fn kinds(request: &Request, own: &Free) -> &'static [&'static str] {
    let has = |lever| request.has(lever);
    let rests = spills(request) || has(Lever::Recompute);
    let is_fixed = !has(Lever::Order) || is_chain(&own.before);
    match () {
        () if has(Lever::Bank) && request.budget.memories.len() > 1 => &["memories"],
        // Which of their inputs lie in them is open, and so is what else is alive.
        () if !own.joins.is_empty() => &["operator"],
        () if has(Lever::Stripes) && !rests && is_fixed => &["stripes", "operator"],
        () if has(Lever::Stripes) || rests => &["operator"],
        () if !has(Lever::Order) => &["load"],
        () => &["orders", "operator"],
    }
}

/// The strongest reason why no answer is within `capacity`; none if none is known. `found` has what
/// the search over orders gave, and `own` the graph in its own order. `stop` ends the search for
/// one of stripes.
///
/// # Errors
/// A graph without sizes.
pub fn certify(
    request: &Request,
    (found, own): (&Free, &Free),
    capacity: u64,
    stop: &dyn Fn() -> bool,
) -> Result<Option<CertificateRecord>, Message> {
    for kind in kinds(request, own) {
        let free = if *kind == "orders" { found } else { own };
        if let Some(found) = of_kind(kind, request, free, capacity, stop)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// The certificate of a kind, computed again to its end; none if that kind proves nothing with
/// these levers. `found` gives what the search over orders finds.
///
/// # Errors
/// A graph without sizes.
pub fn certified(
    kind: &str,
    request: &Request,
    own: &Free,
    found: &dyn Fn() -> Result<Free, Message>,
    capacity: u64,
) -> Result<Option<CertificateRecord>, Message> {
    match kind {
        kind if !kinds(request, own).contains(&kind) => Ok(None),
        "orders" => of_kind(kind, request, &found()?, capacity, &|| false),
        kind => of_kind(kind, request, own, capacity, &|| false),
    }
}

fn of_kind(
    kind: &str,
    request: &Request,
    free: &Free,
    capacity: u64,
    stop: &dyn Fn() -> bool,
) -> Result<Option<CertificateRecord>, Message> {
    let known = Known::of(free, request);
    let found = match kind {
        "load" => Some(load(request, &known, kind, None)),
        "orders" => free.orders.as_ref().map(|found| load(request, &known, kind, Some(found))),
        "stripes" => stripes(request, &known, capacity, stop),
        "memories" => memories(request, &known),
        _ => operator(request, &known),
    };
    Ok(found.filter(|found| found.bound > capacity))
}

/// The first step of the largest load, with everything that is alive there.
fn load(request: &Request, known: &Known, kind: &str, found: Option<&Found>) -> CertificateRecord {
    let merged = &known.merged;
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
    let is_asked = |&&(_, output): &&(usize, usize)| request.has(Lever::InPlace) && !known.net.loose.contains(&output);
    let pairs = op.pairs.iter().filter(is_asked);
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

/// The operator whose own storages are too many, of those that no allowed change relieves: in
/// stripes those that run whole, and with spills not counting what may lie on a graph input that
/// came back.
fn operator(request: &Request, known: &Known) -> Option<CertificateRecord> {
    let step = whole_steps(request, known).rev().max_by_key(|&step| bytes(known, &own(request, known, step)))?;
    Some(of_operator(request, known, "operator", step, &own(request, known, step)))
}

/// The operator whose own storages are too many for all memories together, or of which too many may
/// lie in no slower one. Which storages rest where is not known, so that only those of one operator
/// count.
fn memories(request: &Request, known: &Known) -> Option<CertificateRecord> {
    let (net, slower) = (&known.net, request.budget.memories.get(1..)?);
    let elsewhere = slower.iter().map(|memory| memory.size).fold(0, u64::saturating_add);
    let scratch: BTreeSet<usize> = net.ops.iter().filter_map(|op| op.scratch).collect();
    let uses = net.uses(&net.plain());
    // What comes back, is made again or runs in stripes may be another storage at another operator.
    let is_one = !request.has(Lever::Stripes) && !spills(request) && !request.has(Lever::Recompute);
    // A name of it may be a copy, which lies elsewhere.
    let named: BTreeSet<usize> = match request.has(Lever::Views) {
        true => net.root.iter().enumerate().filter(|&(at, &root)| at != root).map(|(_, &root)| root).collect(),
        false => BTreeSet::new(),
    };
    let staying = |step: usize| {
        let stays = |&(at, _): &(usize, bool)| {
            let uses = if is_one && !named.contains(&at) { &uses[at][..] } else { &[step] };
            let may_leave = |memory: &StoredIn| may_lie_in(&known.free.wide, uses, &memory.name);
            scratch.contains(&at) || !slower.iter().any(may_leave)
        };
        own(request, known, step).into_iter().filter(stays).collect::<Vec<_>>()
    };
    let most = |step: usize| {
        let all = bytes(known, &own(request, known, step)).saturating_sub(elsewhere);
        (all.max(bytes(known, &staying(step))), all)
    };
    let (step, (bound, all)) =
        whole_steps(request, known).map(|step| (step, most(step))).rev().max_by_key(|one| one.1.0)?;
    if bound > all {
        return Some(of_operator(request, known, "memories", step, &staying(step)));
    }
    let found = of_operator(request, known, "memories", step, &own(request, known, step));
    Some(CertificateRecord { bound, elsewhere, ..found })
}

/// What an operator reads and makes, and whether it makes it.
type Own = [(usize, bool)];

fn own(request: &Request, known: &Known, step: usize) -> Vec<(usize, bool)> {
    let mut set = known.net.working_set(step, request.has(Lever::InPlace), spills(request));
    // What a concatenation may be made of is no more than that.
    let joined: BTreeSet<usize> = set.iter().flat_map(|&(at, _)| known.inside(at)).copied().collect();
    set.retain(|(at, _)| !joined.contains(at));
    set
}

fn bytes(known: &Known, set: &Own) -> u64 {
    known.net.sum(set.iter().map(|&(at, _)| at))
}

/// The operators that stripes do not divide.
fn whole_steps<'a>(request: &'a Request, known: &'a Known) -> impl DoubleEndedIterator<Item = usize> + 'a {
    let is_striped = request.has(Lever::Stripes);
    let is_whole = move |step: &usize| !is_striped || matches!(known.net.ops[*step].rule, RowRule::Pinned(_));
    (0..known.net.ops.len()).filter(is_whole)
}

/// A certificate of an operator whose storages in `set` add up to the bound.
fn of_operator(request: &Request, known: &Known, kind: &str, step: usize, set: &Own) -> CertificateRecord {
    let storage = |&(at, is_made): &(usize, bool)| StorageRecord {
        name: tensor(known, at),
        bytes: known.net.bytes[at],
        role: if is_made { "made" } else { "read" }.to_string(),
    };
    let mut refused = refusals(request, known, step);
    if let (true, RowRule::Pinned(key)) = (request.has(Lever::Stripes), known.net.ops[step].rule) {
        let why = Why::new(key, &[("name", node(known, step))]);
        refused.push(Refusal { lever: Lever::Stripes.name().to_string(), why });
    }
    CertificateRecord {
        levers: levers(request),
        kind: kind.to_string(),
        bound: bytes(known, set),
        op: node(known, step),
        storages: set.iter().filter(|(at, _)| known.net.bytes[*at] > 0).map(storage).collect(),
        refusals: refused,
        ..CertificateRecord::default()
    }
}

/// Most operators of a graph whose ranges are all listed.
const MOST: usize = 2000;

fn stripes(request: &Request, known: &Known, capacity: u64, stop: &dyn Fn() -> bool) -> Option<CertificateRecord> {
    if known.net.ops.len() > MOST {
        return None;
    }
    let mut ranges = Ranges::new(known.net, &known.merged);
    let bound = ranges.least(stop).filter(|bound| *bound > capacity)?;
    let (reached, leaving) = ranges.reachable(capacity);
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
