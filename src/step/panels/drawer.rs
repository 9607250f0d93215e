//! Panels of the middle and narrow layouts: a rail at the side, tabs below the stepper.

use yew::prelude::*;

use crate::context::keys::shortcuts;
use crate::context::{Drawn, InTurn, Layout, Page, use_page};
use crate::shell::state::action::{Action, ViewAction};
use crate::shell::state::keys::Command;
use crate::shell::state::panels::Tab;
use crate::step::panels::body::tab_body;
use crate::step::panels::tab_row::{TabRow, tab_row};
use crate::widgets::button::IconButton;
use crate::widgets::icons::{Icon, glyph};
use memplan_core::base::Family;

/// Draws the tabs and the panel below the stepper, after the plan; `beside` stands beside the tabs.
pub fn drawer(beside: Html) -> Html {
    html! { <InTurn from={Drawn::All} before={html! { <div class="drawer"></div> }}><Drawer {beside} /></InTurn> }
}

#[derive(Properties, PartialEq)]
struct DrawerProps {
    beside: Html,
}

#[component]
fn Drawer(props: &DrawerProps) -> Html {
    let page = &use_page();
    let beside = props.beside.clone();
    let panels = page.state.view.panels;
    let (selected, open) = (page.state.tab(), panels.drawer);
    let name = page.word("panel.drawer");
    let collapse = html! {
        <IconButton name={name} icon={Icon::Panel} id="drawer-button" keys={shortcuts(Command::RightPanel, page.state.settings.single_keys)} expanded={open} onclick={page.on(|| Action::View(ViewAction::ToggleRight))} />
    };
    if !open && page.beside {
        return html! { <aside class="drawer closed" id="region-right" tabindex="-1" aria-label={page.word("panel.right")}>{ collapse }</aside> };
    }
    let row = TabRow {
        tabs: drawer_tabs(page),
        selected,
        select: ViewAction::RightTab,
        prefix: "drawer",
        label: &page.word("panel.right"),
        counts: false,
        beside: html! { <>{ beside }{ collapse }</> },
    };
    html! {
        <aside class="drawer" id="region-right" tabindex="-1" aria-label={page.word("panel.right")}>
            { tab_row(page, row) }
            // The tabs of a closed drawer control a panel that is hidden.
            <div class="tab-panel" role="tabpanel" id="drawer-panel" aria-labelledby={format!("drawer-tab-{}", selected.name())} hidden={!open}>
                if open { { tab_body(page, selected) } }
            </div>
        </aside>
    }
}

/// The tabs of the drawer: that of the program stands beside the reason where there is one.
fn drawer_tabs(page: &Page) -> &'static [Tab] {
    use Tab::*;
    match (page.layout, page.state.has_code()) {
        (Layout::Narrow, false) => &[Start, Peak, Why, State, Buffers, Graph, Selection, Files],
        (Layout::Narrow, true) => &[Start, Peak, Why, Code, State, Buffers, Graph, Selection, Files],
        (_, false) => &[Start, Peak, Why, State, Selection, Buffers, Graph, Files],
        (_, true) => &[Start, Peak, Why, Code, State, Selection, Buffers, Graph, Files],
    }
}

/// Shortcuts to the drawer's tabs for graph and buffers.
pub fn rail(page: &Page) -> Html {
    let entry = |tab: Tab, icon: Icon| {
        let name = page.word(&Family::TAB.of([tab.name()]));
        let on = page.state.tab() == tab;
        html! {
            <button type="button" class={classes!("btn", "icon-only", on.then_some("on"))} aria-pressed={on.to_string()}
                aria-label={name.clone()} title={name} onclick={page.on(move || Action::View(ViewAction::RightTab(tab)))}>{ glyph(icon) }</button>
        }
    };
    html! {
        <nav class="rail" id="region-left" tabindex="-1" aria-label={page.word("panel.left")}>
            { entry(Tab::Files, Icon::Folder) }{ entry(Tab::Graph, Icon::Graph) }{ entry(Tab::Buffers, Icon::List) }
        </nav>
    }
}
