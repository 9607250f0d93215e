//! Each panel beside the plan shows what the run and its frame hold.

use std::rc::Rc;

use yew::prelude::*;

use crate::context::{Page, use_page};
use crate::shell::state::State;
use crate::shell::state::action::{Action, DocumentAction, Motion, PredictAction, StepAction};
use crate::shell::state::panels::Tab;
use crate::step::panels::body::tab_body;
use crate::step::panels::predict::PredictPanel;
use crate::step::panels::why::why_panel;
use crate::step::state::{Outlined, PeakBy};
use crate::testing::{Screen, TEACHING, all, opened, opened_with, screen, spaced};
use memplan_core::problem::{BufferClass, BufferId, Shared};
use memplan_planners as planner;
use memplan_replay::{Run, why};

#[derive(Properties, PartialEq)]
struct PanelProps {
    tab: Tab,
}

#[component]
fn Panel(props: &PanelProps) -> Html {
    let page: Page = use_page();
    tab_body(&page, props.tab)
}

#[component]
fn WhyAlone() -> Html {
    why_panel(&use_page())
}

fn panel(state: State, tab: Tab) -> Screen {
    screen(state, html! { <Panel {tab} /> })
}

fn run(state: &State) -> Rc<Run> {
    state.document.run.clone().expect("planned")
}

fn step(state: State, action: StepAction) -> State {
    state.reduce(Action::Step(action))
}

#[component]
fn Questions() -> Html {
    html! { <PredictPanel /> }
}

#[test]
fn what_is_placed_after_the_last_question_is_told_before_it_happens() {
    let planned = all(opened(), [Action::Document(DocumentAction::Planner("tflite-arena".into()))]);
    let begun = step(planned, StepAction::Move(Motion::First)).reduce(Action::Predict(PredictAction::Toggle));
    let mut state = begun;
    let offered = |state: &State| screen(state.clone(), html! { <Questions /> }).text("#predict-next");
    let go_on = state.speech().word("predict.go-on");
    while !state.predicting.last {
        state = state.reduce(Action::Predict(PredictAction::Show));
        assert_eq!(offered(&state).starts_with(&go_on), !state.predicting.last);
        if !state.predicting.last {
            state = step(state, StepAction::Move(Motion::Next));
        }
    }
    assert!(state.hides().is_some(), "G comes without a question");
    let shown = screen(state.clone(), html! { <Questions /> });
    assert_eq!(shown.all("#predict-none-left").len(), 1);
}

#[test]
fn every_planner_explains_its_first_and_its_last_frame() {
    for info in planner::INFOS {
        let state = all(opened(), [Action::Document(DocumentAction::Planner(info.id.into()))]);
        for motion in [Motion::First, Motion::Last] {
            let state = step(state.clone(), StepAction::Move(motion));
            let run = run(&state);
            let reason = why(&run, &run.frame(state.stepping.cursor));
            let shown = screen(state.clone(), html! { <WhyAlone /> });
            assert_eq!(shown.text("#why-headline"), spaced(&state.speech().say(&reason.headline)), "{}", info.id);
            assert_eq!(shown.all(".candidates tbody tr").len(), reason.rows.len().min(200), "{}", info.id);
            panel(state, Tab::State);
        }
    }
}

#[test]
fn every_buffer_is_a_row_of_the_table_and_names_its_frame() {
    let state = opened();
    let run = run(&state);
    let table = panel(state, Tab::Buffers);
    assert_eq!(table.all("#buffer-rows [role=row][data-buffer]").len(), run.problem.buffers.len());
    assert_eq!(table.text("#buffer-filter-count"), "8 of 8 rows");
    for (id, buffer) in run.problem.buffers.enumerate() {
        let cells = table.texts(&format!("[data-buffer='{}'] [role=gridcell]", id.0));
        assert_eq!(cells[0], buffer.name);
        assert_eq!(cells[2], format!("[{}, {})", buffer.live.start, buffer.live.end));
    }
}

#[test]
fn the_graph_lists_what_every_step_makes() {
    let state = opened();
    let run = run(&state);
    let table = panel(state, Tab::Graph);
    let mut made: Vec<String> = table.texts("#graph-rows [role=row][data-buffer] .named");
    let mut expected: Vec<String> = run.problem.buffers.iter().map(|buffer| buffer.name.clone()).collect();
    made.sort();
    expected.sort();
    assert_eq!(made, expected);
}

#[test]
fn the_peak_list_adds_up_to_the_largest_load() {
    let list = panel(opened(), Tab::Peak);
    let bytes = |css: &str| -> Vec<u64> {
        let rows = list.all(css).into_iter();
        rows.map(|row| row.attr("data-bytes").and_then(|bytes| bytes.parse().ok()).expect("bytes")).collect()
    };
    assert_eq!(bytes(".pk-row"), [1000, 640, 64]);
    assert!(list.text("#peak-headline").starts_with("1 704 B are alive at step 2"));
}

#[test]
fn lines_of_the_program_hold_what_is_alive_at_the_largest_load() {
    let by_line = |state: State| panel(step(state, StepAction::PeakBy(PeakBy::Line)), Tab::Peak);
    assert_eq!(by_line(opened()).all("#peak-by, .pk-line").len(), 0, "no line is known");
    let line = |line: u32| {
        format!(r#""attrs":{{"source":"/home/me/net.py:{line}","code":"x = f{line}(x)","stack":"f lib.py:1"}}"#)
    };
    let file = String::from_utf8_lossy(TEACHING)
        .replace(r#""outputs":["A","E"]"#, &format!(r#""outputs":["A","E"],{}"#, line(7)))
        .replace(r#""outputs":["B"]"#, &format!(r#""outputs":["B"],{}"#, line(8)))
        .replace(r#""outputs":["G"]"#, &format!(r#""outputs":["G"],{}"#, line(8)));
    let state = opened_with(file.as_bytes());
    let list = by_line(state.clone());
    assert_eq!(list.texts(".pk-line code"), ["x = f7(x)", "x = f8(x)"]);
    assert_eq!(list.texts(".pk-line .life"), ["net.py:7 · 1 buffer", "net.py:8 · 2 buffers"]);
    assert_eq!(list.attributes(".pk-lines > li", "data-bytes"), ["1000", "704"]);
    assert_eq!(list.text("#peak-by [aria-pressed=true]"), "source line");
    let made_there = step(state, StepAction::Select(Some(BufferId(0))));
    let facts = panel(made_there, Tab::Selection).texts(".facts dd");
    assert!(facts.contains(&"net.py:7x = f7(x)".to_string()) && facts.contains(&"f lib.py:1".to_string()), "{facts:?}");
}

/// The teaching example as a step of training: G, which d makes, is the loss.
fn training() -> State {
    let file = String::from_utf8_lossy(TEACHING);
    let with_role = |file: &str, name: &str, role: &str| {
        let tensor = format!(r#""name":"{name}","#);
        assert!(file.contains(&tensor));
        file.replace(&tensor, &format!(r#"{tensor}"role":"{role}","#))
    };
    opened_with(with_role(&with_role(&file, "B", "loss"), "G", "gradient").as_bytes())
}

#[test]
fn classes_of_a_step_of_training_add_up_and_an_open_one_is_outlined() {
    let by_class = |state: &State| step(state.clone(), StepAction::PeakBy(PeakBy::Class));
    assert_eq!(panel(by_class(&opened()), Tab::Peak).all("#peak-by, .pk-line").len(), 0, "no training");
    let state = by_class(&training());
    let run = run(&state);
    let list = panel(state.clone(), Tab::Peak);
    assert_eq!(list.text("#peak-by [aria-pressed=true]"), "class");
    let bytes = list.attributes(".pk-lines > li", "data-bytes");
    let sum: u64 = bytes.iter().map(|bytes| bytes.parse::<u64>().expect("bytes")).sum();
    assert_eq!(
        sum,
        run.problem.buffers.iter().filter(|buffer| buffer.live.contains(2)).map(|buffer| buffer.size).sum::<u64>()
    );
    let words = list.texts(".pk-line .nm");
    assert!(words.contains(&"gradient".to_string()), "{words:?}");
    let classes = run.classes().expect("training");
    let gradients: Vec<BufferId> =
        run.problem.buffers.ids().filter(|&id| classes.class(id) == BufferClass::Gradient).collect();
    let shared = Shared::Class(BufferClass::Gradient);
    let outlined = Outlined { shared: shared.clone(), buffers: Rc::new(gradients.clone()) };
    let open = step(state, StepAction::Outline(Some(outlined)));
    let list = panel(open.clone(), Tab::Peak);
    assert_eq!(list.texts(".pk-line[aria-expanded=true] .nm"), ["gradient"]);
    assert_eq!(list.all(".pk-lines .pk-row").len(), gradients.len());
    // Another way of grouping has other groups.
    assert_eq!(step(open, StepAction::PeakBy(PeakBy::Module)).stepping.outlined, None);
}

#[test]
fn the_selected_buffer_is_pressed_in_the_peak_list_and_selected_in_the_tables() {
    let selected = |state: &State| step(state.clone(), StepAction::Select(Some(BufferId(0))));
    let state = opened();
    let name = run(&state).problem.buffers[BufferId(0)].name.clone();
    assert_eq!(panel(selected(&state), Tab::Peak).texts("[aria-pressed=true]"), [name.as_str()]);
    for tab in [Tab::Graph, Tab::Buffers] {
        let table = panel(selected(&state), tab);
        assert_eq!(table.texts("[role=row][aria-selected=true] .named"), [name.as_str()], "{tab:?}");
        assert_eq!(panel(step(state.clone(), StepAction::Select(None)), tab).all("[aria-selected=true]").len(), 0);
    }
}

#[test]
fn the_selection_states_size_live_range_offset_and_frame() {
    let end = step(opened(), StepAction::Move(Motion::Last));
    let run = run(&end);
    for (id, buffer) in run.problem.buffers.enumerate() {
        let shown = panel(step(end.clone(), StepAction::Select(Some(id))), Tab::Selection);
        assert_eq!(shown.text("h2"), buffer.name);
        let facts = shown.texts(".facts dd");
        assert!(facts[0].starts_with(&spaced(&end.speech().bytes(buffer.size))), "{facts:?}");
        assert!(facts[1].starts_with(&format!("[{}, {})", buffer.live.start, buffer.live.end)), "{facts:?}");
        let frame = run.timeline.decision_of(id).expect("placed") + 1;
        assert_eq!(facts[3], frame.to_string());
    }
}
