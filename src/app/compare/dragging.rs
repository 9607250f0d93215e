//! Columns change places: by dragging their heading, or by the arrow keys on its handle.

use std::cell::Cell;
use std::rc::Rc;

use gloo_events::{EventListener, EventListenerOptions};
use wasm_bindgen::JsCast;
use web_sys::Element;
use yew::prelude::*;

use crate::app::browser::dom::{capture, focus, until_then};
use crate::app::browser::hooks::{UseStateHandle, use_effect_with, use_memo, use_state_eq};
use crate::app::browser::later::later;
use crate::app::compare::change;
use crate::app::context::Page;
use crate::app::state::action::{Action, ViewAction};
use crate::app::state::comparing::Change;
use crate::app::widgets::icons::{Icon, glyph};
use crate::base::Message;
use crate::engine::PlannerChoice;

/// A press that moves less is none of a drag, in css pixels.
const SLACK: f64 = 5.0;

/// A heading that the pointer holds.
#[derive(Clone, Copy, PartialEq)]
struct PressedHeading {
    column: usize,
    /// Where it was pressed.
    x: f64,
    /// The column under the pointer, once it was moved.
    to: Option<usize>,
}

/// Which heading is held, and what the row of columns shows of that.
#[derive(Clone)]
pub struct Dragging {
    held: Rc<Cell<Option<PressedHeading>>>,
    /// Column and goal.
    shown: UseStateHandle<Option<(usize, usize)>>,
}

#[hook]
pub fn use_dragging() -> Dragging {
    let held = use_memo((), |()| Cell::default());
    let shown = use_state_eq(|| None);
    let dragging = Dragging { held, shown };
    {
        let dragging = dragging.clone();
        // Escape leaves everything as it is.
        use_effect_with(dragging.shown.is_some(), move |drags| {
            let listener = drags.then(|| {
                let window = web_sys::window()?;
                let options = EventListenerOptions::run_in_capture_phase();
                Some(EventListener::new_with_options(&window, "keydown", options, move |event| {
                    if event.dyn_ref::<web_sys::KeyboardEvent>().is_some_and(|event| event.key() == "Escape") {
                        event.stop_propagation();
                        dragging.let_go();
                    }
                }))
            });
            until_then(listener)
        });
    }
    dragging
}

impl Dragging {
    /// What a column shows of the drag: it is taken away, or another one comes to its left or right.
    pub fn class(&self, column: usize) -> Option<&'static str> {
        match *self.shown {
            Some((taken, _)) if taken == column => Some("taken"),
            Some((taken, to)) if to == column => Some(if to < taken { "drop-left" } else { "drop-right" }),
            _ => None,
        }
    }

    fn let_go(&self) -> Option<PressedHeading> {
        self.shown.set(None);
        self.held.take()
    }

    /// Moves of the pointer over a heading.
    pub fn moves(&self) -> Callback<PointerEvent> {
        let dragging = self.clone();
        Callback::from(move |event: PointerEvent| {
            let Some(held) = dragging.held.get() else { return };
            let x = event.client_x() as f64;
            if held.to.is_none() && (x - held.x).abs() < SLACK {
                return;
            }
            let to = column_at(&event, x).unwrap_or(held.column);
            dragging.held.set(Some(PressedHeading { to: Some(to), ..held }));
            dragging.shown.set(Some((held.column, to)));
        })
    }

    pub fn presses(&self, column: usize) -> Callback<PointerEvent> {
        let dragging = self.clone();
        Callback::from(move |event: PointerEvent| {
            if event.button() != 0 || around(&event, ".menu-host").is_some() {
                return;
            }
            dragging.held.set(Some(PressedHeading { column, x: event.client_x() as f64, to: None }));
            capture(around(&event, ".column-head"), &event);
        })
    }

    pub fn releases(&self, send: Callback<Action>) -> Callback<PointerEvent> {
        let dragging = self.clone();
        Callback::from(move |_: PointerEvent| {
            let Some(PressedHeading { column, to: Some(to), .. }) = dragging.let_go() else { return };
            if to != column {
                send.emit(change(Change::Place { column, to }));
            }
        })
    }

    /// The system took the pointer away.
    pub fn loses(&self) -> Callback<PointerEvent> {
        let dragging = self.clone();
        Callback::from(move |_: PointerEvent| {
            dragging.let_go();
        })
    }
}

/// The element of this kind that an event happened in.
fn around(event: &PointerEvent, css: &str) -> Option<Element> {
    event.target()?.dyn_into::<Element>().ok()?.closest(css).ok().flatten()
}

/// The column at this place of the window, of those beside the heading that gets the pointer events.
fn column_at(event: &PointerEvent, x: f64) -> Option<usize> {
    let columns = around(event, ".column-row")?.children();
    let rects = (0..columns.length()).filter_map(|number| Some(columns.item(number)?.get_bounding_client_rect()));
    let right_of = rects.take_while(|rect| rect.left() <= x).count();
    right_of.checked_sub(1)
}

/// The handle of a heading, for keys; the whole heading can be dragged.
pub fn handle(page: &Page, column: usize, choice: &PlannerChoice) -> Html {
    let count = page.state.comparing.columns.len();
    let name = choice.words(page.speech());
    let label = page.speech().say(&Message::new("compare.move").text("name", &name));
    let send = page.send.clone();
    let onkeydown = Callback::from(move |event: KeyboardEvent| {
        let to = match event.key().as_str() {
            "ArrowLeft" => column.checked_sub(1),
            "ArrowRight" => Some(column + 1).filter(|to| *to < count),
            _ => return,
        };
        event.prevent_default();
        event.stop_propagation();
        let Some(to) = to else { return };
        send.emit(change(Change::Place { column, to }));
        let moved = Message::new("compare.moved").text("name", &name).count("place", to + 1).count("count", count);
        send.emit(Action::View(ViewAction::Toast(moved)));
        // A handle that is put elsewhere in the document loses the focus.
        later(0, move || focus(&format!("move-column-{to}"))).forget();
    });
    html! {
        <button type="button" class="btn icon-only handle" id={format!("move-column-{column}")} aria-label={label.clone()} title={label} {onkeydown}>
            { glyph(Icon::Grip) }</button>
    }
}
