//! A text field that reports its text when it loses focus or on Enter. Drawing the page again does
//! not disturb the typing.

use web_sys::HtmlInputElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct TypedProps {
    /// The text while nothing is being typed.
    pub value: AttrValue,
    pub label: AttrValue,
    /// Placeholder: an example of a text.
    pub hint: AttrValue,
    /// Called with the text that was typed.
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
        let (typed, report) = (typed.setter(), props.onchange.clone());
        Callback::from(move |event: Event| {
            report.emit(event.target_unchecked_into::<HtmlInputElement>().value());
            typed.set(None);
        })
    };
    // Leaving the field with the text unchanged fires no change event, but ends the typing.
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
