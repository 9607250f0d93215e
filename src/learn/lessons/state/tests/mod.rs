//! Lessons, from the first paragraph to the last, with the engine in place of the worker.

pub mod by_hand;
pub mod gliding;
pub mod programs;

use std::path::PathBuf;
use std::rc::Rc;

use crate::learn::lessons::state::progress::{LearnPlace, place_id, scene_of, task_of};
use crate::open::state::document::Origin;
use crate::open::state::request::{draft_of, order};
use crate::shell::state::action::{
    Action, DocumentAction, LearnAction, Motion, SettingsAction, StepAction, TaskAction, ViewAction,
};
use crate::shell::state::defining::Defining;
use crate::shell::state::notice::Notice;
use crate::shell::state::panels::Mode;
use crate::shell::state::{State, address};
use memplan_core::base::{Message, Term};
use memplan_core::text::Locale;
use memplan_engine::Engine;
use memplan_engine::lessons::Course;
use memplan_formats::import::Answers;
use memplan_teach::lesson::{Lesson, Task, TaskKind, example_file};
use memplan_worker::WorkerReply;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("www")
}

pub(crate) fn lessons() -> Vec<Rc<Lesson>> {
    let course = Course::read(&root().join("lessons"), &root().join("graphs"));
    assert!(course.faults.is_empty(), "{:?}", course.faults);
    course.lessons.into_iter().map(|resolved| Rc::new(resolved.lesson)).collect()
}

pub(crate) fn learn(state: State, action: LearnAction) -> State {
    settled(state.reduce(Action::Learn(action)))
}

/// The state once the scene that it waits for is there.
pub(crate) fn settled(mut state: State) -> State {
    if let Some(wanted) = state.wanted_scene() {
        let bytes = std::fs::read(root().join("graphs").join(example_file(&wanted.document))).expect("an example");
        state = state.reduce(Action::Document(DocumentAction::Restore(Box::new(wanted.restored))));
        assert!(!state.is_away(), "on its way");
        let open = DocumentAction::Open {
            origin: Origin::Example(wanted.document),
            bytes: bytes.into(),
            choices: Answers::default(),
            place: Some(wanted.place),
        };
        state = state.reduce(Action::Document(open));
        let job = state.job().cloned().expect("it is planned");
        let WorkerReply(result) = order(&job, false, draft_of(&job)).run(&mut Engine::default());
        let answered = DocumentAction::Answered { job: job.number, result: Box::new(result), written: None };
        state = state.reduce(Action::Document(answered));
    }
    while state.learning.gliding {
        state = state.reduce(Action::Step(StepAction::Tick));
    }
    assert!(state.wanted_scene().is_none() && !state.is_away(), "{:?}", state.document.notice);
    state
}

pub(crate) fn opened(lesson: &Rc<Lesson>, paragraph: usize) -> State {
    let place = LearnPlace { lesson: Some(lesson.number), paragraph };
    let state = State::default().reduce(Action::Learn(LearnAction::Open(place)));
    learn(state, LearnAction::Lesson(lesson.clone()))
}

pub(crate) fn task(state: State, task: &Task, action: TaskAction) -> State {
    learn(state, LearnAction::Task(task.id.clone(), action))
}

/// The state after the right answer.
pub(crate) fn answered(mut state: State, asked: &Task) -> State {
    match &asked.kind {
        TaskKind::Choose(choices) => {
            for choice in choices.iter().filter(|choice| choice.right) {
                state = task(state, asked, TaskAction::Choose(choice.id.clone()));
            }
            state
        }
        TaskKind::Number { value, .. } => {
            let state = task(state, asked, TaskAction::Type(value.to_string()));
            task(state, asked, TaskAction::Check)
        }
        TaskKind::Place { places, .. } => {
            let right = places.iter().find(|place| place.right).expect("a right place");
            task(state, asked, TaskAction::Choose(place_id(right)))
        }
        TaskKind::Order { solution, .. } => {
            for (to, wanted) in solution.iter().enumerate() {
                let order = state.learning.attempts.get(&asked.id).map(|attempt| attempt.order.clone());
                let order = order.filter(|order| !order.is_empty()).unwrap_or_else(|| (0..solution.len()).collect());
                let from = order.iter().position(|operator| operator == wanted).expect("every operator");
                state = task(state, asked, TaskAction::Move { from, to });
            }
            state
        }
        TaskKind::Write { solution, .. } => programs::written(state, asked, solution),
        // Packing by hand is tried below: here nobody looks for the moves.
        TaskKind::Pack { .. } => task(state, asked, TaskAction::ShowMe),
    }
}

#[test]
fn every_lesson_is_done_with_right_answers() {
    for lesson in lessons() {
        let mut state = opened(&lesson, 0);
        for at in 0..lesson.paragraphs.len() {
            state = learn(state, LearnAction::Paragraph(at));
            let scene = &lesson.scenes[scene_of(&lesson, at).expect("every paragraph has a scene")];
            assert_eq!(state.frame(), scene.frame, "lesson {} paragraph {at}", lesson.number);
            assert_eq!(state.document.planner, scene.planner);
            if let Some(asked) = &lesson.paragraphs[at].task {
                let progress = |state: &State| state.learning.learned.of(lesson.number);
                assert!(!progress(&state).right.contains(&asked.id), "not before the answer");
                state = answered(state, asked);
                let attempt = &state.learning.attempts[&asked.id];
                assert!(attempt.over, "lesson {} exercise {}: {attempt:?}", lesson.number, asked.id);
                assert_eq!(progress(&state).right.contains(&asked.id), !attempt.shown);
                let is_place = matches!(asked.kind, TaskKind::Place { .. });
                let beside = asked.shows.as_ref().map_or(scene, |shows| &lesson.scenes[shows]);
                assert_eq!(state.frame(), beside.frame + u32::from(is_place), "the answer is shown");
                assert!(state.scene_beside() == Some(beside) && !state.is_away());
            }
        }
        let tasks: Vec<String> =
            lesson.paragraphs.iter().filter_map(|paragraph| Some(paragraph.task.as_ref()?.id.clone())).collect();
        let progress = state.learning.learned.of(lesson.number);
        let (right, shown) = progress.answered(&tasks);
        assert_eq!(right + shown, tasks.len(), "lesson {}: {progress:?}", lesson.number);
        assert!(progress.is_done(lesson.paragraphs.len() as u32, &lesson.must()), "lesson {}", lesson.number);
    }
}

#[test]
fn wrong_answers_are_explained_and_never_end_an_exercise() {
    for lesson in lessons() {
        for (at, asked) in lesson.paragraphs.iter().enumerate().filter_map(|(at, p)| Some((at, p.task.as_ref()?))) {
            let mut state = opened(&lesson, at);
            let wrong: Vec<Vec<TaskAction>> = match &asked.kind {
                TaskKind::Choose(choices) => choices
                    .iter()
                    .filter(|choice| !choice.right)
                    .map(|choice| vec![TaskAction::Choose(choice.id.clone())])
                    .collect(),
                TaskKind::Number { value, .. } => {
                    let typed = |text: String| vec![TaskAction::Type(text), TaskAction::Check];
                    vec![typed((value + 1.0).to_string()), typed("much".into())]
                }
                TaskKind::Place { places, .. } => places
                    .iter()
                    .filter(|place| !place.right)
                    .map(|place| vec![TaskAction::Choose(place_id(place))])
                    .collect(),
                TaskKind::Pack { .. } | TaskKind::Order { .. } | TaskKind::Write { .. } => continue,
            };
            let count = wrong.len();
            for answer in wrong {
                for action in answer {
                    state = task(state, asked, action);
                }
                let attempt = &state.learning.attempts[&asked.id];
                let judged = attempt.judged.as_ref().expect("a verdict");
                assert!(!judged.right && judged.feedback.is_some() && !attempt.over, "{} {judged:?}", lesson.number);
            }
            let attempt = &state.learning.attempts[&asked.id];
            assert_eq!(attempt.offers_hint(asked), asked.hint.is_some() && count >= 2);
            state = task(state, asked, TaskAction::Hint);
            assert!(state.learning.attempts[&asked.id].offers_answer(asked));
            let state = answered(state, asked);
            let progress = state.learning.learned.of(lesson.number);
            assert!(progress.right.contains(&asked.id), "lesson {} {}", lesson.number, asked.id);
            assert!(!progress.shown.contains(&asked.id));
        }
    }
}

#[test]
fn a_later_try_is_right_and_counted() {
    let lesson = &lessons()[4];
    let asked = task_of(lesson, lesson.paragraphs.iter().position(|p| p.task.is_some()).expect("a task"));
    let asked = asked.expect("a task");
    let TaskKind::Choose(choices) = &asked.kind else { panic!("choices") };
    let wrong: Vec<String> = choices.iter().filter(|choice| !choice.right).map(|choice| choice.id.clone()).collect();
    assert!(wrong.len() > 2, "not all of them are tried");
    for tried in 0..3 {
        let choose = |state, id: &String| task(state, asked, TaskAction::Choose(id.clone()));
        let state = answered(wrong[..tried].iter().fold(opened(lesson, 0), choose), asked);
        let progress = state.learning.learned.of(lesson.number);
        assert_eq!(progress.answered(std::slice::from_ref(&asked.id)), (1, 0), "{tried} wrong");
        assert_eq!(state.learning.attempts[&asked.id].tries(), tried + 1);
    }
}

#[test]
fn definitions_keep_figures_back_until_all_is_answered() {
    let lesson = &lessons()[1];
    let mut state = opened(lesson, 0);
    assert!(state.keeps_figures_back());
    for (at, asked) in lesson.paragraphs.iter().enumerate().filter_map(|(at, p)| Some((at, p.task.as_ref()?))) {
        state = answered(learn(state, LearnAction::Paragraph(at)), asked);
    }
    assert!(!state.keeps_figures_back());
}

#[test]
fn a_tap_on_a_term_of_another_scene_defines_it() {
    let mut state = opened(&lessons()[1], 0);
    let first = state.learning.staged;
    let press = Defining::Press(Term::Dead, 4, (0.0, 0.0, 8.0, 8.0));
    state = state.reduce(Action::View(ViewAction::Define(press)));
    // The tap brings the focus, and the focus the paragraph with its scene.
    let far = state.learning.lesson.as_ref().expect("a lesson").paragraphs.len() - 1;
    state = learn(state, LearnAction::Paragraph(far));
    assert!(state.learning.staged != first && state.view.defined.is_some());
    assert!(state.reduce(Action::Learn(LearnAction::NextParagraph { forward: false })).view.defined.is_none());
}

#[test]
fn looking_around_waits_for_the_reader() {
    let lesson = &lessons()[2];
    let state = opened(lesson, 0);
    let scene = &lesson.scenes[scene_of(lesson, 0).expect("a scene")];
    let away = state.reduce(Action::Step(StepAction::Move(Motion::First)));
    assert!(away.is_away());
    // Reading on does not move the plan.
    let far = lesson.paragraphs.len() - 1;
    let read = away.reduce(Action::Learn(LearnAction::Paragraph(far)));
    assert!(read.is_away() && read.wanted_scene().is_none() && read.frame() == 0);
    let back = learn(read, LearnAction::Back);
    let last = &lesson.scenes[scene_of(lesson, far).expect("a scene")];
    assert_eq!((back.frame(), &back.document.planner), (last.frame, &last.planner));
    let first = learn(back, LearnAction::Show(0));
    assert_eq!((first.frame(), &first.document.planner), (scene.frame, &scene.planner));
    // Selecting, zooming and another language are no looking around.
    let buffer = first.document.run.as_ref().and_then(|run| run.problem.buffers.ids().next());
    let selected = first.reduce(Action::Step(StepAction::Select(buffer)));
    let selected = selected.reduce(Action::Settings(SettingsAction::Locale(Locale::Zh)));
    assert!(!selected.is_away());
}

#[test]
fn a_notice_does_not_keep_a_scene_away() {
    let lesson = &lessons()[2];
    let state = opened(lesson, 0);
    let notice = DocumentAction::NotFetched(Notice::of(Message::new("notice.no-example").text("name", "x")));
    let far = lesson.paragraphs.len() - 1;
    let state = state.reduce(Action::Step(StepAction::Move(Motion::First))).reduce(Action::Document(notice));
    assert!(state.document.notice.is_some());
    let wanted = state.reduce(Action::Learn(LearnAction::Show(far)));
    assert!(wanted.wanted_scene().is_some() && wanted.document.notice.is_none());
    // A scene that does not come leaves the reader away, with the way back.
    let scene = wanted.wanted_scene().expect("on its way");
    let gone = wanted.reduce(Action::Document(DocumentAction::Restore(Box::new(scene.restored))));
    let notice = DocumentAction::NotFetched(Notice::of(Message::new("notice.no-example").text("name", "x")));
    let gone = gone.reduce(Action::Document(notice));
    assert!(gone.wanted_scene().is_none() && gone.is_away());
    assert!(!learn(gone, LearnAction::Back).is_away());
}

#[test]
fn a_file_of_ones_own_leads_out_of_the_lesson() {
    let state = opened(&lessons()[1], 0);
    let open = DocumentAction::Open {
        origin: Origin::File("a.csv".into()),
        bytes: b"id,lower,upper,size\na,0,2,8\n".to_vec().into(),
        choices: Answers::default(),
        place: None,
    };
    let state = state.reduce(Action::Document(open));
    assert_eq!(state.view.mode, Mode::Step);
    assert_eq!(state.learning.place.lesson, Some(2), "the lesson waits");
}

#[test]
fn the_lesson_is_there_again_after_another_mode() {
    let lesson = &lessons()[0];
    let state = opened(lesson, 2);
    let state = state.reduce(Action::View(ViewAction::Mode(Mode::Step)));
    let state = state.reduce(Action::Step(StepAction::Move(Motion::Last)));
    assert!(!state.is_away() && state.scene_beside().is_none(), "Step has no lesson");
    let state = settled(state.reduce(Action::View(ViewAction::Mode(Mode::Learn))));
    assert_eq!(state.learning.place, LearnPlace { lesson: Some(1), paragraph: 2 });
    let scene = &lesson.scenes[scene_of(lesson, 2).expect("a scene")];
    assert_eq!(state.frame(), scene.frame);
}

#[test]
fn a_lesson_is_presented_with_every_answer_kept_back() {
    let step = |state: State, motion| settled_while_presented(state.reduce(Action::Step(StepAction::Move(motion))));
    for lesson in &lessons()[..4] {
        // What was answered before is asked again.
        let mut state = opened(lesson, 0);
        for (at, task) in lesson.paragraphs.iter().enumerate().filter_map(|(at, p)| Some((at, p.task.as_ref()?))) {
            if let TaskKind::Place { places, .. } = &task.kind {
                let right = places.iter().find(|place| place.right).expect("a right one");
                state = learn(state, LearnAction::Go(at));
                state = learn(state, LearnAction::Task(task.id.clone(), TaskAction::Choose(place_id(right))));
            }
        }
        state = learn(state, LearnAction::Go(0));
        state = settled_while_presented(state.reduce(Action::View(ViewAction::Present(true))));
        assert!(state.presented_lesson().is_some() && state.presenting().is_some());
        let (mut asked, mut seen) = (0, 0);
        loop {
            let at = state.learning.staged;
            let frame = state.scene_beside().expect("a scene").frame;
            if let Some((task, revealed)) = state.presented_task() {
                assert!(!revealed && state.frame() == frame, "{} {}", lesson.number, task.id);
                let is_placed = u32::from(matches!(task.kind, TaskKind::Place { .. }));
                asked += 1;
                state = step(state, Motion::Next);
                assert!(state.presented_task().is_some_and(|(_, revealed)| revealed) && state.learning.staged == at);
                assert_eq!(state.scene_beside().map(|scene| scene.frame + is_placed), Some(state.frame()));
                // Back hides it again.
                let back = step(state.clone(), Motion::Previous);
                assert!(back.presented_task().is_some_and(|(_, revealed)| !revealed) && back.frame() == frame);
            }
            let (stop, stops) = state.presented_stops().expect("presented");
            seen += 1;
            assert_eq!(stop, seen);
            if stop == stops {
                break;
            }
            state = step(state, Motion::Next);
            assert!(state.learning.staged > at && state.presenting().is_some(), "{}: {at}", lesson.number);
        }
        let tasks = lesson.paragraphs.iter().filter(|paragraph| paragraph.task.is_some()).count();
        assert_eq!(asked, tasks);
        let first = step(state, Motion::First);
        assert_eq!((first.learning.staged, address::write(&first).contains("present=1")), (0, true));
        let left = settled_while_presented(first.reduce(Action::View(ViewAction::Present(false))));
        assert!(left.presented_task().is_none() && !left.is_away());
    }
}

/// The state once the scene that it waits for is there. The plan is presented all the while.
fn settled_while_presented(state: State) -> State {
    let presents = state.presenting().is_some();
    let state = settled(state);
    assert_eq!(state.presenting().is_some(), presents);
    state
}
