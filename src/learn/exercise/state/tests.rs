//! Exercises that ask about figures.

use crate::learn::exercise::state::Assigned;
use crate::learn::exercise::state::figures::Figures;
use crate::learn::exercise::state::stage::Stage;
use crate::shell::state::State;
use crate::shell::state::action::{Action, DocumentAction, FigureAction, Motion, StepAction, TeachAction};
use crate::testing::taught;
use memplan_replay::Level;
use memplan_teach::exercise::code;
use memplan_teach::exercise::figure::Figure;
use memplan_teach::lesson::Hidden;

const LINK: &str = "exercise=1&doc=ex:teaching&plan=inductor-tree&kind=number&ask=peak,bound,load@3,offset:G&of=4&pass=3&help=rule&bits=1&id=n";

fn answered(state: State) -> State {
    let Some(wanted) = state.teaching.wanted.clone() else { return state };
    answered(state.reduce_one(Action::Teach(TeachAction::Answered(wanted.number, Some(taught(&wanted.request))))))
}

fn act(state: State, action: TeachAction) -> State {
    crate::testing::done(answered(state.reduce_one(Action::Teach(action))))
}

fn assigned(state: &State) -> &Assigned {
    state.teaching.assigned.as_ref().expect("an exercise")
}

fn figures(state: &State) -> &Figures {
    state.figures().expect("figures are asked")
}

fn begun(link: &str) -> State {
    let state = act(State::default(), TeachAction::Open(link.into()));
    assert_eq!((assigned(&state).stage, assigned(&state).failure.clone()), (Stage::Ready, None));
    let state = act(act(state, TeachAction::Name("Ann".into())), TeachAction::Begin);
    if assigned(&state).fetched().is_none() {
        return crate::testing::done(state);
    }
    let open = DocumentAction::Open {
        origin: crate::open::state::document::Origin::Example("teaching".into()),
        bytes: include_bytes!("../../../../www/graphs/teaching.json").to_vec().into(),
        choices: Default::default(),
        place: assigned(&state).task.as_ref().map(|task| crate::learn::exercise::state::first_frame_of(task)),
    };
    crate::testing::done(state.reduce_one(Action::Document(open)))
}

fn figure(state: State, action: FigureAction) -> State {
    state.reduce_one(Action::Teach(TeachAction::Figure(action)))
}

fn answer(state: State, text: &str) -> State {
    figure(figure(state, FigureAction::Write(text.into())), FigureAction::Check)
}

/// Keys of what is said of the last answer.
fn feedback(state: &State) -> Vec<String> {
    let last = figures(state).answers.last().expect("an answer");
    last.feedback.iter().map(|message| message.key.to_string()).collect()
}

#[test]
fn figures_are_asked_one_by_one_and_wrong_answers_get_the_rule() {
    let state = begun(LINK);
    assert_eq!((assigned(&state).stage, assigned(&state).failure.clone()), (Stage::Asking, None));
    let texts: Vec<String> = figures(&state).asked.iter().map(Figure::write).collect();
    assert_eq!(texts, ["load@3", "bound", "offset:G", "peak"]);
    // A is not alive at step 3 any more.
    let state = answer(state, "2304");
    assert_eq!(feedback(&state), ["number.miss-end", "number.rule-load", "number.told-load"]);
    assert_eq!(
        answer(state.clone(), "1304").figures().map(|figures| figures.answers.len()),
        Some(1),
        "the answer stands"
    );
    let state = figure(state, FigureAction::Next);
    assert_eq!((figures(&state).open(), figures(&state).text.as_str()), (Some(1), ""));
    let unread = answer(state, "many");
    assert_eq!(figures(&unread).unread.as_ref().map(|why| why.key.to_string()).as_deref(), Some("lesson.no-bytes"));
    assert_eq!(figures(&unread).answers.len(), 1, "that is no answer");
    let state = answer(unread, "1,704");
    assert_eq!((feedback(&state), figures(&state).answers[1].right), (vec!["number.told-bound".to_string()], true));
    let state = answer(figure(state, FigureAction::Next), "1024");
    assert_eq!(feedback(&state), ["predict.blocked", "number.rule-offset", "number.told-offset"]);
    assert!(!state.is_full());
    // The bound is known by now, so it may be named.
    let state = answer(figure(state, FigureAction::Next), "1.66 KiB");
    assert_eq!(feedback(&state)[0], "number.miss-bound");
    assert!(state.is_full() && !state.has_next_plan());
    let state = act(state, TeachAction::Finish(1_800_000_000));
    let outcome = assigned(&state).outcome;
    assert_eq!((assigned(&state).stage, outcome.right, outcome.of, outcome.shown), (Stage::Done, 1, 4, false));
    let read = code::read(&assigned(&state).code).expect("a code");
    assert_eq!((read.outcome, read.answers), (outcome, Some(vec![false, true, false, false])));
    let missed: Vec<String> = state.missed_rules().into_iter().map(|missed| missed.rule).collect();
    assert_eq!(missed, ["number.rule-load", "number.rule-offset", "number.rule-peak"]);
    assert!(state.learning.learned.is_empty(), "nothing is kept of an exercise");
}

#[test]
fn a_miss_that_tells_a_figure_still_asked_is_not_named() {
    let state = answer(figure(answer(begun(LINK), "1304"), FigureAction::Next), "1856");
    // That is the peak, which is asked later.
    assert_eq!(feedback(&state)[0], "lesson.too-large");
    let alone = LINK.replace("peak,bound,load@3,offset:G&of=4&pass=3", "bound&of=1");
    assert_eq!(feedback(&answer(begun(&alone), "1856"))[0], "number.miss-peak");
}

#[test]
fn nothing_shows_a_figure_before_its_answer() {
    let mut state = begun(LINK);
    let run = state.document.run.clone().expect("planned");
    let place = run.timeline.decision_of(run.buffer_named("G").expect("a buffer")).expect("placed") as u32;
    for text in ["1304", "1704", "1792"] {
        assert!(state.has_open_figures() && state.keeps_figures_back());
        assert_eq!(
            (state.frame(), state.hides()),
            (place, Some(place)),
            "before G is placed, which makes the peak grow"
        );
        let masked = run.prefix(place);
        assert!(masked.metrics.peak < 1856 && masked.plan.places[run.buffer_named("G").expect("a buffer")].is_none());
        for hidden in [Hidden::Load, Hidden::Bound, Hidden::Peak] {
            assert!(state.exercise_hides(hidden), "{hidden:?}");
        }
        // The picture cannot be moved on, nor can a step be looked at.
        for action in [
            StepAction::Move(Motion::Next),
            StepAction::Move(Motion::Last),
            StepAction::Seek(8),
            StepAction::Level(Level::All),
            StepAction::RunTo { forward: true },
            StepAction::Fullest { next: false },
            StepAction::Cursor(Some(3)),
            StepAction::Play(true),
        ] {
            let after = state.clone().reduce_one(Action::Step(action.clone()));
            assert_eq!(
                (after.frame(), after.stepping.step, after.stepping.playing),
                (place, None, false),
                "{action:?}"
            );
        }
        state = figure(answer(state, text), FigureAction::Next);
    }
    let state = figure(state, FigureAction::Show);
    assert!(!state.has_open_figures() && state.hides().is_none() && state.frame() == 8, "the whole plan is shown");
    assert!(!state.exercise_hides(Hidden::Bound));
    let done = act(state, TeachAction::Finish(1_800_000_000));
    assert_eq!((assigned(&done).outcome.right, assigned(&done).outcome.shown), (3, true));
}

#[test]
fn a_link_may_show_less_of_the_plan() {
    let link = LINK.replace("kind=number", "kind=number&f=2");
    assert_eq!(begun(&link).frame(), 2);
    assert_eq!(begun(&LINK.replace("kind=number", "kind=number&f=9")).frame(), begun(LINK).frame(), "but never more");
}

#[test]
fn instances_follow_one_another_until_all_questions_are_asked() {
    let link = "exercise=1&seed=7&difficulty=1&plan=first-fit&kind=number&ask=bound,peak&of=3&pass=2";
    let mut state = begun(link);
    let mut documents = vec![state.document.open.as_ref().expect("made").bytes.clone()];
    for question in 0..3 {
        let run = state.document.run.clone().expect("planned");
        let at = figures(&state).open().expect("a question");
        let value = figures(&state).asked[at].value(&run).expect("a figure");
        state = answer(state, &value.to_string());
        assert_eq!(state.exercise_progress().map(|act| (act.right, act.answered)), Some((question + 1, question + 1)));
        if question == 1 {
            assert!(state.has_next_plan() && figures(&state).is_over());
            state = crate::testing::done(act(state, TeachAction::NextPlan));
            assert_eq!(
                (assigned(&state).stage, figures(&state).asked.len()),
                (Stage::Asking, 1),
                "one question is left"
            );
            documents.push(state.document.open.as_ref().expect("made").bytes.clone());
        } else if question == 0 {
            state = figure(state, FigureAction::Next);
        }
    }
    assert!(state.is_full() && documents[0] != documents[1]);
    let done = act(state, TeachAction::Finish(1_800_000_000));
    assert_eq!((assigned(&done).outcome.right, assigned(&done).outcome.of), (3, 3));
    let again = crate::testing::done(act(done, TeachAction::Begin));
    assert_eq!((assigned(&again).attempts, figures(&again).answers.len()), (2, 0));
    assert_eq!(again.document.open.as_ref().expect("made").bytes, documents[0]);
}

#[test]
fn what_a_document_does_not_have_is_told() {
    let link = LINK.replace("load@3", "load@8");
    let state = begun(&link);
    let why = assigned(&state).failure.as_ref().map(|why| why.key.to_string());
    assert_eq!((assigned(&state).stage, why.as_deref()), (Stage::Ready, Some("number.none")));
}
