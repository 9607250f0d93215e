//! What the peak of the graph that is looked at is made of, and the operators at which most is alive.

use std::rc::Rc;

use yew::prelude::*;

use crate::app::browser::hooks::{use_memo, use_state_eq};
use crate::app::context::same::Same;
use crate::app::context::sentence::{plain_words, size};
use crate::app::context::use_page;
use crate::app::fit::{is_fast, loads};
use crate::app::model::fitting::FitShown;
use crate::base::Message;
use crate::graph::Node;
use crate::problem::Buffer;
use crate::replay::Run;

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
        shown.0.side(*moves).map_or_else(Vec::new, |(run, _)| fullest_steps(&shown.0, run))
    });
    let Some(((run, _), &(first, _))) = shown.side(props.moves).zip(fullest.first()) else {
        return html! { <p class="empty">{ page.word("fit.no-picture") }</p> };
    };
    let step = chosen.unwrap_or(first);
    let node = node_at(run, step);
    let alive = alive(shown, run, step);
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
            <li class={(load > budget).then_some("over")}><button type="button" class="name" aria-pressed={(at == step).to_string()} onclick={choose(at)}>{ named(node_at(run, at)) }</button><span>{ size(&page, load) }</span></li>
        }) }</ul>
    </> }
}

/// The steps at which most is alive in the fast memory, with their bytes: the first of them first where they are equal.
fn fullest_steps(shown: &FitShown, run: &Run) -> Vec<(u32, u64)> {
    let mut steps: Vec<(u32, u64)> = (0..).zip(loads(shown, run)).collect();
    let first = |a: &(u32, u64), b: &(u32, u64)| b.1.cmp(&a.1).then(a.0.cmp(&b.0));
    if steps.len() > ROWS {
        steps.select_nth_unstable_by(ROWS, first);
        steps.truncate(ROWS);
    }
    steps.sort_unstable_by(first);
    steps
}

fn node_at(run: &Run, step: u32) -> Option<&Node> {
    run.graph.as_ref()?.nodes.iter().nth(step as usize)
}

/// What is alive at a step in the fast memory with its bytes in use, the largest first.
fn alive<'a>(shown: &FitShown, run: &'a Run, step: u32) -> Vec<(&'a Buffer, u64)> {
    let fast = run.problem.buffers.iter().filter(|buffer| is_fast(shown, run, buffer));
    let used = fast.map(|buffer| {
        let bytes = buffer.used_at(step);
        (buffer, bytes.end - bytes.start)
    });
    let mut alive: Vec<(&Buffer, u64)> = used.filter(|(_, bytes)| *bytes > 0).collect();
    alive.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
    alive
}

/// What a buffer is to the operator of the step.
fn role(node: Option<&Node>, buffer: &Buffer) -> &'static str {
    let among = |tensors: &[crate::graph::TensorId]| tensors.iter().any(|tensor| buffer.tensors.contains(tensor));
    match node {
        Some(node) if among(&node.outputs) => "fit.role-made",
        Some(node) if among(&node.inputs) => "fit.role-read",
        _ => "fit.role-resting",
    }
}
