//! Keys in the tables of the editor: between their cells, and for the row that is chosen.

use web_sys::{Element, HtmlInputElement};
use yew::prelude::*;

use crate::browser::dom::{find, focus, focus_element, is_field};
use crate::browser::later::once_drawn;
use crate::context::keys::command;
use crate::edit::state::listing::Listing;
use crate::edit::{Desk, Pick, moved};
use crate::shell::state::keys::{Command, Place};
use memplan_core::graph::edit::Change;

/// A table of the editor.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Table {
    Nodes,
    Tensors,
}

/// Rows that a page key goes over.
const PAGE: isize = 10;

impl Table {
    pub const fn id(self) -> &'static str {
        match self {
            Table::Nodes => "edit-nodes",
            Table::Tensors => "edit-tensors",
        }
    }

    pub fn row_id(self, at: usize) -> String {
        match self {
            Table::Nodes => format!("edit-node-{at}"),
            Table::Tensors => format!("edit-tensor-{at}"),
        }
    }

    const fn pick(self, at: usize) -> Pick {
        match self {
            Table::Nodes => Pick::Node(at),
            Table::Tensors => Pick::Tensor(at),
        }
    }

    fn listing(self, desk: &Desk) -> &Listing {
        match self {
            Table::Nodes => &desk.nodes.listing,
            Table::Tensors => &desk.tensors.listing,
        }
    }
}

/// Keys inside row `at`. Up and Down go to the row beside, Left and Right to the cell beside once
/// the text ends there; a list keeps Up and Down for its values, and gives them away with Ctrl.
pub fn in_row(desk: &Desk, table: Table, at: usize) -> Callback<KeyboardEvent> {
    let desk = desk.clone();
    Callback::from(move |event: KeyboardEvent| {
        let Some(cell) = event.target_dyn_into::<Element>().filter(|_| is_field(event.target())) else { return };
        let Some(column) = column_of(&cell) else { return };
        let (key, listing) = (event.key(), table.listing(&desk));
        let beside = |back: bool| listing.beside(at, if back { -1 } else { 1 });
        let asked = command(&event, Place::Cell);
        if event.alt_key() {
            if let (Some(Command::RowEarlier | Command::RowLater), Table::Nodes) = (asked, table) {
                swallow(&event);
                let to = beside(asked == Some(Command::RowEarlier));
                // In another order than that of the graph, the row beside is not the node before or
                // after.
                if to == at || !listing.is_as_filed() {
                    return;
                }
                // The cell is left first, so that what was typed goes to its own node.
                let there = moved(&desk.draft, at, to);
                enter(&desk, table, there, column);
                desk.change.emit((Change::MoveNode { from: at, to }, Some(table.pick(there))));
            }
            return;
        }
        if event.meta_key() || event.shift_key() {
            return;
        }
        let (ctrl, is_list) = (event.ctrl_key(), cell.tag_name() == "SELECT");
        match key.as_str() {
            _ if matches!(asked, Some(Command::CellAbove | Command::CellBelow)) && (ctrl || !is_list) => {
                enter(&desk, table, beside(asked == Some(Command::CellAbove)), column);
            }
            "PageUp" if !is_list => enter(&desk, table, listing.beside(at, -PAGE), column),
            "PageDown" if !is_list => enter(&desk, table, listing.beside(at, PAGE), column),
            _ if asked == Some(Command::CellBefore) && (is_list || ends(&cell, true)) => {
                focus_cell(table, at, column.saturating_sub(1));
            }
            _ if asked == Some(Command::CellAfter) && (is_list || ends(&cell, false)) => {
                focus_cell(table, at, column + 1);
            }
            // Typing is taken back before, by the field itself.
            "Escape" => focus(table.id()),
            // They are the field's own here, and ask the table for nothing.
            "Home" | "End" | "ArrowUp" | "ArrowDown" | "PageUp" | "PageDown" => return event.stop_propagation(),
            _ => return,
        }
        swallow(&event);
    })
}

/// Keys on the table itself: Enter goes into the chosen row, Delete takes it away.
pub fn on_table(desk: &Desk, table: Table) -> Callback<KeyboardEvent> {
    let desk = desk.clone();
    Callback::from(move |event: KeyboardEvent| {
        let at = match desk.pick {
            _ if is_field(event.target()) => return,
            Some(Pick::Node(at)) if table == Table::Nodes => at,
            Some(Pick::Tensor(at)) if table == Table::Tensors => at,
            _ => return,
        };
        match command(&event, Place::Cell) {
            Some(Command::EnterRow) => {
                let cell = find(&format!("#{} .cell", table.row_id(at)));
                select(cell);
            }
            Some(Command::DeleteRow) => delete(&desk, table.pick(at)),
            _ => return,
        }
        swallow(&event);
    })
}

/// Takes a node or a tensor away; what takes its place in the list is chosen then.
pub fn delete(desk: &Desk, pick: Pick) {
    let (wanted, table, at) = match pick {
        Pick::Node(at) => (Change::DeleteNode(at), Table::Nodes, at),
        Pick::Tensor(at) => (Change::DeleteTensor(at), Table::Tensors, at),
    };
    desk.change.emit((wanted, table.listing(desk).successor(at).map(|successor| table.pick(successor))));
    focus(table.id());
}

/// Goes to a cell, in a row that may be drawn only once it is chosen.
fn enter(desk: &Desk, table: Table, at: usize, column: usize) {
    if !focus_cell(table, at, column) {
        desk.choose.emit(Some(table.pick(at)));
        once_drawn(move || focus_cell(table, at, column));
    }
}

fn focus_cell(table: Table, at: usize, column: usize) -> bool {
    let cell = find(&format!("#{} > :nth-child({}) > .cell", table.row_id(at), column + 1));
    let found = cell.is_some();
    select(cell);
    found
}

/// Focuses a cell with all of its text selected: what is typed replaces it.
fn select(cell: Option<Element>) {
    use wasm_bindgen::JsCast;
    let input = cell.as_ref().and_then(|cell| cell.dyn_ref::<HtmlInputElement>()).cloned();
    focus_element(cell);
    if let Some(input) = input {
        input.select();
    }
}

/// Which cell of its row it is.
fn column_of(cell: &Element) -> Option<usize> {
    let cell = cell.closest("[role=gridcell]").ok()??;
    Some(std::iter::successors(cell.previous_element_sibling(), Element::previous_element_sibling).count())
}

/// Whether the caret is at this end of the text, or all of it is selected.
fn ends(cell: &Element, at_start: bool) -> bool {
    use wasm_bindgen::JsCast;
    let Some(input) = cell.dyn_ref::<HtmlInputElement>() else { return false };
    let length = input.value().encode_utf16().count() as u32;
    let (Ok(Some(start)), Ok(Some(end))) = (input.selection_start(), input.selection_end()) else { return false };
    let whole = start == 0 && end == length;
    whole || (start == end && start == if at_start { 0 } else { length })
}

fn swallow(event: &KeyboardEvent) {
    event.prevent_default();
    event.stop_propagation();
}
