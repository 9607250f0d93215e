//! The graph by execution step and the list of buffers, both virtualised. The buffer list is the accessible equal of the
//! canvas: everything drawn there is a row here.

use std::rc::Rc;

use yew::prelude::*;

use super::panel_head::{Filter, filter};
use super::rows::{Rows, row_height};
use super::{Page, use_page};
use crate::app::state::Action;
use crate::base::{Arrange, Id};
use crate::problem::{BufferId, load};
use crate::replay::Run;
use crate::text::live;

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

#[component]
pub fn GraphTable() -> Html {
    let page = use_page();
    let run = page.state.run.clone();
    let key = run.as_ref().map_or(0, |run| Rc::as_ptr(run) as usize);
    let profile = use_memo(key, |_| run.as_deref().map(Profile::new));
    let Some((run, profile)) = page.state.run.clone().zip(profile.as_ref().as_ref().map(|_| profile.clone())) else {
        return html! { <p class="empty">{ page.word("graph.none") }</p> };
    };
    let graph = page.state.document.as_ref().and_then(|document| document.graph.clone());
    let run_steps = run.problem.steps;
    let selected = page.state.selection;
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
            let onclick = page.on(move || Action::Select(made.buffer));
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
                send.emit(Action::Select(Some(buffer)));
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
        <Rows count={profile.as_ref().as_ref().map_or(0, |profile| profile.rows.len())} height={row_height()} {current} {row} {onmove}
            label={page.word("tab.graph")} id="graph-rows" role="grid" columns={4} {head}
            active={current.map(|index| AttrValue::from(format!("graph-row-{index}")))} />
    </div> }
}

/// Columns by which the buffers can be sorted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Column {
    Name,
    Size,
    Start,
    Offset,
    Frame,
}

#[component]
pub fn BufferTable() -> Html {
    let page = use_page();
    let sort = use_state_eq(|| (Column::Start, false));
    let text = use_state_eq(String::new);
    let Some((run, frame)) = page.state.run.clone().zip(page.frame.clone()) else {
        return html! { <p class="empty">{ page.word("graph.none") }</p> };
    };
    let key =
        (Rc::as_ptr(&run) as usize, *sort, (*text).clone(), matches!(sort.0, Column::Offset).then_some(frame.events));
    let order = {
        let (run, frame) = (run.clone(), frame.clone());
        use_memo_rows(key, run, frame)
    };
    let selected = page.state.selection;
    let current = order.iter().position(|&id| Some(id) == selected);
    let row = {
        let (page, run, frame, order) = (page.clone(), run.clone(), frame.clone(), order.clone());
        let numbers = frame_numbers(&run);
        Callback::from(move |index: usize| buffer_row(&page, &run, &frame, index, order[index], &numbers))
    };
    let onmove = {
        let (send, order) = (page.send.clone(), order.clone());
        Callback::from(move |index: usize| send.emit(Action::Select(order.get(index).copied())))
    };
    let column = |column: Column, key: &str, class: &'static str| {
        let (by, down) = *sort;
        let state = if by != column {
            "none"
        } else if down {
            "descending"
        } else {
            "ascending"
        };
        let sort = sort.setter();
        let onclick = Callback::from(move |_: MouseEvent| sort.set((column, by == column && !down)));
        html! {
            <span role="columnheader" aria-sort={state} class={class}>
                <button type="button" {onclick}>{ page.word(key) }{ match state { "ascending" => " ▲", "descending" => " ▼", _ => "" } }</button>
            </span>
        }
    };
    let head = html! {
        <div class="row head buffer-row" role="row" aria-rowindex="1">
            { column(Column::Name, "buffers.name", "") }{ column(Column::Size, "fact.size", "num") }
            { column(Column::Start, "fact.live", "num") }{ column(Column::Offset, "term.offset", "num") }
            { column(Column::Frame, "fact.frame", "num") }
        </div>
    };
    html! { <>
        { filter(&page, Filter {
            id: "buffer-filter",
            label: page.word("buffers.filter"),
            text: &text,
            shown: order.len(),
            all: run.problem.buffers.len(),
            always: true,
        }) }
        <Rows count={order.len()} height={row_height()} {current} {row} {onmove} label={page.word("tab.buffers")} id="buffer-rows"
            role="grid" columns={5} {head} active={current.map(|index| AttrValue::from(format!("buffer-row-{index}")))} />
    </> }
}

type RowsKey = (usize, (Column, bool), String, Option<u32>);

/// Ids in the order asked for, kept until something that matters changes.
fn use_memo_rows(key: RowsKey, run: Rc<Run>, frame: Rc<crate::replay::Frame>) -> impl Hook<Output = Rc<Vec<BufferId>>> {
    use_memo(key, move |(_, (column, down), filter, _)| {
        let wanted = filter.to_lowercase();
        let named = |id: &BufferId| wanted.is_empty() || run.problem.buffers[*id].name.to_lowercase().contains(&wanted);
        let mut ids: Vec<BufferId> = run.problem.buffers.ids().filter(named).collect();
        let numbers = frame_numbers(&run);
        match column {
            Column::Name => ids.arrange_by(|a, b| run.problem.buffers[*a].name.cmp(&run.problem.buffers[*b].name)),
            Column::Size => ids.arrange_by_key(|id| (run.problem.buffers[*id].size, *id)),
            Column::Start => ids.arrange_by_key(|id| (run.problem.buffers[*id].live, *id)),
            Column::Offset => ids.arrange_by_key(|id| (frame.places[*id].map(|place| (place.pool, place.offset)), *id)),
            Column::Frame => ids.arrange_by_key(|id| (numbers[id.index()], *id)),
        }
        if *down {
            ids.reverse();
        }
        ids
    })
}

/// The decision, from 1, that places each buffer; 0 for those left out.
fn frame_numbers(run: &Run) -> Rc<Vec<u32>> {
    let mut numbers = vec![0; run.problem.buffers.len()];
    for (index, decision) in run.timeline.decisions.iter().enumerate() {
        numbers[decision.buffer.index()] = index as u32 + 1;
    }
    Rc::new(numbers)
}

fn buffer_row(
    page: &Page,
    run: &Run,
    frame: &crate::replay::Frame,
    index: usize,
    id: BufferId,
    numbers: &[u32],
) -> Html {
    let buffer = &run.problem.buffers[id];
    let chosen = page.state.selection == Some(id);
    let speech = page.speech();
    let place = frame.places[id];
    let number = numbers[id.index()];
    let class =
        classes!("row", "buffer-row", chosen.then_some("selected"), (frame.focus == Some(id)).then_some("focus"));
    let offset = match place {
        Some(place) if frame.pools.len() > 1 => format!("{}: {}", place.pool.0, speech.unit.figure(place.offset)),
        Some(place) => speech.unit.figure(place.offset),
        None => "–".into(),
    };
    let onclick = page.on(move || Action::Select(Some(id)));
    let ondblclick = page.on(move || Action::SeekBuffer(id));
    html! {
        <div {class} role="row" id={format!("buffer-row-{index}")} key={index} data-buffer={id.0.to_string()} aria-rowindex={(index + 2).to_string()}
            aria-selected={chosen.to_string()} {onclick} {ondblclick}>
            <span role="gridcell" class={classes!("cut", place.is_none().then_some("muted"))} title={buffer.name.clone()}>
                <i class={format!("swatch kind-{}", buffer.kind.name())}></i>{ &buffer.name }
            </span>
            <span role="gridcell" class="num">{ speech.column(buffer.size) }</span>
            <span role="gridcell" class="num muted">{ live(buffer.live.start, buffer.live.end) }</span>
            <span role="gridcell" class="num">{ offset }</span>
            <span role="gridcell" class="num muted">{ if number > 0 { number.to_string() } else { "–".into() } }</span>
        </div>
    }
}
