//! Games under Learn: one's own plan against those of the planners.

pub mod address;
pub mod board;
pub mod breaking;
pub mod debug;
pub mod frame;
pub mod hand;
pub mod ladder;
pub mod legend;
pub mod operators;
pub mod order;
pub mod overlay;
pub mod pack;
pub mod picture;
pub mod rows;
pub mod state;
pub mod strip;
#[cfg(test)]
mod tests;
pub mod tries;

use yew::prelude::*;

use crate::context::sentence::plain_words;
use crate::context::use_page;
use crate::learn::play::breaking::Break;
use crate::learn::play::debug::Debug;
use crate::learn::play::order::Order;
use crate::learn::play::pack::Pack;
use crate::learn::play::state::Table;
use crate::widgets::icons::{Icon, glyph};

#[derive(Properties, PartialEq)]
pub struct GameProps {
    pub dark: bool,
    /// What stands at the end of the panel beside the plan, such as the way to hand a result in.
    #[prop_or_default]
    pub children: Html,
}

/// The game that is open.
#[component]
pub fn GamePage(props: &GameProps) -> Html {
    let page = use_page();
    let Some(game) = page.state.game_shown() else { return Html::default() };
    match (&game.failure, &game.table) {
        (Some(why), _) => html! {
            <main class="learn" id="region-stage" tabindex="-1"><div class="learn-in"><section class="tcard">
                <h2>{ page.word("game.none") }</h2>
                <p class="refused" role="alert">{ glyph(Icon::Warning) }<span>{ plain_words(&page, why) }</span></p>
            </section></div></main>
        },
        (None, Table::Empty) => html! {
            <main class="learn" id="region-stage" tabindex="-1"><div class="learn-in">
                <p class="muted" role="status">{ page.word("game.dealing") }</p>
            </div></main>
        },
        (None, Table::Order(_)) => html! { <Order dark={props.dark}>{ props.children.clone() }</Order> },
        (None, Table::Debug(_)) => html! { <Debug dark={props.dark}>{ props.children.clone() }</Debug> },
        (None, Table::Board(_)) => html! { <Break dark={props.dark}>{ props.children.clone() }</Break> },
        (None, Table::Blocks(_)) => html! { <Pack dark={props.dark}>{ props.children.clone() }</Pack> },
    }
}
