//! The AllocationTree as an accessible tree: one row a node, the path of this frame opened by
//! itself.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use yew::prelude::*;

use crate::context::{Page, use_page};
use crate::shell::state::action::Action;
use crate::step::panels::state::head::{Head, copy_part, head};
use crate::step::panels::state::list::AddressesProps;
use crate::step::panels::state::tree_row::{pick, row_words, tree_row};
use crate::widgets::filter::{Filter, filter};
use crate::widgets::rows::{Rows, row_height};
use memplan_core::base::Message;
use memplan_core::plan::PoolId;
use memplan_core::trace::TreeNodeId;
use memplan_replay::panel::tree_json;
use memplan_replay::{Candidate, Frame, Open, Run, TreeRow, reach_beyond, tree_rows, with_ancestors};

#[component]
pub fn TreePanel(props: &AddressesProps) -> Html {
    let page = use_page();
    // What the reader opened or closed by hand, against what the frame opens by itself.
    let toggled = use_state_eq(BTreeSet::<TreeNodeId>::new);
    let shown_pool = use_state_eq(|| None::<(u32, PoolId)>);
    let text = use_state_eq(String::new);
    let Some((run, frame)) = page.state.document.run.clone().zip(page.frame.clone()) else { return Html::default() };
    let cursor = page.state.stepping.cursor;
    let pool = match *shown_pool {
        // A choice by hand holds until the next frame.
        Some((chosen_at, pool)) if chosen_at == cursor => pool,
        _ => props.pool,
    };
    let title = page.word("tree.title");
    let remark = frame.provisional.then(|| page.word("tree.provisional"));
    let oncopy = copies(&page, &run, &frame, pool, &title);
    let head = head(&page, Head { title: &title, remark, oncopy: Some(oncopy), ..Head::default() });
    // One frame earlier the pool may not have been there.
    if frame.layouts.get(pool.0 as usize).is_none() {
        return html! { <section class="state" aria-label={title}>{ head }<p class="empty">{ page.word("tree.empty") }</p></section> };
    }
    let wanted = text.trim().to_lowercase();
    let filtered = !wanted.is_empty();
    let all = frame.layouts.get(pool.0 as usize).map_or(0, |layout| layout.regions.len());
    let (rows, passing) = rows_of(&page, &run, &frame, pool, &wanted, &toggled);
    let shown = if filtered { passing.iter().filter(|passes| **passes).count() } else { all };
    let (rows, passing) = (Rc::new(rows), Rc::new(passing));
    let stepping = &page.state.stepping;
    let of_selection = |row: &TreeRow| stepping.selection.is_some() && row.buffer == stepping.selection;
    let of_node = rows.iter().position(|row| Some(row.node) == stepping.node);
    let selected = of_node.or_else(|| rows.iter().position(of_selection));
    // Where nothing is selected the keys begin at this frame's buffer.
    let current = selected.or_else(|| rows.iter().position(|row| row.buffer.is_some() && row.buffer == frame.focus));
    let badges = badges_of(&frame);
    let toggle = {
        let toggled = toggled.clone();
        Callback::from(move |node: TreeNodeId| {
            let mut next = (*toggled).clone();
            if !next.remove(&node) {
                next.insert(node);
            }
            toggled.set(next);
        })
    };
    let row = {
        let (page, frame, rows, toggle) = (page.clone(), frame.clone(), rows.clone(), toggle.clone());
        Callback::from(move |index: usize| {
            // Everything that passes the filter is open, and what does not is there for its place
            // only.
            let twist = (!filtered).then_some(&toggle);
            tree_row(&page, &frame, (&rows[index], passing[index]), index, selected == Some(index), &badges, twist)
        })
    };
    let onmove = {
        let (send, rows) = (page.send.clone(), rows.clone());
        Callback::from(move |index: usize| pick(&send, &rows[index]))
    };
    let onkey = keys(page.send.clone(), rows.clone(), current, filtered, toggle);
    html! {
        <section class="state" aria-label={title.clone()}>
            <div class="state-head">
            { head }
            if frame.layouts.len() > 1 {
                <div class="pools">{ pool_choice(&page, frame.layouts.len(), pool, {
                    let shown_pool = shown_pool.clone();
                    Callback::from(move |pool| shown_pool.set(Some((cursor, pool))))
                }) }</div>
            }
            { filter(Filter { id: "part-filter", label: page.word("panel.filter"), text: &text, all, count: page.filtered(shown, all), always: true }) }
            </div>
            if reach_beyond(&rows) { <p class="note muted">{ page.word("tree.beyond") }</p> }
            if rows.is_empty() { <p class="empty">{ page.word("panel.no-match") }</p> }
            <Rows count={rows.len()} height={row_height()} {current} {row} {onmove} onpoint={page.pointing()} {onkey} label={title} id="tree-rows"
                role="tree" active={current.map(|index| AttrValue::from(format!("tree-row-{index}")))} />
        </section>
    }
}

/// Copies the tree of a pool.
fn copies(page: &Page, run: &Rc<Run>, frame: &Rc<Frame>, pool: PoolId, title: &str) -> Callback<MouseEvent> {
    let (page, run, frame, title) = (page.clone(), run.clone(), frame.clone(), title.to_string());
    Callback::from(move |_: MouseEvent| {
        copy_part(&page, "tree", &title, || {
            let mut record = tree_json(&run, &frame, pool);
            record.insert("pool".into(), pool.0.into());
            record
        })
    })
}

/// The rows in sight, and whether each passes the filter or is there for its place only.
fn rows_of(
    page: &Page,
    run: &Run,
    frame: &Frame,
    pool: PoolId,
    wanted: &str,
    toggled: &BTreeSet<TreeNodeId>,
) -> (Vec<TreeRow>, Vec<bool>) {
    if wanted.is_empty() {
        let rows = tree_rows(run, frame, pool, Open::Path(toggled, page.state.stepping.selection));
        let passing = vec![true; rows.len()];
        return (rows, passing);
    }
    let says = |row: &TreeRow| row_words(page, row).to_lowercase().contains(wanted);
    with_ancestors(tree_rows(run, frame, pool, Open::All), says).into_iter().unzip()
}

/// Nodes that were looked at: number of the candidate, and whether it was chosen.
fn badges_of(frame: &Frame) -> HashMap<TreeNodeId, (u32, bool)> {
    let badge = |candidate: &Candidate| Some((candidate.node?, (candidate.number, candidate.chosen)));
    frame.candidates.iter().filter_map(badge).collect()
}

/// Left and right open, close, and go to the first child or the parent.
fn keys(
    send: Callback<Action>,
    rows: Rc<Vec<TreeRow>>,
    current: Option<usize>,
    filtered: bool,
    toggle: Callback<TreeNodeId>,
) -> Callback<KeyboardEvent> {
    Callback::from(move |event: KeyboardEvent| {
        let Some((index, row)) = current.and_then(|index| rows.get(index).map(|row| (index, row))) else { return };
        match event.key().as_str() {
            "ArrowRight" if row.expanded == Some(false) => toggle.emit(row.node),
            "ArrowRight" if row.expanded == Some(true) => pick(&send, &rows[(index + 1).min(rows.len() - 1)]),
            "ArrowLeft" if row.expanded == Some(true) && !filtered => toggle.emit(row.node),
            "ArrowLeft" => {
                let parent = rows[..index].iter().rev().find(|above| above.depth < row.depth);
                parent.into_iter().for_each(|parent| pick(&send, parent));
            }
            "ArrowRight" => {}
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    })
}

/// Pools as a choice: buttons for a few, a list for many.
fn pool_choice(page: &Page, count: usize, chosen: PoolId, onpick: Callback<PoolId>) -> Html {
    let name = |pool: u32| page.speech().say(&Message::new("pool.number").count("n", pool));
    if count <= 3 {
        return html! {
            <div class="segments" role="group" aria-label={page.word("tree.pools")}>
                { for (0..count as u32).map(|pool| {
                    let onpick = onpick.clone();
                    let on = chosen == PoolId(pool);
                    html! { <button type="button" aria-pressed={on.to_string()} onclick={Callback::from(move |_| onpick.emit(PoolId(pool)))}>{ name(pool) }</button> }
                }) }
            </div>
        };
    }
    let onchange = Callback::from(move |event: Event| {
        let value = event.target_unchecked_into::<web_sys::HtmlSelectElement>().value();
        onpick.emit(PoolId(value.parse().unwrap_or(0)));
    });
    html! {
        <select class="small" aria-label={page.word("tree.pools")} {onchange}>
            { for (0..count as u32).map(|pool| html! {
                <option value={pool.to_string()} selected={chosen == PoolId(pool)}>{ name(pool) }</option>
            }) }
        </select>
    }
}
