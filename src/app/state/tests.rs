//! Actions in, state out: nothing of the browser is needed.

use super::*;
use crate::app::model::breakpoints::{Targets, Wanted};
use crate::app::model::document::Origin;
use crate::app::model::editing::Step;
use crate::app::model::link::{LinkPlace, Restored};
use crate::app::model::look::{LaneShown, Switch};
use crate::app::model::panels::Overlay;
use crate::app::state::action::{DocumentAction, EditAction, Motion, SettingsAction, StepAction, ViewAction};
use crate::app::state::order::order;
use crate::base::Message;
use crate::engine::{Done, Engine, Export, Failure, Planned, Progress};
use crate::graph::edit::{Change, TensorField};
use crate::import::Answers;
use crate::planner;
use crate::problem::{BufferId, Scope};
use crate::replay::Level;
use crate::worker::WorkerReply;

const TEACHING: &[u8] = include_bytes!("../../../www/graphs/teaching.json");

/// A page on which the example is open, planned by the planner that opens at the start.
fn opened() -> State {
    let bytes = TEACHING.to_vec().into();
    let origin = Origin::Example(START.into());
    done(State::default().reduce(Action::Document(DocumentAction::Open {
        origin,
        bytes,
        choices: Answers::default(),
        place: None,
    })))
}

/// The state after the worker's reply to its job.
fn done(state: State) -> State {
    let Some(job) = state.job().cloned() else { return state };
    let WorkerReply::Planned(result) = order(&job, false).run(&mut Engine::default()) else { panic!("a plan request") };
    state.reduce(Action::Document(DocumentAction::Heard { job: job.number, result }))
}

fn all(state: State, actions: impl IntoIterator<Item = Action>) -> State {
    actions.into_iter().fold(state, State::reduce_one)
}

impl State {
    fn reduce_one(self, action: Action) -> State {
        done(self.reduce(action))
    }
}

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
    let state = state.reduce(Action::Document(DocumentAction::Written { job: number, result: Ok(Ok(String::new())) }));
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
    let job = state.job().clone().expect("asked for");
    assert_eq!((job.export, job.planner.as_str(), job.same_document), (Some(Export::Plan), "first-fit", true));
    let written = Ok(Ok("{}".to_string()));
    let state = state.reduce(Action::Document(DocumentAction::Written { job: job.number, result: written }));
    let file = state.document.download.clone().expect("a file");
    assert_eq!((file.name.as_str(), file.text.as_str()), ("teaching.plan.json", "{}"));
    assert_eq!((state.frame(), state.job().is_none(), state.document.notice.is_none()), (0, true, true));
    assert!(Rc::ptr_eq(state.document.run.as_ref().expect("kept"), shown.document.run.as_ref().expect("planned")));
    // The same file again is another download; a refusal is told; late answers are dropped.
    let state = state.reduce(Action::Document(DocumentAction::Export(Export::Plan)));
    let number = state.job().expect("asked for").number;
    let stale =
        state.reduce(Action::Document(DocumentAction::Written { job: number + 1, result: Ok(Ok(String::new())) }));
    assert_eq!(stale.document.download, Some(file.clone()));
    let again = state.reduce(Action::Document(DocumentAction::Written { job: number, result: Ok(Ok("{}".into())) }));
    assert_ne!(again.document.download, Some(file));
    let refused = state.reduce(Action::Document(DocumentAction::Written {
        job: number,
        result: Ok(Err(Message::new("export.no-graph"))),
    }));
    assert_eq!(refused.document.notice.map(|notice| notice.title.key.clone()), Some("export.no-graph".into()));
    // While something is planned there is nothing to write.
    let busy = opened()
        .reduce(Action::Document(DocumentAction::Planner("naive".into())))
        .reduce(Action::Document(DocumentAction::Export(Export::Csv)));
    assert_eq!(busy.job().and_then(|job| job.export), None);
}

#[test]
fn the_stepper_stops_at_both_ends() {
    let state = all(
        opened(),
        [Action::Step(StepAction::Move(Motion::First)), Action::Step(StepAction::Move(Motion::Previous))],
    );
    assert_eq!(state.frame(), 0);
    let state =
        all(state, [Action::Step(StepAction::Move(Motion::Next)), Action::Step(StepAction::Move(Motion::Next))]);
    assert_eq!(state.frame(), 2);
    let state =
        all(state, [Action::Step(StepAction::Move(Motion::Last)), Action::Step(StepAction::Move(Motion::Next))]);
    assert_eq!((state.frame() + 1, state.at_end()), (state.frames(), true));
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
    let late =
        asked.reduce(Action::Document(DocumentAction::Heard { job: number + 7, result: Box::new(Err(failure)) }));
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
    assert!(state.document.life.is_following());
    let bytes = TEACHING.to_vec().into();
    let origin = Origin::Example(START.into());
    let state = done(state.reduce(Action::Document(DocumentAction::Open {
        origin,
        bytes,
        choices: Answers::default(),
        place: None,
    })));
    assert!(!state.document.life.is_following());
    assert_eq!(state.document.run.as_ref().map(|run| run.planner.clone()), Some("best-fit".into()));
}

#[test]
fn looking_closely_asks_for_the_decisions_around_this_one() {
    let state =
        all(opened(), [Action::Step(StepAction::Seek(3))]).reduce(Action::Document(DocumentAction::LookClosely));
    let window = state.job().as_ref().and_then(|job| job.window).expect("asked for a window");
    assert!(window.0 <= 2 && 2 < window.1, "{window:?}");
    assert_eq!(done(state).frame(), 3, "the frame stays");
}

#[test]
fn a_link_with_refused_options_still_shows_its_document() {
    let options = [("rules".to_string(), "conv2d".to_string())].into();
    let restored = Restored { planner: Some("executorch-greedy".into()), options, ..Restored::default() };
    let state = State::default().reduce(Action::Document(DocumentAction::Restore(Box::new(restored))));
    let origin = Origin::Example(START.into());
    let place = Some(LinkPlace { frame: Some(3), selection: None });
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
    let place = Some(LinkPlace { frame: None, selection: None });
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
    // The sentence is inside the one that says that the options were refused; the plan below is the best there is.
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
fn menus_close_when_another_thing_is_pressed() {
    let state = opened().reduce(Action::View(ViewAction::Overlay(Some(Overlay::Planners))));
    assert_eq!(state.view.overlay, Some(Overlay::Planners));
    assert_eq!(state.reduce(Action::View(ViewAction::CloseMenus)).view.overlay, None);
}

fn set(at: usize, field: TensorField, text: &str) -> Action {
    Action::Edit(EditAction::Change(Step::Make(Change::Tensor { at, field, text: text.into() })))
}

#[test]
fn editing_plans_again_at_the_same_buffer_and_undoing_restores_everything() {
    let before = all(
        opened(),
        [Action::Step(StepAction::Move(Motion::First)), Action::Step(StepAction::Move(Motion::NextBuffer))],
    );
    let placed = |state: &State| {
        let run = state.document.run.clone().expect("a run");
        let decision = run.timeline.decision_at(state.stepping.cursor).expect("a decision");
        run.problem.buffers[run.timeline.decisions[decision].buffer].name.clone()
    };
    let graph = before.document.open.as_ref().and_then(|document| document.graph.clone()).expect("a graph");
    let at = graph.tensors.iter().position(|tensor| tensor.name == placed(&before)).expect("its tensor");
    let edited = before.reduce_one(set(at, TensorField::Shape, "4096"));
    assert_eq!(placed(&edited), graph.tensors[crate::graph::TensorId(at as u32)].name);
    let peak = |state: &State| state.document.run.as_ref().map(|run| run.metrics.peak);
    assert!(peak(&edited) > peak(&opened()));
    let document = edited.document.open.clone().expect("open");
    assert_eq!(document.origin, Origin::File(START.into()), "a link must carry what was edited");
    let written = crate::import::read(document.bytes.bytes(), Answers::default()).expect("the edited graph as a file");
    assert_eq!(written.document.graph(), document.graph.as_deref());
    let undone = edited.reduce_one(Action::Edit(EditAction::Change(Step::Undo)));
    assert_eq!(undone.document.open.as_ref().and_then(|document| document.graph.clone()), Some(graph));
    assert_eq!(peak(&undone), peak(&opened()));
    let redone = undone.reduce_one(Action::Edit(EditAction::Change(Step::Redo)));
    assert!(peak(&redone) > peak(&opened()));
}

#[test]
fn a_change_that_breaks_the_graph_keeps_the_picture_and_lists_the_faults() {
    let before = opened();
    let broken = before.clone().reduce_one(set(2, TensorField::Shape, "N, 4"));
    let editing = broken.editing.session.clone().expect("an edit session");
    let keys: Vec<&str> = editing.faults.iter().map(|fault| fault.message.key.as_ref()).collect();
    assert_eq!(keys, ["fault.unknown-symbol"]);
    assert_eq!(
        broken.document.run.as_ref().map(|run| run.metrics.peak),
        before.document.run.as_ref().map(|run| run.metrics.peak)
    );
    let mended = broken.reduce_one(Action::Edit(EditAction::Change(Step::Mend(editing.faults[0].clone()))));
    assert!(mended.editing.session.as_ref().is_some_and(|editing| editing.faults.is_empty() && editing.unsaved));
    let refused = mended.reduce_one(set(2, TensorField::Align, "3"));
    let why =
        refused.editing.session.as_ref().and_then(|editing| editing.refused.clone()).map(|why| why.key.into_owned());
    assert_eq!(why.as_deref(), Some("fault.alignment"));
}

#[test]
fn a_state_of_the_beam_is_shown_until_the_next_step() {
    let lane = LaneShown { events: 4, index: 2 };
    let state = all(opened(), [Action::Step(StepAction::Seek(3)), Action::Step(StepAction::Lane(Some(lane)))]);
    assert_eq!((state.stepping.lane, state.frame()), (Some(lane), 3));
    assert_eq!(
        all(state.clone(), [Action::Step(StepAction::Select(None))]).stepping.lane,
        Some(lane),
        "selecting is no step"
    );
    assert_eq!(all(state.clone(), [Action::Step(StepAction::Lane(None))]).stepping.lane, None);
    for step in [
        Action::Step(StepAction::Move(Motion::Next)),
        Action::Step(StepAction::Move(Motion::First)),
        Action::Step(StepAction::Seek(5)),
        Action::Step(StepAction::SeekBuffer(BufferId(0))),
        Action::Document(DocumentAction::Planner("beam".into())),
        Action::Document(DocumentAction::ResetAll),
    ] {
        let name = format!("{step:?}");
        assert_eq!(all(state.clone(), [step]).stepping.lane, None, "{name}");
    }
    let playing = all(
        opened(),
        [
            Action::Step(StepAction::Seek(3)),
            Action::Step(StepAction::Play(true)),
            Action::Step(StepAction::Lane(Some(lane))),
        ],
    );
    assert!(!playing.stepping.playing, "play would take it away at once");
}

#[test]
fn before_is_one_frame_earlier_at_the_present_level() {
    let state = all(opened(), [Action::Step(StepAction::Seek(3))]);
    let run = state.document.run.clone().expect("planned");
    assert_eq!(state.cursor_before(), Some(run.timeline.events_at(Level::Decisions, 2)));
    let fine = all(state.clone(), [Action::Step(StepAction::Level(Level::All))]);
    let before = fine.cursor_before().expect("not the first");
    assert!(state.cursor_before() < Some(before) && before < fine.stepping.cursor, "{before}");
    assert_eq!(all(state.clone(), [Action::Step(StepAction::Seek(0))]).cursor_before(), None);
    assert_eq!(State::default().cursor_before(), None);
    let switched =
        all(state, [Action::View(ViewAction::Switch(Switch::Before)), Action::Step(StepAction::Move(Motion::Next))]);
    assert!(switched.view.look.before, "the switch stays while stepping");
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
fn stops(state: State, wanted: Wanted) -> Vec<BufferId> {
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

#[test]
fn run_to_finds_an_address_and_a_step() {
    let state = all(opened(), [Action::Document(DocumentAction::Planner("first-fit".into()))]);
    let run = state.document.run.clone().expect("planned");
    let order = || run.timeline.decisions.iter().map(|decision| decision.buffer);
    let targets = Targets { address: 300, step: 4 };
    let state = all(state, [Action::Step(StepAction::Targets(targets))]);
    let on = |id: &BufferId| {
        let (place, size) = (run.plan.places[*id].expect("placed"), run.problem.buffers[*id].size);
        (place.offset..place.offset + size).contains(&300)
    };
    let wanted: Vec<BufferId> = order().filter(on).collect();
    assert!(!wanted.is_empty() && wanted.len() < order().count());
    assert_eq!(stops(state.clone(), Wanted::Address), wanted);
    let alive: Vec<BufferId> = order().filter(|id| run.problem.buffers[*id].live.contains(4)).collect();
    assert!(!alive.is_empty() && alive.len() < order().count());
    assert_eq!(stops(state.clone(), Wanted::Step), alive);
    // Clearing what stops play forgets no number.
    let state = all(state, [Action::Step(StepAction::BreakOn(Wanted::Step)), Action::Step(StepAction::ClearBreaks)]);
    assert_eq!((state.stepping.breaks.targets, state.stepping.breaks.kinds.len()), (targets, 0));
}

#[test]
fn run_to_finds_what_touches_the_selected_node() {
    let state = all(opened(), [Action::Step(StepAction::Seek(u32::MAX))]);
    assert_eq!(stops(state.clone(), Wanted::Node), [], "no node is selected");
    let run = state.document.run.clone().expect("planned");
    let tree = &run.frame(state.stepping.cursor).state.tree;
    let touched = |node| stops(all(state.clone(), [Action::Step(StepAction::Node(Some(node)))]), Wanted::Node);
    for (node, what) in tree.nodes.enumerate() {
        let stops = touched(node);
        assert!(!stops.is_empty(), "some decision made {node:?}");
        if let crate::trace::TreeNode::Leaf { buffer } = what {
            assert!(stops.contains(buffer), "its own placement makes the leaf of {buffer:?}");
        }
    }
    let first = run.frame(run.timeline.decisions[0].end).state.tree.roots[0];
    assert_eq!(touched(first).first(), Some(&run.timeline.decisions[0].buffer));
}

#[test]
fn a_search_that_is_stopped_keeps_the_best_plan_so_far() {
    let shown = opened();
    let search = shown.reduce(Action::Document(DocumentAction::Planner("exact".into())));
    let job = search.job().expect("it is planned").number;
    // Without a plan so far the one before stays.
    let none = search.reduce(Action::Document(DocumentAction::Cancel));
    assert_eq!((none.document.planner.as_str(), none.job().is_none()), ("inductor-tree", true));
    assert!(none.document.notice.is_none());

    let found = done(shown.reduce(Action::Document(DocumentAction::Planner("first-fit".into()))))
        .document
        .run
        .expect("planned");
    let answer = Done {
        opened: None,
        planned: Ok(Planned {
            planner: "exact".into(),
            problem: (*found.problem).clone(),
            graph: None,
            plan: found.plan.clone(),
            events: found.timeline.events.to_vec(),
            align: 1,
            violations: Vec::new(),
            collisions: Vec::new(),
            window: None,
        }),
        diagram: None,
    };
    let answer = Rc::new(postcard::to_stdvec(&answer).expect("plain values"));
    let late = search.reduce(Action::Document(DocumentAction::Best { job: job + 1, answer: answer.clone() }));
    assert!(!has_best(&late), "an answer to another job");
    let writing = shown.reduce(Action::Document(DocumentAction::Export(Export::Plan)));
    let number = writing.job().expect("it is written").number;
    assert!(
        !has_best(&writing.reduce(Action::Document(DocumentAction::Best { job: number, answer: answer.clone() }))),
        "a file is whole"
    );
    let progress = Progress { done: 1, total: 9, best: Some((found.metrics.peak, 7)) };
    let kept = search
        .reduce(Action::Document(DocumentAction::Best { job, answer }))
        .reduce(Action::Document(DocumentAction::Progress { job, progress }))
        .reduce(Action::Document(DocumentAction::Cancel));
    assert_eq!((kept.document.planner.as_str(), kept.job().is_none()), ("exact", true));
    assert_eq!(kept.document.run.as_ref().expect("a plan").metrics.peak, found.metrics.peak);
    assert_eq!(kept.document.notice.as_ref().map(|notice| &*notice.title.key), Some("notice.kept-best"));
    let refused = kept.reduce(Action::Document(DocumentAction::Export(Export::Plan)));
    assert!(refused.job().is_none() && refused.view.toast.is_some());
    assert!(
        done(kept.reduce(Action::Document(DocumentAction::Planner("naive".into()))))
            .reduce(Action::Document(DocumentAction::Export(Export::Plan)))
            .job()
            .is_some()
    );
}

/// Whether the job of a state could be ended with a plan.
fn has_best(state: &State) -> bool {
    state.document.life.working().is_some_and(|working| working.best.is_some())
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
        Action::Edit(EditAction::Discard),
        Action::Document(DocumentAction::Cancel),
        Action::Document(DocumentAction::DismissNotice),
        Action::Document(DocumentAction::Progress { job: 99, progress: Progress::default() }),
        Action::Document(DocumentAction::Planner(state.document.planner.clone())),
    ];
    for action in nothing {
        let told = format!("{action:?}");
        assert!(Rc::ptr_eq(&state, &state.next(action)), "{told}");
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
    assert_ne!(state, on);
    assert!(state.is_same_but_progress(&on) && on.is_same_but_progress(&state));
    // A search that could now be ended with a plan offers that.
    let found = on.reduce(Action::Document(DocumentAction::Best { job, answer: Rc::default() }));
    assert!(!on.is_same_but_progress(&found));
    let selected = on.reduce(Action::Step(StepAction::Select(Some(BufferId(0)))));
    assert!(!on.is_same_but_progress(&selected));
}
