use std::rc::Rc;

use yew::prelude::*;

use crate::app::context::{Page, use_page};
use crate::app::panels::graph::nothing;
use crate::app::state::action::{Action, StepAction};
use crate::app::widgets::filter::{Filter, filter};
use crate::app::widgets::rows::{Rows, row_height};
use crate::base::{Arrange, Id};
use crate::problem::BufferId;
use crate::replay::Run;
use crate::text::live;

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
    let Some((run, frame)) = page.state.document.run.clone().zip(page.frame.clone()) else {
        return nothing(&page);
    };
    let key =
        (Rc::as_ptr(&run) as usize, *sort, (*text).clone(), matches!(sort.0, Column::Offset).then_some(frame.events));
    let order = {
        let (run, frame) = (run.clone(), frame.clone());
        use_memo_rows(key, run, frame)
    };
    let selected = page.state.stepping.selection;
    let current = order.iter().position(|&id| Some(id) == selected);
    let row = {
        let (page, run, frame, order) = (page.clone(), run.clone(), frame.clone(), order.clone());
        let numbers = frame_numbers(&run);
        Callback::from(move |index: usize| buffer_row(&page, &run, &frame, index, order[index], &numbers))
    };
    let onmove = {
        let (send, order) = (page.send.clone(), order.clone());
        Callback::from(move |index: usize| send.emit(Action::Step(StepAction::Select(order.get(index).copied()))))
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
        { filter(Filter {
            id: "buffer-filter",
            label: page.word("buffers.filter"),
            text: &text,
            all: run.problem.buffers.len(),
            count: page.filtered(order.len(), run.problem.buffers.len()),
            always: true,
        }) }
        <Rows count={order.len()} height={row_height()} {current} {row} {onmove} onpoint={page.pointing()} label={page.word("tab.buffers")} id="buffer-rows"
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
    let chosen = page.state.stepping.selection == Some(id);
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
    let onclick = page.on(move || Action::Step(StepAction::Select(Some(id))));
    let ondblclick = page.on(move || Action::Step(StepAction::SeekBuffer(id)));
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
