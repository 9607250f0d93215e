//! A new version of the page.

use yew::prelude::*;

use crate::browser::location::reload;
use crate::context::Page;
use crate::shell::state::action::{Action, ViewAction};
use crate::widgets::button::IconButton;
use crate::widgets::icons::{Icon, glyph};

/// Returns the notice that a new version is ready, with a button that loads it; nothing if there is
/// none.
pub fn newer(page: &Page) -> Html {
    if !page.state.view.newer {
        return Html::default();
    }
    let close = page.word("notice.dismiss");
    html! {
        <div class="notice line" role="status" id="newer">
            { glyph(Icon::Flag) }
            <div class="notice-body"><p>{ page.word("version.new") }</p></div>
            <button type="button" class="btn line" id="newer-reload" onclick={Callback::from(|_: MouseEvent| reload())}>{ page.word("version.reload") }</button>
            <IconButton name={close} icon={Icon::Close} onclick={page.on(|| Action::View(ViewAction::Newer(false)))} />
        </div>
    }
}
