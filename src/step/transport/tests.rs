//! The figures above the plan and the buttons below it.

use yew::prelude::*;

use crate::context::use_page;
use crate::open::state::document::Origin;
use crate::shell::state::State;
use crate::shell::state::action::{Action, DocumentAction, Motion, StepAction, ViewAction};
use crate::shell::state::panels::Mode;
use crate::step::transport::stepper::stepper;
use crate::step::transport::strip::strip;
use crate::testing::{Screen, all, done, opened, screen};
use memplan_core::trace::StatePanel;
use memplan_formats::import::Answers;
use memplan_planners as planner;

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

/// A recorded program as its file has it.
fn recorded() -> State {
    let bytes = include_bytes!("../../../tests/golden/data/cuda_allocator/snapshots/plain.pickle.gz");
    let origin = Origin::File("plain.pickle".into());
    let open = DocumentAction::Open { origin, bytes: bytes.to_vec().into(), choices: Answers::default(), place: None };
    done(State::default().reduce(Action::Document(open)))
}

/// The same, repeated by the allocator on a card of so many MiB.
fn repeated(mib: u64) -> State {
    let caches = |info: &&&planner::Info| info.explanation.panels.contains(&StatePanel::CachedBlocks);
    let info = planner::INFOS.iter().find(caches).expect("an allocator that caches");
    let planned = all(recorded(), [Action::Document(DocumentAction::Planner(info.id.into()))]);
    let card = vec![("card".to_string(), (mib << 20).to_string())];
    all(planned, [Action::Document(DocumentAction::Options(card))])
}

#[test]
fn an_allocator_states_what_it_obtained_and_a_run_that_ends_early_where() {
    let whole = shown(step(repeated(8 << 10), Motion::Last));
    let figures = whole.text("#strip-cache").replace('\u{202f}', " ");
    assert_eq!(figures, "132 MiB reserved, 74 MiB allocated");
    assert_eq!(whole.all("#strip-addresses").len(), 1);
    assert!(whole.all(".bullet, #strip-stopped").is_empty() && whole.all("#strip-peak").len() == 1);
    let ended = shown(step(repeated(100), Motion::Last));
    assert_eq!(ended.text("#strip-stopped"), "out of memory at step 23");
    assert!(ended.all(".bullet").is_empty() && !ended.text(".strip").contains('×'), "{}", ended.text(".strip"));
    // The plan in the file lies in the addresses of all segments.
    assert_eq!(shown(step(recorded(), Motion::Last)).all("#strip-addresses").len(), 1);
}
