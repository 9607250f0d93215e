//! A text that the browser did not put on the clipboard, selected, so that it can be copied by
//! hand.

use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, HtmlInputElement};
use yew::prelude::*;

use crate::context::use_page;
use crate::shell::state::action::{Action, ViewAction};
use crate::widgets::dialog::Dialog;
use gloo_timers::callback::Timeout;

#[component]
pub fn ByHand() -> Html {
    let page = use_page();
    let field = use_node_ref();
    use_effect_with(field.clone(), |field| {
        // The dialog takes the focus first.
        let field = field.clone();
        let soon = Timeout::new(0, move || {
            if let Some(element) = field.cast::<HtmlElement>() {
                // A field that cannot be focused is still there to be selected.
                let _ = element.focus();
                // Both kinds of fields have the method.
                element.unchecked_into::<HtmlInputElement>().select();
            }
        });
        move || drop(soon)
    });
    html! {
        <Dialog title={page.word("by-hand.title")} close={page.word("dialog.close")}
            onclose={page.on(|| Action::View(ViewAction::Overlay(None)))}>
            <p>{ page.word("by-hand.how") }</p>
            <textarea ref={field} id="by-hand" readonly=true rows="4" aria-label={page.word("by-hand.text")} value={page.state.view.by_hand.clone()} />
        </Dialog>
    }
}
