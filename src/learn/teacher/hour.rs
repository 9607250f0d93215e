//! A lesson of fifty minutes: its rows are fetched, like the texts of lessons.

use std::collections::BTreeMap;

use serde::Deserialize;
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use crate::browser::dialogs::print;
use crate::browser::files::fetch;
use crate::browser::location::page_address;
use crate::context::clipboard::copy;
use crate::context::{Page, use_page};
use crate::learn::lessons::places::{address, plain};
use crate::learn::lessons::state::progress::LearnPlace;
use memplan_core::base::Message;
use memplan_worker::beside;

/// Where the rows lie, beside the programs.
const FILE: &str = "teach/hour.json";

/// The headings of its columns.
const HEADS: [&str; 6] =
    ["teach.plan-minutes", "teach.plan-title", "teach.plan-what", "teach.plan-ask", "teach.plan-expect", LINK];
const LINK: &str = "teach.plan-link";

/// The lesson in one language.
#[derive(Clone, PartialEq, Deserialize)]
struct Plan {
    title: String,
    lead: String,
    rows: Vec<Row>,
    after: String,
    map: Map,
}

#[derive(Clone, PartialEq, Deserialize)]
struct Row {
    minutes: u32,
    title: String,
    what: String,
    ask: String,
    expect: String,
    link: String,
}

/// Where textbooks treat what the lessons teach.
#[derive(Clone, PartialEq, Deserialize)]
struct Map {
    title: String,
    topics: Vec<Topic>,
}

#[derive(Clone, PartialEq, Deserialize)]
struct Topic {
    topic: String,
    lessons: Vec<u32>,
    /// Books with their sections.
    books: Vec<String>,
}

/// The rows in the language of the page.
#[component]
pub fn Hour() -> Html {
    let page = use_page();
    let found = use_state_eq(|| None::<BTreeMap<String, Plan>>);
    let set = found.setter();
    use_effect_with((), move |()| {
        spawn_local(async move {
            let read = fetch(&beside(FILE)).await.ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
            set.set(Some(read.unwrap_or_default()));
        });
    });
    let lang = page.state.settings.locale.name();
    let Some(found) = &*found else { return html! { <p class="muted">{ page.word("learn.loading") }</p> } };
    let Some(plan) = found.get(lang) else {
        return html! { <p role="alert">{ page.word("teach.plan-not-there") }</p> };
    };
    let rows = minutes(&plan.rows);
    let title = plan.title.clone();
    let copies = {
        let (markdown, send) = (markdown(&page, plan, &rows), page.send.clone());
        Callback::from(move |_: MouseEvent| copy(markdown.clone(), &send, Message::new("teach.plan-copied")))
    };
    let prints = Callback::from(|_: MouseEvent| print());
    html! {
        <section class="tcard" id="hour" aria-labelledby="teach-hour-title">
            <h2 id="teach-hour-title">{ title.clone() }</h2>
            <p>{ &plan.lead }</p>
            <div class="acts-row acts">
                <button type="button" class="btn line" id="hour-print" onclick={prints}>{ page.word("teach.plan-print") }</button>
                <button type="button" class="btn line" id="hour-copy" onclick={copies}>{ page.word("teach.plan-copy") }</button>
            </div>
            <div class="table-scroll" tabindex="0" role="group" aria-label={title}>
                <table class="results hour" id="teach-hour">
                    <thead><tr>{ for HEADS.iter().map(|key| html! { <th scope="col" class={(*key == LINK).then_some("acts")}>{ page.word(key) }</th> }) }</tr></thead>
                    <tbody>{ for rows.iter().map(|(span, row)| shown(&page, span, row)) }</tbody>
                </table>
            </div>
            if !page.state.settings.one_file {
                <p id="hour-answers">{ page.word("teach.plan-answers") }{ " " }{ for (1..=3).map(|number| html! { <><a href={plain(&page, Some(number))}>{ number }</a>{ " " }</> }) }</p>
            }
            <p class="muted">{ &plan.after }</p>
            { textbooks(&page, &plan.map) }
        </section>
    }
}

/// The rows, each with its minutes from the beginning.
fn minutes(rows: &[Row]) -> Vec<(String, &Row)> {
    let mut from = 0;
    let timed = rows.iter().map(|row| {
        let to = from + row.minutes;
        let span = format!("{from}–{to}");
        from = to;
        (span, row)
    });
    timed.collect()
}

fn link(page: &Page, row: &Row) -> String {
    format!("#{}&lang={}", row.link, page.state.settings.locale.name())
}

fn shown(page: &Page, span: &str, row: &Row) -> Html {
    let link = link(page, row);
    html! {
        <tr>
            <td class="num">{ span }</td>
            <th scope="row">{ &row.title }</th>
            <td>{ &row.what }</td>
            <td>{ &row.ask }</td>
            <td>{ &row.expect }</td>
            <td class="acts">
                <a href={link.clone()}>{ page.word("teach.plan-open") }</a>{ " · " }<a href={format!("{link}&present=1")}>{ page.word("header.present") }</a>
            </td>
        </tr>
    }
}

/// The plan as text for a file of one's own.
fn markdown(page: &Page, plan: &Plan, rows: &[(String, &Row)]) -> String {
    let heads = HEADS.map(|key| page.word(key));
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let mut made = format!("# {}\n\n{}\n\n", plan.title, plan.lead);
    made += &(line(&heads) + &line(&HEADS.map(|_| "---".to_string())));
    for (span, row) in rows {
        let address = format!("{}{}", page_address(), link(page, row));
        let told = [&row.title, &row.what, &row.ask, &row.expect].map(String::clone);
        made += &line(&[vec![span.clone()], told.to_vec(), vec![format!("<{address}>")]].concat());
    }
    made + "\n" + &plan.after + "\n"
}

fn textbooks(page: &Page, map: &Map) -> Html {
    let to = |&number: &u32| {
        let words = page.speech().say(&Message::new("learn.lesson").count("n", number));
        html! { <>{ " · " }<a href={address(page, LearnPlace { lesson: Some(number), paragraph: 0 })}>{ words }</a></> }
    };
    html! { <>
        <h3>{ &map.title }</h3>
        <ul id="hour-textbooks">{ for map.topics.iter().map(|topic| html! {
            <li>{ &topic.topic }{ for topic.lessons.iter().map(to) }
                { for topic.books.iter().map(|book| html! { <span class="book muted">{ book }</span> }) }</li>
        }) }</ul>
    </> }
}
