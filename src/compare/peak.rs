//! Who causes the peak: the buffers live at the largest load, where the reference reaches highest,
//! or at the cursor, with their address in each plan.

use std::cmp::Reverse;
use std::rc::Rc;

use yew::prelude::*;

use crate::compare::state::Change;
use crate::compare::state::comparison::{Column, Shown};
use crate::compare::{change, selected_in, short_name};
use crate::context::columns::{Heading, table_heading};
use crate::context::names::{cut_name, humps};
use crate::context::{Page, use_page};
use crate::shell::state::action::{Action, StepAction};
use crate::widgets::sorting::Sorting;
use memplan_core::base::{Family, Id, Message};
use memplan_core::graph::Attr;
use memplan_core::plan::{Cause, LiveAt, Place, at_step};
use memplan_core::problem::{BufferId, ends};
use memplan_replay::{Run, counterpart};

/// Most buffers listed.
const MOST: usize = 100;

/// The steps that are looked at, by the end of their keys.
const VIEWS: [&str; 3] = ["load", "top", "cursor"];

#[component]
pub fn Peak() -> Html {
    let page = use_page();
    let view = use_state_eq(|| VIEWS[0]);
    let sorting = use_state_eq(Sorting::default);
    let Some(reference) = page.state.comparing.reference().cloned() else { return Html::default() };
    let Some(causes) = reference.found.causes.clone() else { return Html::default() };
    let at = match (*view, causes.top) {
        ("top", Some(top)) => top,
        ("cursor", _) => at_cursor(&page, &reference),
        _ => causes.load,
    };
    html! {
        <section aria-label={page.word("compare.causes")}>
            <header class="side-head"><h2>{ page.word("compare.causes") }</h2></header>
            <div class="segments views" role="group" aria-label={page.word("compare.causes")}>
                { for VIEWS.into_iter().map(|name| {
                    let view = view.clone();
                    html! { <button type="button" id={format!("causes-{name}")} aria-pressed={(*view == name).to_string()} title={page.word(&Family::COMPARE_CAUSES_IS.of([name]))}
                        onclick={ let view = view.clone(); move |_: MouseEvent| view.set(name) }>{ page.word(&Family::COMPARE_CAUSES.of([name])) }</button> }
                }) }
            </div>
            { heading(&page, &reference, &at, *view) }
            { table(&page, &reference, &at, *view, &sorting) }
        </section>
    }
}

/// What is live at the cursor. Nothing falls: that step is just looked at.
fn at_cursor(page: &Page, reference: &Shown) -> LiveAt {
    let step = page.state.comparing.step();
    let problem = &reference.run.problem;
    let mut live = Vec::new();
    reference.index().alive(problem, step, step + 1, |id| {
        live.push(Cause { buffer: id, size: problem.buffers[id].size, falls: 0 });
    });
    live.sort_by_key(|cause| (Reverse(cause.size), cause.buffer));
    LiveAt { step, live }
}

/// The step, its load, and at the cursor a field for another step.
fn heading(page: &Page, reference: &Shown, at: &LiveAt, view: &str) -> Html {
    let speech = page.speech();
    let load = reference.index().total().at(at.step);
    let key = if load == reference.index().total().max() { "compare.load-max" } else { "compare.load" };
    let load = speech.say(&Message::new(key).bytes("load", load));
    let live = speech.say(&Message::new("compare.live-at").count("step", at.step).count("n", at.live.len()));
    let node = reference.run.graph.as_ref().and_then(|graph| graph.nodes.get(Id::from_index(at.step as usize)));
    let node = node.map(|node| node.name.clone());
    if view != "cursor" {
        return html! { <p class="at-step" data-at-step={at.step.to_string()}>{ live }{ " · " }{ load }</p> };
    }
    let last = reference.run.problem.steps.saturating_sub(1);
    let send = page.send.clone();
    let moved = Callback::from(move |event: InputEvent| {
        let value = event.target_unchecked_into::<web_sys::HtmlInputElement>().value();
        if let Ok(step) = value.parse() {
            send.emit(change(Change::Step(step)));
        }
    });
    html! { <>
        <p class="at-step" data-at-step={at.step.to_string()}><label class="cursor">{ page.word("compare.cursor") }{ " " }
            <input type="number" class="small" id="cursor-step" min="0" max={last.to_string()} value={at.step.to_string()} oninput={moved} /></label>
            { node.map(|node| html! { <span class="cut" title={node.clone()}>{ node.clone() }</span> }) }</p>
        <p class="at-step">{ live }{ " · " }{ load }</p>
    </> }
}

fn table(page: &Page, reference: &Shown, at: &LiveAt, view: &str, sorting: &UseStateHandle<Sorting>) -> Html {
    let speech = page.speech();
    let run = &reference.run;
    let columns = &page.state.comparing.columns;
    let selected = selected_in(page, run);
    let address = |column: &Column, id| column.plan().map_or_else(|| "–".into(), |shown| address(page, run, id, shown));
    let mut live: Vec<&Cause> = at.live.iter().collect();
    sorting.sort(&mut live, |a, b, column| match column {
        0 => run.label(a.buffer).cmp(run.label(b.buffer)),
        _ => {
            let at = |cause: &Cause| place(run, cause.buffer, columns[column - 1].plan()?);
            let [a, b] = [at(a), at(b)].map(|place| place.map(|place| (place.pool, place.offset)));
            (a.is_none(), a).cmp(&(b.is_none(), b))
        }
    });
    let head = |column: usize, words: String, shown: String| {
        let (class, resizes) = (Classes::new(), column < columns.len());
        let heading = Heading { table: "causes", column, words, class, sorting: Some(sorting), resizes };
        table_heading(page, heading, humps(&shown))
    };
    html! { <>
        <table class="figures causes" id="causes">
            <thead><tr>{ head(0, page.word("compare.addresses"), page.word("compare.addresses")) }
                { for columns.iter().enumerate().map(|(number, column)| head(number + 1, column.choice.words(speech), short_name(page, &column.choice))) }</tr></thead>
            <tbody>
                { for live.iter().take(MOST).map(|cause| {
                    let buffer = &run.problem.buffers[cause.buffer];
                    html! { <tr class={(selected == Some(cause.buffer)).then_some("selected")} data-buffer={buffer.name.clone()} title={falls(page, cause, view)}>
                        <th scope="row">{ select(page, run, cause.buffer) }<small class="cut">{ made_by(run, cause.buffer) }{ speech.bytes(buffer.size) }</small></th>
                        { for columns.iter().map(|column| html! { <td class="num">{ address(column, cause.buffer) }</td> }) }
                    </tr> }
                }) }
                <tr class="free"><th scope="row">{ speech.say(&Message::new("compare.free-at").count("step", at.step)) }<small class="cut">{ page.word("compare.free-of") }</small></th>
                    { for columns.iter().map(|column| html! { <td class="num">{ column.plan().map_or_else(|| "–".into(), |shown| speech.bytes(free_at(shown, at.step))) }</td> }) }</tr>
            </tbody>
        </table>
        if at.live.len() > MOST { <p class="note muted">{ speech.say(&Message::new("compare.more-live").count("n", at.live.len() - MOST)) }</p> }
    </> }
}

/// What the largest load, or the peak of the reference, loses with a buffer.
fn falls(page: &Page, cause: &Cause, view: &str) -> Option<String> {
    let key = match view {
        "load" => "compare.bound-falls",
        "top" => "compare.peak-falls",
        _ => return None,
    };
    Some(page.speech().say(&Message::new(key).bytes("bytes", cause.falls)))
}

/// Bytes that no live buffer uses below the tops of the pools.
fn free_at(shown: &Shown, step: u32) -> u64 {
    at_step(&shown.run.problem, &shown.run.plan, step).gaps.iter().fold(0, |sum, gap| sum.saturating_add(*gap))
}

/// The address of a buffer in a plan, after the number of its pool if there are several.
fn address(page: &Page, run: &Run, id: BufferId, shown: &Shown) -> String {
    match place(run, id, shown) {
        None => page.word("compare.not-placed"),
        Some(place) if shown.run.plan.pools.len() > 1 => {
            format!("p{} {}", place.pool.0, page.speech().bytes(place.offset))
        }
        Some(place) => page.speech().bytes(place.offset),
    }
}

/// The place of a buffer of the reference in a plan.
fn place(run: &Run, id: BufferId, shown: &Shown) -> Option<Place> {
    counterpart(run, id, &shown.run).and_then(|id| shown.run.plan.places[id])
}

/// The part of the model that makes a buffer, or the operator, before its size.
fn made_by(run: &Run, id: BufferId) -> Option<String> {
    let graph = run.graph.as_ref()?;
    let node = &graph.nodes[ends(graph, &run.problem.buffers[id]).0?];
    let made_by = match node.attrs.get("module") {
        Some(Attr::Text(module)) if !module.is_empty() => module,
        _ => &node.op,
    };
    Some(format!("{made_by} · "))
}

/// A name that selects its buffer; a long one loses its middle.
fn select(page: &Page, run: &Rc<Run>, id: BufferId) -> Html {
    let own = page.state.document.run.as_ref().and_then(|own| counterpart(run, id, own));
    let name = &run.problem.buffers[id].name;
    html! { <button type="button" class="name cut named" title={name.clone()} aria-label={name.clone()} onclick={page.on(move || Action::Step(StepAction::Select(own)))}>{ cut_name(run.label(id), name) }</button> }
}
