use yew::prelude::*;

use crate::context::Page;
use crate::model::panels::Tab;
use crate::panels::buffers::BufferTable;
use crate::panels::graph::GraphTable;
use crate::panels::next::next_card;
use crate::panels::open::files;
use crate::panels::peak::PeakPanel;
use crate::panels::predict::{PredictPanel, predict_head};
use crate::panels::selection::selection_box;
use crate::panels::start::StartPanel;
use crate::panels::state::StatePanel;
use crate::panels::why::why_panel;

/// What a tab shows.
pub fn tab_body(page: &Page, tab: Tab) -> Html {
    match tab {
        Tab::Peak => html! { <PeakPanel /> },
        Tab::Start => html! { <StartPanel /> },
        Tab::Files => files(page),
        Tab::Graph => html! { <GraphTable /> },
        Tab::Buffers => html! { <BufferTable /> },
        Tab::Why if page.state.predicting.on => html! { <>{ predict_head(page) }<PredictPanel /></> },
        Tab::Why => html! { <>{ why_panel(page) }{ next_card(page) }</> },
        Tab::State => html! { <StatePanel /> },
        Tab::Selection => selection_box(page),
    }
}
