//! The page as a whole: state, effects, layout.

use std::rc::Rc;

use yew::prelude::*;

use super::clipboard::copy;
use super::compare::Compare;
use super::drawer::{drawer, rail};
use super::editor::Editor;
use super::embedded::embedded;
use super::find_box::FindBox;
use super::header::header;
use super::hover::{Hover, HoverRule};
use super::how::how;
use super::notice::{Toast, drop_frame, notices};
use super::overlays::help;
use super::panels::{left_panel, right_panel};
use super::report::report;
use super::stage::StagePanel;
use super::stepper::stepper;
use super::strip::strip;
use super::{Layout, Page, focus};
use crate::app::embed;
use crate::app::hooks::{
    once_understood, use_address_bar, use_downloads, use_drop_and_paste, use_engine, use_layout, use_menus, use_parent,
    use_playback, use_saving, use_shortcuts, use_storage, use_theme,
};
use crate::app::state::{Action, Mode, Overlay, State};
use crate::base::Message;
use crate::engine::MAX_LINK;
use crate::replay::Frame;

/// The state behind the reducer.
struct Store {
    state: Rc<State>,
}

impl Reducible for Store {
    type Action = Action;

    fn reduce(self: Rc<Self>, action: Action) -> Rc<Self> {
        Rc::new(Store { state: Rc::new(self.state.reduce(action)) })
    }
}

/// Whether the page is dark.
#[derive(Clone, Copy, PartialEq)]
pub struct Dark(pub bool);

#[component]
pub fn Root() -> Html {
    let store = use_reducer(|| {
        let query = web_sys::window().and_then(|window| window.location().search().ok()).unwrap_or_default();
        Store { state: Rc::new(State::new(embed::read(&query))) }
    });
    let state = store.state.clone();
    let send = {
        let dispatcher = store.dispatcher();
        use_callback((), move |action: Action, ()| {
            let later = dispatcher.clone();
            if let Some(action) = once_understood(action, move |action| later.dispatch(action)) {
                dispatcher.dispatch(action);
            }
        })
    };
    let layout = use_layout();
    let frame = use_frame(&state);
    let hover = use_memo((), |()| Hover::default());
    let settled = use_later(state.run.is_some());
    let page = Page { state: state.clone(), frame, layout, send: send.clone(), hover, settled };

    let title = match &state.document {
        Some(document) => format!("{} · memplan", document.name),
        None => "memplan".into(),
    };
    let dark = use_theme(state.theme, state.locale, title);
    use_engine(state.job.clone(), send.clone());
    use_downloads(state.download.clone());
    use_saving(state.clone(), send.clone());
    use_storage(state.clone(), send.clone());
    use_playback(state.playing, state.cursor, state.speed, send.clone());
    use_address_bar(state.clone(), send.clone());
    use_shortcuts(state.clone(), send.clone(), copy_link(&send));
    use_menus(send.clone());
    use_focus_in_mode(state.mode);
    let over = use_drop_and_paste(send.clone());

    let widths = format!("--left:{}px;--right:{}px", state.panels.left_width, state.panels.right_width);
    let class = match layout {
        Layout::Wide => "wide",
        Layout::Middle => "middle",
        Layout::Narrow => "narrow",
    };
    // The picture is of the graph before the last change.
    let stale = state.lags_behind();
    use_parent(state.clone(), send.clone());
    let mode = match state.mode {
        Mode::Step => None,
        Mode::Edit => Some("editing"),
        Mode::Compare => Some("comparing"),
    };
    if let Some(embed) = state.embed {
        return html! {
            <ContextProvider<Page> context={page.clone()}><ContextProvider<Dark> context={Dark(dark)}>
                { embedded(&page, dark, embed) }
            </ContextProvider<Dark>></ContextProvider<Page>>
        };
    }
    html! {
        <ContextProvider<Page> context={page.clone()}><ContextProvider<Dark> context={Dark(dark)}>
            <div class={classes!("page", class, mode, stale.then_some("stale"))} style={widths}>
                { header(&page) }
                if state.mode == Mode::Compare {
                    <Compare {dark} />
                } else if state.mode == Mode::Edit {
                    <Editor />
                } else if layout == Layout::Wide {
                    { left_panel(&page) }
                } else if layout == Layout::Middle {
                    { rail(&page) }
                }
                if state.mode != Mode::Compare {
                    <main class={state.run.is_none().then_some("bare")}>
                        { notices(&page) }
                        { strip(&page) }
                        <StagePanel {dark} />
                        { hint(&page) }
                        { stepper(&page) }
                    </main>
                }
                if state.mode == Mode::Step {
                    if layout == Layout::Wide { { right_panel(&page) } } else { { drawer(&page) } }
                }
                { live_headline(&page) }
                <Toast />
            </div>
            if state.overlay == Some(Overlay::Help) { { help(&page) } }
            if state.overlay == Some(Overlay::Report) { { report(&page) } }
            if state.overlay == Some(Overlay::How) { { how(&page) } }
            if state.overlay == Some(Overlay::Find) { <FindBox /> }
            if over { { drop_frame(&page) } }
            <HoverRule />
        </ContextProvider<Dark>></ContextProvider<Page>>
    }
}

/// Whether a task has passed since this was wanted first: drawing everything in one would hold up the page.
#[hook]
fn use_later(wanted: bool) -> bool {
    let due = use_state_eq(|| false);
    let set = due.setter();
    use_effect_with(wanted, move |&wanted| {
        let waits = wanted.then(|| gloo_timers::callback::Timeout::new(0, move || set.set(true)));
        move || drop(waits)
    });
    *due
}

/// Another mode takes the focused element away: its stage has the focus then. A page that opens gives it to nobody.
#[hook]
fn use_focus_in_mode(mode: Mode) {
    let was_shown = use_mut_ref(|| false);
    use_effect_with(mode, move |_| {
        let active = web_sys::window().and_then(|window| window.document()).and_then(|page| page.active_element());
        if was_shown.replace(true) && active.is_none_or(|active| active.tag_name() == "BODY") {
            focus("region-stage");
        }
    });
}

/// The frame at the cursor, made anew only when run or cursor change.
#[hook]
fn use_frame(state: &State) -> Option<Rc<Frame>> {
    let run = state.run.clone();
    let key = (run.as_ref().map(|run| Rc::as_ptr(run) as usize), state.cursor);
    let frame = use_memo(key, move |(_, cursor)| run.map(|run| Rc::new(run.frame(*cursor))));
    (*frame).clone()
}

/// Copies the address of the page as it is shown.
pub fn copy_link(send: &Callback<Action>) -> Callback<()> {
    let send = send.clone();
    Callback::from(move |()| {
        // The address is written a moment after the last change.
        let send = send.clone();
        gloo_timers::callback::Timeout::new(300, move || {
            let Some(window) = web_sys::window() else { return };
            let Ok(address) = window.location().href() else { return };
            // A document too large for a link is only named in it.
            let copied = if address.contains("doc=local:") {
                Message::new("toast.copied-without").count("limit", MAX_LINK as u64)
            } else {
                Message::new("toast.copied")
            };
            copy(address, &send, copied, Message::new("toast.not-copied"));
        })
        .forget();
    })
}

/// Copies the markup that shows the page as it is inside another one.
pub fn copy_embed(send: &Callback<Action>) -> Callback<()> {
    let send = send.clone();
    Callback::from(move |()| {
        let send = send.clone();
        gloo_timers::callback::Timeout::new(300, move || {
            let Some(location) = web_sys::window().map(|window| window.location()) else { return };
            let part = |part: Result<String, wasm_bindgen::JsValue>| part.unwrap_or_default();
            let (origin, path, fragment) = (part(location.origin()), part(location.pathname()), part(location.hash()));
            let address = format!("{origin}{path}?embed=1{fragment}").replace('&', "&amp;").replace('"', "&quot;");
            let code = format!(
                "<iframe src=\"{address}\" title=\"memplan\" width=\"800\" height=\"500\" loading=\"lazy\"></iframe>"
            );
            copy(code, &send, Message::new("toast.embed-copied"), Message::new("toast.not-copied"));
        })
        .forget();
    })
}

/// The line that says how to begin; not over the plan, and gone for good when dismissed.
fn hint(page: &Page) -> Html {
    if !page.state.hint || page.state.run.is_none() || page.layout == Layout::Narrow {
        return Html::default();
    }
    let name = page.word("hint.dismiss");
    html! {
        <div class="hint">
            <span>{ page.word("hint.step") }{ " " }<kbd>{ "←" }</kbd>{ " " }<kbd>{ "→" }</kbd>{ page.word("hint.play") }{ " " }
                <kbd>{ page.word("hint.space") }</kbd>{ " · " }{ page.word("hint.drop") }</span>
            <button type="button" class="btn icon-only" aria-label={name.clone()} title={name} onclick={page.on(|| Action::DismissHint)}>
                { super::icons::glyph(super::icons::Icon::Close) }
            </button>
        </div>
    }
}

/// The headline for screen readers: at most one message a frame, silent while playing.
fn live_headline(page: &Page) -> Html {
    let said = page.state.run.as_ref().zip(page.frame.as_ref()).filter(|_| !page.state.playing);
    let words =
        said.map(|(run, frame)| page.speech().say(&crate::replay::why(run, frame).headline)).unwrap_or_default();
    html! { <p class="visually-hidden" aria-live="polite">{ words }</p> }
}
