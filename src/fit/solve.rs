//! The question, the answer, and the check of an answer.

use super::certificate::{Known, certify};
use super::finish::{Finished, read};
use super::free::{Free, PARTS, fullest};
use super::instance::{Lever, Request};
use super::ladder::ladder;
use super::record::{
    BudgetRecord, CertificateRecord, FORMAT, FitRecord, HeldRecord, LimitsRecord, MemoryRecord, PriceRecord, Required,
    SearchRecord,
};
use super::search::{Outcome, Search, State};
use super::step::Step;
use super::stripes::Ranges;
use crate::base::Message;
use crate::export;
use crate::graph::Graph;
use crate::problem::stated_parts;
use crate::transform::{Net, Price, RowRule, in_parts, is_assumed, views};

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
    // Their storages are chained in ways that a change of the graph does not see.
    if let Some(node) = graph.nodes.iter().find(|node| stated_parts(node).is_some()) {
        return Err(Message::new("fit.has-parts").name("name", node.name.clone()));
    }
    let original = request.with_scratch(graph)?;
    let total = read(&original, request)?.0.macs();
    let plain = read(&original, &Request { allow: [Lever::Planner].into(), ..request.clone() })?.1;
    let before = plain.load.iter().copied().max().unwrap_or(0);
    let viewed = if request.has(Lever::Views) { views(&original) } else { original };
    let search = Search { request, capacity, total, stop };
    let runs = runs(&viewed, &search, before)?;
    let Some(run) = runs.iter().min_by_key(|run| run.key(request)) else { return Err(Message::new("fit.no-room")) };
    let widest = runs.iter().find(|run| run.is_parted).unwrap_or(run);
    let certificate = match &run.outcome.best {
        Some(_) => None,
        None => {
            let net = read(&widest.free.wide, request)?.0;
            let merged = net.relaxed(request.has(Lever::InPlace));
            certify(request, &Known { free: &widest.free, net: &net, merged: &merged }, capacity, stop)
        }
    };
    let (free, outcome) = (&run.free, &run.outcome);
    let (net, merged) = read(&free.graph, request)?;
    let least = runs.iter().map(|run| run.outcome.least).min().unwrap_or(u64::MAX);
    let apart = match runs.iter().find(|run| !run.is_parted) {
        Some(run) => run.free.orders.as_ref().map(|found| found.peak),
        None => Free::of(&viewed, false, request, stop)?.orders.map(|found| found.peak),
    };
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
                || (run.is_parted == widest.is_parted && run.is_proof(request) && free.is_single)
        }),
        required: Required {
            before,
            after: match (&outcome.best, &certificate) {
                (Some(best), _) => best.finished.peak,
                (None, Some(certificate)) => certificate.bound,
                (None, None) => least.min(merged.load.iter().copied().max().unwrap_or(0)),
            },
        },
        price: PriceRecord::of(&outcome.best.as_ref().map(|best| best.price).unwrap_or_default(), total),
        moves: outcome.best.as_ref().map(|best| best.moves.clone()).unwrap_or_default(),
        levers: ladder(&viewed, request, (before, total), (free.is_chain, apart), stop)?,
        certificate,
        curve: Vec::new(),
        search: SearchRecord {
            states: runs.iter().map(|run| run.outcome.states).sum(),
            exhausted: runs.iter().all(|run| run.outcome.exhausted),
        },
        held: if request.has(Lever::Stripes) { held(&free.graph, &net) } else { Vec::new() },
    };
    let (finished, steps) = outcome.best.clone().map(|best| (best.finished, best.steps)).unzip();
    let mut answer = Answer { record, finished, steps: steps.unwrap_or_default(), base: free.graph.clone() };
    if request.curve {
        answer.record.curve = answer.price_curve(request, stop)?;
    }
    Ok(answer)
}

/// A search from one start.
struct Run {
    /// Whether inputs of concatenations may lie in their output.
    is_parted: bool,
    free: Free,
    start: State,
    outcome: Outcome,
}

impl Run {
    /// What it costs, as it is compared; what found nothing comes last.
    fn key(&self, request: &Request) -> (bool, Option<(u64, u64, u64, u64)>) {
        let best = self.outcome.best.as_ref();
        (best.is_none(), best.map(|best| request.prefer.key(&best.price, best.moves.len() as u64)))
    }

    /// Whether no other choice of concatenations in parts, and no other stripes, can be cheaper.
    fn is_proof(&self, request: &Request) -> bool {
        self.outcome.exhausted && !self.outcome.is_tightened && is_exact(request) && self.free.graph == self.free.wide
    }
}

/// Searches with concatenations in parts and, unless that settles it, with those that copy. What fits as it is stays as it is.
fn runs(viewed: &Graph, search: &Search, before: u64) -> Result<Vec<Run>, Message> {
    let request = search.request;
    let is_parted = request.has(Lever::Views) && in_parts(viewed, request.scope.align) != *viewed;
    let fits = || Ok::<bool, Message>(fullest(&read(viewed, request)?.1) <= search.capacity);
    let starts: &[bool] = match is_parted {
        true if fits()? => &[false, true],
        true => &[true, false],
        false => &[false],
    };
    let is_settled = |run: &Run| {
        let is_free = run.outcome.best.as_ref().is_some_and(|best| best.price == Price::default());
        // Parts that lower nothing by themselves may not be needed.
        let is_idle = run.start.moves.iter().any(|told| told.why.key == PARTS && told.peak.after == told.peak.before);
        is_free && !is_idle || (run.is_parted && run.is_proof(request))
    };
    let mut runs: Vec<Run> = Vec::new();
    // Both starts are searched alike before either is searched more widely.
    for &width in search.widths() {
        for (at, &is_parted) in starts.iter().enumerate() {
            if runs.iter().any(is_settled) {
                return Ok(runs);
            }
            if at == runs.len() {
                let free = Free::of(viewed, is_parted, request, search.stop)?;
                let (moves, steps) = free.moves(viewed, request, before)?.into_iter().unzip();
                let start = State { graph: free.graph.clone(), price: Price::default(), moves, steps };
                runs.push(Run { is_parted, free, start, outcome: Outcome::default() });
            }
            let run = &mut runs[at];
            search.run(&run.start, width, &mut run.outcome)?;
        }
    }
    Ok(runs)
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
