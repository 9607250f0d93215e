//! What is seen. Components read the state, ask pure functions and send actions; they compute
//! nothing themselves.

pub mod clipboard;
pub mod columns;
pub mod focus;
pub mod hover;
pub mod kept;
pub mod keys;
pub mod link;
pub mod names;
pub mod open;
pub mod same;
pub mod sentence;
pub mod steady;
pub mod terms;

use std::rc::Rc;

use web_sys::EventTarget;
use yew::prelude::*;

use crate::context::hover::{Hover, Side, pointed_at};
use crate::shell::state::State;
use crate::shell::state::action::Action;
pub use crate::shell::state::layout::Layout;
use memplan_core::base::Message;
use memplan_core::text::{Locale, Speech};
use memplan_engine::Progress;
use memplan_replay::Frame;

/// What every component may read, and how it sends actions.
#[derive(Clone)]
pub struct Page {
    pub state: Rc<State>,
    pub frame: Option<Rc<Frame>>,
    pub layout: Layout,
    /// Whether the drawer stands beside the plan instead of below it.
    pub beside: bool,
    /// How many times larger than usual the plan is drawn.
    pub magnified: f64,
    pub send: Callback<Action>,
    /// What is pointed at; the same cell for good.
    pub hover: Rc<Hover>,
    /// How much of the page shows the present run and mode: the rest follows in tasks of its own.
    pub drawn: Drawn,
}

/// How much of the page shows the present run in the present mode. Drawing everything in one task
/// would hold up the page.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Drawn {
    /// The header.
    Header,
    /// Also the plan with its figures and controls.
    Plan,
    /// Also the panel at the left.
    Left,
    /// Everything.
    All,
}

impl Drawn {
    /// What is drawn in the task after this one.
    pub fn next(self) -> Drawn {
        match self {
            Drawn::Header => Drawn::Plan,
            Drawn::Plan => Drawn::Left,
            Drawn::Left | Drawn::All => Drawn::All,
        }
    }
}

impl PartialEq for Page {
    /// Equal while nothing is to be drawn anew. The progress of a job is not compared: it is shown
    /// in one place, which uses [`use_progress`].
    fn eq(&self, other: &Page) -> bool {
        let same_frame = match (&self.frame, &other.frame) {
            (Some(a), Some(b)) => Rc::ptr_eq(a, b),
            (None, None) => true,
            _ => false,
        };
        let same_state = Rc::ptr_eq(&self.state, &other.state) || self.state == other.state;
        same_state && same_frame && self.same_room(other)
    }
}

/// How far the present job is.
#[derive(Clone, PartialEq)]
struct Progressing(Option<Progress>);

impl Page {
    /// Whether the pages differ at most in where the reader stands in the run.
    pub fn same_beside_place(&self, other: &Page) -> bool {
        let same_state = Rc::ptr_eq(&self.state, &other.state) || self.state.same_beside_place(&other.state);
        same_state && self.same_room(other)
    }

    fn same_room(&self, other: &Page) -> bool {
        let room = |page: &Page| (page.layout, page.beside, page.magnified, page.drawn);
        room(self) == room(other)
    }

    pub fn speech(&self) -> Speech {
        self.state.speech()
    }

    /// The same for documents other than the open one, whose unit may not suit them.
    pub fn speech_of_others(&self) -> Speech {
        Speech { locale: self.state.settings.locale, ..Speech::default() }
    }

    /// A word of the interface.
    pub fn word(&self, key: &str) -> String {
        self.speech().word(key)
    }

    /// What stands between two sentences: nothing in Chinese.
    pub fn blank(&self) -> &'static str {
        if self.state.settings.locale == Locale::Zh { "" } else { " " }
    }

    /// How many rows of a list pass its filter, in words.
    pub fn filtered(&self, shown: usize, all: usize) -> String {
        self.speech().say(&Message::new("panel.filtered").count("shown", shown as u64).count("all", all as u64))
    }

    /// For lists and texts: a row or a name that is pointed at outlines its rectangle or its
    /// column.
    pub fn pointing(&self) -> Callback<Option<EventTarget>> {
        let hover = self.hover.clone();
        Callback::from(move |target| hover.point(Side::Lists, pointed_at(target)))
    }

    /// An event handler that sends an action.
    pub fn on<E: 'static>(&self, action: impl Fn() -> Action + 'static) -> Callback<E> {
        self.sending(Rc::new(action))
    }

    /// One handler for all actions: every other one would be code of its own.
    fn sending<E: 'static>(&self, action: Rc<dyn Fn() -> Action>) -> Callback<E> {
        let send = self.send.clone();
        Callback::from(move |_: E| send.emit(action()))
    }
}

/// Lets all that is below read the page.
pub fn provide(page: Page, dark: bool, children: Html) -> Html {
    let progress = page.state.document.status.progress();
    html! {
        <ContextProvider<Page> context={page}>
            <ContextProvider<Progressing> context={Progressing(progress)}>
                <ContextProvider<Dark> context={Dark(dark)}>{ children }</ContextProvider<Dark>>
            </ContextProvider<Progressing>>
        </ContextProvider<Page>>
    }
}

#[derive(Properties, PartialEq)]
pub struct InTurnProps {
    /// From when on the present page is shown.
    pub from: Drawn,
    /// What stands there if there was nothing before.
    pub before: Html,
    pub children: Html,
}

/// A part of the page whose turn comes later: until then everything in it goes on showing the page
/// of before.
#[component]
pub fn InTurn(props: &InTurnProps) -> Html {
    let page = use_page();
    let shown = use_mut_ref(|| None);
    if page.drawn >= props.from {
        *shown.borrow_mut() = Some(page);
    }
    let page = shown.borrow().clone();
    let Some(page) = page else { return props.before.clone() };
    html! { <ContextProvider<Page> context={page}>{ props.children.clone() }</ContextProvider<Page>> }
}

/// The progress of the present job; `None` until the engine's first report.
#[hook]
pub fn use_progress() -> Option<Progress> {
    use_context::<Progressing>().and_then(|progress| progress.0)
}

/// The page of the present render.
#[hook]
pub fn use_page() -> Page {
    // The root provides it; a component outside is a bug that the first render shows.
    use_context::<Page>().expect("components live below the page")
}

/// Whether the page is dark.
#[derive(Clone, Copy, PartialEq)]
pub struct Dark(pub bool);
