//! A menu: the focus begins in it, arrows move it, and it goes back where it was when the menu
//! closes.
//!
//! It is no `popover` of the browser: that lies above the whole page, where a menu finds its button
//! only by the anchors of CSS, which not every browser has.

use wasm_bindgen::JsCast;
use web_sys::Element;
use yew::prelude::*;

use crate::browser::dom::{active, focus_element};

#[derive(Properties, PartialEq)]
pub struct MenuProps {
    pub label: AttrValue,
    #[prop_or_default]
    pub class: Classes,
    pub children: Html,
}

/// Entries are buttons with role `menuitem`, `menuitemradio` or `menuitemcheckbox`.
#[component]
pub fn Menu(props: &MenuProps) -> Html {
    let list = use_node_ref();
    {
        let list = list.clone();
        use_effect_with((), move |_| {
            let before = active();
            let checked = list
                .cast::<Element>()
                .and_then(|list| list.query_selector("[role=menuitemradio][aria-checked=true]").ok().flatten());
            focus_element(checked.or_else(|| entries(&list).into_iter().next()));
            move || focus_element(before)
        });
    }
    let onkeydown = {
        let list = list.clone();
        Callback::from(move |event: KeyboardEvent| {
            let entries = entries(&list);
            let active = active();
            let here = entries.iter().position(|entry| Some(entry) == active.as_ref());
            let last = entries.len().saturating_sub(1);
            let next = match (event.key().as_str(), here) {
                ("ArrowDown", Some(here)) if here < last => here + 1,
                ("ArrowUp", Some(0)) => last,
                ("ArrowUp", Some(here)) => here - 1,
                ("ArrowDown" | "ArrowUp" | "Home", _) => 0,
                ("End", _) => last,
                _ => return,
            };
            event.prevent_default();
            event.stop_propagation();
            focus_element(entries.get(next).cloned());
        })
    };
    html! {
        <div class={classes!("menu", props.class.clone())} role="menu" ref={list} aria-label={props.label.clone()} {onkeydown}>
            { props.children.clone() }
        </div>
    }
}

fn entries(list: &NodeRef) -> Vec<Element> {
    let found =
        list.cast::<Element>().and_then(|list| list.query_selector_all("[role^=menuitem]:not([disabled])").ok());
    let found = found.into_iter().flat_map(|found| (0..found.length()).filter_map(move |index| found.get(index)));
    found.filter_map(|node| node.dyn_into().ok()).collect()
}
