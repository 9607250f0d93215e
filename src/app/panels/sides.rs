//! The side panels of the wide layout, with splitters that mouse and arrow keys move.

use yew::prelude::*;

use crate::app::context::Page;
use crate::app::model::panels::{LEFT_WIDTH, Panels, RIGHT_WIDTH, Tab};
use crate::app::panels::body::tab_body;
use crate::app::panels::selection::selection_box;
use crate::app::panels::tab_row::{TabRow, tab_row};
use crate::app::panels::why::why_panel;
use crate::app::state::action::{Action, ViewAction};
use crate::app::widgets::icons::{Icon, glyph};
use crate::app::widgets::splitter::Splitter;

pub fn left_panel(page: &Page) -> Html {
    let panels = page.state.view.panels;
    let name = page.word("panel.left");
    let collapse = html! {
        <button type="button" class="btn icon-only" aria-label={name.clone()} title={name.clone()} aria-expanded={panels.left.to_string()}
            onclick={page.on(|| Action::View(ViewAction::ToggleLeft))}>{ glyph(Icon::Panel) }</button>
    };
    if !panels.left {
        return html! { <aside class="panel left closed" id="region-left" tabindex="-1" aria-label={name}>{ collapse }</aside> };
    }
    html! {
        <aside class="panel left" id="region-left" tabindex="-1" aria-label={name.clone()}>
            { tab_row(page, TabRow {
                tabs: &[Tab::Files, Tab::Graph, Tab::Buffers],
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
            if panels.left_tab != Tab::Files || page.state.stepping.selection.is_some() { { selection_box(page) } }
            { splitter(page, true) }
        </aside>
    }
}

pub fn right_panel(page: &Page) -> Html {
    let open = page.state.view.panels.right;
    let name = page.word("panel.right");
    let collapse = html! {
        <button type="button" class="btn icon-only" aria-label={name.clone()} title={name.clone()} aria-expanded={open.to_string()}
            onclick={page.on(|| Action::View(ViewAction::ToggleRight))}>{ glyph(Icon::Panel) }</button>
    };
    if !open {
        return html! { <aside class="panel right closed" id="region-right" tabindex="-1" aria-label={name}>{ collapse }</aside> };
    }
    html! {
        <aside class="panel right" id="region-right" tabindex="-1" aria-label={name}>
            { splitter(page, false) }
            <section class="why-section" id="why-panel" tabindex="-1" aria-label={page.word("tab.why")}>
                <div class="panel-title"><h2>{ page.word("tab.why") }</h2><span class="grow"></span>{ collapse }</div>
                { why_panel(page) }
            </section>
            { tab_body(page, Tab::State) }
        </aside>
    }
}

/// The handle between a panel and the plan.
fn splitter(page: &Page, left: bool) -> Html {
    let (now, usual) = (page.state.view.panels, Panels::default());
    let (width, usual, bounds, label) = match left {
        true => (now.left_width, usual.left_width, LEFT_WIDTH, "panel.left-width"),
        false => (now.right_width, usual.right_width, RIGHT_WIDTH, "panel.right-width"),
    };
    let onresize = page.send.reform(move |width: u32| Action::View(ViewAction::PanelWidth { left, width }));
    html! { <Splitter {left} {width} {usual} {bounds} label={page.word(label)} {onresize} /> }
}
