//! The first visit and what ends it.

use super::*;
use crate::open::state::request::is_answered_by_page;
use crate::shell::state::action::IntroductionAction;
use crate::shell::state::defining::{Defining, Shown};
use crate::shell::state::introduction::{place, start};
use crate::shell::state::panels::{Mode, Tab};
use crate::shell::state::visit::Visit;
use memplan_core::base::Term;
use memplan_engine::START_FRAME;
use memplan_engine::{first_answer, first_answers};
use memplan_teach::choices;

/// A first visit as it begins.
fn first() -> State {
    done(asked(START, start()))
}

/// A visit that waits for its first answer.
fn asked(name: &str, restored: Restored) -> State {
    let begun = State::default().reduce(Action::Introduction(IntroductionAction::Begin));
    let restored = begun.reduce(Action::Document(DocumentAction::Restore(Box::new(restored))));
    restored.reduce(Action::Document(DocumentAction::Open {
        origin: Origin::Example(name.into()),
        bytes: TEACHING.to_vec().into(),
        choices: Answers::default(),
        place: Some(place()),
    }))
}

fn next() -> Action {
    Action::Step(StepAction::Move(Motion::Next))
}

#[test]
fn a_first_visit_begins_with_the_first_buffer_of_first_fit() {
    let state = first();
    let run = state.document.run.as_ref().expect("planned");
    assert_eq!((run.planner.as_str(), state.frame()), (choices::WELCOME, START_FRAME));
    assert_eq!((state.view.panels.left_tab, state.tab()), (Tab::Start, Tab::Start));
    assert!(state.shows_notes() && state.shows_next() && state.introduction.folded && state.is_at_start());
    assert!(!state.shows_minimap() && !state.shows_other() && !state.introduction.is_over());
    // Who comes by a link sees none of it.
    let by_link = opened();
    assert!(!by_link.shows_notes() && !by_link.shows_next() && !by_link.introduction.folded);
    assert_eq!(by_link.view.panels.left_tab, Tab::Files);
}

#[test]
fn a_step_a_click_or_a_zoom_removes_the_notes_for_good() {
    let window = memplan_scene::Window { steps: (0.0, 4.0), bytes: Some((0.0, 1000.0)) };
    let ends = [
        next(),
        Action::Step(StepAction::Select(None)),
        Action::Step(StepAction::Play(true)),
        Action::View(ViewAction::Viewed(Some(window))),
    ];
    for end in ends {
        let back = all(first(), [end.clone(), Action::Step(StepAction::Seek(START_FRAME))]);
        assert!(!back.shows_notes(), "{end:?}");
    }
    let stays = all(first(), [Action::Step(StepAction::Point(Some(1))), Action::View(ViewAction::Mode(Mode::Edit))]);
    assert!(!stays.shows_notes() && stays.reduce(Action::View(ViewAction::Mode(Mode::Step))).shows_notes());
}

#[test]
fn three_steps_by_hand_end_the_introduction() {
    let two = all(first(), [next(), next()]);
    assert!(two.shows_next() && !two.introduction.is_over());
    // Play is no step by hand, and neither is a step that leads nowhere.
    let played = all(two.clone(), [Action::Step(StepAction::Play(true)), Action::Step(StepAction::Tick)]);
    assert!(!played.introduction.is_over());
    let here = two.frame();
    assert!(!two.reduce(Action::Step(StepAction::Seek(here))).introduction.is_over());
    let three = two.reduce(next());
    assert!(three.introduction.is_over() && !three.shows_next());
    let end = three.reduce(Action::Step(StepAction::Move(Motion::Last)));
    assert!(end.shows_other());
    let other = all(end, [Action::Document(DocumentAction::Planner(choices::STRIKING.0.into()))]);
    assert!(!other.shows_other());
}

#[test]
fn a_document_of_ones_own_ends_the_introduction() {
    let bytes = b"id,lower,upper,size\na,0,2,8\n".to_vec().into();
    let origin = Origin::File("a.csv".into());
    let open = DocumentAction::Open { origin, bytes, choices: Answers::default(), place: None };
    let state = all(first(), [Action::Document(open)]);
    assert!(state.introduction.is_over() && !state.shows_next());
    assert_eq!((state.view.panels.left_tab, state.tab()), (Tab::Graph, Tab::Peak));
    // The start can be seen again.
    let again = state.reduce(Action::Introduction(IntroductionAction::Begin));
    assert!(again.introduction.on && again.introduction.is_over());
}

#[test]
fn who_returns_finds_the_state_panel_as_it_was() {
    for folded in [true, false] {
        let visit = Visit { folded, ..Visit::default() };
        let state = all(State::default(), [Action::Introduction(IntroductionAction::Return(visit))]);
        assert_eq!(
            (state.introduction.folded, state.introduction.is_over(), state.introduction.on),
            (folded, true, false)
        );
        assert_eq!(state.view.panels.left_tab, Tab::Files);
    }
    let state = all(first(), [Action::View(ViewAction::RightTab(Tab::State))]);
    assert!(!state.introduction.folded);
    assert!(!first().reduce(Action::Introduction(IntroductionAction::Unfold)).introduction.folded);
}

#[test]
fn the_overview_of_a_small_run_is_there_on_demand() {
    let small = opened();
    assert!(!small.shows_minimap());
    let shown = small.reduce(Action::View(ViewAction::Switch(Switch::Minimap)));
    assert!(shown.shows_minimap());
    assert!(!shown.reduce(Action::View(ViewAction::Switch(Switch::Minimap))).shows_minimap());
}

#[test]
fn a_step_closes_the_definition() {
    let at = (0.0, 0.0, 8.0, 8.0);
    let define = |defining| Action::View(ViewAction::Define(defining));
    let state = opened().reduce(define(Defining::Press(Term::Peak, 4, at)));
    assert_eq!(state.view.defined.map(|Shown { term, owner, .. }| (term, owner)), Some((Term::Peak, 4)));
    assert!(state.reduce(Action::Step(StepAction::Move(Motion::First))).view.defined.is_none());
    assert!(state.reduce(define(Defining::Close)).view.defined.is_none());
}

#[test]
fn the_page_brings_the_answers_that_a_visit_begins_with() {
    let contents = first_answers(TEACHING).expect("an example");
    for restored in [start(), Restored::default()] {
        let state = asked(START, restored);
        let job = state.job().expect("a question");
        assert!(is_answered_by_page(job), "asked for {:?}", job.planner);
        let WorkerReply(Ok(Answer::Planned(answer))) = order(job, false, None).run(&mut Engine::default()) else {
            panic!("a plan request")
        };
        let brought = first_answer(&contents, &job.planner);
        let bytes = |done: &Done| postcard::to_stdvec(done).expect("plain values");
        assert_eq!(brought.as_ref().map(bytes), Some(bytes(&answer)));
    }
    assert!(first_answer(&contents, "best").is_none() && first_answer(b"<!doctype html>", choices::WELCOME).is_none());
}

#[test]
fn what_the_page_does_not_bring_is_asked_of_the_worker() {
    let planner = |id: &str| Restored { planner: Some(id.into()), ..Restored::default() };
    let mut with_option = start();
    with_option.options.insert(planner::BRANCH_SAFE.key.into(), "true".into());
    for state in [asked("resnet18", start()), asked(START, planner("best")), asked(START, with_option)] {
        assert!(state.job().is_some_and(|job| !is_answered_by_page(job)));
    }
    let again = first().reduce(Action::Document(DocumentAction::Planner("best".into())));
    let again = done(again).reduce(Action::Document(DocumentAction::Planner(choices::WELCOME.into())));
    assert!(again.job().is_some_and(|job| !is_answered_by_page(job)), "the worker has the document by now");
}
