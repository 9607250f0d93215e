//! Answers by moving: buffers of a plan up and down, operators to another position.

use std::rc::Rc;

use yew::prelude::*;

use crate::context::{Page, use_page};
use crate::learn::lessons::state::progress::Attempt;
use crate::learn::lessons::tried::Tried;
use crate::learn::play::operators::OrderList;
use crate::shell::state::action::{Action, LearnAction, TaskAction};
use crate::widgets::icons::{Icon, glyph};
use memplan_core::base::Message;
use memplan_core::problem::BufferId;
use memplan_replay::Run;
use memplan_teach::exercise::packing::{Standing, addresses, standing};
use memplan_teach::lesson::{Operators, Task, TaskKind};

#[derive(Properties, PartialEq)]
pub struct PackingProps {
    pub task: Task,
}

/// The buffers of the plan, each with buttons that move it, and the peak that this gives. The list
/// stays while another plan stands beside the text: nothing below it moves when the reader goes on.
#[component]
pub fn Packing(props: &PackingProps) -> Html {
    let page = use_page();
    let last = use_mut_ref(|| None::<Rc<Run>>);
    let TaskKind::Pack { begins: (begins, peak), .. } = &props.task.kind else { return Html::default() };
    let nothing = Attempt::default();
    let attempt = page.state.learning.attempts.get(&props.task.id).unwrap_or(&nothing);
    let tried = Tried { page: &page, task: &props.task, attempt };
    // Only the plan of this exercise can be moved.
    let is_beside = page.state.is_beside(&props.task.id);
    if is_beside {
        last.borrow_mut().clone_from(&page.state.document.run);
    }
    let run = last.borrow().clone();
    let (rows, peak) = match &run {
        Some(run) => (standing(&run.problem, &run.plan), run.metrics.peak),
        None => ((0..).map(BufferId).zip(begins.iter().cloned()).collect(), *peak),
    };
    let own = Message::new("lesson.pack-peak").bytes("peak", peak);
    // A button that is disabled loses the focus, and who uses it by keyboard the place in the page.
    let has_none = (attempt.before.is_empty() || !is_beside).then_some("true");
    let back = |action: fn() -> TaskAction| if has_none.is_some() { Callback::noop() } else { tried.on(action) };
    let row = |(id, buffer): &(BufferId, Standing)| match run.as_ref().filter(|_| is_beside) {
        Some(run) => buffer_row(&tried, run, (*id, buffer)),
        None => waiting_row(&tried, *id, buffer),
    };
    html! { <>
        <p class="own-peak" data-own-peak={peak.to_string()}>{ page.speech().say(&own) }</p>
        <ul class={classes!("ordering", "packing", (!is_beside).then_some("waits"))}>{ for rows.iter().map(row) }</ul>
        <div class="answer">
            <button type="button" class="btn line" aria-disabled={has_none} onclick={back(|| TaskAction::Undo)}>{ page.word("lesson.pack-undo") }</button>
            <button type="button" class="btn line" aria-disabled={has_none} onclick={back(|| TaskAction::Again)}>{ page.word("lesson.pack-again") }</button>
        </div>
    </> }
}

fn row_words(page: &Page, buffer: &Standing) -> Html {
    let row = Message::new("lesson.pack-row").text("name", buffer.name.clone()).bytes("size", buffer.size);
    let row = row.live("live", buffer.live.0, buffer.live.1).bytes("at", buffer.offset);
    html! { <span class="row-words">{ page.speech().say(&row) }</span> }
}

/// While another plan stands beside the text, a button brings that of the exercise and moves the
/// buffer there.
fn waiting_row(tried: &Tried, id: BufferId, buffer: &Standing) -> Html {
    let button = |icon: Icon, key: &'static str, up: bool| {
        let label = tried.page.speech().say(&Message::new(key).text("name", buffer.name.clone()));
        mover(icon, label, false, tried.on(move || TaskAction::Shift { buffer: id, up }))
    };
    html! {
        <li>
            { row_words(tried.page, buffer) }
            { button(Icon::Up, "lesson.pack-higher", true) }{ button(Icon::Low, "lesson.pack-lower", false) }
        </li>
    }
}

fn buffer_row(tried: &Tried, run: &Run, (id, buffer): (BufferId, &Standing)) -> Html {
    let page = tried.page;
    let free = addresses(&run.problem, &run.plan.places, id);
    let shift = |up: bool| {
        let has_next = free.iter().any(|next| if up { *next > buffer.offset } else { *next < buffer.offset });
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
        <li class={classes!(is_selected.then_some("held"))} data-buffer={id.0.to_string()} data-offset={buffer.offset.to_string()}>
            { row_words(page, buffer) }{ shift(true) }{ shift(false) }
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
