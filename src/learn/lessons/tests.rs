//! Lessons, exercises and the teacher's corner as they are read.

use std::path::Path;
use std::rc::Rc;

use yew::prelude::*;

use crate::learn::lessons::state::progress::LearnPlace;
use crate::learn::lessons::state::tests::{answered, lessons, opened};
use crate::learn::teacher::state::form::{Corner, Field};
use crate::learn::teacher::state::tests::{LINK, act, begun, done_with};
use crate::learn::{ExercisePage, Learn};
use crate::shell::state::State;
use crate::shell::state::action::{Action, LearnAction, SettingsAction, TaskAction, TeachAction};
use crate::testing::{Screen, screen, spaced};
use memplan_core::text::Locale;
use memplan_engine::lessons::Course;
use memplan_teach::lesson::{Lesson, Paragraph, Task, TaskKind};

fn learn(state: State) -> Screen {
    screen(state, html! { <Learn dark=false /> })
}

fn tasks(lesson: &Lesson) -> impl Iterator<Item = &Task> {
    lesson.paragraphs.iter().filter_map(|paragraph| paragraph.task.as_ref())
}

fn in_language(state: &State, locale: Locale) -> State {
    state.clone().reduce(Action::Settings(SettingsAction::Locale(locale)))
}

#[test]
fn every_lesson_is_read_in_both_languages() {
    for lesson in lessons() {
        let state = opened(&lesson, 0);
        for locale in Locale::ALL {
            let page = learn(in_language(&state, locale));
            assert_eq!(page.texts("h1, h2").first(), Some(&lesson.title.of(locale).to_string()));
            assert_eq!(page.all("[data-task]").len(), tasks(&lesson).count(), "lesson {}", lesson.number);
        }
    }
}

#[test]
fn a_right_answer_ends_its_task_and_no_other() {
    for lesson in lessons() {
        // What is packed by hand comes in steps of its own (state/tests/by_hand.rs).
        for asked in tasks(&lesson).filter(|task| !matches!(task.kind, TaskKind::Pack { .. })) {
            let state = answered(opened(&lesson, 0), asked);
            let page = learn(state);
            let over: Vec<String> = page.attributes("[data-task][data-over=true]", "data-task");
            assert_eq!(over, [asked.id.as_str()], "lesson {}", lesson.number);
        }
    }
}

#[test]
fn whoever_answers_a_question_reads_its_paragraph() {
    for lesson in lessons() {
        for asked in tasks(&lesson).filter(|task| !matches!(task.kind, TaskKind::Pack { .. })) {
            let own = |part: &Paragraph| part.task.as_ref().is_some_and(|task| task.id == asked.id);
            let at = lesson.paragraphs.iter().position(own).expect("a paragraph");
            let state = answered(opened(&lesson, 0), asked);
            assert_eq!(state.learning.place.paragraph, at, "lesson {} {}", lesson.number, asked.id);
            // What is said stands between the question and its answers.
            let page = learn(state);
            let inside = page.all(&format!("[data-task={0}] .says, [data-task={0}] .answer", asked.id));
            let class = inside.first().and_then(|first| first.attr("class"));
            assert_eq!(class, Some("says"), "lesson {} {}", lesson.number, asked.id);
        }
    }
}

#[test]
fn the_list_of_lessons_leads_to_every_one() {
    let www = Path::new(env!("CARGO_MANIFEST_DIR")).join("www");
    let index = Course::read(&www.join("lessons"), &www.join("graphs")).index();
    let state = State::default().reduce(Action::Learn(LearnAction::Open(LearnPlace::default())));
    let list = learn(state.reduce(Action::Learn(LearnAction::Index(Rc::new(index)))));
    for lesson in lessons() {
        assert!(!list.all(&format!("[data-lesson='{}']", lesson.number)).is_empty(), "lesson {}", lesson.number);
    }
}

#[test]
fn what_is_packed_by_hand_has_no_moments_to_step_through() {
    let (lesson, at, asked) = lessons()
        .into_iter()
        .find_map(|lesson| {
            let is_pack = |task: &Task| matches!(task.kind, TaskKind::Pack { .. });
            let at = lesson.paragraphs.iter().position(|part| part.task.as_ref().is_some_and(is_pack))?;
            Some((lesson.clone(), at, lesson.paragraphs[at].task.clone()?))
        })
        .expect("a lesson lets buffers be packed");
    let state = opened(&lesson, at);
    assert_eq!(learn(state.clone()).all(".counter b").len(), 1);
    let buffer = state.document.run.as_ref().and_then(|run| run.buffer_named("B")).expect("the pin");
    let shift = LearnAction::Task(asked.id, TaskAction::Shift { buffer, up: true });
    let moved = state.reduce(Action::Learn(shift));
    assert!(moved.is_packing());
    let page = learn(moved);
    assert!(page.all(".counter b, .counter em").is_empty() && page.all(".controls button:not([disabled])").is_empty());
}

#[test]
fn an_exercise_shows_its_code_at_the_end_alone() {
    for locale in Locale::ALL {
        let page = |state: &State| screen(in_language(state, locale), html! { <ExercisePage /> });
        let ready = act(State::default(), TeachAction::Open(LINK.into()));
        let asking = begun(LINK);
        let done = done_with(asking.clone(), 1);
        let code = done.teaching.assigned.as_ref().expect("an exercise").code.clone();
        for state in [&ready, &asking] {
            assert!(page(state).all("#exercise-code").is_empty());
        }
        assert!(page(&done).text("#exercise-code").contains(&code));
    }
}

#[test]
fn every_part_of_the_teachers_corner_speaks_both_languages() {
    for part in Corner::ALL {
        for locale in Locale::ALL {
            let corner = act(crate::testing::opened(), TeachAction::Corner(part));
            let page = learn(in_language(&corner, locale));
            assert_eq!(page.all("[role=tab][aria-selected=true], [aria-current]").len(), 1, "{part:?}");
        }
    }
}

#[test]
fn each_box_of_a_question_says_the_question() {
    let course = Course::read(Path::new("www/lessons"), Path::new("www/graphs"));
    let (index, lessons) = (Rc::new(course.index()), lessons());
    for locale in Locale::ALL {
        let corner = act(State::default(), TeachAction::Corner(Corner::Link));
        let corner = act(corner, TeachAction::Write(Field::Kind, "lesson".into()));
        let corner = corner.reduce(Action::Learn(LearnAction::Index(index.clone())));
        let boxes = learn(in_language(&corner, locale)).texts(".lesson-questions label");
        let asked: Vec<(&str, &str)> = lessons
            .iter()
            .flat_map(|lesson| tasks(lesson))
            .map(|task| (task.id.as_str(), task.ask.of(locale)))
            .collect();
        assert_eq!(boxes.len(), asked.len());
        for (words, (id, ask)) in boxes.iter().zip(asked) {
            assert!(words.starts_with(id) && words.chars().count() > id.len() + 8 && !words.contains('{'), "{words}");
            // Up to the first name, which is a mark in the source.
            let begin = ask.split(['{', '*']).next().unwrap_or_default();
            assert!(words.contains(spaced(begin).as_str()), "{words}: {ask}");
        }
    }
}

#[test]
fn the_first_lesson_explains_no_sign_that_it_has_not_come_to() {
    let lesson = lessons().into_iter().find(|lesson| lesson.number == 1).expect("the first lesson");
    let told = |at: usize| {
        let state = opened(&lesson, at);
        let dialog = screen(state.clone(), html! { <Signs /> }).texts("dd").concat();
        learn(state).texts(".marks-key, .legend-bar").concat() + &dialog
    };
    for word in ["peak", "pool", "arena"] {
        assert!(!told(0).contains(word), "{word}: {}", told(0));
    }
    assert!(told(lesson.paragraphs.len() - 1).contains("peak grows"));
}

#[test]
fn a_lesson_of_programs_ends_once_they_are_written() {
    let all = lessons();
    let [lesson, read] = [15, 2].map(|number| all.iter().find(|lesson| lesson.number == number).expect("a lesson"));
    let last = |lesson: &Rc<Lesson>| opened(lesson, lesson.paragraphs.len() - 1);
    let page = learn(last(read));
    assert!(page.all("#lesson-open").is_empty() && page.all(".lesson-end").len() == 1, "reading is enough");
    let mut state = last(lesson);
    for asked in tasks(lesson) {
        let page = learn(state.clone());
        assert!(page.all("#lesson-open button").len() == 1 && page.all(".lesson-end, .lesson-able").is_empty());
        state = answered(state, asked);
    }
    let page = learn(state);
    assert!(page.all("#lesson-open").is_empty() && page.all(".lesson-end").len() == 1);
}

#[component]
fn Signs() -> Html {
    crate::chrome::signs::signs(&crate::context::use_page())
}

#[test]
fn nothing_blank_stands_between_chinese_sentences() {
    let lesson = lessons().into_iter().find(|lesson| lesson.challenge.is_some()).expect("a lesson with a game");
    let page = learn(in_language(&opened(&lesson, 0), Locale::Zh));
    let state = State::default().reduce(Action::Settings(SettingsAction::Locale(Locale::Zh)));
    let corner = learn(act(state, TeachAction::Corner(Corner::Link)));
    let given = act(State::default(), TeachAction::Open(LINK.into()));
    let exercise = screen(in_language(&given, Locale::Zh), html! { <ExercisePage /> });
    for (page, css) in [(page, ".goal, .lesson-foot"), (corner, ".examples"), (exercise, ".tcard")] {
        let texts = page.texts(css).concat();
        assert!(!texts.is_empty() && !["。 ", "： ", "！ "].iter().any(|blank| texts.contains(blank)), "{texts}");
    }
}
