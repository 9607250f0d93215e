//! The page as a whole: state, effects, layout.

use std::rc::Rc;

use yew::prelude::*;

use super::clipboard::copy;
use super::compare::Compare;
use super::drawer::{Drawer, Rail};
use super::editor::Editor;
use super::find_box::FindBox;
use super::header::Header;
use super::hover::{Hover, HoverRule};
use super::how::How;
use super::notice::{DropFrame, Notices, Toast};
use super::overlays::Help;
use super::panels::{LeftPanel, RightPanel};
use super::report::Report;
use super::stage::StagePanel;
use super::stepper::Stepper;
use super::strip::Strip;
use super::{Layout, Page};
use crate::app::hooks::{
    use_address_bar, use_drop_and_paste, use_engine, use_layout, use_menus, use_playback, use_shortcuts, use_theme,
};
use crate::app::state::{Action, Mode, Overlay, State};
use crate::base::Message;
use crate::replay::Frame;

/// The state behind the reducer.
#[derive(Default)]
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
    let store = use_reducer(Store::default);
    let state = store.state.clone();
    let send = {
        let dispatcher = store.dispatcher();
        use_callback((), move |action: Action, ()| dispatcher.dispatch(action))
    };
    let layout = use_layout();
    let frame = use_frame(&state);
    let hover = use_memo((), |()| Hover::default());
    let page = Page { state: state.clone(), frame, layout, send: send.clone(), hover };

    let title = match &state.document {
        Some(document) => format!("{} · memplan", document.name),
        None => "memplan".into(),
    };
    let dark = use_theme(state.theme, state.locale, title);
    use_engine(state.job.clone(), send.clone());
    use_playback(state.playing, state.cursor, state.speed, send.clone());
    use_address_bar(state.clone(), send.clone());
    use_shortcuts(state.clone(), send.clone(), copy_link(&send));
    use_menus(send.clone());
    let over = use_drop_and_paste(send.clone());

    let widths = format!("--left:{}px;--right:{}px", state.panels.left_width, state.panels.right_width);
    let class = match layout {
        Layout::Wide => "wide",
        Layout::Middle => "middle",
        Layout::Narrow => "narrow",
    };
    html! {
        <ContextProvider<Page> context={page}><ContextProvider<Dark> context={Dark(dark)}>
            <div class={classes!("page", class, (state.mode != Mode::Step).then_some(if state.mode == Mode::Edit { "editing" } else { "comparing" }))} style={widths}>
                <Header />
                if state.mode == Mode::Compare {
                    <Compare {dark} />
                } else if state.mode == Mode::Edit {
                    <Editor />
                } else if layout == Layout::Wide {
                    <LeftPanel />
                } else if layout == Layout::Middle {
                    <Rail />
                }
                if state.mode != Mode::Compare {
                    <main>
                        <Notices />
                        <Strip />
                        <StagePanel {dark} />
                        <Hint />
                        <Stepper />
                    </main>
                }
                if state.mode == Mode::Step {
                    if layout == Layout::Wide { <RightPanel /> } else { <Drawer /> }
                }
                <LiveHeadline />
                <Toast />
            </div>
            if state.overlay == Some(Overlay::Help) { <Help /> }
            if state.overlay == Some(Overlay::Report) { <Report /> }
            if state.overlay == Some(Overlay::How) { <How /> }
            if state.overlay == Some(Overlay::Find) { <FindBox /> }
            if over { <DropFrame /> }
            <HoverRule />
        </ContextProvider<Dark>></ContextProvider<Page>>
    }
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
            copy(address, &send, Message::new("toast.copied"), Message::new("toast.not-copied"));
        })
        .forget();
    })
}

/// The line that says how to begin; not over the plan, and gone for good when dismissed.
#[component]
fn Hint() -> Html {
    let page = super::use_page();
    if !page.state.hint || page.state.run.is_none() || page.layout == Layout::Narrow {
        return Html::default();
    }
    let name = page.word("hint.dismiss");
    html! {
        <div class="hint">
            <span>{ page.word("hint.step") }{ " " }<kbd>{ "←" }</kbd>{ " " }<kbd>{ "→" }</kbd>{ page.word("hint.play") }{ " " }
                <kbd>{ page.word("hint.space") }</kbd>{ " · " }{ page.word("hint.drop") }</span>
            <button type="button" class="btn icon-only" aria-label={name.clone()} title={name} onclick={page.on(|| Action::DismissHint)}>
                <super::icons::Glyph icon={super::icons::Icon::Close} />
            </button>
        </div>
    }
}

/// The headline for screen readers: at most one message a frame, silent while playing.
#[component]
fn LiveHeadline() -> Html {
    let page = super::use_page();
    let said = page.state.run.as_ref().zip(page.frame.as_ref()).filter(|_| !page.state.playing);
    let words =
        said.map(|(run, frame)| page.speech().say(&crate::replay::why(run, frame).headline)).unwrap_or_default();
    html! { <p class="visually-hidden" aria-live="polite">{ words }</p> }
}
