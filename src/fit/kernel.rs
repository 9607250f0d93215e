//! Fit for a kernel: the card whose shared memory is the limit, what is alive where the kernel
//! needs most, and what each single change would do.

use std::rc::Rc;

use web_sys::HtmlSelectElement;
use yew::prelude::*;

use crate::browser::css;
use crate::compare::Measuring;
use crate::context::Page;
use crate::context::sentence::{plain_words, size};
use crate::fit::change;
use crate::fit::state::FitChange;
use crate::widgets::icons::{Icon, glyph};
use crate::widgets::typed::TypedField;
use memplan_core::base::{Message, Sizes};
use memplan_fit::{CARDS, Card, ChangeRecord, KernelFit, KernelResult};

/// Most buffers that are listed.
const ROWS: usize = 40;

/// The form on the left: a card or a number of bytes.
pub fn kernel_form(page: &Page) -> Html {
    let typed = page.state.fitting.kernel.limit.as_str();
    let kernel = page.state.document.run.as_ref().and_then(|run| run.problem.kernel.clone()).unwrap_or_default();
    let own = kernel.target.as_deref().and_then(Card::find);
    let shown = if typed.is_empty() { own } else { Card::find(typed) };
    let set = {
        let send = page.send.clone();
        move |text: String| send.emit(change(FitChange::Card(text)))
    };
    let onchange = {
        let set = set.clone();
        Callback::from(move |event: Event| set(event.target_unchecked_into::<HtmlSelectElement>().value()))
    };
    let typing = Callback::from(set);
    let name = |card: &Card| {
        let words = Message::new("kernel.card").text("card", card.short()).text("names", card.names);
        page.speech().say(&words.bytes("size", card.bytes))
    };
    html! {
        <section class="fit-form" id="region-left" tabindex="-1" aria-label={page.word("fit.budget")}>
            <fieldset class="fit-part">
                <legend>{ page.word("kernel.limit") }</legend>
                <label class="fit-field wide"><span>{ page.word("kernel.card-label") }</span>
                    <select id="kernel-card" {onchange}>
                        if shown.is_none() { <option value={typed.to_string()} selected=true>{ page.word("kernel.by-size") }</option> }
                        { for CARDS.iter().map(|card| html! { <option value={card.short()} selected={shown == Some(card)}>{ name(card) }</option> }) }
                    </select></label>
                <label class="fit-field"><span>{ page.word("kernel.size-label") }</span>
                    <TypedField value={if Card::find(typed).is_some() { String::new() } else { typed.to_string() }}
                        label={page.word("kernel.size-label")} hint="99 KiB" onchange={typing} /></label>
                if let Some(target) = &kernel.target {
                    <p class="muted">{ plain_words(page, &Message::new("kernel.compiled-for").text("target", target)) }</p>
                }
            </fieldset>
        </section>
    }
}

/// The answer beside the form.
pub fn kernel_answer(page: &Page) -> Html {
    match &page.state.fitting.kernel.found {
        Some(Ok(found)) => answer(page, found),
        Some(Err(why)) => html! { <p class="empty" id="fit-none" role="alert">{ plain_words(page, why) }</p> },
        None => html! { <p class="empty"><Measuring /></p> },
    }
}

fn answer(page: &Page, found: &Rc<KernelFit>) -> Html {
    let fits = found.result != KernelResult::TooLarge;
    let seal = match found.result {
        KernelResult::Fits => "fit.seal-fits",
        KernelResult::FitsInPart => "kernel.seal-maybe",
        KernelResult::TooLarge => "kernel.seal-over",
    };
    let fact = |key: &str, bytes: u64| html! { <div class="big"><dt>{ page.word(key) }</dt><dd><b>{ figure(page, found, bytes) }</b></dd></div> };
    let alive = Message::new("kernel.alive").count("step", found.step).count("n", found.alive.len());
    let heads = ["kernel.change", "kernel.changed", "fit.becomes"];
    html! { <>
        <section class="diff-figures" aria-label={page.word("fit.verdict")} aria-live="polite">
            <span class={classes!("seal", if fits { "yes" } else { "no" })} id="kernel-seal" data-total={found.total.to_string()} data-limit={found.limit.to_string()}>
                { glyph(if fits { Icon::Check } else { Icon::Close }) }{ page.word(seal) }</span>
            <dl>{ fact("kernel.takes", found.total) }{ fact("kernel.limit", found.limit) }
                { fact(if fits { "fit.spare" } else { "fit.excess" }, found.limit.abs_diff(found.total)) }</dl>
            <p class="fit-sure">{ plain_words(page, &found.verdict()) }
                if let Some(condition) = found.condition() { <span class="muted" id="kernel-condition">{ plain_words(page, &condition) }</span> }</p>
        </section>
        <section><h3>{ page.word("kernel.changes") }</h3>
            if found.changes.is_empty() { <p class="muted" id="kernel-no-change">{ page.word("kernel.no-change") }</p> } else {
            <table class="ladder" id="kernel-changes"><thead><tr>{ for heads.map(|key| html! { <th scope="col">{ page.word(key) }</th> }) }</tr></thead>
                <tbody>{ for found.changes.iter().map(|row| change_row(page, found, row)) }</tbody></table> }
            <p class="muted">{ page.word("kernel.only-compiling") }</p></section>
        <section><h3 id="kernel-alive-head">{ plain_words(page, &alive) }</h3>
            <table class="before-after" id="kernel-alive"><tbody>{ for found.alive.iter().take(ROWS).map(|one| html! {
                <tr><th scope="row" class="cut" title={one.name.clone()}>{ &one.name }</th><td data-bytes={one.bytes.to_string()}>{ size(page, one.bytes) }</td></tr>
            }) }</tbody></table>
            if found.alive.len() > ROWS { <p class="muted">{ page.speech().say(&Message::new("compare.more-lines").count("n", found.alive.len() - ROWS)) }</p> }
        </section>
    </> }
}

/// A size beside the limit: to the byte where it would read as the limit and is not.
fn figure(page: &Page, found: &KernelFit, bytes: u64) -> Html {
    let words = |bytes: u64| page.speech().bytes(bytes);
    let reads_as_limit = |other: u64| other != found.limit && words(other) == words(found.limit);
    let is_close = reads_as_limit(bytes) || bytes == found.limit && reads_as_limit(found.total);
    if is_close {
        html! { Sizes::Exact.words(bytes) }
    } else {
        size(page, bytes)
    }
}

fn change_row(page: &Page, found: &KernelFit, row: &ChangeRecord) -> Html {
    let most = found.total.max(found.limit).max(1) as f64;
    let share = |bytes: u64| 100.0 * bytes as f64 / most;
    let style = format!("--w:{:.1}%;--b:{:.1}%", share(row.total), share(found.limit));
    let names = row.buffers.join(", ");
    let does = found.result == KernelResult::TooLarge && row.fits;
    html! {
        <tr class={does.then_some("taken")} data-total={row.total.to_string()} data-fits={row.fits.to_string()}>
            <th scope="row">{ plain_words(page, &row.in_words()) }</th>
            <td class="what"><span class="cut" title={names.clone()}>{ names }</span></td>
            <td class="num"><span class="save-bar" ~style={css(style)}></span>{ figure(page, found, row.total) }
                if does { { " " }<span class="free">{ page.word("fit.would-do") }</span> }</td>
        </tr>
    }
}
