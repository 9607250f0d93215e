//! Answers by moving: buffers of a plan up and down, operators to another position.

use yew::prelude::*;

use crate::game::operators::OrderList;
use crate::learn::tried::Tried;
use crate::state::action::{Action, LearnAction, TaskAction};
use crate::widgets::icons::{Icon, glyph};
use memplan_core::base::Message;
use memplan_core::problem::BufferId;
use memplan_replay::Run;
use memplan_teach::exercise::packing::addresses;
use memplan_teach::lesson::Operators;

/// The buffers of the plan, each with buttons that move it, and the peak that this gives.
pub fn packing(tried: &Tried) -> Html {
    let page = tried.page;
    // Only the plan of this exercise can be moved.
    let is_beside = page.state.is_beside(&tried.task.id);
    let Some(run) = page.state.document.run.as_ref().filter(|_| is_beside) else { return Html::default() };
    let peak = Message::new("lesson.pack-peak").bytes("peak", run.metrics.peak);
    // A button that is disabled loses the focus, and who uses it by keyboard the place in the page.
    let has_none = tried.attempt.before.is_empty().then_some("true");
    let back = |action: fn() -> TaskAction| if has_none.is_some() { Callback::noop() } else { tried.on(action) };
    html! { <>
        <p class="own-peak" data-own-peak={run.metrics.peak.to_string()}>{ page.speech().say(&peak) }</p>
        <ul class="ordering packing">{ for run.problem.buffers.ids().map(|id| buffer_row(tried, run, id)) }</ul>
        <div class="answer">
            <button type="button" class="btn line" aria-disabled={has_none} onclick={back(|| TaskAction::Undo)}>{ page.word("lesson.pack-undo") }</button>
            <button type="button" class="btn line" aria-disabled={has_none} onclick={back(|| TaskAction::Again)}>{ page.word("lesson.pack-again") }</button>
        </div>
    </> }
}

fn buffer_row(tried: &Tried, run: &Run, id: BufferId) -> Html {
    let page = tried.page;
    let buffer = &run.problem.buffers[id];
    let Some(place) = run.plan.places[id] else { return Html::default() };
    let row = Message::new("lesson.pack-row").text("name", buffer.name.clone()).bytes("size", buffer.size);
    let row = row.live("live", buffer.live.start, buffer.live.end).bytes("at", place.offset);
    let free = addresses(&run.problem, &run.plan.places, id);
    let shift = |up: bool| {
        let has_next = free.iter().any(|next| if up { *next > place.offset } else { *next < place.offset });
        let key = match (up, has_next) {
            (true, true) => "lesson.pack-higher",
            (true, false) => "lesson.pack-highest",
            (false, true) => "lesson.pack-lower",
            (false, false) => "lesson.pack-lowest",
        };
        let icon = if up { Icon::Up } else { Icon::Low };
        let label = page.speech().say(&Message::new(key).text("name", buffer.name.clone()));
        mover(icon, label, !has_next, tried.on(move || TaskAction::Shift { buffer: id, up }))
    };
    let is_selected = page.state.stepping.selection == Some(id);
    html! {
        <li class={classes!(is_selected.then_some("held"))} data-buffer={id.0.to_string()} data-offset={place.offset.to_string()}>
            <span class="row-words">{ page.speech().say(&row) }</span>{ shift(true) }{ shift(false) }
        </li>
    }
}

/// A button that moves something; one that has nowhere to move to keeps the focus.
fn mover(icon: Icon, label: String, is_off: bool, onclick: Callback<MouseEvent>) -> Html {
    html! { <button type="button" class="btn icon-only" aria-label={label.clone()} title={label} aria-disabled={is_off.then_some("true")} {onclick}>{ glyph(icon) }</button> }
}

/// The operators in the order of the reader, each with buttons that move it, and the highest load
/// that this gives.
pub fn operators(tried: &Tried, list: &Operators) -> Html {
    let given = || (0..list.list.len()).collect();
    let order = Some(tried.attempt.order.clone()).filter(|order| !order.is_empty()).unwrap_or_else(given);
    let (id, send) = (tried.task.id.clone(), tried.page.send.clone());
    let moves = Callback::from(move |(from, to): (usize, usize)| {
        send.emit(Action::Learn(LearnAction::Task(id.clone(), TaskAction::Move { from, to })));
    });
    html! { <OrderList list={list.clone()} {order} is_over={tried.is_over()} {moves} /> }
}
