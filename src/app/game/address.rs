//! Addresses of games.

use crate::app::context::Page;
use crate::app::model::game::GameLink;
use crate::base::fragment::escape;

/// The fragment of a game, with its `#`.
pub fn address(page: &Page, link: &GameLink) -> String {
    let pairs = link.pairs().into_iter().map(|(key, value)| format!("{key}={}", escape(&value)));
    let parts: Vec<String> = pairs.chain([format!("lang={}", page.state.settings.locale.name())]).collect();
    format!("#{}", parts.join("&"))
}

/// The whole address of a game, to be sent to somebody.
pub fn whole_address(page: &Page, link: &GameLink) -> String {
    let place = web_sys::window().map(|window| window.location());
    let site = place.and_then(|place| Some(place.origin().ok()? + &place.pathname().ok()?));
    site.unwrap_or_default() + &address(page, link)
}
