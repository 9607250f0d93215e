//! The dialog that explains the signs on the plan and on the scrubber.

use yew::prelude::*;

use crate::context::{Layout, Page};
use crate::plan::stage::is_at_rest;
use crate::plan::style::style_of;
use crate::shell::state::action::{Action, ViewAction};
use crate::widgets::dialog::Dialog;

/// Each sign as it is drawn, on 28 by 18 px, and what it means.
const SIGNS: [(&str, &str); 14] = [
    ("<circle class='chosen' cx='14' cy='9' r='8'/><text class='on-chosen' x='14' y='13'>2</text>", "signs.chosen"),
    (
        "<rect class='dashed' x='1' y='1' width='26' height='16'/><circle class='ring' cx='14' cy='9' r='6.500'/><text x='14' y='12.500'>1</text>",
        "signs.looked",
    ),
    (
        "<rect class='box dark' x='2' y='3' width='24' height='12'/><rect class='blocks' x='4' y='5' width='20' height='8'/>",
        "signs.blocks",
    ),
    (
        "<circle class='chosen' cx='3' cy='9' r='2.500'/><path class='arrow' d='M3 9h18'/><path class='chosen' d='M27 9l-7-4v8z'/>",
        "signs.reuse",
    ),
    (
        "<rect class='grown' x='0' y='1' width='28' height='16'/><path class='arrow' d='M14 17V8'/><path class='chosen' d='M14 2l-4 7h8z'/>",
        "signs.grown",
    ),
    ("<rect class='box dark' x='2' y='3' width='24' height='12'/>", "signs.dark"),
    ("<rect class='box pale' x='2' y='3' width='24' height='12'/>", "signs.pale"),
    ("<rect class='next' x='2' y='4' width='24' height='10'/>", "signs.next"),
    ("<rect class='life' x='6' y='0' width='16' height='18'/>", "signs.life"),
    ("<path class='cursor' d='M14 5v13M10 1h8l-4 5z'/>", "signs.cursor"),
    ("<rect class='sunk' x='2' y='1' width='24' height='16'/>", "signs.sunk"),
    ("<path class='event' d='M14 4l5 9H9z'/>", "signs.growth"),
    ("<rect class='event' x='10' y='5' width='8' height='8'/>", "signs.pool"),
    ("<path class='open' d='M14 4.500l4.500 4.500-4.500 4.500L9.500 9z'/>", "signs.split"),
];

/// Signs of the decision of a frame.
const OF_DECISION: [&str; 8] = [
    "signs.chosen",
    "signs.looked",
    "signs.blocks",
    "signs.reuse",
    "signs.grown",
    "signs.dark",
    "signs.pale",
    "signs.life",
];

/// Whether a lesson has come to a sign; elsewhere all are told.
fn is_told(page: &Page, key: &str) -> bool {
    let state = &page.state;
    let Some(run) = state.document.run.as_ref().filter(|_| state.scene_beside().is_some()) else { return true };
    let has_marks = page.layout != Layout::Narrow && style_of(page, run).show_peak;
    match key {
        "signs.pool" => has_marks && run.plan.pools.len() > 1,
        "signs.growth" | "signs.split" => has_marks,
        other => !(OF_DECISION.contains(&other) && is_at_rest(state)),
    }
}

/// The words of a sign. Beside a lesson there is no tab *Why*.
fn words(page: &Page, key: &'static str) -> &'static str {
    if key == "signs.looked" && page.state.scene_beside().is_some() { "signs.looked-only" } else { key }
}

pub fn signs(page: &Page) -> Html {
    html! {
        <Dialog title={page.word("signs.title")} close={page.word("dialog.close")} onclose={page.on(|| Action::View(ViewAction::Overlay(None)))}>
            <dl class="signs">{ for SIGNS.iter().filter(|(_, key)| is_told(page, key)).map(|(picture, key)| html! { <>
                <dt>{ drawn(picture) }</dt><dd>{ page.word(words(page, key)) }</dd>
            </> }) }</dl>
        </Dialog>
    }
}

/// A picture of this file, which nobody else writes.
fn drawn(picture: &str) -> Html {
    let svg = format!("<svg class='sign-key' viewBox='0 0 28 18' aria-hidden='true'>{picture}</svg>");
    Html::from_html_unchecked(AttrValue::from(svg))
}
