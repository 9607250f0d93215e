//! The page of an exercise, which students open by a link: what is asked, the questions beside the
//! plan, the result.

use std::rc::Rc;

use yew::prelude::*;

use crate::browser::dom::focus;
use crate::chrome::notices::{Toast, notices};
use crate::context::clipboard::copy;
use crate::context::open::{open_address, open_example};
use crate::context::sentence::{plain_words, words};
use crate::context::{Dark, Layout, Page, use_page};
use crate::learn::exercise::figures::FigurePanel;
use crate::learn::exercise::introduction::{self, asks, needs};
use crate::learn::exercise::kept::{KeepResult, about_keeping, kept_result};
use crate::learn::exercise::lesson_question::LessonQuestion;
use crate::learn::exercise::onward::{finish, next_plan, refused, rule, way_on};
use crate::learn::exercise::review::asked;
use crate::learn::exercise::state::Assigned;
use crate::learn::exercise::state::stage::Stage;
use crate::learn::exercise::writing::{WritePage, copy_program};
use crate::learn::play::GamePage;
use crate::plan::stage::StagePanel;
use crate::shell::state::action::{Action, Motion, SettingsAction, StepAction, TeachAction};
use crate::step::panels::predict::{question, use_choice, use_question_focus, verdict};
use crate::step::panels::why::why_panel;
use crate::widgets::button::IconButton;
use crate::widgets::icons::{Icon, glyph, mark};
use memplan_core::base::Message;
use memplan_core::text::Locale;
use memplan_engine::{Assignment, PictureLook};
use memplan_teach::exercise::code::{figures, line};
use memplan_teach::exercise::link::Help;

/// The page, as far as the exercise is.
#[component]
pub fn ExercisePage() -> Html {
    let page = use_page();
    let Dark(dark) = use_context::<Dark>().unwrap_or(Dark(false));
    let Some(assigned) = page.state.teaching.assigned.clone() else { return Html::default() };
    use_document(&page, &assigned);
    use_focus(assigned.stage);
    let asks = matches!(assigned.stage, Stage::Asking | Stage::Coding);
    let class = match page.layout {
        Layout::Wide => "wide",
        Layout::Middle => "middle",
        Layout::Narrow => "narrow",
    };
    let game = page.state.game_shown().filter(|_| asks && page.state.is_game_assigned());
    let is_board = game.is_some_and(|game| game.breaking().is_some());
    html! {
        <div class={classes!("page", "exercise", class, asks.then_some("asks"), game.map(|_| "game"), is_board.then_some("breaks"), (asks && page.state.asks_program()).then_some("writes"))}>
            { head(&page, &assigned) }
            if asks && page.state.is_game_assigned() {
                <GamePage {dark}>{ hand_in(&page, &assigned) }</GamePage>
            } else if asks && page.state.asks_lessons() {
                <LessonQuestion {dark} />
            } else if asks && page.state.asks_program() {
                <WritePage {dark} />
            } else if asks {
                <main aria-label={page.word("exercise.plan")}>{ notices(&page) }<StagePanel {dark} /></main>
                <aside class="panel exercise-panel" id="region-right" tabindex="-1" aria-label={page.word(if page.state.asks_figures() { "number.title" } else { "predict.title" })}>
                    if page.state.asks_figures() { <FigurePanel /> } else { <Asking /> }</aside>
            } else {
                <main class="learn" id="region-stage" tabindex="-1"><div class="learn-in">{ card(&page, &assigned, dark) }</div></main>
            }
            <Toast />
        </div>
    }
}

/// Fetches the document of the exercise where the link only names it.
#[hook]
fn use_document(page: &Page, assigned: &Assigned) {
    let doc = assigned.fetched().map(str::to_string);
    let (send, restored) = (page.send.clone(), page.state.restored_for_exercise());
    let place = assigned.task.as_ref().map(|task| crate::learn::exercise::state::first_frame_of(task));
    use_effect_with((doc, assigned.attempts), move |(doc, _)| match doc.as_ref().and_then(|doc| doc.split_once(':')) {
        Some(("ex", name)) => open_example(name.into(), place, send),
        Some(("url", address)) => open_address(address.into(), place.map(|place| (restored, place)), &send),
        _ => {}
    });
}

/// What comes next has the focus; the page that opens gives it to the name.
#[hook]
fn use_focus(stage: Stage) {
    use_effect_with(stage, |stage| match stage {
        Stage::Ready => focus("exercise-name"),
        Stage::Done => focus("exercise-done"),
        _ => {}
    });
}

fn head(page: &Page, assigned: &Assigned) -> Html {
    let other = if page.state.settings.locale == Locale::En { Locale::Zh } else { Locale::En };
    let task = assigned.task.clone().unwrap_or_default();
    let title = if task.id.is_empty() { page.word("exercise.title") } else { task.id.clone() };
    let marks = page.state.marks();
    let right = marks.iter().filter(|(is_right, _)| *is_right).count();
    let at = match page.state.is_game_assigned() {
        true => Message::new("exercise.goals").count("n", right).count("of", task.of),
        false if page.state.asks_program() => Message::new("exercise.of-sets").count("n", right).count("of", task.of),
        false => Message::new("exercise.at").count("n", marks.len()).count("of", task.of).count("right", right),
    };
    let theme = page.state.settings.theme.next();
    let themed = page.word(page.state.settings.theme.key());
    html! {
        <header class="top" id="region-header" tabindex="-1">
            { mark() }
            <h1 class="cut">{ title }</h1>
            <span class="grow"></span>
            if assigned.stage == Stage::Asking { <span class="score" id="exercise-score">{ page.speech().say(&at) }</span> }
            <span class="grow"></span>
            if task.locale.is_none() {
                <button type="button" class="btn" lang={other.tag()} onclick={page.on(move || Action::Settings(SettingsAction::Locale(other)))}>{ other.own_name() }</button>
            }
            <IconButton name={themed} icon={Icon::Theme} onclick={page.on(move || Action::Settings(SettingsAction::Theme(theme)))} />
        </header>
    }
}

/// What stands in place of the plan before the questions and after them.
fn card(page: &Page, assigned: &Assigned, dark: bool) -> Html {
    let failure = assigned.failure.as_ref().map(|why| refused(page, why));
    match (&assigned.task, assigned.stage) {
        (None, _) if failure.is_some() => {
            html! { <section class="tcard"><h2>{ page.word("exercise.no-link") }</h2>{ failure }</section> }
        }
        (None, _) | (_, Stage::Reading) => html! { <p class="muted">{ page.word("exercise.reading") }</p> },
        (Some(_), Stage::Making) => {
            html! { <><p class="muted" role="status">{ page.word("exercise.making") }</p>{ notices(page) }</> }
        }
        (Some(task), Stage::Done) => result(page, assigned, task, dark),
        (Some(task), _) => {
            html! { <section class="tcard">{ begin(page, assigned, task) }{ failure.unwrap_or_default() }{ kept_result(page, &assigned.link) }</section> }
        }
    }
}

/// What is asked, and the name.
fn begin(page: &Page, assigned: &Assigned, task: &Rc<Assignment>) -> Html {
    let send = page.send.clone();
    let oninput = Callback::from(move |event: InputEvent| {
        let text = event.target_unchecked_into::<web_sys::HtmlInputElement>().value();
        send.emit(Action::Teach(TeachAction::Name(text)));
    });
    let send = page.send.clone();
    let onsubmit = Callback::from(move |event: SubmitEvent| {
        event.prevent_default();
        send.emit(Action::Teach(TeachAction::Begin));
    });
    let tries = task.tries.map(|tries| Message::new("exercise.tries").count("n", tries));
    html! { <>
        <h2>{ page.speech().say(&asks(page, task)) }</h2>
        <p>{ page.word(task.kind.activity().how) }{ page.blank() }{ page.speech().say(&needs(task)) }{ page.blank() }if let Some(tries) = tries { { page.speech().say(&tries) } }</p>
        <form class="begin" {onsubmit}>
            <label for="exercise-name">{ page.word("exercise.name") }</label>
            <input type="text" id="exercise-name" class="small wide" autocomplete="off" value={assigned.name.clone()} {oninput} />
            <button type="submit" class="btn main" id="exercise-begin" disabled={!assigned.may_begin()}>{ page.word("exercise.begin") }</button>
        </form>
        <p class="muted">{ page.word("exercise.private") }</p>
    </> }
}

/// The questions, in place of the panels of Step.
#[component]
fn Asking() -> Html {
    let page = use_page();
    use_question_focus(&page);
    use_choice(&page);
    let state = page.state.clone();
    let (Some(assigned), Some((run, frame))) =
        (state.teaching.assigned.clone(), state.document.run.clone().zip(page.frame.clone()))
    else {
        return Html::default();
    };
    let help = assigned.task.as_ref().map(|task| task.help).unwrap_or_default();
    let asked = state.asked_buffer(&run);
    html! {
        <div class="predict" id="predict" tabindex="-1">
            if let Some(buffer) = asked {
                { question(&page, &run, &frame, buffer) }
                if help != Help::None { { rule(&page, &assigned, &run.planner) } }
            }
            <div role="status" id="predict-verdict">if asked.is_none() { { verdict(&page, &run) } }</div>
            if asked.is_none() {
                { onward(&page) }
                if let Some(why) = &assigned.failure { { refused(&page, why) } }
                if help == Help::Why { { why_panel(&page) } }
            }
        </div>
    }
}

/// The end of a game: its result is handed in as it is.
fn hand_in(page: &Page, assigned: &Assigned) -> Html {
    html! { <>
        { finish(page, "predict-next") }
        if let Some(why) = &assigned.failure { { refused(page, why) } }
    </> }
}

/// The way on after an answer: the next question, the next plan, or the end.
fn onward(page: &Page) -> Html {
    let state = &page.state;
    let is_behind = state.frame() < state.predicting.known;
    match () {
        () if is_behind => way_on(page, "predict-next", "step.next", Action::Step(StepAction::Move(Motion::Next))),
        () if state.is_full() || state.predicting.last && !state.has_next_plan() => finish(page, "predict-next"),
        () if state.predicting.last => next_plan(page, "predict-next"),
        () => way_on(page, "predict-next", "predict.go-on", Action::Step(StepAction::Move(Motion::Next))),
    }
}

/// The result with its code.
fn result(page: &Page, assigned: &Assigned, task: &Assignment, dark: bool) -> Html {
    let outcome = assigned.outcome;
    let has_passed = outcome.right >= task.pass;
    let result_line = line(&assigned.name, (&outcome, task.kind), &assigned.code, page.speech());
    let missed = page.state.missed_rules();
    let (score, verdict) = (figures(&outcome, Some(task.kind)), introduction::verdict(task, outcome.right));
    let oncopy = {
        let (page, result_line) = (page.clone(), result_line.clone());
        Callback::from(move |_: MouseEvent| copy(result_line.clone(), &page.send, Message::new("exercise.copied")))
    };
    html! {
        <section class="tcard done" id="exercise-done" tabindex="-1" aria-labelledby="exercise-score">
            <h2 id="exercise-score">{ page.speech().say(&score) }</h2>
            <p class={if has_passed { "passed" } else { "failed" }}>{ glyph(if has_passed { Icon::Check } else { Icon::Close }) }{ page.speech().say(&verdict) }</p>
            if !missed.is_empty() {
                <h3>{ page.word("predict.missed") }</h3>
                <ul class="missed-rules">{ for missed.iter().map(|missed| html! {
                    <li><span class="count">{ missed.decisions.len() }{ "×" }</span><div>{ plain_words(page, &Message::new(missed.rule.clone())) }</div></li>
                }) }</ul>
            }
            <h3>{ page.word("exercise.result") }</h3>
            <p>{ page.word("exercise.send") }</p>
            <p class="made"><code id="exercise-code">{ result_line }</code></p>
            <div class="acts-row">
                <button type="button" class="btn main" id="exercise-copy" onclick={oncopy}>{ page.word("exercise.copy") }</button>
                { copy_program(page, assigned) }
                <KeepResult link={assigned.link.clone()} name={assigned.name.clone()} code={assigned.code.clone()} />
                if assigned.may_begin() {
                    <button type="button" class="btn line" id="exercise-again" onclick={page.on(|| Action::Teach(TeachAction::Begin))}>{ page.word("exercise.again") }</button>
                }
            </div>
            { about_keeping(page) }
            { pictures(page, assigned, dark) }
            if !assigned.may_begin() { <p class="muted">{ words(page, &Message::new("exercise.no-more-tries")) }</p> }
        </section>
    }
}

/// The questions with their answers and pictures, for those who ask for them; a game has none.
fn pictures(page: &Page, assigned: &Assigned, dark: bool) -> Html {
    if page.state.is_game_assigned() || page.state.asks_lessons() || page.state.asks_program() {
        return Html::default();
    }
    let look = PictureLook { dark, narrow: page.layout == Layout::Narrow };
    let onclick = page.on(move || Action::Teach(TeachAction::Pictures(None, look)));
    match &assigned.pictures {
        Some(pictures) => asked(page, pictures),
        None => html! { <>
            <p><button type="button" class="btn line" id="exercise-pictures" {onclick}>{ page.word("exercise.pictures") }</button></p>
            if let Some(why) = &assigned.failure { { refused(page, why) } }
        </> },
    }
}
