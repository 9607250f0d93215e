//! The table of figures, and what is live at the cursor.

use std::rc::Rc;

use yew::prelude::*;

use crate::app::browser::download::save_text;
use crate::app::compare::{name_of, same_buffer};
use crate::app::context::{Page, use_page};
use crate::app::model::comparison::{Column, Shown};
use crate::app::state::State;
use crate::app::state::action::{Action, StepAction};
use crate::base::{Arrange, Family, Message};
use crate::engine::{FIGURES, FigureTable, FigureValue, Measurement, RankingEntry, TableFormat};
use crate::problem::BufferId;

/// Most buffers listed.
const MOST: usize = 100;

pub fn side(page: &Page) -> Html {
    html! {
        <aside class="side" id="region-right" tabindex="-1" aria-label={page.word("compare.figures")}>
            { figures(page) }
            { live_buffers(page) }
            <Causes />
        </aside>
    }
}

/// Buttons that save as a table what `found` collects: names of graphs with entries.
pub fn exports(page: &Page, found: fn(&State) -> Vec<(String, RankingEntry)>) -> Html {
    let save = |form: TableFormat, name: &'static str| {
        let (state, speech) = (page.state.clone(), page.speech());
        let onclick = Callback::from(move |_: MouseEvent| {
            let found = found(&state);
            let rows = found.iter().map(|(graph, entry)| (graph.as_str(), entry)).collect();
            save_text(&format!("compare.{name}"), &FigureTable { rows, speech }.write(form));
        });
        html! { <button type="button" class="btn line" data-export={name} {onclick}>{ name.to_uppercase() }</button> }
    };
    html! { <span class="exports" role="group" aria-label={page.word("compare.export")}>
        { save(TableFormat::Csv, "csv") }{ save(TableFormat::Markdown, "md") }{ save(TableFormat::Json, "json") }
    </span> }
}

pub fn document_name(state: &State) -> String {
    state.document.open.as_ref().map(|document| document.name.clone()).unwrap_or_default()
}

/// What a saved table of the columns holds.
fn rows(state: &State) -> Vec<(String, RankingEntry)> {
    let entry = |column: &Column| {
        let result = column.shown.clone()?.map(|shown| shown.found.clone());
        Some((document_name(state), RankingEntry { choice: column.choice.clone(), result }))
    };
    state.comparing.columns.iter().filter_map(entry).collect()
}

fn figures(page: &Page) -> Html {
    let speech = page.speech();
    let columns = &page.state.comparing.columns;
    let found: Vec<Option<&Measurement>> =
        columns.iter().map(|column| column.plan().map(|shown| &shown.found)).collect();
    let machine =
        Message::new("compare.machine").text("millis", FigureValue::Millis(page.state.comparing.speed).words(speech));
    html! { <>
        <header class="side-head"><h2>{ page.word("compare.figures") }</h2><span class="muted">{ speech.unit.name() }</span>
            <span class="grow"></span>{ exports(page, rows) }</header>
        <table class="figures" id="figures">
            <thead><tr><td></td>{ for columns.iter().map(|column| html! { <th scope="col">{ name_of(page, &column.choice) }</th> }) }</tr></thead>
            <tbody>{ for FIGURES.iter().map(|figure| {
                let best = figure.best_of(&found);
                html! { <tr data-figure={figure.key} title={page.word(&Family::FIGURE_IS.of([figure.key]))}>
                    <th scope="row">{ page.word(&Family::FIGURE.of([figure.key])) }</th>
                    { for found.iter().zip(best).map(|(found, best)| {
                        let cell = found.map_or(FigureValue::Unknown, |found| figure.value(found));
                        html! { <td class={classes!("num", best.then_some("best"))} data-value={cell.plain()}>
                            if best { <span class="visually-hidden">{ page.word("compare.best") }{ " " }</span> }
                            { cell.words(speech) }</td> }
                    }) }
                </tr> }
            }) }</tbody>
        </table>
        <p class="note muted">{ speech.say(&machine) }</p>
    </> }
}

/// Buffers live at the cursor with their address in each plan.
fn live_buffers(page: &Page) -> Html {
    let speech = page.speech();
    let comparing = &page.state.comparing;
    let Some(reference) = comparing.reference() else { return Html::default() };
    let step = comparing.step();
    let run = &reference.run;
    let mut live: Vec<BufferId> = Vec::new();
    reference.index.alive(&run.problem, step, step + 1, |id| live.push(id));
    live.arrange_by_key(|&id| (std::cmp::Reverse(run.problem.buffers[id].size), id));
    let plans: Vec<Option<&Rc<Shown>>> = comparing.columns.iter().map(|column| column.plan()).collect();
    let heading = Message::new("compare.live-at").count("step", step).count("n", live.len() as u64);
    html! { <>
        <header class="side-head"><h2>{ speech.say(&heading) }</h2><span class="muted">{ page.word("compare.addresses") }</span></header>
        <table class="figures" id="live"><tbody>
            { for live.iter().take(MOST).map(|&id| {
                let buffer = &run.problem.buffers[id];
                let is_selected = crate::app::compare::selected_in(page, run) == Some(id);
                html! { <tr class={is_selected.then_some("selected")} data-buffer={buffer.name.clone()}>
                    <th scope="row">{ select(page, run, id) }{ " " }<span class="muted">{ speech.bytes(buffer.size) }</span></th>
                    { for plans.iter().map(|shown| html! { <td class="num">{ shown.map_or_else(|| "–".into(), |shown| address(page, run, id, shown)) }</td> }) }
                </tr> }
            }) }
        </tbody></table>
    </> }
}

/// The address of a buffer in a plan, after the number of its pool if there are several.
fn address(page: &Page, run: &crate::replay::Run, id: BufferId, shown: &Shown) -> String {
    let place = same_buffer(run, id, &shown.run).and_then(|id| shown.run.plan.places[id]);
    match place {
        None => "–".into(),
        Some(place) if shown.run.plan.pools.len() > 1 => {
            format!("p{} {}", place.pool.0, page.speech().unit.figure(place.offset))
        }
        Some(place) => page.speech().unit.figure(place.offset),
    }
}

/// A name that selects its buffer.
fn select(page: &Page, run: &crate::replay::Run, id: BufferId) -> Html {
    let own = page.state.document.run.as_ref().and_then(|own| same_buffer(run, id, own));
    html! { <button type="button" class="name" onclick={page.on(move || Action::Step(StepAction::Select(own)))}>{ &run.problem.buffers[id].name }</button> }
}

/// Who causes the peak of the reference.
#[component]
fn Causes() -> Html {
    let page = use_page();
    let by = use_state_eq(|| 0usize);
    let speech = page.speech();
    let Some(reference) = page.state.comparing.reference().cloned() else { return Html::default() };
    let Some((step, causes)) = &reference.found.causes else { return Html::default() };
    const KEYS: [&str; 4] = ["size", "area", "falls", "bound-falls"];
    let mut rows = causes.clone();
    let value = |cause: &crate::plan::Cause| [cause.size, cause.area, cause.falls, cause.bound_falls];
    rows.arrange_by_key(|cause| (std::cmp::Reverse(value(cause)[*by]), cause.buffer));
    html! {
        <section aria-label={page.word("compare.causes")}>
            <header class="side-head"><h2>{ page.word("compare.causes") }</h2>
                <span class="muted">{ speech.say(&Message::new("compare.causes.at").count("step", *step)) }</span></header>
            <table class="figures" id="causes">
                <thead><tr><td></td>{ for KEYS.iter().enumerate().map(|(number, key)| {
                    let by = by.clone();
                    let sorted = (*by == number).then_some("descending");
                    html! { <th scope="col" aria-sort={sorted} title={page.word(&Family::COMPARE_CAUSE_IS.of([key]))}>
                        <button type="button" class="name" onclick={move |_: MouseEvent| by.set(number)}>{ page.word(&Family::COMPARE_CAUSE.of([key])) }</button></th> }
                }) }</tr></thead>
                <tbody>{ for rows.iter().take(MOST).map(|cause| html! {
                    <tr><th scope="row">{ select(&page, &reference.run, cause.buffer) }</th>
                        { for value(cause).iter().map(|bytes| html! { <td class="num">{ speech.unit.figure(*bytes) }</td> }) }</tr>
                }) }</tbody>
            </table>
        </section>
    }
}
