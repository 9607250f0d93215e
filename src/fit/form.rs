//! The budget: memories, what they hold besides tensors, what may be changed, and what may be paid.

use web_sys::HtmlTextAreaElement;
use yew::prelude::*;

use crate::context::Page;
use crate::context::sentence::{plain_words, size};
use crate::fit::change;
use crate::fit::state::{FitChange, Paid, Taken};
use crate::widgets::button::IconButton;
use crate::widgets::icons::{Icon, glyph};
use crate::widgets::typed::TypedField;
use memplan_core::base::{Family, Message};
use memplan_fit::{Lever, Prefer, every_operator};

/// Most operators that are listed: a link carries the list.
const LISTED: usize = 1_000;

/// Words of a price that a lever costs.
const fn price_of(lever: Lever) -> &'static str {
    match lever {
        Lever::Planner | Lever::Order | Lever::InPlace | Lever::Views => "fit.free",
        Lever::Bank | Lever::Spill => "fit.costs-bytes",
        Lever::Recompute | Lever::Stripes => "fit.costs-macs",
    }
}

pub fn form(page: &Page) -> Html {
    html! {
        <section class="fit-form" id="region-left" tabindex="-1" aria-label={page.word("fit.budget")}>
            { turns(page) }
            { memories(page) }
            { taken(page) }
            { allowed(page) }
            { prefer(page) }
        </section>
    }
}

/// Buttons that take the last change of the form back, and make it again.
fn turns(page: &Page) -> Html {
    let undo = &page.state.fitting.undo;
    let turn = |(id, icon, key, to): (&'static str, Icon, &str, FitChange), can: bool| {
        let name = page.word(key);
        // A button that is disabled loses the focus.
        html! { <button type="button" class="btn icon-only" {id} aria-label={name.clone()} title={name} aria-disabled={(!can).then_some("true")}
        onclick={page.on(move || change(to.clone()))}>{ glyph(icon) }</button> }
    };
    html! {
        <div class="fit-turns">{ turn(("fit-undo", Icon::Undo, "fit.undo", FitChange::Undo), undo.can_undo()) }{ turn(("fit-redo", Icon::Redo, "fit.redo", FitChange::Redo), undo.can_redo()) }</div>
    }
}

/// A field of the form: a search begins with every change.
fn field(
    page: &Page,
    label: String,
    value: &str,
    hint: impl Into<AttrValue>,
    make: impl Fn(String) -> FitChange + 'static,
) -> Html {
    let send = page.send.clone();
    let onchange = Callback::from(move |text: String| send.emit(change(make(text))));
    let hint = hint.into();
    html! { <TypedField value={value.to_string()} {label} {hint} {onchange} /> }
}

fn memories(page: &Page) -> Html {
    let memories = &page.state.fitting.form.memories;
    let columns = ["fit.memory-name", "fit.memory-size", "fit.memory-cost"];
    // What an empty field counts as; a size has to be stated.
    let hints = ["SRAM".to_string(), page.word("fit.memory-size.hint"), "1".to_string()];
    let row = |(number, memory): (usize, &[String; 3])| {
        let cell = |at: usize| {
            let label = Message::new("fit.memory-field")
                .count("number", number as u64 + 1)
                .text("field", page.word(columns[at]));
            field(page, page.speech().say(&label), &memory[at], hints[at].clone(), move |text| {
                FitChange::Memory(number, at, text)
            })
        };
        let remove = page.speech().say(&Message::new("fit.memory-remove").text("name", &memory[0]));
        html! { <div class="memory-row" key={number}>{ for (0..3).map(cell) }
            if number > 0 { <IconButton name={remove} icon={Icon::Close} onclick={page.on(move || change(FitChange::RemoveMemory(number)))} /> }
        </div> }
    };
    html! {
        <fieldset class="fit-part" id="fit-memories">
            <legend>{ page.word("fit.memories") }</legend>
            <div class="memory-row head" aria-hidden="true">{ for columns.map(|key| html! { <span>{ page.word(key) }</span> }) }</div>
            { for memories.iter().enumerate().map(row) }
            if let Some((number, meant)) = page.state.fitting.form.without_unit() { { without_unit(page, number, meant) } }
            <button type="button" class="btn" id="fit-add-memory" onclick={page.on(|| change(FitChange::AddMemory))}>{ glyph(Icon::Add) }{ page.word("fit.memory-add") }</button>
        </fieldset>
    }
}

/// Says what a size without a unit counts as, and offers what it may have been meant as.
fn without_unit(page: &Page, number: usize, meant: String) -> Html {
    let message = Message::new("fit.no-unit").text("text", page.state.fitting.form.memories[number][1].trim());
    let take = page.speech().say(&Message::new("fit.take-unit").text("size", meant.clone()));
    html! { <p class="fit-unit" id="fit-no-unit" role="status">{ plain_words(page, &message) }{ " " }
    <button type="button" class="btn line" onclick={page.on(move || change(FitChange::Memory(number, 1, meant.clone())))}>{ take }</button></p> }
}

fn taken(page: &Page) -> Html {
    let form = &page.state.fitting.form;
    let row = |(which, key): (Taken, &'static str)| {
        html! {
            <label class="fit-field"><span>{ page.word(key) }</span>
                { field(page, page.word(key), &form.taken[which as usize], "0 B", move |text| FitChange::Taken(which, text)) }</label>
        }
    };
    let left = form.request().ok().flatten().and_then(|request| request.available().ok());
    let send = page.send.clone();
    let is_empty = form.operators.trim().is_empty();
    let graph = page.state.document.open.as_ref().and_then(|open| open.graph.clone());
    let lists = graph.filter(|graph| is_empty && (1..=LISTED).contains(&graph.nodes.len()));
    let onchange = Callback::from(move |event: Event| {
        send.emit(change(FitChange::Operators(event.target_unchecked_into::<HtmlTextAreaElement>().value())));
    });
    html! {
        <fieldset class="fit-part">
            <legend>{ page.word("fit.taken") }{ " " }<span class="muted">{ page.word("fit.taken.hint") }</span></legend>
            { for [(Taken::Scratch, "fit.scratch"), (Taken::Persistent, "fit.persistent")].into_iter().map(row) }
            <details><summary>{ page.word("fit.by-operator") }</summary>
                <textarea rows="3" spellcheck="false" aria-label={page.word("fit.by-operator")} placeholder="op,bytes" value={form.operators.clone()} {onchange} />
                if let Some(graph) = lists {
                    <button type="button" class="btn line" id="fit-list-operators" onclick={page.on(move || change(FitChange::Operators(every_operator(&graph))))}>{ page.word("fit.list-operators") }</button>
                }</details>
            // Always there, so that nothing moves under the pointer that leaves a field.
            <p class="fit-field"><span>{ page.word("fit.left") }</span><b id="fit-left">{ left.map_or_else(|| html! { { "–" } }, |left| size(page, left)) }</b></p>
        </fieldset>
    }
}

fn allowed(page: &Page) -> Html {
    let form = &page.state.fitting.form;
    let row = |lever: Lever| {
        let (on, name) = (form.allow.contains(&lever), lever.name());
        let (does, id) = (page.word(&Family::FIT_RULE.of([name])), format!("fit-rule-{name}"));
        html! { <label class={classes!("allow", (!on).then_some("off"))} title={format!("{does} (--allow {name})")}>
        <input type="checkbox" id={format!("fit-allow-{name}")} aria-describedby={id.clone()} checked={on} disabled={lever == Lever::Planner}
            onclick={page.on(move || change(FitChange::Allow(lever, !on)))} />
        <span>{ page.word(&Family::FIT_LEVER.of([name])) }</span><span class="muted">{ page.word(price_of(lever)) }</span><span class="visually-hidden" {id}>{ does }</span></label> }
    };
    let limit = |(which, key): (Paid, &'static str)| {
        html! {
            <label class="fit-field"><span>{ page.word(key) }</span>
                { field(page, page.word(key), &form.limits[which as usize], page.word("fit.unlimited"), move |text| FitChange::Limit(which, text)) }</label>
        }
    };
    html! {
        <fieldset class="fit-part">
            <legend>{ page.word("fit.allowed") }{ " " }<span class="muted">{ page.word("fit.allowed.hint") }</span></legend>
            { for Lever::ALL.into_iter().map(row) }
            { for [(Paid::Macs, "fit.most-macs"), (Paid::Bytes, "fit.most-bytes")].into_iter().map(limit) }
        </fieldset>
    }
}

fn prefer(page: &Page) -> Html {
    let form = &page.state.fitting.form;
    html! {
        <fieldset class="fit-part">
            <legend>{ page.word("fit.prefer") }</legend>
            <div class="segments">{ for [Prefer::Macs, Prefer::Bytes].into_iter().map(|prefer| html! {
                <button type="button" id={format!("fit-prefer-{}", prefer.name())} aria-pressed={(form.prefer == prefer).to_string()}
                    onclick={page.on(move || change(FitChange::Prefer(prefer)))}>
                    { page.word(if prefer == Prefer::Macs { "fit.fewest-macs" } else { "fit.fewest-bytes" }) }</button>
            }) }</div>
        </fieldset>
    }
}
