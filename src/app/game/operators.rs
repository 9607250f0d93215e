//! Operators or buffers in an order that is changed row by row.

use yew::prelude::*;

use crate::app::browser::dom::{focus, target_of};
use crate::app::browser::later::later;
use crate::app::context::Page;
use crate::app::widgets::icons::{Icon, glyph};
use crate::base::Message;
use crate::exercise::operators::{Block, Operators};

/// The rows, each with its load or place and with buttons that move it, and the highest load or the peak that this gives.
pub fn order_list(
    page: &Page,
    list: &Operators,
    order: &[usize],
    is_over: bool,
    moves: &Callback<(usize, usize)>,
) -> Html {
    let loads = list.loads(order);
    let highest = loads.iter().copied().max().unwrap_or(0);
    let key = if list.are_buffers() { "game.placed-peak" } else { "lesson.order-load" };
    let message = Message::new(key).bytes("load", highest);
    html! { <>
        <ol class="ordering">{ for order.iter().enumerate().map(|(at, &operator)| {
            let block = list.blocks.get(operator);
            let operator = &list.list[operator];
            let name = operator.name.clone();
            let words = match (block, operator.reads.is_empty()) {
                (Some(Block { size, live, .. }), _) => {
                    let row = Message::new("lesson.pack-row").text("name", name.clone()).bytes("size", *size);
                    let row = row.live("live", live.start, live.end);
                    page.speech().say(&row.bytes("at", loads[at] - size))
                }
                (None, true) => name.clone(),
                (None, false) => {
                    let reads = Message::new("learn.reads").text("name", name.clone()).text("reads", operator.reads.join(", "));
                    page.speech().say(&reads)
                }
            };
            let to = |to: Option<usize>| to.filter(|to| *to < order.len() && !is_over);
            let (up, down) = (to(at.checked_sub(1)), to(Some(at + 1)));
            let shift = |to: Option<usize>, icon: Icon, key: &'static str| {
                let label = page.speech().say(&Message::new(key).text("name", name.clone()));
                let id = format!("{key}-{name}");
                let (held, moves) = (id.clone(), moves.clone());
                let onclick = Callback::from(move |_: MouseEvent| {
                    moves.emit((at, to.unwrap_or(at)));
                    // The row moves with its operator, and takes the focus along.
                    let held = held.clone();
                    later(0, move || focus(&held)).forget();
                });
                html! { <button type="button" class="btn icon-only" {id} aria-label={label.clone()} title={label} aria-disabled={to.is_none().then_some("true")} {onclick}>{ glyph(icon) }</button> }
            };
            let width = format!("--w:{}%", loads[at] * 100 / highest.max(1));
            html! {
                <li key={name.clone()} data-operator={name.clone()} class={classes!((loads[at] == highest).then_some("highest"))} onkeydown={keys(moves, at, [up, down])}>
                    <span class="row-words">{ words }</span>
                    <span class="mini-bar" ~style={width} aria-hidden="true"></span>
                    <span class="load">{ page.speech().bytes(loads[at]) }</span>
                    { shift(up, Icon::Up, "lesson.order-up") }{ shift(down, Icon::Low, "lesson.order-down") }
                </li>
            }
        }) }</ol>
        <p class="own-peak" data-own-load={highest.to_string()}>{ page.speech().say(&message) }</p>
    </> }
}

/// Alt and an arrow move the row that has the focus.
fn keys(moves: &Callback<(usize, usize)>, at: usize, [up, down]: [Option<usize>; 2]) -> Callback<KeyboardEvent> {
    let moves = moves.clone();
    Callback::from(move |event: KeyboardEvent| {
        let to = match event.key().as_str() {
            "ArrowUp" => up,
            "ArrowDown" => down,
            _ => None,
        };
        if let Some(to) = to.filter(|_| event.alt_key()) {
            event.prevent_default();
            moves.emit((at, to));
            let held = target_of(&event).map(|button| button.id()).unwrap_or_default();
            later(0, move || focus(&held)).forget();
        }
    })
}
