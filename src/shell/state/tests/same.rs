//! What changes nothing is drawn by nobody.

use super::*;

#[test]
fn menus_close_when_another_thing_is_pressed() {
    let state = opened().reduce(Action::View(ViewAction::Overlay(Some(Overlay::Planners))));
    assert_eq!(state.view.overlay, Some(Overlay::Planners));
    assert_eq!(state.reduce(Action::View(ViewAction::CloseMenus)).view.overlay, None);
}

#[test]
fn an_action_that_changes_nothing_returns_the_same_state() {
    let state = Rc::new(opened().reduce(Action::Step(StepAction::Seek(0))));
    let locale = state.settings.locale;
    let nothing = [
        Action::Step(StepAction::Seek(0)),
        Action::Step(StepAction::Move(Motion::First)),
        Action::Step(StepAction::Select(None)),
        Action::Step(StepAction::Tick),
        Action::Step(StepAction::Play(false)),
        Action::Settings(SettingsAction::Locale(locale)),
        Action::View(ViewAction::CloseMenus),
        Action::View(ViewAction::ToastOver(7)),
        Action::Edit(EditAction::Discard(String::new())),
        Action::Document(DocumentAction::Cancel),
        Action::Document(DocumentAction::DismissNotice),
        Action::Document(DocumentAction::Progress { job: 99, progress: Progress::default() }),
        Action::Document(DocumentAction::Planner(state.document.planner.clone())),
    ];
    for action in nothing {
        let outcome = format!("{action:?}");
        assert!(Rc::ptr_eq(&state, &state.next(action)), "{outcome}");
    }
    let stepped = state.next(Action::Step(StepAction::Move(Motion::Next)));
    assert!(!Rc::ptr_eq(&state, &stepped) && *state != *stepped);
}

#[test]
fn progress_changes_nothing_that_panels_show() {
    let state = opened().reduce(Action::Document(DocumentAction::Planner("exact".into())));
    let job = state.job().expect("asked for").number;
    let progress = Progress { done: 1, total: 9, best: None };
    let on = state.reduce(Action::Document(DocumentAction::Progress { job, progress }));
    assert_eq!(state, on);
    assert_eq!(on.document.status.progress(), Some(progress));
    let state = Rc::new(state);
    let again = state.next(Action::Document(DocumentAction::Progress { job, progress }));
    assert!(!Rc::ptr_eq(&state, &again), "the bar shows it");
    // A search that could now be ended with a plan offers that.
    let found = on.reduce(Action::Document(DocumentAction::Best { job, answer: Rc::default() }));
    assert_ne!(on, found);
    let selected = on.reduce(Action::Step(StepAction::Select(Some(BufferId(0)))));
    assert_ne!(on, selected);
}
