//! The panel *Code*, drawn as text, with the engine and the language behind it.

use std::rc::Rc;

use yew::prelude::*;

use crate::context::{Layout, Page, use_page};
use crate::export::menu::ExportMenu;
use crate::own::editor::running;
use crate::own::panel::CodePanel;
use crate::own::state::kept::Kept;
use crate::own::state::tests::{opened_own, settled, typed, types};
use crate::planners::planner_menu::{choices, planner_menu};
use crate::planners::state::PickFilter;
use crate::present::Presented;
use crate::shell::state::State;
use crate::shell::state::action::{Action, DocumentAction, Motion, OwnAction, StepAction, ViewAction};
use crate::shell::state::panels::{Overlay, Tab};
use crate::step::transport::levels::levels;
use crate::testing::{Screen, page_of, screen, screen_of, spaced};

#[component]
fn Levels() -> Html {
    levels(&use_page())
}

#[component]
fn Choices() -> Html {
    choices(&use_page())
}

#[component]
fn Header() -> Html {
    planner_menu(&use_page())
}

fn panel(state: &State) -> Screen {
    screen(state.clone(), html! { <CodePanel /> })
}

fn act(state: State, action: Action) -> State {
    settled(state.reduce(action))
}

#[test]
fn the_list_of_planners_ends_with_writing_your_own() {
    let state = opened_own().reduce(Action::View(ViewAction::Overlay(Some(Overlay::Planners))));
    let shown = screen(state.clone(), html! { <Choices /> });
    assert_eq!(shown.texts("#write-own b"), [state.speech().word("own.write")]);
}

#[test]
fn the_editor_has_the_text_with_its_results_and_help() {
    let state = act(opened_own(), Action::Own(OwnAction::Write));
    let shown = panel(&state);
    let run = state.document.run.as_ref().expect("planned");
    assert!(shown.text("#own-results").contains(&spaced(&state.speech().bytes(run.metrics.peak))));
    assert!(shown.text("#own-results").contains(&state.speech().word("own.sound")));
    assert!(shown.texts(".code-line .code-text").iter().any(|line| line.contains("return gap.start;")));
    assert!(shown.all("#own-mistake").is_empty());
    assert!(shown.text(".own-help").contains("fn place(buffer, gaps)"));
    let keys = shown.attributes("#own-code", "aria-describedby");
    assert_eq!(keys, ["own-keys"]);
}

#[test]
fn the_lines_of_the_shown_decision_are_marked_with_their_values() {
    let state = act(opened_own(), Action::Own(OwnAction::Write));
    let state = act(state, Action::Step(StepAction::Move(Motion::Last)));
    let shown = panel(&state);
    assert_eq!(shown.texts(".code-line.lit .code-text"), ["            return gap.start;".trim()]);
    assert!(shown.attributes(".code-line.ran", "data-line").contains(&"4".to_string()));
    let value = shown.text(".code-line.lit .code-value");
    assert!(value.starts_with('→'), "{value}");
    assert_eq!(shown.text("#own-statement-value"), value, "behind a long line it may be out of sight");
    assert!(shown.texts("#own-values code").contains(&"gap".to_string()));
}

#[test]
fn a_mistake_stands_with_its_line_and_a_remedy() {
    let state = act(opened_own(), Action::Own(OwnAction::Write));
    let state = typed(state, "fn place(buffer, gaps) {\n    gaps[-1].strat\n}");
    let shown = panel(&state);
    assert_eq!(shown.attributes("#own-mistake", "data-line"), ["2"]);
    assert_eq!(shown.texts(".code-line.bad .wrong"), ["strat"]);
    assert!(shown.text("#own-remedy").contains("start"));
    assert_eq!(shown.texts("#own-before").len(), 1, "the plan is that of the text before");
}

#[test]
fn classic_planners_show_their_program_and_others_none() {
    let state = act(opened_own(), Action::Document(DocumentAction::Planner("best-fit".into())));
    assert!(state.has_code());
    let state = act(state, Action::View(ViewAction::RightTab(Tab::Code)));
    let state = act(state, Action::Step(StepAction::Move(Motion::Last)));
    let shown = panel(&state);
    assert_eq!(shown.texts("#make-yours").len(), 1);
    assert_eq!(shown.texts(".code-line.lit .code-text"), ["best.start"]);
    assert_eq!(screen(state.clone(), html! { <Levels /> }).texts("#level-lines"), [state.speech().word("own.lines")]);
    let other = act(state, Action::Document(DocumentAction::Planner("naive".into())));
    assert!(!other.has_code());
    assert!(screen(other, html! { <Levels /> }).all("#level-lines").is_empty());
}

#[component]
fn Stops() -> Html {
    let page: Page = use_page();
    running(&page)
}

#[test]
fn a_run_that_takes_long_can_be_stopped_and_begun_again() {
    let state = act(opened_own(), Action::Own(OwnAction::Write));
    let shown = screen(state.clone(), html! { <Stops /> });
    assert_eq!(shown.texts("[role=status] #own-cancel"), [state.speech().word("working.cancel")]);
    assert!(panel(&state).all("#own-again, #own-cancel").is_empty());
    let code = "fn place(buffer, gaps) {\n    gaps[-1].start + 0\n}\n";
    let mut state = types(state, code);
    while state.own_job().is_none() {
        state = crate::testing::done(state);
    }
    let stopped = act(state, Action::Document(DocumentAction::Cancel));
    let shown = panel(&stopped);
    assert!(shown.text("#own-mistake").contains(&stopped.speech().word("fault.cancelled")));
    assert_eq!(shown.texts("#own-again"), [stopped.speech().word("own.again")]);
}

#[test]
fn the_users_program_stays_on_the_list_and_comes_back_after_it_was_deleted() {
    let code = "// Mine\nfn place(buffer, gaps) {\n    gaps[-1].start\n}\n";
    let zero: Rc<str> = "fn place(buffer, gaps) {\n    0\n}\n".into();
    let mine = typed(act(opened_own(), Action::Own(OwnAction::Write)), code);
    let other = act(mine, Action::Own(OwnAction::Begin("zero".into(), zero)));
    let shown = panel(&other);
    assert_eq!(shown.texts("#own-program option"), ["my_planner.rhai", "zero.rhai"]);
    assert_eq!(shown.texts("#own-program option[selected]"), ["zero.rhai"]);
    assert!(!shown.texts(".code-line .code-text").contains(&"// Mine".to_string()));
    let back = act(other, Action::Own(OwnAction::Select(0)));
    assert!(panel(&back).texts(".code-line .code-text").contains(&"// Mine".to_string()));
    let gone = act(back, Action::Own(OwnAction::Delete));
    let shown = panel(&gone);
    assert_eq!(shown.texts("#own-program option"), ["zero.rhai"]);
    assert!(shown.text("#own-bring-back").contains("my_planner.rhai"));
    let again = act(gone.clone(), Action::Own(OwnAction::Delete));
    let shown = panel(&again);
    assert!(shown.text("#own-bring-back").contains("zero.rhai"));
    assert!(shown.texts("#own-deleted .btn")[0].contains("my_planner.rhai"));
    let back = act(gone.clone(), Action::Own(OwnAction::BringBack(gone.own.deleted()[0].key())));
    let shown = panel(&back);
    assert!(shown.all("#own-bring-back").is_empty() && back.is_own_shown());
    assert!(shown.texts(".code-line .code-text").contains(&"// Mine".to_string()));
}

#[test]
fn every_program_is_found_by_its_name_beside_the_planners() {
    let state =
        typed(act(opened_own(), Action::Own(OwnAction::Write)), "fn place(buffer, gaps) {\n    gaps[-1].start\n}");
    let state = act(state, Action::Own(OwnAction::Duplicate));
    let state = act(state, Action::Own(OwnAction::Rename("best of mine".into())));
    let opened = state.clone().reduce(Action::View(ViewAction::Overlay(Some(Overlay::Planners))));
    let shown = screen(opened, html! { <Choices /> });
    assert_eq!(shown.attributes(".pick[data-own]", "data-own"), ["my_planner.rhai", "best of mine.rhai"]);
    assert_eq!(shown.attributes(".pick[aria-current]", "data-own"), ["best of mine.rhai"]);
    let picks = state.own_picks();
    let found = |text: &str| {
        let filter = PickFilter::read(text);
        picks.iter().filter(|own| filter.takes(&own.pick, &own.name)).map(|own| &*own.name).collect::<Vec<_>>()
    };
    assert_eq!((found("best"), found("rhai").len(), found("zzz").len()), (vec!["best of mine.rhai"], 2, 0));
    let names = panel(&state).texts("#own-beside option");
    assert!(names.contains(&"my_planner.rhai".to_string()) && !names.contains(&"best of mine.rhai".to_string()));
}

#[test]
fn a_presented_plan_has_its_program_beside_it_if_it_was_in_sight() {
    let state = act(opened_own(), Action::Own(OwnAction::Write));
    let shown = |state: &State| {
        let state = state.clone().reduce(Action::View(ViewAction::Present(true)));
        screen(state, html! { <Presented /> }).texts("#presented-code .code-text")
    };
    assert!(shown(&state).iter().any(|line| line.contains("return gap.start;")));
    let other = act(state, Action::View(ViewAction::RightTab(Tab::Why)));
    assert!(shown(&other).is_empty());
}

#[test]
fn the_editor_is_enlarged_on_a_small_screen_alone() {
    let state = act(opened_own(), Action::Own(OwnAction::Write));
    assert!(panel(&state).all("#own-large").is_empty());
    let narrow = |state: &State| screen_of(state.clone(), Layout::Narrow, html! { <CodePanel /> });
    assert_eq!(narrow(&state).attributes("#own-large", "aria-pressed"), ["false"]);
    let large = act(state, Action::Own(OwnAction::Enlarge(true)));
    assert_eq!(narrow(&large).all("#own-panel.large #own-large").len(), 1);
    assert!(panel(&large).all("#own-panel.large").is_empty());
}

#[test]
fn a_closed_list_of_broken_rules_is_opened_from_the_results() {
    let state = typed(act(opened_own(), Action::Own(OwnAction::Write)), "fn place(buffer, gaps) {\n    0\n}");
    assert!(panel(&state).all("#own-broken").is_empty());
    let closed = act(state, Action::Document(DocumentAction::HideViolations(true)));
    assert_eq!(panel(&closed).texts("#own-broken").len(), 1);
    let same = typed(closed.clone(), "fn place(buffer, gaps) {\n    0 + 0\n}");
    assert!(same.document.hides_violations, "the same list stays closed");
    let other = typed(closed, "fn place(buffer, gaps) {\n    if buffer.id > 2 { gaps[-1].start } else { 0 }\n}");
    assert!(!other.document.violations.is_empty() && !other.document.hides_violations, "another list is new");
}

#[test]
fn values_beside_the_lines_are_those_of_the_table_at_every_statement() {
    let code = "fn place(buffer, gaps) {
    let best = ();
    for g in gaps {
        if g.size >= buffer.size {
            best = g;
        }
    }
    best.start
}
";
    let state = typed(act(opened_own(), Action::Own(OwnAction::Write)), code);
    let state = act(state, Action::Step(StepAction::Move(Motion::Last)));
    let count = state.lines_here().expect("followed").0.statements.kept.len();
    let mut seen = std::collections::BTreeSet::new();
    for at in 0..count {
        let shown = panel(&act(state.clone(), Action::Own(OwnAction::At(at))));
        let cells = shown.texts("#own-values td");
        let held = |name: &str| cells.chunks(2).find(|row| row[0] == name).map(|row| row[1].clone());
        for (line, name) in [(3, "g"), (5, "best")] {
            let beside = shown.texts(&format!(".code-line[data-line='{line}'] .code-value"));
            let beside = beside.first().and_then(|words| words.strip_prefix(&format!("{name} = ")).map(str::to_string));
            if let Some((beside, held)) = beside.zip(held(name)) {
                assert_eq!(beside, held, "{name} at statement {at}");
                seen.insert((name, held));
            }
        }
    }
    assert!(seen.iter().filter(|(name, _)| *name == "g").count() > 1, "{seen:?}");
}

#[test]
fn what_a_mistake_leaves_of_an_older_text_says_so() {
    let state = act(opened_own(), Action::Own(OwnAction::Write));
    let state = act(state, Action::Step(StepAction::Move(Motion::Last)));
    assert_eq!(panel(&state).texts("#own-statement").len(), 1);
    let wrong = typed(state, "fn place(buffer, gaps) {\n    let x = 3;\n    x +\n}");
    let shown = panel(&wrong);
    let results = shown.text("#own-results.stale");
    assert!(results.contains(&wrong.speech().word("own.not-run")), "{results}");
    assert!(!results.contains(&wrong.speech().word("own.sound")), "{results}");
    assert!(shown.all("#own-statement, #own-values, .code-value").is_empty(), "they are of another text");
}

#[test]
fn the_peak_of_a_plan_that_breaks_a_rule_does_not_count() {
    let state = act(opened_own(), Action::Own(OwnAction::Write));
    assert!(panel(&state).all("#own-results .struck, #own-results.stale").is_empty());
    let broken = typed(state, "fn place(buffer, gaps) {\n    0\n}");
    let peak = spaced(&broken.speech().bytes(broken.document.run.as_ref().expect("planned").metrics.peak));
    assert_eq!(panel(&broken).texts("#own-results .struck"), [peak]);
}

#[test]
fn the_picture_shows_the_moment_of_the_statement() {
    let state = act(opened_own(), Action::Own(OwnAction::Write));
    let state = act(state, Action::Step(StepAction::Move(Motion::Last)));
    let state = act(state, Action::Own(OwnAction::Lines(true)));
    let followed = state.lines_here().expect("followed").0.clone();
    let last = followed.statements.kept.len() - 1;
    let mut counts = Vec::new();
    for at in 0..=last {
        let state = act(state.clone(), Action::Own(OwnAction::At(at)));
        let frame = page_of(Rc::new(state.clone())).frame.expect("a frame");
        let buffer = frame.focus.expect("a decision");
        assert_eq!((frame.settled, frame.places[buffer].is_some()), (at == last, at == last), "{at} of {last}");
        assert!(frame.candidates.iter().all(|candidate| candidate.chosen == (at == last) || at == last));
        counts.push(frame.candidates.len());
    }
    assert!(counts.is_sorted() && counts[0] == 0 && counts[last] > 1, "{counts:?}");
    let played = act(state, Action::Step(StepAction::Level(memplan_replay::Level::Decisions)));
    assert!(page_of(Rc::new(played)).frame.expect("a frame").settled);
}

#[test]
fn order_is_stepped_before_the_first_frame() {
    let code = "fn order(buffers) {
    buffers.sort(|a, b| b.size - a.size);
    buffers
}
fn place(buffer, gaps) {
    gaps[-1].start
}
";
    let state = typed(act(opened_own(), Action::Own(OwnAction::Write)), code);
    let state = act(state, Action::Step(StepAction::Move(Motion::Last)));
    let shown = panel(&state);
    assert_eq!(shown.texts("#lines-of-order"), [state.speech().word("own.order-show")]);
    let state = act(state, Action::Step(StepAction::Seek(0)));
    let shown = panel(&state);
    assert!(shown.all("#lines-of-order").is_empty());
    assert_eq!(shown.attributes(".code-line.lit", "data-line"), ["3"]);
    let run = state.document.run.as_ref().expect("planned");
    let first = &run.problem.buffers[run.timeline.decisions[0].buffer].name;
    assert!(shown.text(".code-line.lit .code-value").starts_with(&format!("→ {first}, ")));
    // Steps go through them, and then to the first buffer.
    let state = act(act(state, Action::Own(OwnAction::Lines(true))), Action::Own(OwnAction::At(0)));
    assert_eq!(state.steps_in_lines(), (false, true));
    assert_eq!(act(state.clone(), Action::Own(OwnAction::At(1))).steps_in_lines(), (true, true));
    let (followed, at) = state.lines_here().expect("followed");
    let count = followed.statements.kept.len();
    assert!(at == 0 && count > 2, "{at} of {count}");
    let mut state = state.clone();
    for _ in 1..count {
        state = act(state, Action::Step(StepAction::Move(Motion::Next)));
        assert_eq!(state.frame(), 0);
    }
    assert_eq!(act(state, Action::Step(StepAction::Move(Motion::Next))).frame(), 1);
}

#[test]
fn a_broken_draft_is_what_the_header_names() {
    let header = |state: &State| screen(state.clone(), html! { <Header /> });
    let kept = opened_own().reduce(Action::Own(OwnAction::Kept(Kept::of_text("fn place(").expect("a program"))));
    let state = act(kept, Action::Own(OwnAction::Write));
    let mistake = state.speech().word("own.has-mistake");
    assert_eq!(header(&state).text("#planner-button"), format!("my_planner.rhai {mistake}"));
    assert!(header(&state).labels("#planner-button")[0].ends_with("my_planner.rhai"));
    // Whose plan is shown instead stands above the editor.
    let shown = memplan_planners::name_in_text(&state.document.planner, false, state.speech());
    assert!(panel(&state).text("#own-before").contains(&shown), "{shown}");
    let state = act(state, Action::Document(DocumentAction::Planner("best-fit".into())));
    assert!(!header(&state).text("#planner-button").contains("my_planner"));
}

#[test]
fn the_program_is_exported_and_opened_as_a_file() {
    let menu = |state: &State| {
        let state = state.clone().reduce(Action::View(ViewAction::Overlay(Some(Overlay::Export))));
        screen(state, html! { <ExportMenu /> }).texts("[aria-describedby='export.program-is']")
    };
    assert!(menu(&opened_own()).is_empty());
    let code = "fn place(buffer, gaps) {\n    gaps[-1].start\n}\n";
    let state = act(opened_own(), Action::Own(OwnAction::File("Mine.RHAI".into(), code.into())));
    assert!(state.is_own_shown() && state.tab() == Tab::Code);
    assert_eq!(menu(&state), [state.speech().word("export.program")]);
    // It is the user's, as if it was typed here.
    assert_eq!(state.own.to_keep().and_then(|kept| kept.code().map(String::from)).as_deref(), Some(code));
    let other = act(state, Action::Own(OwnAction::File("b.rhai".into(), "fn place(buffer, gaps) { 0 }".into())));
    assert_eq!(panel(&other).texts("#own-program option"), ["Mine.rhai", "b.rhai"], "nothing is lost");
}
