//! The buffer and the step pointed at, shared by the plan, the lists and the texts. They are no
//! part of the page's state: pointing redraws the topmost canvas and one rule of style, and builds
//! nothing anew.

use std::cell::{Cell, RefCell};
use std::str::FromStr;

use wasm_bindgen::JsCast;
use web_sys::{Element, EventTarget};
use yew::prelude::*;

use crate::browser::dom::until_then;
use crate::browser::rule::Rule;
use crate::context::use_page;
use memplan_core::problem::BufferId;

/// What the pointer is on: in a list or a text one of the two, on the plan a buffer in its column.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Pointed {
    pub buffer: Option<BufferId>,
    pub step: Option<u32>,
}

/// What is pointed at, and who shows it.
#[derive(Default)]
pub struct Hover {
    pointed: Cell<Pointed>,
    watchers: RefCell<[Option<Callback<Pointed>>; 2]>,
}

/// The two places that point and show.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Plan,
    Lists,
}

impl Hover {
    /// The pointer is on something, or on nothing. The plan outlines by itself what it is pointed
    /// at.
    pub fn point(&self, from: Side, pointed: Pointed) {
        if self.pointed.replace(pointed) == pointed {
            return;
        }
        // Copied first: a watcher may point itself.
        let watchers = self.watchers.borrow().clone();
        if from != Side::Plan {
            watchers[Side::Plan as usize].iter().for_each(|watcher| watcher.emit(pointed));
        }
        watchers[Side::Lists as usize].iter().for_each(|watcher| watcher.emit(pointed));
    }

    pub fn watch(&self, side: Side, watcher: Option<Callback<Pointed>>) {
        self.watchers.borrow_mut()[side as usize] = watcher;
    }
}

/// What an event happened on: rows and names tell their buffer in `data-buffer`, numbers of steps
/// theirs in `data-step`.
pub fn pointed_at(target: Option<EventTarget>) -> Pointed {
    fn value<T: FromStr>(element: &Element, kind: &str, name: &str) -> Option<T> {
        element.closest(&format!("{kind}[{name}]")).ok().flatten()?.get_attribute(name)?.parse().ok()
    }
    let Some(element) = target.and_then(|target| target.dyn_into::<Element>().ok()) else { return Pointed::default() };
    Pointed { buffer: value(&element, "", "data-buffer").map(BufferId), step: value(&element, ".obj", "data-step") }
}

/// The rule that outlines the rows of what is pointed at: it holds for rows that scroll into sight,
/// too.
#[component]
pub fn HoverRule() -> Html {
    let hover = use_page().hover;
    let pointed = use_state_eq(Pointed::default);
    {
        let pointed = pointed.setter();
        use_effect_with((), move |_| {
            hover.watch(Side::Lists, Some(Callback::from(move |at| pointed.set(at))));
            move || hover.watch(Side::Lists, None)
        });
    }
    use_effect_with(*pointed, |pointed| {
        let buffer = pointed.buffer.map(|id| format!(":is(.row, .obj, .pill)[data-buffer=\"{}\"]", id.0));
        let step = pointed.step.map(|step| format!(".obj[data-step=\"{step}\"]"));
        let shown: Vec<String> = buffer.into_iter().chain(step).collect();
        let rule = format!("{} {{ outline: 1px solid var(--text); outline-offset: -1px }}", shown.join(", "));
        until_then((!shown.is_empty()).then(|| Rule::add(&rule)).flatten())
    });
    Html::default()
}
