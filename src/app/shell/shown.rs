//! What the page shows in each of its modes.

use yew::prelude::*;

use crate::app::chrome::find::FindBox;
use crate::app::chrome::header::header;
use crate::app::chrome::help::help;
use crate::app::chrome::how::how;
use crate::app::chrome::notices::{Toast, notices};
use crate::app::chrome::report::report;
use crate::app::compare::{Compare, add_planner};
use crate::app::context::{Dark, Layout, Page, use_page};
use crate::app::controls::planner_menu::planner_menu;
use crate::app::edit::Editor;
use crate::app::model::panels::{Mode, Overlay};
use crate::app::panels::drawer::{drawer, rail};
use crate::app::panels::sides::{left_panel, right_panel};
use crate::app::plan::stage::StagePanel;
use crate::app::state::action::{Action, SettingsAction};
use crate::app::transport::levels::levels;
use crate::app::transport::stepper::stepper;
use crate::app::transport::strip::strip;

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
    // The picture is of the graph before the last change.
    let stale = state.lags_behind().then_some("stale");
    let of_mode = match mode {
        Mode::Step => None,
        Mode::Edit => Some("editing"),
        Mode::Compare => Some("comparing"),
    };
    let picker = if mode == Mode::Compare { add_planner(&page) } else { planner_menu(&page) };
    html! { <>
        <div class={classes!("page", class, of_mode, stale)} style={widths}>
            { header(&page, picker) }
            { match mode {
                Mode::Compare => html! { <Compare {dark} /> },
                Mode::Edit => html! { <><Editor />{ stage(&page, dark) }</> },
                Mode::Step => stepping(&page, dark),
            } }
            { live_headline(&page) }
            <Toast />
        </div>
        { match state.view.overlay {
            Some(Overlay::Help) => help(&page),
            Some(Overlay::Report) => report(&page),
            Some(Overlay::How) => how(&page),
            Some(Overlay::Find) => html! { <FindBox /> },
            _ => Html::default(),
        } }
    </> }
}

/// The plan between its panels. It stands in the second place in every layout and mode, so that its view stays.
fn stepping(page: &Page, dark: bool) -> Html {
    let beside = html! { <><span class="grow"></span>{ levels(page) }</> };
    match page.layout {
        Layout::Wide => html! { <>{ left_panel(page) }{ stage(page, dark) }{ right_panel(page) }</> },
        Layout::Middle => html! { <>{ rail(page) }{ stage(page, dark) }{ drawer(page, beside) }</> },
        Layout::Narrow => html! { <>{ Html::default() }{ stage(page, dark) }{ drawer(page, Html::default()) }</> },
    }
}

/// The plan with its figures and its stepper.
fn stage(page: &Page, dark: bool) -> Html {
    html! {
        <main class={page.state.document.run.is_none().then_some("bare")}>
            { notices(page) }
            { strip(page) }
            <StagePanel {dark} />
            { hint(page) }
            { stepper(page) }
        </main>
    }
}

/// The line that says how to begin; not over the plan, and gone for good when dismissed.
fn hint(page: &Page) -> Html {
    if !page.state.settings.hint || page.state.document.run.is_none() || page.layout == Layout::Narrow {
        return Html::default();
    }
    let name = page.word("hint.dismiss");
    html! {
        <div class="hint">
            <span>{ page.word("hint.step") }{ " " }<kbd>{ "←" }</kbd>{ " " }<kbd>{ "→" }</kbd>{ page.word("hint.play") }{ " " }
                <kbd>{ page.word("hint.space") }</kbd>{ " · " }{ page.word("hint.drop") }</span>
            <button type="button" class="btn icon-only" aria-label={name.clone()} title={name} onclick={page.on(|| Action::Settings(SettingsAction::DismissHint))}>
                { crate::app::widgets::icons::glyph(crate::app::widgets::icons::Icon::Close) }
            </button>
        </div>
    }
}

/// The headline for screen readers: at most one message a frame, silent while playing.
fn live_headline(page: &Page) -> Html {
    let said = page.state.document.run.as_ref().zip(page.frame.as_ref()).filter(|_| !page.state.stepping.playing);
    let words =
        said.map(|(run, frame)| page.speech().say(&crate::replay::why(run, frame).headline)).unwrap_or_default();
    html! { <p class="visually-hidden" aria-live="polite">{ words }</p> }
}
