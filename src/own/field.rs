//! The field of a program in an exercise: the same lines and keys as in the editor, but nothing
//! runs before it is checked.

use std::cell::Cell;
use std::rc::Rc;

use web_sys::HtmlTextAreaElement;
use yew::prelude::*;

use crate::context::use_page;
use crate::own::editor::{on_key, with_code};
use crate::own::text::{LineMarks, lines};
use memplan_core::base::Message;
use memplan_engine::{Mistake, OWN_NAME};

/// A field with what is wrong in it.
#[derive(Properties, PartialEq)]
pub struct ProgramFieldProps {
    /// The element id.
    pub id: String,
    /// The program.
    pub text: Rc<str>,
    /// Where it is wrong.
    pub mistake: Option<Mistake>,
    /// It was changed.
    pub onchanged: Callback<Rc<str>>,
    /// Control and Enter were pressed.
    pub oncheck: Callback<()>,
}

#[component]
pub fn ProgramField(props: &ProgramFieldProps) -> Html {
    let page = use_page();
    let leaves = use_mut_ref(|| Cell::new(false));
    let onchanged = props.onchanged.clone();
    let oninput = Callback::from(move |event: InputEvent| {
        onchanged.emit(event.target_unchecked_into::<HtmlTextAreaElement>().value().into());
    });
    let oncheck = props.oncheck.clone();
    let onkeydown = Callback::from(move |event: KeyboardEvent| {
        if event.key() == "Enter" && (event.ctrl_key() || event.meta_key()) {
            event.prevent_default();
            return oncheck.emit(());
        }
        on_key(&event, &leaves.borrow());
    });
    let marks = LineMarks { mistake: props.mistake.clone(), ..LineMarks::default() };
    let [wrong, keys] = ["mistake", "keys"].map(|part| format!("{}-{part}", props.id));
    let described = if props.mistake.is_some() { format!("{wrong} {keys}") } else { keys.clone() };
    html! { <>
        <div class="code-box editing">
            <div class="code-lines" aria-hidden="true">{ lines(&props.text, &marks) }</div>
            <textarea id={props.id.clone()} aria-label={OWN_NAME} aria-describedby={described} aria-invalid={props.mistake.is_some().to_string()}
                spellcheck="false" autocomplete="off" autocapitalize="off" wrap="off" value={props.text.to_string()} {oninput} {onkeydown} />
        </div>
        if let Some(mistake) = &props.mistake {
            <div class="own-mistake" id={wrong} data-line={mistake.line.to_string()}>
                <p>if mistake.line > 0 { <b>{ page.speech().say(&Message::new("own.line").count("n", mistake.line)) }</b>{ page.blank() } }
                    { with_code(&page.speech().say(&mistake.reason)) }</p>
            </div>
        }
        <p class="muted own-keys editor-keys" id={keys}><kbd>{ "Esc" }</kbd>{ " " }<kbd>{ "Tab" }</kbd>{ " " }{ page.word("own.leaves") }</p>
    </> }
}
