//! The rest of the teacher's corner: typed buffers, the link that is filled in, worksheets as they
//! are seen, questions of lessons, and pictures after the end.

use crate::learn::exercise::state::stage::Stage;
use crate::learn::lessons::state::tests::{lessons, settled};
use crate::learn::teacher::state::form::{Corner, Field};
use crate::learn::teacher::state::tests::{LINK, act, assigned, begun, done_with};
use crate::shell::state::State;
use crate::shell::state::action::{Action, LearnAction, TaskAction, TeachAction};
use memplan_engine::{AskedPicture, PictureLook};
use memplan_teach::exercise::code;
use memplan_teach::lesson::TaskKind;

fn write(state: State, field: Field, text: &str) -> State {
    act(state, TeachAction::Write(field, text.into()))
}

fn made(state: &State) -> Result<String, String> {
    state.teaching.form.link(state.offered().as_ref()).map_err(|why| why.key.into_owned())
}

#[test]
fn typed_buffers_become_the_exercise() {
    let state = act(State::default(), TeachAction::Corner(Corner::Link));
    let state = write(state, Field::Source, "own");
    assert_eq!(state.teaching.corner, Some(Corner::Link), "the corner stays");
    let count = state.offered().map_or(0, |offered| offered.asked.len()) as u8;
    assert!((2..6).contains(&count), "the sample asks something");
    assert!(made(&state).is_ok_and(|link| link.contains(&format!("&of={count}&"))), "all that is asked");
    let state = write(write(state, Field::Pass, ""), Field::Of, &count.to_string());
    let link = made(&state).expect("a link");
    assert!(link.contains("doc=z%3A") || link.contains("doc=z:"), "{link}");
    let broken = write(state.clone(), Field::Own, "A, 96 KiB");
    assert_eq!(made(&broken), Err("typed.line".into()));
    let other = crate::testing::done(write(state, Field::Planner, "worst-fit"));
    assert!(made(&other).expect("a link").contains("plan=worst-fit"));
    // A student gets these buffers.
    let state = crate::testing::done(begun(&link));
    assert_eq!((assigned(&state).stage, state.is_asking()), (Stage::Asking, true));
    assert_eq!(state.document.run.as_ref().map(|run| run.problem.buffers.len()), Some(6));
}

#[test]
fn the_link_of_the_form_is_among_those_to_check_against() {
    let links = |state: &State| state.teaching.form.read(Field::Links).to_string();
    let state = act(State::default(), TeachAction::Corner(Corner::Link));
    assert_eq!(links(&state), "", "nobody has made one yet");
    let state = write(state, Field::Seed, "42");
    assert!(links(&state).starts_with("#exercise=1&") && links(&state).contains("seed=42"), "{}", links(&state));
    let state = write(state, Field::Of, "5");
    assert!(links(&state).contains("of=5"));
    // What the teacher wrote stays.
    let own = write(write(state, Field::Links, "#own"), Field::Of, "7");
    assert_eq!(links(&own), "#own");
    let taken = act(act(State::default(), TeachAction::Corner(Corner::Link)), TeachAction::LinkTaken);
    assert!(links(&taken).contains("seed=1"));
}

#[test]
fn a_worksheet_is_seen_before_it_is_saved() {
    let state = act(super::opened(), TeachAction::Corner(Corner::Sheet));
    let seen = act(state, TeachAction::Preview);
    assert!(seen.teaching.sheet.as_ref().is_some_and(|sheet| sheet.contains("paper-sheet a4")));
    assert!(seen.document.download.is_none(), "nothing is saved unasked");
    let letter = act(write(seen, Field::Paper, "letter"), TeachAction::Preview);
    assert!(letter.teaching.sheet.as_ref().is_some_and(|sheet| sheet.contains("paper-sheet letter")));
    let saved = act(letter.clone(), TeachAction::Sheet);
    assert!(saved.document.download.is_some());
    let refused = act(write(letter, Field::Given, "99"), TeachAction::Preview);
    assert!(refused.teaching.failure.is_some() && refused.teaching.sheet.is_none());
}

#[test]
fn questions_come_again_with_pictures_after_the_end() {
    let done = done_with(begun(LINK), 1);
    let shown = act(done, TeachAction::Pictures(None, PictureLook::default()));
    let pictures = assigned(&shown).pictures.clone().expect("pictures");
    let right: Vec<Option<bool>> = pictures.iter().map(|picture| picture.right).collect();
    assert_eq!(right, [Some(false), Some(true), Some(true), Some(true), Some(true), Some(true)]);
    // The teacher sees the same.
    let code = assigned(&shown).code.clone();
    let state = act(State::default(), TeachAction::Corner(Corner::Link));
    let state = write(write(state, Field::Links, &format!("#{LINK}")), Field::Lines, &format!("Ann · {code}"));
    let checked = act(state, TeachAction::Check(u64::from(u32::MAX)));
    assert_eq!(checked.teaching.checked.as_ref().map(|list| list.rows[0].passed), Some(Some(true)));
    let looked = act(checked, TeachAction::Pictures(Some(0), PictureLook { dark: true, narrow: true }));
    let (name, of_row) = looked.teaching.pictures.clone().expect("pictures");
    assert_eq!((name.as_str(), of_row.len()), ("Ann", 6));
    assert!(of_row.iter().zip(pictures.iter()).all(|(one, other)| one.question == other.question));
    // The words of a phone's pictures are as large as those of a desk.
    let wide = |pictures: &[AskedPicture], width: &str| {
        pictures.iter().all(|picture| picture.svg.contains(&format!("width=\"{width}\"")))
    };
    assert!(wide(&pictures, "640") && wide(&of_row, "320"));
}

#[test]
fn questions_of_lessons_are_asked_one_after_the_other() {
    let all = lessons();
    let first = |number: usize| {
        let tasks = all[number - 1].paragraphs.iter().filter_map(|paragraph| paragraph.task.clone());
        let mut chosen = tasks.filter(|task| matches!(task.kind, TaskKind::Choose(_)));
        chosen.next().expect("an exercise with choices")
    };
    let (one, two) = (first(1), first(2));
    let link = format!("exercise=1&kind=lesson&ask=1.{},2.{}&pass=1&of=2&bits=1", one.id, two.id);
    let arrive = |state: State, number: usize| {
        assert_eq!((assigned(&state).stage, state.learning.place.lesson), (Stage::Making, Some(number as u32)));
        settled(state.reduce(Action::Learn(LearnAction::Lesson(all[number - 1].clone()))))
    };
    let state = arrive(begun(&link), 1);
    assert_eq!((assigned(&state).stage, state.lesson_task().map(|task| &task.id)), (Stage::Asking, Some(&one.id)));
    // Nothing else of the lesson is open.
    let before = state.learning.place;
    assert_eq!(state.reduce(Action::Learn(LearnAction::Go(0))).learning.place, before);
    let choose = |state: State, task: &memplan_teach::lesson::Task, right: bool| {
        let TaskKind::Choose(choices) = &task.kind else { panic!("choices") };
        let chosen = choices.iter().filter(|choice| choice.right == right).take(if right { usize::MAX } else { 1 });
        chosen.fold(state, |state, choice| {
            let action = TaskAction::Choose(choice.id.clone());
            state.reduce(Action::Learn(LearnAction::Task(task.id.clone(), action)))
        })
    };
    // The first answer counts, also where another one follows.
    let state = choose(choose(state, &one, false), &one, true);
    assert_eq!(state.marks().iter().map(|mark| mark.0).collect::<Vec<_>>(), [false]);
    assert!(!state.is_full() && state.has_next_plan());
    let state = arrive(act(state, TeachAction::NextPlan), 2);
    assert_eq!(state.marks().len(), 1, "the second one is open");
    let state = choose(state, &two, true);
    assert_eq!(state.marks().iter().map(|mark| mark.0).collect::<Vec<_>>(), [false, true]);
    assert!(state.is_full() && state.learning.learned == Default::default(), "nothing is kept of it");
    let done = act(state, TeachAction::Finish(1_800_000_000));
    let read = code::read(&assigned(&done).code).expect("a code");
    assert_eq!((read.outcome.right, read.outcome.of, read.answers), (1, 2, Some(vec![false, true])));
    // A question that no lesson has is told.
    let missing = begun("exercise=1&kind=lesson&ask=1.zz&of=1");
    let missing = missing.reduce(Action::Learn(LearnAction::Lesson(all[0].clone())));
    assert_eq!(assigned(&missing).stage, Stage::Ready);
    assert_eq!(assigned(&missing).failure.as_ref().map(|why| why.key.as_ref()), Some("exercise.no-lesson"));
}
