//! The list of planners and the sheet of options.

use yew::prelude::*;

use crate::context::use_page;
use crate::open::state::document::Origin;
use crate::own::state::tests::{opened_own, settled, typed};
use crate::planners::picker::Picker;
use crate::planners::planner_menu::planner_menu;
use crate::shell::state::State;
use crate::shell::state::action::{Action, DocumentAction, OwnAction, ViewAction};
use crate::shell::state::panels::Overlay;
use crate::testing::{Screen, all, opened, screen, spaced};
use memplan_formats::import::Answers;
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
fn what_is_planned_stays_together_beside_the_options() {
    let sheet = menu(opened(), Overlay::Options);
    let word = |key: &str| opened().speech().word(key);
    let planned: Vec<String> =
        sheet.texts(".options-group").into_iter().filter(|group| group.contains(&word("scope.title"))).collect();
    assert_eq!(planned.len(), 1);
    for key in ["scope.inputs", "scope.outputs", "scope.weights", "scope.copies", "scope.align"] {
        assert!(planned[0].contains(&word(key)), "{key} in {planned:?}");
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

#[test]
fn what_all_planners_lack_is_said_once_above_them() {
    let bytes = b"id,lower,upper,size\nA,0,2,8\nB,1,3,8\n".to_vec().into();
    let (origin, choices) = (Origin::File("b.csv".into()), Answers::default());
    let state = all(opened(), [Action::Document(DocumentAction::Open { origin, bytes, choices, place: None })]);
    assert!(state.document.open.as_ref().is_some_and(|document| document.graph.is_none()));
    let list = menu(state.clone(), Overlay::Planners);
    let needs = state.speech().word("picker.needs-graph");
    let said = list.texts(".pick-why");
    let rows = list.texts(".pick[disabled]");
    assert!(said.iter().all(|words| *words == needs) && !said.is_empty(), "{said:?}");
    assert!(rows.len() > said.len() && rows.iter().all(|row| !row.contains(&needs)), "{rows:?}");
}

#[test]
fn a_program_that_planned_the_document_shows_its_peak_among_the_planners() {
    let state = typed(
        settled(opened_own().reduce(Action::Own(OwnAction::Write))),
        "fn place(buffer, gaps) {\n    gaps[-1].start\n}",
    );
    let run = state.document.run.clone().expect("a plan");
    let rows = |state: &State| menu(state.clone(), Overlay::Planners);
    let peak = spaced(&state.speech().bytes(run.metrics.peak));
    assert_eq!(rows(&state).texts(".pick[data-own] .bytes"), [&*peak]);
    // It is known as well beside the plan of another planner.
    let other = settled(state.reduce(Action::Document(DocumentAction::Planner("first-fit".into()))));
    assert_eq!(rows(&other).texts(".pick[data-own] .bytes"), [peak]);
    assert!(rows(&other).all(".pick[data-own][aria-current]").is_empty());
    // To be compared, it is added from the same list.
    let compared = screen(other, html! { <Picker label="list" marks=false choose={Callback::noop()} /> });
    assert_eq!(compared.attributes("#add-own", "data-own"), ["my_planner.rhai"]);
    assert!(compared.all("#write-own").is_empty());
}
