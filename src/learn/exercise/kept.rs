//! Results that a student had kept in the browser: nothing is kept unasked.

use yew::prelude::*;

use crate::browser::kept::{keep_text, kept_text};
use crate::context::{Page, use_page};
use crate::learn::exercise::state::results::{find, with};
use crate::shell::state::action::{Action, TeachAction};
use memplan_core::base::Message;

/// What they are kept under.
const ENTRY: &str = "memplan.results.1";

/// What may be kept.
#[derive(PartialEq, Properties)]
pub struct Outcome {
    pub link: String,
    pub name: String,
    pub code: String,
}

/// The button that keeps the result, or keeps it no longer. Below another page nothing is kept.
#[component]
pub fn KeepResult(result: &Outcome) -> Html {
    let page = use_page();
    let text = || kept_text(ENTRY).unwrap_or_default();
    let own = (result.name.clone(), result.code.clone());
    let is_kept = {
        let (own, link) = (own.clone(), result.link.clone());
        move || find(&text(), &link).as_ref() == Some(&own)
    };
    let shown = use_state_eq(is_kept.clone());
    if !page.state.settings.keeps() {
        return Html::default();
    }
    let key = if *shown { "exercise.kept" } else { "exercise.keep" };
    let is_shown = shown.to_string();
    let link = result.link.clone();
    let onclick = Callback::from(move |_: MouseEvent| {
        keep_text(ENTRY, &with(&text(), &link, Some(&own).filter(|_| !*shown)));
        shown.set(is_kept());
    });
    // The words say what a press does, so there is no pressed state beside them.
    html! { <button type="button" class="btn line" id="exercise-keep" data-kept={is_shown} aria-describedby="exercise-keep-about" {onclick}>{ page.word(key) }</button> }
}

/// What keeping a result means.
pub fn about_keeping(page: &Page) -> Html {
    if !page.state.settings.keeps() {
        return Html::default();
    }
    html! { <p class="muted" id="exercise-keep-about">{ page.word("exercise.keep-about") }</p> }
}

/// The way to the result of an exercise that was kept, before another attempt.
pub fn kept_result(page: &Page, link: &str) -> Html {
    let kept = kept_text(ENTRY).filter(|_| page.state.settings.keeps()).and_then(|text| find(&text, link));
    let Some((name, code)) = kept else { return Html::default() };
    let words = page.speech().say(&Message::new("exercise.show-kept").text("name", &name));
    let onclick = page.on(move || Action::Teach(TeachAction::Restore(name.clone(), code.clone())));
    html! { <p><button type="button" class="btn line" id="exercise-kept" {onclick}>{ words }</button></p> }
}
