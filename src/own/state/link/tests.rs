//! Programs of links: in the address until the reader answers, and what takes their place.

use super::lacks_programs;
use crate::compare::state::Change;
use crate::compare::state::comparison::Compared;
use crate::open::state::link::LinkPlace;
use crate::own::state::action::OwnAction;
use crate::own::state::kept::{Kept, KeptProgram};
use crate::own::state::tests::{
    LAST_FIT, act, follow, followed, followed_at, reloaded, settled, text, typed, types, waiting, written,
};
use crate::shell::state::State;
use crate::shell::state::action::{Action, CompareAction, DocumentAction, Motion, StepAction, ViewAction};
use crate::shell::state::address;
use crate::shell::state::panels::{Mode, Tab};
use crate::testing::done;
use memplan_engine::{OwnProgram, PlannerChoice};

#[test]
fn the_programs_of_a_link_are_kept_once_the_reader_agrees() {
    let link = address::write(&typed(written(), LAST_FIT));
    let mine = "fn place(buffer, gaps) { gaps[0].start }";
    let asks = followed(&link, false, Some(mine));
    assert!(asks.own.to_keep().is_none_or(|kept| kept.programs.len() == 1), "nobody has agreed");
    let agreed = act(asks, Action::Own(OwnAction::Agree));
    assert!(agreed.is_own_shown());
    let kept = agreed.own.to_keep().expect("the list has changed");
    let codes: Vec<&str> = kept.programs.iter().map(|program| &*program.code).collect();
    assert_eq!((codes, kept.code()), (vec![mine, LAST_FIT], Some(LAST_FIT)));
    // The next visit asks no more, and lists it once.
    let state = State::new(None, false).reduce(Action::Own(OwnAction::Kept(kept)));
    let again = follow(state, &link, false, LinkPlace::default());
    assert!(again.own.link.is_none() && again.is_own_shown());
    assert_eq!(again.own.drafts().len(), 2);
    // So are those of columns, beside which no editor is open.
    let (compared, codes) = agreed_to_two(None, 0);
    let compared = act(compared, Action::Document(DocumentAction::Planner("first-fit".into())));
    let asks = followed(&address::write(&compared), false, None);
    let agreed = act(asks, Action::Own(OwnAction::Agree));
    let kept = agreed.own.to_keep().expect("the list has changed");
    assert!(
        !agreed.own.open && kept.programs.iter().map(|program| &*program.code).eq(codes.iter().map(|code| &**code))
    );
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
    // Both have the name that nobody gave; on a list there is one of it.
    let named = PlannerChoice::of(&OwnProgram::named("my_planner_2.rhai", &other).id);
    let expected = choices[..2].iter().cloned().chain([named]).collect();
    assert_eq!((columns(&agreed), agreed.document.planner.as_str()), (expected, "first-fit"));
    assert!(agreed.comparing.columns.iter().all(|column| column.plan().is_some()), "and have their plans");
}

/// The second of two programs of a link beside the first, on a page whose list has these programs.
fn agreed_to_two(kept: Option<&str>, main: usize) -> (State, [String; 2]) {
    let codes = ["// One\n", "// Another\n"].map(|remark| format!("{remark}{LAST_FIT}"));
    let state = act(typed(written(), &codes[0]), Action::Own(OwnAction::Rename("one".into())));
    let state =
        act(typed(act(state, Action::Own(OwnAction::New)), &codes[1]), Action::Own(OwnAction::Rename("other".into())));
    let state = act(state, Action::Own(OwnAction::Select(main)));
    let choices = state.own.drafts().iter().filter_map(|draft| draft.planner()).map(PlannerChoice::of).collect();
    let compared = Compared { choices, ..Compared::default() };
    let state = act(state, Action::Compare(CompareAction::Change(Change::Restore(Box::new(compared)))));
    let link = address::write(&act(state, Action::View(ViewAction::Mode(Mode::Compare))));
    let asks = followed(&link, false, kept);
    assert_eq!(waiting(&asks).len(), 2);
    (act(asks, Action::Own(OwnAction::Agree)), codes)
}

#[test]
fn every_program_of_a_link_is_on_the_list_and_opens_with_its_text() {
    for main in 0..2 {
        let (agreed, codes) = agreed_to_two(None, main);
        let mut listed: Vec<(&str, &str)> =
            agreed.own.drafts().iter().map(|draft| (&*draft.name, &*draft.code)).collect();
        listed.sort_unstable();
        assert_eq!(listed, [("one.rhai", &*codes[0]), ("other.rhai", &*codes[1])]);
        assert_eq!(text(&agreed), Some(&*codes[main]));
        let choice = agreed.comparing.columns[1 - main].choice.clone();
        let scope = agreed.document.scope.clone();
        let opened = act(agreed, Action::Compare(CompareAction::OpenInSteps { choice, scope }));
        assert_eq!((text(&opened), opened.is_own_shown()), (Some(&*codes[1 - main]), true));
    }
}

#[test]
fn programs_of_a_link_get_free_names_and_their_columns_follow() {
    let mine = "fn place(buffer, gaps) { gaps[0].start }";
    let (agreed, _) = agreed_to_two(Some(mine), 1);
    let agreed = act(agreed, Action::Own(OwnAction::Rename("one".into())));
    let names: Vec<&str> = agreed.own.drafts().iter().map(|draft| &*draft.name).collect();
    assert_eq!((names.len(), names.contains(&"one_2.rhai")), (3, true), "{names:?}");
    // The same link once more, where another program has the name of one of its own.
    let link = address::write(&agreed);
    let other = Kept {
        programs: ["one.rhai", "one_2.rhai"]
            .map(|name| KeptProgram { name: name.into(), code: format!("// {name}").into() })
            .into(),
        ..Kept::default()
    };
    let state = State::new(None, false).reduce(Action::Own(OwnAction::Kept(other)));
    let agreed = act(follow(state, &link, false, LinkPlace::default()), Action::Own(OwnAction::Agree));
    let listed: Vec<Option<&str>> = agreed.own.drafts().iter().map(|draft| draft.planner()).collect();
    assert_eq!(listed.len(), 4);
    assert!(agreed.comparing.columns.iter().all(|column| listed.contains(&Some(&*column.choice.planner))));
    assert!(agreed.comparing.columns.iter().all(|column| column.plan().is_some()));
}

#[test]
fn who_loads_the_page_again_goes_on_with_the_text_of_now() {
    let state = typed(written(), LAST_FIT);
    let link = address::write(&state);
    let newer = format!("// Newer\n{LAST_FIT}");
    let of_now = typed(state.clone(), &newer).own.to_keep().expect("written");
    let again = reloaded(&link, of_now.clone());
    assert!(again.own.link.is_none() && again.is_own_shown());
    let codes = |state: &State| state.own.drafts().iter().map(|draft| draft.code.to_string()).collect::<Vec<_>>();
    assert_eq!(codes(&again), [&*newer], "and not twice");
    // The text of now does not plan: the plan is that of the one before, as it was.
    let broken = typed(state.clone(), "fn place(").own.to_keep().expect("written");
    let again = reloaded(&link, broken);
    assert_eq!((waiting(&again).len(), codes(&again)), (0, vec!["fn place(".to_string()]));
    assert!(again.own_mistake().is_some() && again.own.open);
    assert_eq!(again.document.run.map(|run| run.planner.clone()), Some(OwnProgram::of(LAST_FIT).id));
    // Others are asked, even if a program of that name is theirs.
    let asks = State::new(None, false).reduce(Action::Own(OwnAction::Kept(of_now.clone())));
    assert_eq!(waiting(&follow(asks, &link, false, LinkPlace::default())), [LAST_FIT]);
    // So do the columns of a comparison.
    let choices = vec![PlannerChoice::of("first-fit"), PlannerChoice::of(&state.document.planner)];
    let compared = Compared { choices, ..Compared::default() };
    let state = act(state, Action::Compare(CompareAction::Change(Change::Restore(Box::new(compared)))));
    let link = address::write(&act(state, Action::View(ViewAction::Mode(Mode::Compare))));
    let again = reloaded(&link, of_now);
    assert_eq!(again.comparing.columns[1].choice.planner, OwnProgram::of(&newer).id);
    assert!(again.comparing.columns[1].plan().is_some());
}

#[test]
fn a_typed_text_is_awaited_until_it_is_planned_by_or_has_a_mistake() {
    let state = written();
    assert!(!state.own_is_awaited());
    let mut state = types(state, LAST_FIT);
    let mut steps = 0;
    while state.own_is_awaited() {
        assert!(!state.is_own_shown());
        (state, steps) = (done(state), steps + 1);
    }
    assert!(steps > 1 && state.is_own_shown(), "it is checked, and then it plans");
    assert!(address::write(&state).contains(&OwnProgram::of(LAST_FIT).id));
    let wrong = types(state, "fn place(");
    assert!(wrong.own_is_awaited() && !settled(wrong).own_is_awaited());
}

#[test]
fn a_link_leaves_out_a_text_that_made_no_plan() {
    let state = typed(written(), LAST_FIT);
    assert!(!state.link_lacks_text());
    let wrong = typed(state, "fn place(");
    assert!(wrong.link_lacks_text() && address::write(&wrong).contains(&OwnProgram::of(LAST_FIT).id));
    let lessons = act(wrong.clone(), Action::View(ViewAction::Mode(Mode::Learn)));
    assert!(!lessons.link_lacks_text(), "no program is meant there");
    let other = act(wrong, Action::Document(DocumentAction::Planner("best-fit".into())));
    assert!(!other.link_lacks_text());
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
