//! The facts of the selected buffer: its one home is under the graph panel.

use yew::prelude::*;

use crate::context::Page;
use crate::context::names::breaking;
use crate::context::sentence::link;
use crate::shell::state::action::{Action, StepAction};
use crate::step::panels::peak::lines::file_of;
use memplan_core::base::{Family, Id, exact};
use memplan_core::graph::Attr;
use memplan_core::problem::{BufferId, ends};
use memplan_core::text::live;
use memplan_replay::neighbours_in_time;

/// Names listed before and after.
const MAX_NEIGHBOURS: usize = 6;

/// Most calls shown of a stack: far more than those of a program.
const MAX_CALLS: usize = 200;

pub fn selection_box(page: &Page) -> Html {
    let picked = page.state.document.run.clone().zip(page.frame.clone()).zip(page.state.stepping.selection);
    let Some(((run, frame), id)) = picked else {
        return html! { <section class="selection" aria-label={page.word("tab.selection")}>
            <p class="empty">{ page.word("selection.none") }</p>
        </section> };
    };
    let speech = page.speech();
    let buffer = &run.problem.buffers[id];
    let graph = page.state.document.open.as_ref().and_then(|document| document.graph.clone());
    let tensor = graph.as_ref().zip(buffer.tensors.first().copied());
    let kind = page.word(&Family::KIND.of([run.kind_name(id)]));
    let about = match &tensor {
        Some((graph, tensor)) => {
            format!("{kind} · {} · {}", graph.tensors[*tensor].dtype.name(), graph.shape_words(*tensor))
        }
        None => kind,
    };
    let place = frame.places[id];
    let (before, after) = neighbours_in_time(&run, &frame, id);
    let decision = run.timeline.decision_of(id);
    let aliases: Vec<String> = graph
        .as_ref()
        .map(|graph| buffer.tensors.iter().skip(1).map(|tensor| graph.tensors[*tensor].name.clone()).collect())
        .unwrap_or_default();
    let maker = graph.as_ref().and_then(|graph| Some(&graph.nodes[ends(graph, buffer).0?]));
    let stated = |key: &str| match maker.and_then(|maker| maker.attrs.get(key)) {
        Some(Attr::Text(text)) => Some(text.clone()),
        _ => None,
    };
    let stack: Vec<String> = match buffer.stack {
        Some(stack) => run.problem.stacks.of(stack).take(MAX_CALLS).map(str::to_string).collect(),
        None => stated("stack").iter().flat_map(|stack| stack.lines()).take(MAX_CALLS).map(str::to_string).collect(),
    };
    let node_name = |step: u32| {
        graph.as_ref().and_then(|graph| graph.nodes.get(Id::from_index(step as usize)).map(|node| node.name.clone()))
    };
    let names = |list: Vec<BufferId>| {
        let shown = list.iter().take(MAX_NEIGHBOURS).map(|other| run.problem.buffers[*other].name.clone());
        let more = list.len().saturating_sub(MAX_NEIGHBOURS);
        html! { <>
            { for shown.map(|name| html! { <>{ link(page, name) }{ " " }</> }) }
            if more > 0 { <span class="muted">{ format!("+{more}") }</span> }
        </> }
    };
    html! {
        <section class="selection" aria-label={page.word("tab.selection")}>
            <div class="panel-title"><h2 data-name={buffer.name.clone()} title={buffer.name.clone()}>{ breaking(&buffer.name) }</h2><span class="muted">{ about }</span></div>
            <dl class="facts">
                <dt>{ page.word("fact.size") }</dt>
                <dd>{ speech.bytes(buffer.size) }<span class="muted">{ format!(" {}\u{202f}B", exact(buffer.size)) }</span></dd>
                <dt>{ page.word("fact.live") }</dt>
                <dd>{ live(buffer.live.start, buffer.live.end) }
                    if let Some(name) = node_name(buffer.live.start) { <span class="muted">{ format!(" {name}") }</span> }
                    if let Some(name) = node_name(buffer.live.end.saturating_sub(1)) { <span class="muted">{ format!(" – {name}") }</span> }
                </dd>
                <dt>{ page.word("fact.address") }</dt>
                <dd class="mono">{ match place {
                    Some(place) => format!("0x{:X}–0x{:X}", place.offset, place.offset + buffer.size),
                    None => page.word("fact.not-placed"),
                } }
                if let Some(place) = place.filter(|_| frame.pools.len() > 1) {
                    { " " }{ page.speech().say(&run.plan.pool_title(place.pool)) }
                }</dd>
                if let Some(decision) = decision {
                    <dt>{ page.word("fact.frame") }</dt>
                    <dd><button type="button" class="name" onclick={page.on(move || Action::Step(StepAction::SeekBuffer(id)))}>
                        { decision + 1 }
                    </button></dd>
                }
                if let Some(source) = stated("source") {
                    <dt>{ page.word("fact.source") }</dt>
                    <dd title={source.clone()}>{ breaking(file_of(&source)) }
                        if let Some(code) = stated("code") { <><br /><code>{ code }</code></> }</dd>
                }
                if !stack.is_empty() {
                    <dt>{ page.word("fact.stack") }</dt>
                    <dd><ol class="stack">{ for stack.into_iter().map(|call| html! { <li class="mono">{ breaking(&call) }</li> }) }</ol></dd>
                }
                if !aliases.is_empty() {
                    <dt>{ page.word("fact.views") }</dt><dd>{ aliases.join(&page.word("list.separator")) }</dd>
                }
                if !before.is_empty() { <dt>{ page.word("fact.before") }</dt><dd>{ names(before) }</dd> }
                if !after.is_empty() { <dt>{ page.word("fact.after") }</dt><dd>{ names(after) }</dd> }
            </dl>
        </section>
    }
}
