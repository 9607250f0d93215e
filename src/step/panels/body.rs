use yew::prelude::*;

use crate::context::Page;
use crate::open::recent_list::files;
use crate::open::start::StartPanel;
use crate::own::panel::CodePanel;
use crate::shell::state::panels::Tab;
use crate::step::panels::buffers::BufferTable;
use crate::step::panels::graph::GraphTable;
use crate::step::panels::next::next_card;
use crate::step::panels::peak::PeakPanel;
use crate::step::panels::predict::{PredictPanel, predict_head};
use crate::step::panels::selection::selection_box;
use crate::step::panels::state::StatePanel;
use crate::step::panels::why::why_panel;

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
        Tab::Code => html! { <CodePanel /> },
        Tab::State => html! { <StatePanel /> },
        Tab::Selection => selection_box(page),
    }
}
