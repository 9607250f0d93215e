//! The panel *Why*: headline, places looked at, notes, rule, effect, source, and the distance to
//! the lower bound.

use yew::prelude::*;

use crate::context::Page;
use crate::context::sentence::words;
use crate::shell::state::action::{Action, DocumentAction, StepAction};
use crate::step::panels::gap::gap_section;
use memplan_planners as planner;
use memplan_replay::{Why, WhyRow, counted, why};

/// Limit of the rows, and of the notes, that are shown: a free list can have thousands of blocks.
const MAX_ROWS: usize = 200;

pub fn why_panel(page: &Page) -> Html {
    let Some((run, frame)) = page.state.document.run.clone().zip(page.frame.clone()) else {
        return html! { <p class="empty">{ page.word("why.no-document") }</p> };
    };
    let why: Why = why(&run, &frame);
    let info = planner::info(&run.planner);
    let source = why.source.zip(info.map(|info| &info.source)).filter(|(_, source)| !source.repository.is_empty());
    let decision = frame.decision.filter(|_| frame.settled);
    let unkept = run.is_abridged() && decision.is_some_and(|decision| !run.keeps_places_of(decision as u32));
    // The verdict on a wrong guess, above, has told the rule.
    let is_rule_told =
        page.state.answer_here().is_some_and(|(_, answer)| answer.verdict.is_some() && !answer.is_right());
    let rule = why.rule.filter(|_| !is_rule_told);
    let hidden = why.rows.len().saturating_sub(MAX_ROWS) as u64;
    html! {
        <div class="why">
            <p class="headline" id="why-headline">{ words(page, &why.headline) }</p>
            if !why.rows.is_empty() {
                <table class="candidates">
                    <caption class="visually-hidden">{ page.word("why.candidates") }</caption>
                    <thead class="visually-hidden"><tr>
                        <th>{ page.word("why.number") }</th><th>{ page.word("why.place") }</th><th>{ page.word("why.verdict") }</th>
                    </tr></thead>
                    <tbody>{ for why.rows.iter().take(MAX_ROWS).map(|row| table_row(page, row)) }</tbody>
                </table>
                if let Some(counted) = counted(&run, &frame) { <p class="muted" id="why-counted">{ words(page, &counted) }</p> }
                if hidden > 0 {
                    <p class="muted">{ words(page, &memplan_core::base::Message::new("why.more-rows").count("n", hidden)) }</p>
                }
            }
            if why.rows.is_empty() && unkept {
                <p class="muted">{ page.word("why.abridged") }{ page.blank() }
                    <button type="button" class="name" id="look-closely" onclick={page.on(|| Action::Document(DocumentAction::LookClosely))}>{ page.word("why.look-closely") }</button></p>
            }
            if !why.notes.is_empty() {
                <ul class="notes" aria-label={page.word("why.notes")}>
                    { for why.notes.iter().take(MAX_ROWS).map(|note| html! { <li>{ words(page, note) }</li> }) }
                </ul>
            }
            <dl class="facts">
                if let Some(rule) = rule {
                    <dt>{ page.word("why.rule") }</dt><dd>{ words(page, &rule) }</dd>
                }
                if let Some(effect) = why.effect {
                    <dt>{ page.word("why.effect") }</dt><dd>{ words(page, &effect) }</dd>
                }
                if let Some((function, source)) = source {
                    <dt>{ page.word("why.source") }</dt>
                    <dd><a class="mono" href={source.url()}
                        rel="noreferrer" target="_blank" title={format!("{} {}", source.repository, source.version)}>{ function }</a></dd>
                }
            </dl>
            { gap_section(page, &run, &frame) }
        </div>
    }
}

fn table_row(page: &Page, row: &WhyRow) -> Html {
    let number = row.number;
    let pointed = page.state.stepping.candidate == Some(number);
    let class =
        classes!(row.chosen.then_some("chosen"), pointed.then_some("pointed"), (!row.visited).then_some("faded"));
    html! {
        <tr {class} onmouseenter={page.on(move || Action::Step(StepAction::Point(Some(number))))} onmouseleave={page.on(|| Action::Step(StepAction::Point(None)))}>
            <td>if row.visited { <span class={classes!("badge", row.chosen.then_some("chosen"))}>{ number }</span> }</td>
            <td class="place">{ words(page, &row.place) }</td>
            <td>{ words(page, &row.verdict) }</td>
        </tr>
    }
}
