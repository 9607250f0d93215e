//! The state of a planner after the frame, or before it: its tree or free list, and the sections
//! that its family fills.

pub mod head;
pub mod lanes;
pub mod list;
pub mod ruler;
pub mod section;
pub mod table;
pub mod tree;
pub mod tree_row;

use std::rc::Rc;

use yew::prelude::*;

use crate::context::same::Same;
use crate::context::{Page, use_page};
use crate::step::panels::state::head::shows_before;
use crate::step::panels::state::list::ListPanel;
use crate::step::panels::state::section::{nothing, section_view};
use crate::step::panels::state::tree::TreePanel;
use crate::widgets::tabs::{TabItem, Tabs, tabs};
use memplan_core::base::Family;
use memplan_core::plan::{PoolId, PoolRole};
use memplan_replay::panel::{Filled, Section, View, filled_sections};
use memplan_replay::{Frame, Run};

/// Id of the part that shows addresses: the tree or the free list.
const ADDRESSES: &str = "addresses";

/// What a part shows at a moment, made anew only for another one; nothing for the part that shows
/// addresses.
#[hook]
fn use_section(part: Option<Filled>, run: Option<Rc<Run>>, frame: Option<Rc<Frame>>) -> Rc<Option<Rc<Section>>> {
    let key = (run.as_ref().map(Same::from), frame.as_ref().map(|frame| frame.events), part);
    use_memo(key, move |(run, _, part)| part.as_ref()?.section(run.as_ref()?, frame.as_deref()?).map(Rc::new))
}

/// A part of the panel.
#[derive(Clone, Copy, PartialEq)]
struct Part {
    id: &'static str,
    /// What fills it; nothing for the tree or the free list.
    filled: Option<Filled>,
}

/// The parts of the panel: the same at every frame, so that no step moves a tab.
#[hook]
fn use_parts(run: Option<Rc<Run>>) -> Rc<Vec<Part>> {
    use_memo(run.as_ref().map(Same::from), |run| {
        let Some(run) = run else { return Vec::new() };
        let filled = filled_sections(run);
        let has_addresses = run.plan.pools.iter().any(|pool| pool.role != PoolRole::Storage);
        let addresses = (has_addresses || filled.is_empty()).then_some(Part { id: ADDRESSES, filled: None });
        addresses.into_iter().chain(filled.into_iter().map(|part| Part { id: part.id, filled: Some(part) })).collect()
    })
}

/// The frame before this one, while the panel shows it.
#[hook]
fn use_before(page: &Page) -> Option<Rc<Frame>> {
    let cursor = page.state.cursor_before().filter(|_| shows_before(page));
    let key = (page.state.document.run.as_ref().map(Same::from), cursor);
    let frame = use_memo(key, |(run, cursor)| Some(Rc::new(run.as_ref()?.frame((*cursor)?))));
    (*frame).clone()
}

#[component]
pub fn StatePanel() -> Html {
    let page = use_page();
    let chosen = use_state_eq(|| None::<&'static str>);
    let before = use_before(&page);
    let parts = use_parts(page.state.document.run.clone());
    let here = parts.iter().position(|part| Some(part.id) == *chosen).unwrap_or(0);
    let Part { id: open, filled } = parts.get(here).copied().unwrap_or(Part { id: ADDRESSES, filled: None });
    let part = use_section(filled, page.state.document.run.clone(), page.frame.clone());
    let earlier = use_section(filled, page.state.document.run.clone(), before.clone());
    let Some((run, frame)) = page.state.document.run.clone().zip(page.frame.clone()) else {
        return html! { <p class="empty">{ page.word("list.empty") }</p> };
    };
    let primary = if run.has_tree() { "tree" } else { "list" };
    let title_of =
        |id: &'static str| page.word(&Family::PANEL_SECTION.of([if id == ADDRESSES { primary } else { id }]));
    let rows = filled.map_or(0, |filled| filled.rows);
    let title = title_of(open);
    let part = (*part).as_ref();
    // A ruler belongs to the request of this frame.
    let of_request = part.is_some_and(|part| matches!(part.view, View::Ruler(_)));
    let before = before.filter(|_| !of_request);
    let shown = if before.is_some() { (*earlier).as_ref() } else { part };
    // What is below shows the frame that this page names.
    let shown_page = Page { frame: Some(before.unwrap_or_else(|| frame.clone())), ..page.clone() };
    let pool = frame.focus.and_then(|focus| frame.places[focus]).map_or(PoolId(0), |place| place.pool);
    let body = match shown {
        Some(part) => section_view(&shown_page, part, &title, rows),
        None if part.is_some() => nothing(&page, &title, "panel.nothing-before"),
        None if open != ADDRESSES => nothing(&page, &title, "panel.nothing-here"),
        None if run.has_tree() => html! { <TreePanel {pool} /> },
        None => html! { <ListPanel {pool} /> },
    };
    let items: Vec<TabItem> =
        parts.iter().map(|part| TabItem { id: part.id, title: title_of(part.id), count: None }).collect();
    let onselect = Callback::from(move |index: usize| chosen.set(parts.get(index).map(|part| part.id)));
    html! {
        <div class="state-parts">
            if items.len() > 1 { { tabs(Tabs { items, selected: here, onselect, prefix: "part", label: &page.word("tab.state"), class: Some("parts"), beside: Html::default() }) } }
            <div class="tab-panel" role="tabpanel" id="part-panel" aria-labelledby={format!("part-tab-{open}")}>
                <ContextProvider<Page> context={shown_page}>{ body }</ContextProvider<Page>>
            </div>
        </div>
    }
}
