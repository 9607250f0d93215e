//! The list of planners and the sheet of options.

use yew::prelude::*;

use crate::context::use_page;
use crate::planners::planner_menu::planner_menu;
use crate::shell::state::State;
use crate::shell::state::action::{Action, DocumentAction, ViewAction};
use crate::shell::state::panels::Overlay;
use crate::testing::{Screen, all, opened, screen};
use memplan_planners as planner;

#[component]
fn Menu() -> Html {
    planner_menu(&use_page())
}

fn menu(state: State, overlay: Overlay) -> Screen {
    screen(state.reduce(Action::View(ViewAction::Overlay(Some(overlay)))), html! { <Menu /> })
}

#[test]
fn the_options_of_every_planner_are_fields_with_names() {
    for info in planner::INFOS {
        let state = all(opened(), [Action::Document(DocumentAction::Planner(info.id.into()))]);
        let sheet = menu(state, Overlay::Options);
        // Most are fields; rules for arenas are a table, whose heading names them.
        let words = sheet.texts(".options").concat();
        for option in info.options {
            assert!(words.contains(option.original), "{}: {} in {words}", info.id, option.original);
        }
    }
}

#[test]
fn the_planner_of_the_plan_is_the_checked_one() {
    for id in ["inductor-tree", "first-fit", "exact"] {
        let state = all(opened(), [Action::Document(DocumentAction::Planner(id.into()))]);
        let list = menu(state, Overlay::Planners);
        assert_eq!(list.attributes("[aria-current=true]", "data-planner"), [id]);
    }
}
