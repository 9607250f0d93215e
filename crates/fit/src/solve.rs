//! The question and the answer.

use std::collections::BTreeSet;
use std::hash::Hasher;
use std::ptr;

use super::certificate::certify;
use super::change::GraphChange;
use super::finish::{Finished, read};
use super::free::{Free, PARTS, fullest};
use super::instance::{Bounds, Lever, Request};
use super::ladder::Ladder;
use super::record::{
    BudgetRecord, FORMAT, FitRecord, HeldRecord, LimitsRecord, MemoryRecord, PriceRecord, Required, SearchRecord,
};
use super::search::{ChangedGraph, Outcome, Search};
use super::stripes::Ranges;
use super::viewed::{Choices, Viewed, choices};
use crate::transform::{Net, Price, RowRule, is_assumed};
use memplan_core::base::{Id, Message};
use memplan_core::graph::{Graph, Node, NodeId};
use memplan_core::problem::stated_parts;
use memplan_formats::export;

use fnv::FnvHasher;

/// An answer with what it made.
#[derive(Clone, PartialEq, Debug)]
pub struct Answer {
    /// The answer in figures.
    pub record: FitRecord,
    /// The changed graph and its plan, if it fits.
    pub finished: Option<Finished>,
    /// Its changes, to be made again.
    pub changes: Vec<GraphChange>,
    /// The graph with what costs nothing.
    base: Graph,
    ladder: Ladder,
}

/// Refuses graphs whose storages are chained in ways that a change of the graph does not see: what
/// is proved without them can be wrong.
///
/// # Errors
/// The graph was changed before, or its file states which bytes are handed over, hold nothing or
/// are kept, as XLA's does.
pub fn can_change(graph: &Graph) -> Result<(), Message> {
    if let Some(node) = graph.nodes.iter().find(|node| stated_parts(node).is_some()) {
        return Err(Message::new("fit.has-parts").name("name", node.name.clone()));
    }
    if graph.stated.is_empty() { Ok(()) } else { Err(Message::new("fit.has-storages")) }
}

/// The cheapest changes by which a graph fits, or why there are none. `stop` ends the search; what
/// was found so far is the answer.
///
/// # Errors
/// A budget that cannot be used, a graph without sizes, or a plan that breaks a rule.
pub fn fit(graph: &Graph, request: &Request, stop: &dyn Fn() -> bool) -> Result<Answer, Message> {
    let capacity = request.available()?;
    can_change(graph)?;
    let original = request.with_scratch(graph)?;
    let given = read(&original, request)?.0;
    let (graph_macs, before) = (given.macs(), fullest(&given.plain()));
    let choices = choices(&original, request)?;
    let search = Search { request, capacity, graph_macs, stop };
    let runs = runs(&choices, &search, before)?;
    let Some(run) = runs.iter().min_by_key(|run| run.key(request)) else { return Err(Message::new("fit.no-room")) };
    let is_parted = choices.all.may_part(request);
    let is_widest = |run: &&Run| ptr::eq(run.viewed, &choices.all) && run.is_parted == is_parted;
    let widest = runs.iter().find(is_widest).unwrap_or(run);
    let certificate = match &run.outcome.best {
        Some(_) => None,
        None => {
            let is_reordered = widest.free.is_reordered;
            let own = is_reordered.then(|| own_order(&choices.all, widest.is_parted, request)).transpose()?;
            certify(request, (&widest.free, own.as_ref().unwrap_or(&widest.free)), capacity, stop)?
        }
    };
    let (free, outcome) = (&run.free, &run.outcome);
    let net = read(&free.graph, request)?.0;
    let least = runs.iter().map(|run| run.outcome.least).min().unwrap_or(u64::MAX);
    let overfull: BTreeSet<String> =
        runs.iter().flat_map(|run| run.outcome.overfull_memories.iter().cloned()).collect();
    let is_cheapest = |run: &Run| choices.fewer.is_none() && run.is_parted == widest.is_parted && run.free.is_single;
    let is_striped = outcome.best.as_ref().is_some_and(|best| best.price.macs > 0) && is_cheapest(run);
    let is_optimal = match &outcome.best {
        Some(best) => best.price == Price::default() || is_cheapest(run) && run.is_proof(request)?,
        None => false,
    };
    let stripes = is_striped && !is_optimal && run.is_cheapest_in_stripes(&search)?;
    let ladder = Ladder { viewed: run.viewed.graph.clone(), original, before, graph_macs };
    let record = FitRecord {
        format: FORMAT.to_string(),
        graph: graph.name.clone(),
        hash: digest(graph),
        budget: budget(request, capacity),
        allow: allowed(request),
        limits: limits(request),
        prefer: request.prefer.name().to_string(),
        result: match (&outcome.best, &certificate) {
            (Some(_), _) => "fits",
            (None, Some(_)) => "impossible",
            (None, None) => "unknown",
        }
        .to_string(),
        optimal: is_optimal,
        required: Required {
            before,
            after: match (&outcome.best, &certificate) {
                (Some(best), _) => best.finished.peak,
                (None, Some(certificate)) => certificate.bound,
                (None, None) if before > capacity => least.min(before),
                // No plan was made, since a slower memory is too small: more than there is.
                (None, None) if least == u64::MAX => capacity + 1,
                (None, None) => least,
            },
        },
        price: PriceRecord::of(&outcome.best.as_ref().map(|best| best.price).unwrap_or_default(), graph_macs),
        moves: outcome.best.as_ref().map(|best| best.moves.clone()).unwrap_or_default(),
        levers: ladder.rows(request, stop)?,
        certificate,
        curve: Vec::new(),
        search: SearchRecord {
            states: runs.iter().map(|run| run.outcome.states).sum(),
            exhausted: runs.iter().all(|run| run.outcome.exhausted),
            stripes,
            curve: false,
            small: overfull.into_iter().collect(),
            seconds: None,
        },
        held: held(&free.graph, &net, request),
    };
    let (finished, changes) = outcome.best.clone().map(|best| (best.finished, best.changes)).unzip();
    let mut answer =
        Answer { record, finished, changes: changes.unwrap_or_default(), base: free.graph.clone(), ladder };
    if request.curve {
        answer.take_curve(request, stop)?;
    }
    Ok(answer)
}

/// A search from one start.
struct Run<'a> {
    /// The choice of views.
    viewed: &'a Viewed,
    /// Whether inputs of concatenations may lie in their output.
    is_parted: bool,
    free: Free,
    start: ChangedGraph,
    outcome: Outcome,
}

impl Run<'_> {
    /// What it costs, as it is compared; what found nothing comes last.
    fn key(&self, request: &Request) -> (bool, Option<(u64, u64, u64, u64)>) {
        let best = self.outcome.best.as_ref();
        (best.is_none(), best.map(|best| request.prefer.key(&best.price, best.moves.len() as u64)))
    }

    /// Whether no other choice of concatenations in parts, and no other change that is allowed, can
    /// be cheaper.
    fn is_proof(&self, request: &Request) -> Result<bool, Message> {
        let is_whole = self.outcome.exhausted && !self.outcome.has_unplanned && self.free.graph == self.free.wide;
        Ok(is_whole && is_exact(request, self.viewed, &self.free.graph)?)
    }

    /// Whether no stripes alone are cheaper than what was found, which more levers may still be.
    fn is_cheapest_in_stripes(&self, search: &Search) -> Result<bool, Message> {
        let Some(best) = &self.outcome.best else { return Ok(false) };
        let mut outcome = Outcome::default();
        search.run(&self.start, 0, &mut outcome)?;
        let is_whole = outcome.exhausted && !outcome.has_unplanned && self.free.graph == self.free.wide;
        Ok(is_whole && outcome.best.is_some_and(|other| other.price == best.price && other.moves == best.moves))
    }
}

/// What the free levers give in the order of the file.
///
/// # Errors
/// A graph without sizes.
pub fn own_order(viewed: &Viewed, is_parted: bool, request: &Request) -> Result<Free, Message> {
    Free::of(viewed, is_parted, request, &|| true)
}

/// Where a search starts: what costs nothing is done.
///
/// # Errors
/// A graph without sizes.
pub fn start(free: &Free, viewed: &Viewed, request: &Request, before: u64) -> Result<ChangedGraph, Message> {
    let (moves, changes) = free.moves(&viewed.graph, request, before)?.into_iter().unzip();
    Ok(ChangedGraph { graph: free.graph.clone(), price: Price::default(), moves, changes })
}

/// Whether a search with concatenations in parts comes first, and the ones after it. What fits as
/// it is stays as it is.
fn starts(viewed: &Viewed, search: &Search) -> Result<&'static [bool], Message> {
    let fits = || Ok::<bool, Message>(fullest(&read(&viewed.graph, search.request)?.1) <= search.capacity);
    Ok(match viewed.may_part(search.request) {
        true if fits()? => &[false, true],
        true => &[true, false],
        false => &[false],
    })
}

/// Searches with all views and concatenations in parts and, unless that settles it, with those that
/// copy.
fn runs<'a>(choices: &'a Choices, search: &Search, before: u64) -> Result<Vec<Run<'a>>, Message> {
    let request = search.request;
    let mut all: Vec<(&Viewed, bool)> = Vec::new();
    for viewed in choices.each() {
        all.extend(starts(viewed, search)?.iter().map(|&is_parted| (viewed, is_parted)));
    }
    let is_settled = |run: &Run| {
        let is_free = run.outcome.best.as_ref().is_some_and(|best| best.price == Price::default());
        // Parts that lower nothing by themselves may not be needed.
        let is_idle = run.start.moves.iter().any(|one| one.why.key == PARTS && one.peak.after == one.peak.before);
        let is_proof = || Ok(choices.fewer.is_none() && run.is_parted && run.is_proof(request)?);
        Ok::<bool, Message>(is_free && !is_idle || is_proof()?)
    };
    let mut runs: Vec<Run> = Vec::new();
    // All starts are searched alike before any is searched more widely.
    for &width in search.widths() {
        for (at, &(viewed, is_parted)) in all.iter().enumerate() {
            for run in &runs {
                if is_settled(run)? {
                    return Ok(runs);
                }
            }
            if at == runs.len() {
                let free = Free::of(viewed, is_parted, request, search.stop)?;
                let start = start(&free, viewed, request, before)?;
                runs.push(Run { viewed, is_parted, free, start, outcome: Outcome::default() });
            }
            let run = &mut runs[at];
            search.run(&run.start, width, &mut run.outcome)?;
        }
    }
    Ok(runs)
}

/// The operators that no stripe divides, those whose window is assumed, and those that keep their
/// turn and run once, by reason.
pub fn held(graph: &Graph, net: &Net, request: &Request) -> Vec<HeldRecord> {
    let mut found: Vec<HeldRecord> = Vec::new();
    let mut hold = |key: &str, node: &Node| match found.iter_mut().find(|held| held.key == key) {
        Some(held) => held.ops.push(node.name.clone()),
        None => found.push(HeldRecord { key: key.to_string(), ops: vec![node.name.clone()] }),
    };
    let is_moved = request.has(Lever::Order) || request.has(Lever::Recompute);
    for (node, op) in graph.nodes.iter().zip(&net.ops).filter(|(_, op)| !op.is_view) {
        if is_moved && node.has_effects() {
            hold("fit.held-turn", node);
        }
        match op.rule {
            _ if !request.has(Lever::Stripes) => {}
            RowRule::Pinned(key) => hold(key, node),
            rule if is_assumed(node, rule) => hold("fit.held-window", node),
            _ => {}
        }
    }
    found
}

/// Whether the changes that cost are of one family whose search is exact: others that are allowed
/// have nothing to do. Stripes are searched over all ranges. Storages that move for good are tried
/// at every step that is too full: whatever fits has one of those that are alive there elsewhere.
/// What lies in a concatenation does not move, although it may where the concatenation copies, and
/// what has another name moves with that, although it may not where that is a copy.
///
/// # Errors
/// A graph without sizes.
pub fn is_exact(request: &Request, viewed: &Viewed, graph: &Graph) -> Result<bool, Message> {
    let net = read(graph, request)?.0;
    let has_slower = request.budget.memories.len() > 1;
    let is_idle = |lever: &Lever| match lever {
        Lever::Bank | Lever::Spill => !has_slower,
        Lever::Recompute => !may_run_again(graph, &net),
        _ => lever.is_free(),
    };
    let paid: Vec<Lever> = request.allow.iter().copied().filter(|lever| !is_idle(lever)).collect();
    let has_parts = graph.nodes.iter().any(|node| stated_parts(node).is_some());
    let is_apart = !has_parts && !viewed.has_names;
    Ok(matches!(paid[..], [] | [Lever::Stripes]) || paid[..] == [Lever::Bank] && is_apart)
}

/// Whether something rests that a pure operator makes from something.
fn may_run_again(graph: &Graph, net: &Net) -> bool {
    let mut last: Vec<Option<usize>> = net.maker.clone();
    for (step, op) in net.ops.iter().enumerate() {
        for &read in &op.reads {
            let is_apart = last[read].is_some_and(|last| step > last + 1);
            let maker = net.maker[read].map(NodeId::from_index).map(|maker| &graph.nodes[maker]);
            if is_apart && maker.is_some_and(|maker| maker.is_pure() && !maker.inputs.is_empty()) {
                return true;
            }
            last[read] = last[read].map(|_| step);
        }
    }
    false
}

/// The names of the levers that are allowed.
pub fn allowed(request: &Request) -> Vec<String> {
    request.allow.iter().map(|lever| lever.name().to_string()).collect()
}

/// Most that may be paid, as it is reported.
pub fn limits(request: &Request) -> LimitsRecord {
    let Bounds { macs, percent, bytes } = request.limits;
    LimitsRecord { macs, percent, bytes }
}

/// What there is, as it is reported.
pub fn budget(request: &Request, available: u64) -> BudgetRecord {
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
    /// The changed graph and its plan as they are saved: the name says that they are not those of
    /// the original, and for how many bytes they were made.
    pub fn to_save(&self) -> Option<Finished> {
        let mut saved = self.finished.clone()?;
        if !self.record.moves.is_empty() {
            let name = format!("{}, changed to fit {} B", saved.graph.name, self.record.budget.available);
            saved.graph.name.clone_from(&name);
            saved.problem.name = name;
        }
        Some(saved)
    }

    /// Takes back an answer that fits, after the runtime turned out to need `least` bytes for it:
    /// then nothing that fits was found.
    pub fn take_back(&mut self, least: u64) {
        let record = &mut self.record;
        record.result = "unknown".to_string();
        record.required.after = least;
        record.price = PriceRecord::default();
        (record.optimal, record.search.stripes) = (false, false);
        record.moves.clear();
        // What a lever reaches alone is counted as the answer was.
        let available = record.budget.available;
        for row in record.levers.iter_mut().filter(|row| row.peak.is_some_and(|peak| peak <= available)) {
            (row.peak, row.price) = (None, PriceRecord::default());
        }
        self.finished = None;
        self.changes.clear();
    }

    /// Takes what the levers reach alone that were not tried yet, as far as time goes.
    ///
    /// # Errors
    /// A graph without sizes.
    pub fn take_ladder(&mut self, request: &Request, stop: &dyn Fn() -> bool) -> Result<(), Message> {
        self.ladder.complete(&mut self.record.levers, request, stop)
    }

    /// Takes the cheapest price at every budget at which it changes, by stripes alone, from the
    /// largest to the smallest, as far as time goes, into the record.
    ///
    /// # Errors
    /// A graph without sizes.
    pub fn take_curve(&mut self, request: &Request, stop: &dyn Fn() -> bool) -> Result<(), Message> {
        let (net, merged) = read(&self.base, request)?;
        let top = merged.load.iter().copied().max().unwrap_or(0);
        let mut curve = vec![(top, 0, 0)];
        let mut is_whole = true;
        if request.has(Lever::Stripes) {
            let mut ranges = Ranges::new(&net, &merged);
            let mut peaks = ranges.peaks(stop);
            is_whole = !stop();
            peaks.retain(|&peak| peak < top);
            for peak in peaks.into_iter().rev() {
                let Some(way) = ranges.cheapest(peak, &|price, moves| request.prefer.key(price, moves), stop) else {
                    is_whole &= !stop();
                    break;
                };
                let price = (way.price.macs, way.price.bytes);
                // A lower budget at the same price says more.
                match curve.last_mut() {
                    Some(last) if (last.1, last.2) == price => last.0 = peak,
                    _ => curve.push((peak, price.0, price.1)),
                }
            }
        }
        self.record.curve = curve;
        self.record.search.curve = is_whole;
        Ok(())
    }
}

/// A digest of a graph as it is written: 16 hexadecimal digits of FNV-1a.
pub fn digest(graph: &Graph) -> String {
    let mut hasher = FnvHasher::default();
    hasher.write(export::graph(graph).as_bytes());
    format!("{:016x}", hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reports of earlier versions hold it.
    #[test]
    fn the_digest_of_a_graph_never_changes() {
        let graph = Graph { name: "two".into(), ..Graph::default() };
        assert_eq!(digest(&graph), "06c9ca4b781eac40", "FNV-1a of {:?}", export::graph(&graph));
    }
}
