//! Fields of the forms: all are kept as texts in the state.

use wasm_bindgen::JsCast;
use yew::prelude::*;

use crate::context::Page;
use crate::context::open::open_example;
use crate::learn::exercise::state::first_frame;
use crate::learn::teacher::state::form::{Corner, Field, HIDEABLE, Offered};
use crate::open::state::link::Restored;
use crate::shell::state::action::{Action, DocumentAction, TeachAction};
use memplan_core::base::Family;
use memplan_planners as planner;
use memplan_teach::choices;
use memplan_teach::exercise::link::Hidden;

/// Examples that a class can work out by hand.
const SMALL: [&str; 5] = ["teaching", "learn/fits-best", "learn/fits-first", "learn/fits-worst", "learn/nine-blocks"];

/// An event handler that writes what an element holds into a field.
fn writes(page: &Page, field: Field) -> Callback<Event> {
    let send = page.send.clone();
    Callback::from(move |event: Event| {
        let held = event.target().and_then(|target| js_sys::Reflect::get(target.unchecked_ref(), &"value".into()).ok());
        let text = held.and_then(|held| held.as_string()).unwrap_or_default();
        send.emit(Action::Teach(TeachAction::Write(field, text)));
    })
}

/// The same at every change, so that what depends on the text is there before the field is left.
fn writes_at_once(page: &Page, field: Field) -> Callback<InputEvent> {
    let writes = writes(page, field);
    Callback::from(move |event: InputEvent| writes.emit(event.into()))
}

fn id_of(field: Field) -> String {
    format!("teach-{field:?}").to_lowercase()
}

/// A row of a form: what it is called, and the element.
fn row(page: &Page, field: Field, label: &str, element: Html) -> Html {
    html! { <p class="field"><label for={id_of(field)}>{ page.word(label) }</label>{ element }</p> }
}

/// A line of text.
pub fn text(page: &Page, field: Field, label: &str, class: &'static str) -> Html {
    text_of(page, field, label, class, page.state.teaching.form.read(field).to_string())
}

/// A number that follows the document that is asked about until it is written.
pub fn counted(page: &Page, field: Field, label: &str, offered: Option<&Offered>) -> Html {
    text_of(page, field, label, "number", page.state.teaching.form.shown(field, offered))
}

fn text_of(page: &Page, field: Field, label: &str, class: &'static str, value: String) -> Html {
    let element = html! {
        <input type="text" id={id_of(field)} class={classes!("small", class)} autocomplete="off" {value} onchange={writes(page, field)} />
    };
    row(page, field, label, element)
}

/// Lines of text.
pub fn lines(page: &Page, field: Field, label: &str, rows: &'static str) -> Html {
    let value = page.state.teaching.form.read(field).to_string();
    // Typed buffers are planned when the field is left.
    let at_once = (field != Field::Own).then(|| writes_at_once(page, field));
    html! {
        <div class="field-lines"><label for={id_of(field)}>{ page.word(label) }</label>
            <textarea id={id_of(field)} {rows} autocomplete="off" spellcheck="false" {value} onchange={writes(page, field)} oninput={at_once} /></div>
    }
}

/// A choice among values with their words.
pub fn choice(page: &Page, field: Field, label: &str, choices: &[(&str, String)]) -> Html {
    let chosen = page.state.teaching.form.read(field);
    let option = |(value, words): &(&str, String)| {
        html! { <option value={value.to_string()} selected={*value == chosen}>{ words }</option> }
    };
    let element = html! {
        <select id={id_of(field)} class="small" onchange={writes(page, field)}>{ for choices.iter().map(option) }</select>
    };
    row(page, field, label, element)
}

/// What is kept off the picture, one box each.
pub fn hidden(page: &Page) -> Html {
    let form = &page.state.teaching.form;
    let hidden = form.hidden();
    let box_of = |part: Hidden| {
        let name = part.name();
        let toggled = form.toggled(part);
        let onchange = page.on(move || Action::Teach(TeachAction::Write(Field::Hide, toggled.clone())));
        html! {
            <label><input type="checkbox" id={format!("teach-hide-{name}")} checked={hidden.contains(&part)} {onchange} />
                { page.word(&Family::TEACH_HIDE.of([name])) }</label>
        }
    };
    html! {
        <p class="field hides" role="group" aria-label={page.word("teach.hide")}>
            <span>{ page.word("teach.hide") }</span><span class="boxes">{ for HIDEABLE.into_iter().map(box_of) }</span>
        </p>
    }
}

/// The planners with their names; those of storages only where they are wanted.
pub fn planners(page: &Page, with_storages: bool) -> Vec<(&'static str, String)> {
    let infos = planner::INFOS.iter().filter(|info| info.ranked && (with_storages || !info.storages));
    infos.map(|info| (info.id, planner::title_of(info.id, page.speech()))).collect()
}

/// Opens an example and stays in the corner.
pub fn open_small(page: &Page, name: &str, part: Corner) {
    let restored = Restored { planner: Some(choices::WELCOME.into()), teach: Some(part), ..Restored::default() };
    page.send.emit(Action::Document(DocumentAction::Restore(Box::new(restored))));
    open_example(name.into(), Some(first_frame()), page.send.clone());
}

/// Buttons that open a small example and stay in the corner.
pub fn documents(page: &Page, part: Corner) -> Html {
    let open = |name: &'static str| {
        let of = page.clone();
        let onclick = Callback::from(move |_: MouseEvent| open_small(&of, name, part));
        html! { <button type="button" class="pill" data-example={name} {onclick}>{ name.rsplit('/').next() }</button> }
    };
    html! { <p class="pills examples"><span class="muted">{ page.word("teach.examples") }</span>{ page.blank() }{ for SMALL.into_iter().map(open) }</p> }
}
