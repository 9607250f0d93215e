//! Keeps the speaker's window in step with what is presented.

use std::rc::Rc;

use serde_json::json;
use yew::prelude::*;

use crate::browser::speaker::{close_speaker, open_speaker, speak};
use crate::context::Page;
use crate::shell::state::State;
use crate::shell::state::action::{Action, Motion, StepAction, ViewAction};

/// Tells the speaker's window every change, and closes it once nothing is presented any more.
#[hook]
pub fn use_speaker(state: &Rc<State>) {
    let presenting = state.presenting();
    let told = presenting.filter(|presenting| presenting.notes).and_then(|_| told(state));
    use_effect_with(told, |told: &Option<String>| told.iter().for_each(|told| speak(told)));
    use_effect_with(presenting.is_some(), |&presents| {
        move || {
            if presents {
                close_speaker();
            }
        }
    });
}

/// Opens the speaker's window, which a part of another page has no use for.
pub fn speaker_button(page: &Page) -> Html {
    let state = &page.state;
    if state.settings.embed.is_some() || state.presenting().is_none_or(|presenting| presenting.notes) {
        return Html::default();
    }
    let send = page.send.clone();
    let onclick = Callback::from(move |event: MouseEvent| {
        event.stop_propagation();
        // Presenting goes on although the new window takes the screen.
        send.emit(Action::View(ViewAction::Notes(true)));
        let sender = send.clone();
        if !open_speaker(move |word| asked(&word).into_iter().for_each(|action| sender.emit(action))) {
            send.emit(Action::View(ViewAction::Notes(false)));
        }
    });
    html! { <button type="button" class="btn line presented-speaker" id="speaker-button" {onclick}>{ page.word("present.speaker") }</button> }
}

/// What the speaker's window asks for.
fn asked(word: &str) -> Option<Action> {
    Some(match word {
        "next" => Action::Step(StepAction::Move(Motion::Next)),
        "previous" => Action::Step(StepAction::Move(Motion::Previous)),
        "blank" => Action::View(ViewAction::Blank),
        "hello" => Action::View(ViewAction::Notes(true)),
        "bye" => Action::View(ViewAction::Notes(false)),
        _ => return None,
    })
}

/// What the window shows, with its words: it has none of its own.
fn told(state: &State) -> Option<String> {
    let spoken = state.spoken()?;
    let word = |key: &str| state.speech().word(key);
    let words = json!({
        "shows": word("present.on-screen"),
        "answer": word("present.expected"),
        "revealed": word("present.revealed"),
        "notes": word("present.notes"),
        "next": word("present.then"),
        "previous": word("step.previous"),
        "forward": word("step.next"),
        "blank": word("present.blank"),
        "restart": word("present.restart"),
        "help": word("present.keep"),
        "title": word("present.speaker"),
    });
    Some(json!({ "lang": state.settings.locale.tag(), "words": words, "spoken": spoken }).to_string())
}
