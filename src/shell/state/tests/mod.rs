//! Actions in, state out: nothing of the browser is needed.

mod arriving;
mod introduction;
mod same;

use crate::open::state::document::Origin;
use crate::open::state::link::{LinkPlace, Restored};
use crate::open::state::request::order;
use crate::shell::state::action::{DocumentAction, EditAction, Motion, SettingsAction, StepAction, ViewAction};
use crate::shell::state::look::Switch;
use crate::shell::state::panels::Overlay;
use crate::shell::state::*;
use crate::step::state::breakpoints::Wanted;
use crate::testing::{TEACHING, all, answered, done, opened};
use memplan_core::base::Message;
use memplan_core::problem::{BufferId, Scope};
use memplan_engine::{Answer, Done, Engine, Export, Failure, Progress, START};
use memplan_formats::import::Answers;
use memplan_planners as planner;
use memplan_replay::Level;
use memplan_worker::WorkerReply;

#[test]
fn opening_plans_and_shows_the_document() {
    let state = opened();
    let run = state.document.run.as_ref().expect("planned");
    assert_eq!((run.planner.as_str(), state.job().is_none()), ("inductor-tree", true));
    assert_eq!(state.frames(), run.timeline.frames(Level::Decisions));
    assert!(state.document.notice.is_none() && state.document.violations.is_empty());
}

#[test]
fn a_table_is_written_under_the_name_of_its_file() {
    let bytes = b"id,lower,upper,size\na,0,2,8\n".to_vec().into();
    let origin = Origin::File("A.csv".into());
    let open = Action::Document(DocumentAction::Open { origin, bytes, choices: Answers::default(), place: None });
    let state = State::default().reduce(open);
    let job = state.job().expect("asked for");
    assert_eq!(job.choices.file, "A.csv", "what is said of the file may name it");
    let state = done(state).reduce(Action::Document(DocumentAction::Export(Export::Csv)));
    let number = state.job().expect("asked for").number;
    let state = state.reduce(answered(number, Ok(Answer::Exported(Ok(Vec::new())))));
    assert_eq!(state.document.download.as_ref().map(|file| file.name.as_str()), Some("A.csv"));
}

#[test]
fn an_export_is_of_the_plan_shown_and_changes_nothing() {
    let shown = all(
        opened(),
        [Action::Document(DocumentAction::Planner("first-fit".into())), Action::Step(StepAction::Move(Motion::First))],
    );
    // What is asked for next has not come yet; what is shown counts.
    let state = shown.reduce(Action::Document(DocumentAction::Export(Export::Plan)));
    let job = state.job().expect("asked for");
    assert_eq!((job.export, job.planner.as_str(), job.same_document), (Some(Export::Plan), "first-fit", true));
    let state = state.reduce(answered(job.number, Ok(Answer::Exported(Ok(b"{}".to_vec())))));
    let file = state.document.download.clone().expect("a file");
    assert_eq!((file.name.as_str(), &*file.contents), ("teaching.plan.json", &b"{}"[..]));
    assert_eq!((state.frame(), state.job().is_none(), state.document.notice.is_none()), (0, true, true));
    assert!(Rc::ptr_eq(state.document.run.as_ref().expect("kept"), shown.document.run.as_ref().expect("planned")));
    // The same file again is another download; a refusal is told; late answers are dropped.
    let state = state.reduce(Action::Document(DocumentAction::Export(Export::Plan)));
    let number = state.job().expect("asked for").number;
    let stale = state.reduce(answered(number + 1, Ok(Answer::Exported(Ok(Vec::new())))));
    assert_eq!(stale.document.download, Some(file.clone()));
    let again = state.reduce(answered(number, Ok(Answer::Exported(Ok(b"{}".to_vec())))));
    assert_ne!(again.document.download, Some(file));
    let refused = state.reduce(answered(number, Ok(Answer::Exported(Err(Message::new("export.no-graph"))))));
    assert_eq!(refused.document.notice.map(|notice| notice.title.key.clone()), Some("export.no-graph".into()));
    // While something is planned there is nothing to write.
    let busy = opened()
        .reduce(Action::Document(DocumentAction::Planner("naive".into())))
        .reduce(Action::Document(DocumentAction::Export(Export::Csv)));
    assert_eq!(busy.job().and_then(|job| job.export), None);
}

#[test]
fn another_planner_shows_the_same_buffer() {
    let state = all(opened(), [Action::Step(StepAction::Seek(3))]);
    let focus = |state: &State| {
        let run = state.document.run.clone().expect("planned");
        run.frame(state.stepping.cursor).focus.map(|id| run.problem.buffers[id].name.clone())
    };
    let before = focus(&state);
    let state = all(state, [Action::Document(DocumentAction::Planner("first-fit".into()))]);
    assert_eq!(state.document.run.as_ref().map(|run| run.planner.clone()), Some("first-fit".into()));
    assert_eq!(focus(&state), before);
}

#[test]
fn a_broken_file_keeps_the_picture_and_tells_every_fault() {
    let before = opened();
    let bytes = br#"{"format": "memory-graph/1", "name": 3, "tensors": [{}], "nodes": []}"#.to_vec().into();
    let origin = Origin::File("broken.json".into());
    let state = all(
        before.clone(),
        [Action::Document(DocumentAction::Open { origin, bytes, choices: Answers::default(), place: None })],
    );
    let notice = state.document.notice.clone().expect("told");
    assert!(notice.faults.len() >= 2, "{:?}", notice.faults);
    assert!(Rc::ptr_eq(state.document.run.as_ref().expect("kept"), before.document.run.as_ref().expect("planned")));
    assert!(all(state, [Action::Document(DocumentAction::DismissNotice)]).document.notice.is_none());
}

#[test]
fn an_answer_that_nobody_waits_for_is_dropped() {
    let state = opened();
    let asked = state.clone().reduce(Action::Document(DocumentAction::Planner("first-fit".into())));
    let number = asked.job().expect("asked").number;
    let failure = Failure::Faults(Vec::new());
    let late = asked.reduce(answered(number + 7, Err(failure)));
    assert!(late.job().is_some() && late.document.notice.is_none());
}

#[test]
fn an_option_plans_anew_and_reset_takes_it_back() {
    let set = Action::Document(DocumentAction::Option { key: "memory_pool".into(), value: "none".into() });
    let state = all(opened(), [set]);
    assert_eq!(state.document.options.get("memory_pool").map(String::as_str), Some("none"));
    let pools = state.document.run.as_ref().map_or(0, |run| run.plan.pools.len());
    let state = all(state, [Action::Document(DocumentAction::ResetOptions)]);
    assert!(state.document.options.is_empty());
    assert_ne!(state.document.run.as_ref().map_or(0, |run| run.plan.pools.len()), pools, "the option made other pools");
}

#[test]
fn a_link_followed_writes_no_address_until_it_is_there() {
    let state = opened().reduce(Action::Document(DocumentAction::Restore(Box::new(Restored {
        planner: Some("best-fit".into()),
        ..Restored::default()
    }))));
    assert!(state.document.status.is_following());
    let bytes = TEACHING.to_vec().into();
    let origin = Origin::Example(START.into());
    let state = done(state.reduce(Action::Document(DocumentAction::Open {
        origin,
        bytes,
        choices: Answers::default(),
        place: None,
    })));
    assert!(!state.document.status.is_following());
    assert_eq!(state.document.run.as_ref().map(|run| run.planner.clone()), Some("best-fit".into()));
}

#[test]
fn a_link_with_refused_options_still_shows_its_document() {
    let options = [("rules".to_string(), "conv2d".to_string())].into();
    let restored = Restored { planner: Some("executorch-greedy".into()), options, ..Restored::default() };
    let state = State::default().reduce(Action::Document(DocumentAction::Restore(Box::new(restored))));
    let origin = Origin::Example(START.into());
    let place = Some(LinkPlace { frame: Some(3), ..LinkPlace::default() });
    let open = Action::Document(DocumentAction::Open {
        origin,
        bytes: TEACHING.to_vec().into(),
        choices: Answers::default(),
        place,
    });
    let mut state = done(state.reduce(open));
    // The refused run is followed by one with the defaults.
    while state.job().is_some() {
        state = done(state);
    }
    assert_eq!(state.document.run.as_ref().map(|run| run.planner.clone()), Some("executorch-greedy".into()));
    assert!(state.document.options.is_empty() && state.document.notice.is_some());
    assert_eq!(state.frame(), 3);
}

#[test]
fn a_capacity_that_is_too_small_names_the_buffers_that_do_not_fit() {
    let options = [("capacity".to_string(), "1703".to_string())].into();
    let restored = Restored { planner: Some("exact".into()), options, ..Restored::default() };
    let state = State::default().reduce(Action::Document(DocumentAction::Restore(Box::new(restored))));
    let place = Some(LinkPlace::default());
    let bytes = TEACHING.to_vec().into();
    let mut state = done(state.reduce(Action::Document(DocumentAction::Open {
        origin: Origin::Example(START.into()),
        bytes,
        choices: Answers::default(),
        place,
    })));
    while state.job().is_some() {
        state = done(state);
    }
    // The sentence is inside the one that says that the options were refused; the plan below is the
    // best there is.
    let notice = state.document.notice.as_ref().expect("it is told");
    let ids = &notice.conflict;
    let run = state.document.run.as_ref().expect("a plan without the capacity");
    let step = (0..run.problem.steps).map(|step| {
        let live = ids.iter().map(|&id| &run.problem.buffers[id]).filter(|buffer| buffer.live.contains(step));
        live.map(|buffer| buffer.size).sum::<u64>()
    });
    assert!(ids.len() > 1 && step.max() > Some(1703), "{ids:?}");
}

#[test]
fn modified_until_everything_is_back_at_its_default() {
    let option =
        |value: &str| Action::Document(DocumentAction::Option { key: "memory_pool".into(), value: value.into() });
    let state = opened();
    assert!(!state.is_modified());
    let usual = planner::info(&state.document.planner)
        .and_then(|info| info.options.iter().find(|spec| spec.key == "memory_pool"));
    let usual = usual.expect("an option").default.to_string();
    let state = all(state, [option("none")]);
    assert!(state.is_modified());
    assert!(!all(state.clone(), [option(&usual)]).is_modified(), "the default chosen by hand is the default");
    assert!(!all(state.clone(), [Action::Document(DocumentAction::ResetOptions)]).is_modified());
    let scope = Scope { align: 256, ..Scope::default() };
    let state =
        all(state, [Action::Document(DocumentAction::Scope(scope)), Action::Document(DocumentAction::ResetOptions)]);
    assert!(state.is_modified(), "what is planned counts too");
    let state = all(state, [Action::Document(DocumentAction::ResetAll)]);
    assert!(!state.is_modified() && state.document.scope == Scope::default() && state.document.run.is_some());
}

/// The buffers whose placement "run to" stops at, from the first frame on.
pub(crate) fn stops(state: State, wanted: Wanted) -> Vec<BufferId> {
    let mut state = all(state, [Action::Step(StepAction::Seek(0)), Action::Step(StepAction::Wanted(wanted))]);
    let mut found = Vec::new();
    while let Some(frame) = state.find(wanted, true) {
        state = state.reduce(Action::Step(StepAction::RunTo { forward: true }));
        assert_eq!(state.frame(), frame);
        let run = state.document.run.as_ref().expect("planned");
        found.push(run.timeline.decisions[frame as usize - 1].buffer);
    }
    assert_eq!(found.len(), state.count(wanted));
    found
}
