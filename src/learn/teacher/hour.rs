//! A lesson of fifty minutes: its rows are fetched, like the texts of lessons.

use serde_json::Value;
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use crate::browser::dialogs::print;
use crate::browser::files::fetch;
use crate::browser::location::page_address;
use crate::context::clipboard::copy;
use crate::context::{Page, use_page};
use crate::learn::{address, plain};
use crate::model::learning::LearnPlace;
use memplan_core::base::Message;
use memplan_worker::beside;

/// Where the rows lie, beside the programs.
const FILE: &str = "teach/hour.json";

/// The headings of its columns.
const HEADS: [&str; 6] =
    ["teach.plan-minutes", "teach.plan-title", "teach.plan-what", "teach.plan-ask", "teach.plan-expect", LINK];
const LINK: &str = "teach.plan-link";

/// The rows in the language of the page.
#[component]
pub fn Hour() -> Html {
    let page = use_page();
    let found = use_state_eq(|| None::<Value>);
    let set = found.setter();
    use_effect_with((), move |()| {
        spawn_local(async move {
            let read = fetch(&beside(FILE)).await.ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
            set.set(Some(read.unwrap_or(Value::Null)));
        });
    });
    let lang = page.state.settings.locale.name();
    let Some(found) = &*found else { return html! { <p class="muted">{ page.word("learn.loading") }</p> } };
    let Some((plan, rows)) = found.get(lang).and_then(|plan| Some((plan, plan.get("rows")?.as_array()?))) else {
        return html! { <p role="alert">{ page.word("teach.plan-not-there") }</p> };
    };
    let rows = minutes(rows);
    let title = text(plan, "title");
    let copies = {
        let (markdown, send) = (markdown(&page, plan, &rows), page.send.clone());
        Callback::from(move |_: MouseEvent| copy(markdown.clone(), &send, Message::new("teach.plan-copied")))
    };
    let prints = Callback::from(|_: MouseEvent| print());
    html! {
        <section class="tcard" id="hour" aria-labelledby="teach-hour-title">
            <h2 id="teach-hour-title">{ title.clone() }</h2>
            <p>{ text(plan, "lead") }</p>
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
            <p id="hour-answers">{ page.word("teach.plan-answers") }{ " " }{ for (1..=3).map(|number| html! { <><a href={plain(&page, Some(number))}>{ number }</a>{ " " }</> }) }</p>
            <p class="muted">{ text(plan, "after") }</p>
            { textbooks(&page, plan) }
        </section>
    }
}

fn text(value: &Value, name: &str) -> String {
    value.get(name).and_then(Value::as_str).unwrap_or_default().to_string()
}

/// The rows, each with its minutes from the beginning.
fn minutes(rows: &[Value]) -> Vec<(String, &Value)> {
    let mut from = 0;
    let row = |row| {
        let to = from + Value::get(row, "minutes").and_then(Value::as_u64).unwrap_or(0);
        let span = format!("{from}–{to}");
        from = to;
        (span, row)
    };
    rows.iter().map(row).collect()
}

fn link(page: &Page, row: &Value) -> String {
    format!("#{}&lang={}", text(row, "link"), page.state.settings.locale.name())
}

fn shown(page: &Page, span: &str, row: &Value) -> Html {
    let link = link(page, row);
    html! {
        <tr>
            <td class="num">{ span }</td>
            <th scope="row">{ text(row, "title") }</th>
            <td>{ text(row, "what") }</td>
            <td>{ text(row, "ask") }</td>
            <td>{ text(row, "expect") }</td>
            <td class="acts">
                <a href={link.clone()}>{ page.word("teach.plan-open") }</a>{ " · " }<a href={format!("{link}&present=1")}>{ page.word("header.present") }</a>
            </td>
        </tr>
    }
}

/// The plan as text for a file of one's own.
fn markdown(page: &Page, plan: &Value, rows: &[(String, &Value)]) -> String {
    let heads = HEADS.map(|key| page.word(key));
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let mut made = format!("# {}\n\n{}\n\n", text(plan, "title"), text(plan, "lead"));
    made += &(line(&heads) + &line(&HEADS.map(|_| "---".to_string())));
    for (span, row) in rows {
        let address = format!("{}{}", page_address(), link(page, row));
        let told = ["title", "what", "ask", "expect"].map(|name| text(row, name));
        made += &line(&[vec![span.clone()], told.to_vec(), vec![format!("<{address}>")]].concat());
    }
    made + "\n" + &text(plan, "after") + "\n"
}

/// A book with the section that treats a topic.
fn book_line(book: &str) -> Html {
    html! { <span class="book muted">{ book.to_string() }</span> }
}

/// Where textbooks treat what the lessons teach.
fn textbooks(page: &Page, plan: &Value) -> Html {
    let map = plan.get("map").unwrap_or(&Value::Null);
    let list = |value: &Value, name: &str| value.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
    let to = |number: Value| {
        let number = number.as_u64().unwrap_or(1) as u32;
        let words = page.speech().say(&Message::new("learn.lesson").count("n", number));
        html! { <>{ " · " }<a href={address(page, LearnPlace { lesson: Some(number), paragraph: 0 })}>{ words }</a></> }
    };
    html! { <>
        <h3>{ text(map, "title") }</h3>
        <ul id="hour-textbooks">{ for list(map, "topics").iter().map(|topic| html! {
            <li>{ text(topic, "topic") }{ for list(topic, "lessons").into_iter().map(to) }
                { for list(topic, "books").iter().filter_map(|book| book.as_str().map(book_line)) }</li>
        }) }</ul>
    </> }
}
