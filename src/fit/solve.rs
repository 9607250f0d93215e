//! The question, the answer, and the check of an answer.

use std::rc::Rc;

use super::certificate::{Known, certify};
use super::finish::{Finished, read};
use super::instance::{Bounds, Lever, Request};
use super::order::{best, is_chain, precedence};
use super::record::{
    BudgetRecord, CertificateRecord, FORMAT, FitRecord, HeldRecord, LeverRecord, LimitsRecord, MemoryRecord,
    MoveRecord, PriceRecord, Required, SearchRecord, Why,
};
use super::search::{Search, State};
use super::step::Step;
use super::stripes::Ranges;
use crate::base::{Id, Message};
use crate::export;
use crate::graph::{Attr, Graph, NodeId, TensorId};
use crate::transform::{Merged, Net, Price, RowRule, is_assumed, run_order};

/// An answer with what it made.
#[derive(Clone, PartialEq, Debug)]
pub struct Answer {
    /// The answer in figures.
    pub record: FitRecord,
    /// The changed graph and its plan, if it fits.
    pub finished: Option<Finished>,
    /// Its changes, to be made again.
    pub steps: Vec<Step>,
    /// The graph with what costs nothing.
    base: Graph,
}

/// The cheapest changes by which a graph fits, or why there are none. `stop` ends the search; what was found so far is the answer.
///
/// # Errors
/// A budget that cannot be used, a graph without sizes, or a plan that breaks a rule.
pub fn fit(graph: &Graph, request: &Request, stop: &dyn Fn() -> bool) -> Result<Answer, Message> {
    let capacity = request.available()?;
    let original = request.with_scratch(graph)?;
    let total = read(&original, request)?.0.macs();
    let plain = read(&original, &Request { allow: [Lever::Planner].into(), ..request.clone() })?.1;
    let before = plain.load.iter().copied().max().unwrap_or(0);
    let viewed = if request.has(Lever::Views) { views(&original) } else { original.clone() };
    let free = Free::of(&viewed, request, stop)?;
    let (net, merged) = read(&free.graph, request)?;
    let search = Search { request, capacity, total, stop };
    let (moves, steps) = free.moves(&viewed, request, before)?.into_iter().unzip();
    let start = State { graph: free.graph.clone(), price: Price::default(), moves, steps };
    let outcome = search.run(&start)?;
    let known =
        Known { graph: &free.graph, net: &net, merged: &merged, orders: free.orders.as_ref(), before: &free.before };
    let certificate = if outcome.best.is_some() { None } else { certify(request, &known, capacity, stop) };
    let record = FitRecord {
        format: FORMAT.to_string(),
        graph: graph.name.clone(),
        hash: digest(graph),
        budget: budget(request, capacity),
        allow: request.allow.iter().map(|lever| lever.name().to_string()).collect(),
        limits: LimitsRecord {
            macs: request.limits.macs,
            percent: request.limits.percent,
            bytes: request.limits.bytes,
        },
        prefer: request.prefer.name().to_string(),
        result: match (&outcome.best, &certificate) {
            (Some(_), _) => "fits",
            (None, Some(_)) => "impossible",
            (None, None) => "unknown",
        }
        .to_string(),
        optimal: outcome.best.as_ref().is_some_and(|best| {
            best.price == Price::default()
                || (outcome.exhausted && !outcome.is_tightened && free.is_single && is_exact(request))
        }),
        required: Required {
            before,
            after: match (&outcome.best, &certificate) {
                (Some(best), _) => best.finished.peak,
                (None, Some(certificate)) => certificate.bound,
                (None, None) => outcome.least.min(merged.load.iter().copied().max().unwrap_or(0)),
            },
        },
        price: PriceRecord::of(&outcome.best.as_ref().map(|best| best.price).unwrap_or_default(), total),
        moves: outcome.best.as_ref().map(|best| best.moves.clone()).unwrap_or_default(),
        levers: ladder(&viewed, request, (before, total), &free, stop)?,
        certificate,
        curve: Vec::new(),
        search: SearchRecord { states: outcome.states, exhausted: outcome.exhausted },
        held: if request.has(Lever::Stripes) { held(&free.graph, &net) } else { Vec::new() },
    };
    let (finished, steps) = outcome.best.map(|best| (best.finished, best.steps)).unzip();
    let mut answer = Answer { record, finished, steps: steps.unwrap_or_default(), base: free.graph };
    if request.curve {
        answer.record.curve = answer.price_curve(request, stop)?;
    }
    Ok(answer)
}

/// The operators that no stripe divides, and those whose window is assumed, by reason.
fn held(graph: &Graph, net: &Net) -> Vec<HeldRecord> {
    let mut found: Vec<HeldRecord> = Vec::new();
    for (node, op) in graph.nodes.iter().zip(&net.ops).filter(|(_, op)| !op.is_view) {
        let key = match op.rule {
            RowRule::Pinned(key) => key,
            rule if is_assumed(node, rule) => "fit.held-window",
            _ => continue,
        };
        match found.iter_mut().find(|held| held.key == key) {
            Some(held) => held.ops.push(node.name.clone()),
            None => found.push(HeldRecord { key: key.to_string(), ops: vec![node.name.clone()] }),
        }
    }
    found
}

/// Whether the changes that cost are of the one family whose search is exact.
fn is_exact(request: &Request) -> bool {
    let paid: Vec<Lever> = request.allow.iter().copied().filter(|lever| !lever.is_free()).collect();
    matches!(paid[..], [] | [Lever::Stripes])
}

/// What the free levers give.
struct Free {
    graph: Graph,
    orders: Option<super::order::Found>,
    before: Vec<std::collections::BTreeSet<usize>>,
    /// Whether no other order is possible or allowed.
    is_single: bool,
    is_chain: bool,
}

impl Free {
    fn of(graph: &Graph, request: &Request, stop: &dyn Fn() -> bool) -> Result<Free, Message> {
        let (net, merged) = read(graph, request)?;
        let before = precedence(graph, &net);
        let is_chain = is_chain(&before);
        let peak = merged.load.iter().copied().max().unwrap_or(0);
        let mut free = Free {
            graph: graph.clone(),
            orders: None,
            is_single: !request.has(Lever::Order) || is_chain,
            is_chain,
            before,
        };
        if request.has(Lever::Order) && peak > request.available()? {
            free.orders = best(&net, &free.before, request.has(Lever::InPlace), stop);
            if let Some(found) = free.orders.as_ref().filter(|found| found.peak < peak) {
                let moved = run_order(graph, &found.order);
                let (net, merged) = read(&moved, request)?;
                // The file's permissions are judged in the new order, and may give less than the search assumed.
                let reached = merged.load.iter().copied().max().unwrap_or(0);
                if reached < peak {
                    free.before = precedence(&moved, &net);
                    free.graph = moved;
                }
                if reached != found.peak {
                    free.orders = None;
                }
            }
        }
        Ok(free)
    }

    /// What of it lowers the largest load, one lever after the other.
    fn moves(&self, viewed: &Graph, request: &Request, before: u64) -> Result<Vec<(MoveRecord, Step)>, Message> {
        let plain = Request { allow: [Lever::Planner].into(), ..request.clone() };
        let levers = [
            (Lever::Views, "fit.move-views", viewed, &plain),
            (Lever::InPlace, "fit.move-inplace", viewed, request),
            (Lever::Order, "fit.move-order", &self.graph, request),
        ];
        let (mut peak, mut found) = (before, Vec::new());
        for (lever, key, graph, allowed) in levers.into_iter().filter(|(lever, ..)| request.has(*lever)) {
            let merged = read(graph, allowed)?.1;
            let after = merged.load.iter().copied().max().unwrap_or(0);
            if after >= peak {
                continue;
            }
            let taken = merged.pairs.iter().filter(|_| lever == Lever::InPlace);
            let tensors: Vec<String> =
                taken.map(|&(.., output)| graph.tensors[TensorId::from_index(output)].name.clone()).collect();
            let count = [("count", tensors.len().to_string())];
            let told = MoveRecord {
                lever: lever.name().to_string(),
                peak: super::record::Peaks { before: peak, after },
                why: Why::new(key, if lever == Lever::InPlace { &count } else { &[] }),
                tensors,
                ..MoveRecord::default()
            };
            found.push((told, Step::Free(Rc::new(graph.clone()), allowed.has(Lever::InPlace))));
            peak = after;
        }
        Ok(found)
    }
}

/// Copies that change nothing become names: reshapes and identities of equal size whose input nobody changes.
fn views(graph: &Graph) -> Graph {
    let mut out = graph.clone();
    let symbols = graph.symbol_values(&Default::default());
    for id in graph.nodes.ids().collect::<Vec<_>>() {
        let node = &graph.nodes[id];
        let plain: String = node.op.to_ascii_lowercase().chars().filter(|letter| *letter != '_').collect();
        let is_copy =
            ["identity", "reshape", "squeeze", "unsqueeze", "flatten", "expanddims"].contains(&plain.as_str());
        let ([input, ..], [output]) = (&node.inputs[..], &node.outputs[..]) else { continue };
        let is_same = graph.bytes_of(*input, &symbols).ok() == graph.bytes_of(*output, &symbols).ok();
        let is_inner = graph.tensors[*output].kind == crate::graph::Kind::Intermediate;
        let is_weight = graph.tensors[*input].kind == crate::graph::Kind::Weight;
        if is_copy && is_same && is_inner && !is_weight && !node.attrs.contains_key("alias") {
            out.nodes[id].attrs_mut().insert("alias".into(), Attr::Text("true".into()));
        }
    }
    out
}

fn budget(request: &Request, available: u64) -> BudgetRecord {
    let memory = |memory: &super::instance::StoredIn| MemoryRecord {
        name: memory.name.clone(),
        size: memory.size,
        cost: memory.cost,
    };
    BudgetRecord {
        memories: request.budget.memories.iter().map(memory).collect(),
        scratch: request.budget.scratch,
        by_operator: request.budget.by_operator.iter().map(|(name, bytes)| (name.clone(), *bytes)).collect(),
        persistent: request.budget.persistent,
        available,
    }
}

/// Most operators of a graph on which every lever is tried alone.
const MOST: usize = 400;

/// What each lever reaches alone.
fn ladder(
    graph: &Graph,
    request: &Request,
    (before, total): (u64, u64),
    free: &Free,
    stop: &dyn Fn() -> bool,
) -> Result<Vec<LeverRecord>, Message> {
    let mut rows = Vec::new();
    let capacity = request.available()?;
    for lever in Lever::ALL {
        let alone = Request { allow: [Lever::Planner, lever].into(), limits: Bounds::default(), ..request.clone() };
        let nothing = PriceRecord::of(&Price::default(), total);
        let mut row = LeverRecord { lever: lever.name().to_string(), price: nothing.clone(), ..LeverRecord::default() };
        let (net, merged) = read(graph, &alone)?;
        let reached = merged.load.iter().copied().max().unwrap_or(0);
        let is_small = net.ops.len() <= MOST && !stop();
        match lever {
            Lever::Planner | Lever::InPlace | Lever::Views => row.peak = Some(reached),
            Lever::Order if free.is_chain => {
                row.peak = Some(before);
                row.reason = Some(Why::new("fit.one-order", &[]));
            }
            Lever::Order => row.peak = free.orders.as_ref().map(|found| found.peak.min(before)),
            Lever::Bank | Lever::Spill if request.budget.memories.len() < 2 => {
                row.peak = Some(before);
                row.reason = Some(Why::new("fit.one-memory", &[]));
            }
            Lever::Stripes if is_small => {
                let mut ranges = Ranges::new(&net, &merged);
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
            let why = idle(lever, graph, &net, &merged);
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
    let operands: std::collections::BTreeSet<usize> =
        op.reads.iter().chain(&op.makes).map(|&at| merged.find[at]).collect();
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

impl Answer {
    /// The cheapest price at every budget at which it changes, by stripes alone, from the largest to the smallest, as far as time
    /// goes.
    ///
    /// # Errors
    /// A graph without sizes.
    pub fn price_curve(&self, request: &Request, stop: &dyn Fn() -> bool) -> Result<Vec<(u64, u64, u64)>, Message> {
        let (net, merged) = read(&self.base, request)?;
        let top = merged.load.iter().copied().max().unwrap_or(0);
        let mut curve = vec![(top, 0, 0)];
        if !request.has(Lever::Stripes) {
            return Ok(curve);
        }
        let mut ranges = Ranges::new(&net, &merged);
        let mut peaks = ranges.peaks(stop);
        peaks.retain(|&peak| peak < top);
        for peak in peaks.into_iter().rev() {
            let Some(way) = ranges.cheapest(peak, &|price, moves| request.prefer.key(price, moves), stop) else {
                break;
            };
            let price = (way.price.macs, way.price.bytes);
            // A lower budget at the same price says more.
            match curve.last_mut() {
                Some(last) if (last.1, last.2) == price => last.0 = peak,
                _ => curve.push((peak, price.0, price.1)),
            }
        }
        Ok(curve)
    }
}

/// A digest of a graph as it is written: 16 hexadecimal digits of FNV-1a.
fn digest(graph: &Graph) -> String {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    format!("{:016x}", export::graph(graph).bytes().fold(0xcbf2_9ce4_8422_2325, step))
}

/// Checks an answer from the graph and the budget alone: the figures of a certificate are computed again, and an answer that
/// fits is made again and planned.
///
/// # Errors
/// What does not agree.
pub fn verify(graph: &Graph, request: &Request, report: &FitRecord, stop: &dyn Fn() -> bool) -> Result<(), Message> {
    let differs = |what: &str| Message::new("fit.differs").text("what", what);
    if report.format != FORMAT {
        return Err(differs("format"));
    }
    if report.hash != digest(graph) {
        return Err(differs("hash"));
    }
    if report.budget != budget(request, request.available()?) {
        return Err(differs("budget"));
    }
    let again = fit(graph, request, stop)?;
    if let Some(certificate) = &report.certificate {
        adds_up(certificate, report.budget.available)?;
    }
    let pairs = [
        ("result", report.result == again.record.result),
        ("certificate", report.certificate == again.record.certificate),
        ("price", report.price == again.record.price),
        ("required", report.required == again.record.required),
        ("moves", report.moves == again.record.moves),
    ];
    match pairs.iter().find(|(_, is_same)| !is_same) {
        Some((what, _)) => Err(differs(what)),
        None => Ok(()),
    }
}

fn adds_up(certificate: &CertificateRecord, available: u64) -> Result<(), Message> {
    let differs = |what: &str| Message::new("fit.differs").text("what", what);
    let sum: u64 = certificate.storages.iter().map(|storage| storage.bytes).fold(0, u64::saturating_add);
    if certificate.bound <= available {
        return Err(differs("bound"));
    }
    if certificate.kind != "stripes" && sum != certificate.bound {
        return Err(differs("storages"));
    }
    match certificate.edges.iter().all(|edge| edge.peak > available) {
        true => Ok(()),
        false => Err(differs("edges")),
    }
}
