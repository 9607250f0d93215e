//! The side panels of the wide layout, with splitters that mouse and arrow keys move.

use yew::prelude::*;

use crate::context::keys::shortcuts;
use crate::context::{Drawn, InTurn, Page, use_page};
use crate::shell::state::action::{Action, IntroductionAction, ViewAction};
use crate::shell::state::keys::Command;
use crate::shell::state::panels::{LEFT_WIDTH, Panels, RIGHT_WIDTH, Tab};
use crate::step::panels::body::tab_body;
use crate::step::panels::next::next_card;
use crate::step::panels::predict::{PredictPanel, predict_head};
use crate::step::panels::selection::selection_box;
use crate::step::panels::tab_row::{TabRow, tab_row};
use crate::step::panels::why::why_panel;
use crate::widgets::button::IconButton;
use crate::widgets::icons::Icon;
use crate::widgets::splitter::Splitter;

/// The panel at the left, after the plan.
pub fn left_panel(page: &Page) -> Html {
    let before = empty("left", page.state.view.panels.left);
    html! { <InTurn from={Drawn::Left} {before}><LeftPanel /></InTurn> }
}

#[component]
fn LeftPanel() -> Html {
    let page = &use_page();
    let panels = page.state.view.panels;
    let name = page.word("panel.left");
    let collapse = html! {
        <IconButton name={name.clone()} icon={Icon::Panel} keys={shortcuts(Command::LeftPanel, page.state.settings.single_keys)} expanded={panels.left} onclick={page.on(|| Action::View(ViewAction::ToggleLeft))} />
    };
    if !panels.left {
        return html! { <aside class="panel left closed" id="region-left" tabindex="-1" aria-label={name}>{ collapse }</aside> };
    }
    html! {
        <aside class="panel left" id="region-left" tabindex="-1" aria-label={name.clone()}>
            { tab_row(page, TabRow {
                tabs: &[Tab::Start, Tab::Files, Tab::Graph, Tab::Buffers],
                selected: panels.left_tab,
                select: ViewAction::LeftTab,
                prefix: "left",
                label: &name,
                counts: true,
                beside: collapse,
            }) }
            <div class="tab-panel" role="tabpanel" id="left-panel" aria-labelledby={format!("left-tab-{}", panels.left_tab.name())}>
                { tab_body(page, panels.left_tab) }
            </div>
            if !matches!(panels.left_tab, Tab::Start | Tab::Files) || page.state.stepping.selection.is_some() { { selection_box(page) } }
            { splitter(page, true) }
        </aside>
    }
}

/// What is left of the tables of Edit while the plan has all the room: the way back to them.
pub fn folded_editor(page: &Page) -> Html {
    let name = page.word("mode.edit");
    html! {
        <aside class="panel left closed" id="region-left" tabindex="-1" aria-label={name.clone()}>
            <IconButton name={name} icon={Icon::Panel} keys={shortcuts(Command::LeftPanel, page.state.settings.single_keys)} expanded=false onclick={page.on(|| Action::View(ViewAction::ToggleLeft))} />
        </aside>
    }
}

/// The panel at the right, last of all.
pub fn right_panel(page: &Page) -> Html {
    let before = empty("right", page.state.view.panels.right);
    html! { <InTurn from={Drawn::All} {before}><RightPanel /></InTurn> }
}

/// The place of a panel whose turn has not come, so that the plan has its own from the beginning.
fn empty(side: &'static str, is_open: bool) -> Html {
    html! { <div class={classes!("panel", side, (!is_open).then_some("closed"))}></div> }
}

#[component]
fn RightPanel() -> Html {
    let page = &use_page();
    let (open, selected) = (page.state.view.panels.right, page.state.right_tab());
    let name = page.word("panel.right");
    let collapse = html! {
        <IconButton name={name.clone()} icon={Icon::Panel} keys={shortcuts(Command::RightPanel, page.state.settings.single_keys)} expanded={open} onclick={page.on(|| Action::View(ViewAction::ToggleRight))} />
    };
    if !open {
        return html! { <aside class="panel right closed" id="region-right" tabindex="-1" aria-label={name}>{ collapse }</aside> };
    }
    if page.state.predicting.on {
        return html! {
            <aside class="panel right" id="region-right" tabindex="-1" aria-label={name}>
                { splitter(page, false) }{ predict_head(page) }<PredictPanel />
            </aside>
        };
    }
    html! {
        <aside class="panel right" id="region-right" tabindex="-1" aria-label={name.clone()}>
            { splitter(page, false) }
            { tab_row(page, TabRow {
                tabs: page.state.right_tabs(),
                selected,
                select: ViewAction::RightTab,
                prefix: "right",
                label: &name,
                counts: false,
                beside: collapse,
            }) }
            <div class="tab-panel" role="tabpanel" id="right-panel" aria-labelledby={format!("right-tab-{}", selected.name())}>
                if selected == Tab::Why {
                    // The card stands inside, so that it moves nothing when it goes.
                    <section class={classes!("why-section", page.state.introduction.folded.then_some("tall"))} id="why-panel" tabindex="-1" aria-label={page.word("tab.why")}>{ why_panel(page) }{ next_card(page) }</section>
                    // What the planner keeps is read beside the reason; its own tab gives it the
                    // whole height.
                    if page.state.introduction.folded { { folded_state(page) } } else { { tab_body(page, Tab::State) } }
                } else {
                    { tab_body(page, selected) }
                    // The end of the first run leads on from there.
                    if selected == Tab::Peak { { next_card(page) } }
                }
            </div>
        </aside>
    }
}

/// The state panel as one line, until it is opened.
fn folded_state(page: &Page) -> Html {
    html! {
        <div class="fold" id="state-fold">
            <b>{ page.word("tab.state") }</b><span class="grow">{ page.word("state.folded") }</span>
            <button type="button" class="btn" id="unfold-state" onclick={page.on(|| Action::Introduction(IntroductionAction::Unfold))}>{ page.word("state.unfold") }</button>
        </div>
    }
}

/// The handle between a panel and the plan.
fn splitter(page: &Page, left: bool) -> Html {
    let (now, usual) = (page.state.view.panels, Panels::default());
    let (width, usual, bounds, label) = if left {
        (now.left_width, usual.left_width, LEFT_WIDTH, "panel.left-width")
    } else {
        (now.right_width, usual.right_width, RIGHT_WIDTH, "panel.right-width")
    };
    let onresize = page.send.reform(move |width: u32| Action::View(ViewAction::PanelWidth { left, width }));
    html! { <Splitter {left} {width} {usual} {bounds} label={page.word(label)} {onresize} /> }
}
