//! Addresses of games.

use crate::app::context::Page;
use crate::app::model::game::GameLink;

/// The fragment of a game, with its `#`.
pub fn address(page: &Page, link: &GameLink) -> String {
    link.fragment(page.state.settings.locale)
}

/// The whole address of a game, to be sent to somebody.
pub fn whole_address(page: &Page, link: &GameLink) -> String {
    let place = web_sys::window().map(|window| window.location());
    let site = place.and_then(|place| Some(place.origin().ok()? + &place.pathname().ok()?));
    site.unwrap_or_default() + &address(page, link)
}
