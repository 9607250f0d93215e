//! The nodes in execution order, one row each.

use std::cmp::Ordering;
use std::ops::RangeInclusive;

use yew::prelude::*;

use crate::browser::css;
use crate::context::columns::{Heading, heading, tracks};
use crate::context::use_page;
use crate::edit::cells::{Table, in_row, on_table};
use crate::edit::field::Field;
use crate::edit::{DeskProps, Pick};
use crate::shell::state::action::{Action, StepAction};
use crate::widgets::rows::Rows;
use crate::widgets::sorting::Sorting;
use memplan_core::base::Message;
use memplan_core::graph::RawNode;
use memplan_core::graph::edit::Draft;
use memplan_core::graph::edit::{Change, NodeField};

/// Height of a row, in px: fields are targets of their own.
pub const ROW: f64 = 28.0;

/// Columns after that of the step: the field, the key of its heading.
const COLUMNS: [(NodeField, &str); 7] = [
    (NodeField::Name, "editor.name"),
    (NodeField::Op, "editor.op"),
    (NodeField::Inputs, "editor.inputs"),
    (NodeField::Outputs, "editor.outputs"),
    (NodeField::Inplace, "editor.inplace"),
    (NodeField::IgnoredInputs, "editor.ignored"),
    (NodeField::Device, "editor.device"),
];

/// The usual tracks of all columns.
const TRACKS: [&str; 8] = [
    "36px",
    "minmax(90px, 1.2fr)",
    "minmax(70px, .8fr)",
    "minmax(100px, 1.4fr)",
    "minmax(90px, 1.2fr)",
    "60px",
    "52px",
    "minmax(52px, .4fr)",
];

#[component]
pub fn Nodes(props: &DeskProps) -> Html {
    let page = use_page();
    let desk = props.desk.clone();
    let current = if let Some(Pick::Node(at)) = desk.pick { Some(at) } else { None };
    // The node under the pointer takes precedence over the selected one.
    let pointed = use_state_eq(|| None::<usize>);
    let shown = pointed.map(Pick::Node).filter(|pick| crate::edit::shown(&desk.draft, *pick).is_some()).or(desk.pick);
    let alive = shown.and_then(|pick| crate::edit::shown(&desk.draft, pick)).map(|name| steps_of(&desk.draft, &name));
    let row = {
        let (page, desk, pointed) = (page.clone(), desk.clone(), pointed.setter());
        Callback::from(move |row: usize| {
            let at = desk.nodes.listing.at(row).unwrap_or(row);
            let Some(node) = desk.draft.nodes.get(at) else { return Html::default() };
            let name = node.name.clone().unwrap_or_default();
            let choose = desk.choose.clone();
            let onfocus = Callback::from(move |()| choose.emit(Some(Pick::Node(at))));
            let onclick = {
                let (page, first) = (page.clone(), node.inputs.first().cloned());
                Callback::from(move |event: MouseEvent| {
                    let found = page.state.document.run.as_ref().zip(first.as_ref());
                    let buffer = found.and_then(|(run, name)| run.buffer_named(name));
                    if event.alt_key() && buffer.is_some() {
                        page.send.emit(Action::Step(StepAction::Select(buffer)));
                    }
                })
            };
            let (enter, leave) = (pointed.clone(), pointed.clone());
            let onpointerenter = Callback::from(move |_: PointerEvent| enter.set(Some(at)));
            let onpointerleave = Callback::from(move |_: PointerEvent| leave.set(None));
            let live = alive.as_ref().is_some_and(|alive| alive.contains(&at));
            html! {
                <div {onclick} onkeydown={in_row(&desk, Table::Nodes, at)} {onpointerenter} {onpointerleave} class={classes!("row", "edit-row", "node-row", (current == Some(at)).then_some("selected"))} role="row" key={at}
                    id={Table::Nodes.row_id(at)} aria-rowindex={(row + 2).to_string()} aria-selected={(current == Some(at)).to_string()}>
                    <span role="gridcell" class={classes!("num", "muted", live.then_some("alive"))}>{ at }</span>
                    { for COLUMNS.iter().map(|&(field, key)| {
                        let heading = page.word(key);
                        let label = page.speech().say(&Message::new("editor.cell").text("column", heading).text("row", &name));
                        let change = Callback::from(move |text: String| Change::Node { at, field, text });
                        // Names that are half typed would be refused, or mean another node.
                        let live = matches!(field, NodeField::Op | NodeField::Device);
                        html! { <span role="gridcell"><Field value={text_of(node, field)} {label} {change} {live} onfocus={onfocus.clone()} /></span> }
                    }) }
                </div>
            }
        })
    };
    let onmove = {
        let (choose, listing) = (desk.choose.clone(), desk.nodes.listing.clone());
        Callback::from(move |row: usize| choose.emit(listing.at(row).map(Pick::Node)))
    };
    let head = html! {
        <div class="row head edit-row node-row" role="row" aria-rowindex="1">
            { for ["graph.step"].into_iter().chain(COLUMNS.map(|(_, key)| key)).enumerate().map(|(column, key)| heading(Heading {
                table: Table::Nodes.id(),
                column,
                words: page.word(key),
                class: classes!((column == 0).then_some("num")),
                sorting: Some(&desk.nodes.sorting),
                resizes: column < COLUMNS.len(),
            })) }
        </div>
    };
    html! { <div class="tab-fill" ~style={css(tracks(&page, Table::Nodes.id(), &TRACKS))}>
        <div role="status">if !desk.nodes.listing.is_as_filed() {
            <p class="sorted-note" id="edit-sorted">{ page.word("editor.sorted") }{ page.blank() }
                <button type="button" class="name" onclick={let sorting = desk.nodes.sorting.setter(); move |_: MouseEvent| sorting.set(Sorting::default())}>
                    { page.word("editor.unsort") }</button></p>
        }</div>
        <Rows count={desk.draft.nodes.len()} height={ROW} current={current.and_then(|at| desk.nodes.listing.row_of(at))} {row} {onmove} onpoint={page.pointing()} label={page.word("editor.nodes")} id={Table::Nodes.id()} role="grid"
            onkey={on_table(&desk, Table::Nodes)} columns={COLUMNS.len() + 1} {head}
            active={current.map(|at| AttrValue::from(Table::Nodes.row_id(at)))} />
    </div> }
}

/// Which of two nodes, with their positions, comes first by a column.
pub fn by_node(a: (usize, &RawNode), b: (usize, &RawNode), column: usize) -> Ordering {
    match column.checked_sub(1).and_then(|column| COLUMNS.get(column)) {
        None => a.0.cmp(&b.0),
        Some(&(field, _)) => text_of(a.1, field).cmp(&text_of(b.1, field)),
    }
}

/// The nodes during which a tensor is alive: from its producer, or the first node, to its last
/// reader.
fn steps_of(draft: &Draft, name: &str) -> RangeInclusive<usize> {
    let made = draft.nodes.iter().position(|node| node.outputs.iter().any(|output| output == name)).unwrap_or(0);
    let read = draft.nodes.iter().rposition(|node| node.inputs.iter().any(|input| input == name)).unwrap_or(made);
    made..=read
}

fn text_of(node: &RawNode, field: NodeField) -> String {
    match field {
        NodeField::Name => node.name.clone().unwrap_or_default(),
        NodeField::Op => node.op.clone().unwrap_or_default(),
        NodeField::Device => node.device.clone().unwrap_or_default(),
        NodeField::Inputs => node.inputs.join(", "),
        NodeField::Outputs => node.outputs.join(", "),
        NodeField::Inplace => {
            let pairs: Vec<String> = node.inplace.iter().map(|(input, output)| format!("{input}:{output}")).collect();
            pairs.join(", ")
        }
        NodeField::IgnoredInputs => node.ignore_inputs.iter().map(u32::to_string).collect::<Vec<String>>().join(", "),
    }
}
