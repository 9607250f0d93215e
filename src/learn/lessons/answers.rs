//! Answers by choosing and by typing.

use yew::prelude::*;

use crate::learn::lessons::marked::marked_inside;
use crate::learn::lessons::state::progress::place_id;
use crate::learn::lessons::tried::Tried;
use crate::shell::state::action::{Action, LearnAction, TaskAction};
use memplan_teach::lesson::{Choice, LegalPlace, Words};

/// Things to choose, each judged at once.
pub fn choices(tried: &Tried, list: &[Choice]) -> Html {
    html! {
        <div class="answer pills">
            { for list.iter().map(|choice| pick(tried, &choice.id, &choice.text, choice.right, choice.is_buffer)) }
        </div>
    }
}

/// Legal places, judged at once as all choices are.
pub fn places(tried: &Tried, list: &[LegalPlace]) -> Html {
    html! {
        <div class="answer pills">
            { for list.iter().map(|place| pick(tried, &place_id(place), &place.text, place.right, false)) }
        </div>
    }
}

fn pick(tried: &Tried, id: &str, text: &Words, right: bool, is_buffer: bool) -> Html {
    let is_chosen = tried.attempt.chosen.contains(id);
    let verdict = is_chosen.then_some(if right { "right" } else { "wrong" });
    let chosen = id.to_string();
    let onclick = tried.on(move || TaskAction::Choose(chosen.clone()));
    let words = if is_buffer {
        html! { { id } }
    } else {
        marked_inside(tried.page, text)
    };
    let number = is_buffer.then(|| tried.page.state.document.run.as_ref()?.buffer_named(id)).flatten();
    html! {
        <button type="button" class={classes!("pill", verdict)} aria-pressed={is_chosen.to_string()} aria-disabled={tried.is_over().then_some("true")}
            data-choice={id.to_string()} data-buffer={number.map(|id| id.0.to_string())} {onclick}><span>{ words }</span></button>
    }
}

/// A field for a number.
pub fn number(tried: &Tried) -> Html {
    let attempt = tried.attempt;
    let class = match &attempt.judged {
        _ if attempt.over => Some("right"),
        Some(judged) if !judged.right => Some("wrong"),
        _ => None,
    };
    let (id, send) = (tried.task.id.clone(), tried.page.send.clone());
    let oninput = Callback::from(move |event: InputEvent| {
        let text = event.target_unchecked_into::<web_sys::HtmlInputElement>().value();
        send.emit(Action::Learn(LearnAction::Task(id.clone(), TaskAction::Type(text))));
    });
    let (id, send) = (tried.task.id.clone(), tried.page.send.clone());
    let onkeydown = Callback::from(move |event: KeyboardEvent| {
        if event.key() == "Enter" {
            event.prevent_default();
            send.emit(Action::Learn(LearnAction::Task(id.clone(), TaskAction::Check)));
        }
    });
    html! {
        <div class="answer">
            <input type="text" inputmode="decimal" autocomplete="off" class={classes!("type", class)} value={attempt.text.clone()} readonly={attempt.over}
                aria-labelledby={tried.part("ask")} aria-describedby={tried.part("how")} {oninput} {onkeydown} />
            if !attempt.over {
                <button type="button" class="btn main" disabled={attempt.text.trim().is_empty()} onclick={tried.on(|| TaskAction::Check)}>{ tried.page.word("lesson.check") }</button>
            }
        </div>
    }
}
