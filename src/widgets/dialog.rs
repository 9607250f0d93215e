//! The frame of every dialog. It is not the element `dialog` of the browser: a modal one makes the
//! rest of the page inert, and with it the place where "copied" is shown and spoken.

use wasm_bindgen::JsCast;
use yew::prelude::*;

use crate::browser::dom::{active, by_id, focus, focus_element};
use crate::widgets::button::IconButton;
use crate::widgets::icons::Icon;

#[derive(Properties, PartialEq)]
pub struct DialogProps {
    pub title: String,
    /// Name of the button that closes it.
    pub close: AttrValue,
    pub onclose: Callback<MouseEvent>,
    pub children: Html,
}

/// A dialog over the page. Esc and the button close it; the focus begins in it.
#[component]
pub fn Dialog(props: &DialogProps) -> Html {
    use_effect_with((), |_| {
        let before = active();
        focus("dialog");
        move || focus_element(before)
    });
    let onkeydown = Callback::from(|event: KeyboardEvent| {
        if event.key() == "Tab" {
            keep_inside("dialog", &event);
        }
    });
    let (close, onclose) = (props.close.clone(), props.onclose.clone());
    html! {
        <div class="backdrop" onclick={onclose.clone()}>
            <div class="dialog" role="dialog" aria-modal="true" aria-label={props.title.clone()} id="dialog" tabindex="-1"
                {onkeydown} onclick={Callback::from(|event: MouseEvent| event.stop_propagation())}>
                <div class="panel-title"><h2>{ &props.title }</h2><span class="grow"></span>
                    <IconButton name={close} icon={Icon::Close} onclick={onclose} />
                </div>
                // What is long is scrolled with the keyboard, too.
                <div class="dialog-body" tabindex="0">{ props.children.clone() }</div>
            </div>
        </div>
    }
}

/// Tab at the end of a dialog goes on at its beginning, and the other way round.
fn keep_inside(id: &str, event: &KeyboardEvent) {
    let Some(dialog) = by_id(id) else { return };
    let Ok(stops) = dialog.query_selector_all("button, a[href], input, select, [tabindex='0']") else { return };
    let stop = |index: u32| stops.get(index).and_then(|node| node.dyn_into::<web_sys::Element>().ok());
    let (first, last) = (stop(0), stop(stops.length().saturating_sub(1)));
    let active = active();
    let outside = active.as_ref().is_none_or(|active| active.id() == id);
    if event.shift_key() && (outside || active == first) {
        event.prevent_default();
        focus_element(last);
    } else if !event.shift_key() && active == last {
        event.prevent_default();
        focus_element(first);
    }
}
