//! A row of tabs that each show a panel.

use yew::prelude::*;

use crate::context::Page;
use crate::shell::state::action::{Action, ViewAction};
use crate::shell::state::panels::Tab;
use crate::widgets::tabs::{TabItem, Tabs, tabs};
use memplan_core::base::{Family, exact};

/// What a row of panels shows.
pub struct TabRow<'a> {
    pub tabs: &'static [Tab],
    pub selected: Tab,
    /// The action that shows a panel.
    pub select: fn(Tab) -> ViewAction,
    /// Prefix of element ids.
    pub prefix: &'static str,
    /// Name of the row for screen readers.
    pub label: &'a str,
    /// Whether the tab of buffers shows their number.
    pub counts: bool,
    /// What stands beside the tabs.
    pub beside: Html,
}

/// Draws the row.
pub fn tab_row(page: &Page, row: TabRow) -> Html {
    let TabRow { tabs: all, selected, select, prefix, label, counts, beside } = row;
    let buffers = page.state.document.run.as_ref().map_or(0, |run| run.problem.buffers.len());
    let count = |tab: Tab| (tab == Tab::Buffers && counts).then(|| exact(buffers as u64));
    let item = |&tab: &Tab| TabItem { id: tab.name(), title: title(page, tab), count: count(tab) };
    let send = page.send.clone();
    tabs(Tabs {
        items: all.iter().map(item).collect(),
        selected: all.iter().position(|tab| *tab == selected).unwrap_or(0),
        onselect: Callback::from(move |index: usize| send.emit(Action::View(select(all[index])))),
        prefix,
        label,
        class: None,
        beside,
    })
}

/// The name of a panel: while questions are asked, they stand in place of the reason.
fn title(page: &Page, tab: Tab) -> String {
    match tab {
        Tab::Why if page.state.predicting.on => page.word("predict.title"),
        tab => page.word(&Family::TAB.of([tab.name()])),
    }
}
