//! Under the reason: the buffer that is placed next, as long as the visitor is new; at the end,
//! another plan to look at.

use yew::prelude::*;

use crate::context::Page;
use crate::context::open::open_striking;
use crate::context::sentence::words;
use crate::shell::state::action::{Action, Motion, PredictAction, StepAction};
use memplan_core::base::Message;
use memplan_planners as planner;
use memplan_replay::next;
use memplan_teach::choices;

pub fn next_card(page: &Page) -> Html {
    let Some((run, frame)) = page.state.document.run.as_ref().zip(page.frame.as_ref()) else {
        return Html::default();
    };
    if page.state.shows_other() {
        return other(page);
    }
    // Of a million buffers it would take long to find what nobody sees.
    let next = if page.state.shows_next() { next(run, frame) } else { None };
    let Some(next) = next else { return Html::default() };
    html! {
        <section class="next-card" id="next-card">
            <h2>{ words(page, &next.title) }</h2>
            <p>{ words(page, &next.beside) }</p>
            <div class="acts">
                <button type="button" class="btn main" id="show-me" onclick={page.on(|| Action::Step(StepAction::Move(Motion::Next)))}>
                    { page.word("next.show") }<kbd>{ "→" }</kbd></button>
                if page.state.can_predict() {
                    <button type="button" class="btn line" id="let-me-predict" onclick={page.on(|| Action::Predict(PredictAction::Toggle))}>
                        { page.word("predict.let-me") }<kbd>{ "Q" }</kbd></button>
                }
            </div>
        </section>
    }
}

/// First fit has no waste here; others have.
fn other(page: &Page) -> Html {
    let name = |id: &str| planner::info(id).map(|info| info.full_title(page.speech())).unwrap_or_default();
    let send = page.send.clone();
    let onclick = Callback::from(move |_: MouseEvent| open_striking(send.clone()));
    let reached = Message::new("next.reached").text("planner", name(choices::WELCOME));
    html! {
        <section class="next-card" id="next-card">
            <p>{ words(page, &reached) }{ page.blank() }<button type="button" class="name" {onclick}>{ name(choices::STRIKING.0) }</button></p>
        </section>
    }
}
