//! What the page shows in each of its modes.

use yew::prelude::*;

use crate::browser::css;
use crate::chrome::by_hand::ByHand;
use crate::chrome::find::FindBox;
use crate::chrome::header::header;
use crate::chrome::help::help;
use crate::chrome::notices::{Toast, notices};
use crate::chrome::signs::signs;
use crate::compare::diff::Diff;
use crate::compare::{Compare, add_planner};
use crate::context::sentence::words;
use crate::context::steady::Steady;
use crate::context::{Dark, Drawn, InTurn, Layout, Page, use_page};
use crate::edit::Editor;
use crate::export::picture::PictureSheet;
use crate::export::write::write_sheet;
use crate::fit::Fit;
use crate::learn::Learn;
use crate::open::report::report;
use crate::plan::stage::StagePanel;
use crate::planners::how::how;
use crate::planners::planner_menu::planner_menu;
use crate::shell::state::action::{Action, ViewAction};
use crate::shell::state::panels::{Mode, Overlay};
use crate::step::panels::drawer::{drawer, rail};
use crate::step::panels::sides::{folded_editor, left_panel, right_panel};
use crate::step::transport::levels::levels;
use crate::step::transport::stepper::stepper;
use crate::step::transport::strip::strip;
use crate::widgets::button::IconButton;
use crate::widgets::icons::Icon;
use crate::widgets::late::Late;
use memplan_core::base::Message;
use memplan_teach::lesson::Words;

/// The page with header, panels and overlays.
#[component]
pub fn Shown() -> Html {
    let page = use_page();
    let Dark(dark) = use_context::<Dark>().unwrap_or(Dark(false));
    let (state, layout) = (page.state.clone(), page.layout);
    let (mode, panels) = (state.view.mode, state.view.panels);
    let widths = format!("--left:{}px;--right:{}px", panels.left_width, panels.right_width);
    let class = match layout {
        Layout::Wide => "wide",
        Layout::Middle => "middle",
        Layout::Narrow => "narrow",
    };
    let closed = [
        (mode == Mode::Step && !panels.drawer, "drawer-closed"),
        (mode == Mode::Step && !panels.left, "rail-closed"),
        (mode == Mode::Edit && !panels.editor, "editor-closed"),
    ];
    let options = (mode == Mode::Step && state.view.overlay == Some(Overlay::Options)).then_some("with-options");
    let closed: Classes = closed.into_iter().filter(|(closed, _)| *closed).map(|(_, class)| class).collect();
    // The picture is of the graph before the last change, or of the planner before.
    let stale = (state.lags_behind() || state.shows_before()).then_some("stale");
    let of_mode = match mode {
        Mode::Step => None,
        Mode::Edit => Some("editing"),
        Mode::Compare | Mode::Diff | Mode::Fit => Some("comparing"),
        Mode::Learn if state.game.as_ref().is_some_and(|game| game.breaking().is_some()) => Some("game breaks"),
        Mode::Learn if state.game.as_ref().is_some_and(|game| game.deal.is_some()) => Some("game"),
        Mode::Learn if state.learning.lesson.is_some() => Some("lesson"),
        Mode::Learn => Some("learn-page"),
    };
    html! { <>
        <div class={classes!("page", class, page.beside.then_some("beside"), of_mode, closed, options, stale)} ~style={css(widths)}>
            <Steady page={page.clone()} draw={head as fn(&Page) -> Html} />
            { match mode {
                Mode::Compare => html! { <Compare {dark} /> },
                Mode::Diff => html! { <Diff {dark} /> },
                Mode::Fit => html! { <Fit {dark} /> },
                Mode::Learn => html! { <Learn {dark} /> },
                Mode::Edit if !panels.editor => html! { <>{ folded_editor(&page) }{ stage(dark) }</> },
                Mode::Edit => html! { <>{ editor(&page) }{ stage(dark) }</> },
                Mode::Step => stepping(&page, dark),
            } }
            { live_headline(&page) }
            <Toast />
        </div>
        { match state.view.overlay {
            Some(Overlay::Help) => help(&page),
            Some(Overlay::Signs) => signs(&page),
            Some(Overlay::Report) => report(&page),
            Some(Overlay::How) => how(&page),
            Some(Overlay::Find) => html! { <FindBox /> },
            Some(Overlay::Write) => write_sheet(&page),
            Some(Overlay::Picture) => html! { <PictureSheet /> },
            Some(Overlay::ByHand) => html! { <ByHand /> },
            _ => Html::default(),
        } }
    </> }
}

/// The header, which says nothing of the frame that is shown.
fn head(page: &Page) -> Html {
    header(
        page,
        match page.state.view.mode {
            Mode::Compare => add_planner(page),
            Mode::Learn | Mode::Diff | Mode::Fit => Html::default(),
            Mode::Step | Mode::Edit => planner_menu(page),
        },
    )
}

/// The editor, whose tables and the plan would hold up the page in one task.
fn editor(page: &Page) -> Html {
    let before = html! { <section class="panel editor" id="region-left" tabindex="-1" aria-label={page.word("mode.edit")}></section> };
    html! { <Late {before}><Editor /></Late> }
}

/// The plan between its panels. It stands in the second place in every layout and mode, so that its
/// view stays.
fn stepping(page: &Page, dark: bool) -> Html {
    let levels = if page.beside || page.state.predicting.on {
        Html::default()
    } else {
        html! { <><span class="grow"></span>{ levels(page) }</> }
    };
    let rail = if page.state.view.panels.left { rail(page) } else { Html::default() };
    match page.layout {
        Layout::Wide => html! { <>{ left_panel(page) }{ stage(dark) }{ right_panel(page) }</> },
        Layout::Middle => html! { <>{ rail }{ stage(dark) }{ drawer(levels) }</> },
        Layout::Narrow => html! { <>{ Html::default() }{ stage(dark) }{ drawer(Html::default()) }</> },
    }
}

/// The plan with its figures and its stepper, after the header.
fn stage(dark: bool) -> Html {
    html! { <InTurn from={Drawn::Plan} before={html! { <main></main> }}><Stage {dark} /></InTurn> }
}

#[derive(Properties, PartialEq)]
struct StageProps {
    dark: bool,
}

#[component]
fn Stage(props: &StageProps) -> Html {
    let page = &use_page();
    let dark = props.dark;
    html! {
        <main class={page.state.document.run.is_none().then_some("bare")}>
            { notices(page) }
            { strip(page) }
            <StagePanel {dark} />
            if page.layout == Layout::Narrow { { reason(page) } }
            { stepper(page) }
        </main>
    }
}

/// The decision in a sentence, between the plan of a phone and its buttons, beside the way to what
/// the signs on the plan mean. Where questions are asked, the panel below has the words.
fn reason(page: &Page) -> Html {
    let shown = page.state.document.run.as_ref().zip(page.frame.as_ref());
    let Some((run, frame)) = shown.filter(|_| page.state.view.mode == Mode::Step && !page.state.predicting.on) else {
        return Html::default();
    };
    let name = page.word("signs.title");
    html! {
        <div class="reason">
            <p class="caption-why" id="step-said">{ words(page, &memplan_replay::why(run, frame).headline) }</p>
            <IconButton name={name} icon={Icon::Question} id="signs-button" popup="dialog" onclick={page.on(|| Action::View(ViewAction::Overlay(Some(Overlay::Signs))))} />
        </div>
    }
}

/// The headline for screen readers: at most one message a frame, silent while playing.
fn live_headline(page: &Page) -> Html {
    let state = &page.state;
    let own = crate::learn::lessons::stage::own_caption(state);
    // Beside the index, a game or a plan that is moved by hand there is no decision to tell.
    let is_explained = state.view.mode != Mode::Learn || state.scene_beside().is_some() && !state.is_packing();
    let shown = state.document.run.as_ref().zip(page.frame.as_ref());
    let shown = shown.filter(|_| is_explained && own.is_none() && !state.stepping.playing);
    let message = shown.map(|(run, frame)| match state.asked_buffer(run) {
        Some(buffer) => memplan_teach::exercise::question(run, buffer),
        None => memplan_replay::why(run, frame).headline,
    });
    let speech = page.speech();
    let lesson = |number: u32| speech.say(&Message::new("learn.lesson").count("n", number));
    let plain = |words: &Words| memplan_teach::lesson::plain(words.of(state.settings.locale), speech, lesson);
    let spoken = own.map(plain).or(message.map(|message| speech.say(&message))).unwrap_or_default();
    html! { <p class="visually-hidden" aria-live="polite">{ spoken }</p> }
}
