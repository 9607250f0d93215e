//! The state of a planner after the frame: its tree or free list, and the sections that its family fills.

use std::rc::Rc;

use yew::prelude::*;

use super::list_panel::ListPanel;
use super::section_view::SectionView;
use super::tabs::focus;
use super::tree_panel::TreePanel;
use super::use_page;
use crate::plan::PoolRole;
use crate::replay::panel::{Section, sections};

/// Id of the part that shows addresses: the tree or the free list.
const ADDRESSES: &str = "addresses";

#[component]
pub fn StatePanel() -> Html {
    let page = use_page();
    let chosen = use_state_eq(|| None::<&'static str>);
    let Some((run, frame)) = page.state.run.clone().zip(page.frame.clone()) else {
        return html! { <p class="empty">{ page.word("list.empty") }</p> };
    };
    let parts: Vec<Section> = sections(&run, &frame);
    let has_addresses = run.plan.pools.iter().any(|pool| pool.role != PoolRole::Storage);
    let primary = if run.has_tree() { "tree" } else { "list" };
    let mut tabs: Vec<(&'static str, String)> = Vec::new();
    if has_addresses || parts.is_empty() {
        tabs.push((ADDRESSES, page.word(&format!("panel.{primary}"))));
    }
    tabs.extend(parts.iter().map(|part| (part.id, page.word(&format!("panel.{}", part.id)))));
    let here = tabs.iter().position(|(id, _)| Some(*id) == *chosen).unwrap_or(0);
    let open = tabs[here].0;
    let body = match parts.into_iter().find(|part| part.id == open) {
        Some(part) => html! { <SectionView section={Rc::new(part)} title={tabs[here].1.clone()} /> },
        None if run.has_tree() => html! { <TreePanel /> },
        None => html! { <ListPanel /> },
    };
    html! {
        <div class="state-parts">
            if tabs.len() > 1 { <Parts tabs={Rc::new(tabs)} {here} onselect={Callback::from(move |id| chosen.set(Some(id)))} /> }
            <div class="tab-panel" role="tabpanel" id="part-panel" aria-labelledby={format!("part-tab-{open}")}>{ body }</div>
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct PartsProps {
    tabs: Rc<Vec<(&'static str, String)>>,
    here: usize,
    onselect: Callback<&'static str>,
}

/// The row of tabs over the parts.
#[component]
fn Parts(props: &PartsProps) -> Html {
    let page = use_page();
    let here = props.here;
    let onkeydown = {
        let (tabs, onselect) = (props.tabs.clone(), props.onselect.clone());
        Callback::from(move |event: KeyboardEvent| {
            let next = match event.key().as_str() {
                "ArrowRight" => (here + 1) % tabs.len(),
                "ArrowLeft" => (here + tabs.len() - 1) % tabs.len(),
                _ => return,
            };
            event.prevent_default();
            event.stop_propagation();
            onselect.emit(tabs[next].0);
            focus(&format!("part-tab-{}", tabs[next].0));
        })
    };
    html! {
        <div class="tabs parts">
            <div class="tab-list" role="tablist" aria-label={page.word("tab.state")} {onkeydown}>
                { for props.tabs.iter().enumerate().map(|(index, (id, title))| {
                    let (id, onselect) = (*id, props.onselect.clone());
                    html! {
                        <button type="button" role="tab" id={format!("part-tab-{id}")} aria-controls="part-panel"
                            aria-selected={(index == here).to_string()} tabindex={if index == here { "0" } else { "-1" }}
                            onclick={Callback::from(move |_| onselect.emit(id))}>{ title }</button>
                    }
                }) }
            </div>
        </div>
    }
}
