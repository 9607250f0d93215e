//! The plan alone for an audience.

use yew::prelude::*;

use crate::present::Presented;
use crate::shell::state::State;
use crate::shell::state::action::{Action, Motion, PredictAction, StepAction, ViewAction};
use crate::testing::{opened, screen};

#[test]
fn a_presented_plan_has_its_sentence_and_no_panels() {
    let page = screen(opened().reduce(Action::View(ViewAction::Present(true))), html! { <Presented /> });
    assert!(page.all("#plan").len() == 1 && page.all("[role=tablist]").is_empty());
}

#[test]
fn the_next_press_answers_a_question_of_predict() {
    let first = opened().reduce(Action::Step(StepAction::Move(Motion::First)));
    let asked = first.reduce(Action::Predict(PredictAction::Toggle));
    assert!(asked.is_asking());
    let keys = |state: &State| {
        let presented = state.clone().reduce(Action::View(ViewAction::Present(true)));
        screen(presented, html! { <Presented /> }).texts(".presented-keys").concat()
    };
    assert!(keys(&asked).contains("answer") && keys(&opened()).contains("next"), "{}", keys(&asked));
}
