//! The plan alone, for an audience: large type, one sentence, the number of the frame, and keys in place of controls.

use yew::prelude::*;

use crate::app::context::sentence::plain_words;
use crate::app::context::{Dark, Page, use_page};
use crate::app::plan::stage::StagePanel;
use crate::app::state::action::{Action, Motion, StepAction, ViewAction};
use crate::app::widgets::icons::{Icon, glyph};
use crate::exercise::question;
use crate::planner;
use crate::replay::why;

/// The presented plan.
#[component]
pub fn Presented() -> Html {
    let page = use_page();
    let Dark(dark) = use_context::<Dark>().unwrap_or(Dark(false));
    let state = &page.state;
    let presenting = state.presenting().unwrap_or_default();
    let headline =
        state.document.run.as_ref().zip(page.frame.as_ref()).map(|(run, frame)| match state.asked_buffer(run) {
            Some(buffer) => question(run, buffer),
            None => why(run, frame).headline,
        });
    let name = state.document.open.as_ref().map(|document| document.name.clone()).unwrap_or_default();
    let planner = state.document.run.as_ref().map(|run| planner::title_of(&run.planner, page.speech()));
    let class =
        classes!("presented", presenting.highlight.then_some("highlights"), presenting.blank.then_some("blank"));
    html! {
        <div {class} ~style={format!("--k:{}", page.magnified)}>
            <main>
                <h1 class="visually-hidden">{ name }</h1>
                <StagePanel {dark} />
            </main>
            <p class="presented-why" id="why-headline" aria-live="polite">if let Some(message) = headline { { plain_words(&page, &message) } }</p>
            <footer>
                <b class="presented-frame" id="presented-frame">{ state.frame() }<small>{ format!(" / {}", state.frames() - 1) }</small></b>
                <span class="presented-planner cut">{ planner }</span>
                <span class="grow"></span>
                <span class="presented-keys"><kbd>{ "→" }</kbd>{ " " }{ page.word("present.next") }{ " " }<kbd>{ "Esc" }</kbd>{ " " }{ page.word("present.leave") }</span>
                { for_fingers(&page) }
            </footer>
        </div>
    }
}

/// Buttons for screens without a keyboard; the style sheet hides them where there is a pointer.
fn for_fingers(page: &Page) -> Html {
    let button = |icon: Icon, key: &str, action: fn() -> Action| {
        let name = page.word(key);
        html! { <button type="button" class="btn icon-only" aria-label={name.clone()} title={name} onclick={page.on(action)}>{ glyph(icon) }</button> }
    };
    html! {
        <span class="presented-touch">
            { button(Icon::Previous, "step.previous", || Action::Step(StepAction::Move(Motion::Previous))) }
            { button(Icon::Next, "step.next", || Action::Step(StepAction::Move(Motion::Next))) }
            { button(Icon::Close, "present.leave", || Action::View(ViewAction::Present(false))) }
        </span>
    }
}
