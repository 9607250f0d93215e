use yew::prelude::*;

use crate::app::context::Page;
use crate::app::state::action::{Action, ViewAction};
use crate::app::widgets::dialog::Dialog;

/// Keys and what they do, in the order of the help.
const KEYS: [(&str, &str); 29] = [
    ("→ ←", "help.frame"),
    ("Shift + → ←", "help.buffer"),
    ("Home End", "help.ends"),
    ("Space", "help.play"),
    ("N  Shift + N", "help.run-to"),
    ("B", "help.break"),
    (", .", "help.speed"),
    ("1 2 3", "help.level"),
    ("W S A D  R F", "help.move"),
    ("+ −  0  9  Z", "help.zoom"),
    ("Alt + ← → ↑ ↓", "help.neighbour"),
    ("I", "help.tooltip"),
    ("☰  Shift + F10", "help.menu"),
    ("G T U Y", "help.panels"),
    ("[ ] \\", "help.toggle"),
    ("P  Shift + P", "help.planner"),
    ("C", "help.compare"),
    ("V O M", "help.switches"),
    ("L", "help.link"),
    ("Ctrl + O", "help.open"),
    ("Ctrl + S", "help.save"),
    ("Ctrl + Z  Ctrl + Shift + Z", "help.undo"),
    ("↑ ↓ ← →", "help.cells"),
    ("Alt + ↑ ↓", "help.move-node"),
    ("Enter  Delete", "help.row"),
    ("F6  Shift + F6", "help.regions"),
    ("Esc", "help.escape"),
    ("/  Ctrl + K", "help.find"),
    ("?", "help.help"),
];

pub fn help(page: &Page) -> Html {
    html! {
        <Dialog title={page.word("help.title")} close={page.word("dialog.close")} onclose={page.on(|| Action::View(ViewAction::Overlay(None)))}>
            <table class="keys"><tbody>{ for KEYS.iter().map(|(keys, what)| html! {
                <tr><th scope="row"><kbd>{ *keys }</kbd></th><td>{ page.word(what) }</td></tr>
            }) }</tbody></table>
            <p class="muted">{ page.word("help.mouse") }</p>
        </Dialog>
    }
}
