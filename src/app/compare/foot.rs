//! What the cursor reads off, how columns step together, and what is shown.

use yew::prelude::*;

use crate::app::compare::change;
use crate::app::context::Page;
use crate::app::model::comparison::Sync;
use crate::app::state::comparing::Change;
use crate::base::{Family, Message};

pub fn foot(page: &Page) -> Html {
    let comparing = &page.state.comparing;
    let speech = page.speech();
    let step = comparing.step();
    let reference = comparing.reference();
    let made = reference.and_then(|shown| {
        let node = shown.run.graph.as_ref()?.nodes.iter().nth(step as usize)?;
        Some(format!("{} · ", node.name))
    });
    let load = reference.map(|shown| {
        let load = shown.index.total().at(step);
        let key = if load == shown.index.total().max() { "compare.load-max" } else { "compare.load" };
        speech.say(&Message::new(key).bytes("load", load))
    });
    let last_step = reference.map_or(0, |shown| shown.run.problem.steps.saturating_sub(1));
    let number = |change_of: fn(u32) -> Change| {
        let send = page.send.clone();
        Callback::from(move |event: InputEvent| {
            let value = event.target_unchecked_into::<web_sys::HtmlInputElement>().value();
            if let Ok(value) = value.parse() {
                send.emit(change(change_of(value)));
            }
        })
    };
    let switch = |key: &str, on: bool, to: Change| {
        html! { <button type="button" id={format!("compare-{key}")} aria-pressed={on.to_string()} onclick={page.on(move || change(to.clone()))}>{ page.word(&Family::COMPARE_SWITCH.of([key])) }</button> }
    };
    let together = matches!(comparing.sync, Sync::Buffer | Sync::Fraction);
    let last = comparing.last_position();
    html! {
        <footer class="foot">
            <label class="cursor"><span class="muted">{ page.word("compare.cursor") }</span>
                <input type="number" class="small" id="cursor-step" min="0" max={last_step.to_string()} value={step.to_string()} oninput={number(Change::Step)} /></label>
            <span class="muted cut">{ made }{ load }</span>
            <span class="grow"></span>
            if together {
                <label class="together"><span class="visually-hidden">{ page.word("compare.position") }</span>
                    <input type="range" id="position" min="0" max={last.to_string()} value={comparing.position().to_string()} oninput={number(Change::Position)} />
                    <span class="num">{ format!("{} / {last}", comparing.position()) }</span></label>
            }
            <span class="muted">{ page.word("compare.sync") }</span>
            <div class="segments" role="group" aria-label={page.word("compare.sync")}>
                { for Sync::ALL.into_iter().map(|sync| switch(&format!("sync.{}", sync.name()), sync == comparing.sync, Change::Sync(sync))) }
            </div>
            <div class="segments" role="group" aria-label={page.word("compare.show")}>
                { switch("live", !comparing.differences, Change::Differences(false)) }
                { switch("differences", comparing.differences, Change::Differences(true)) }
            </div>
            <div class="segments" role="group" aria-label={page.word("compare.scale")}>
                { switch("same-scale", !comparing.fit_each, Change::FitEach(false)) }
                { switch("fit-each", comparing.fit_each, Change::FitEach(true)) }
            </div>
            <div class="segments">{ switch("turned", comparing.turned, Change::Turned(!comparing.turned)) }</div>
        </footer>
    }
}
