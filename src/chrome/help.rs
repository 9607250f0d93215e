//! The dialog that lists all keys.

use yew::prelude::*;

use crate::browser::inside::nearby;
use crate::context::Page;
use crate::shell::state::action::{Action, ViewAction};
use crate::shell::state::keys::KEYS;
use crate::widgets::dialog::Dialog;

pub fn help(page: &Page) -> Html {
    html! {
        <Dialog title={page.word("help.title")} close={page.word("dialog.close")} onclose={page.on(|| Action::View(ViewAction::Overlay(None)))}>
            <table class="keys"><tbody>{ for KEYS.iter().map(|line| html! {
                <tr><th scope="row"><kbd>{ line.signs() }</kbd></th><td>{ page.word(line.help) }</td></tr>
            }) }</tbody></table>
            <p class="muted">{ page.word("help.mouse") }</p>
            <p><a id="licenses" href={nearby("licenses.html")} target="_blank" rel="noopener">{ page.word("help.licenses") }</a></p>
        </Dialog>
    }
}
