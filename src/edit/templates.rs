//! A graph to begin with.

use yew::prelude::*;

use crate::context::Page;
use crate::context::open::open_template;
use crate::shell::state::action::{Action, ViewAction};
use crate::shell::state::panels::Overlay;
use crate::widgets::icons::{Icon, glyph};
use crate::widgets::menu::Menu;
use memplan_core::base::Family;

/// Files in `graphs/new/`.
pub const TEMPLATES: [&str; 6] = ["empty", "chain", "diamond", "residual", "attention", "unet"];

pub fn templates(page: &Page) -> Html {
    let open = page.state.view.overlay == Some(Overlay::Templates);
    html! {
        <div class="menu-host">
            <button type="button" class="btn" id="edit-new" aria-haspopup="menu" aria-expanded={open.to_string()}
                onclick={page.on(|| Action::View(ViewAction::Overlay(Some(Overlay::Templates))))}>{ page.word("editor.new") }{ glyph(Icon::Down) }</button>
            if open {
                <Menu label={page.word("editor.new")} class="right">
                    { for TEMPLATES.into_iter().map(|name| {
                        let send = page.send.clone();
                        let onclick = Callback::from(move |_: MouseEvent| {
                            send.emit(Action::View(ViewAction::Overlay(None)));
                            open_template(name, send.clone());
                        });
                        html! { <button type="button" role="menuitem" {onclick}>{ page.word(&Family::EDITOR_TEMPLATE.of([name])) }</button> }
                    }) }
                </Menu>
            }
        </div>
    }
}
