//! A cell of a table that is typed into.

use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

use crate::context::{Page, use_page};
use crate::edit::state::draft::EditCommand;
use crate::shell::state::action::{Action, EditAction};
use memplan_core::base::Message;
use memplan_core::graph::edit::Change;

/// The longest text that a cell takes, in bytes. A browser lays the whole line out at once: half a
/// megabyte, the outputs of a `split` into 65,536, stops it for a sixth of a second.
const LONGEST: usize = 64 * 1024;
/// Bytes that are shown of a longer one.
const BEGINNING: usize = 1024;

#[derive(Properties, Clone, PartialEq)]
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

/// What is in a field and not, or not yet, in the draft.
#[derive(Clone, PartialEq)]
struct Typed {
    text: String,
    /// The field that it was typed into: a row that goes leaves its place to another one.
    label: AttrValue,
    /// What the draft had when the field was left with a text that it refuses. The text stays, to
    /// be corrected.
    left: Option<AttrValue>,
}

#[component]
pub fn Field(props: &FieldProps) -> Html {
    let page = use_page();
    let typed = use_state_eq(|| None::<Typed>);
    if props.value.len() > LONGEST {
        return too_long(&page, props);
    }
    let shown = (*typed)
        .clone()
        .filter(|typed| typed.label == props.label && typed.left.as_ref().is_none_or(|value| *value == props.value));
    // A field that is read when it is left has refused nothing before.
    let is_tried = |typed: &&Typed| props.live || typed.left.is_some();
    let refused =
        shown.as_ref().filter(is_tried).and_then(|typed| page.state.refusal(&props.change.emit(typed.text.clone())));
    let (oninput, leave) = typing(&page, props, &typed, shown.as_ref());
    let onblur = {
        let leave = leave.clone();
        Callback::from(move |_: FocusEvent| leave.emit(()))
    };
    let onkeydown = {
        let (send, setter, is_typing) = (page.send.clone(), typed.setter(), shown.is_some());
        Callback::from(move |event: KeyboardEvent| match event.key().as_str() {
            "Enter" => leave.emit(()),
            "Escape" if is_typing => {
                setter.set(None);
                send.emit(Action::Edit(EditAction::Change(EditCommand::Cancel)));
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
    let title = refused.as_ref().map_or_else(|| props.value.clone(), |why| page.speech().say(why).into());
    let value = shown.map_or_else(|| props.value.clone(), |typed| typed.text.into());
    html! {
        <input class={classes!("cell", props.class.clone())} aria-label={props.label.clone()} aria-invalid={refused.is_some().then_some("true")}
            {value} {title} {oninput} {onblur} {onkeydown} {onfocus} autocomplete="off" spellcheck="false" />
    }
}

/// The beginning of a list of thousands, which is not changed in a cell.
fn too_long(page: &Page, props: &FieldProps) -> Html {
    let value = format!("{}…", &props.value[..props.value.floor_char_boundary(BEGINNING)]);
    let names = props.value.split(',').count() as u64;
    let title = page.speech().say(&Message::new("editor.too-long").count("count", names));
    let chosen = props.onfocus.clone();
    let onfocus = Callback::from(move |_: FocusEvent| chosen.emit(()));
    html! { <input class={classes!("cell", props.class.clone())} aria-label={props.label.clone()} {value} {title} {onfocus} readonly=true /> }
}

/// What a letter does, and what leaving the field does.
fn typing(
    page: &Page,
    props: &FieldProps,
    typed: &UseStateHandle<Option<Typed>>,
    shown: Option<&Typed>,
) -> (Callback<InputEvent>, Callback<()>) {
    let emit = {
        let (send, change) = (page.send.clone(), props.change.clone());
        move |text: String| send.emit(Action::Edit(EditAction::Change(EditCommand::Type(change.emit(text)))))
    };
    let oninput = {
        let (typed, emit, live, label) = (typed.setter(), emit.clone(), props.live, props.label.clone());
        Callback::from(move |event: InputEvent| {
            let text = event.target_unchecked_into::<HtmlInputElement>().value();
            if live {
                emit(text.clone());
            }
            typed.set(Some(Typed { text, label: label.clone(), left: None }));
        })
    };
    let leave = {
        let (page, typed, shown, props) = (page.clone(), typed.setter(), shown.cloned(), props.clone());
        Callback::from(move |()| {
            let Some(shown) = shown.clone() else { return };
            if !props.live && shown.text != props.value.as_str() {
                emit(shown.text.clone());
            }
            page.send.emit(Action::Edit(EditAction::Change(EditCommand::Leave)));
            let refused = page.state.refusal(&props.change.emit(shown.text.clone()));
            typed.set(refused.map(|_| Typed { left: Some(props.value.clone()), ..shown }));
        })
    };
    (oninput, leave)
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
        send.emit(Action::Edit(EditAction::Change(EditCommand::Make(change.emit(value)))));
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
