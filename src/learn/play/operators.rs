//! Operators or buffers in an order that is changed row by row.

use yew::prelude::*;

use crate::browser::css;
use crate::context::focus::use_kept_focus;
use crate::context::keys::command;
use crate::context::{Page, use_page};
use crate::shell::state::keys::{Command, Place};
use crate::widgets::dragging::{Dragging, Track, use_dragging};
use crate::widgets::icons::{Icon, glyph};
use memplan_core::base::{Arg, Message};
use memplan_teach::exercise::operators::{Block, Operators};

/// The rows, which are dragged by their grips.
const ROWS: Track =
    Track { grip: ".grip", parts: ".ordering", begin: |rect| rect.top(), pointer: |event| event.client_y().into() };

#[derive(Properties, PartialEq)]
pub struct OrderListProps {
    pub list: Operators,
    pub order: Vec<usize>,
    /// Nothing moves any more.
    pub is_over: bool,
    /// A row moves from a position to another one.
    pub moves: Callback<(usize, usize)>,
}

/// The rows, each with its load or place, with a grip and with buttons that move it, and the
/// highest load or the peak that this gives.
#[component]
pub fn OrderList(props: &OrderListProps) -> Html {
    let page = use_page();
    let dragging = use_dragging(ROWS);
    use_kept_focus(props.order.clone());
    let loads = props.list.loads(&props.order);
    let highest = loads.iter().copied().max().unwrap_or(0);
    let key = if props.list.are_buffers() { "game.placed-peak" } else { "lesson.order-load" };
    let message = Message::new(key).bytes("load", highest);
    html! { <>
        <ol class="ordering">{ for (0..props.order.len()).map(|at| row(&page, props, &dragging, (at, loads[at], highest))) }</ol>
        <p class="own-peak" data-own-load={highest.to_string()}>{ page.speech().say(&message) }</p>
    </> }
}

/// The row at a position, whose load is shown as a part of the highest one.
fn row(page: &Page, props: &OrderListProps, dragging: &Dragging, (at, load, highest): (usize, u64, u64)) -> Html {
    let name = props.list.list[props.order[at]].name.clone();
    let to = |to: Option<usize>| to.filter(|to| *to < props.order.len() && !props.is_over);
    let (up, down) = (to(at.checked_sub(1)), to(Some(at + 1)));
    let shift = |to: Option<usize>, icon: Icon, key: &'static str| {
        let label = page.speech().say(&Message::new(key).text("name", name.clone()));
        let moves = props.moves.clone();
        let onclick = Callback::from(move |_: MouseEvent| moves.emit((at, to.unwrap_or(at))));
        html! { <button type="button" class="btn icon-only" aria-label={label.clone()} title={label} aria-disabled={to.is_none().then_some("true")} {onclick}>{ glyph(icon) }</button> }
    };
    let width = format!("--w:{}%", load * 100 / highest.max(1));
    let placed = props.list.are_buffers().then_some("placed");
    let class = classes!((load == highest).then_some("highest"), placed, dragging.class(at));
    html! {
        <li key={name.clone()} data-operator={name.clone()} {class} onkeydown={keys(&props.moves, at, [up, down])}>
            if props.is_over {
                <span></span>
            } else {
                <span class="grip" aria-hidden="true" onpointerdown={dragging.presses(at)} onpointermove={dragging.moves()}
                    onpointerup={dragging.releases(props.moves.clone())} onpointercancel={dragging.loses()}>{ glyph(Icon::Grip) }</span>
            }
            <span class="row-words">{ words(page, props, at, load) }</span>
            <span class="mini-bar" ~style={css(width)} aria-hidden="true"></span>
            <span class="load">{ page.speech().bytes(load) }</span>
            { shift(up, Icon::Up, "lesson.order-up") }{ shift(down, Icon::Low, "lesson.order-down") }
        </li>
    }
}

/// An operator with what it reads, or a buffer with its place.
fn words(page: &Page, props: &OrderListProps, at: usize, load: u64) -> String {
    let number = props.order[at];
    let operator = &props.list.list[number];
    let name = operator.name.clone();
    match (props.list.blocks.get(number), operator.reads.is_empty()) {
        (Some(Block { size, live, .. }), _) => {
            let row = Message::new("lesson.pack-row").text("name", name).bytes("size", *size);
            page.speech().say(&row.live("live", live.start, live.end).bytes("at", load - size))
        }
        (None, true) => name,
        (None, false) => page
            .speech()
            .say(&Message::new("learn.reads").text("name", name).with("reads", Arg::Names(operator.reads.clone()))),
    }
}

/// Alt and an arrow move the row that has the focus.
fn keys(moves: &Callback<(usize, usize)>, at: usize, [up, down]: [Option<usize>; 2]) -> Callback<KeyboardEvent> {
    let moves = moves.clone();
    Callback::from(move |event: KeyboardEvent| {
        let to = match command(&event, Place::Row) {
            Some(Command::RowEarlier) => up,
            Some(Command::RowLater) => down,
            _ => None,
        };
        if let Some(to) = to {
            event.prevent_default();
            moves.emit((at, to));
        }
    })
}
