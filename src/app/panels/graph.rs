//! The graph by execution step and the list of buffers, both virtualised. The buffer list is the accessible equal of the
//! canvas: everything drawn there is a row here.

use std::rc::Rc;

use yew::prelude::*;

use crate::app::context::{Page, use_page};
use crate::app::state::action::{Action, StepAction};
use crate::app::widgets::rows::{Rows, row_height};
use crate::base::Id;
use crate::problem::{BufferId, load};
use crate::replay::Run;

/// One row of the graph table: a node and one of the buffers it makes.
#[derive(Clone, Copy, PartialEq)]
struct Made {
    step: u32,
    buffer: Option<BufferId>,
}

/// The rows and the load profile of a run.
#[derive(PartialEq)]
struct Profile {
    rows: Vec<Made>,
    load: Vec<u64>,
    largest: u64,
}

impl Profile {
    fn new(run: &Run) -> Profile {
        let load = load(&run.problem, |id| run.plan.places[id].is_some() || run.plan.unplanned.is_empty());
        let mut by_step: Vec<Vec<BufferId>> = vec![Vec::new(); run.problem.steps as usize];
        for (id, buffer) in run.problem.buffers.enumerate() {
            if let Some(made) = by_step.get_mut(buffer.live.start as usize) {
                made.push(id);
            }
        }
        let mut rows = Vec::new();
        for (step, made) in by_step.into_iter().enumerate() {
            let step = step as u32;
            if made.is_empty() {
                rows.push(Made { step, buffer: None });
            }
            rows.extend(made.into_iter().map(|id| Made { step, buffer: Some(id) }));
        }
        let largest = load.iter().copied().max().unwrap_or(0).max(1);
        Profile { rows, load, largest }
    }
}

/// What a table says that has nothing to list.
pub fn nothing(page: &Page) -> Html {
    html! { <p class="empty">{ page.word(if page.state.document.open.is_some() { "graph.no-plan" } else { "graph.none" }) }</p> }
}

#[component]
pub fn GraphTable() -> Html {
    let page = use_page();
    let run = page.state.document.run.clone();
    let key = run.as_ref().map_or(0, |run| Rc::as_ptr(run) as usize);
    let profile = use_memo(key, |_| run.as_deref().map(Profile::new));
    let Some((run, profile)) = page.state.document.run.clone().zip(profile.as_ref().as_ref().map(|_| profile.clone()))
    else {
        return nothing(&page);
    };
    let graph = page.state.document.open.as_ref().and_then(|document| document.graph.clone());
    let run_steps = run.problem.steps;
    let selected = page.state.stepping.selection;
    let focus = page.frame.as_ref().and_then(|frame| frame.focus);
    let current = {
        let shown = selected.or(focus);
        profile
            .as_ref()
            .as_ref()
            .and_then(|profile| profile.rows.iter().position(|row| row.buffer.is_some() && row.buffer == shown))
    };
    let live_of = |id: Option<BufferId>| id.map(|id| run.problem.buffers[id].live);
    let (selected_live, focus_live) = (live_of(selected), live_of(focus));
    let row = {
        let (page, run, profile, frame) = (page.clone(), run.clone(), profile.clone(), page.frame.clone());
        Callback::from(move |index: usize| {
            let Some(profile) = profile.as_ref() else { return Html::default() };
            let made = profile.rows[index];
            let node = graph.as_ref().and_then(|graph| graph.nodes.get(Id::from_index(made.step as usize)));
            let buffer = made.buffer.map(|id| &run.problem.buffers[id]);
            let name =
                buffer.map(|buffer| buffer.name.clone()).or(node.map(|node| node.name.clone())).unwrap_or_default();
            let tensor = buffer.and_then(|buffer| buffer.tensors.first().copied());
            let shape = graph.as_ref().zip(tensor).map(|(graph, tensor)| graph.shape_words(tensor)).unwrap_or_default();
            let placed = made.buffer.zip(frame.as_ref()).is_some_and(|(id, frame)| frame.places[id].is_some());
            let chosen = made.buffer.is_some() && made.buffer == selected;
            let share = 100.0 * profile.load[made.step as usize] as f64 / profile.largest as f64;
            let inside = |live: Option<crate::problem::Live>| live.is_some_and(|live| live.contains(made.step));
            let class = classes!(
                "row",
                "graph-row",
                chosen.then_some("selected"),
                inside(focus_live).then_some("in-focus"),
                inside(selected_live).then_some("in-life")
            );
            let onclick = page.on(move || Action::Step(StepAction::Select(made.buffer)));
            html! {
                <div {class} role="row" id={format!("graph-row-{index}")} key={index} data-buffer={made.buffer.map(|id| id.0.to_string())} aria-rowindex={(index + 2).to_string()}
                    aria-selected={chosen.to_string()} {onclick}>
                    <span role="gridcell" class="num">{ made.step }</span>
                    <span role="gridcell" class={classes!("cut", (!placed).then_some("muted"))} title={match node { Some(node) => format!("{name} · {}", node.op), None => name.clone() }}>{ name }</span>
                    <span role="gridcell" class="num cut muted">{ shape }</span>
                    <span role="gridcell" class="profile" style={format!("--w:{share:.1}%")}
                        aria-label={page.speech().bytes(profile.load[made.step as usize])}></span>
                </div>
            }
        })
    };
    let onmove = {
        let (send, profile) = (page.send.clone(), profile.clone());
        Callback::from(move |index: usize| {
            let made = profile.as_ref().as_ref().and_then(|profile| profile.rows.get(index).copied());
            if let Some(buffer) = made.and_then(|made| made.buffer) {
                send.emit(Action::Step(StepAction::Select(Some(buffer))));
            }
        })
    };
    let head = html! {
            <div class="row head graph-row" role="row" aria-rowindex="1">
                <span role="columnheader">{ page.word("graph.step") }</span><span role="columnheader">{ page.word("graph.makes") }</span>
    <span role="columnheader" class="num">{ page.word("graph.shape") }</span>
                <span role="columnheader">{ page.word("term.load") }</span>
            </div>
        };
    let width = if run_steps > 9_999 { "--w-step:52px" } else { "" };
    html! { <div class="tab-fill" style={width}>
        <Rows count={profile.as_ref().as_ref().map_or(0, |profile| profile.rows.len())} height={row_height()} {current} {row} {onmove} onpoint={page.pointing()}
            label={page.word("tab.graph")} id="graph-rows" role="grid" columns={4} {head}
            active={current.map(|index| AttrValue::from(format!("graph-row-{index}")))} />
    </div> }
}
