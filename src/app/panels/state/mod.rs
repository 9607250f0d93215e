//! The state of a planner after the frame, or before it: its tree or free list, and the sections that its family fills.

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

use crate::app::context::{Page, use_page};
use crate::app::panels::state::head::shows_before;
use crate::app::panels::state::list::ListPanel;
use crate::app::panels::state::section::{nothing, section_view};
use crate::app::panels::state::tree::TreePanel;
use crate::app::widgets::tabs::{TabItem, Tabs, tabs};
use crate::base::Family;
use crate::plan::{PoolId, PoolRole};
use crate::replay::panel::{Section, View, sections};
use crate::replay::{Frame, Run};

/// Id of the part that shows addresses: the tree or the free list.
const ADDRESSES: &str = "addresses";

/// The sections of a moment, made anew only for another one.
#[hook]
fn use_sections(run: Option<Rc<Run>>, frame: Option<Rc<Frame>>) -> Rc<Vec<Rc<Section>>> {
    let key = (run.as_ref().map(|run| Rc::as_ptr(run) as usize), frame.as_ref().map(|frame| frame.events));
    use_memo(key, move |_| {
        let found = run.zip(frame).map(|(run, frame)| sections(&run, &frame));
        found.into_iter().flatten().map(Rc::new).collect()
    })
}

/// The frame before this one, while the panel shows it.
#[hook]
fn use_before(page: &Page) -> Option<Rc<Frame>> {
    let run = page.state.document.run.clone();
    let cursor = page.state.cursor_before().filter(|_| shows_before(page));
    let key = (run.as_ref().map(|run| Rc::as_ptr(run) as usize), cursor);
    let frame = use_memo(key, move |(_, cursor)| Some(Rc::new(run?.frame((*cursor)?))));
    (*frame).clone()
}

#[component]
pub fn StatePanel() -> Html {
    let page = use_page();
    let chosen = use_state_eq(|| None::<&'static str>);
    let before = use_before(&page);
    let parts = use_sections(page.state.document.run.clone(), page.frame.clone());
    let earlier = use_sections(page.state.document.run.clone().filter(|_| before.is_some()), before.clone());
    let Some((run, frame)) = page.state.document.run.clone().zip(page.frame.clone()) else {
        return html! { <p class="empty">{ page.word("list.empty") }</p> };
    };
    let has_addresses = run.plan.pools.iter().any(|pool| pool.role != PoolRole::Storage);
    let primary = if run.has_tree() { "tree" } else { "list" };
    let mut parts_of: Vec<(&'static str, String)> = Vec::new();
    if has_addresses || parts.is_empty() {
        parts_of.push((ADDRESSES, page.word(&Family::PANEL_SECTION.of([primary]))));
    }
    parts_of.extend(parts.iter().map(|part| (part.id, page.word(&Family::PANEL_SECTION.of([part.id])))));
    let here = parts_of.iter().position(|(id, _)| Some(*id) == *chosen).unwrap_or(0);
    let (open, title) = (parts_of[here].0, parts_of[here].1.clone());
    let part = parts.iter().find(|part| part.id == open);
    // A ruler belongs to the request of this frame.
    let of_request = part.is_some_and(|part| matches!(part.view, View::Ruler(_)));
    let before = before.filter(|_| !of_request);
    let shown = if before.is_some() { earlier.iter().find(|part| part.id == open) } else { part };
    // What is below shows the frame that this page names.
    let shown_page = Page { frame: Some(before.unwrap_or_else(|| frame.clone())), ..page.clone() };
    let pool = frame.focus.and_then(|focus| frame.places[focus]).map_or(PoolId(0), |place| place.pool);
    let body = match shown {
        Some(part) => section_view(&shown_page, part, &title),
        None if part.is_some() => nothing(&page, &title),
        None if run.has_tree() => html! { <TreePanel {pool} /> },
        None => html! { <ListPanel {pool} /> },
    };
    let ids: Vec<&'static str> = parts_of.iter().map(|(id, _)| *id).collect();
    let items = parts_of.into_iter().map(|(id, title)| TabItem { id, title, count: None }).collect::<Vec<_>>();
    let onselect = Callback::from(move |index: usize| chosen.set(Some(ids[index])));
    html! {
        <div class="state-parts">
            if items.len() > 1 { { tabs(Tabs { items, selected: here, onselect, prefix: "part", label: &page.word("tab.state"), class: Some("parts"), beside: Html::default() }) } }
            <div class="tab-panel" role="tabpanel" id="part-panel" aria-labelledby={format!("part-tab-{open}")}>
                <ContextProvider<Page> context={shown_page}>{ body }</ContextProvider<Page>>
            </div>
        </div>
    }
}
