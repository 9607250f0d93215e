//! Addresses of games.

use crate::browser::location::page_address;
use crate::context::Page;
use crate::learn::play::state::address::GameLink;

/// The fragment of a game, with its `#`.
pub fn address(page: &Page, link: &GameLink) -> String {
    link.fragment(page.state.settings.locale)
}

/// The whole address of a game, to be sent to somebody.
pub fn whole_address(page: &Page, link: &GameLink) -> String {
    page_address() + &address(page, link)
}
