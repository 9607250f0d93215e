//! The check of result codes: lines that were pasted, as a table.

use web_sys::Element;
use yew::prelude::*;

use crate::browser::dom::by_id;
use crate::browser::download::save_text;
use crate::context::same::Same;
use crate::context::sentence::plain_words;
use crate::context::{Layout, Page, use_page};
use crate::learn::exercise::onward::refused;
use crate::learn::exercise::review::asked;
use crate::learn::teacher::fields::lines;
use crate::learn::teacher::state::form::{Corner, Field};
use crate::shell::state::action::{Action, TeachAction};
use crate::widgets::icons::{Icon, glyph};
use memplan_core::base::Message;
use memplan_engine::{CheckedList, CheckedRow, PictureLook};
use memplan_teach::exercise::code::figures;

/// Most rules and questions that are listed.
const MISSED: usize = 8;

/// The fields, and the table once it is there.
pub fn checker(page: &Page, dark: bool) -> Html {
    let teaching = &page.state.teaching;
    let is_empty = teaching.form.read(Field::Lines).trim().is_empty();
    html! {
        <section class="tcard" aria-labelledby="teach-check-title">
            <h2 id="teach-check-title">{ page.word("teach.check-title") }</h2>
            <p class="muted">{ page.word("teach.check-about") }</p>
            { lines(page, Field::Lines, "teach.lines", "5") }
            { lines(page, Field::Links, "teach.links", "2") }
            <div class="acts-row">
                <button type="button" class="btn main" id="teach-check" disabled={is_empty}
                    onclick={page.on(|| Action::Teach(TeachAction::Check((js_sys::Date::now() / 1000.0) as u64)))}>{ page.word("teach.check") }</button>
                if let Some(list) = &teaching.checked {
                    { download(page, list) }
                }
            </div>
            if let Some(why) = teaching.failure.as_ref().filter(|_| teaching.corner == Some(Corner::Link)) { { refused(page, why) } }
            <div role="status">if let Some(list) = &teaching.checked { { table(page, list, dark) } }</div>
            if teaching.pictures.is_some() { <Looked /> }
        </section>
    }
}

/// The questions of the student who was chosen. They stand below a table that may be long, and come
/// into sight.
#[component]
fn Looked() -> Html {
    let page = use_page();
    let shown = page.state.teaching.pictures.clone();
    use_effect_with(shown.as_ref().map(|(_, pictures)| Same::from(pictures)), |_| {
        by_id("teach-pictures").iter().for_each(Element::scroll_into_view);
    });
    let Some((name, pictures)) = shown else { return Html::default() };
    html! { <>
        <h3 id="teach-pictures">{ page.speech().say(&Message::new("teach.pictures-of").text("name", name)) }</h3>
        { asked(&page, &pictures) }
    </> }
}

fn download(page: &Page, list: &CheckedList) -> Html {
    let text = list.csv.clone();
    let onclick = Callback::from(move |_: MouseEvent| save_text("results.csv", &text));
    html! { <button type="button" class="btn line" id="teach-csv" {onclick}>{ glyph(Icon::Drop) }{ page.word("teach.csv") }</button> }
}

fn table(page: &Page, list: &CheckedList, dark: bool) -> Html {
    // The verdict stands beside the name, where a narrow screen shows it, too.
    let heads = ["code.column-name", "code.column-verdict", "code.column-right", "code.column-attempts"];
    let heads = heads.into_iter().chain(["teach.exercise", "code.column-time"]);
    html! { <>
        <div class="table-scroll" tabindex="0" role="group" aria-label={page.word("teach.check-title")}>
        <table class="results" id="teach-results">
            <thead><tr>
                { for heads.map(|key| html! { <th scope="col">{ page.word(key) }</th> }) }
                <th scope="col"><span class="visually-hidden">{ page.word("teach.pictures") }</span></th>
            </tr></thead>
            <tbody>{ for list.rows.iter().enumerate().map(|(at, checked)| row(page, at, checked, dark)) }</tbody>
        </table></div>
        if !list.missed.is_empty() {
            <h3>{ page.word("teach.missed") }</h3>
            <ul class="missed-rules" id="teach-missed">{ for list.missed.iter().take(MISSED).map(|(what, times)| html! {
                <li><span class="count">{ times }{ "×" }</span><div>{ plain_words(page, what) }</div></li>
            }) }</ul>
        }
    </> }
}

fn row(page: &Page, at: usize, row: &CheckedRow, dark: bool) -> Html {
    let flags = row.outcome.map(|outcome| {
        let flag = |is: bool, key: &str| is.then(|| page.word(key));
        let remarks: Vec<String> =
            [flag(outcome.helped, "code.column-helped"), flag(outcome.shown, "code.column-shown")]
                .into_iter()
                .flatten()
                .collect();
        remarks.join(&page.word("list.separator"))
    });
    let score = row.outcome.map(|outcome| page.speech().say(&figures(&outcome, row.kind)));
    let (passed, class, icon) = match row.passed {
        Some(true) => ("true", "passed", Some(Icon::Check)),
        Some(false) => ("false", "failed", Some(Icon::Close)),
        None => ("unknown", "muted", None),
    };
    let look = PictureLook { dark, narrow: page.layout == Layout::Narrow };
    html! {
        <tr data-passed={passed}>
            <th scope="row">{ &row.name }</th>
            <td class={classes!("judged", class)}>
                { for icon.map(glyph) }{ plain_words(page, &row.verdict) }
                if let Some(flags) = flags.filter(|flags| !flags.is_empty()) { <span class="muted">{ " · " }{ flags }</span> }
            </td>
            <td class="num">{ score }</td>
            <td class="num">{ row.outcome.map(|outcome| outcome.attempts.to_string()) }</td>
            <td>{ &row.exercise }</td>
            <td class="num">{ &row.date }</td>
            <td>if !row.link.is_empty() {
                <button type="button" class="name" data-pictures={row.name.clone()} onclick={page.on(move || Action::Teach(TeachAction::Pictures(Some(at), look)))}>{ page.word("teach.pictures") }</button>
            }</td>
        </tr>
    }
}
