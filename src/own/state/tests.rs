use super::first_program;
use crate::compare::state::Change;
use crate::compare::state::comparison::Compared;
use crate::own::state::action::OwnAction;
use crate::own::state::kept::Kept;
use crate::shell::state::State;
use crate::shell::state::action::{Action, CompareAction, DocumentAction, Motion, StepAction, ViewAction};
use crate::shell::state::arriving::LinkSource;
use crate::shell::state::panels::Tab;
use crate::shell::state::{address, arriving};
use crate::testing::{TEACHING, done, opened};
use memplan_core::problem::Scope;
use memplan_core::text::Locale;
use memplan_engine::{OwnProgram, PlannerChoice, is_own, use_writer};
use memplan_formats::import::Answers;

use crate::open::state::document::Origin;
use crate::open::state::link::LinkPlace;

/// The example, on a page that can run programs.
pub fn opened_own() -> State {
    use_writer(memplan_own::answer_packed);
    opened()
}

/// The state once the engine has answered all that is asked.
pub fn settled(mut state: State) -> State {
    for _ in 0..20 {
        if state.job().is_none() {
            return state;
        }
        state = done(state);
    }
    panic!("the page asks for ever")
}

/// The text in the editor.
pub(super) fn text(state: &State) -> Option<&str> {
    state.own.code().map(|code| &**code)
}

pub(super) fn act(state: State, action: Action) -> State {
    settled(state.reduce(action))
}

/// The state in which the engine begins to check another text of the editor.
pub fn types(state: State, code: &str) -> State {
    let of = state.own.key();
    state.reduce(Action::Own(OwnAction::Type(of, code.into())))
}

pub fn typed(state: State, code: &str) -> State {
    settled(types(state, code))
}

pub(super) fn written() -> State {
    act(opened_own(), Action::Own(OwnAction::Write))
}

pub(super) const LAST_FIT: &str = "fn place(buffer, gaps) {\n    gaps[-1].start\n}\n";

#[test]
fn the_first_program_plans_as_first_fit_does() {
    let own = written();
    assert!(own.own.open && own.is_own_shown());
    assert!(is_own(&own.document.planner));
    let ours = act(opened_own(), Action::Document(DocumentAction::Planner("first-fit".into())));
    let peak = |state: &State| state.document.run.as_ref().expect("planned").metrics.peak;
    assert_eq!(peak(&own), peak(&ours));
}

#[test]
fn a_changed_text_is_planned_and_shown_from_the_first_decision_that_differs() {
    let state = act(written(), Action::Step(StepAction::Move(Motion::Last)));
    let before = state.document.run.clone().expect("planned");
    let state = typed(state, LAST_FIT);
    let now = state.document.run.clone().expect("planned");
    assert!(now.metrics.peak > before.metrics.peak);
    let place = |run: &memplan_replay::Run, buffer| run.plan.places[buffer].expect("placed").offset;
    let first =
        now.timeline.decisions.iter().zip(&before.timeline.decisions).position(|(one, other)| {
            one.buffer != other.buffer || place(&now, one.buffer) != place(&before, other.buffer)
        });
    assert_eq!(state.frame() as usize, first.expect("they differ") + 1);
}

#[test]
fn a_mistake_keeps_the_plan_of_before() {
    let state = typed(written(), "fn place(buffer, gaps) {\n    gap.start\n}");
    let mistake = state.own_mistake().expect("there is no variable of that name").clone();
    assert_eq!(mistake.line, 2);
    assert!(!state.is_own_shown() && state.document.run.is_some() && state.document.notice.is_none());
    let mended = typed(state, LAST_FIT);
    assert!(mended.own_mistake().is_none() && mended.is_own_shown());
}

#[test]
fn an_endless_loop_is_a_mistake_with_its_line() {
    let state = typed(written(), "fn place(buffer, gaps) {\n    while true { }\n}");
    let mistake = state.own_mistake().expect("stopped");
    assert_eq!((mistake.line, &*mistake.reason.key), (2, "own-planner.endless"));
}

#[test]
fn options_of_the_program_are_those_of_the_planner() {
    let code =
        "const OPTIONS = #{ last: true };\nfn place(buffer, gaps) { if OPTIONS.last { gaps[-1].start } else { 0 } }";
    let state = typed(written(), code);
    let info = memplan_planners::info(&state.document.planner).expect("known");
    assert!(info.options.iter().any(|spec| spec.key == "last" && spec.default == "true"));
    let other =
        act(state.clone(), Action::Document(DocumentAction::Option { key: "last".into(), value: "false".into() }));
    assert!(!other.document.violations.is_empty(), "all lie at 0, and the check says so");
    assert!(state.document.violations.is_empty());
}

#[test]
fn steps_go_through_lines_and_then_to_the_next_frame() {
    let state = act(written(), Action::Step(StepAction::Move(Motion::First)));
    let state = act(state, Action::Own(OwnAction::Lines(true)));
    let mut state = act(state, Action::Step(StepAction::Move(Motion::Next)));
    let (frame, (followed, at)) = (state.frame(), state.lines_here().expect("followed"));
    let count = followed.statements.kept.len();
    assert!(at == 0 && count > 1, "{at} of {count}");
    for _ in 1..count {
        state = act(state, Action::Step(StepAction::Move(Motion::Next)));
    }
    assert_eq!((state.frame(), state.lines_here().expect("followed").1), (frame, count - 1));
    let next = act(state.clone(), Action::Step(StepAction::Move(Motion::Next)));
    assert_eq!(next.frame(), frame + 1);
    let level = act(next, Action::Step(StepAction::Level(memplan_replay::Level::Decisions)));
    assert!(!level.own.lines.by_line);
}

/// The page after it followed a link.
pub fn followed(fragment: &str, stranger: bool, kept: Option<&str>) -> State {
    use_writer(memplan_own::answer_packed);
    let mut state = State::new(None, stranger);
    if let Some(kept) = kept {
        state = state.reduce(Action::Own(OwnAction::Kept(Kept::of_text(kept).expect("a program"))));
    }
    follow(state, fragment, stranger, LinkPlace::default())
}

/// The same with the moment of the link, for a reader who does not know its program.
pub(super) fn followed_at(fragment: &str, place: LinkPlace) -> State {
    use_writer(memplan_own::answer_packed);
    follow(State::new(None, false), fragment, false, place)
}

pub(super) fn follow(state: State, fragment: &str, stranger: bool, place: LinkPlace) -> State {
    follow_from(state, fragment, LinkSource { stranger, ours: false }, place)
}

/// The page with these programs after it was loaded again with the address that it had written.
pub(super) fn reloaded(fragment: &str, kept: Kept) -> State {
    use_writer(memplan_own::answer_packed);
    let state = State::new(None, false).reduce(Action::Own(OwnAction::Kept(kept)));
    follow_from(state, fragment, LinkSource { stranger: false, ours: true }, LinkPlace::default())
}

fn follow_from(mut state: State, fragment: &str, from: LinkSource, place: LinkPlace) -> State {
    for action in arriving::arrival(fragment, Locale::En, "https://memplan.example/", from).actions {
        state = state.reduce(action);
    }
    let opens = DocumentAction::Open {
        origin: Origin::Example("teaching".into()),
        bytes: TEACHING.to_vec().into(),
        choices: Answers::default(),
        place: Some(place),
    };
    act(state, Action::Document(opens))
}

/// The programs of a link that wait for the reader's consent.
pub(super) fn waiting(state: &State) -> Vec<&str> {
    let codes = state.own.link.as_ref().and_then(|link| link.codes.as_ref());
    codes.into_iter().flatten().map(|code| &**code).collect()
}

#[test]
fn a_link_carries_the_program_and_asks_before_it_runs() {
    let link = address::write(&typed(written(), LAST_FIT));
    assert!(link.contains("code=z:") || link.contains("code=z%3A"), "{link}");
    let asks = followed(&link, false, None);
    assert!(!is_own(&asks.document.run.as_ref().expect("planned").planner));
    assert_eq!(waiting(&asks), [LAST_FIT]);
    let agreed = act(asks.clone(), Action::Own(OwnAction::Agree));
    assert!(agreed.is_own_shown() && agreed.own.link.is_none());
    assert_eq!(agreed.document.planner, OwnProgram::of(LAST_FIT).id);
    let refused = act(asks, Action::Own(OwnAction::Refuse));
    assert!(refused.own.link.is_none() && !is_own(&refused.document.planner));
}

#[test]
fn what_this_browser_keeps_runs_without_a_question() {
    let link = address::write(&typed(written(), LAST_FIT));
    let state = followed(&link, false, Some(LAST_FIT));
    assert!(state.is_own_shown());
}

#[test]
fn inside_the_page_of_a_stranger_no_program_of_a_link_runs() {
    let link = address::write(&typed(written(), LAST_FIT));
    let state = followed(&link, true, None);
    assert!(state.own.link.is_none() && !is_own(&state.document.planner));
}

#[test]
fn a_page_that_is_one_file_says_that_it_runs_none() {
    let state = opened_own().as_one_file(true);
    let state = act(state, Action::Own(OwnAction::Write));
    let told = state.document.notice.as_ref().map(|notice| notice.title.key.to_string());
    assert_eq!(told.as_deref(), Some("notice.no-writer-inside"));
    assert!(!state.own.open && !state.has_code());
}

#[test]
fn another_planner_closes_the_editor_and_keeps_the_text() {
    let state = typed(written(), LAST_FIT);
    let other = act(state, Action::Document(DocumentAction::Planner("best-fit".into())));
    assert!(!other.own.open && text(&other) == Some(LAST_FIT));
    let again = act(other, Action::Own(OwnAction::Write));
    assert!(again.is_own_shown());
    assert_eq!(again.tab(), Tab::Code);
}

#[test]
fn the_program_of_a_classic_planner_can_be_made_yours() {
    let state = act(opened_own(), Action::Document(DocumentAction::Planner("worst-fit".into())));
    let state = act(state, Action::View(ViewAction::RightTab(Tab::Code)));
    let state = act(state, Action::Step(StepAction::Move(Motion::Last)));
    let code = state.code_shown().expect("fetched");
    let peak = state.document.run.as_ref().expect("planned").metrics.peak;
    let own = act(state, Action::Own(OwnAction::Begin("worst_fit".into(), code)));
    assert!(own.is_own_shown());
    assert_eq!(own.document.run.as_ref().expect("planned").metrics.peak, peak);
    assert_ne!(text(&own), Some(&*first_program(Locale::En)));
    assert_eq!(own.own.name(), "worst_fit.rhai");
}

fn is_by_best_fit(state: &State) -> bool {
    state.document.planner == "best-fit" && state.document.run.as_ref().is_some_and(|run| run.planner == "best-fit")
}

#[test]
fn a_planner_chosen_elsewhere_is_not_replaced_by_that_of_the_editor() {
    let best_fit = act(opened_own(), Action::Document(DocumentAction::Planner("best-fit".into())));
    let link = address::write(&best_fit);
    let state = typed(written(), LAST_FIT);
    let choice = PlannerChoice::of("best-fit");
    let opens = CompareAction::OpenInSteps { choice, scope: Scope::default() };
    let compared = act(state.clone(), Action::Compare(opens));
    assert!(is_by_best_fit(&compared) && !compared.own.open, "{}", compared.document.planner);
    let back = follow(state.clone(), &link, false, LinkPlace::default());
    assert!(is_by_best_fit(&back) && !back.own.open, "{}", back.document.planner);
    // The text does not plan yet, so that the planner is still the one of before.
    let wrong = typed(act(best_fit, Action::Own(OwnAction::Write)), "fn place(buffer, gaps) {");
    let again = follow(wrong, &link, false, LinkPlace::default());
    assert!(is_by_best_fit(&again) && !again.own.open);
    assert_eq!(text(&back), Some(LAST_FIT));
}

#[test]
fn an_open_editor_replaces_no_plan_unless_something_is_written() {
    let state = typed(written(), LAST_FIT);
    let first = OwnProgram::of(&first_program(Locale::En));
    let opens = CompareAction::OpenInSteps { choice: PlannerChoice::of(&first.id), scope: Scope::default() };
    let compared = act(state, Action::Compare(opens));
    assert!(compared.own.open && !compared.is_own_shown());
    assert_eq!(compared.document.planner, first.id);
    assert_eq!(text(&compared), Some(LAST_FIT));
}

#[test]
fn who_cancels_something_else_finds_no_mistake_in_the_program() {
    let state = typed(written(), LAST_FIT);
    let link = address::write(&state);
    let planning = state.reduce(Action::Document(DocumentAction::ResetAll));
    assert!(planning.job().is_some_and(|job| job.task.is_none()));
    let cancelled = act(planning, Action::Document(DocumentAction::Cancel));
    assert!(cancelled.own_mistake().is_none() && cancelled.is_own_shown());
    let asks = followed(&link, false, None).reduce(Action::Document(DocumentAction::ResetAll));
    let cancelled = act(asks, Action::Document(DocumentAction::Cancel));
    assert_eq!(waiting(&cancelled), [LAST_FIT]);
}

#[test]
fn who_cancels_the_check_of_a_text_is_not_asked_again() {
    let state = types(written(), LAST_FIT);
    assert!(state.job().is_some_and(|job| job.task.is_some()));
    let cancelled = act(state, Action::Document(DocumentAction::Cancel));
    assert_eq!(cancelled.own_mistake().map(|mistake| &*mistake.reason.key), Some("fault.cancelled"));
}

#[test]
fn a_check_that_was_stopped_says_so_and_runs_again() {
    let mut state = settled(opened_own()).reduce(Action::Own(OwnAction::Write));
    while state.own_job().is_none() {
        state = done(state);
    }
    let stopped = settled(state.reduce(Action::Document(DocumentAction::Cancel)));
    assert_eq!(stopped.own_mistake().map(|mistake| &*mistake.reason.key), Some("fault.cancelled"));
    assert!(stopped.own_job().is_none() && !stopped.is_own_shown());
    let again = act(stopped, Action::Own(OwnAction::Again));
    assert!(again.own_mistake().is_none() && again.is_own_shown());
}

#[test]
fn the_columns_of_the_planner_follow_its_text() {
    let state = written();
    let first = state.document.planner.clone();
    let beside = ["best-fit", &first].map(PlannerChoice::of).to_vec();
    let compared = Compared { choices: beside, ..Compared::default() };
    let restore = CompareAction::Change(Change::Restore(Box::new(compared)));
    let state = typed(act(state, Action::Compare(restore)), LAST_FIT);
    let ids: Vec<&str> = state.comparing.columns.iter().map(|column| &*column.choice.planner).collect();
    let newest = OwnProgram::of(LAST_FIT).id;
    assert_eq!(ids, ["best-fit", &newest], "no older text bears the name");
    // A text that does not plan leaves them as they are.
    let wrong = typed(state.clone(), "fn place(");
    assert_eq!(wrong.comparing.columns, state.comparing.columns);
}

#[test]
fn nothing_is_said_of_why_a_program_takes_the_top() {
    let state = typed(written(), LAST_FIT);
    let run = state.document.run.clone().expect("planned");
    let mut headlines = std::collections::BTreeSet::new();
    for decision in &run.timeline.decisions {
        let why = memplan_replay::why(&run, &run.frame(decision.end));
        headlines.insert(why.headline.key.to_string());
        let claims = ["verdict.top", "verdict.top-inside", "verdict.top-unused", "verdict.fits"];
        assert!(why.rows.iter().all(|row| !claims.contains(&&*row.verdict.key)), "{:?}", why.rows);
    }
    assert!(headlines.contains("why.list.above-grows"), "{headlines:?}");
    assert!(headlines.iter().all(|key| !key.starts_with("why.list.at-end")), "{headlines:?}");
}

#[test]
fn a_changed_text_ends_the_run_of_the_one_before() {
    let state = types(written(), "fn place(buffer, gaps) { loop { } }");
    let before = state.own_job().expect("the text is checked");
    let state = types(state, LAST_FIT);
    assert!(state.own_job().is_some_and(|job| job != before));
    assert!(settled(state).is_own_shown());
}
