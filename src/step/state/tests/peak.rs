//! The cursor, the tab that fits, and how documents open.

use crate::open::state::document::Origin;
use crate::open::state::link::LinkPlace;
use crate::shell::state::State;
use crate::shell::state::action::{Action, DocumentAction, Motion, StepAction, ViewAction};
use crate::shell::state::look::Switch;
use crate::shell::state::panels::{Mode, Tab};
use crate::testing::{TEACHING, all, answered, done, opened};
use memplan_core::problem::BufferId;
use memplan_engine::{Answer, Task};
use memplan_formats::import::Answers;

const RESNET: &[u8] = include_bytes!("../../../../www/graphs/resnet18.json");

fn open(state: State, origin: Origin, bytes: &[u8], place: Option<LinkPlace>) -> State {
    let (bytes, choices) = (bytes.to_vec().into(), Answers::default());
    done(state.reduce(Action::Document(DocumentAction::Open { origin, bytes, choices, place })))
}

fn network() -> State {
    open(State::default(), Origin::Example("resnet18".into()), RESNET, None)
}

fn tab(state: &State) -> (Option<u32>, Tab) {
    assert_eq!(state.tab(), state.right_tab());
    (state.shown_step(), state.tab())
}

#[test]
fn a_network_opens_at_its_largest_load_and_a_small_example_at_its_first_placement() {
    let state = network();
    assert_eq!((state.at_end(), tab(&state)), (true, (Some(1), Tab::Peak)));
    // A link without a frame does the same, and a file of whatever size.
    let linked = open(State::default(), Origin::Example("resnet18".into()), RESNET, Some(LinkPlace::default()));
    assert_eq!((linked.at_end(), tab(&linked)), (true, (Some(1), Tab::Peak)));
    let file = open(State::default(), Origin::File("mine.json".into()), TEACHING, None);
    assert_eq!((file.at_end(), tab(&file)), (true, (Some(2), Tab::Peak)));
    let small = opened();
    assert_eq!((small.frame(), tab(&small)), (1, (None, Tab::Why)));
}

#[test]
fn a_link_with_a_frame_shows_it_with_the_cursor_of_the_link() {
    let at = |frame, step| Some(LinkPlace { frame, step, ..LinkPlace::default() });
    let example = || Origin::Example("resnet18".into());
    let state = open(State::default(), example(), RESNET, at(Some(68), None));
    assert_eq!((state.frame(), tab(&state)), (68, (None, Tab::Why)));
    let state = open(State::default(), example(), RESNET, at(Some(12), Some(30)));
    assert_eq!((state.frame(), tab(&state)), (12, (Some(30), Tab::Peak)));
    let beyond = open(State::default(), example(), RESNET, at(None, Some(9_999)));
    assert_eq!((beyond.at_end(), tab(&beyond)), (true, (Some(68), Tab::Peak)));
}

#[test]
fn stepping_takes_the_cursor_away_and_the_end_brings_it_back() {
    let step = |motion| Action::Step(StepAction::Move(motion));
    let state = all(network(), [step(Motion::Previous)]);
    assert_eq!(tab(&state), (None, Tab::Why));
    let state = all(state, [step(Motion::Last)]);
    assert_eq!(tab(&state), (Some(1), Tab::Peak));
    let state =
        all(state, [Action::Step(StepAction::Seek(3)), Action::Document(DocumentAction::Planner("first-fit".into()))]);
    assert_eq!(tab(&state), (None, Tab::Why));
    // The tab that was chosen stays; where decisions are wanted, the end shows the last one.
    let why = all(state.clone(), [Action::View(ViewAction::RightTab(Tab::Why)), step(Motion::Last)]);
    assert_eq!(tab(&why), (None, Tab::Why));
    let peak = all(state, [Action::View(ViewAction::RightTab(Tab::Peak))]);
    assert_eq!(tab(&peak), (Some(1), Tab::Peak));
    let peak = all(peak, [step(Motion::Next)]);
    assert_eq!(tab(&peak), (None, Tab::Peak));
    // Another document is looked at afresh.
    assert_eq!(open(why, Origin::File("mine.json".into()), TEACHING, None).tab(), Tab::Peak);
}

#[test]
fn another_planner_at_the_end_stands_at_the_largest_load() {
    let state = all(network(), [Action::Step(StepAction::Cursor(Some(40)))]);
    let state = all(state, [Action::Document(DocumentAction::Planner("first-fit".into()))]);
    assert_eq!((state.at_end(), tab(&state)), (true, (Some(1), Tab::Peak)));
}

#[test]
fn the_cursor_goes_from_one_full_step_to_the_next_and_the_slice_is_switched_where_there_is_one() {
    let fullest = |next| Action::Step(StepAction::Fullest { next });
    let state = all(opened(), [fullest(false)]);
    assert_eq!(tab(&state), (Some(2), Tab::Peak));
    // There is only one stretch of such steps.
    assert_eq!(all(state.clone(), [fullest(true)]).shown_step(), Some(2));
    let slice = || Action::View(ViewAction::Switch(Switch::Slice));
    let off = all(state, [slice()]);
    assert!(!off.view.look.slice && off.shown_step() == Some(2));
    // Without a cursor the switch brings one.
    let on = all(off, [Action::Step(StepAction::Move(Motion::First)), slice()]);
    assert!(on.view.look.slice && on.shown_step() == Some(2));
    let edited = all(on, [Action::View(ViewAction::Mode(Mode::Edit))]);
    assert_eq!((edited.shown_step(), edited.stepping.step), (None, Some(2)));
}

#[test]
fn a_part_of_another_page_shows_the_last_decision() {
    let embedded = State::new(crate::embed::state::read("?embed=1"), false);
    let state = open(embedded, Origin::Example("resnet18".into()), RESNET, Some(LinkPlace::default()));
    assert_eq!((state.at_end(), tab(&state)), (true, (None, Tab::Why)));
}

#[test]
fn a_file_of_another_tool_has_the_name_of_its_file_and_a_planner_that_fits() {
    let name = |state: &State| state.document.open.as_ref().map(|document| document.name.clone());
    let planner = |state: &State| state.document.planner.clone();
    let list = b"id,lower,upper,size\na,0,2,8\n";
    let state = open(opened(), Origin::File("mine.csv".into()), list, None);
    assert_eq!((name(&state).as_deref(), planner(&state).as_str()), (Some("mine.csv"), "best"));
    // The portfolio fitted the list; nobody chose it for graphs.
    let state = open(state, Origin::File("mine.json".into()), TEACHING, None);
    assert_eq!((name(&state).as_deref(), planner(&state).as_str()), (Some("teaching"), "inductor-tree"));
    let chosen = all(state, [Action::Document(DocumentAction::Planner("naive".into()))]);
    let state = open(chosen, Origin::Example("resnet18".into()), RESNET, None);
    assert_eq!(planner(&state), "naive");
}

#[test]
fn the_peak_without_a_buffer_is_asked_for_once_and_belongs_to_its_planner() {
    let ask =
        |buffers: &[u32]| Action::Step(StepAction::AskSensitivity(buffers.iter().copied().map(BufferId).collect()));
    let state = network().reduce(ask(&[0, 1]));
    let job = state.job().cloned().expect("the engine is free");
    let task = job.task.as_deref().cloned().expect("a task");
    assert_eq!(task, Task::Without(state.choice(), vec![BufferId(0), BufferId(1)]));
    let state = state.reduce(answered(job.number, Ok(Answer::Without(vec![Some(7), None]))));
    assert!(state.job().is_none(), "nothing is left to ask");
    assert_eq!([0, 1, 2].map(|id| state.peak_without(BufferId(id))), [Some(7), None, None]);
    // What is known is not asked for again, whatever came of it.
    assert!(state.reduce(ask(&[0, 1])).job().is_none());
    // Another planner has another peak, and a search would take too long.
    let other = done(state.reduce(Action::Document(DocumentAction::Planner("first-fit".into()))));
    assert_eq!(other.peak_without(BufferId(0)), None);
    assert!(other.reduce(ask(&[0])).job().is_some());
    let search = done(state.reduce(Action::Document(DocumentAction::Planner("best".into()))));
    assert!(search.reduce(ask(&[0])).job().is_none());
}
