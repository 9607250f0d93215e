//! What is drawn anew when the state changes, counted by components that stand for a panel and for
//! the bar of a job.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use memplan::context::{Drawn, Layout, Page, provide, use_page, use_progress};
use memplan::open::state::document::Origin;
use memplan::shell::state::State;
use memplan::shell::state::action::{Action, DocumentAction, SettingsAction};
use memplan_engine::Progress;
use memplan_formats::import::Answers;
use wasm_bindgen_test::wasm_bindgen_test;
use yew::prelude::*;

use super::until;

thread_local! {
    static HOSTS: Cell<u32> = const { Cell::new(0) };
    static PANELS: Cell<u32> = const { Cell::new(0) };
    static BARS: Cell<u32> = const { Cell::new(0) };
    static SET: RefCell<Option<UseStateSetter<Rc<State>>>> = const { RefCell::new(None) };
}

/// Reads the page, as every panel does.
#[component]
fn Panel() -> Html {
    let page = use_page();
    PANELS.set(PANELS.get() + 1);
    html! { <p>{ page.word("tab.why") }</p> }
}

/// Reads the progress, as the bar of a job does.
#[component]
fn Bar() -> Html {
    let progress = use_progress();
    BARS.set(BARS.get() + 1);
    html! { <p>{ progress.map_or(0, |progress| progress.done) }</p> }
}

#[component]
fn Host() -> Html {
    HOSTS.set(HOSTS.get() + 1);
    let state = use_state(|| Rc::new(working()));
    SET.set(Some(state.setter()));
    let page = Page {
        state: (*state).clone(),
        frame: None,
        layout: Layout::Wide,
        beside: false,
        magnified: 1.0,
        send: Callback::noop(),
        hover: Rc::default(),
        drawn: Drawn::All,
    };
    provide(page, false, html! { <><Panel /><Bar /></> })
}

/// A page that waits for a document.
fn working() -> State {
    let origin = Origin::File("a.csv".into());
    let (bytes, choices) = (b"id,lower,upper,size\na,0,2,8\n".to_vec().into(), Answers::default());
    State::default().reduce(Action::Document(DocumentAction::Open { origin, bytes, choices, place: None }))
}

/// Waits until the host has been drawn more than so many times. Yew draws the host and all below it
/// in one task, and this looks in tasks of its own, so the panel and the bar have been drawn then,
/// too, if they are drawn at all.
async fn drawn_after(hosts: u32) {
    until("drawn once more", || HOSTS.get() > hosts).await;
}

/// Shows a state and returns how often the panel and the bar have been drawn since the beginning.
async fn show(state: Rc<State>) -> (u32, u32) {
    let hosts = HOSTS.get();
    SET.with_borrow(|set| set.as_ref().expect("drawn").set(state));
    drawn_after(hosts).await;
    (PANELS.get(), BARS.get())
}

#[wasm_bindgen_test]
async fn progress_draws_the_bar_of_the_job_and_no_panel() {
    let document = web_sys::window().and_then(|window| window.document()).expect("a browser");
    let root = document.create_element("div").expect("an element");
    let handle = yew::Renderer::<Host>::with_root(root).render();
    drawn_after(0).await;
    let mut state = Rc::new(working());
    let job = state.job().expect("asked for").number;
    let (panels, mut bars) = show(state.clone()).await;
    for done in 1..4 {
        let progress = Progress { done, total: 9, best: None };
        state = state.next(Action::Document(DocumentAction::Progress { job, progress }));
        let drawn = show(state.clone()).await;
        assert_eq!(drawn, (panels, bars + 1), "after {done} of 9");
        bars = drawn.1;
    }
    let keys = state.next(Action::Settings(SettingsAction::SingleKeys(false)));
    assert_eq!(show(keys).await, (panels + 1, bars), "what panels show has changed");
    handle.destroy();
}
