//! The list of buffers, of which only the rows in sight exist. It is the accessible equal of the
//! canvas: everything drawn there is a row here.

use std::rc::Rc;

use yew::prelude::*;

use crate::browser::css;
use crate::context::columns::Columns;
use crate::context::names::{cut_name, swatch};
use crate::context::same::Same;
use crate::context::sentence::size;
use crate::context::{Page, use_page};
use crate::shell::state::action::{Action, StepAction};
use crate::shell::state::lines::{Line, line_of, lines, row_at};
use crate::step::panels::graph::nothing;
use crate::step::panels::grouped::heading_row;
use crate::widgets::filter::{Filter, filter};
use crate::widgets::rows::{Rows, row_height};
use crate::widgets::sorting::Sorting;
use memplan_core::base::{Id, Sizes};
use memplan_core::problem::BufferId;
use memplan_core::text::live;
use memplan_replay::{Run, under};

const COLUMNS: Columns = Columns {
    table: "buffers",
    all: &[
        ("buffers.name", "", "minmax(72px, 1.4fr)"),
        ("fact.size", "num", "58px"),
        ("fact.live", "num", "58px"),
        ("term.offset", "num", "62px"),
        ("fact.frame", "num", "30px"),
    ],
    sorts: 5,
};

#[component]
pub fn BufferTable() -> Html {
    let page = use_page();
    let sorting = use_state_eq(Sorting::default);
    let text = use_state_eq(String::new);
    let Some((run, frame)) = page.state.document.run.clone().zip(page.frame.clone()) else {
        return nothing(&page);
    };
    let by_offset = matches!(sorting.0, Some((3, _)));
    let key = (Same::from(&run), *sorting, (*text).clone(), by_offset.then_some(frame.events));
    let listed = use_listed(key, frame.clone());
    let selected = page.state.stepping.selection;
    let row_of = |id: BufferId| listed.order.iter().position(|&other| other == id);
    let current = selected.and_then(row_of).and_then(|row| line_of(&listed.lines, row));
    let row = {
        let (page, run, frame, listed) = (page.clone(), run.clone(), frame.clone(), listed.clone());
        Callback::from(move |index: usize| match &listed.lines[index] {
            Line::Heading(path) => heading_row(path, COLUMNS.all.len(), index),
            Line::Row(row, path) => buffer_row(&page, &run, &frame, (index, path), listed.order[*row], &listed.numbers),
        })
    };
    let onmove = {
        let (send, listed) = (page.send.clone(), listed.clone());
        Callback::from(move |index: usize| {
            let row = row_at(&listed.lines, index, current);
            send.emit(Action::Step(StepAction::Select(row.and_then(|row| listed.order.get(row).copied()))))
        })
    };
    let (order, all) = (&listed.order, run.problem.buffers.len());
    html! { <div class="tab-fill" ~style={css(COLUMNS.tracks(&page))}>
        { filter(Filter { id: "buffer-filter", label: page.word("buffers.filter"), text: &text, all, count: page.filtered(order.len(), all), always: true }) }
        <Rows count={listed.lines.len()} height={row_height()} {current} {row} {onmove} onpoint={page.pointing()} label={page.word("tab.buffers")} id="buffer-rows"
            role="grid" columns={COLUMNS.all.len()} head={COLUMNS.head(&page, "buffer-row", &sorting)} active={current.map(|index| AttrValue::from(format!("buffer-row-{index}")))} />
    </div> }
}

/// The buffers that pass the filter in order, the lines that show them, and the frame numbers of
/// all buffers.
#[derive(PartialEq)]
struct Listed {
    order: Vec<BufferId>,
    lines: Vec<Line>,
    numbers: Vec<u32>,
}

type ListedKey = (Same<Run>, Sorting, String, Option<u32>);

/// Kept until something that matters changes.
fn use_listed(key: ListedKey, frame: Rc<memplan_replay::Frame>) -> impl Hook<Output = Rc<Listed>> {
    use_memo(key, move |(run, sorting, filter, _)| {
        let wanted = filter.to_lowercase();
        let buffers = &run.problem.buffers;
        let named = |id: &BufferId| wanted.is_empty() || buffers[*id].name.to_lowercase().contains(&wanted);
        let mut order: Vec<BufferId> = buffers.ids().filter(named).collect();
        order.sort_by_key(|id| (buffers[*id].live, *id));
        let numbers = frame_numbers(run);
        let offset = |id: BufferId| frame.places[id].map(|place| (place.pool, place.offset));
        sorting.sort(&mut order, |&a, &b, column| match column {
            0 => buffers[a].name.cmp(&buffers[b].name),
            1 => buffers[a].size.cmp(&buffers[b].size),
            2 => buffers[a].live.cmp(&buffers[b].live),
            3 => offset(a).cmp(&offset(b)),
            _ => numbers[a.index()].cmp(&numbers[b.index()]),
        });
        let labels: Vec<&str> = order.iter().map(|&id| run.label(id)).collect();
        // Names that lie apart have nothing to share.
        let lines = lines(&labels, matches!(sorting.0, None | Some((0 | 2, _))));
        Listed { order, lines, numbers }
    })
}

/// The decision, from 1, that places each buffer; 0 for those left out.
fn frame_numbers(run: &Run) -> Vec<u32> {
    let mut numbers = vec![0; run.problem.buffers.len()];
    for (index, decision) in run.timeline.decisions.iter().enumerate() {
        numbers[decision.buffer.index()] = index as u32 + 1;
    }
    numbers
}

fn buffer_row(
    page: &Page,
    run: &Run,
    frame: &memplan_replay::Frame,
    (index, path): (usize, &str),
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
        Some(place) if frame.pools.len() > 1 => format!("{}: {}", place.pool.0, speech.bytes(place.offset)),
        Some(place) => speech.bytes(place.offset),
        None => "–".into(),
    };
    let onclick = page.on(move || Action::Step(StepAction::Select(Some(id))));
    let ondblclick = page.on(move || Action::Step(StepAction::SeekBuffer(id)));
    html! {
        <div {class} role="row" id={format!("buffer-row-{index}")} key={index} data-buffer={id.0.to_string()} aria-rowindex={(index + 2).to_string()}
            aria-selected={chosen.to_string()} {onclick} {ondblclick}>
            <span role="gridcell" class={classes!("cut", "named", place.is_none().then_some("muted"))} aria-label={buffer.name.clone()}>
                { swatch(run, id) }{ cut_name(under(run.label(id), path), &buffer.name) }
            </span>
            <span role="gridcell" class="num">{ size(page, buffer.size) }</span>
            <span role="gridcell" class="num muted">{ live(buffer.live.start, buffer.live.end) }</span>
            <span role="gridcell" class="num" title={place.map(|place| Sizes::Exact.words(place.offset))}>{ offset }</span>
            <span role="gridcell" class="num muted">{ if number > 0 { number.to_string() } else { "–".into() } }</span>
        </div>
    }
}
