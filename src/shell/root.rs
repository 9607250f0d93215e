//! The root of the page: its state, and the effects that tie it to the browser.

use std::rc::Rc;

use yew::prelude::*;

use crate::browser::dom::{active, focus};
use crate::browser::inside::is_one_file;
use crate::browser::location::{is_in_strange_page, query};
use crate::browser::tabs::open_tab;
use crate::chrome::help::help;
use crate::chrome::notices::DropFrame;
use crate::context::hover::{Hover, HoverRule};
use crate::context::link::{copy_link, use_sharing};
use crate::context::same::Same;
use crate::context::terms::TermTip;
use crate::context::{Drawn, Page, provide};
use crate::edit::keeping::use_drafts;
use crate::edit::saving::use_saving;
use crate::embed::Embedded;
use crate::embed::parent::use_parent;
use crate::export::downloads::use_downloads;
use crate::export::printing::use_printing;
use crate::learn::teacher::worker::use_teaching;
use crate::learn::{ExercisePage, use_fetched, use_learned};
use crate::open::drop_and_paste::use_drop_and_paste;
use crate::open::remote::use_remote;
use crate::own::keeping::use_own_programs;
use crate::own::state::lines::frame_of;
use crate::present::Presented;
use crate::present::fullscreen::use_fullscreen;
use crate::present::speaker::use_speaker;
use crate::shell::address_bar::use_address_bar;
use crate::shell::engine::use_engine;
use crate::shell::layout::use_room;
use crate::shell::menus::use_menus;
use crate::shell::offline::use_offline;
use crate::shell::shortcuts::use_shortcuts;
use crate::shell::shown::Shown;
use crate::shell::state::State;
use crate::shell::state::action::Action;
use crate::shell::state::panels::{Mode, Overlay};
use crate::shell::storage::use_storage;
use crate::shell::theme::use_theme;
use crate::shell::words::once_understood;
use crate::step::playback::use_playback;
use gloo_timers::callback::Timeout;
use memplan_replay::Frame;

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
    let store = use_reducer(|| Store {
        state: Rc::new(
            State::new(crate::embed::state::read(&query()), is_in_strange_page())
                .as_one_file(is_one_file())
                .in_tab(open_tab()),
        ),
    });
    let state = store.state.clone();
    let send = {
        let dispatcher = store.dispatcher();
        use_callback((), move |action: Action, ()| {
            let sender = dispatcher.clone();
            if let Some(action) = once_understood(action, move |action| sender.dispatch(action)) {
                dispatcher.dispatch(action);
            }
        })
    };
    let room = use_room();
    let presenting = state.presenting();
    // What is not to be known yet is not in the state that the page shows.
    let seen = use_mask(&state);
    let drawn = use_drawn(&state);
    let page = Page {
        state: seen.clone(),
        frame: use_frame(&seen),
        layout: room.layout,
        beside: room.beside,
        magnified: if presenting.is_some() { room.magnification } else { 1.0 },
        send: send.clone(),
        hover: use_memo((), |()| Hover::default()),
        drawn,
    };
    use_printing(&page);
    use_fetched(&page);
    let title = match &state.document.open {
        Some(document) => format!("{} · memplan", document.name),
        None => "memplan".into(),
    };
    let dark = use_theme(state.settings.theme, state.settings.locale, title);
    use_engine(state.job().cloned(), send.clone());
    use_teaching(state.teaching.wanted.clone(), state.own.versions(), send.clone());
    use_remote(state.document.remote.clone(), send.clone());
    use_downloads(state.document.download.clone(), send.clone());
    use_saving(state.clone(), send.clone());
    use_storage(state.clone(), send.clone());
    use_learned(&state, &send);
    use_drafts(&state, send.clone());
    use_offline(&state, send.clone());
    use_playback(&state, send.clone());
    use_own_programs(&state, &send);
    use_address_bar(state.clone(), send.clone());
    use_sharing(&state, &send);
    use_shortcuts(state.clone(), send.clone(), copy_link(&send));
    use_menus(send.clone());
    use_focus_in_mode(state.view.mode, drawn);
    use_fullscreen(presenting.is_some(), send.clone());
    use_speaker(&state);
    use_parent(seen, send.clone());
    let over = use_drop_and_paste(state.settings.locale, presenting.is_some(), send);
    let shown = match state.settings.embed {
        _ if presenting.is_some() => {
            let keys = (state.view.overlay == Some(Overlay::Help)).then(|| help(&page));
            html! { <><Presented />{ keys }</> }
        }
        _ if state.teaching.assigned.is_some() => html! { <><ExercisePage /><HoverRule /><TermTip /></> },
        Some(embed) => html! { <><Embedded {embed} /><TermTip /></> },
        None => html! { <><Shown />if over { <DropFrame /> }<HoverRule /><TermTip /></> },
    };
    // Filled when the page is printed.
    provide(page, dark, html! { <>{ shown }<div id="print" aria-hidden="true"></div></> })
}

/// How much of the page shows this run in this mode: one part more with every task since they came.
#[hook]
fn use_drawn(state: &State) -> Drawn {
    let shown = (state.document.run.clone().map(Same), state.view.mode);
    let reached = use_state_eq(|| (shown.clone(), Drawn::Header));
    let drawn = if reached.0 == shown { reached.1 } else { Drawn::Header };
    let set = reached.setter();
    use_effect_with((shown, drawn), move |(shown, drawn)| {
        let then = (shown.clone(), drawn.next());
        let waits = (then.1 != *drawn).then(|| Timeout::new(0, move || set.set(then)));
        move || drop(waits)
    });
    drawn
}

/// Another mode takes the focused element away: its stage has the focus once it is there. A page
/// that opens gives it to nobody.
#[hook]
fn use_focus_in_mode(mode: Mode, drawn: Drawn) {
    let focused_in = use_mut_ref(|| mode);
    use_effect_with((mode, drawn), move |&(mode, drawn)| {
        if drawn < Drawn::Plan || focused_in.replace(mode) == mode {
            return;
        }
        if active().is_none() {
            focus("region-stage");
        }
    });
}

/// The frame that is shown, made anew only when run or moment change.
#[hook]
fn use_frame(state: &State) -> Option<Rc<Frame>> {
    let run = state.document.run.clone();
    let key = (run.as_ref().map(|run| Rc::as_ptr(run) as usize), state.moment_shown());
    let frame = use_memo(key, move |(_, moment)| run.map(|run| Rc::new(frame_of(&run, moment))));
    (*frame).clone()
}

/// The state as it may be shown: while something is to be predicted, around a run that ends with
/// what is known.
#[hook]
fn use_mask(state: &Rc<State>) -> Rc<State> {
    let run = state.document.run.clone().map(Same);
    let so_far = use_memo((run, state.hides()), |(run, known)| {
        let (run, known) = run.as_ref().zip(*known)?;
        Some(Rc::new(run.0.prefix(known)))
    });
    let state = state.clone();
    let key = (Same(state.clone()), (*so_far).clone().map(Same));
    let seen = use_memo(key, move |(_, so_far)| match so_far {
        Some(run) => Rc::new(state.masked(run.0.clone())),
        None => state,
    });
    (*seen).clone()
}
