//! The menu of the page, the list of keys, and the frame of every dialog.

use wasm_bindgen::JsCast;
use yew::prelude::*;

use super::header::theme_key;
use super::icons::{Icon, glyph};
use super::menu::Menu;
use super::page::{copy_embed, copy_link};
use super::tabs::{document, focus_element};
use super::{Layout, Page, focus, use_page};
use crate::app::hooks::pick_files;
use crate::app::state::{Action, Mode, Overlay};
use crate::planner;
use crate::text::Locale;

pub fn more(page: &Page) -> Html {
    let state = page.state.clone();
    let open = state.overlay == Some(Overlay::More);
    let name = page.word("header.more");
    let entry = |label: String, action: Callback<MouseEvent>| html! { <button type="button" role="menuitem" onclick={action}>{ label }</button> };
    let then = |send: Callback<Action>, act: Box<dyn Fn()>| {
        Callback::from(move |_: MouseEvent| {
            send.emit(Action::Overlay(None));
            act();
        })
    };
    let send = page.send.clone();
    let pick = then(send.clone(), Box::new(move || pick_files(send.clone())));
    let copy = copy_link(&page.send);
    let share = then(page.send.clone(), Box::new(move || copy.emit(())));
    let saved = page.send.clone();
    let save = then(page.send.clone(), Box::new(move || saved.emit(Action::Save)));
    let copy = copy_embed(&page.send);
    let embed = then(page.send.clone(), Box::new(move || copy.emit(())));
    let other = if state.locale == Locale::En { Locale::Zh } else { Locale::En };
    let theme = state.theme.next();
    let keys = state.single_keys;
    html! {
        <div class="menu-host">
            <button type="button" class="btn icon-only" id="more-button" aria-haspopup="menu" aria-label={name.clone()} title={name.clone()}
                aria-expanded={open.to_string()} onclick={page.on(|| Action::Overlay(Some(Overlay::More)))}>{ glyph(Icon::More) }</button>
            if open {
                <Menu label={name} class="right">
                    if page.layout == Layout::Narrow {
                        { for Mode::ALL.into_iter().map(|mode| html! {
                            <button type="button" role="menuitemradio" id={format!("mode-{}", mode.name())} aria-checked={(state.mode == mode).to_string()}
                                onclick={page.on(move || Action::Mode(mode))}>{ page.word(&format!("mode.{}", mode.name())) }</button>
                        }) }
                    }
                    if page.layout == Layout::Narrow && planner::info(&state.planner).is_some() {
                        { entry(page.word("how.button"), page.on(|| Action::Overlay(Some(Overlay::How)))) }
                    }
                    { entry(page.word("files.open"), pick) }
                    { entry(page.word("header.share"), share) }
                    { entry(page.word("header.embed"), embed) }
                    { entry(page.word("header.save"), save) }
                    if page.layout != Layout::Wide {
                        <button type="button" role="menuitem" lang={other.tag()} onclick={page.on(move || Action::Locale(other))}>{ other.own_name() }</button>
                        { entry(page.word(&theme_key(state.theme)), page.on(move || Action::Theme(theme))) }
                    }
                    { entry(page.word("find.title"), page.on(|| Action::Overlay(Some(Overlay::Find)))) }
                    { entry(page.word("header.report"), page.on(|| Action::Overlay(Some(Overlay::Report)))) }
                    <button type="button" role="menuitemcheckbox" aria-checked={keys.to_string()} onclick={page.on(move || Action::SingleKeys(!keys))}>
                        { page.word("header.single-keys") }
                    </button>
                    { entry(page.word("help.title"), page.on(|| Action::Overlay(Some(Overlay::Help)))) }
                </Menu>
            }
        </div>
    }
}

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
        <Dialog title={page.word("help.title")}>
            <table class="keys"><tbody>{ for KEYS.iter().map(|(keys, what)| html! {
                <tr><th scope="row"><kbd>{ *keys }</kbd></th><td>{ page.word(what) }</td></tr>
            }) }</tbody></table>
            <p class="muted">{ page.word("help.mouse") }</p>
        </Dialog>
    }
}

#[derive(Properties, PartialEq)]
pub struct DialogProps {
    pub title: String,
    pub children: Html,
}

/// A dialog over the page. Esc and the button close it; the focus begins in it.
#[component]
pub fn Dialog(props: &DialogProps) -> Html {
    let page = use_page();
    use_effect_with((), |_| {
        let before = document().and_then(|document| document.active_element());
        focus("dialog");
        move || focus_element(before)
    });
    let onkeydown = Callback::from(|event: KeyboardEvent| {
        if event.key() == "Tab" {
            keep_inside("dialog", &event);
        }
    });
    let close = page.word("dialog.close");
    html! {
        <div class="backdrop" onclick={page.on(|| Action::Overlay(None))}>
            <div class="dialog" role="dialog" aria-modal="true" aria-label={props.title.clone()} id="dialog" tabindex="-1"
                {onkeydown} onclick={Callback::from(|event: MouseEvent| event.stop_propagation())}>
                <div class="panel-title"><h2>{ &props.title }</h2><span class="grow"></span>
                    <button type="button" class="btn icon-only" aria-label={close.clone()} title={close} onclick={page.on(|| Action::Overlay(None))}>
                        { glyph(Icon::Close) }
                    </button>
                </div>
                // What is long is scrolled with the keyboard, too.
                <div class="dialog-body" tabindex="0">{ props.children.clone() }</div>
            </div>
        </div>
    }
}

/// Tab at the end of a dialog goes on at its beginning, and the other way round.
fn keep_inside(id: &str, event: &KeyboardEvent) {
    let Some(dialog) = document().and_then(|document| document.get_element_by_id(id)) else { return };
    let Ok(stops) = dialog.query_selector_all("button, a[href], input, select, [tabindex='0']") else { return };
    let stop = |index: u32| stops.get(index).and_then(|node| node.dyn_into::<web_sys::Element>().ok());
    let (first, last) = (stop(0), stop(stops.length().saturating_sub(1)));
    let active = document().and_then(|document| document.active_element());
    let outside = active.as_ref().is_none_or(|active| active.id() == id);
    if event.shift_key() && (outside || active == first) {
        event.prevent_default();
        focus_element(last);
    } else if !event.shift_key() && active == last {
        event.prevent_default();
        focus_element(first);
    }
}
