//! Exercises that ask for a program: it passes only if it is right as it is handed in.

use crate::learn::exercise::state::stage::Stage;
use crate::learn::lessons::state::writing::WriteAction;
use crate::learn::teacher::state::form::{Field, Form};
use crate::learn::teacher::state::tests::{act, assigned, begun};
use crate::shell::state::State;
use crate::shell::state::action::{Action, DocumentAction, Motion, StepAction, TeachAction};
use memplan_engine::{InstanceVerdict, PictureLook, TeachTask, use_writer};
use memplan_teach::exercise::code;
use memplan_teach::exercise::link::ExerciseLink;

pub(crate) const LINK: &str = "exercise=1&seed=7&plan=best-fit&kind=write&pass=6&of=6&bits=1&id=ws9";

pub(crate) const FIRST_FIT: &str = "fn place(buffer, gaps) {\n    for gap in gaps {\n        if gap.size >= buffer.size { return gap.start; }\n    }\n}\n";

pub(crate) const BEST_FIT: &str = "fn place(buffer, gaps) {
    let best = gaps[-1];
    for gap in gaps {
        if gap.size >= buffer.size && gap.size < best.size { best = gap; }
    }
    best.start
}
";

/// An exercise whose example is shown.
pub(crate) fn begun_writing(link: &str) -> State {
    use_writer(memplan_own::answer_packed);
    let state = begun(link);
    assert_eq!((assigned(&state).stage, assigned(&state).failure.clone()), (Stage::Asking, None));
    state
}

pub(crate) fn typed(state: State, code: &str) -> State {
    act(state, TeachAction::Program(WriteAction::Type(code.into())))
}

/// The state once a program was judged.
pub(crate) fn checked(state: State, code: &str) -> State {
    act(typed(state, code), TeachAction::Program(WriteAction::Check(PictureLook::default())))
}

/// The state once a set of buffers is shown.
pub(crate) fn looked_at(state: State, number: u32) -> State {
    act(state, TeachAction::Program(WriteAction::Show(number, PictureLook::default())))
}

fn right(state: &State) -> (usize, usize) {
    let marks = state.marks();
    (marks.iter().filter(|(is_right, _)| *is_right).count(), marks.len())
}

/// The verdict of the teacher's checker on what was handed in.
fn verdict(state: &State) -> String {
    let done = assigned(state);
    let lines = format!("{}; {}", done.name, done.code);
    let rows = code::check(&lines, Some(&ExerciseLink::read(LINK).expect("a link")), u32::MAX);
    rows[0].verdict.message().key.into_owned()
}

#[test]
fn the_planner_is_stepped_on_an_example_before_anything_is_written() {
    let state = begun_writing(LINK);
    assert_eq!((state.document.planner.as_str(), state.predicting.on), ("best-fit", false));
    assert_eq!(&*assigned(&state).writing.code, "fn place(buffer, gaps) {\n    \n}\n");
    let state = state.reduce_one(Action::Step(StepAction::Move(Motion::Last)));
    assert!(state.frame() > 8, "{}", state.frame());
    let other = state.clone().reduce_one(Action::Document(DocumentAction::Planner("first-fit".into())));
    assert_eq!(other.document.planner, "best-fit", "the planner stays");
    assert!(state.marks().is_empty() && !state.is_full());
}

#[test]
fn a_right_program_passes_as_it_is_handed_in() {
    let state = checked(begun_writing(LINK), BEST_FIT);
    assert_eq!(right(&state), (6, 6));
    assert!(state.is_full() && assigned(&state).writing.verdict().is_some());
    let state = act(state, TeachAction::Finish(1_800_000_000));
    assert_eq!(
        (assigned(&state).stage, assigned(&state).outcome.right, assigned(&state).outcome.of),
        (Stage::Done, 6, 6)
    );
    assert_eq!(verdict(&state), "code.passed");
    let read = code::read(&assigned(&state).code).expect("a code");
    assert_eq!(read.answers, Some(vec![true; 6]));
    let again = act(state, TeachAction::Begin);
    assert_eq!((&*assigned(&again).writing.code, right(&again)), (BEST_FIT, (0, 0)), "the text stays, not its verdict");
}

#[test]
fn a_text_that_was_changed_after_its_check_passes_no_more() {
    let state = checked(begun_writing(LINK), BEST_FIT);
    let changed = typed(state.clone(), FIRST_FIT);
    assert_eq!((right(&changed), changed.is_full()), ((0, 0), false));
    let done = act(changed, TeachAction::Finish(1_800_000_000));
    assert_eq!((assigned(&done).outcome.right, verdict(&done).as_str()), (0, "code.below"));
    // An answer that comes late is that of the text that was checked.
    let waits = typed(state, FIRST_FIT);
    let check = TeachAction::Program(WriteAction::Check(PictureLook::default()));
    let waits = waits
        .reduce(Action::Teach(check))
        .reduce(Action::Teach(TeachAction::Program(WriteAction::Type(BEST_FIT.into()))));
    let wanted = waits.teaching.wanted.clone().expect("it is judged");
    let TeachTask::Judge { code, name, .. } = &wanted.request else { panic!("{:?}", wanted.request) };
    assert_eq!((code.as_str(), name.as_str()), (FIRST_FIT, "Ann"));
    let answer = crate::testing::taught(&wanted.request);
    let late = waits.reduce(Action::Teach(TeachAction::Answered(wanted.number, Some(answer))));
    assert!(assigned(&late).writing.verdict().is_none() && late.marks().is_empty());
}

#[test]
fn the_first_set_that_is_wrong_is_opened_at_the_first_difference() {
    let example = begun_writing(LINK);
    let bytes = |state: &State| state.document.open.as_ref().expect("open").bytes.clone();
    let state = checked(example.clone(), FIRST_FIT);
    assert_eq!(right(&state), (0, 6));
    let judged = assigned(&state).writing.last().expect("judged").clone();
    let InstanceVerdict::Differs(frame) = judged.verdicts[0] else { panic!("{:?}", judged.verdicts) };
    assert_eq!((state.frame(), state.document.planner.as_str()), (frame, "best-fit"));
    assert!(bytes(&state) != bytes(&example));
    assert_eq!(assigned(&state).stage, Stage::Asking, "the exercise goes on");
    let done = act(state, TeachAction::Finish(1_800_000_000));
    assert_eq!((assigned(&done).outcome.right, verdict(&done).as_str()), (0, "code.below"));
}

#[test]
fn a_program_that_never_ends_or_cannot_be_read_gets_nothing() {
    for code in ["fn place(buffer, gaps) {\n    loop { }\n}", "fn place(", "", "fn place(buffer, gaps) { 0 }"] {
        let state = checked(begun_writing(LINK), code);
        assert_eq!(right(&state).0, 0, "{code}");
        let done = act(state, TeachAction::Finish(1_800_000_000));
        assert_eq!((assigned(&done).outcome.right, verdict(&done).as_str()), (0, "code.below"), "{code}");
    }
}

#[test]
fn the_form_makes_links_of_programs() {
    let with = |fields: &[(Field, &str)]| {
        let mut form = Form::default();
        fields.iter().for_each(|(field, text)| form.write(*field, text.to_string()));
        form.link(None)
    };
    let read = |fields: &[(Field, &str)]| ExerciseLink::read(&with(fields).expect("a link")).expect("an exercise");
    let write = (Field::Kind, "write");
    let usual = read(&[write, (Field::Planner, "best-fit")]);
    assert_eq!((usual.of, usual.pass, usual.most, usual.template.as_str(), usual.bits), (20, 20, None, "", false));
    let more = read(&[write, (Field::Most, "1.1"), (Field::Template, "fn place"), (Field::Of, "8")]);
    assert_eq!((more.of, more.pass, more.most, more.template.as_str()), (8, 8, Some(110), "fn place"));
    assert_eq!(with(&[write, (Field::Most, "much")]).expect_err("refused").key, "teach.bad-most");
    assert_eq!(with(&[write, (Field::Source, "open")]).expect_err("refused").key, "teach.no-document");
    let other = read(&[(Field::Most, "1.1"), (Field::Template, "fn place")]);
    assert_eq!((other.most, other.template.as_str()), (None, ""), "other kinds have neither");
}
