//! The state of planners without a tree: the free list from bottom to top, or the pool's buffers in order.

use std::rc::Rc;

use yew::prelude::*;

use super::rows::{Rows, row_height};
use super::use_page;
use crate::app::state::Action;
use crate::plan::PoolId;
use crate::replay::blocks;

#[component]
pub fn ListPanel() -> Html {
    let page = use_page();
    let Some((run, frame)) = page.state.run.clone().zip(page.frame.clone()) else { return Html::default() };
    let pool = frame.focus.and_then(|focus| frame.places[focus]).map_or(PoolId(0), |place| place.pool);
    if frame.pools.is_empty() {
        return html! { <p class="empty">{ page.word("list.empty") }</p> };
    }
    // Highest address first, as on the canvas.
    let list: Rc<Vec<_>> = Rc::new(blocks(&run, &frame, pool).into_iter().rev().collect());
    let largest = list.iter().filter_map(|block| block.bytes).max().unwrap_or(1).max(1);
    let current = list
        .iter()
        .position(|block| block.buffer.is_some() && (block.buffer == page.state.selection))
        .or_else(|| list.iter().position(|block| block.buffer.is_some() && block.buffer == frame.focus));
    let row = {
        let (page, run, frame, list) = (page.clone(), run.clone(), frame.clone(), list.clone());
        Callback::from(move |index: usize| {
            let block = list[index];
            let speech = page.speech();
            let name = block.buffer.map(|id| run.problem.buffers[id].name.clone());
            let is_new = block.buffer.is_some() && block.buffer == frame.focus;
            let freed = block.buffer.is_none();
            let badge = frame.candidates.iter().find(|candidate| {
                freed && candidate.visited && candidate.pool == pool && candidate.offset == block.offset
            });
            let class =
                classes!("row", "block-row", is_new.then_some("new"), (current == Some(index)).then_some("selected"));
            let share = 100.0 * block.bytes.unwrap_or(0) as f64 / largest as f64;
            html! {
                <div {class} role="row" id={format!("block-row-{index}")} key={index} aria-rowindex={(index + 1).to_string()}
                    aria-selected={(current == Some(index)).to_string()} onclick={page.on(move || Action::Select(block.buffer))}>
                    <span role="gridcell" class="num muted">{ speech.unit.figure(block.offset) }</span>
                    <span role="gridcell" class={classes!("cut", freed.then_some("muted"))}>
                        { name.unwrap_or_else(|| page.word(if block.bytes.is_some() { "list.free" } else { "list.top" })) }
                        if let Some(candidate) = badge {
                            <span class={classes!("badge", candidate.chosen.then_some("chosen"))}>{ candidate.number }</span>
                        }
                        if is_new { { " " }<b class="happened">{ page.word("tree.new") }</b> }
                    </span>
                    <span role="gridcell" class={classes!("bar", freed.then_some("free"))} style={format!("--w:{share:.1}%")}></span>
                    <span role="gridcell" class="num">{ block.bytes.map_or_else(|| "∞".into(), |bytes| speech.column(bytes)) }</span>
                </div>
            }
        })
    };
    let onmove = {
        let (send, list) = (page.send.clone(), list.clone());
        Callback::from(move |index: usize| send.emit(Action::Select(list.get(index).and_then(|block| block.buffer))))
    };
    html! {
        <section class="state" aria-label={page.word("list.title")}>
            <div class="panel-title"><h2>{ page.word("list.title") }</h2><span class="muted">{ page.word("tree.after") }</span></div>
            <Rows count={list.len()} height={row_height()} {current} {row} {onmove} label={page.word("list.title")} id="block-rows" role="grid"
                columns={4} active={current.map(|index| AttrValue::from(format!("block-row-{index}")))} />
        </section>
    }
}
