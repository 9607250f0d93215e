use crate::open::state::document::Origin;
use crate::own::state::tests::{LAST_FIT, act, typed, written};
use crate::shell::state::State;
use crate::shell::state::action::{Action, DocumentAction};
use crate::shell::state::panels::Tab;
use memplan_engine::is_own;
use memplan_formats::import::Answers;

/// Plans nothing that has a buffer of this name, and nothing with a large option.
const PICKY: &str = "const OPTIONS = #{ k: 4 };
fn place(buffer, gaps) {
    if buffer.name == \"odd\" || OPTIONS.k > 50 { () } else { gaps[-1].start }
}
";

/// Opens a graph in which a buffer has this name.
fn opens(state: State, name: &str) -> State {
    let diamond = include_str!("../../../../www/graphs/diamond.json");
    let bytes = diamond.replace("\"add\"", &format!("\"{name}\"")).into_bytes();
    let (origin, choices) = (Origin::File(format!("{name}.json")), Answers::default());
    act(state, Action::Document(DocumentAction::Open { origin, bytes: bytes.into(), choices, place: None }))
}

fn set(state: State, k: &str) -> State {
    act(state, Action::Document(DocumentAction::Option { key: "k".into(), value: k.into() }))
}

fn notice(state: &State) -> Option<String> {
    state.document.notice.as_ref().map(|notice| notice.title.key.to_string())
}

#[test]
fn a_document_that_the_program_does_not_plan_is_shown_beside_the_mistake() {
    let state = opens(set(typed(written(), PICKY), "5"), "odd");
    let run = state.document.run.as_ref().expect("a plan of another planner");
    assert!(run.problem.buffer_named("odd").is_some());
    let seen = (state.document.planner.as_str(), state.own.open, state.tab(), notice(&state));
    assert!(!is_own(&state.document.planner) && state.own.open && state.tab() == Tab::Code, "{seen:?}");
    assert_eq!(notice(&state).as_deref(), Some("notice.own-refused"));
    assert_eq!(state.own_mistake().map(|mistake| &*mistake.reason.key), Some("own-planner.no-offset"));
    // Neither the options nor the planner are forgotten.
    let mended = typed(state.clone(), &PICKY.replace("odd", "none"));
    assert!(mended.is_own_shown());
    assert_eq!(mended.document.options.get("k").map(String::as_str), Some("5"));
    let next = opens(state.clone(), "even");
    assert!(next.is_own_shown() && notice(&next).is_none());
    assert_eq!(next.document.options.get("k").map(String::as_str), Some("5"));
    // Who chooses another planner is done with it.
    let chosen = act(state, Action::Document(DocumentAction::Planner("best-fit".into())));
    let chosen = opens(chosen, "even");
    assert!(!chosen.own.open && chosen.document.planner == "best-fit", "{}", chosen.document.planner);
}

#[test]
fn an_option_with_which_the_program_stops_is_that_of_the_plan_again() {
    let before = set(typed(written(), PICKY), "7");
    let state = set(before.clone(), "100");
    assert_eq!(state.document.options, before.document.options);
    assert!(state.is_own_shown() && state.own_mistake().is_none());
    let told = state.document.notice.as_ref().map(|notice| state.speech().say(&notice.title)).expect("a notice");
    assert!(told.contains("k = 100") && told.contains("k = 7") && told.contains("my_planner.rhai"), "{told}");
    assert!(!told.contains("own-"), "{told}");
    assert!(set(state, "8").document.notice.is_none());
}

#[test]
fn a_document_of_the_first_visit_is_planned_once_the_program_runs() {
    let state = opens(typed(written(), LAST_FIT), "odd");
    let seen = (state.document.planner.as_str(), state.own.open, notice(&state));
    assert!(state.is_own_shown() && notice(&state).is_none(), "{seen:?}");
}
