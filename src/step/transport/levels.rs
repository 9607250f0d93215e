use yew::prelude::*;

use crate::context::Page;
use crate::shell::state::action::{Action, OwnAction, StepAction};
use memplan_core::base::Family;
use memplan_replay::Level;

pub fn levels(page: &Page) -> Html {
    html! {
        <div class="segments" role="radiogroup" aria-label={page.word("step.level")}>
            { for Level::ALL.into_iter().map(|level| {
                let on = page.state.stepping.level == level && !page.state.own.lines.by_line;
                html! {
                    <button type="button" role="radio" aria-checked={on.to_string()} onclick={page.on(move || Action::Step(StepAction::Level(level)))}>
                        { page.word(&Family::LEVEL.of([level.name()])) }
                    </button>
                }
            }) }
            // Beside a program, steps go through its lines, too.
            if page.state.has_code() {
                <button type="button" role="radio" id="level-lines" aria-checked={page.state.own.lines.by_line.to_string()} onclick={page.on(|| Action::Own(OwnAction::Lines(true)))}>
                    { page.word("own.lines") }
                </button>
            }
        </div>
    }
}

/// What the list calls the lines of a program.
const LINES: &str = "lines";

/// The same as a list, where buttons have no room.
pub fn level_list(page: &Page) -> Html {
    let send = page.send.clone();
    let onchange = Callback::from(move |event: Event| {
        let name = event.target_unchecked_into::<web_sys::HtmlSelectElement>().value();
        if let Some(level) = Level::from_name(&name) {
            send.emit(Action::Step(StepAction::Level(level)));
        } else if name == LINES {
            send.emit(Action::Own(OwnAction::Lines(true)));
        }
    });
    let (chosen, by_line) = (page.state.stepping.level, page.state.own.lines.by_line);
    html! {
        <select key={if by_line { LINES } else { chosen.name() }} class="small levels" id="level-list" aria-label={page.word("step.level")} {onchange}>
            { for Level::ALL.into_iter().map(|level| html! {
                <option value={level.name()} selected={level == chosen && !by_line}>{ page.word(&Family::LEVEL.of([level.name()])) }</option>
            }) }
            if page.state.has_code() { <option value={LINES} selected={by_line}>{ page.word("own.lines") }</option> }
        </select>
    }
}
