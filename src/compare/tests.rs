//! Plans side by side.

use std::rc::Rc;

use yew::prelude::*;

use crate::compare::state::Change;
use crate::compare::state::comparison::{Compared, Sheet};
use crate::compare::state::second::SecondAction;
use crate::compare::state::tests::compared;
use crate::compare::{Compare, Measuring};
use crate::open::state::status::Status;
use crate::own::state::tests::{opened_own, typed};
use crate::shell::state::State;
use crate::shell::state::action::{Action, CompareAction, DocumentAction, OwnAction, ViewAction};
use crate::shell::state::panels::Mode;
use crate::testing::{TEACHING, all, opened, screen};
use memplan_core::base::{Arg, Message};
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
fn an_invalid_plan_is_named_and_its_peak_does_not_count() {
    let mut state = opened().reduce(Action::View(ViewAction::Mode(Mode::Compare)));
    state.comparing = compared(TEACHING, &["first-fit", "naive"]);
    let shown = state.comparing.columns[1].shown.as_mut().and_then(|shown| shown.as_mut().ok()).expect("a plan");
    let shown = Rc::get_mut(shown).expect("nobody else has it");
    shown.found.figures.broken = 12;
    state.document.violations = Rc::new(vec![Message::new("compare.waiting")]);
    let page = screen(state.clone(), html! { <Compare dark=false /> });
    assert!(page.text("#violations b").contains("Inductor"), "{}", page.text("#violations b"));
    assert!(page.text(".bar[data-planner=naive]").contains("12 violations"));
    let stepped = screen(
        state.reduce(Action::Compare(CompareAction::Change(Change::Position(Some(1))))),
        html! { <Compare dark=false /> },
    );
    assert_eq!(stepped.all(".column[data-planner=naive] .struck").len(), 2, "now, and at the end");
    assert!(stepped.all(".column[data-planner=first-fit] .struck").is_empty());
}

#[test]
fn a_second_worker_can_be_cancelled_while_the_first_one_does_nothing() {
    let ranking = [
        Action::View(ViewAction::Mode(Mode::Compare)),
        Action::Compare(CompareAction::Change(Change::Sheet(Sheet::Ranking))),
    ];
    let mut state = all(opened(), ranking);
    let buttons = |state: &State| screen(state.clone(), html! { <Measuring /> }).texts("button").len();
    state = state.reduce(Action::Compare(CompareAction::Second(SecondAction::Offered)));
    state.document.status = Status::Idle;
    assert!(state.second_job().is_some());
    assert_eq!(buttons(&state), 1);
    let cancelled = state.reduce(Action::Document(DocumentAction::Cancel));
    assert!(cancelled.second_job().is_none() && cancelled.job().is_none());
    assert_eq!(buttons(&cancelled), 0);
}

#[test]
fn options_of_free_text_are_not_varied_and_it_is_said_why() {
    let code = "const OPTIONS = #{ way: \"up\", k: 1 };\nfn place(buffer, gaps) { gaps[-1].start }";
    let state = typed(opened_own().reduce(Action::Own(OwnAction::Write)), code);
    let choices = [state.document.planner.as_str(), "first-fit"].map(PlannerChoice::of).to_vec();
    let compared = Compared { choices, sheet: Sheet::Sweep, ..Compared::default() };
    let mut state = state.reduce(Action::Compare(CompareAction::Change(Change::Restore(Box::new(compared)))));
    state.view.mode = Mode::Compare;
    let page = screen(state.clone(), html! { <Compare dark=false /> });
    assert!(page.attributes("#sweep-vary option", "value").contains(&"k".to_string()));
    assert!(!page.attributes("#sweep-vary option", "value").contains(&"way".to_string()));
    let why = Message::new("compare.sweep.text-own").with("names", Arg::Names(vec!["way".into()]));
    assert_eq!(page.texts("[data-not-varied]"), [state.speech().say(&why)]);
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
