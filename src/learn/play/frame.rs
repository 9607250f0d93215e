//! What all games share: buttons, goals, the ways on.

use wasm_bindgen::JsCast;
use yew::prelude::*;

use crate::context::Page;
use crate::context::clipboard::copy;
use crate::learn::play::address::{address, whole_address};
use crate::learn::play::state::Game;
use crate::learn::play::state::address::{GameLink, GameOf};
use crate::shell::state::action::{Action, GameAction};
use crate::widgets::icons::{Icon, glyph};
use memplan_core::base::Message;
use memplan_teach::exercise::variant::Difficulty;

/// What an element holds once it is left.
pub fn value_of(event: &Event) -> String {
    let held = event.target().and_then(|target| js_sys::Reflect::get(target.unchecked_ref(), &"value".into()).ok());
    held.and_then(|held| held.as_string()).unwrap_or_default()
}

/// A button that does something to the game.
pub fn button(page: &Page, id: &'static str, icon: Icon, key: &str, enabled: bool, action: GameAction) -> Html {
    html! {
        <button type="button" class="btn line" {id} disabled={!enabled} onclick={page.on(move || Action::Game(action.clone()))}>
            { glyph(icon) }<span>{ page.word(key) }</span></button>
    }
}

/// The goals in words, each with whether it is reached.
pub fn goals(page: &Page, game: &Game, words: &[Message]) -> Html {
    html! {
        <ul class="marks" aria-label={page.word("game.marks")}>{ for words.iter().zip(game.reached()).map(|(words, reached)| html! {
            <li class={reached.then_some("reached")} data-reached={reached.to_string()}>
                { if reached { glyph(Icon::Check) } else { html! { <span class="open" aria-hidden="true"></span> } } }
                <span>{ page.speech().say(words) }</span>
                <span class="visually-hidden">{ page.word(if reached { "game.reached" } else { "game.not-reached" }) }</span>
            </li>
        }) }</ul>
    }
}

/// The way to the next game of the kind, behind what is said at the end; an exercise has none.
pub fn onward(page: &Page, game: &Game) -> Html {
    if page.state.teaching.assigned.is_some() {
        return Html::default();
    }
    html! { <>{ page.blank() }<a class="onward" id="game-next" href={address(page, &game.link.next())}>{ page.word("game.onward") }{ glyph(Icon::Right) }</a></> }
}

/// The result as text, the same as a challenge, other blocks.
pub fn ways_on(page: &Page, game: &Game) -> Html {
    let copies = |id: &'static str, key: &str, text: String, toast: &'static str| {
        let send = page.send.clone();
        let onclick = Callback::from(move |_: MouseEvent| copy(text.clone(), &send, Message::new(toast)));
        html! { <button type="button" class="btn line" {id} {onclick}><span>{ page.word(key) }</span></button> }
    };
    let link = whole_address(page, &game.challenge());
    let result = game.result(&link, page.speech()).map(|result| page.speech().say(&result));
    html! {
        <section class="ways-on">
            if let Some(result) = result { { copies("game-copy", "game.copy", result, "game.copied") } }
            // A link to a document of another site would lead nobody to the game.
            if game.link.distant().is_none() { { copies("game-challenge", "game.challenge", link, "toast.copied") } }
            { others(page, game) }
        </section>
    }
}

/// Other blocks of the same kind, by difficulty.
fn others(page: &Page, game: &Game) -> Html {
    let next = game.link.next();
    html! {
        <p class="others">{ page.word("game.others") }{ page.blank() }{ for Difficulty::ALL.into_iter().map(|difficulty| {
            let GameOf::Seed(seed, _) = next.of else { return Html::default() };
            let link = GameLink { of: GameOf::Seed(seed, difficulty), ..next.clone() };
            let key = ["game.easy", "game.usual", "game.hard"][usize::from(difficulty.number()) - 1];
            html! { <><a data-level={difficulty.number().to_string()} href={address(page, &link)}>{ page.word(key) }</a>{ " " }</> }
        }) }</p>
    }
}
