//! Why: what the change that is looked at does, or why there is none; and what every budget would
//! cost.

use std::rc::Rc;

use yew::prelude::*;

use crate::compare::chart_view::ChartView;
use crate::context::names::cut_name;
use crate::context::same::Same;
use crate::context::sentence::{plain_words, size};
use crate::context::{Page, use_page};
use crate::fit::change;
use crate::fit::state::FitChange;
use crate::fit::state::answer::FitShown;
use memplan_core::base::{Family, Message, Unit};
use memplan_core::text::Speech;
use memplan_fit::{CertificateRecord, FitRecord, Lever, MoveRecord, held};
use memplan_replay::Run;
use memplan_scene::{Chart, ChartScale, Series};

#[derive(Properties, PartialEq)]
pub struct WhyProps {
    pub shown: Same<FitShown>,
    pub moves: usize,
    pub dark: bool,
}

#[component]
pub fn Why(props: &WhyProps) -> Html {
    let page = use_page();
    let shown: &Rc<FitShown> = &props.shown.0;
    let record = &shown.record;
    let reason = match (props.moves.checked_sub(1), &record.certificate) {
        (Some(index), _) => of_move(&page, shown, index),
        (None, Some(certificate)) => of_certificate(&page, shown, certificate),
        (None, None) => {
            let key = match record.result.as_str() {
                "fits" if record.moves.is_empty() => "fit.why-enough",
                "fits" => "fit.why-start",
                _ if record.limits.is_stated() => "fit.why-limited",
                _ => "fit.why-unknown",
            };
            html! { <p>{ page.word(key) }</p> }
        }
    };
    let chart = use_memo((props.shown.clone(), page.speech().locale), {
        let speech = page.speech();
        move |(shown, _)| curve(&shown.0, speech)
    });
    let onpick = {
        let (send, shown) = (page.send.clone(), shown.clone());
        Callback::from(move |(_, x): (usize, f64)| {
            let unit = unit_of(&shown).bytes() as f64;
            let away = |budget: &u64| (*budget as f64 / unit - x).abs();
            let near = shown.record.curve.iter().map(|point| point.0).min_by(|a, b| away(a).total_cmp(&away(b)));
            near.into_iter().for_each(|budget| send.emit(change(FitChange::Budget(budget))));
        })
    };
    html! { <>
        { reason }
        if let Some(refusal) = record.refusal(page.state.runtime()) {
            <p id="fit-refusal">{ plain_words(&page, &refusal) }</p>
        }
        { for held(record).iter().map(|sentence| html! { <p class="muted fit-held">{ plain_words(&page, sentence) }</p> }) }
        if record.curve.len() > 1 {
            <h2 class="visually-hidden">{ page.word("fit.curve") }</h2>
            <ChartView chart={(*chart).clone()} dark={props.dark} {onpick} />
            <p class="muted">{ page.speech().say(&Message::new(if record.search.curve { "fit.curve.least" } else { "fit.curve.so-far" }).bytes("bytes", below(record).or(record.curve.last().copied()).map_or(0, |point| point.0))) }</p>
        } else if !record.curve.is_empty() && !record.search.curve && page.state.job().is_none() {
            <p class="muted" id="fit-no-curve">{ page.word("fit.curve.none") }</p>
        }
    </> }
}

/// The answer as a point of the curve, if it is below all others.
fn below(record: &FitRecord) -> Option<(u64, u64, u64)> {
    let found = (record.required.after, record.price.macs, record.price.bytes_moved);
    let is_below = record.result == "fits" && record.curve.last().is_some_and(|last| found.0 < last.0);
    is_below.then_some(found)
}

fn unit_of(shown: &FitShown) -> Unit {
    Unit::of(shown.record.curve.first().map_or(0, |point| point.0))
}

/// The price at every budget, by stripes.
fn curve(shown: &FitShown, speech: Speech) -> Chart {
    let unit = unit_of(shown);
    let total = shown
        .record
        .price
        .macs_relative
        .filter(|share| *share > 0.0)
        .map(|share| shown.record.price.macs as f64 / share);
    // Numbers of many digits would leave no room for the name of the axis.
    let most = shown.record.curve.iter().map(|point| point.1).max().unwrap_or(0);
    let (words, scale) = match total {
        Some(total) => ("fit.macs-percent", 100.0 / total),
        None if most >= 10_000_000 => ("fit.macs-millions", 1e-6),
        None if most >= 10_000 => ("fit.macs-thousands", 1e-3),
        None => ("fit.macs", 1.0),
    };
    let at = |budget: u64| budget as f64 / unit.bytes() as f64;
    let point = |&(budget, macs, _): &(u64, u64, u64)| (at(budget), macs as f64 * scale);
    let (record, curve) = (&shown.record, &shown.record.curve);
    let available = record.budget.available;
    // Above the lowest budget at which nothing is paid, nothing is paid either.
    let end = record.required.before.max(available.min(2 * record.required.before));
    let end = curve.first().filter(|first| first.0 < end).map(|first| (at(end), point(first).1));
    // A curve that time cut off may not reach what was found.
    let found = below(record);
    let known = curve.iter().copied().chain(found);
    let price = known.clone().find(|entry| entry.0 <= available).map(|entry| point(&entry).1);
    let mark = price.map(|price| (speech.word("fit.budget-mark"), at(available), price));
    let least = curve.last().filter(|_| record.search.curve);
    let none = |bytes: u64| speech.say(&Message::new("fit.none-below").bytes("bytes", bytes));
    Chart {
        title: speech.word("fit.curve"),
        x: format!("{} {}", speech.word("fit.available"), unit.name()),
        y: speech.word(words),
        series: vec![Series {
            name: speech.word("fit.curve-line"),
            points: known.rev().map(|entry| point(&entry)).chain(end).collect(),
        }],
        scale: ChartScale::SquareRoot,
        mark,
        beyond: least.map(|entry| (none(entry.0), at(entry.0))),
        ..Chart::default()
    }
}

fn of_move(page: &Page, shown: &FitShown, index: usize) -> Html {
    let one = &shown.record.moves[index];
    let lever = one.lever.as_str();
    let headline = Message::new("fit.headline").inner("what", shown.record.short_why(&one.why));
    let headline = headline.bytes("before", one.peak.before).bytes("after", one.peak.after);
    let next = shown.side(index + 1).and_then(|(run, _)| holds(shown, run));
    html! { <>
        <h3 class="headline" id="fit-why-headline">{ plain_words(page, &headline) }</h3>
        { table(page, shown, index, one) }
        <dl class="facts">
            <dt>{ page.word("fit.rule") }</dt><dd>{ page.word(&Family::FIT_RULE.of([lever])) }</dd>
            <dt>{ page.word("fit.costs") }</dt><dd>{ plain_words(page, &one.price_in_words()) }</dd>
            <dt>{ page.word("fit.legal") }</dt><dd>{ page.word(&Family::FIT_LEGAL.of([lever])) }</dd>
            if let Some(next) = next { <dt>{ page.word("fit.next") }</dt><dd>{ plain_words(page, &next) }</dd> }
        </dl>
    </> }
}

/// What holds the peak of a plan.
fn holds(shown: &FitShown, run: &Run) -> Option<Message> {
    let (step, bytes) = shown.fullest(run);
    let node = run.graph.as_ref()?.nodes.iter().nth(step as usize)?;
    Some(Message::new("fit.holds").name("name", node.name.clone()).bytes("bytes", bytes))
}

/// What of each tensor exists: whole before, and a stripe at a time after; or the bytes that are
/// moved or made again.
fn table(page: &Page, shown: &FitShown, index: usize, one: &MoveRecord) -> Html {
    let Some(((before, _), (after, _))) = shown.side(index).zip(shown.side(index + 1)) else { return Html::default() };
    let bytes = |run: &Run, name: &str| run.buffer_named(name).map(|id| run.problem.buffers[id].size);
    let rows: Vec<(String, u64, Option<u64>)> = if one.stripes > 0 {
        let nodes = before.graph.as_ref().map(|graph| graph.nodes.iter().collect::<Vec<_>>()).unwrap_or_default();
        let at = |name: &String| nodes.iter().position(|node| node.name == *name);
        let range = one.ops.first().and_then(at).zip(one.ops.last().and_then(at));
        let range = range.map_or(&[][..], |(first, last)| nodes.get(first..=last).unwrap_or_default());
        let outputs = range.iter().flat_map(|node| &node.outputs);
        let names = outputs.filter_map(|id| Some(before.graph.as_ref()?.tensors[*id].name.clone()));
        names
            .filter_map(|name| Some((name.clone(), bytes(before, &name)?, bytes(after, &format!("{name}/0")))))
            .collect()
    } else {
        one.tensors.iter().filter_map(|name| Some((name.clone(), bytes(before, name)?, None))).collect()
    };
    if rows.is_empty() {
        return Html::default();
    }
    let short = |name: &str| {
        let label = before.buffer_named(name).map_or(name, |id| before.label(id));
        cut_name(label, name)
    };
    html! {
        <table class="before-after">
            <thead><tr><th scope="col">{ page.word("fit.tensor") }</th><th scope="col">{ page.word("fit.whole") }</th>
                if one.stripes > 0 { <th scope="col">{ page.word("fit.a-stripe") }</th> }</tr></thead>
            <tbody>{ for rows.into_iter().take(ROWS).map(|(name, whole, part)| html! {
                <tr><th scope="row" class="cut">{ short(&name) }</th><td>{ size(page, whole) }</td>
                    if one.stripes > 0 { <td>{ size(page, part.unwrap_or(whole)) }</td> }</tr>
            }) }</tbody>
        </table>
    }
}

/// Most rows of the table.
const ROWS: usize = 12;

fn of_certificate(page: &Page, shown: &FitShown, certificate: &CertificateRecord) -> Html {
    let record = &shown.record;
    let is_stripes = certificate.kind == "stripes";
    let headline = match certificate.kind.as_str() {
        "stripes" => Message::new("fit.edges").count("count", certificate.edges.len() as u64),
        "memories" => Message::new("fit.cannot-lie"),
        _ => Message::new("fit.cannot"),
    };
    let headline = headline.name("name", record.short_name(&certificate.op)).bytes("bound", certificate.bound);
    let role = |role: &str| match role {
        "read" => "fit.role-read",
        "made" => "fit.role-made",
        _ => "fit.role-resting",
    };
    let allowed = Lever::ALL.into_iter().filter(|lever| record.allow.iter().any(|name| name == lever.name()));
    let refusals = |lever: Lever| certificate.refusals.iter().filter(move |refusal| refusal.lever == lever.name());
    let of_name = |name: &str| Lever::ALL.into_iter().find(|lever| lever.name() == name);
    let others = record.remedies().filter_map(|row| Some((row, of_name(&row.lever)?)));
    html! { <>
        <h3 class="headline" id="fit-why-headline">{ plain_words(page, &headline) }</h3>
        if !is_stripes {
            <ul class="certificate" id="fit-certificate" data-bound={certificate.bound.to_string()}>
                { for certificate.storages.iter().map(|storage| html! {
                    <li data-bytes={storage.bytes.to_string()}><span title={storage.name.clone()}>{ record.short_name(&storage.name) }{ " " }<span class="muted">{ page.word(role(&storage.role)) }</span></span><span>{ size(page, storage.bytes) }</span></li>
                }) }
                if certificate.elsewhere > 0 {
                    <li data-bytes={format!("-{}", certificate.elsewhere)}><span>{ page.word("fit.elsewhere") }</span><span>{ "−" }{ size(page, certificate.elsewhere) }</span></li>
                }
                <li><b>{ page.word("fit.together") }</b><b>{ size(page, certificate.bound) }</b></li>
            </ul>
        }
        if let Some(ideals) = certificate.ideals { <p>{ page.speech().say(&Message::new("fit.ideals").count("count", ideals)) }</p> }
        <dl class="facts">{ for allowed.map(|lever| html! { <>
            <dt>{ page.word(&Family::FIT_LEVER.of([lever.name()])) }</dt>
            <dd>{ page.word(&Family::FIT_CANNOT.of([lever.name()])) }{ for refusals(lever).map(|refusal| html! { <>{ page.blank() }{ plain_words(page, &record.short_why(&refusal.why)) }</> }) }</dd>
        </> }) }</dl>
        <p class="muted">{ page.word("fit.verify") }</p>
        { for others.map(|(row, lever)| html! {
            <p><button type="button" class="btn line" id={format!("fit-else-{}", lever.name())} onclick={page.on(move || change(FitChange::Allow(lever, true)))}>
                { page.speech().say(&Message::new("fit.else").text("lever", page.word(&Family::FIT_LEVER.of([lever.name()]))).bytes("peak", row.peak.unwrap_or(0)).inner("price", row.price_in_words())) }</button></p>
        }) }
    </> }
}
