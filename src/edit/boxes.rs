//! The boxes of the diagram: how they look, what they are called, and what stands beside them.

use web_sys::Element;
use yew::prelude::*;

use crate::edit::{Desk, Pick};
use memplan_core::base::Id;
use memplan_core::graph::Graph;
use memplan_core::graph::edit::Change;
use memplan_engine::{BOX, Boxed, Diagram};

#[allow(clippy::too_many_arguments)]
pub fn box_view(
    desk: &Desk,
    diagram: &Diagram,
    graph: &Graph,
    index: usize,
    giving: bool,
    onkey: &Callback<(usize, KeyboardEvent)>,
    connect: &Callback<(usize, usize)>,
    donor: Option<usize>,
    set_donor: &UseStateSetter<Option<usize>>,
) -> Html {
    let at = diagram.boxes[index].at;
    let (name, op, class) = label_of(diagram, graph, index);
    let pick = pick_of(desk, diagram, graph, index);
    let chosen = pick.is_some() && pick == desk.pick;
    let (x, y) = (at.0 - BOX.0 / 2.0, at.1 - BOX.1 / 2.0);
    let onclick = {
        let (choose, connect) = (desk.choose.clone(), connect.clone());
        Callback::from(move |_: MouseEvent| match donor {
            Some(from) if from != index => connect.emit((from, index)),
            _ => choose.emit(pick),
        })
    };
    let onkeydown = {
        let onkey = onkey.clone();
        Callback::from(move |event: KeyboardEvent| onkey.emit((index, event)))
    };
    let onport = {
        let set_donor = set_donor.clone();
        Callback::from(move |event: PointerEvent| {
            event.prevent_default();
            // Pointer events must arrive over other boxes, too.
            if let Some(port) = event.target_dyn_into::<Element>() {
                let _ = port.release_pointer_capture(event.pointer_id());
            }
            set_donor.set(Some(index));
        })
    };
    let short = |text: &str, most: usize| {
        let count = text.chars().count();
        if count <= most { text.to_string() } else { format!("{}…", text.chars().take(most - 1).collect::<String>()) }
    };
    let (short_name, short_op) = (short(&name, 18), short(&op, 20));
    // What is read out holds what is seen, so that a person who speaks it reaches the box.
    let seen = format!("{short_name} {short_op}");
    let label = if short_name == name && short_op == op { seen } else { format!("{seen}: {name} {op}") };
    html! {
        <g class={classes!("box", class, chosen.then_some("selected"), giving.then_some("giving"))} id={format!("box-{index}")} tabindex="0"
            role="button" aria-pressed={chosen.to_string()} aria-label={label} {onclick} {onkeydown}>
            <rect x={x.to_string()} y={y.to_string()} width={BOX.0.to_string()} height={BOX.1.to_string()} rx="3" />
            <text x={at.0.to_string()} y={(at.1 - 4.0).to_string()} text-anchor="middle">{ short_name }</text>
            { " " }
            <text class="op" x={at.0.to_string()} y={(at.1 + 10.0).to_string()} text-anchor="middle">{ short_op }</text>
            <circle class="port" cx={at.0.to_string()} cy={(y + BOX.1).to_string()} r="6" onpointerdown={onport}
                onclick={Callback::from(|event: MouseEvent| event.stop_propagation())} />
        </g>
    }
}

/// Name, operator and class of a box.
pub fn label_of(diagram: &Diagram, graph: &Graph, index: usize) -> (String, String, &'static str) {
    match diagram.boxes.get(index).map(|drawn| &drawn.what) {
        Some(Boxed::Node(id)) => {
            graph.nodes.get(*id).map_or_else(Default::default, |node| (node.name.clone(), node.op.clone(), "node-box"))
        }
        Some(Boxed::Input(id)) => {
            let tensor = graph.tensors.get(*id);
            tensor.map_or_else(Default::default, |tensor| (tensor.name.clone(), graph.shape_words(*id), "input-box"))
        }
        Some(Boxed::Folded { from, to, prefix }) => (prefix.clone(), format!("{from}–{}", to - 1), "folded-box"),
        None => Default::default(),
    }
}

/// The row of the tables that a box stands for. The draft may have changed since the diagram was
/// made, so the row is found by name.
pub fn pick_of(desk: &Desk, diagram: &Diagram, graph: &Graph, index: usize) -> Option<Pick> {
    match &diagram.boxes.get(index)?.what {
        Boxed::Node(id) => {
            let name = &graph.nodes.get(*id)?.name;
            desk.draft.nodes.iter().position(|node| node.name.as_ref() == Some(name)).map(Pick::Node)
        }
        Boxed::Input(id) => desk.draft.tensor_named(&graph.tensors.get(*id)?.name).map(Pick::Tensor),
        Boxed::Folded { from, .. } => Some(Pick::Node(Id::index(memplan_core::graph::NodeId(*from)))),
    }
}

/// The first output of one box, read by another.
pub fn connection(desk: &Desk, diagram: &Diagram, graph: &Graph, from: usize, to: usize) -> Option<Change> {
    let Some(Pick::Node(node)) = pick_of(desk, diagram, graph, to) else { return None };
    let tensor = match pick_of(desk, diagram, graph, from)? {
        Pick::Tensor(at) => at,
        Pick::Node(at) => desk.draft.tensor_named(desk.draft.nodes.get(at)?.outputs.first()?)?,
    };
    Some(Change::Connect { tensor, node })
}

/// The nearest box in the direction of an arrow key.
pub fn neighbour(diagram: &Diagram, index: usize, key: &str) -> Option<usize> {
    let here = diagram.boxes.get(index)?.at;
    let (dx, dy) = match key {
        "ArrowDown" => (0.0, 1.0),
        "ArrowUp" => (0.0, -1.0),
        "ArrowLeft" => (-1.0, 0.0),
        _ => (1.0, 0.0),
    };
    let ahead = diagram.boxes.iter().enumerate().filter_map(|(other, drawn)| {
        let (x, y) = (drawn.at.0 - here.0, drawn.at.1 - here.1);
        let along = x * dx + y * dy;
        // Sideways counts double: straight on is meant.
        (along > 1.0).then(|| (other, along + 2.0 * (x * dy).abs() + 2.0 * (y * dx).abs()))
    });
    ahead.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(other, _)| other)
}
