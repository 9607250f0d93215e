//! The root of the page: its state, and the effects that tie it to the browser.

use std::rc::Rc;

use yew::prelude::*;

use crate::app::browser::dom::focus;
use crate::app::chrome::notices::DropFrame;
use crate::app::context::hover::{Hover, HoverRule};
use crate::app::context::link::copy_link;
use crate::app::context::{Page, provide};
use crate::app::embed::Embedded;
use crate::app::embed::parent::use_parent;
use crate::app::model::embed;
use crate::app::model::panels::Mode;
use crate::app::shell::address_bar::use_address_bar;
use crate::app::shell::downloads::use_downloads;
use crate::app::shell::drop_and_paste::use_drop_and_paste;
use crate::app::shell::engine::use_engine;
use crate::app::shell::layout::use_layout;
use crate::app::shell::menus::use_menus;
use crate::app::shell::playback::use_playback;
use crate::app::shell::saving::use_saving;
use crate::app::shell::shortcuts::use_shortcuts;
use crate::app::shell::shown::Shown;
use crate::app::shell::storage::use_storage;
use crate::app::shell::theme::use_theme;
use crate::app::shell::words::once_understood;
use crate::app::state::State;
use crate::app::state::action::Action;
use crate::replay::Frame;

/// The state behind the reducer.
struct Store {
    state: Rc<State>,
}

impl Reducible for Store {
    type Action = Action;

    fn reduce(self: Rc<Self>, action: Action) -> Rc<Self> {
        let state = self.state.next(action);
        // The same one: nothing is drawn anew.
        if Rc::ptr_eq(&state, &self.state) { self } else { Rc::new(Store { state }) }
    }
}

/// The page with everything that keeps it going.
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
    let page = Page {
        state: state.clone(),
        frame: use_frame(&state),
        layout: use_layout(),
        send: send.clone(),
        hover: use_memo((), |()| Hover::default()),
        settled: use_later(state.document.run.is_some()),
    };
    let title = match &state.document.open {
        Some(document) => format!("{} · memplan", document.name),
        None => "memplan".into(),
    };
    let dark = use_theme(state.settings.theme, state.settings.locale, title);
    use_engine(state.job().cloned(), send.clone());
    use_downloads(state.document.download.clone());
    use_saving(state.clone(), send.clone());
    use_storage(state.clone(), send.clone());
    use_playback(state.stepping.playing, state.stepping.cursor, state.stepping.speed, send.clone());
    use_address_bar(state.clone(), send.clone());
    use_shortcuts(state.clone(), send.clone(), copy_link(&send));
    use_menus(send.clone());
    use_focus_in_mode(state.view.mode);
    use_parent(state.clone(), send.clone());
    let over = use_drop_and_paste(state.settings.locale, send);
    let shown = match state.settings.embed {
        Some(embed) => html! { <Embedded {embed} /> },
        None => html! { <><Shown />if over { <DropFrame /> }<HoverRule /></> },
    };
    provide(page, dark, shown)
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
    let run = state.document.run.clone();
    let key = (run.as_ref().map(|run| Rc::as_ptr(run) as usize), state.stepping.cursor);
    let frame = use_memo(key, move |(_, cursor)| run.map(|run| Rc::new(run.frame(*cursor))));
    (*frame).clone()
}
