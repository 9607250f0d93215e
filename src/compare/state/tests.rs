//! Plans side by side: where each column stands, and how plans differ.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::compare::state::comparison::{Column, Sheet, Shown, Sync};
use crate::compare::state::{Change, Compared, Comparing};
use crate::shell::state::action::{Action, CompareAction, DocumentAction, StepAction, ViewAction};
use crate::shell::state::panels::Mode;
use crate::shell::state::{State, address};
use crate::testing::{TEACHING, all, done, opened};
use memplan_core::problem::Scope;
use memplan_engine::Engine;
use memplan_engine::{Answer, CompareTask, NoListener, PlannerChoice, Request, Source, Task, Vary};
use memplan_formats::import;
use memplan_formats::import::Answers;
use memplan_replay::Frame;
use memplan_replay::Level;
use std::rc::Rc;

const UNET: &[u8] = include_bytes!("../../../www/graphs/unet_512.json");

/// A comparison of these planners with all its plans.
pub(crate) fn compared(file: &[u8], planners: &[&str]) -> Comparing {
    let document = import::read(file, Answers::default()).expect("a graph").document;
    let graph = document.graph().cloned().map(Rc::new);
    let choices: Vec<PlannerChoice> = planners.iter().map(|id| PlannerChoice::of(id)).collect();
    let task = Task::Compare(CompareTask::Columns(choices.clone()));
    let request = Request { source: Source::Keep, scope: Scope::default(), task };
    // A clock so fast that nothing is timed twice.
    let now = AtomicU32::new(0);
    let clock = || f64::from(now.fetch_add(10_000, Ordering::Relaxed));
    let answer = Engine::with_document(document).answer(&request, &clock, &mut NoListener);
    let Ok(Answer::Compared(measured)) = answer else { panic!("a comparison") };
    let mut comparing = Comparing { columns: choices.into_iter().map(Column::of).collect(), ..Comparing::default() };
    let task = CompareTask::Columns(comparing.columns.iter().map(|column| column.choice.clone()).collect());
    comparing.take(&task, measured, graph.as_ref());
    comparing
}

fn shown(comparing: &Comparing, number: usize) -> &Rc<Shown> {
    comparing.columns[number].plan().expect("a plan")
}

/// The frame that a column shows.
fn frame(comparing: &Comparing, number: usize) -> Frame {
    let shown = shown(comparing, number);
    shown
        .run
        .frame(comparing.stand(&comparing.columns[number], shown).events.min(shown.run.timeline.events.len() as u32))
}

#[test]
fn every_column_stands_at_the_decision_that_places_the_buffer_of_the_reference() {
    let mut comparing = compared(TEACHING, &["first-fit", "best-fit", "greedy-by-size", "inductor-tree"]);
    assert!(comparing.is_finished(), "finished plans come first");
    comparing.apply(Change::Position(Some(0)));
    let order: Vec<_> = shown(&comparing, 0).run.timeline.decisions.iter().map(|decision| decision.buffer).collect();
    for (position, buffer) in (1..).zip(order) {
        comparing.apply(Change::Move(1));
        assert_eq!((comparing.position(), comparing.frame().0), (Some(position), position));
        let name = &shown(&comparing, 0).run.problem.buffers[buffer].name;
        for number in 0..comparing.columns.len() {
            let run = &shown(&comparing, number).run;
            let id = run.problem.buffer_named(name).expect("the same graph");
            let stand = comparing.stand(&comparing.columns[number], shown(&comparing, number));
            let Some(own) = run.timeline.decision_of(id) else {
                assert_eq!((stand.left_out, run.plan.places[id]), (Some(id), None), "{name} in {}", run.planner);
                continue;
            };
            // What the replay of that planner alone shows at its own frame.
            let native = run.frame(run.timeline.events_at(Level::Decisions, own as u32 + 1));
            let found = frame(&comparing, number);
            assert_eq!(
                (found.focus, found.settled, stand.finished),
                (Some(id), true, false),
                "{name} in {}",
                run.planner
            );
            assert_eq!((found.events, &found.places), (native.events, &native.places), "{name} in {}", run.planner);
            assert!(found.places[id].is_some() || run.problem.buffers[id].size == 0);
        }
    }
    comparing.apply(Change::Move(1));
    assert!(comparing.is_finished(), "the finished plans come after the last decision");
}

#[test]
fn all_ways_to_step_keep_the_moment_and_reach_both_ends() {
    let mut comparing = compared(TEACHING, &["first-fit", "greedy-by-size"]);
    let events = |comparing: &Comparing| {
        let stand = |column: &Column| comparing.stand(column, column.plan().expect("a plan")).events;
        comparing.columns.iter().map(stand).collect::<Vec<u32>>()
    };
    for sync in Sync::ALL {
        comparing.apply(Change::Sync(sync));
        comparing.apply(Change::Position(Some(0)));
        assert_eq!(events(&comparing), [0, 0], "{sync:?}");
        comparing.apply(Change::Position(None));
        assert!(comparing.is_finished(), "{sync:?}");
        comparing.apply(Change::Move(-1));
        assert!(!comparing.is_finished() && comparing.frame().0 == comparing.frame().1, "{sync:?}");
        comparing.apply(Change::Move(1));
        assert!(comparing.is_finished(), "{sync:?}");
        comparing.apply(Change::Seek(3));
        assert_eq!(comparing.frame().0, 3, "{sync:?}");
        for other in Sync::ALL {
            let mut there = comparing.clone();
            there.apply(Change::Sync(other));
            assert_eq!(there.frame().0, 3, "{sync:?} to {other:?}");
        }
    }
    comparing.apply(Change::Sync(Sync::Own));
    comparing.apply(Change::Cursor { column: 1, events: 0 });
    comparing.apply(Change::Move(1));
    let frame = |number: usize| {
        let run = &shown(&comparing, number).run;
        run.timeline.frame_at(Level::Decisions, events(&comparing)[number])
    };
    assert_eq!((frame(0), frame(1)), (4, 1), "each from its own place");
}

#[test]
fn play_steps_the_comparison_to_its_end() {
    let mut state = opened();
    state.comparing = compared(TEACHING, &["first-fit", "best-fit"]);
    state.comparing.of = state.document.open.as_ref().map(|open| (open.key, state.document.scope.clone()));
    state.view.mode = Mode::Compare;
    let cursor = state.stepping.cursor;
    state = state.reduce(Action::Step(StepAction::Play(true)));
    assert_eq!((state.comparing.position(), state.stepping.playing), (Some(0), true));
    let last = state.comparing.frame().1;
    let mut heads = std::collections::BTreeSet::new();
    for _ in 0..last {
        heads.insert(state.playhead());
        state = state.reduce(Action::Step(StepAction::Tick));
        assert!(state.stepping.playing);
    }
    assert_eq!((heads.len() as u32, state.comparing.frame().0), (last, last));
    state = state.reduce(Action::Step(StepAction::Tick));
    assert!(state.comparing.is_finished() && !state.stepping.playing);
    assert_eq!(state.stepping.cursor, cursor, "the run of step mode stays where it was");
    state = state.reduce(Action::Compare(CompareAction::Change(Change::Difference { forward: true })));
    assert!(state.comparing.is_finished(), "identical plans have no difference to go to");
}

#[test]
fn the_differences_of_the_plans_of_unet_are_those_of_its_files() {
    let planners = ["inductor-tree", "tflm-greedy", "first-fit", "worst-fit"];
    let mut comparing = compared(UNET, &planners);
    let columns_of = |comparing: &Comparing| {
        let reference = &comparing.reference().expect("a plan").run;
        let name = |number: u32| {
            let buffer = reference.timeline.decisions[number as usize].buffer;
            (number + 1, reference.problem.buffers[buffer].name.clone())
        };
        let found = comparing.differences().into_iter().flatten();
        let columns_of = found
            .map(|found| (found.elsewhere.first().map(|&first| name(first)), found.elsewhere.len(), found.decisions));
        columns_of.collect::<Vec<_>>()
    };
    let first_fit = (Some((2, "cat_3".to_string())), 53, 67);
    assert_eq!(columns_of(&comparing), [(Some((1, "conv2d_18".into())), 19, 67), first_fit.clone(), first_fit]);
    comparing.apply(Change::Seek(3));
    let at = |number: usize| {
        let frame = frame(&comparing, number);
        let run = &shown(&comparing, number).run;
        let name = run.problem.buffers[frame.focus.expect("a decision")].name.clone();
        (name, run.timeline.frame_at(Level::Decisions, frame.events))
    };
    assert_eq!([0, 1, 2].map(at), [3, 10, 7].map(|frame| ("relu_1".to_string(), frame)));

    // From the finished plans to the first difference, and on.
    comparing.apply(Change::Position(None));
    let mut visited = Vec::new();
    for _ in 0..3 {
        comparing.apply(Change::Difference { forward: true });
        visited.push(comparing.frame().0);
    }
    assert!(visited[..2] == [1, 2] && visited.is_sorted(), "{visited:?}");
    comparing.apply(Change::Difference { forward: false });
    assert_eq!(comparing.frame().0, 2);

    let same = |planners: &[&str]| {
        let comparing = compared(UNET, planners);
        let identical = comparing.differences().into_iter().flatten().all(|found| found.is_identical());
        assert!(identical, "{planners:?}");
    };
    same(&["first-fit", "worst-fit"]);
    same(&["tflite-arena", "greedy-by-size", "xla-packing-search", "best"]);
}

#[test]
fn who_makes_the_peak_follows_the_graph_and_never_the_cursor() {
    let mut comparing = compared(UNET, &["inductor-tree", "tflm-greedy", "first-fit"]);
    let step =
        |comparing: &Comparing| comparing.reference().and_then(|shown| Some(shown.found.causes.as_ref()?.load.step));
    let live: BTreeMap<usize, Vec<String>> = (0..3)
        .map(|number| {
            let shown = shown(&comparing, number);
            let load = &shown.found.causes.as_ref().expect("buffers").load;
            (number, load.live.iter().map(|cause| shown.run.problem.buffers[cause.buffer].name.clone()).collect())
        })
        .collect();
    // The largest load of the graph, whatever a plan leaves out: cat_3, relu_1 and
    // conv_transpose2d_3.
    assert!(live.values().all(|names| *names == ["cat_3", "relu_1", "conv_transpose2d_3"]), "{live:?}");
    assert_eq!((step(&comparing), comparing.step()), (Some(59), 59));
    comparing.apply(Change::Step(4));
    assert_eq!((step(&comparing), comparing.step()), (Some(59), 4));
}

#[test]
fn the_plan_shown_is_listed_and_compared_with_the_options_that_gave_it() {
    let option = |value: &str| Action::Document(DocumentAction::Option { key: "k".into(), value: value.into() });
    let state = all(opened(), [Action::Document(DocumentAction::Planner("beam".into())), option("2")]);
    let listed = |state: &State| {
        let picks = state.picks(true).into_iter();
        picks.map(|pick| pick.choice).find(|choice| choice.planner == "beam").expect("in the list").text()
    };
    assert_eq!(listed(&state), "beam;k=2");
    // Until the plan with other options is there.
    let asked = state.reduce(option("4"));
    assert_eq!((listed(&asked), listed(&done(asked))), ("beam;k=2".into(), "beam;k=4".into()));
    let added = state.reduce(Action::Compare(CompareAction::AddPlanner(PlannerChoice::read(&listed(&state)))));
    assert_eq!(added.comparing.columns.len(), 1, "the plan shown, once");
    // Another planner keeps none of its options.
    let other = state.reduce_one(Action::Document(DocumentAction::Planner("first-fit".into())));
    assert_eq!(listed(&other), "beam");
}

#[test]
fn a_column_takes_the_place_of_another_and_stays_what_it_is() {
    let order = |comparing: &Comparing| {
        let names = comparing.columns.iter().map(|column| column.choice.planner.clone());
        (names.collect::<String>(), comparing.reference, comparing.front)
    };
    let mut comparing = Comparing::default();
    ["a", "b", "c", "d"].into_iter().for_each(|id| comparing.apply(Change::Add(PlannerChoice::of(id))));
    (comparing.reference, comparing.front) = (1, 3);
    comparing.apply(Change::Place { column: 0, to: 2 });
    assert_eq!(order(&comparing), ("bcad".into(), 0, 3));
    comparing.apply(Change::Place { column: 3, to: 0 });
    assert_eq!(order(&comparing), ("dbca".into(), 1, 0));
    comparing.apply(Change::Place { column: 1, to: 2 });
    assert_eq!(order(&comparing), ("dcba".into(), 2, 0));
    // Beyond the last there is no place.
    comparing.apply(Change::Place { column: 3, to: 4 });
    comparing.apply(Change::Place { column: 4, to: 0 });
    assert_eq!(order(&comparing), ("dcba".into(), 2, 0));
}

#[test]
fn no_two_columns_are_equal() {
    let choices = ["first-fit", "best-fit", "first-fit", "best-fit;a=1", "best-fit"].map(PlannerChoice::read).to_vec();
    let mut comparing = Comparing::default();
    let link = Compared { choices, reference: 4, cursors: vec![7, 8, 9, 10], ..Compared::default() };
    comparing.apply(Change::Restore(Box::new(link)));
    let listed = |comparing: &Comparing| {
        let column = |column: &Column| (column.choice.text(), column.cursor);
        comparing.columns.iter().map(column).collect::<Vec<_>>()
    };
    let columns = [("first-fit".to_string(), 7), ("best-fit".into(), 8), ("best-fit;a=1".into(), 10)];
    assert_eq!((listed(&comparing), comparing.reference), (columns.to_vec(), 1));
    comparing.apply(Change::Replace(2, PlannerChoice::of("first-fit")));
    comparing.apply(Change::Replace(1, PlannerChoice::of("best-fit")));
    assert_eq!(listed(&comparing), columns);
    comparing.growth = Some(Rc::default());
    comparing.apply(Change::Replace(2, PlannerChoice::of("greedy-by-size")));
    assert!(comparing.growth.is_none(), "its lines are of other columns");
    assert_eq!(listed(&comparing)[2], ("greedy-by-size".into(), u32::MAX));
}

#[test]
fn what_is_varied_stands_in_the_link_while_it_is_looked_at() {
    let mut state = opened().reduce(Action::View(ViewAction::Mode(Mode::Compare)));
    let linked = |state: &State| address::write(state).contains("&vary=k");
    state.comparing.apply(Change::Vary(Vary::Option("k".into())));
    assert!(!linked(&state));
    state.comparing.apply(Change::Sheet(Sheet::Sweep));
    assert!(linked(&state), "{}", address::write(&state));
    let mut again = Comparing::default();
    again.apply(Change::Restore(Box::new(state.comparing.compared())));
    assert_eq!((again.sheet, again.vary), (Sheet::Sweep, Vary::Option("k".into())));
}

#[test]
fn a_planner_that_is_added_leaves_only_what_does_not_show_it() {
    for (sheet, then) in
        [(Sheet::Sweep, Sheet::Sweep), (Sheet::Charts, Sheet::Charts), (Sheet::Ranking, Sheet::Columns)]
    {
        let mut comparing = Comparing { sheet, ..Comparing::default() };
        comparing.apply(Change::AddHere(PlannerChoice::of("naive")));
        assert_eq!((comparing.columns.len(), comparing.sheet), (1, then));
    }
}

#[test]
fn the_column_of_the_plan_shown_takes_its_options() {
    let listed =
        |comparing: &Comparing| comparing.columns.iter().map(|column| column.choice.text()).collect::<Vec<_>>();
    let mut comparing = Comparing::default();
    ["beam;k=2", "first-fit"].into_iter().for_each(|id| comparing.apply(Change::Add(PlannerChoice::read(id))));
    comparing.follow(PlannerChoice::read("beam;k=2"));
    comparing.follow(PlannerChoice::read("beam;k=4"));
    assert_eq!(listed(&comparing), ["beam;k=4", "first-fit"]);
    comparing.growth = Some(Rc::default());
    comparing.follow(PlannerChoice::read("beam;k=4"));
    assert!(comparing.growth.is_some(), "nothing has changed");
    // Both were asked for.
    comparing.apply(Change::Add(PlannerChoice::read("beam;k=8")));
    comparing.follow(PlannerChoice::read("beam;k=8"));
    // Of another planner nothing is known here.
    comparing.follow(PlannerChoice::read("best-fit"));
    assert_eq!(listed(&comparing), ["beam;k=4", "first-fit", "beam;k=8"]);
}
