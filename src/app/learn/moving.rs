//! Answers by moving: buffers of a plan up and down, operators to another position.

use yew::prelude::*;

use crate::app::browser::dom::focus;
use crate::app::browser::later::later;
use crate::app::learn::tried::Tried;
use crate::app::state::action::TaskAction;
use crate::app::widgets::icons::{Icon, glyph};
use crate::base::Message;
use crate::lesson::Operators;
use crate::problem::BufferId;
use crate::replay::Run;

/// The buffers of the plan, each with buttons that move it, and the peak that this gives.
pub fn packing(tried: &Tried) -> Html {
    let page = tried.page;
    // Only the plan of this exercise can be moved.
    let is_beside = page.state.is_beside(&tried.task.id);
    let Some(run) = page.state.document.run.as_ref().filter(|_| is_beside) else { return Html::default() };
    let peak = Message::new("lesson.pack-peak").bytes("peak", run.metrics.peak);
    let can_undo = !tried.attempt.before.is_empty();
    html! { <>
        <p class="own-peak" data-own-peak={run.metrics.peak.to_string()}>{ page.speech().say(&peak) }</p>
        <ul class="ordering packing">{ for run.problem.buffers.ids().map(|id| buffer_row(tried, run, id)) }</ul>
        <div class="answer">
            <button type="button" class="btn line" disabled={!can_undo} onclick={tried.on(|| TaskAction::Undo)}>{ page.word("lesson.pack-undo") }</button>
            <button type="button" class="btn line" disabled={!can_undo} onclick={tried.on(|| TaskAction::Again)}>{ page.word("lesson.pack-again") }</button>
        </div>
    </> }
}

fn buffer_row(tried: &Tried, run: &Run, id: BufferId) -> Html {
    let page = tried.page;
    let buffer = &run.problem.buffers[id];
    let Some(place) = run.plan.places[id] else { return Html::default() };
    let row = Message::new("lesson.pack-row").text("name", buffer.name.clone()).bytes("size", buffer.size);
    let row = row.count("first", buffer.live.start).count("last", buffer.live.end - 1).bytes("at", place.offset);
    let shift = |up: bool| {
        let key = if up { "lesson.pack-higher" } else { "lesson.pack-lower" };
        let icon = if up { Icon::Up } else { Icon::Low };
        let label = page.speech().say(&Message::new(key).text("name", buffer.name.clone()));
        mover(icon, label, tried.on(move || TaskAction::Shift { buffer: id, up }))
    };
    let is_selected = page.state.stepping.selection == Some(id);
    html! {
        <li class={classes!(is_selected.then_some("held"))} data-buffer={id.0.to_string()} data-offset={place.offset.to_string()}>
            <span class="row-words">{ page.speech().say(&row) }</span>{ shift(true) }{ shift(false) }
        </li>
    }
}

fn mover(icon: Icon, label: String, onclick: Callback<MouseEvent>) -> Html {
    html! { <button type="button" class="btn icon-only" aria-label={label.clone()} title={label} {onclick}>{ glyph(icon) }</button> }
}

/// The operators in the order of the reader, each with buttons that move it, and the highest load that this gives.
pub fn operators(tried: &Tried, list: &Operators) -> Html {
    let page = tried.page;
    let given: Vec<usize> = (0..list.list.len()).collect();
    let order = if tried.attempt.order.is_empty() { &given } else { &tried.attempt.order };
    let loads = list.loads(order);
    let highest = loads.iter().copied().max().unwrap_or(0);
    let message = Message::new("lesson.order-load").bytes("load", highest);
    html! { <>
        <ol class="ordering">{ for order.iter().enumerate().map(|(at, &operator)| {
            let operator = &list.list[operator];
            let name = operator.name.clone();
            let words = match operator.reads.is_empty() {
                true => name.clone(),
                false => {
                    let reads = Message::new("learn.reads").text("name", name.clone()).text("reads", operator.reads.join(", "));
                    page.speech().say(&reads)
                }
            };
            let shift = |to: Option<usize>, icon: Icon, key: &'static str| {
                let label = page.speech().say(&Message::new(key).text("name", name.clone()));
                let to = to.filter(|to| *to < order.len() && !tried.is_over());
                let id = format!("{key}-{name}");
                let (held, send) = (id.clone(), tried.on(move || TaskAction::Move { from: at, to: to.unwrap_or(at) }));
                let onclick = Callback::from(move |event: MouseEvent| {
                    send.emit(event);
                    // The row moves with its operator, and takes the focus along.
                    let held = held.clone();
                    later(0, move || focus(&held)).forget();
                });
                html! { <button type="button" class="btn icon-only" {id} aria-label={label.clone()} title={label} aria-disabled={to.is_none().then_some("true")} {onclick}>{ glyph(icon) }</button> }
            };
            let width = format!("--w:{}%", loads[at] * 100 / highest.max(1));
            html! {
                <li key={name.clone()} data-operator={name.clone()}>
                    <span class="row-words">{ words }</span>
                    <span class="mini-bar" ~style={width} aria-hidden="true"></span>
                    <span class="load">{ page.speech().bytes(loads[at]) }</span>
                    { shift(at.checked_sub(1), Icon::Up, "lesson.order-up") }{ shift(Some(at + 1), Icon::Low, "lesson.order-down") }
                </li>
            }
        }) }</ol>
        <p class="own-peak" data-own-load={highest.to_string()}>{ page.speech().say(&message) }</p>
    </> }
}
