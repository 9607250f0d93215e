//! The check of an answer from the graph and the budget alone. No clock ends it: what was proved or
//! found is computed again to its end, by the report's own certificate or changes.

use serde::Serialize;

use super::certificate::certified;
use super::finish::read;
use super::free::{Free, fullest};
use super::instance::{Lever, Request};
use super::record::{CertificateRecord, FORMAT, FitRecord, HeldRecord, PriceRecord};
use super::search::{Best, Outcome, Search};
use super::solve::{allowed, budget, can_change, digest, held, is_exact, limits, own_order, start};
use super::viewed::{Choices, Viewed, choices};
use crate::transform::Price;
use memplan_core::base::Message;
use memplan_core::graph::Graph;

/// Letters of a value that are shown.
const LONGEST: usize = 240;

fn differs(what: &str) -> Message {
    Message::new("fit.differs").text("what", what)
}

/// Returns an error unless two values of this field are the same.
fn same(what: &str, is_same: bool) -> Result<(), Message> {
    if is_same { Ok(()) } else { Err(differs(what)) }
}

/// Returns an error unless this field of the report is what it is `here`; the error shows both.
fn equal<T: Serialize + PartialEq>(what: &str, reported: &T, here: &T) -> Result<(), Message> {
    alike(what, reported == here, reported, here)
}

/// Returns an error that shows two values unless they are alike.
fn alike(what: &str, is_alike: bool, reported: &impl Serialize, here: &impl Serialize) -> Result<(), Message> {
    if is_alike {
        return Ok(());
    }
    let (reported, here) = (in_short(reported), in_short(here));
    Err(Message::new("fit.differs-values").text("what", what).text("reported", reported).text("here", here))
}

/// Returns a value as JSON, cut where it is long.
fn in_short(value: &impl Serialize) -> String {
    let text = serde_json::to_string(value).unwrap_or_default();
    let cut = text.char_indices().nth(LONGEST).map(|(at, _)| at);
    cut.map_or(text.clone(), |at| format!("{}…", &text[..at]))
}

/// Checks an answer from the graph and the budget alone: a certificate of its kind is computed
/// again; changes that fit are made again, planned and paid for; a claim that nothing is cheaper is
/// searched again to its end.
///
/// # Errors
/// What does not agree.
pub fn verify(graph: &Graph, request: &Request, report: &FitRecord) -> Result<(), Message> {
    equal("format", &report.format.as_str(), &FORMAT)?;
    equal("hash", &report.hash, &digest(graph))?;
    let capacity = request.available()?;
    equal("budget", &report.budget, &budget(request, capacity))?;
    equal("allow", &report.allow, &allowed(request))?;
    let most = limits(request);
    alike("limits", report.limits.is_like(&most), &report.limits, &most)?;
    equal("prefer", &report.prefer.as_str(), &request.prefer.name())?;
    can_change(graph)?;
    let original = request.with_scratch(graph)?;
    let plain = Request { allow: [Lever::Planner].into(), ..request.clone() };
    let before = fullest(&read(&original, &plain)?.1);
    equal("required.before", &report.required.before, &before)?;
    let check = Check {
        request,
        report,
        capacity,
        before,
        graph_macs: read(&original, request)?.0.macs(),
        choices: choices(&original, request)?,
    };
    match report.result.as_str() {
        "fits" => check.fits(),
        "impossible" => check.impossible(),
        "unknown" => check.unknown(),
        _ => Err(differs("result")),
    }
}

struct Check<'a> {
    request: &'a Request,
    report: &'a FitRecord,
    capacity: u64,
    /// Largest load of the graph as it is.
    before: u64,
    /// Its multiplications.
    graph_macs: u64,
    /// The graph with the views that are allowed, in every choice that is searched.
    choices: Choices,
}

impl Check<'_> {
    /// Nothing was found, and nothing is claimed.
    fn unknown(&self) -> Result<(), Message> {
        same("certificate", self.report.certificate.is_none())?;
        same("required", self.report.required.after > self.capacity)?;
        self.changes_nothing()
    }

    fn changes_nothing(&self) -> Result<(), Message> {
        same("optimal", !self.report.optimal)?;
        same("moves", self.report.moves.is_empty())?;
        self.costs(&Price::default())
    }

    /// The price is that of the changes.
    fn costs(&self, price: &Price) -> Result<(), Message> {
        let (reported, here) = (&self.report.price, PriceRecord::of(price, self.graph_macs));
        alike("price", reported.is_like(&here), reported, &here)
    }

    fn impossible(&self) -> Result<(), Message> {
        let Some(certificate) = &self.report.certificate else { return Err(differs("certificate")) };
        adds_up(certificate, self.capacity)?;
        let viewed = &self.choices.all;
        let is_parted = viewed.may_part(self.request);
        let own = own_order(viewed, is_parted, self.request)?;
        let found = || Free::of(viewed, is_parted, self.request, &|| false);
        let again = certified(&certificate.kind, self.request, &own, &found, self.capacity)?;
        same("certificate", again.as_ref() == Some(certificate))?;
        equal("required.after", &self.report.required.after, &certificate.bound)?;
        self.holds(&own)?;
        self.changes_nothing()
    }

    /// The operators held whole are part of what is proved.
    fn holds(&self, free: &Free) -> Result<(), Message> {
        let sorted = |list: &[HeldRecord]| {
            let mut list: Vec<(String, Vec<String>)> =
                list.iter().map(|held| (held.key.clone(), held.ops.clone())).collect();
            list.iter_mut().for_each(|(_, ops)| ops.sort_unstable());
            list.sort_unstable();
            list
        };
        let own = held(&free.graph, &read(&free.graph, self.request)?.0, self.request);
        same("held", sorted(&own) == sorted(&self.report.held))
    }

    fn search(&self) -> Search<'_> {
        Search { request: self.request, capacity: self.capacity, graph_macs: self.graph_macs, stop: &|| false }
    }

    fn fits(&self) -> Result<(), Message> {
        same("certificate", self.report.certificate.is_none())?;
        let is_ordered = self.report.moves.iter().any(|one| one.lever == Lever::Order.name());
        // The search over orders may have been cut short, and lower what no change that is told
        // lowers.
        let orders = if self.request.has(Lever::Order) { &[is_ordered, !is_ordered][..] } else { &[false] };
        for viewed in self.choices.each() {
            let may_part = viewed.may_part(self.request);
            let parts = if may_part { &[true, false][..] } else { &[false] };
            for (&is_ordered, &is_parted) in orders.iter().flat_map(|order| parts.iter().map(move |part| (order, part)))
            {
                let free = Free::of(viewed, is_parted, self.request, &|| !is_ordered)?;
                let begin = start(&free, viewed, self.request, self.before)?;
                let Some(best) = self.search().redo(&begin, &self.report.moves)? else { continue };
                if best.finished.peak != self.report.required.after {
                    continue;
                }
                self.costs(&best.price)?;
                self.holds(&free)?;
                let is_widest = self.choices.fewer.is_none() && is_parted == may_part;
                return same("optimal", !self.report.optimal || self.is_cheapest(&best, (&free, viewed), is_widest)?);
            }
        }
        Err(differs("moves"))
    }

    /// Whether nothing that is allowed is cheaper.
    fn is_cheapest(&self, best: &Best, (free, viewed): (&Free, &Viewed), is_widest: bool) -> Result<bool, Message> {
        if best.price == Price::default() {
            return Ok(true);
        }
        if !is_widest || !free.is_single || free.graph != free.wide || !is_exact(self.request, viewed, &free.graph)? {
            return Ok(false);
        }
        let begin = start(free, viewed, self.request, self.before)?;
        let mut outcome = Outcome::default();
        let search = self.search();
        for &width in search.widths() {
            search.run(&begin, width, &mut outcome)?;
        }
        let is_whole = outcome.exhausted && !outcome.has_unplanned;
        let key = |best: &Best| self.request.prefer.key(&best.price, best.moves.len() as u64);
        Ok(is_whole && outcome.best.is_some_and(|found| key(&found) == key(best)))
    }
}

fn adds_up(certificate: &CertificateRecord, available: u64) -> Result<(), Message> {
    let sum: u64 = certificate.storages.iter().map(|storage| storage.bytes).fold(0, u64::saturating_add);
    same("bound", certificate.bound > available)?;
    same("storages", certificate.kind == "stripes" || sum == certificate.bound.saturating_add(certificate.elsewhere))?;
    same("edges", certificate.edges.iter().all(|edge| edge.peak > available))
}
