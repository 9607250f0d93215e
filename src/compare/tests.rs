//! Plans side by side.

use yew::prelude::*;

use crate::compare::Compare;
use crate::compare::state::tests::compared;
use crate::shell::state::action::{Action, ViewAction};
use crate::shell::state::panels::Mode;
use crate::testing::{TEACHING, opened, screen};

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
