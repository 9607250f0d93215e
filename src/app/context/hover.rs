//! The buffer pointed at, shared by the plan and the lists. It is no part of the page's state:
//! pointing redraws the topmost canvas and one rule of style, and builds nothing anew.

use std::cell::{Cell, RefCell};

use wasm_bindgen::JsCast;
use web_sys::{Element, EventTarget};
use yew::prelude::*;

use crate::app::browser::dom::until_then;
use crate::app::browser::hooks::{use_effect_with, use_state_eq};
use crate::app::browser::rule::Rule;
use crate::app::context::use_page;
use crate::problem::BufferId;

/// What is pointed at, and who shows it.
#[derive(Default)]
pub struct Hover {
    buffer: Cell<Option<BufferId>>,
    watchers: RefCell<[Option<Callback<Option<BufferId>>>; 2]>,
}

/// The two places that point and show.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Plan,
    Lists,
}

impl Hover {
    /// The pointer is on a buffer, or on none. The plan outlines by itself what it is pointed at.
    pub fn point(&self, from: Side, buffer: Option<BufferId>) {
        if self.buffer.replace(buffer) == buffer {
            return;
        }
        // Copied first: a watcher may point itself.
        let watchers = self.watchers.borrow().clone();
        if from != Side::Plan {
            watchers[Side::Plan as usize].iter().for_each(|watcher| watcher.emit(buffer));
        }
        watchers[Side::Lists as usize].iter().for_each(|watcher| watcher.emit(buffer));
    }

    pub fn watch(&self, side: Side, watcher: Option<Callback<Option<BufferId>>>) {
        self.watchers.borrow_mut()[side as usize] = watcher;
    }
}

/// The buffer of the row that an event happened on: rows name theirs in `data-buffer`.
pub fn buffer_of(target: Option<EventTarget>) -> Option<BufferId> {
    let element = target.and_then(|target| target.dyn_into::<Element>().ok())?;
    let row = element.closest("[data-buffer]").ok().flatten()?;
    row.get_attribute("data-buffer")?.parse().ok().map(BufferId)
}

/// The rule that outlines the rows of the buffer pointed at: it holds for rows that scroll into
/// sight, too.
#[component]
pub fn HoverRule() -> Html {
    let hover = use_page().hover;
    let pointed = use_state_eq(|| None::<BufferId>);
    {
        let pointed = pointed.setter();
        use_effect_with((), move |_| {
            hover.watch(Side::Lists, Some(Callback::from(move |buffer| pointed.set(buffer))));
            move || hover.watch(Side::Lists, None)
        });
    }
    use_effect_with(*pointed, |pointed| {
        let rule = |buffer: BufferId| {
            format!(
                ":is(.row, .obj, .pill)[data-buffer=\"{}\"] {{ outline: 1px solid var(--text); outline-offset: -1px }}",
                buffer.0
            )
        };
        until_then(pointed.and_then(|buffer| Rule::add(&rule(buffer))))
    });
    Html::default()
}
