//! The side panels of the wide layout, with splitters that mouse and arrow keys move.

use yew::prelude::*;

use crate::app::context::Page;
use crate::app::model::panels::Tab;
use crate::app::panels::body::tab_body;
use crate::app::panels::selection::selection_box;
use crate::app::panels::why::why_panel;
use crate::app::state::action::Action;
use crate::app::widgets::icons::{Icon, glyph};
use crate::app::widgets::splitter::Splitter;
use crate::app::widgets::tabs::{Tabs, tabs};

pub fn left_panel(page: &Page) -> Html {
    let panels = page.state.panels;
    let name = page.word("panel.left");
    let collapse = html! {
        <button type="button" class="btn icon-only" aria-label={name.clone()} title={name.clone()} aria-expanded={panels.left.to_string()}
            onclick={page.on(|| Action::ToggleLeft)}>{ glyph(Icon::Panel) }</button>
    };
    if !panels.left {
        return html! { <aside class="panel left closed" id="region-left" tabindex="-1" aria-label={name}>{ collapse }</aside> };
    }
    let send = page.send.clone();
    let onselect = Callback::from(move |tab| send.emit(Action::LeftTab(tab)));
    let buffers = page.state.run.as_ref().map_or(0, |run| run.problem.buffers.len());
    html! {
        <aside class="panel left" id="region-left" tabindex="-1" aria-label={name.clone()}>
            { tabs(page, Tabs {
                tabs: &[Tab::Files, Tab::Graph, Tab::Buffers],
                selected: panels.left_tab,
                onselect,
                prefix: "left",
                label: &name,
                count: Some((Tab::Buffers, buffers)),
                beside: collapse,
            }) }
            <div class="tab-panel" role="tabpanel" id="left-panel" aria-labelledby={format!("left-tab-{}", panels.left_tab.name())}>
                { tab_body(page, panels.left_tab) }
            </div>
            if panels.left_tab != Tab::Files || page.state.selection.is_some() { { selection_box(page) } }
            <Splitter left={true} />
        </aside>
    }
}

pub fn right_panel(page: &Page) -> Html {
    let open = page.state.panels.right;
    let name = page.word("panel.right");
    let collapse = html! {
        <button type="button" class="btn icon-only" aria-label={name.clone()} title={name.clone()} aria-expanded={open.to_string()}
            onclick={page.on(|| Action::ToggleRight)}>{ glyph(Icon::Panel) }</button>
    };
    if !open {
        return html! { <aside class="panel right closed" id="region-right" tabindex="-1" aria-label={name}>{ collapse }</aside> };
    }
    html! {
        <aside class="panel right" id="region-right" tabindex="-1" aria-label={name}>
            <Splitter left={false} />
            <section class="why-section" id="why-panel" tabindex="-1" aria-label={page.word("tab.why")}>
                <div class="panel-title"><h2>{ page.word("tab.why") }</h2><span class="grow"></span>{ collapse }</div>
                { why_panel(page) }
            </section>
            { tab_body(page, Tab::State) }
        </aside>
    }
}
