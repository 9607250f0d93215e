//! What each lever would do alone on this graph.

use yew::prelude::*;

use crate::browser::css;
use crate::context::Page;
use crate::context::sentence::{plain_words, size};
use crate::fit::change;
use crate::fit::state::FitChange;
use crate::fit::state::answer::FitShown;
use memplan_core::base::Family;
use memplan_fit::{Lever, LeverRecord};

pub fn ladder(page: &Page, shown: &FitShown) -> Html {
    let columns = ["fit.lever", "fit.alone", "fit.becomes", "fit.saves", "fit.costs"];
    let rows = shown.record.levers.iter().zip(Lever::ALL).map(|(row, lever)| row_of(page, shown, row, lever));
    html! {
        <table class="ladder" id="fit-ladder">
            <caption class="visually-hidden">{ page.word("fit.ladder") }</caption>
            <thead><tr>{ for columns.map(|key| html! { <th scope="col">{ page.word(key) }</th> }) }</tr></thead>
            <tbody>{ for rows }</tbody>
        </table>
    }
}

fn row_of(page: &Page, shown: &FitShown, row: &LeverRecord, lever: Lever) -> Html {
    let record = &shown.record;
    let before = record.required.before;
    let [name, does] = [Family::FIT_LEVER, Family::FIT_RULE].map(|family| page.word(&family.of([lever.name()])));
    let is_allowed = page.state.fitting.form.allow.contains(&lever);
    let is_used = record.moves.iter().any(|one| one.lever == row.lever);
    let class = if is_used {
        "taken"
    } else if row.peak.is_none_or(|peak| peak >= before) {
        "none"
    } else {
        ""
    };
    // A lever that is not allowed is allowed, one that is stands alone.
    let lacks_memory = row.reason.as_ref().is_some_and(|why| why.key == "fit.one-memory");
    let (key, then) = match is_allowed {
        _ if lacks_memory => ("fit.memory-add", FitChange::AddMemory),
        true => ("fit.only", FitChange::Only(lever)),
        false => ("fit.allow", FitChange::Allow(lever, true)),
    };
    let cell = match (&row.reason, is_used) {
        (_, true) => html! { { page.word("fit.is-used") } },
        (Some(why), _) => plain_words(page, &record.short_why(why)),
        (None, _) if row.peak.is_none() => html! { { page.word("fit.not-tried") } },
        (None, _) if row.peak.is_some_and(|peak| peak <= record.budget.available) => {
            html! { { page.word(if record.is_too_dear(&row.price) { "fit.too-dear" } else { "fit.would-do" }) } }
        }
        (None, _) => html! { { page.word("fit.not-enough") } },
    };
    let saves = row.peak.map(|peak| before.saturating_sub(peak));
    let most = before.max(record.budget.available).max(1) as f64;
    let share = |bytes: u64| 100.0 * bytes as f64 / most;
    let bar = row.peak.map(|peak| {
        let style = format!("--w:{:.1}%;--b:{:.1}%", share(peak), share(record.budget.available));
        html! { <><span class="save-bar" ~style={css(style)}></span>{ size(page, peak) }</> }
    });
    html! {
        <tr {class} data-lever={lever.name()} data-peak={row.peak.map(|peak| peak.to_string())}>
            <th scope="row"><span title={does.clone()}>{ name }</span><span class="visually-hidden">{ ": " }{ does }</span></th>
            <td class="what">{ cell }if lever != Lever::Planner { { " " }
                <button type="button" class="btn line" onclick={page.on(move || change(then.clone()))}>{ page.word(key) }</button> }</td>
            <td class="num">{ bar.unwrap_or_else(|| html! { { "–" } }) }</td>
            <td class="num" data-label={page.word("fit.saves")}>{ match saves { None => html! { { "–" } }, Some(0) => html! { { "0" } }, Some(bytes) => html! { <>{ "−" }{ size(page, bytes) }</> } } }</td>
            <td data-label={page.word("fit.costs")}>{ if lever.is_free() { html! { <span class="free">{ page.word("fit.free") }</span> } } else if saves.is_none_or(|bytes| bytes == 0) { html! { { "–" } } } else { plain_words(page, &row.price_in_words()) } }</td>
        </tr>
    }
}
