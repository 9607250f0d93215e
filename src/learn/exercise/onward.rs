//! What all exercises with questions share: the planner's rule on request, and the ways on.

use crate::context::sentence::plain_words;
use crate::widgets::icons::{Icon, glyph};
use memplan_core::base::Message;
use yew::prelude::*;

use crate::context::Page;
use crate::learn::exercise::state::Assigned;
use crate::learn::exercise::state::stage::Stage;
use crate::shell::state::action::{Action, TeachAction};
use memplan_planners as planner;

/// The button that ends the exercise.
pub fn finish(page: &Page, id: &'static str) -> Html {
    let send = page.send.clone();
    let onclick = Callback::from(move |_: MouseEvent| {
        let seconds = (js_sys::Date::now() / 1000.0) as u64;
        send.emit(Action::Teach(TeachAction::Finish(seconds)));
    });
    let is_handed_in = page.state.teaching.assigned.as_ref().is_some_and(|assigned| assigned.stage == Stage::Coding);
    html! { <>
        <div class="acts"><button type="button" class="btn main" {id} disabled={is_handed_in} {onclick}>{ page.word("exercise.finish") }</button></div>
        <p class="muted" role="status" id="exercise-handed-in">if is_handed_in { { page.word("exercise.handed-in") } }</p>
    </> }
}

/// The rule of the planner, for those who ask for it.
pub fn rule(page: &Page, assigned: &Assigned, planner: &str) -> Html {
    if !assigned.helped {
        let onclick = page.on(|| Action::Teach(TeachAction::Help));
        return html! { <p><button type="button" class="btn line" id="exercise-help" {onclick}>{ page.word("exercise.help") }</button></p> };
    }
    let Some(info) = planner::info(planner) else { return Html::default() };
    html! { <p class="hint" id="exercise-rule">{ page.word(&memplan_core::base::Family::HOW.of([info.id, "rule"])) }</p> }
}

/// A button that goes on.
pub fn way_on(page: &Page, id: &'static str, key: &str, action: Action) -> Html {
    let onclick = page.on(move || action.clone());
    html! { <div class="acts"><button type="button" class="btn main" {id} {onclick}>{ page.word(key) }</button></div> }
}

/// The way to the next plan of the exercise.
pub fn next_plan(page: &Page, id: &'static str) -> Html {
    // The next question of a lesson has its own plan, too, but is first of all a question.
    let key = if page.state.asks_lessons() { "predict.go-on" } else { "exercise.next-plan" };
    way_on(page, id, key, Action::Teach(TeachAction::NextPlan))
}

/// Why there is no link, sheet or table.
pub fn refused(page: &Page, why: &Message) -> Html {
    html! { <p class="refused" role="alert">{ glyph(Icon::Warning) }<span>{ plain_words(page, why) }</span></p> }
}
