use yew::prelude::*;

use crate::app::context::Page;
use crate::app::model::panels::Tab;
use crate::app::panels::buffers::BufferTable;
use crate::app::panels::graph::GraphTable;
use crate::app::panels::next::next_card;
use crate::app::panels::open::files;
use crate::app::panels::peak::PeakPanel;
use crate::app::panels::predict::{PredictPanel, predict_head};
use crate::app::panels::selection::selection_box;
use crate::app::panels::start::StartPanel;
use crate::app::panels::state::StatePanel;
use crate::app::panels::why::why_panel;

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
