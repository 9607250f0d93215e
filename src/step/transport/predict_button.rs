use yew::prelude::*;

use crate::context::Page;
use crate::context::keys::shortcuts;
use crate::shell::state::action::{Action, PredictAction};
use crate::shell::state::keys::Command;
use crate::shell::state::panels::Mode;
use crate::widgets::icons::{Icon, glyph};

/// Begins to ask, or ends that. Where nothing can be asked it stays a button whose title gives the
/// reason.
pub fn predict_button(page: &Page, has_words: bool) -> Html {
    let state = &page.state;
    if state.document.run.is_none()
        || state.settings.embed.is_some()
        || state.view.mode != Mode::Step
        || state.teaching.assigned.is_some()
    {
        return Html::default();
    }
    let (on, name) = (state.predicting.on, page.word("predict.title"));
    let why = if on { None } else { state.predict_refusal() };
    let title = why.as_ref().map_or_else(|| name.clone(), |why| page.speech().say(why));
    html! {
        <button type="button" id="predict-button" class={classes!("btn", (!has_words).then_some("icon-only"), on.then_some("on"), why.is_some().then_some("off"))}
            aria-pressed={on.to_string()} aria-disabled={why.is_some().then_some("true")} aria-label={name.clone()} {title}
            aria-keyshortcuts={shortcuts(Command::Predict, state.settings.single_keys)}
            onclick={page.on(|| Action::Predict(PredictAction::Toggle))}>
            { glyph(Icon::Eye) }if has_words { <span>{ name }</span> }
        </button>
    }
}
