//! Programs that lessons ask for, with the engine in place of the worker.

use std::rc::Rc;

use crate::learn::lessons::state::progress::LearnPlace;
use crate::learn::lessons::state::tests::{learn, lessons, opened, settled, task};
use crate::learn::lessons::state::writing::WriteAction;
use crate::shell::state::State;
use crate::shell::state::action::{Action, LearnAction, TaskAction, TeachAction};
use crate::testing::taught;
use memplan_engine::{PictureLook, use_writer};
use memplan_teach::lesson::{Lesson, Task, TaskKind};

/// The state once a program was judged.
pub(crate) fn written(state: State, asked: &Task, code: &str) -> State {
    use_writer(memplan_own::answer_packed);
    let write = |state: State, action| task(state, asked, TaskAction::Program(action));
    let state = write(write(state, WriteAction::Type(code.into())), WriteAction::Check(PictureLook::default()));
    let wanted = state.teaching.wanted.clone().expect("it is judged");
    let answer = Some(taught(&wanted.request));
    settled(state.reduce(Action::Teach(TeachAction::Answered(wanted.number, answer))))
}

#[test]
fn a_program_of_a_lesson_is_right_only_if_it_is_right_everywhere() {
    let lesson = lessons().into_iter().find(|lesson| lesson.number == 15).expect("a lesson");
    let mut seen = 0;
    for (at, asked) in lesson.paragraphs.iter().enumerate().filter_map(|(at, p)| Some((at, p.task.as_ref()?))) {
        let TaskKind::Write { template, solution, .. } = &asked.kind else { continue };
        seen += 1;
        let mut state = opened(&lesson, at);
        for wrong in [template, "fn place(buffer, gaps) { loop { } }", "fn place(buffer, gaps) { 0 }", "fn"] {
            state = written(state, asked, wrong);
            let attempt = &state.learning.attempts[&asked.id];
            assert!(!attempt.over && attempt.writing.as_ref().is_some_and(|it| it.verdict().is_some()), "{wrong}");
        }
        assert!(state.learning.attempts[&asked.id].offers_hint(asked));
        let shown = task(state.clone(), asked, TaskAction::ShowMe);
        let attempt = &shown.learning.attempts[&asked.id];
        assert_eq!((attempt.over, attempt.shown), (true, true));
        assert_eq!(attempt.writing.as_ref().map(|writing| &*writing.code), Some(&**solution));
        let state = written(state, asked, solution);
        assert!(state.learning.attempts[&asked.id].over && !state.learning.attempts[&asked.id].shown);
        assert!(state.learning.learned.of(15).right.contains(&asked.id));
        assert!(!state.learning.attempts[&asked.id].was_right_before());
        // It stays solved, but nothing calls the wrong text right.
        for wrong in ["fn place(buffer, gaps) { 0 }", "fn"] {
            let later = written(state.clone(), asked, wrong);
            assert!(later.learning.attempts[&asked.id].over && later.learning.attempts[&asked.id].was_right_before());
        }
    }
    assert_eq!(seen, 3);
}

#[test]
fn what_was_tried_is_there_after_another_lesson() {
    let all = lessons();
    let of = |number: u32| all.iter().find(|lesson| lesson.number == number).expect("a lesson");
    let (lesson, other) = (of(15), of(1));
    let is_program = |task: &&Task| matches!(task.kind, TaskKind::Write { .. });
    let mut tasks = lesson.paragraphs.iter().filter_map(|paragraph| paragraph.task.as_ref());
    let asked = tasks.find(is_program).expect("a program is asked for");
    let goes = |state: State, lesson: &Rc<Lesson>| {
        let place = LearnPlace { lesson: Some(lesson.number), paragraph: 0 };
        learn(state.reduce(Action::Learn(LearnAction::Open(place))), LearnAction::Lesson(lesson.clone()))
    };
    let code = |state: &State| {
        let attempt = state.learning.attempts.get(&asked.id)?;
        attempt.writing.as_ref().map(|writing| writing.code.to_string())
    };
    let write = |state: State, action| task(state, asked, TaskAction::Program(action));
    let state = write(opened(lesson, 0), WriteAction::Type("fn mine".into()));
    let away = goes(state, other);
    assert_eq!(code(&away), None);
    assert_eq!(code(&goes(away, lesson)).as_deref(), Some("fn mine"));
    // What the browser kept comes without taking the reader to its paragraph.
    let kept = write(opened(lesson, 0), WriteAction::Kept("fn kept".into()));
    assert_eq!((code(&kept).as_deref(), kept.learning.place.paragraph), (Some("fn kept"), 0));
}
