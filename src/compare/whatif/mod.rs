//! What other settings of PyTorch's allocator would have done to a recorded program: what it comes
//! to, a row for each setting, two curves, and what the recording does not hold.

mod curves;
mod recorded;
mod table;
#[cfg(test)]
mod tests;

use yew::prelude::*;

use crate::compare::state::whatif::{Trying, WhatIfChange};
use crate::compare::whatif::curves::curves;
use crate::compare::whatif::recorded::recorded;
use crate::compare::whatif::table::table;
use crate::context::sentence::plain_words;
use crate::context::{Page, use_page};
use crate::shell::state::action::{Action, CompareAction};
use crate::widgets::icons::{Icon, glyph};
use crate::widgets::typed::TypedField;
use memplan_core::base::Message;
use memplan_engine::{Recorded, whatif_arithmetic, whatif_own, whatif_verdict};

/// The sheet of the table.
#[component]
pub fn WhatIf() -> Html {
    let page = use_page();
    let trying = &page.state.comparing.whatif;
    let records = page.state.document.open.as_ref().is_some_and(|document| !document.recorded.is_empty());
    let run = page.state.document.run.clone();
    let shown = match (&trying.facts, &run) {
        _ if !records => html! { <p class="empty" id="whatif-none">{ page.word("whatif.no-recording") }</p> },
        (Some(Err(why)), _) => {
            let memory = trying.memory;
            html! { <div class="empty" id="whatif-none"><p>{ plain_words(&page, why) }</p>
            <p><button type="button" class="btn main" id="whatif-again" onclick={page.on(move || change(WhatIfChange::Memory(memory)))}>{ page.word("compare.again") }</button></p></div> }
        }
        (Some(Ok(facts)), Some(run)) => html! { <>
            { head(&page, facts) }
            { table(&page) }
            <p class="muted whatif-terms" id="whatif-terms">{ page.word("whatif.terms") }</p>
            { curves(&page, &run.problem) }
            { recorded(&page, facts) }
        </> },
        _ => html! { <p class="empty">{ page.word("compare.waiting") }</p> },
    };
    html! { <div class="sheet whatif" tabindex="0" role="region" aria-label={page.word("compare.sheet.whatif")}>{ shown }</div> }
}

/// What the table comes to with the arithmetic behind it, beside the fields.
fn head(page: &Page, facts: &Recorded) -> Html {
    let trying = &page.state.comparing.whatif;
    let own = whatif_own(&trying.rows);
    let on_card = own.and_then(|own| own.measured.on_card);
    let stops = on_card.is_some_and(|on_card| on_card.stop.is_some());
    let seal = on_card.map(|_| {
        let class = classes!("whatif-seal", if stops { "no" } else { "yes" });
        html! { <span {class} aria-hidden="true">{ glyph(if stops { Icon::Close } else { Icon::Check }) }</span> }
    });
    let verdict = whatif_verdict(&trying.rows, trying.card, trying.is_complete());
    let arithmetic = own.map_or_else(Vec::new, whatif_arithmetic);
    html! {
        <div class="whatif-head">
            <div class="whatif-verdict" aria-live="polite">
                <p class="conclusion" id="whatif-verdict">{ seal }{ verdict.map(|verdict| plain_words(page, &verdict)) }</p>
                if !arithmetic.is_empty() { <ul id="whatif-arithmetic">{ for arithmetic.iter().map(|line| html! { <li>{ plain_words(page, line) }</li> }) }</ul> }
                if trying.rows.len() < trying.total() {
                    <p class="muted" id="whatif-left" role="status">{ page.speech().say(&Message::new("whatif.measured").count("done", trying.rows.len()).count("total", trying.total())) }</p>
                }
            </div>
            { fields(page, trying, facts) }
        </div>
    }
}

/// Memory of the card, and one more setting.
fn fields(page: &Page, trying: &Trying, facts: &Recorded) -> Html {
    let value = match (&trying.no_size, trying.card) {
        (Some(text), _) => text.clone(),
        (None, Some(card)) => in_units(card),
        (None, None) => String::new(),
    };
    let field = |label: String, value: String, hint: String, make: fn(String) -> WhatIfChange| {
        let send = page.send.clone();
        let onchange = Callback::from(move |text: String| send.emit(change(make(text))));
        html! { <label class="fit-field"><span>{ label.clone() }</span><TypedField {value} {label} {hint} {onchange} /></label> }
    };
    html! {
        <div class="whatif-fields">
            { memories(page, trying) }
            { field(page.word("whatif.card"), value, "80 GiB".into(), WhatIfChange::Card) }
            if let Some(text) = &trying.no_size {
                <p class="whatif-fault" role="alert">{ plain_words(page, &Message::new("whatif.no-size").text("size", text.clone())) }</p>
            } else if let Some(card) = facts.card {
                <p class="muted">{ plain_words(page, &Message::new("whatif.card-recorded").bytes("card", card)) }</p>
            }
            { field(page.word("whatif.try"), String::new(), "max_split_size_mb:128".into(), WhatIfChange::Try) }
        </div>
    }
}

/// The cards of the recording, if there are several.
fn memories(page: &Page, trying: &Trying) -> Html {
    let Some(document) = page.state.document.open.as_ref().filter(|document| document.recorded.len() > 1) else {
        return Html::default();
    };
    let send = page.send.clone();
    let onchange = Callback::from(move |event: Event| {
        let value = event.target_unchecked_into::<web_sys::HtmlSelectElement>().value();
        value.parse().into_iter().for_each(|memory| send.emit(change(WhatIfChange::Memory(memory))));
    });
    html! { <label class="fit-field"><span>{ page.word("whatif.device") }</span><select class="small" id="whatif-device" {onchange}>
        { for document.recorded.iter().map(|&memory| html! { <option value={memory.to_string()} selected={memory == trying.memory}>{ format!("cuda:{memory}") }</option> }) }
    </select></label> }
}

/// A size as it can be typed: in the largest unit of which it is a multiple.
fn in_units(bytes: u64) -> String {
    let units = [(40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")];
    let unit = units.into_iter().find(|(bits, _)| bytes.trailing_zeros() >= *bits);
    unit.map_or_else(|| format!("{bytes} B"), |(bits, unit)| format!("{} {unit}", bytes >> bits))
}

fn change(change: WhatIfChange) -> Action {
    Action::Compare(CompareAction::WhatIf(change))
}

/// The name of a row: its change of the settings.
fn name_of(page: &Page, settings: &str) -> String {
    if settings.is_empty() { page.word("whatif.as-recorded") } else { settings.to_string() }
}
