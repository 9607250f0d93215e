//! The plan alone for an audience.

use yew::prelude::*;

use crate::present::Presented;
use crate::shell::state::action::{Action, ViewAction};
use crate::testing::{opened, screen};

#[test]
fn a_presented_plan_has_its_sentence_and_no_panels() {
    let page = screen(opened().reduce(Action::View(ViewAction::Present(true))), html! { <Presented /> });
    assert!(page.all("#plan").len() == 1 && page.all("[role=tablist]").is_empty());
}
