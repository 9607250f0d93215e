//! Whether it fits, by how much, what it costs, and how sure that is.

use yew::prelude::*;

use crate::compare::Measuring;
use crate::context::Page;
use crate::context::sentence::{plain_words, size};
use crate::fit::change;
use crate::fit::state::FitChange;
use crate::fit::state::answer::FitShown;
use crate::widgets::icons::{Icon, glyph};
use memplan_core::base::{Family, Message};
use memplan_fit::{FitRecord, Lever, Runtime, counted, proved, sureness};

pub fn verdict(page: &Page, shown: &FitShown) -> Html {
    let record = &shown.record;
    let fits = record.result == "fits";
    let (before, after, available) = (record.required.before, record.required.after, record.budget.available);
    // What stands after the arrow is a plan, a bound, or the least that was found.
    let (key, what, sure) = match record.result.as_str() {
        "fits" => ("fit.seal-fits", "fit.required", sureness(record)),
        "impossible" => ("fit.seal-impossible", "fit.at-least", proved(record)),
        _ => ("fit.seal-unknown", "fit.best-found", Message::new("fit.not-proved")),
    };
    let fact = |key: &str, value: Html| html! { <div class="big"><dt>{ page.word(key) }</dt><dd>{ value }</dd></div> };
    let required =
        html! { <>if before != after { <s>{ size(page, before) }{ " → " }</s> }<b>{ size(page, after) }</b></> };
    let rest = if fits { available.saturating_sub(after) } else { after.saturating_sub(available) };
    // What a device or a compiler must do besides is told whole in *Why*.
    let caveat = record.refusal(page.state.runtime()).map(|_| match page.state.runtime() {
        Runtime::Compiled => "fit.caveat-compiled",
        Runtime::TfLiteMicro | Runtime::ExecuTorch => "fit.caveat-model",
    });
    html! {
        <section class="diff-figures" aria-label={page.word("fit.verdict")} aria-live="polite">
            <span class={classes!("seal", if fits { "yes" } else { "no" })} id="fit-seal" data-result={record.result.clone()} data-before={before.to_string()}
                data-after={after.to_string()} data-available={available.to_string()} data-macs={record.price.macs.to_string()} data-bytes={record.price.bytes_moved.to_string()}>
                { glyph(if fits { Icon::Check } else { Icon::Close }) }{ page.word(key) }</span>
            { remedy(page, record) }
            <dl>
                { fact(what, required) }
                { fact("fit.available", size(page, available)) }
                { fact(if fits { "fit.spare" } else { "fit.excess" }, size(page, rest)) }
                if fits { { fact("fit.costs", plain_words(page, &record.price_in_words())) } }
            </dl>
            <p class="fit-sure">
                if let Some(key) = caveat { <span class="fit-caveat" id="fit-caveat">{ page.word(key) }</span> }
                { plain_words(page, &sure) }{ for counted(record).iter().map(|what| html! { <span class="muted">{ plain_words(page, what) }</span> }) }</p>
            <Measuring />
        </section>
    }
}

/// The button that allows what would do alone, at the least price.
fn remedy(page: &Page, record: &FitRecord) -> Html {
    let key = |macs: u64, bytes: u64| if record.prefer == "bytes" { (bytes, macs) } else { (macs, bytes) };
    let cheapest = record.remedies().min_by_key(|row| key(row.price.macs, row.price.bytes_moved));
    let Some(lever) = cheapest.and_then(|row| Lever::ALL.into_iter().find(|lever| lever.name() == row.lever)) else {
        return Html::default();
    };
    let allow = Message::new("fit.remedy").text("lever", page.word(&Family::FIT_LEVER.of([lever.name()])));
    html! { <button type="button" class="btn main" id="fit-remedy" title={page.word(&Family::FIT_RULE.of([lever.name()]))}
    onclick={page.on(move || change(FitChange::Allow(lever, true)))}>{ page.speech().say(&allow) }</button> }
}
