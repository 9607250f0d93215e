//! The figures above the plan and the buttons below it.

use yew::prelude::*;

use crate::context::use_page;
use crate::shell::state::State;
use crate::shell::state::action::{Action, Motion, StepAction, ViewAction};
use crate::shell::state::panels::Mode;
use crate::step::transport::stepper::stepper;
use crate::step::transport::strip::strip;
use crate::testing::{Screen, opened, screen};

#[component]
fn Both() -> Html {
    let page = use_page();
    html! { <>{ strip(&page) }{ stepper(&page) }</> }
}

fn shown(state: State) -> Screen {
    screen(state, html! { <Both /> })
}

fn step(state: State, motion: Motion) -> State {
    state.reduce(Action::Step(StepAction::Move(motion)))
}

#[test]
fn the_counter_counts_frames_and_the_strip_what_is_placed() {
    let mut state = step(opened(), Motion::First);
    let last = state.frames() - 1;
    for frame in 0..=last {
        let shown = shown(state.clone());
        assert_eq!(shown.text(".counter b"), format!("{frame} / {last}"));
        assert_eq!(shown.text(".stat [data-term=placed] b"), format!("{frame} / {last}"));
        state = step(state, Motion::Next);
    }
}

#[test]
fn nothing_leads_before_the_first_or_behind_the_last_frame() {
    let disabled = |state| shown(state).labels(".controls [disabled]");
    assert_eq!(disabled(step(opened(), Motion::First)), ["First frame", "Previous buffer", "Previous frame"]);
    assert_eq!(disabled(step(opened(), Motion::Last)), ["Next frame", "Next buffer", "Last frame"]);
}

#[test]
fn play_turns_into_pause() {
    let state = step(opened(), Motion::First);
    assert_eq!(shown(state.clone()).labels(".play"), ["Play"]);
    assert_eq!(shown(state.reduce(Action::Step(StepAction::Play(true)))).labels(".play"), ["Pause"]);
}

#[test]
fn the_peak_is_that_so_far_until_the_plan_is_whole() {
    let peak = |state| shown(state).texts("#strip-peak i, #strip-peak b, #strip-peak u");
    let first = step(step(opened(), Motion::First), Motion::Next);
    assert_eq!(peak(first), ["peak so far", "1 000", "B"]);
    assert_eq!(peak(step(opened(), Motion::Last)), ["peak", "1 856", "B"]);
}

#[test]
fn a_level_of_detail_is_one_of_three() {
    for mode in [Mode::Step, Mode::Edit] {
        let shown = shown(opened().reduce(Action::View(ViewAction::Mode(mode))));
        assert_eq!(shown.texts("[role=radiogroup] [role=radio]"), ["all", "decisions", "outcomes"]);
        assert_eq!(shown.texts("[role=radio][aria-checked=true]"), ["decisions"]);
    }
}
