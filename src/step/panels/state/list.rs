//! The state of planners without a tree: the free list from bottom to top, or the pool's buffers in
//! order.

use std::rc::Rc;

use yew::prelude::*;

use crate::browser::css;
use crate::context::columns::Columns;
use crate::context::names::cell_name;
use crate::context::{Page, use_page};
use crate::shell::state::action::{Action, StepAction};
use crate::step::panels::state::head::{Head, copy_part, head};
use crate::widgets::filter::{Filter, filter};
use crate::widgets::rows::{Rows, row_height};
use crate::widgets::sorting::Sorting;
use memplan_core::base::Sizes;
use memplan_core::plan::PoolId;
use memplan_replay::panel::blocks_json;
use memplan_replay::{Block, Frame, Run, blocks};

const COLUMNS: Columns = Columns {
    table: "list",
    all: &[
        ("term.offset", "num", "72px"),
        ("buffers.name", "", "minmax(60px, 1fr)"),
        ("fact.size", "num", "66px"),
        ("list.share", "", "84px"),
    ],
    sorts: 3,
};

#[derive(Properties, PartialEq)]
pub struct AddressesProps {
    /// The pool of this frame's buffer: the one that is shown, also of the frame before.
    pub pool: PoolId,
}

#[component]
pub fn ListPanel(props: &AddressesProps) -> Html {
    let pool = props.pool;
    let page = use_page();
    let text = use_state_eq(String::new);
    let sorting = use_state_eq(Sorting::default);
    let Some((run, frame)) = page.state.document.run.clone().zip(page.frame.clone()) else { return Html::default() };
    let title = page.word("list.title");
    let oncopy = {
        let (page, run, frame, title) = (page.clone(), run.clone(), frame.clone(), title.clone());
        Callback::from(move |_: MouseEvent| copy_part(&page, "list", &title, || blocks_json(&run, &frame, pool)))
    };
    let head = head(&page, Head { title: &title, oncopy: Some(oncopy), ..Head::default() });
    if frame.pools.get(pool.0 as usize).is_none() {
        return html! { <section class="state" aria-label={title}>{ head }<p class="empty">{ page.word("list.empty") }</p></section> };
    }
    // Highest address first, as on the canvas.
    let all: Vec<Block> = blocks(&run, &frame, pool).into_iter().rev().collect();
    let count = all.len();
    let largest = all.iter().filter_map(|block| block.bytes).max().unwrap_or(1).max(1);
    let wanted = text.trim().to_lowercase();
    let says = |block: &Block| cells(&page, &run, block).iter().any(|cell| cell.to_lowercase().contains(&wanted));
    let mut list: Vec<Block> = all.into_iter().filter(|block| wanted.is_empty() || says(block)).collect();
    let name = |block: &Block| block.buffer.map(|id| &run.problem.buffers[id].name);
    sorting.sort(&mut list, |a, b, column| match column {
        0 => a.offset.cmp(&b.offset),
        1 => name(a).cmp(&name(b)),
        // The top is without end.
        _ => a.bytes.unwrap_or(u64::MAX).cmp(&b.bytes.unwrap_or(u64::MAX)),
    });
    let list = Rc::new(list);
    let current = list
        .iter()
        .position(|block| block.buffer.is_some() && (block.buffer == page.state.stepping.selection))
        .or_else(|| list.iter().position(|block| block.buffer.is_some() && block.buffer == frame.focus));
    let row = {
        let (page, run, frame, list) = (page.clone(), run.clone(), frame.clone(), list.clone());
        Callback::from(move |index: usize| {
            let block = list[index];
            let share = 100.0 * block.bytes.unwrap_or(0) as f64 / largest as f64;
            block_row(&page, &run, &frame, (pool, block), index, current == Some(index), share)
        })
    };
    let onmove = {
        let (send, list) = (page.send.clone(), list.clone());
        Callback::from(move |index: usize| {
            send.emit(Action::Step(StepAction::Select(list.get(index).and_then(|block| block.buffer))))
        })
    };
    html! {
        <section class="state" aria-label={title.clone()} ~style={css(COLUMNS.tracks(&page))}>
            <div class="state-head">
                { head }
                { filter(Filter { id: "part-filter", label: page.word("panel.filter"), text: &text, all: count, count: page.filtered(list.len(), count), always: true }) }
            </div>
            if list.is_empty() { <p class="empty">{ page.word("panel.no-match") }</p> }
            <Rows count={list.len()} height={row_height()} {current} {row} {onmove} onpoint={page.pointing()} label={title} id="block-rows" role="grid"
                columns={COLUMNS.all.len()} head={COLUMNS.head(&page, "block-row", &sorting)} active={current.map(|index| AttrValue::from(format!("block-row-{index}")))} />
        </section>
    }
}

/// The words of a row: address, buffer or its absence, bytes.
fn cells(page: &Page, run: &Run, block: &Block) -> [String; 3] {
    let speech = page.speech();
    let name = match block.buffer {
        Some(id) => run.problem.buffers[id].name.clone(),
        None => page.word(if block.bytes.is_some() { "list.free" } else { "list.top" }),
    };
    [speech.bytes(block.offset), name, block.bytes.map_or_else(|| "∞".into(), |bytes| speech.bytes(bytes))]
}

/// A block keeps its row while others come and go beside it: only what is new is drawn.
fn row_key(block: &Block) -> String {
    match block.buffer {
        Some(id) => format!("buffer {}", id.0),
        None => format!("free {}", block.offset),
    }
}

/// A row; `share` is the length of its bar in percent of the largest.
fn block_row(
    page: &Page,
    run: &Run,
    frame: &Frame,
    (pool, block): (PoolId, Block),
    index: usize,
    current: bool,
    share: f64,
) -> Html {
    let [offset, name, bytes] = cells(page, run, &block);
    let is_new = block.buffer.is_some() && block.buffer == frame.focus;
    let freed = block.buffer.is_none();
    let badge = frame
        .candidates
        .iter()
        .find(|candidate| freed && candidate.visited && candidate.pool == pool && candidate.offset == block.offset);
    let class = classes!("row", "block-row", is_new.then_some("new"), current.then_some("selected"));
    html! {
        <div {class} role="row" id={format!("block-row-{index}")} key={row_key(&block)} data-buffer={block.buffer.map(|id| id.0.to_string())}
            aria-rowindex={(index + 2).to_string()} aria-selected={current.to_string()} onclick={page.on(move || Action::Step(StepAction::Select(block.buffer)))}>
            <span role="gridcell" class="num muted" title={Sizes::Exact.words(block.offset)}>{ offset }</span>
            <span role="gridcell" class={classes!("cut", "named", freed.then_some("muted"))}>
                { match block.buffer { Some(id) => cell_name(run, id), None => html! { <span class="cut" title={name.clone()}>{ name }</span> } } }
                if let Some(candidate) = badge {
                    <span class={classes!("badge", candidate.chosen.then_some("chosen"))}>{ candidate.number }</span>
                }
                if is_new { { " " }<b class="happened">{ page.word("tree.new") }</b> }
            </span>
            <span role="gridcell" class="num">{ bytes }</span>
            <span role="gridcell" class={classes!("bar", freed.then_some("free"))} ~style={css(format!("--w:{share:.1}%"))}></span>
        </div>
    }
}
