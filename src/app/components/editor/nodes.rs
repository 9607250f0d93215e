//! The nodes in execution order, one row each.

use yew::prelude::*;

use super::super::rows::Rows;
use super::super::use_page;
use super::field::Field;
use super::{DeskProps, Pick};
use crate::base::Message;
use crate::graph::RawNode;
use crate::graph::edit::{Change, NodeField};

/// Height of a row, in px: fields are targets of their own.
pub const ROW: f64 = 28.0;

/// Columns: the field, the key of its heading.
const COLUMNS: [(NodeField, &str); 7] = [
    (NodeField::Name, "editor.name"),
    (NodeField::Op, "editor.op"),
    (NodeField::Inputs, "editor.inputs"),
    (NodeField::Outputs, "editor.outputs"),
    (NodeField::Inplace, "editor.inplace"),
    (NodeField::IgnoredInputs, "editor.ignored"),
    (NodeField::Device, "editor.device"),
];

#[component]
pub fn Nodes(props: &DeskProps) -> Html {
    let page = use_page();
    let desk = props.desk.clone();
    let current = if let Some(Pick::Node(at)) = desk.pick { Some(at) } else { None };
    let row = {
        let (page, desk) = (page.clone(), desk.clone());
        Callback::from(move |at: usize| {
            let Some(node) = desk.draft.nodes.get(at) else { return Html::default() };
            let name = node.name.clone().unwrap_or_default();
            let choose = desk.choose.clone();
            let onfocus = Callback::from(move |()| choose.emit(Some(Pick::Node(at))));
            html! {
                <div class={classes!("row", "edit-row", "node-row", (current == Some(at)).then_some("selected"))} role="row" key={at}
                    id={format!("edit-node-{at}")} aria-rowindex={(at + 2).to_string()} aria-selected={(current == Some(at)).to_string()}>
                    <span role="gridcell" class="num muted">{ at }</span>
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
        let choose = desk.choose.clone();
        Callback::from(move |at: usize| choose.emit(Some(Pick::Node(at))))
    };
    let head = html! {
        <div class="row head edit-row node-row" role="row" aria-rowindex="1">
            <span role="columnheader" class="num">{ page.word("graph.step") }</span>
            { for COLUMNS.iter().map(|(_, key)| html! { <span role="columnheader">{ page.word(key) }</span> }) }
        </div>
    };
    html! {
        <Rows count={desk.draft.nodes.len()} height={ROW} {current} {row} {onmove} label={page.word("editor.nodes")} id="edit-nodes" role="grid"
            columns={COLUMNS.len() + 1} {head} active={current.map(|at| AttrValue::from(format!("edit-node-{at}")))} />
    }
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
