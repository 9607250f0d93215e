//! Links into the teacher's corner, and results that were kept.

use crate::learn::exercise::state::first_frame;
use crate::learn::exercise::state::stage::Stage;
use crate::learn::teacher::state::form::{Corner, Field};
use crate::learn::teacher::state::tests::{LINK, act, answered, assigned, begun, done_with};
use crate::shell::state::State;
use crate::shell::state::action::{Action, DocumentAction, TeachAction};
use crate::shell::state::address::{self, Target};
use crate::shell::state::panels::Mode;

#[test]
fn a_link_leads_to_the_check_and_to_a_worksheet() {
    assert_eq!(address::read("#check").restored.teach, Some(Corner::Link));
    let sheet = address::read("#worksheet=ex:learn/fits-best&plan=best-fit&given=6");
    assert_eq!(sheet.target, Target::Example("learn/fits-best".into()));
    assert_eq!((sheet.restored.given, sheet.restored.planner.as_deref()), (Some(6), Some("best-fit")));
    assert_eq!(address::read("#worksheet=ex:teaching").restored.given, Some(0));
    assert_eq!(address::read("#worksheet=ex:teaching&given=all").restored.given, Some(0));
    assert_eq!(address::read("#doc=ex:teaching&given=6").restored.given, None);
    // The corner stays while the document comes.
    let restore = DocumentAction::Restore(Box::new(sheet.restored));
    let state = crate::testing::done(State::default().reduce_one(Action::Document(restore)));
    let open = DocumentAction::Open {
        origin: crate::open::state::document::Origin::Example("learn/fits-best".into()),
        bytes: include_bytes!("../../../../../www/graphs/learn/fits-best.csv").to_vec().into(),
        choices: Default::default(),
        place: Some(first_frame()),
    };
    let state = crate::testing::done(state.reduce_one(Action::Document(open)));
    assert_eq!((state.view.mode, state.teaching.corner), (Mode::Learn, Some(Corner::Sheet)));
    assert_eq!((state.teaching.form.read(Field::Given), state.document.planner.as_str()), ("6", "best-fit"));
}

#[test]
fn a_result_that_was_kept_is_shown_again() {
    let done = done_with(begun(LINK), 1);
    let code = assigned(&done).code.clone();
    let restore = |name: &str, code: &str| TeachAction::Restore(name.into(), code.into());
    let open = || State::default().reduce_one(Action::Teach(TeachAction::Open(LINK.into())));
    // Asked for before the link was read, and after it.
    let early = answered(open().reduce_one(Action::Teach(restore("Ann", &code.to_lowercase()))));
    for shown in [early, act(answered(open()), restore("ann", &code))] {
        assert_eq!((assigned(&shown).stage, &assigned(&shown).code), (Stage::Done, &code));
        assert_eq!(assigned(&shown).outcome, assigned(&done).outcome);
        let report = shown.exercise_progress().expect("done");
        assert_eq!((report.state, report.right, report.answered, report.code), ("done", 5, 6, code.clone()));
        // The second of two attempts is left.
        let again = act(shown, TeachAction::Begin);
        assert_eq!((assigned(&again).stage, assigned(&again).attempts), (Stage::Asking, 2));
        let again = done_with(again, 0);
        assert_eq!((assigned(&again).outcome.right, assigned(&again).may_begin()), (6, false));
    }
    let other = "exercise=1&seed=8&difficulty=1&plan=first-fit&kind=predict&pass=4&of=6";
    for (link, name, code, why) in [
        (LINK, "Eve", code.as_str(), "code.name-differs"),
        (other, "Ann", &code, "code.other-exercise"),
        (LINK, "Ann", "MP1-1", "code.length"),
    ] {
        let state = act(act(State::default(), TeachAction::Open(link.into())), restore(name, code));
        let failure = assigned(&state).failure.as_ref().map(|why| why.key.to_string());
        assert_eq!((assigned(&state).stage, failure.as_deref()), (Stage::Ready, Some(why)));
    }
}
