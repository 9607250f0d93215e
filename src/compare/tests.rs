//! Plans side by side.

use std::rc::Rc;

use yew::prelude::*;

use crate::compare::Compare;
use crate::compare::state::comparison::Sheet;
use crate::compare::state::tests::compared;
use crate::shell::state::action::{Action, ViewAction};
use crate::shell::state::panels::Mode;
use crate::testing::{TEACHING, opened, screen};
use memplan_core::base::Message;
use memplan_engine::{PlannerChoice, RankingEntry};

#[test]
fn every_planner_has_a_column_with_its_peak() {
    let planners = ["first-fit", "best-fit", "inductor-tree"];
    let mut state = opened().reduce(Action::View(ViewAction::Mode(Mode::Compare)));
    state.comparing = compared(TEACHING, &planners);
    let expected: Vec<String> = (0..planners.len())
        .map(|number| state.comparing.columns[number].plan().expect("a plan").run.metrics.peak.to_string())
        .collect();
    let page = screen(state, html! { <Compare dark=false /> });
    assert_eq!(page.attributes(".plot canvas[data-peak]", "data-peak"), expected);
}

#[test]
fn the_rows_of_the_users_own_planners_are_marked() {
    let mut state = opened().reduce(Action::View(ViewAction::Mode(Mode::Compare)));
    let entry = |id: &str| RankingEntry { choice: PlannerChoice::of(id), result: Err(Message::new("compare.waiting")) };
    state.comparing.sheet = Sheet::Ranking;
    state.comparing.ranking = Some(Rc::new(vec![entry("first-fit"), entry("own-1")]));
    let page = screen(state.clone(), html! { <Compare dark=false /> });
    assert_eq!(page.attributes("#ranking tr.mine", "data-planner"), ["own-1"]);
    assert_eq!(page.texts("#ranking .tag"), [state.speech().word("own.peak")]);
}
