//! The page as a whole: state, effects, layout.

use std::rc::Rc;

use yew::prelude::*;

use crate::app::browser::dom::focus;
use crate::app::chrome::find::FindBox;
use crate::app::chrome::header::header;
use crate::app::chrome::help::help;
use crate::app::chrome::how::how;
use crate::app::chrome::notices::{Toast, drop_frame, notices};
use crate::app::chrome::report::report;
use crate::app::compare::{Compare, add_planner};
use crate::app::context::hover::{Hover, HoverRule};
use crate::app::context::link::copy_link;
use crate::app::context::{Dark, Layout, Page};
use crate::app::controls::planner_menu::planner_menu;
use crate::app::edit::Editor;
use crate::app::embed::embedded;
use crate::app::embed::parent::use_parent;
use crate::app::model::embed;
use crate::app::model::panels::{Mode, Overlay};
use crate::app::panels::drawer::{drawer, rail};
use crate::app::panels::sides::{left_panel, right_panel};
use crate::app::plan::stage::StagePanel;
use crate::app::shell::address_bar::use_address_bar;
use crate::app::shell::downloads::use_downloads;
use crate::app::shell::drop_and_paste::use_drop_and_paste;
use crate::app::shell::engine::use_engine;
use crate::app::shell::layout::use_layout;
use crate::app::shell::menus::use_menus;
use crate::app::shell::playback::use_playback;
use crate::app::shell::saving::use_saving;
use crate::app::shell::shortcuts::use_shortcuts;
use crate::app::shell::storage::use_storage;
use crate::app::shell::theme::use_theme;
use crate::app::shell::words::once_understood;
use crate::app::state::State;
use crate::app::state::action::Action;
use crate::app::transport::levels::levels;
use crate::app::transport::stepper::stepper;
use crate::app::transport::strip::strip;
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
    let picker = if state.mode == Mode::Compare { add_planner(&page) } else { planner_menu(&page) };
    let beside = html! { if layout == Layout::Middle { <span class="grow"></span>{ levels(&page) } } };
    html! {
        <ContextProvider<Page> context={page.clone()}><ContextProvider<Dark> context={Dark(dark)}>
            <div class={classes!("page", class, mode, stale.then_some("stale"))} style={widths}>
                { header(&page, picker) }
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
                    if layout == Layout::Wide { { right_panel(&page) } } else { { drawer(&page, beside) } }
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
                { crate::app::widgets::icons::glyph(crate::app::widgets::icons::Icon::Close) }
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
