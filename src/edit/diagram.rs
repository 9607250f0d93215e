//! The graph as boxes in layers. A box is dragged onto another to be read by it; the keyboard does
//! the same with C.

use std::cell::RefCell;
use std::rc::Rc;

use web_sys::Element;
use yew::prelude::*;

use crate::browser::dom::focus;
use crate::context::same::Same;
use crate::context::sentence::words;
use crate::context::{Page, use_page};
use crate::edit::boxes::{box_view, connection, label_of, neighbour, pick_of};
use crate::edit::{Desk, DeskProps, Pick, make};
use crate::shell::state::action::{Action, EditAction};
use memplan_core::base::Message;
use memplan_core::graph::Graph;
use memplan_core::graph::edit::Change;
use memplan_engine::{BOX, Diagram};

/// Sizes of the drawing, in parts of its own.
const ZOOMS: [f64; 6] = [0.4, 0.6, 0.8, 1.0, 1.3, 1.7];

/// The smallest that a drawing is made so that its width is seen.
const SMALLEST: f64 = 0.1;

#[component]
pub fn DiagramView(props: &DeskProps) -> Html {
    let page = use_page();
    let zoom = use_state_eq(|| 1.0f64);
    // The box whose output is being given to another one.
    let donor = use_state_eq(|| None::<usize>);
    let drawing = use_node_ref();
    let pointer = use_state_eq(|| None::<(f64, f64)>);
    // The input that was asked to read something.
    let unable = use_state_eq(|| None::<usize>);
    let scroll = use_node_ref();
    use_diagram(&page);
    use_first_in_view(&page, &scroll, *zoom);
    let graph = page.state.document.open.as_ref().and_then(|document| document.graph.clone());
    // The box that a deleted one leaves the focus to, by its name: places change with the diagram.
    let successor = use_mut_ref(|| None::<String>);
    use_successor(page.state.editing.diagram.clone().zip(graph.clone()), &successor);
    let Some((diagram, graph)) = page.state.editing.diagram.clone().zip(graph) else {
        let key = if page.state.job().is_some() { "editor.laying-out" } else { "editor.too-large" };
        return html! { <p class="empty">{ page.word(key) }</p> };
    };
    let desk = props.desk.clone();
    let scale = *zoom;
    let boxes = diagram.boxes.len();
    let connect = {
        let (page, desk, diagram, graph) = (page.clone(), desk.clone(), diagram.clone(), graph.clone());
        let (donor, unable) = (donor.setter(), unable.setter());
        Callback::from(move |(from, to): (usize, usize)| {
            donor.set(None);
            let wanted = connection(&desk, &diagram, &graph, from, to);
            unable.set(wanted.is_none().then_some(to));
            if let Some(wanted) = wanted {
                make(&page, wanted);
            }
        })
    };
    let drawing_of = Drawing { desk: desk.clone(), diagram: diagram.clone(), graph: graph.clone() };
    let onkey = keys(&page, &drawing_of, &donor, &connect, &successor);
    let (onpointermove, onpointerup) = drags(&drawing, &diagram, scale, &donor, &pointer, &connect);
    let size = diagram.size;
    let message = match (*donor, *unable) {
        (Some(from), _) => Message::new("editor.connecting").text("name", label_of(&diagram, &graph, from).0),
        (None, Some(to)) => Message::new("editor.reads-nothing").text("name", label_of(&diagram, &graph, to).0),
        (None, None) => Message::new("editor.diagram-how"),
    };
    html! {
        <div class="diagram">
            <div class="diagram-head">
                <p role="status">{ words(&page, &message) }</p>
                { zooms(&page, &zoom, &scroll, size.0) }
            </div>
            <div class="diagram-scroll" ref={scroll} tabindex="0" role="group" aria-label={page.word("editor.diagram")}>
                <svg id="diagram" ref={drawing} width={(size.0 * scale).to_string()} height={(size.1 * scale).to_string()} viewBox={format!("0 0 {} {}", size.0, size.1)}
                    {onpointermove} {onpointerup}>
                    { for diagram.edges.iter().filter_map(|&(maker, reader)| {
                        let (maker, reader) = (diagram.boxes.get(maker as usize)?, diagram.boxes.get(reader as usize)?);
                        Some(html! { <path class="edge" d={line(maker.at, reader.at)} /> })
                    }) }
                    if let Some((from, at)) = donor.and_then(|from| diagram.boxes.get(from)).zip(*pointer) {
                        <path class="edge drawn" d={line(from.at, (at.0, at.1 + BOX.1 / 2.0))} />
                    }
                    { for (0..boxes).map(|index| box_view(&desk, &diagram, &graph, index, *donor == Some(index), &onkey, &connect, *donor, &donor.setter())) }
                </svg>
            </div>
        </div>
    }
}

/// Asks for the diagram for as long as it is in sight.
#[hook]
fn use_diagram(page: &Page) {
    let send = page.send.clone();
    use_effect_with((), move |_| {
        send.emit(Action::Edit(EditAction::Diagram(true)));
        move || send.emit(Action::Edit(EditAction::Diagram(false)))
    });
}

/// A wide graph begins somewhere in the middle: its first box is brought into view.
#[hook]
fn use_first_in_view(page: &Page, scroll: &NodeRef, scale: f64) {
    let (scroll, diagram) = (scroll.clone(), page.state.editing.diagram.as_ref());
    let places = diagram.into_iter().flat_map(|diagram| diagram.boxes.iter().map(|drawn| drawn.at));
    let first = places.min_by(|a, b| a.1.total_cmp(&b.1));
    use_effect_with(diagram.map(|diagram| diagram.size), move |_| {
        if let Some((scroll, (x, y))) = scroll.cast::<Element>().zip(first) {
            scroll.set_scroll_left((x * scale) as i32 - scroll.client_width() / 2);
            scroll.set_scroll_top((y * scale) as i32 - scroll.client_height() / 4);
        }
    });
}

/// Moves the focus to the box that a deleted one leaves it to, once the diagram is there that has
/// it.
#[hook]
fn use_successor(shown: Option<(Rc<Diagram>, Rc<Graph>)>, successor: &Rc<RefCell<Option<String>>>) {
    let successor = successor.clone();
    let key = shown.as_ref().map(|(diagram, _)| Same::from(diagram));
    use_effect_with(key, move |_| {
        let Some((diagram, graph)) = shown else { return };
        let Some(name) = successor.borrow_mut().take() else { return };
        let found = (0..diagram.boxes.len()).find(|&index| label_of(&diagram, &graph, index).0 == name);
        found.into_iter().for_each(|index| focus(&format!("box-{index}")));
    });
}

/// The diagram with what it is of.
#[derive(Clone)]
struct Drawing {
    desk: Desk,
    diagram: Rc<Diagram>,
    graph: Rc<Graph>,
}

/// A drag from a box: what moves its line, and what ends it at the box that is to read the first.
fn drags(
    drawing: &NodeRef,
    diagram: &Rc<Diagram>,
    scale: f64,
    donor: &UseStateHandle<Option<usize>>,
    pointer: &UseStateHandle<Option<(f64, f64)>>,
    connect: &Callback<(usize, usize)>,
) -> (Callback<PointerEvent>, Callback<PointerEvent>) {
    // Listeners are at the root of the page, so the place in an event is not relative to the
    // drawing.
    let place = {
        let drawing = drawing.clone();
        move |event: &PointerEvent| {
            let rect = drawing.cast::<Element>()?.get_bounding_client_rect();
            Some(((event.client_x() as f64 - rect.left()) / scale, (event.client_y() as f64 - rect.top()) / scale))
        }
    };
    let onpointermove = {
        let (pointer, held, place) = (pointer.setter(), donor.is_some(), place.clone());
        Callback::from(move |event: PointerEvent| {
            if held {
                pointer.set(place(&event))
            }
        })
    };
    let onpointerup = {
        let (donor, from, pointer, diagram, connect) =
            (donor.setter(), **donor, pointer.setter(), diagram.clone(), connect.clone());
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
                _ => donor.set(None),
            }
        })
    };
    (onpointermove, onpointerup)
}

/// Keys on a box: choose, connect, delete, and go to a neighbour.
fn keys(
    page: &Page,
    drawing: &Drawing,
    donor: &UseStateHandle<Option<usize>>,
    connect: &Callback<(usize, usize)>,
    successor: &Rc<RefCell<Option<String>>>,
) -> Callback<(usize, KeyboardEvent)> {
    let (page, Drawing { desk, diagram, graph }) = (page.clone(), drawing.clone());
    let (donor, donor_set, connect, successor) = (**donor, donor.setter(), connect.clone(), successor.clone());
    Callback::from(move |(index, event): (usize, KeyboardEvent)| {
        let pick = pick_of(&desk, &diagram, &graph, index);
        match event.key().as_str() {
            "Enter" | " " => match donor {
                Some(from) => connect.emit((from, index)),
                None => desk.choose.emit(pick),
            },
            "c" | "C" => donor_set.set(Some(index)),
            "Escape" if donor.is_some() => donor_set.set(None),
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
                    *successor.borrow_mut() = Some(label_of(&diagram, &graph, next).0);
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
}

/// The curve from the lower edge of a box to the upper edge of another one.
fn line(from: (f64, f64), to: (f64, f64)) -> String {
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
}

/// The buttons that change the size of the drawing; `width` is that of the diagram.
fn zooms(page: &Page, zoom: &UseStateHandle<f64>, scroll: &NodeRef, width: f64) -> Html {
    let scale = **zoom;
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
                zoom.set((f64::from(room.client_width()) / width).clamp(SMALLEST, 1.0));
            }
        })
    };
    html! { <>
        <button type="button" class="btn icon-only" aria-label={page.word("editor.smaller")} title={page.word("editor.smaller")}
            disabled={smaller.is_none()} onclick={zoom_to(smaller)}>{ "−" }</button>
        <button type="button" class="btn icon-only" aria-label={page.word("editor.larger")} title={page.word("editor.larger")}
            disabled={larger.is_none()} onclick={zoom_to(larger)}>{ "+" }</button>
        <button type="button" class="btn" id="diagram-fit" onclick={fit}>{ page.word("editor.fit") }</button>
    </> }
}
