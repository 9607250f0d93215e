//! A lesson of fifty minutes: its rows are fetched, like the texts of lessons.

use serde_json::Value;
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use crate::app::browser::files::fetch;
use crate::app::browser::hooks::{use_effect_with, use_state_eq};
use crate::app::context::use_page;
use crate::worker::beside;

/// Where the rows lie, beside the programs.
const FILE: &str = "teach/hour.json";

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
    let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_string();
    let Some((plan, rows)) = found.get(lang).and_then(|plan| Some((plan, plan.get("rows")?.as_array()?))) else {
        return html! { <p role="alert">{ page.word("teach.plan-not-there") }</p> };
    };
    let mut from = 0;
    let row = |row: &Value| {
        let to = from + row.get("minutes").and_then(Value::as_u64).unwrap_or(0);
        let minutes = format!("{from}–{to}");
        from = to;
        let link = format!("#{}&lang={lang}", text(row, "link"));
        html! {
            <tr>
                <td class="num">{ minutes }</td>
                <th scope="row">{ text(row, "title") }</th>
                <td>{ text(row, "what") }</td>
                <td>{ text(row, "ask") }</td>
                <td class="acts">
                    <a href={link.clone()}>{ page.word("teach.plan-open") }</a>
                    if link.contains("learn=") { { " · " }<a href={format!("{link}&present=1")}>{ page.word("header.present") }</a> }
                </td>
            </tr>
        }
    };
    let heads = ["teach.plan-minutes", "teach.plan-title", "teach.plan-what", "teach.plan-ask", "teach.plan-link"];
    html! {
        <section class="tcard" aria-labelledby="teach-hour-title">
            <h2 id="teach-hour-title">{ text(plan, "title") }</h2>
            <p>{ text(plan, "lead") }</p>
            <div class="table-scroll" tabindex="0" role="group" aria-label={text(plan, "title")}>
                <table class="results hour" id="teach-hour">
                    <thead><tr>{ for heads.into_iter().map(|key| html! { <th scope="col">{ page.word(key) }</th> }) }</tr></thead>
                    <tbody>{ for rows.iter().map(row) }</tbody>
                </table>
            </div>
            <p class="muted">{ text(plan, "after") }</p>
        </section>
    }
}
