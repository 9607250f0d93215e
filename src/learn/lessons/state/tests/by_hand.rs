//! Exercises of lessons that are done on the plan itself.

use crate::learn::lessons::state::progress::{has_several, task_of};
use crate::learn::lessons::state::tests::{learn, lessons, opened, task};
use crate::shell::state::State;
use crate::shell::state::action::{Action, LearnAction, StepAction, TaskAction, ViewAction};
use crate::shell::state::panels::Mode;
use memplan_teach::exercise::packing::addresses;
use memplan_teach::lesson::{Feedback, Judged, Task, TaskKind};

#[test]
fn buffers_are_packed_by_hand() {
    let (lesson, at, asked) = lessons()
        .into_iter()
        .find_map(|lesson| {
            let at = lesson.paragraphs.iter().position(|paragraph| {
                paragraph.task.as_ref().is_some_and(|task| matches!(task.kind, TaskKind::Pack { .. }))
            })?;
            let asked = lesson.paragraphs[at].task.clone()?;
            Some((lesson, at, asked))
        })
        .expect("a lesson lets buffers be packed");
    let state = opened(&lesson, at);
    let run = state.document.run.clone().expect("a plan");
    let buffer = run.buffer_named("B").expect("the pin");
    let TaskKind::Pack { goal, ref solution, .. } = asked.kind else { panic!("packing") };
    assert!(run.metrics.peak > goal);
    // Up and down again, and undone.
    let raised = task(state, &asked, TaskAction::Shift { buffer, up: true });
    assert!(raised.is_packing() && !raised.is_away());
    let place = |state: &State, name: &str| {
        let run = state.document.run.as_ref().expect("a plan");
        run.plan.places[run.buffer_named(name).expect("a buffer")].expect("placed").offset
    };
    assert!(place(&raised, "B") > run.plan.places[buffer].expect("placed").offset);
    let undone = task(raised, &asked, TaskAction::Undo);
    assert_eq!(Some(place(&undone, "B")), run.plan.places[buffer].map(|place| place.offset));
    // An address inside another buffer is refused.
    let refused = task(undone, &asked, TaskAction::Put { buffer, offset: 8, goes_on: false });
    assert_eq!(Some(place(&refused, "B")), run.plan.places[buffer].map(|place| place.offset));
    // A drag over several addresses is one move.
    let drag = |state: State, offset: u64, goes_on| learn(state, LearnAction::Drag { buffer, offset, goes_on });
    let top = addresses(&run.problem, &run.plan.places, buffer).into_iter().max().expect("on top");
    let dragged = drag(refused.clone(), top, false);
    let low = addresses(&run.problem, &run.plan.places, buffer)[0];
    let dragged = drag(dragged, low, true);
    let undone = task(dragged, &asked, TaskAction::Undo);
    assert_eq!(Some(place(&undone, "B")), run.plan.places[buffer].map(|place| place.offset));
    // Away with the pin, then everything to where the solution has it.
    let mut state = task(refused, &asked, TaskAction::Shift { buffer, up: true });
    let mut moves: Vec<(String, u64)> = solution.clone();
    for _ in 0..solution.len() {
        moves.sort_by_key(|(_, offset)| std::cmp::Reverse(*offset));
        for (name, offset) in &moves {
            let buffer = state.document.run.as_ref().and_then(|run| run.buffer_named(name)).expect("a buffer");
            state = task(state, &asked, TaskAction::Put { buffer, offset: *offset, goes_on: false });
        }
    }
    let attempt = &state.learning.attempts[&asked.id];
    assert!(attempt.over && !attempt.shown, "{:?}", attempt.judged);
    assert!(state.document.run.as_ref().is_some_and(|run| run.metrics.peak <= goal));
    assert!(state.learning.learned.of(lesson.number).right.contains(&asked.id));
}

#[test]
fn a_number_that_is_written_in_two_ways_is_one_try() {
    let (lesson, at) = lessons()
        .into_iter()
        .find_map(|lesson| {
            let is_number = |task: &Task| matches!(task.kind, TaskKind::Number { .. });
            let at = lesson.paragraphs.iter().position(|paragraph| paragraph.task.as_ref().is_some_and(is_number))?;
            Some((lesson, at))
        })
        .expect("a lesson asks for a number");
    let asked = task_of(&lesson, at).expect("the task");
    let TaskKind::Number { value, .. } = asked.kind else { panic!("a number") };
    let typed = |state, text: String| {
        let state = task(state, asked, TaskAction::Type(text));
        task(state, asked, TaskAction::Check)
    };
    for tried in [0, 2, 3] {
        // What cannot be read is no try.
        let state = typed(typed(opened(&lesson, at), "much".into()), "more".into());
        let twice = |state, text: String| typed(typed(state, format!(" {text}")), format!("{text}.0"));
        let state = (1..=tried).fold(state, |state, more| twice(state, (value + f64::from(more)).to_string()));
        let state = typed(state, value.to_string());
        let progress = state.learning.learned.of(lesson.number);
        assert!(progress.right.contains(&asked.id), "{tried} wrong");
        assert_eq!(state.learning.attempts[&asked.id].tries(), tried as usize + 1);
    }
}

#[test]
fn a_click_on_the_plan_chooses_where_buffers_are_asked_for() {
    let lesson = &lessons()[1];
    let at = lesson.paragraphs.iter().position(|paragraph| {
        paragraph.task.as_ref().is_some_and(
            |task| matches!(&task.kind, TaskKind::Choose(choices) if choices.iter().all(|choice| choice.is_buffer)),
        )
    });
    let at = at.expect("buffers to choose");
    let state = opened(lesson, at);
    let asked = lesson.paragraphs[at].task.clone().expect("an exercise");
    let TaskKind::Choose(choices) = &asked.kind else { panic!("choices") };
    let right = choices.iter().find(|choice| choice.right).expect("a right one");
    let buffer = state.document.run.as_ref().and_then(|run| run.buffer_named(&right.id));
    // A name in the text selects, which is no answer.
    let state = state.reduce(Action::Step(StepAction::Select(buffer)));
    assert!(!state.learning.attempts.contains_key(&asked.id));
    let state = learn(state, LearnAction::Pick(buffer.expect("in the plan")));
    assert!(state.learning.attempts[&asked.id].chosen.contains(&right.id));
}

#[test]
fn a_plan_made_by_hand_stays_in_its_exercise() {
    let lesson = &lessons()[3];
    let is_pack = |task: &Task| matches!(task.kind, TaskKind::Pack { .. });
    let at = lesson.paragraphs.iter().position(|paragraph| paragraph.task.as_ref().is_some_and(is_pack));
    let at = at.expect("buffers to move");
    let asked = lesson.paragraphs[at].task.clone().expect("an exercise");
    let state = opened(lesson, at);
    let buffer = state.document.run.as_ref().and_then(|run| run.buffer_named("B")).expect("the pin");
    let moved = task(state, &asked, TaskAction::Shift { buffer, up: true });
    assert!(moved.is_packing());
    let before = learn(moved.clone(), LearnAction::Paragraph(at - 1));
    assert!(!before.is_packing() && before.document.run.as_ref().is_some_and(|run| run.planner == "first-fit"));
    // Back at the exercise there is nothing to undo.
    let again = learn(before, LearnAction::Paragraph(at));
    assert!(again.learning.attempts[&asked.id].before.is_empty());
    let left = moved.reduce(Action::View(ViewAction::Mode(Mode::Step)));
    assert!(left.job().is_some_and(|job| job.planner == "first-fit"), "the planner's own plan is made again");
}

#[test]
fn a_move_asked_for_beside_another_plan_is_made_on_that_of_the_exercise() {
    let lesson = &lessons()[3];
    let is_pack = |task: &Task| matches!(task.kind, TaskKind::Pack { .. });
    let at = lesson.paragraphs.iter().position(|paragraph| paragraph.task.as_ref().is_some_and(is_pack));
    let at = at.expect("buffers to move");
    let asked = lesson.paragraphs[at].task.clone().expect("an exercise");
    let place = |state: &State| {
        let run = state.document.run.as_ref().expect("a plan");
        let buffer = run.buffer_named("B").expect("the pin");
        (buffer, run.plan.places[buffer].expect("placed").offset)
    };
    let (buffer, before) = place(&opened(lesson, at));
    let elsewhere = opened(lesson, lesson.paragraphs.len() - 1);
    assert!(!elsewhere.is_beside(&asked.id));
    let moved = task(elsewhere, &asked, TaskAction::Shift { buffer, up: true });
    assert!(moved.is_beside(&asked.id) && moved.is_packing());
    assert!(place(&moved).1 > before && moved.learning.waiting.is_none());
    // Who reads on before the plan is there has gone away from the move.
    let left = moved.reduce(Action::Learn(LearnAction::Show(0)));
    assert!(left.learning.waiting.is_none());
}

#[test]
fn what_is_right_so_far_does_not_hide_what_is_wrong() {
    let several = |task: &&Task| has_several(task);
    let lessons = lessons();
    let (lesson, asked) = lessons
        .iter()
        .find_map(|lesson| Some((lesson, lesson.paragraphs.iter().filter_map(|p| p.task.as_ref()).find(several)?)))
        .expect("an exercise with several answers");
    let TaskKind::Choose(choices) = &asked.kind else { panic!("choices") };
    let id = |right: bool| choices.iter().find(|choice| choice.right == right).expect("a choice").id.clone();
    let choose = |state, id: String| task(state, asked, TaskAction::Choose(id));
    let said = |state: &State| match &state.learning.attempts[&asked.id].judged {
        Some(Judged { feedback: Some(Feedback::General(message)), .. }) => message.key.to_string(),
        other => panic!("{other:?}"),
    };
    let state = choose(opened(lesson, 0), id(true));
    assert_eq!(said(&state), "lesson.so-far");
    let state = choose(choose(opened(lesson, 0), id(false)), id(true));
    assert_eq!(said(&state), "lesson.so-far-but");
    assert_eq!(state.learning.attempts[&asked.id].chosen, [id(true)].into(), "what is wrong is no longer chosen");
}
