//! The keyboard map. Letters act outside fields only and can be switched off; movement keys go by place on the keyboard.

use std::rc::Rc;

use gloo_events::{EventListener, EventListenerOptions};
use wasm_bindgen::JsCast;
use yew::prelude::*;

use crate::app::browser::dom::{focus, is_field, until_then};
use crate::app::context::open::pick_files;
use crate::app::model::editing::Step;
use crate::app::model::look::Switch;
use crate::app::model::panels::{Mode, Overlay, Tab};
use crate::app::model::speeds::SPEEDS;
use crate::app::state::State;
use crate::app::state::action::{Action, CompareAction, DocumentAction, EditAction, Motion, StepAction, ViewAction};
use crate::app::state::comparing::Change;
use crate::replay::Level;

#[hook]
pub fn use_shortcuts(state: Rc<State>, send: Callback<Action>, copy_link: Callback<()>) {
    let latest = use_mut_ref(|| state.clone());
    *latest.borrow_mut() = state;
    use_effect_with((), move |_| {
        let options = EventListenerOptions::enable_prevent_default();
        until_then(web_sys::window().map(|window| {
            EventListener::new_with_options(&window, "keydown", options, move |event| {
                let Some(event) = event.dyn_ref::<KeyboardEvent>() else { return };
                let state = latest.borrow().clone();
                if event.default_prevented() {
                    return;
                }
                if command(event, &state, &send) || act(event, &state, &send, &copy_link) {
                    event.prevent_default();
                }
            })
        }))
    });
}

/// Keys with Ctrl or Cmd that work everywhere.
fn command(event: &KeyboardEvent, state: &State, send: &Callback<Action>) -> bool {
    if event.key() == "F6" {
        cycle_regions(event.shift_key());
        return true;
    }
    if (event.ctrl_key() || event.meta_key()) && !event.alt_key() && event.key().eq_ignore_ascii_case("o") {
        pick_files(state.settings.locale, send.clone());
        return true;
    }
    if (event.ctrl_key() || event.meta_key()) && !event.alt_key() && event.key().eq_ignore_ascii_case("s") {
        send.emit(Action::Edit(EditAction::Save));
        return true;
    }
    if (event.ctrl_key() || event.meta_key())
        && !event.alt_key()
        && event.key().eq_ignore_ascii_case("k")
        && state.document.run.is_some()
    {
        send.emit(Action::View(ViewAction::Overlay(Some(Overlay::Find))));
        return true;
    }
    let undo = (event.ctrl_key() || event.meta_key()) && !event.alt_key() && event.key().eq_ignore_ascii_case("z");
    // In a field the letters typed are taken back, by the browser.
    if undo && state.editing.session.is_some() && !is_field(event.target()) {
        send.emit(Action::Edit(EditAction::Change(if event.shift_key() { Step::Redo } else { Step::Undo })));
        return true;
    }
    false
}

fn act(event: &KeyboardEvent, state: &State, send: &Callback<Action>, copy_link: &Callback<()>) -> bool {
    let in_field = is_field(event.target()) && event.key() != "Escape";
    if event.ctrl_key() || event.meta_key() || event.alt_key() || in_field {
        return false;
    }
    let shift = event.shift_key();
    let key = event.key();
    let action = match key.as_str() {
        "ArrowRight" if state.view.mode == Mode::Compare => {
            Action::Compare(CompareAction::Change(Change::Move(if shift { 10 } else { 1 })))
        }
        "ArrowLeft" if state.view.mode == Mode::Compare => {
            Action::Compare(CompareAction::Change(Change::Move(if shift { -10 } else { -1 })))
        }
        "ArrowRight" if shift => Action::Step(StepAction::Move(Motion::NextBuffer)),
        "ArrowLeft" if shift => Action::Step(StepAction::Move(Motion::PreviousBuffer)),
        "ArrowRight" => Action::Step(StepAction::Move(Motion::Next)),
        "ArrowLeft" => Action::Step(StepAction::Move(Motion::Previous)),
        "Home" => Action::Step(StepAction::Move(Motion::First)),
        "End" => Action::Step(StepAction::Move(Motion::Last)),
        // Space on a button presses it.
        " " if !is_button(event.target()) => Action::Step(StepAction::Play(!state.stepping.playing)),
        "Escape" if state.view.overlay.is_some() => Action::View(ViewAction::Overlay(state.view.overlay)),
        "Escape" if state.document.notice.is_some() => Action::Document(DocumentAction::DismissNotice),
        "Escape" if state.stepping.lane.is_some() => Action::Step(StepAction::Lane(None)),
        "Escape" => Action::Step(StepAction::Select(None)),
        _ if !state.settings.single_keys => return false,
        "?" => Action::View(ViewAction::Overlay(Some(Overlay::Help))),
        "/" if state.document.run.is_some() => Action::View(ViewAction::Overlay(Some(Overlay::Find))),
        "," | "<" => Action::Step(StepAction::Speed(neighbour(state.stepping.speed, false))),
        "." | ">" => Action::Step(StepAction::Speed(neighbour(state.stepping.speed, true))),
        "1" => Action::Step(StepAction::Level(Level::All)),
        "2" => Action::Step(StepAction::Level(Level::Decisions)),
        "3" => Action::Step(StepAction::Level(Level::Outcomes)),
        "[" => Action::View(ViewAction::ToggleLeft),
        "]" => Action::View(ViewAction::ToggleRight),
        "\\" => Action::View(ViewAction::ToggleBoth),
        letter => match letter.to_ascii_lowercase().as_str() {
            "n" => Action::Step(StepAction::RunTo { forward: !shift }),
            "b" => Action::Step(StepAction::BreakHere),
            "v" => Action::View(ViewAction::Switch(Switch::Waste)),
            "o" => Action::View(ViewAction::Switch(Switch::Tree)),
            "m" => Action::View(ViewAction::Switch(Switch::Minimap)),
            "c" if state.document.run.is_some() => Action::Compare(CompareAction::AddToComparison),
            "p" => Action::Document(DocumentAction::NextPlanner { forward: !shift }),
            "l" => {
                copy_link.emit(());
                return true;
            }
            "g" => return show(send, Tab::Graph, &["graph-rows"]),
            "u" => return show(send, Tab::Buffers, &["buffer-rows"]),
            // One of them is there: planners show trees, free lists or tables.
            "t" => return show(send, Tab::State, &["section-rows", "block-rows", "tree-rows"]),
            "y" => return show(send, Tab::Why, &["why-panel"]),
            _ => return false,
        },
    };
    send.emit(action);
    true
}

/// Opens a panel and moves the focus into it once it is there.
fn show(send: &Callback<Action>, tab: Tab, ids: &'static [&'static str]) -> bool {
    match tab {
        Tab::Graph | Tab::Buffers => send.emit(Action::View(ViewAction::LeftTab(tab))),
        _ => {}
    }
    send.emit(Action::View(ViewAction::DrawerTab(tab)));
    gloo_timers::callback::Timeout::new(30, move || {
        ids.iter().for_each(|id| focus(id));
    })
    .forget();
    true
}

fn neighbour(speed: f64, faster: bool) -> f64 {
    let here = SPEEDS.iter().position(|known| *known >= speed).unwrap_or(2);
    SPEEDS[if faster { (here + 1).min(SPEEDS.len() - 1) } else { here.saturating_sub(1) }]
}

fn is_button(target: Option<web_sys::EventTarget>) -> bool {
    let element = target.and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    element.is_some_and(|element| matches!(element.tag_name().as_str(), "BUTTON" | "A" | "SUMMARY"))
}

/// Moves the focus to the next region of the page.
fn cycle_regions(back: bool) {
    const REGIONS: [&str; 5] = ["region-header", "region-left", "region-stage", "region-stepper", "region-right"];
    let Some(document) = web_sys::window().and_then(|window| window.document()) else { return };
    let present: Vec<&str> = REGIONS.into_iter().filter(|id| document.get_element_by_id(id).is_some()).collect();
    let active = document.active_element();
    let inside = |id: &&str| document.get_element_by_id(id).is_some_and(|region| region.contains(active.as_deref()));
    // In the comparison the right one stands inside the stage.
    let here = present.iter().rposition(inside);
    let count = present.len();
    let next = match (here, back) {
        _ if count == 0 => return,
        (Some(here), false) => (here + 1) % count,
        (Some(here), true) => (here + count - 1) % count,
        (None, _) => 0,
    };
    focus(present[next]);
}
