//! What is seen. Components read the state, ask pure functions and send actions; they compute nothing themselves.

mod canvas;
mod clipboard;
mod compare;
mod drawer;
mod editor;
mod embedded;
mod export_menu;
mod files;
mod find_box;
mod gestures;
mod header;
mod hover;
mod how;
mod icons;
mod lanes;
mod list_panel;
mod menu;
mod minimap;
mod motion;
mod notice;
mod overlays;
mod page;
mod paints;
mod panel_head;
mod panels;
mod planner_menu;
mod program;
mod report;
mod rows;
mod rule_table;
mod scrubber;
mod section_view;
mod selection;
mod sentence;
mod spot;
mod stage;
mod state_panel;
mod stepper;
mod strip;
mod tables;
mod tabs;
mod tooltip;
mod tree_panel;
mod viewing;
mod why_panel;

use std::rc::Rc;

use wasm_bindgen::JsCast;
use yew::prelude::*;

pub use program::start;
pub use tabs::focus;

use hover::Hover;

use super::state::{Action, State};
use crate::replay::Frame;
use crate::text::Speech;

/// Width classes of the layout.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layout {
    /// 1200 px and up: panels on both sides.
    Wide,
    /// 768 to 1199 px: a rail and a drawer.
    Middle,
    /// Below 768 px.
    Narrow,
}

/// What every component may read, and how it sends actions.
#[derive(Clone)]
pub struct Page {
    pub state: Rc<State>,
    pub frame: Option<Rc<Frame>>,
    pub layout: Layout,
    pub send: Callback<Action>,
    /// What is pointed at; the same cell for good.
    pub hover: Rc<Hover>,
    /// Whether the panels of the first plan may be drawn: they come a task after the plan itself.
    pub settled: bool,
}

impl PartialEq for Page {
    fn eq(&self, other: &Page) -> bool {
        let same_frame = match (&self.frame, &other.frame) {
            (Some(a), Some(b)) => Rc::ptr_eq(a, b),
            (None, None) => true,
            _ => false,
        };
        Rc::ptr_eq(&self.state, &other.state)
            && same_frame
            && self.layout == other.layout
            && self.settled == other.settled
    }
}

impl Page {
    pub fn speech(&self) -> Speech {
        self.state.speech()
    }

    /// A word of the interface.
    pub fn word(&self, key: &str) -> String {
        self.speech().word(key)
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

/// The page of the present render.
#[hook]
pub fn use_page() -> Page {
    // The root provides it; a component outside is a bug that the first render shows.
    use_context::<Page>().expect("components live below the page")
}

/// Whether an event comes from a field in which letters are text.
pub fn is_field(target: Option<web_sys::EventTarget>) -> bool {
    let element = target.and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    element.is_some_and(|element| match element.tag_name().as_str() {
        // Boxes take no letters.
        "INPUT" => !matches!(element.get_attribute("type").as_deref(), Some("checkbox" | "radio")),
        name => matches!(name, "SELECT" | "TEXTAREA"),
    })
}
