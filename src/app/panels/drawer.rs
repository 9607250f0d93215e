//! Panels of the middle and narrow layouts: a rail at the side, tabs below the stepper.

use yew::prelude::*;

use crate::app::context::{Layout, Page};
use crate::app::model::panels::Tab;
use crate::app::panels::body::tab_body;
use crate::app::panels::tab_row::{TabRow, tab_row};
use crate::app::state::action::{Action, ViewAction};
use crate::app::widgets::icons::{Icon, glyph};
use crate::base::Family;

/// Draws the tabs and the panel below the stepper; `beside` stands beside the tabs.
pub fn drawer(page: &Page, beside: Html) -> Html {
    let selected = page.state.view.panels.drawer_tab;
    let row = TabRow {
        tabs: match page.layout {
            Layout::Narrow => &[Tab::Why, Tab::State, Tab::Buffers, Tab::Graph, Tab::Selection, Tab::Files],
            _ => &[Tab::Why, Tab::State, Tab::Selection, Tab::Buffers, Tab::Graph, Tab::Files],
        },
        selected,
        select: ViewAction::DrawerTab,
        prefix: "drawer",
        label: &page.word("panel.right"),
        counts: false,
        beside,
    };
    html! {
        <aside class="drawer" id="region-right" tabindex="-1" aria-label={page.word("panel.right")}>
            { tab_row(page, row) }
            <div class="tab-panel" role="tabpanel" id="drawer-panel" aria-labelledby={format!("drawer-tab-{}", selected.name())}>
                { tab_body(page, selected) }
            </div>
        </aside>
    }
}

/// Shortcuts to the drawer's tabs for graph and buffers.
pub fn rail(page: &Page) -> Html {
    let entry = |tab: Tab, icon: Icon| {
        let name = page.word(&Family::TAB.of([tab.name()]));
        let on = page.state.view.panels.drawer_tab == tab;
        html! {
            <button type="button" class={classes!("btn", "icon-only", on.then_some("on"))} aria-pressed={on.to_string()}
                aria-label={name.clone()} title={name} onclick={page.on(move || Action::View(ViewAction::DrawerTab(tab)))}>{ glyph(icon) }</button>
        }
    };
    html! {
        <nav class="rail" id="region-left" tabindex="-1" aria-label={page.word("panel.left")}>
            { entry(Tab::Files, Icon::Folder) }{ entry(Tab::Graph, Icon::Graph) }{ entry(Tab::Buffers, Icon::List) }
        </nav>
    }
}
