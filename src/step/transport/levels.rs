use yew::prelude::*;

use crate::context::Page;
use crate::shell::state::action::{Action, StepAction};
use memplan_core::base::Family;
use memplan_replay::Level;

pub fn levels(page: &Page) -> Html {
    html! {
        <div class="segments" role="radiogroup" aria-label={page.word("step.level")}>
            { for Level::ALL.into_iter().map(|level| {
                let on = page.state.stepping.level == level;
                html! {
                    <button type="button" role="radio" aria-checked={on.to_string()} onclick={page.on(move || Action::Step(StepAction::Level(level)))}>
                        { page.word(&Family::LEVEL.of([level.name()])) }
                    </button>
                }
            }) }
        </div>
    }
}

/// The same as a list, where buttons have no room.
pub fn level_list(page: &Page) -> Html {
    let send = page.send.clone();
    let onchange = Callback::from(move |event: Event| {
        let name = event.target_unchecked_into::<web_sys::HtmlSelectElement>().value();
        if let Some(level) = Level::from_name(&name) {
            send.emit(Action::Step(StepAction::Level(level)));
        }
    });
    let chosen = page.state.stepping.level;
    html! {
        <select key={chosen.name()} class="small levels" id="level-list" aria-label={page.word("step.level")} {onchange}>
            { for Level::ALL.into_iter().map(|level| html! {
                <option value={level.name()} selected={level == chosen}>{ page.word(&Family::LEVEL.of([level.name()])) }</option>
            }) }
        </select>
    }
}
