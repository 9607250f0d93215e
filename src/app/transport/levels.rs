use yew::prelude::*;

use crate::app::context::Page;
use crate::app::state::action::{Action, StepAction};
use crate::base::Family;
use crate::replay::Level;

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
