//! The plan alone, for an audience: large type, one sentence, the number of the frame, and keys in
//! place of controls. The speaker may have a window with notes beside it.

pub mod fullscreen;
pub mod speaker;
pub mod state;
#[cfg(test)]
mod tests;

use yew::prelude::*;

use crate::browser::css;
use crate::browser::fullscreen::enter_fullscreen;
use crate::context::sentence::plain_words;
use crate::context::{Dark, Page, use_page};
use crate::own::text::{LineMarks, lines};
use crate::plan::small::small_plans;
use crate::plan::stage::StagePanel;
use crate::present::speaker::speaker_button;
use crate::shell::state::action::{Action, Motion, StepAction, ViewAction};
use crate::widgets::button::IconButton;
use crate::widgets::icons::Icon;
use memplan_planners as planner;
use memplan_replay::why;
use memplan_teach::exercise::question;
use memplan_teach::lesson::Words;

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
    let sentence = match slide(&page) {
        Some(words) => words,
        None => headline.map(|message| plain_words(&page, &message)).unwrap_or_default(),
    };
    let (at, last) = state.presented_stops().unwrap_or((state.frame() as usize, state.frames() as usize - 1));
    // A question of a lesson, or of *Predict*, is answered by the next press.
    let asked = state.document.run.as_ref().and_then(|run| state.asked_buffer(run));
    let is_open = match state.presented_lesson() {
        Some(_) => state.presented_task().is_some_and(|(_, revealed)| !revealed),
        None => asked.is_some(),
    };
    let next = if is_open { "present.answer" } else { "present.next" };
    let name = state.document.open.as_ref().map(|document| document.name.clone()).unwrap_or_default();
    let planner = state.document.run.as_ref().map(|run| planner::title_of(&run.planner, page.speech()));
    let class =
        classes!("presented", presenting.highlight.then_some("highlights"), presenting.blank.then_some("blank"));
    // The speaker's window has taken the screen from this one.
    let back = presenting.notes.then(|| Callback::from(|_: MouseEvent| enter_fullscreen()));
    html! {
        <div {class} ~style={css(format!("--k:{}", page.magnified))} onclick={back}>
            <main>
                <h1 class="visually-hidden">{ name }</h1>
                <StagePanel {dark} />
            </main>
            { beside(&page, dark) }
            { code(&page) }
            <p class="presented-why" id="why-headline" aria-live="polite">{ sentence }</p>
            <footer>
                <b class="presented-frame" id="presented-frame">{ at }<small>{ format!(" / {last}") }</small></b>
                <span class="presented-planner cut">{ planner }</span>
                <span class="grow"></span>
                <span class="presented-keys"><kbd>{ "→" }</kbd>{ " " }{ page.word(next) }{ " " }<kbd>{ "Esc" }</kbd>{ " " }{ page.word("present.leave") }</span>
                { speaker_button(&page) }
                { for_fingers(&page) }
            </footer>
        </div>
    }
}

/// The program beside the plan, if the panel *Code* was in sight.
fn code(page: &Page) -> Html {
    let shown = page.state.code_shown().filter(|_| page.state.shows_code() && page.state.presented_lesson().is_none());
    let Some(code) = shown else { return Html::default() };
    html! { <div class="presented-code" id="presented-code"><div class="code-lines">{ lines(code.trim_end(), &LineMarks::of(page)) }</div></div> }
}

/// The small plans of the paragraph that is presented.
fn beside(page: &Page, dark: bool) -> Html {
    let paragraph = page.state.presented_lesson().and_then(|lesson| lesson.paragraphs.get(page.state.learning.staged));
    paragraph.map(|paragraph| small_plans(page, &paragraph.plans, dark)).unwrap_or_default()
}

/// What stands under the plan of a lesson: the question of its exercise, then the answer; without
/// one, the line of the scene.
fn slide(page: &Page) -> Option<Html> {
    let state = &page.state;
    state.presented_lesson()?;
    let spoken = |words: &Words| state.plain_words(words);
    let Some((task, revealed)) = state.presented_task() else {
        let caption = state.scene_beside()?.caption.as_ref()?;
        return Some(html! { { spoken(caption) } });
    };
    Some(if revealed {
        html! { <><b class="object" id="presented-answer">{ state.answer_in_words(task) }</b>{ " " }{ spoken(&task.right) }</> }
    } else {
        let choices = state.choices_in_words(task, |choice| !choice.is_buffer).join(" · ");
        html! { <>{ spoken(&task.ask) }<small>{ choices }</small></> }
    })
}

/// Buttons for screens without a keyboard; the style sheet hides them where there is a pointer.
fn for_fingers(page: &Page) -> Html {
    let button = |icon: Icon, key: &str, action: fn() -> Action| {
        let name = page.word(key);
        html! { <IconButton name={name} icon={icon} onclick={page.on(action)} /> }
    };
    html! {
        <span class="presented-touch">
            { button(Icon::Previous, "step.previous", || Action::Step(StepAction::Move(Motion::Previous))) }
            { button(Icon::Next, "step.next", || Action::Step(StepAction::Move(Motion::Next))) }
            { button(Icon::Close, "present.leave", || Action::View(ViewAction::Present(false))) }
        </span>
    }
}
