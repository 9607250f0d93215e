//! Going through a run.

use crate::shell::state::State;
use crate::shell::state::action::{Action, DocumentAction, Motion, StepAction, ViewAction};
use crate::shell::state::look::{LaneShown, Switch};
use crate::shell::state::tests::stops;
use crate::step::state::breakpoints::{Targets, Wanted};
use crate::testing::{all, done, opened};
use memplan_core::problem::BufferId;
use memplan_replay::Level;

#[test]
fn the_stepper_stops_at_both_ends() {
    let state = all(
        opened(),
        [Action::Step(StepAction::Move(Motion::First)), Action::Step(StepAction::Move(Motion::Previous))],
    );
    assert_eq!(state.frame(), 0);
    let state =
        all(state, [Action::Step(StepAction::Move(Motion::Next)), Action::Step(StepAction::Move(Motion::Next))]);
    assert_eq!(state.frame(), 2);
    let state =
        all(state, [Action::Step(StepAction::Move(Motion::Last)), Action::Step(StepAction::Move(Motion::Next))]);
    assert_eq!((state.frame() + 1, state.at_end()), (state.frames(), true));
}

#[test]
fn looking_closely_asks_for_the_decisions_around_this_one() {
    let state =
        all(opened(), [Action::Step(StepAction::Seek(3))]).reduce(Action::Document(DocumentAction::LookClosely));
    let window = state.job().as_ref().and_then(|job| job.window).expect("asked for a window");
    assert!(window.0 <= 2 && 2 < window.1, "{window:?}");
    assert_eq!(done(state).frame(), 3, "the frame stays");
}

#[test]
fn a_state_of_the_beam_is_shown_until_the_next_step() {
    let lane = LaneShown { events: 4, index: 2 };
    let state = all(opened(), [Action::Step(StepAction::Seek(3)), Action::Step(StepAction::Lane(Some(lane)))]);
    assert_eq!((state.stepping.lane, state.frame()), (Some(lane), 3));
    assert_eq!(
        all(state.clone(), [Action::Step(StepAction::Select(None))]).stepping.lane,
        Some(lane),
        "selecting is no step"
    );
    assert_eq!(all(state.clone(), [Action::Step(StepAction::Lane(None))]).stepping.lane, None);
    for step in [
        Action::Step(StepAction::Move(Motion::Next)),
        Action::Step(StepAction::Move(Motion::First)),
        Action::Step(StepAction::Seek(5)),
        Action::Step(StepAction::SeekBuffer(BufferId(0))),
        Action::Document(DocumentAction::Planner("beam".into())),
        Action::Document(DocumentAction::ResetAll),
    ] {
        let name = format!("{step:?}");
        assert_eq!(all(state.clone(), [step]).stepping.lane, None, "{name}");
    }
    let playing = all(
        opened(),
        [
            Action::Step(StepAction::Seek(3)),
            Action::Step(StepAction::Play(true)),
            Action::Step(StepAction::Lane(Some(lane))),
        ],
    );
    assert!(!playing.stepping.playing, "play would take it away at once");
}

#[test]
fn before_is_one_frame_earlier_at_the_present_level() {
    let state = all(opened(), [Action::Step(StepAction::Seek(3))]);
    let run = state.document.run.clone().expect("planned");
    assert_eq!(state.cursor_before(), Some(run.timeline.events_at(Level::Decisions, 2)));
    let fine = all(state.clone(), [Action::Step(StepAction::Level(Level::All))]);
    let before = fine.cursor_before().expect("not the first");
    assert!(state.cursor_before() < Some(before) && before < fine.stepping.cursor, "{before}");
    assert_eq!(all(state.clone(), [Action::Step(StepAction::Seek(0))]).cursor_before(), None);
    assert_eq!(State::default().cursor_before(), None);
    let switched =
        all(state, [Action::View(ViewAction::Switch(Switch::Before)), Action::Step(StepAction::Move(Motion::Next))]);
    assert!(switched.view.look.before, "the switch stays while stepping");
}

#[test]
fn run_to_finds_an_address_and_a_step() {
    let state = all(opened(), [Action::Document(DocumentAction::Planner("first-fit".into()))]);
    let run = state.document.run.clone().expect("planned");
    let order = || run.timeline.decisions.iter().map(|decision| decision.buffer);
    let targets = Targets { address: 300, step: 4 };
    let state = all(state, [Action::Step(StepAction::Targets(targets))]);
    let on = |id: &BufferId| {
        let (place, size) = (run.plan.places[*id].expect("placed"), run.problem.buffers[*id].size);
        (place.offset..place.offset + size).contains(&300)
    };
    let wanted: Vec<BufferId> = order().filter(on).collect();
    assert!(!wanted.is_empty() && wanted.len() < order().count());
    assert_eq!(stops(state.clone(), Wanted::Address), wanted);
    let alive: Vec<BufferId> = order().filter(|id| run.problem.buffers[*id].live.contains(4)).collect();
    assert!(!alive.is_empty() && alive.len() < order().count());
    assert_eq!(stops(state.clone(), Wanted::Step), alive);
    // Clearing what stops play forgets no number.
    let state = all(state, [Action::Step(StepAction::BreakOn(Wanted::Step)), Action::Step(StepAction::ClearBreaks)]);
    assert_eq!((state.stepping.breaks.targets, state.stepping.breaks.kinds.len()), (targets, 0));
}

#[test]
fn run_to_finds_what_touches_the_selected_node() {
    let state = all(opened(), [Action::Step(StepAction::Seek(u32::MAX))]);
    assert_eq!(stops(state.clone(), Wanted::Node), [], "no node is selected");
    let run = state.document.run.clone().expect("planned");
    let tree = &run.frame(state.stepping.cursor).state.tree;
    let touched = |node| stops(all(state.clone(), [Action::Step(StepAction::Node(Some(node)))]), Wanted::Node);
    for (node, what) in tree.nodes.enumerate() {
        let stops = touched(node);
        assert!(!stops.is_empty(), "some decision made {node:?}");
        if let memplan_core::trace::TreeNode::Leaf { buffer } = what {
            assert!(stops.contains(buffer), "its own placement makes the leaf of {buffer:?}");
        }
    }
    let first = run.frame(run.timeline.decisions[0].end).state.tree.roots[0];
    assert_eq!(touched(first).first(), Some(&run.timeline.decisions[0].buffer));
}

#[test]
fn only_buffers_of_the_run_are_selected() {
    let chosen = opened().reduce(Action::Step(StepAction::Select(Some(BufferId(0)))));
    assert_eq!(chosen.stepping.selection, Some(BufferId(0)));
    // What was drawn of a larger run asks late.
    let missing = BufferId(9_999);
    assert_eq!(chosen.reduce(Action::Step(StepAction::Select(Some(missing)))).stepping.selection, None);
    let sought = chosen.reduce(Action::Step(StepAction::SeekBuffer(missing)));
    assert_eq!((sought.stepping.selection, sought.frame()), (Some(BufferId(0)), chosen.frame()));
    assert_eq!(State::default().reduce(Action::Step(StepAction::Select(Some(BufferId(0))))).stepping.selection, None);
}
