//! A message as words, its names as links to their objects.

use yew::prelude::*;

use crate::app::context::Page;
use crate::app::state::action::{Action, StepAction};
use crate::base::Message;
use crate::text::Piece;

/// The words of a message in the page's language.
pub fn words(page: &Page, message: &Message) -> Html {
    let pieces = page.speech().pieces(message);
    html! { <>{ for pieces.into_iter().map(|piece| match piece {
        Piece::Words(words) => html! { { words } },
        Piece::Strong(words) => html! { <strong class="happened">{ words }</strong> },
        Piece::Name(name) => link(page, name),
    }) }</> }
}

/// A name that selects its buffer.
pub fn link(page: &Page, name: String) -> Html {
    let buffer = page.state.document.run.as_ref().and_then(|run| run.problem.buffer_named(&name));
    match buffer {
        Some(buffer) => {
            let onclick = page.on(move || Action::Step(StepAction::Select(Some(buffer))));
            html! { <button type="button" class="name" {onclick}>{ name }</button> }
        }
        None => html! { <b>{ name }</b> },
    }
}
