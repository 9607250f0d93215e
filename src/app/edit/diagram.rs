//! The graph as boxes in layers. A box is dragged onto another to be read by it; the keyboard does the same with C.

use std::rc::Rc;

use web_sys::Element;
use yew::prelude::*;

use crate::app::browser::dom::focus;
use crate::app::context::sentence::words;
use crate::app::context::use_page;
use crate::app::edit::{Desk, DeskProps, Pick, make};
use crate::app::state::action::{Action, EditAction};
use crate::base::{Id, Message};
use crate::engine::{BOX, Boxed, Diagram};
use crate::graph::Graph;
use crate::graph::edit::Change;

/// Sizes of the drawing, in parts of its own.
const ZOOMS: [f64; 6] = [0.4, 0.6, 0.8, 1.0, 1.3, 1.7];

/// The smallest that a drawing is made so that its width is seen.
const SMALLEST: f64 = 0.1;

#[component]
pub fn DiagramView(props: &DeskProps) -> Html {
    let page = use_page();
    let zoom = use_state_eq(|| 1.0f64);
    // The box whose output is being given to another one.
    let giver = use_state_eq(|| None::<usize>);
    let drawing = use_node_ref();
    let pointer = use_state_eq(|| None::<(f64, f64)>);
    // The input that was asked to read something.
    let unable = use_state_eq(|| None::<usize>);
    {
        let send = page.send.clone();
        use_effect_with((), move |_| {
            send.emit(Action::Edit(EditAction::Diagram(true)));
            move || send.emit(Action::Edit(EditAction::Diagram(false)))
        });
    }
    let scroll = use_node_ref();
    {
        // A wide graph begins somewhere in the middle: its first box is brought into view.
        let (scroll, scale) = (scroll.clone(), *zoom);
        let first = page
            .state
            .editing
            .diagram
            .as_ref()
            .and_then(|diagram| diagram.boxes.iter().map(|drawn| drawn.at).min_by(|a, b| a.1.total_cmp(&b.1)));
        use_effect_with(page.state.editing.diagram.as_ref().map(|diagram| diagram.size), move |_| {
            if let Some((scroll, (x, y))) = scroll.cast::<Element>().zip(first) {
                scroll.set_scroll_left((x * scale) as i32 - scroll.client_width() / 2);
                scroll.set_scroll_top((y * scale) as i32 - scroll.client_height() / 4);
            }
        });
    }
    let graph = page.state.document.open.as_ref().and_then(|document| document.graph.clone());
    // The box that a deleted one leaves the focus to, by its name: places change with the diagram.
    let heir = use_mut_ref(|| None::<String>);
    {
        let (heir, shown) = (heir.clone(), page.state.editing.diagram.clone().zip(graph.clone()));
        let key = shown.as_ref().map(|(diagram, _)| Rc::as_ptr(diagram) as usize);
        use_effect_with(key, move |_| {
            let Some((diagram, graph)) = shown else { return };
            let Some(name) = heir.borrow_mut().take() else { return };
            let found = (0..diagram.boxes.len()).find(|&index| label_of(&diagram, &graph, index).0 == name);
            found.into_iter().for_each(|index| focus(&format!("box-{index}")));
        });
    }
    let Some((diagram, graph)) = page.state.editing.diagram.clone().zip(graph) else {
        let key = if page.state.job().is_some() { "editor.laying-out" } else { "editor.too-large" };
        return html! { <p class="empty">{ page.word(key) }</p> };
    };
    let desk = props.desk.clone();
    let scale = *zoom;
    let boxes = diagram.boxes.len();
    let connect = {
        let (page, desk, diagram, graph) = (page.clone(), desk.clone(), diagram.clone(), graph.clone());
        let (giver, unable) = (giver.setter(), unable.setter());
        Callback::from(move |(from, to): (usize, usize)| {
            giver.set(None);
            let wanted = connection(&desk, &diagram, &graph, from, to);
            unable.set(wanted.is_none().then_some(to));
            if let Some(wanted) = wanted {
                make(&page, wanted);
            }
        })
    };
    let onkey = {
        let (page, desk, diagram, graph) = (page.clone(), desk.clone(), diagram.clone(), graph.clone());
        let (giver, giver_set, connect, heir) = (*giver, giver.setter(), connect.clone(), heir.clone());
        Callback::from(move |(index, event): (usize, KeyboardEvent)| {
            let pick = pick_of(&desk, &diagram, &graph, index);
            match event.key().as_str() {
                "Enter" | " " => match giver {
                    Some(from) => connect.emit((from, index)),
                    None => desk.choose.emit(pick),
                },
                "c" | "C" => giver_set.set(Some(index)),
                "Escape" if giver.is_some() => giver_set.set(None),
                "Delete" | "Backspace" => {
                    match pick {
                        Some(Pick::Node(at)) => make(&page, Change::DeleteNode(at)),
                        Some(Pick::Tensor(at)) => make(&page, Change::DeleteTensor(at)),
                        None => return,
                    }
                    desk.choose.emit(None);
                    let next = ["ArrowDown", "ArrowUp", "ArrowRight", "ArrowLeft"]
                        .into_iter()
                        .find_map(|key| neighbour(&diagram, index, key));
                    if let Some(next) = next {
                        *heir.borrow_mut() = Some(label_of(&diagram, &graph, next).0);
                        focus(&format!("box-{next}"));
                    }
                }
                key @ ("ArrowDown" | "ArrowUp" | "ArrowLeft" | "ArrowRight") => {
                    if let Some(next) = neighbour(&diagram, index, key) {
                        focus(&format!("box-{next}"));
                    }
                }
                _ => return,
            }
            event.prevent_default();
            event.stop_propagation();
        })
    };
    // Events are heard at the root of the page, so that theirs is not the place of the drawing.
    let place = {
        let drawing = drawing.clone();
        move |event: &PointerEvent| {
            let rect = drawing.cast::<Element>()?.get_bounding_client_rect();
            Some(((event.client_x() as f64 - rect.left()) / scale, (event.client_y() as f64 - rect.top()) / scale))
        }
    };
    let onpointermove = {
        let (pointer, held, place) = (pointer.setter(), giver.is_some(), place.clone());
        Callback::from(move |event: PointerEvent| {
            if held {
                pointer.set(place(&event))
            }
        })
    };
    let onpointerup = {
        let (giver, from, pointer, diagram, connect) =
            (giver.setter(), *giver, pointer.setter(), diagram.clone(), connect.clone());
        Callback::from(move |event: PointerEvent| {
            pointer.set(None);
            let target = place(&event).and_then(|at| {
                diagram.boxes.iter().position(|drawn| {
                    (drawn.at.0 - at.0).abs() <= BOX.0 / 2.0 && (drawn.at.1 - at.1).abs() <= BOX.1 / 2.0
                })
            });
            match (from, target) {
                (Some(from), Some(to)) if from != to => connect.emit((from, to)),
                // A click on the port waits for a click on the reader.
                (Some(from), Some(to)) if from == to => {}
                _ => giver.set(None),
            }
        })
    };
    let size = diagram.size;
    let line = |from: (f64, f64), to: (f64, f64)| {
        let (from, to) = ((from.0, from.1 + BOX.1 / 2.0), (to.0, to.1 - BOX.1 / 2.0));
        let bend = ((to.1 - from.1) / 2.0).abs().max(12.0);
        format!(
            "M{:.1} {:.1}C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}",
            from.0,
            from.1,
            from.0,
            from.1 + bend,
            to.0,
            to.1 - bend,
            to.0,
            to.1
        )
    };
    let said = match (*giver, *unable) {
        (Some(from), _) => Message::new("editor.connecting").text("name", label_of(&diagram, &graph, from).0),
        (None, Some(to)) => Message::new("editor.reads-nothing").text("name", label_of(&diagram, &graph, to).0),
        (None, None) => Message::new("editor.diagram-how"),
    };
    let smaller = ZOOMS.into_iter().rev().find(|other| *other < scale);
    let larger = ZOOMS.into_iter().find(|other| *other > scale);
    let zoom_to = |to: Option<f64>| {
        let zoom = zoom.setter();
        Callback::from(move |_: MouseEvent| to.into_iter().for_each(|to| zoom.set(to)))
    };
    let fit = {
        let (zoom, scroll) = (zoom.setter(), scroll.clone());
        Callback::from(move |_: MouseEvent| {
            if let Some(room) = scroll.cast::<Element>() {
                // Graphs are far deeper than wide: in their height, nothing would be left of them.
                zoom.set((f64::from(room.client_width()) / size.0).clamp(SMALLEST, 1.0));
            }
        })
    };
    html! {
        <div class="diagram">
            <div class="diagram-head">
                <p role="status">{ words(&page, &said) }</p>
                <button type="button" class="btn icon-only" aria-label={page.word("editor.smaller")} title={page.word("editor.smaller")}
                    disabled={smaller.is_none()} onclick={zoom_to(smaller)}>{ "−" }</button>
                <button type="button" class="btn icon-only" aria-label={page.word("editor.larger")} title={page.word("editor.larger")}
                    disabled={larger.is_none()} onclick={zoom_to(larger)}>{ "+" }</button>
                <button type="button" class="btn" id="diagram-fit" onclick={fit}>{ page.word("editor.fit") }</button>
            </div>
            <div class="diagram-scroll" ref={scroll} tabindex="0" role="group" aria-label={page.word("editor.diagram")}>
                <svg id="diagram" ref={drawing} width={(size.0 * scale).to_string()} height={(size.1 * scale).to_string()} viewBox={format!("0 0 {} {}", size.0, size.1)}
                    {onpointermove} {onpointerup}>
                    { for diagram.edges.iter().filter_map(|&(maker, reader)| {
                        let (maker, reader) = (diagram.boxes.get(maker as usize)?, diagram.boxes.get(reader as usize)?);
                        Some(html! { <path class="edge" d={line(maker.at, reader.at)} /> })
                    }) }
                    if let Some((from, at)) = giver.and_then(|from| diagram.boxes.get(from)).zip(*pointer) {
                        <path class="edge drawn" d={line(from.at, (at.0, at.1 + BOX.1 / 2.0))} />
                    }
                    { for (0..boxes).map(|index| box_view(&desk, &diagram, &graph, index, *giver == Some(index), &onkey, &connect, *giver, &giver.setter())) }
                </svg>
            </div>
        </div>
    }
}

#[allow(clippy::too_many_arguments)]
fn box_view(
    desk: &Desk,
    diagram: &Diagram,
    graph: &Graph,
    index: usize,
    giving: bool,
    onkey: &Callback<(usize, KeyboardEvent)>,
    connect: &Callback<(usize, usize)>,
    giver: Option<usize>,
    set_giver: &UseStateSetter<Option<usize>>,
) -> Html {
    let at = diagram.boxes[index].at;
    let (name, op, class) = label_of(diagram, graph, index);
    let pick = pick_of(desk, diagram, graph, index);
    let chosen = pick.is_some() && pick == desk.pick;
    let (x, y) = (at.0 - BOX.0 / 2.0, at.1 - BOX.1 / 2.0);
    let onclick = {
        let (choose, connect) = (desk.choose.clone(), connect.clone());
        Callback::from(move |_: MouseEvent| match giver {
            Some(from) if from != index => connect.emit((from, index)),
            _ => choose.emit(pick),
        })
    };
    let onkeydown = {
        let onkey = onkey.clone();
        Callback::from(move |event: KeyboardEvent| onkey.emit((index, event)))
    };
    let onport = {
        let set_giver = set_giver.clone();
        Callback::from(move |event: PointerEvent| {
            event.prevent_default();
            // The pointer must be heard over other boxes, too.
            if let Some(port) = event.target_dyn_into::<Element>() {
                let _ = port.release_pointer_capture(event.pointer_id());
            }
            set_giver.set(Some(index));
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
fn label_of(diagram: &Diagram, graph: &Graph, index: usize) -> (String, String, &'static str) {
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

/// The row of the tables that a box stands for. The draft may have moved on since the diagram was made: names tell.
fn pick_of(desk: &Desk, diagram: &Diagram, graph: &Graph, index: usize) -> Option<Pick> {
    match &diagram.boxes.get(index)?.what {
        Boxed::Node(id) => {
            let name = &graph.nodes.get(*id)?.name;
            desk.draft.nodes.iter().position(|node| node.name.as_ref() == Some(name)).map(Pick::Node)
        }
        Boxed::Input(id) => desk.draft.tensor_named(&graph.tensors.get(*id)?.name).map(Pick::Tensor),
        Boxed::Folded { from, .. } => Some(Pick::Node(Id::index(crate::graph::NodeId(*from)))),
    }
}

/// The first output of one box, read by another.
fn connection(desk: &Desk, diagram: &Diagram, graph: &Graph, from: usize, to: usize) -> Option<Change> {
    let Some(Pick::Node(node)) = pick_of(desk, diagram, graph, to) else { return None };
    let tensor = match pick_of(desk, diagram, graph, from)? {
        Pick::Tensor(at) => at,
        Pick::Node(at) => desk.draft.tensor_named(desk.draft.nodes.get(at)?.outputs.first()?)?,
    };
    Some(Change::Connect { tensor, node })
}

/// The nearest box in the direction of an arrow key.
fn neighbour(diagram: &Diagram, index: usize, key: &str) -> Option<usize> {
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
