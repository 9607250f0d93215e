use yew::prelude::*;

use crate::app::context::Page;
use crate::app::model::panels::Tab;
use crate::app::panels::buffers::BufferTable;
use crate::app::panels::graph::GraphTable;
use crate::app::panels::open::files;
use crate::app::panels::selection::selection_box;
use crate::app::panels::state::StatePanel;
use crate::app::panels::why::why_panel;

/// What a tab shows.
pub fn tab_body(page: &Page, tab: Tab) -> Html {
    let is_early = page.state.document.run.is_some() && !page.settled;
    match tab {
        Tab::Graph | Tab::Buffers | Tab::State if is_early => Html::default(),
        Tab::Files => files(page),
        Tab::Graph => html! { <GraphTable /> },
        Tab::Buffers => html! { <BufferTable /> },
        Tab::Why => why_panel(page),
        Tab::State => html! { <StatePanel /> },
        Tab::Selection => selection_box(page),
    }
}
