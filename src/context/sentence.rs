//! A message as words, its names as links to their objects.

use yew::prelude::*;

use crate::context::Page;
use crate::context::names::breaking;
use crate::context::terms::TermWord;
use crate::shell::state::action::{Action, StepAction};
use memplan_core::base::{Message, Sizes, exact};
use memplan_core::text::Piece;

/// The words of a message in the page's language; terms define themselves.
pub fn words(page: &Page, message: &Message) -> Html {
    with_links(page, message, |words| html! { { words } })
}

/// The same; what stands between backticks is code.
pub fn words_with_code(page: &Page, message: &Message) -> Html {
    let mut is_code = false;
    with_links(page, message, |words| {
        let parts = words.split('`').enumerate().map(|(index, part)| {
            is_code ^= index > 0;
            let part = part.to_string();
            if is_code && !part.is_empty() {
                html! { <code>{ part }</code> }
            } else {
                html! { { part } }
            }
        });
        html! { <>{ for parts }</> }
    })
}

fn with_links(page: &Page, message: &Message, mut plain: impl FnMut(String) -> Html) -> Html {
    let mut pieces = page.speech().pieces(message).into_iter().peekable();
    let mut parts = Vec::new();
    while let Some(piece) = pieces.next() {
        parts.push(match piece {
            Piece::Words(words) => plain(words),
            Piece::Strong(words) => html! { <strong class="happened">{ words }</strong> },
            Piece::Name(name) => link(page, name),
            Piece::Size { words, exact } => html! { <span title={exact}>{ words }</span> },
            Piece::Frame(frame) => {
                let tail = pieces.peek_mut().map(cut_tail).unwrap_or_default();
                html! { <span class="whole">{ frame_link(page, frame) }{ tail }</span> }
            }
            Piece::Term { term, words, strong } => {
                let class = classes!(strong.then_some("happened"));
                let tail = pieces.peek_mut().map(cut_tail).unwrap_or_default();
                html! { <span class="whole"><TermWord {term} {class}>{ words }</TermWord>{ tail }</span> }
            }
        });
    }
    html! { <>{ for parts }</> }
}

/// Cuts off the punctuation that a piece begins with: it stands on the line of the term before it.
fn cut_tail(piece: &mut Piece) -> String {
    let Piece::Words(words) = piece else { return String::new() };
    let rest = words
        .trim_start_matches(|letter: char| ".,;:)\u{3002}\u{ff0c}\u{ff1b}\u{ff1a}\u{ff09}\u{3001}".contains(letter));
    let (tail, rest) = (words[..words.len() - rest.len()].to_string(), rest.to_string());
    *words = rest;
    tail
}

/// The number of a frame, counted at the present level, that goes there.
pub fn frame_link(page: &Page, frame: u32) -> Html {
    let onclick = page.on(move || Action::Step(StepAction::Seek(frame)));
    let label = page.speech().say(&Message::new("frame.link").count("frame", frame));
    html! { <button type="button" class="name frame-link" aria-label={label} {onclick}>{ exact(frame.into()) }</button> }
}

/// The words of a message with names that are no links: for those who only look on.
pub fn plain_words(page: &Page, message: &Message) -> Html {
    html! { <>{ for page.speech().pieces(message).into_iter().map(|piece| match piece {
        Piece::Words(words) => html! { { words } },
        Piece::Strong(words) => html! { <strong class="happened">{ words }</strong> },
        Piece::Name(name) => html! { <b class="object">{ name }</b> },
        Piece::Frame(frame) => html! { { exact(frame.into()) } },
        Piece::Term { words, strong: true, .. } => html! { <strong class="happened">{ words }</strong> },
        Piece::Size { words, .. } | Piece::Term { words, .. } => html! { { words } },
    }) }</> }
}

/// A size in the unit that suits it; all its bytes are one hover away.
pub fn size(page: &Page, bytes: u64) -> Html {
    let (words, exact) = (page.speech().bytes(bytes), Sizes::Exact.words(bytes));
    let title = (words != exact).then_some(exact);
    html! { <span {title}>{ words }</span> }
}

/// A name that selects its buffer. It is a part of the line, so that lines break inside it and not
/// behind it.
pub fn link(page: &Page, name: String) -> Html {
    let run = page.state.document.run.as_ref();
    match run.and_then(|run| Some((run, run.buffer_named(&name)?))) {
        Some((run, buffer)) => {
            let select = page.on(move || Action::Step(StepAction::Select(Some(buffer))));
            let label = run.label(buffer).to_string();
            let whole = (label != name).then(|| name.clone());
            let onkeydown = {
                let select = select.clone();
                Callback::from(move |event: KeyboardEvent| {
                    if matches!(event.key().as_str(), "Enter" | " ") {
                        event.prevent_default();
                        event.stop_propagation();
                        select.emit(());
                    }
                })
            };
            let onclick = select.reform(|_: MouseEvent| ());
            html! {
                <span class="name" role="button" tabindex="0" title={whole.clone()} aria-label={whole} data-name={name} {onclick} {onkeydown}>
                    { breaking(&label) }</span>
            }
        }
        None => html! { <b data-name={name.clone()}>{ breaking(&name) }</b> },
    }
}
