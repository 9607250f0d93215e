//! A cell of a table that is typed into.

use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

use crate::app::context::{Page, use_page};
use crate::app::model::editing::Step;
use crate::app::state::action::{Action, EditAction};
use crate::graph::edit::Change;

#[derive(Properties, PartialEq)]
pub struct FieldProps {
    /// The text of the draft.
    pub value: AttrValue,
    pub label: AttrValue,
    /// The change that a text asks for.
    pub change: Callback<String, Change>,
    #[prop_or_default]
    pub onfocus: Callback<()>,
    /// Planned as it is typed; otherwise when the field is left.
    #[prop_or(true)]
    pub live: bool,
    #[prop_or_default]
    pub class: Classes,
}

#[component]
pub fn Field(props: &FieldProps) -> Html {
    let page = use_page();
    // What is being typed; the draft may lag behind it or refuse it.
    let typed = use_state_eq(|| None::<String>);
    let refused = typed.as_ref().is_some_and(|typed| {
        page.state.editing.session.as_ref().is_some_and(|editing| editing.refused.is_some())
            && *typed != props.value.as_str()
    });
    let emit = {
        let (send, change) = (page.send.clone(), props.change.clone());
        move |text: String| send.emit(Action::Edit(EditAction::Change(Step::Type(change.emit(text)))))
    };
    let oninput = {
        let (typed, emit, live) = (typed.setter(), emit.clone(), props.live);
        Callback::from(move |event: InputEvent| {
            let text = event.target_unchecked_into::<HtmlInputElement>().value();
            if live {
                emit(text.clone());
            }
            typed.set(Some(text));
        })
    };
    let leave = {
        let (send, setter, typed, live, value) =
            (page.send.clone(), typed.setter(), typed.clone(), props.live, props.value.clone());
        move || {
            if let Some(text) = (*typed).clone().filter(|text| !live && *text != value.as_str()) {
                emit(text);
            }
            if typed.is_some() {
                send.emit(Action::Edit(EditAction::Change(Step::Leave)));
            }
            setter.set(None);
        }
    };
    let onblur = {
        let leave = leave.clone();
        Callback::from(move |_: FocusEvent| leave())
    };
    let onkeydown = {
        let (setter, typing) = (typed.setter(), typed.is_some());
        Callback::from(move |event: KeyboardEvent| match event.key().as_str() {
            "Enter" => leave(),
            "Escape" if typing => {
                setter.set(None);
                // It has ended the typing and nothing else.
                event.stop_propagation();
            }
            _ => {}
        })
    };
    let onfocus = {
        let chosen = props.onfocus.clone();
        Callback::from(move |_: FocusEvent| chosen.emit(()))
    };
    let value = (*typed).clone().map_or_else(|| props.value.clone(), AttrValue::from);
    html! {
        <input class={classes!("cell", props.class.clone())} aria-label={props.label.clone()} aria-invalid={refused.then_some("true")}
            {value} title={props.value.clone()} {oninput} {onblur} {onkeydown} {onfocus} autocomplete="off" spellcheck="false" />
    }
}

/// A cell with a few values to choose from, each with its words.
pub fn choice(
    page: &Page,
    value: &str,
    label: String,
    choices: &[(&'static str, AttrValue)],
    change: Callback<String, Change>,
    onfocus: Callback<()>,
) -> Html {
    let send = page.send.clone();
    let onchange = Callback::from(move |event: Event| {
        let value = event.target_unchecked_into::<HtmlSelectElement>().value();
        send.emit(Action::Edit(EditAction::Change(Step::Make(change.emit(value)))));
    });
    let onfocus = Callback::from(move |_: FocusEvent| onfocus.emit(()));
    html! {
        <select class="cell" aria-label={label} {onchange} {onfocus}>
            { for choices.iter().map(|(name, words)| html! {
                <option value={*name} selected={*name == value}>{ words }</option>
            }) }
        </select>
    }
}
