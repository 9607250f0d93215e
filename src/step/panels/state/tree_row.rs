use std::collections::HashMap;

use yew::prelude::*;

use crate::browser::css;
use crate::context::Page;
use crate::context::names::cut_name;
use crate::shell::state::action::{Action, StepAction};
use memplan_core::base::{Message, Sizes};
use memplan_core::text::Speech;
use memplan_core::trace::{TreeNode, TreeNodeId};
use memplan_replay::{Frame, TreeRow};

pub fn tree_row(
    page: &Page,
    frame: &Frame,
    (row, passes): (&TreeRow, bool),
    index: usize,
    selected: bool,
    badges: &HashMap<TreeNodeId, (u32, bool)>,
    toggle: Option<&Callback<TreeNodeId>>,
) -> Html {
    let speech = page.speech();
    let is_new = row.node >= frame.first_new_node && row.buffer.is_some() && row.buffer == frame.focus;
    let visited = frame.visited.contains(&row.node);
    let class = classes!(
        "row",
        "tree-row",
        selected.then_some("selected"),
        is_new.then_some("new"),
        visited.then_some("visited"),
        (!passes).then_some("muted")
    );
    let glyph = match &frame.state.tree.nodes[row.node] {
        TreeNode::Temporal { .. } => ("temporal", "tree.temporal"),
        TreeNode::Spatial { .. } => ("spatial", "tree.spatial"),
        TreeNode::Leaf { .. } => ("leaf", "tree.leaf"),
        TreeNode::Empty { .. } => ("hollow", "tree.hollow"),
    };
    let twist = row.expanded.zip(toggle.cloned()).map(|(expanded, toggle)| {
        let node = row.node;
        let onclick = Callback::from(move |event: MouseEvent| {
            event.stop_propagation();
            toggle.emit(node);
        });
        html! { <span class={classes!("twist", expanded.then_some("open"))} {onclick} aria-hidden="true"></span> }
    });
    let (send, target) = (page.send.clone(), row.clone());
    let onclick = Callback::from(move |_: MouseEvent| pick(&send, &target));
    html! {
        <div {class} role="treeitem" id={format!("tree-row-{index}")} key={row.node.0} data-buffer={row.buffer.map(|id| id.0.to_string())} aria-level={(row.depth + 1).to_string()}
            aria-expanded={row.expanded.map(|expanded| expanded.to_string())} aria-selected={selected.to_string()}
            ~style={css(format!("--depth:{}", row.depth))} {onclick}>
            { twist.unwrap_or_else(|| html! { <span class="twist leaf"></span> }) }
            <i class={format!("node {}", glyph.0)} title={page.word(glyph.1)}></i>
            <span class="cut name-cell">{ row_name(page, row) }</span>
            if let Some((number, chosen)) = badges.get(&row.node) {
                <span class={classes!("badge", chosen.then_some("chosen"))}>{ number }</span>
            }
            if is_new { <b class="happened">{ page.word("tree.new") }</b> }
            <span class="num muted span" title={place_words(row, Speech { sizes: Sizes::Exact, ..speech })}>{ place_words(row, speech) }</span>
        </div>
    }
}

/// Where a row lies. What holds no buffer has its bytes and where they begin: it may seem to reach
/// beyond the part around it.
fn place_words(row: &TreeRow, speech: Speech) -> String {
    match row.is_hollow {
        true => speech.say(&Message::new("tree.free").bytes("size", row.bytes).address("at", row.offset)),
        false => speech.span(row.offset, row.offset + row.bytes),
    }
}

/// The words of a row by which it is found: its own, and where it lies.
pub fn row_words(page: &Page, row: &TreeRow) -> String {
    let speech = page.speech();
    let part = row.part.map(|part| page.word(part)).unwrap_or_default();
    let about = match (&row.label, row.cut, row.expanded) {
        (Some(name), _, _) => name.clone(),
        (None, Some(cut), _) => speech.say(&Message::new("tree.cut").address("at", cut)),
        (None, None, Some(_)) => speech.say(&Message::new("tree.children").count("n", row.children)),
        (None, None, None) => page.word("tree.hollow"),
    };
    format!("{part} {about} {}", place_words(row, speech))
}

/// The words of a row: where it cuts, how many children, or the buffers beneath it when it is
/// closed.
fn row_name(page: &Page, row: &TreeRow) -> Html {
    let say = |message: Message| page.speech().say(&message);
    let run = page.state.document.run.clone();
    let labels = |names: &[String]| -> Vec<String> {
        names.iter().map(|name| run.as_ref().map_or(name.as_str(), |run| run.label_of(name)).to_string()).collect()
    };
    let beneath = |names: &[String]| html! { <span class="muted">{ format!(" {}", labels(names).join(&page.word("list.separator"))) }</span> };
    let part = row.part.map(|part| page.word(part)).unwrap_or_default();
    match (&row.label, row.expanded) {
        (Some(name), _) => cut_name(run.as_ref().map_or(name, |run| run.label_of(name)), name),
        (None, None) => html! { <span class="muted">{ page.word("tree.hollow") }</span> },
        (None, Some(false)) if row.is_hollow => {
            html! { <>{ part }<span class="muted">{ format!(" {}", page.word("tree.hollow")) }</span></> }
        }
        (None, Some(false)) => html! { <>{ part }{ beneath(&row.beneath) }</> },
        (None, Some(true)) => {
            let about = match row.cut {
                Some(cut) => say(Message::new("tree.cut").address("at", cut)),
                None => say(Message::new("tree.children").count("n", row.children)),
            };
            html! { <>{ part }<span class="muted">{ format!(" {about}") }</span></> }
        }
    }
}

/// Selects the buffer of a row, if it has one, and its node.
pub fn pick(send: &Callback<Action>, row: &TreeRow) {
    if row.buffer.is_some() {
        send.emit(Action::Step(StepAction::Select(row.buffer)));
    }
    send.emit(Action::Step(StepAction::Node(Some(row.node))));
}
