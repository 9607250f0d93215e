//! How the columns are drawn: what is in full colour, at which scale, and which way time goes.

use yew::prelude::*;

use crate::compare::change;
use crate::compare::state::Change;
use crate::context::Page;
use memplan_core::base::Family;

pub fn switches(page: &Page) -> Html {
    let comparing = &page.state.comparing;
    let switch = |key: &str, on: bool, to: Change| {
        html! { <button type="button" id={format!("compare-{key}")} aria-pressed={on.to_string()} onclick={page.on(move || change(to.clone()))}>{ page.word(&Family::COMPARE_SWITCH.of([key])) }</button> }
    };
    html! { <>
        <div class="segments" role="group" aria-label={page.word("compare.show")}>
            { switch("live", !comparing.differences, Change::Differences(false)) }
            { switch("differences", comparing.differences, Change::Differences(true)) }
        </div>
        <div class="segments" role="group" aria-label={page.word("compare.scale")}>
            { switch("same-scale", !comparing.fit_each, Change::FitEach(false)) }
            { switch("fit-each", comparing.fit_each, Change::FitEach(true)) }
        </div>
        <div class="segments">{ switch("turned", comparing.turned, Change::Turned(!comparing.turned)) }</div>
        if comparing.squeezes().is_some() {
            <div class="segments">{ switch("broken", comparing.squeezed, Change::Squeezed(!comparing.squeezed)) }</div>
        }
    </> }
}
