//! What the peak of the graph that is looked at is made of, and the operators at which most is
//! alive.

use std::rc::Rc;

use yew::prelude::*;

use crate::context::same::Same;
use crate::context::sentence::{plain_words, size};
use crate::context::use_page;
use crate::fit::state::answer::{FitShown, operator_at, role};
use memplan_core::base::Message;
use memplan_core::graph::Node;
use memplan_replay::Run;

/// Most tensors, and most operators, that are listed.
const ROWS: usize = 40;

#[derive(Properties, PartialEq)]
pub struct AliveProps {
    pub shown: Same<FitShown>,
    pub moves: usize,
}

#[component]
pub fn Alive(props: &AliveProps) -> Html {
    let page = use_page();
    let shown: &Rc<FitShown> = &props.shown.0;
    let chosen = use_state_eq(|| None::<u32>);
    let fullest = use_memo((props.shown.clone(), props.moves), |(shown, moves)| {
        shown.0.side(*moves).map_or_else(Vec::new, |(run, _)| shown.0.fullest_steps(run, ROWS))
    });
    let Some((side, &(first, _))) = shown.side(props.moves).zip(fullest.first()) else {
        return html! { <p class="empty">{ page.word("fit.no-picture") }</p> };
    };
    let step = chosen.unwrap_or(first);
    let run: &Run = &side.0;
    let node = operator_at(run, step);
    let alive = shown.alive(side, step);
    let (sum, budget) = (alive.iter().map(|(_, bytes)| bytes).sum::<u64>(), shown.record.budget.available);
    let named = |node: Option<&Node>| node.map(|node| node.name.clone()).unwrap_or_default();
    let headline = Message::new("fit.alive-at").bytes("bytes", sum).name("name", named(node)).count("step", step);
    let over = Message::new("fit.alive-over").bytes("over", sum.saturating_sub(budget));
    let choose = |step: u32| {
        let chosen = chosen.setter();
        Callback::from(move |_: MouseEvent| chosen.set(Some(step)))
    };
    html! { <>
        <h3 class="headline" id="fit-alive-headline" data-step={step.to_string()} data-bytes={sum.to_string()}>{ plain_words(&page, &headline) }</h3>
        if sum > budget { <p>{ plain_words(&page, &over) }</p> }
        <table class="before-after" id="fit-alive">
            <thead><tr><th scope="col">{ page.word("fit.tensor") }</th><th scope="col">{ page.word("fit.role") }</th><th scope="col">{ page.word("fit.bytes") }</th></tr></thead>
            <tbody>{ for alive.iter().take(ROWS).map(|&(buffer, bytes)| html! {
                <tr><th scope="row" class="cut" title={buffer.name.clone()}>{ &buffer.name }</th><td>{ page.word(role(node, buffer)) }</td><td data-bytes={bytes.to_string()}>{ size(&page, bytes) }</td></tr>
            }) }</tbody>
        </table>
        if alive.len() > ROWS { <p class="muted">{ page.speech().say(&Message::new("compare.more-lines").count("n", (alive.len() - ROWS) as u64)) }</p> }
        <header class="side-head"><h2>{ page.word("fit.fullest") }</h2></header>
        <p class="muted">{ plain_words(&page, &Message::new("fit.fullest.how").bytes("budget", budget)) }</p>
        <ul class="certificate operators" id="fit-fullest">{ for fullest.iter().map(|&(at, load)| html! {
            <li class={(load > budget).then_some("over")}><button type="button" class="name" aria-pressed={(at == step).to_string()} onclick={choose(at)}>{ named(operator_at(run, at)) }</button><span>{ size(&page, load) }</span></li>
        }) }</ul>
    </> }
}
