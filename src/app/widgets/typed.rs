//! A field whose text is heard once it is left, or by Enter. What is being typed stays, whatever is drawn anew around it.

use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::app::browser::hooks::use_state_eq;

#[derive(Properties, PartialEq)]
pub struct TypedProps {
    /// What stands there while nothing is being typed.
    pub value: AttrValue,
    pub label: AttrValue,
    /// What could stand there.
    pub hint: AttrValue,
    /// Given what was typed.
    pub onchange: Callback<String>,
}

#[component]
pub fn TypedField(props: &TypedProps) -> Html {
    let typed = use_state_eq(|| None::<String>);
    let oninput = {
        let typed = typed.setter();
        Callback::from(move |event: InputEvent| {
            typed.set(Some(event.target_unchecked_into::<HtmlInputElement>().value()));
        })
    };
    let onchange = {
        let (typed, heard) = (typed.setter(), props.onchange.clone());
        Callback::from(move |event: Event| {
            heard.emit(event.target_unchecked_into::<HtmlInputElement>().value());
            typed.set(None);
        })
    };
    // A text that is the same as before is no change, and yet no longer being typed.
    let onblur = {
        let typed = typed.setter();
        Callback::from(move |_: FocusEvent| typed.set(None))
    };
    let value = (*typed).clone().map_or_else(|| props.value.clone(), AttrValue::from);
    html! {
        <input class="small" type="text" autocomplete="off" spellcheck="false" aria-label={props.label.clone()}
            placeholder={props.hint.clone()} {value} {oninput} {onchange} {onblur} />
    }
}
