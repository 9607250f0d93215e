//! The plan beside a lesson.

use yew::prelude::*;

use crate::chrome::notices::notices;
use crate::context::names::humps;
use crate::context::sentence::words;
use crate::context::{Layout, Page, use_page};
use crate::learn::lessons::marked::marked;
use crate::plan::stage::{StagePanel, is_at_rest};
use crate::shell::state::State;
use crate::shell::state::action::{Action, LearnAction, ViewAction};
use crate::shell::state::panels::{Mode, Overlay};
use crate::step::panels::state::StatePanel;
use crate::step::transport::stepper::stepper;
use crate::widgets::button::IconButton;
use crate::widgets::icons::{Icon, glyph};
use memplan_core::base::Message;
use memplan_planners as planner;
use memplan_replay::{Level, WhyRow, why};
use memplan_teach::lesson::{Scene, Words};

#[derive(Properties, PartialEq)]
pub struct LessonStageProps {
    pub dark: bool,
}

#[component]
pub fn LessonStage(props: &LessonStageProps) -> Html {
    let page = use_page();
    let has_panel = page.state.scene_beside().is_some_and(|scene| scene.panel);
    // On a phone the plan keeps the room until the reader asks for the state.
    let opens = page.layout != Layout::Narrow;
    html! {
        <main>
            { bar(&page) }
            { away(&page) }
            { notices(&page) }
            <div class="lesson-picture">
                <div class={classes!("lesson-stage", has_panel.then_some("has-panel"))}>
                    <StagePanel dark={props.dark} />
                    if has_panel {
                        <aside class="lesson-panel" aria-label={page.word("tab.state")}>
                            <details open={opens}><summary>{ page.word("tab.state") }</summary><StatePanel /></details>
                        </aside>
                    }
                </div>
                { caption(&page) }
                { reasons(&page) }
            </div>
            { stepper(&page) }
        </main>
    }
}

/// What is shown, how far the reader is, and the way to Step.
fn bar(page: &Page) -> Html {
    let state = &page.state;
    // The names of lists made for a lesson would say nothing.
    let is_made = state.scene_beside().is_some_and(|scene| scene.document.contains('/')) && !state.is_away();
    let own = state.document.open.as_ref().map(|document| document.name.clone());
    let name = own.filter(|name| page.layout != Layout::Narrow && !is_made && !name.contains('/'));
    // What the reader has packed is no plan of a planner.
    let planner = match state.is_packing() {
        true => page.word("lesson.own-packing"),
        false => planner::title_of(&state.document.planner, page.speech()),
    };
    let step = page.on(|| Action::View(ViewAction::Mode(Mode::Step)));
    let signs = page.word("signs.title");
    html! {
        <div class="stage-bar">
            <b class="cut">{ humps(&planner) }</b>if let Some(name) = name { <span class="muted cut">{ name }</span> }
            <span class="grow"></span>
            { dots(page) }
            <IconButton name={signs} icon={Icon::Question} id="signs-button" popup="dialog" onclick={page.on(|| Action::View(ViewAction::Overlay(Some(Overlay::Signs))))} />
            <button type="button" class="btn" id="open-in-step" onclick={step}>{ page.word("learn.open-in-step") }{ glyph(Icon::Right) }</button>
        </div>
    }
}

/// One mark for each paragraph, round ones for exercises.
fn dots(page: &Page) -> Html {
    let learning = &page.state.learning;
    let Some(lesson) = &learning.lesson else { return Html::default() };
    let progress = learning.learned.of(lesson.number);
    html! {
        <span class="dots" aria-hidden="true">{ for lesson.paragraphs.iter().enumerate().map(|(at, paragraph)| {
            let seen = (at as u32) < progress.reached;
            let class = if at == learning.place.paragraph { "on" } else if seen { "done" } else { "" };
            html! { <>
                <i {class}></i>
                if let Some(task) = &paragraph.task {
                    <i class={classes!("task", progress.right.contains(&task.id).then_some("done"))}></i>
                }
            </> }
        }) }</span>
    }
}

/// Where a reader is who looks around, and the way back.
fn away(page: &Page) -> Html {
    if !page.state.is_away() {
        return Html::default();
    }
    let Some(lesson) = &page.state.learning.lesson else { return Html::default() };
    let planner = planner::title_of(&page.state.document.planner, page.speech());
    let message = Message::new("learn.away").text("planner", planner).count("frame", page.state.frame());
    let message = message.text("title", lesson.title.of(page.state.settings.locale));
    html! {
        <div class="away-bar" role="status">
            <span>{ page.speech().say(&message) }</span><span class="grow"></span>
            <button type="button" class="btn line" id="back-to-lesson" onclick={page.on(|| Action::Learn(LearnAction::Back))}>{ page.word("learn.back") }</button>
        </div>
    }
}

/// The line of the scene that stands below the plan; none where the planner's own reason does.
pub fn own_caption(state: &State) -> Option<&Words> {
    // What a scene says is true of its own frame: an answer may go on from there.
    let is_there = |scene: &&Scene| {
        let run = state.document.run.as_ref();
        run.is_some_and(|run| state.stepping.cursor == run.timeline.events_at(Level::Decisions, scene.frame))
    };
    let scene = state.scene_beside().filter(is_there).filter(|_| !state.is_away() && !state.is_packing());
    scene?.caption.as_ref()
}

/// The line of the scene, or the planner's own reason.
fn caption(page: &Page) -> Html {
    let state = &page.state;
    let shown = state.document.run.as_ref().zip(page.frame.as_ref()).filter(|_| !state.is_packing());
    let words = match (own_caption(state), shown) {
        (Some(own), _) => marked(page, own),
        (_, Some((run, frame))) => words(page, &why(run, frame).headline),
        _ => Html::default(),
    };
    html! { <p class="caption-why">{ words }</p> }
}

/// Most reasons below the plan of a phone.
const MOST: usize = 5;

/// On a phone: why the numbered places were not taken. Elsewhere this stands beside the numbers.
fn reasons(page: &Page) -> Html {
    let shown = page.state.document.run.as_ref().zip(page.frame.as_ref());
    // A plan at rest has no numbers.
    let has_numbers = !page.state.is_packing() && !is_at_rest(&page.state);
    let Some((run, frame)) = shown.filter(|_| page.layout == Layout::Narrow && has_numbers) else {
        return Html::default();
    };
    let refused = why(run, frame).rows.into_iter().filter(|row| row.visited && !row.chosen);
    let refused: Vec<WhyRow> = refused.take(MOST).collect();
    if refused.is_empty() {
        return Html::default();
    }
    html! {
        <ul class="caption-reasons" aria-label={page.word("why.candidates")}>{ for refused.iter().map(|row| html! {
            <li><span class="badge">{ row.number }</span>{ " " }{ words(page, &row.verdict) }</li>
        }) }</ul>
    }
}
