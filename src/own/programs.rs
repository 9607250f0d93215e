//! The list of the user's programs above the editor, and what can be done with the one in it.

use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

use crate::browser::dom::focus;
use crate::context::{Layout, use_page};
use crate::own::state::drafts::Draft;
use crate::shell::state::action::{Action, OwnAction};
use crate::widgets::button::IconButton;
use crate::widgets::icons::Icon;
use memplan_core::base::Message;

/// The element id of the list.
const LIST: &str = "own-program";

/// The element ids of the field of a name, and of the button that shows it.
const NAME: &str = "own-name";
const RENAME: &str = "own-rename";

#[derive(Properties, PartialEq)]
pub struct ProgramsProps {
    /// Passes on what was typed last: it belongs to the program that is left.
    pub flush: Callback<()>,
}

#[component]
pub fn Programs(props: &ProgramsProps) -> Html {
    let page = use_page();
    let renames = use_state_eq(|| false);
    use_effect_with(*renames, |&renames| {
        if renames {
            focus(NAME);
        }
    });
    let own = &page.state.own;
    let does = |action: OwnAction| {
        let (flush, send) = (props.flush.clone(), page.send.clone());
        move || {
            flush.emit(());
            send.emit(Action::Own(action.clone()));
        }
    };
    let button = |id: &'static str, key: &str, icon: Icon, action: OwnAction| {
        let act = does(action);
        html! { <IconButton name={page.word(key)} {icon} {id} onclick={Callback::from(move |_: MouseEvent| act())} /> }
    };
    let chosen = {
        let (flush, send) = (props.flush.clone(), page.send.clone());
        Callback::from(move |event: Event| {
            let at = event.target_unchecked_into::<HtmlSelectElement>().value().parse();
            flush.emit(());
            at.into_iter().for_each(|at| send.emit(Action::Own(OwnAction::Select(at))));
        })
    };
    let (begin, end) = (renames.setter(), renames.setter());
    let rename = Callback::from(move |_: MouseEvent| begin.set(true));
    let done = Callback::from(move |()| end.set(false));
    let back = |draft: &Draft, id: Option<&'static str>| {
        let bring_back = does(OwnAction::BringBack(draft.key()));
        html! { <button type="button" class="btn line" {id} key={draft.key()} onclick={Callback::from(move |_: MouseEvent| {
            bring_back();
            // The button goes; the list shows the program.
            focus(LIST);
        })}>
        { page.speech().say(&Message::new("own.bring-back").text("name", &*draft.name)) }</button> }
    };
    let deleted = own.deleted().split_last().map(|(last, before)| {
        let count = Message::new("own.deleted-before").count("n", before.len());
        html! {
            <div class="own-head own-deleted">{ back(last, Some("own-bring-back")) }
                if !before.is_empty() {
                    <details id="own-deleted"><summary>{ page.speech().say(&count) }</summary>{ for before.iter().rev().map(|draft| back(draft, None)) }</details>
                }
            </div>
        }
    });
    let large = (page.layout == Layout::Narrow).then(|| {
        let (large, icon) = (own.large, if own.large { Icon::Low } else { Icon::Up });
        let name = page.word(if large { "own.smaller" } else { "own.larger" });
        html! { <IconButton {name} {icon} id="own-large" pressed={large} onclick={page.on(move || Action::Own(OwnAction::Enlarge(!large)))} /> }
    });
    html! { <>
        <div class="own-head own-programs" role="group" aria-label={page.word("own.programs")}>
            if *renames {
                <Name name={own.name().to_string()} flush={props.flush.clone()} ondone={done} />
            } else {
                <select class="small" id={LIST} aria-label={page.word("own.program")} onchange={chosen}>
                    { for own.drafts().iter().enumerate().map(|(at, draft)| html! {
                        <option value={at.to_string()} selected={at == own.at()}>{ draft.name.to_string() }</option>
                    }) }
                </select>
            }
            { button("own-new", "own.new", Icon::Add, OwnAction::New) }
            { button("own-duplicate", "own.duplicate", Icon::Copy, OwnAction::Duplicate) }
            <IconButton name={page.word("own.rename")} icon={Icon::Edit} id={RENAME} pressed={*renames} onclick={rename} />
            { button("own-delete", "own.delete", Icon::Delete, OwnAction::Delete) }
            { for large }
        </div>
        // Always a child, if an empty one: where their number changes, the list before it would be
        // made anew, without its focus.
        { deleted.unwrap_or_default() }
    </> }
}

#[derive(Properties, PartialEq)]
struct NameProps {
    name: String,
    flush: Callback<()>,
    ondone: Callback<()>,
}

/// The field of a name. Enter, and whatever takes the focus elsewhere, renames; Escape does not.
#[component]
fn Name(props: &NameProps) -> Html {
    let page = use_page();
    // What is typed stays, whatever the page draws meanwhile.
    let typed = use_state_eq(|| props.name.clone());
    let name = props.name.clone();
    let oninput = {
        let typed = typed.setter();
        Callback::from(move |event: InputEvent| typed.set(event.target_unchecked_into::<HtmlInputElement>().value()))
    };
    let onchange = {
        let (flush, send) = (props.flush.clone(), page.send.clone());
        Callback::from(move |event: Event| {
            let name = event.target_unchecked_into::<HtmlInputElement>().value();
            flush.emit(());
            send.emit(Action::Own(OwnAction::Rename(name.into())));
        })
    };
    let onblur = {
        let done = props.ondone.clone();
        Callback::from(move |_: FocusEvent| done.emit(()))
    };
    let onkeydown = Callback::from(move |event: KeyboardEvent| {
        if !event.is_composing() && matches!(event.key().as_str(), "Enter" | "Escape") {
            if event.key() == "Escape" {
                event.target_unchecked_into::<HtmlInputElement>().set_value(&name);
            }
            event.stop_propagation();
            event.prevent_default();
            focus(RENAME);
        }
    });
    html! { <input class="small" id={NAME} type="text" maxlength="46" autocomplete="off" spellcheck="false" aria-label={page.word("own.rename")}
    value={(*typed).clone()} {oninput} {onchange} {onblur} {onkeydown} /> }
}
