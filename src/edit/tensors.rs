//! The tensors in file order, one row each.

use std::cmp::Ordering;

use yew::prelude::*;

use crate::browser::css;
use crate::context::Page;
use crate::context::columns::{Heading, heading, tracks};
use crate::edit::cells::{Table, in_row, on_table};
use crate::edit::field::{Field, choice};
use crate::edit::nodes::ROW;
use crate::edit::{Desk, Pick};
use crate::widgets::rows::Rows;
use memplan_core::base::{Family, Message};
use memplan_core::graph::edit::{Change, TensorField};
use memplan_core::graph::{Dtype, Kind, RawDim, RawTensor};

/// Columns: the field, the key of its heading.
const COLUMNS: [(TensorField, &str); 8] = [
    (TensorField::Name, "editor.name"),
    (TensorField::Kind, "editor.kind"),
    (TensorField::Dtype, "editor.dtype"),
    (TensorField::Shape, "editor.shape"),
    (TensorField::Bytes, "editor.bytes"),
    (TensorField::Align, "editor.align"),
    (TensorField::Arena, "editor.arena"),
    (TensorField::Device, "editor.device"),
];

/// The usual tracks of the columns.
const TRACKS: [&str; 8] =
    ["minmax(80px, 1.3fr)", "118px", "96px", "minmax(100px, 1.3fr)", "76px", "52px", "52px", "minmax(60px, .4fr)"];

pub fn tensors(page: &Page, desk: &Desk) -> Html {
    let current = if let Some(Pick::Tensor(at)) = desk.pick { Some(at) } else { None };
    let kinds: Vec<(&'static str, AttrValue)> =
        Kind::ALL.iter().map(|kind| (kind.name(), page.word(&Family::KIND.of([kind.name()])).into())).collect();
    let dtypes: Vec<(&'static str, AttrValue)> =
        Dtype::ALL.iter().map(|dtype| (dtype.name(), AttrValue::from(dtype.name()))).collect();
    let row = {
        let (page, desk) = (page.clone(), desk.clone());
        Callback::from(move |row: usize| {
            let at = desk.tensors.listing.at(row).unwrap_or(row);
            let Some(tensor) = desk.draft.tensors.get(at) else { return Html::default() };
            let name = tensor.name.clone().unwrap_or_default();
            let choose = desk.choose.clone();
            let onfocus = Callback::from(move |()| choose.emit(Some(Pick::Tensor(at))));
            html! {
                <div onkeydown={in_row(&desk, Table::Tensors, at)} class={classes!("row", "edit-row", "tensor-row", (current == Some(at)).then_some("selected"))} role="row" key={at}
                    id={Table::Tensors.row_id(at)} aria-rowindex={(row + 2).to_string()} aria-selected={(current == Some(at)).to_string()}>
                    { for COLUMNS.iter().map(|&(field, key)| {
                        let heading = page.word(key);
                        let label = page.speech().say(&Message::new("editor.cell").text("column", heading).text("row", &name));
                        let change = Callback::from(move |text: String| Change::Tensor { at, field, text });
                        let (value, onfocus) = (text_of(tensor, field), onfocus.clone());
                        let choices = match field {
                            TensorField::Kind => Some(&kinds),
                            TensorField::Dtype => Some(&dtypes),
                            _ => None,
                        };
                        let live = field != TensorField::Name;
                        html! { <span role="gridcell">{ match choices {
                            Some(choices) => choice(&page, &value, label, choices, change, onfocus),
                            None => html! { <Field {value} {label} {change} {live} {onfocus} /> },
                        } }</span> }
                    }) }
                </div>
            }
        })
    };
    let onmove = {
        let (choose, listing) = (desk.choose.clone(), desk.tensors.listing.clone());
        Callback::from(move |row: usize| choose.emit(listing.at(row).map(Pick::Tensor)))
    };
    let head = html! {
        <div class="row head edit-row tensor-row" role="row" aria-rowindex="1">
            { for COLUMNS.iter().enumerate().map(|(column, (_, key))| heading(Heading {
                table: Table::Tensors.id(),
                column,
                words: page.word(key),
                class: Classes::new(),
                sorting: Some(&desk.tensors.sorting),
                resizes: column + 1 < COLUMNS.len(),
            })) }
        </div>
    };
    html! { <div class="tab-fill" ~style={css(tracks(page, Table::Tensors.id(), &TRACKS))}>
        <Rows count={desk.draft.tensors.len()} height={ROW} current={current.and_then(|at| desk.tensors.listing.row_of(at))} {row} {onmove} onpoint={page.pointing()} label={page.word("editor.tensors")} id={Table::Tensors.id()}
            role="grid" onkey={on_table(desk, Table::Tensors)} columns={COLUMNS.len()} {head}
            active={current.map(|at| AttrValue::from(Table::Tensors.row_id(at)))} />
    </div> }
}

/// Which of two tensors comes first by a column: numbers by their values, an empty field first.
pub fn by_tensor(a: &RawTensor, b: &RawTensor, column: usize) -> Ordering {
    let Some(&(field, _)) = COLUMNS.get(column) else { return Ordering::Equal };
    match field {
        TensorField::Bytes => a.bytes.cmp(&b.bytes),
        TensorField::Align => a.align.cmp(&b.align),
        TensorField::Arena => a.mem_id.cmp(&b.mem_id),
        TensorField::Shape => extents(a).cmp(&extents(b)),
        _ => text_of(a, field).cmp(&text_of(b, field)),
    }
}

/// The shape as it sorts: fixed extents by their values, before those that are symbols.
fn extents(tensor: &RawTensor) -> Vec<(bool, u64, &str)> {
    let extents = tensor.shape.iter().flatten().map(|dim| match dim {
        RawDim::Fixed(extent) => (false, *extent, ""),
        RawDim::Text(text) => (true, 0, text.as_str()),
    });
    extents.collect()
}

fn text_of(tensor: &RawTensor, field: TensorField) -> String {
    let number = |value: Option<u64>| value.map(|value| value.to_string()).unwrap_or_default();
    match field {
        TensorField::Name => tensor.name.clone().unwrap_or_default(),
        TensorField::Kind => tensor.kind.map_or("", Kind::name).to_string(),
        TensorField::Dtype => tensor.dtype.map_or("", Dtype::name).to_string(),
        TensorField::Shape => {
            let extent = |dim: &RawDim| match dim {
                RawDim::Fixed(extent) => extent.to_string(),
                RawDim::Text(text) => text.clone(),
            };
            tensor.shape.iter().flatten().map(extent).collect::<Vec<_>>().join(", ")
        }
        TensorField::Bytes => number(tensor.bytes),
        TensorField::Align => number(tensor.align),
        TensorField::Arena => number(tensor.mem_id.map(u64::from)),
        TensorField::Device => tensor.device.clone().unwrap_or_default(),
    }
}
