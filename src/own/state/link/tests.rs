//! Programs of links: in the address until the reader answers, and what takes their place.

use super::lacks_programs;
use crate::compare::state::Change;
use crate::compare::state::comparison::Compared;
use crate::open::state::link::LinkPlace;
use crate::own::state::action::OwnAction;
use crate::own::state::tests::{LAST_FIT, act, followed, followed_at, typed, waiting, written};
use crate::shell::state::State;
use crate::shell::state::action::{Action, CompareAction, DocumentAction, Motion, StepAction, ViewAction};
use crate::shell::state::address;
use crate::shell::state::panels::{Mode, Tab};
use memplan_engine::{OwnProgram, PlannerChoice};

#[test]
fn the_program_of_a_link_is_kept_once_the_reader_writes_in_it() {
    let link = address::write(&typed(written(), LAST_FIT));
    let mine = "fn place(buffer, gaps) { gaps[0].start }";
    let agreed = act(followed(&link, false, Some(mine)), Action::Own(OwnAction::Agree));
    let kept = |state: &State| -> Vec<String> {
        state.own.to_keep().map_or(Vec::new(), |kept| kept.programs.iter().map(|it| it.code.to_string()).collect())
    };
    assert!(agreed.is_own_shown());
    assert_eq!(kept(&agreed), [mine], "nobody here has written in the other one");
    let changed = format!("{LAST_FIT}// mine\n");
    assert_eq!(kept(&typed(agreed, &changed)), [mine, &*changed]);
}

#[test]
fn the_address_keeps_a_program_until_the_reader_has_answered() {
    let code = "const OPTIONS = #{ k: 1 };\nfn place(buffer, gaps) {\n    gaps[-1].start\n}\n";
    let set = Action::Document(DocumentAction::Option { key: "k".into(), value: "2".into() });
    let link = address::write(&act(typed(written(), code), set));
    let asks = followed(&link, false, None);
    let parts = |link: &str| -> Vec<String> {
        let keys = ["plan=", "opt=", "code="];
        link.split('&').filter(|part| keys.iter().any(|key| part.starts_with(key))).map(String::from).collect()
    };
    assert_eq!(parts(&address::write(&asks)), parts(&link), "who loads the page again");
    let again = followed(&address::write(&asks), false, None);
    assert_eq!(waiting(&again), [code], "is asked again");
    let agreed = act(again.clone(), Action::Own(OwnAction::Agree));
    assert_eq!(parts(&address::write(&agreed)), parts(&link));
    assert_eq!(agreed.document.options.get("k").map(String::as_str), Some("2"));
    let refused = address::write(&act(again, Action::Own(OwnAction::Refuse)));
    assert!(!refused.contains("code=") && !refused.contains("own-"), "{refused}");
}

#[test]
fn who_chooses_a_planner_in_place_of_a_program_that_waits_has_it_in_the_address() {
    let link = address::write(&typed(written(), LAST_FIT));
    let asks = followed(&link, false, None);
    assert_eq!(waiting(&asks), [LAST_FIT]);
    let chosen = act(asks, Action::Document(DocumentAction::Planner("best-fit".into())));
    assert!(chosen.own.link.is_none());
    let address = address::write(&chosen);
    assert!(address.contains("plan=best-fit") && !address.contains("code="), "{address}");
}

#[test]
fn a_comparison_keeps_its_reference_where_programs_before_it_wait() {
    let state = typed(written(), LAST_FIT);
    let own = OwnProgram::of(LAST_FIT).id;
    let choices = [&*own, "first-fit", "best-fit"].map(PlannerChoice::of).to_vec();
    let compared = Compared { choices, reference: 1, ..Compared::default() };
    let state = act(state, Action::Compare(CompareAction::Change(Change::Restore(Box::new(compared)))));
    let state = act(state, Action::Document(DocumentAction::Planner("first-fit".into())));
    let link = address::write(&act(state, Action::View(ViewAction::Mode(Mode::Compare))));
    let shown = followed(&link, false, None).comparing.compared();
    let names: Vec<&str> = shown.choices.iter().map(|choice| choice.planner.as_str()).collect();
    assert_eq!((names, shown.reference), (vec!["first-fit", "best-fit"], 0));
}

#[test]
fn a_link_to_a_comparison_carries_the_programs_of_its_columns() {
    let [one, other] = ["// One\n", "// Another\n"].map(|remark| format!("{remark}{LAST_FIT}"));
    let state = typed(typed(written(), &one), &other);
    let ids = [&one, &other].map(|code| OwnProgram::of(code).id);
    let choices = ["first-fit", &*ids[0], &*ids[1]].map(PlannerChoice::of).to_vec();
    let compared = Compared { choices: choices.clone(), ..Compared::default() };
    let state = act(state, Action::Compare(CompareAction::Change(Change::Restore(Box::new(compared)))));
    let state = act(state, Action::Document(DocumentAction::Planner("first-fit".into())));
    let link = address::write(&act(state, Action::View(ViewAction::Mode(Mode::Compare))));
    assert!(!lacks_programs(&link), "{link}");
    let columns =
        |state: &State| state.comparing.columns.iter().map(|column| column.choice.clone()).collect::<Vec<_>>();
    let asks = followed(&link, false, None);
    assert_eq!((columns(&asks), asks.document.planner.as_str()), (choices[..1].to_vec(), "first-fit"));
    assert_eq!(waiting(&asks).len(), 2);
    assert!(address::write(&asks).contains(&ids[1]), "the columns stay in the address, too");
    let agreed = act(asks, Action::Own(OwnAction::Agree));
    assert_eq!((columns(&agreed), agreed.document.planner.as_str()), (choices, "first-fit"));
    assert!(agreed.comparing.columns.iter().all(|column| column.plan().is_some()), "and have their plans");
}

#[test]
fn an_address_lacks_the_programs_that_it_names_and_does_not_bring() {
    for (address, lacks) in [
        ("doc=ex:teaching&plan=first-fit", false),
        ("doc=ex:teaching&plan=own-1&code=z:a", false),
        ("plan=own-1&code=z:a&cmp=own-1|best-fit", false),
        ("plan=own-1&code=z:a&cmp=own-1%7Cown-2;k=3", true),
        ("plan=own-1&code=z:a%7Cz:b&cmp=own-1%7Cown-2", false),
        ("plan=own-1", true),
    ] {
        assert_eq!(lacks_programs(&format!("https://memplan.example/#{address}")), lacks, "{address}");
    }
}

#[test]
fn who_agrees_is_where_the_link_points_and_at_its_panel() {
    let state = act(typed(written(), LAST_FIT), Action::Step(StepAction::Seek(3)));
    let state = act(state, Action::View(ViewAction::RightTab(Tab::Why)));
    let link = address::write(&state);
    let asks = followed_at(&link, LinkPlace { frame: Some(3), ..LinkPlace::default() });
    // Meanwhile the reader looks at the plan of another planner.
    let asks = act(asks, Action::Step(StepAction::Move(Motion::Last)));
    let asks = act(asks, Action::View(ViewAction::RightTab(Tab::State)));
    let agreed = act(asks, Action::Own(OwnAction::Agree));
    assert!(agreed.is_own_shown());
    assert_eq!((agreed.frame(), agreed.tab()), (3, Tab::Why));
    let code = act(state, Action::View(ViewAction::RightTab(Tab::Code)));
    let asks = followed_at(&address::write(&code), LinkPlace::default());
    assert_eq!(act(asks, Action::Own(OwnAction::Agree)).tab(), Tab::Code);
}

#[test]
fn a_program_of_a_link_that_does_not_plan_leaves_the_plan_that_is_there() {
    let code =
        "const OPTIONS = #{ k: 4 };\nfn place(buffer, gaps) { if OPTIONS.k > 50 { () } else { gaps[-1].start } }";
    let link = address::write(&typed(written(), code));
    let link = format!("{link}&opt=k:100");
    let asks = followed(&link, false, None);
    let before = (asks.document.planner.clone(), asks.document.options.clone());
    let agreed = act(asks, Action::Own(OwnAction::Agree));
    assert_eq!((agreed.document.planner.clone(), agreed.document.options.clone()), before);
    assert_eq!(agreed.document.notice.as_ref().map(|notice| &*notice.title.key), Some("notice.own-refused"));
    assert!(agreed.own.open && agreed.own_mistake().is_some());
}
