//! Columns change places: by dragging their heading, or by the arrow keys on its handle.

use yew::prelude::*;

use crate::compare::change;
use crate::compare::state::Change;
use crate::context::Page;
use crate::shell::state::action::{Action, ViewAction};
use crate::widgets::dragging::Track;
use crate::widgets::icons::{Icon, glyph};
use memplan_core::base::Message;
use memplan_engine::PlannerChoice;

/// The columns of the comparison, which are dragged by their headings.
pub const HEADINGS: Track = Track {
    grip: ".column-head",
    parts: ".column-row",
    begin: |rect| rect.left(),
    pointer: |event| event.client_x().into(),
};

/// The handle of a heading, for keys; the whole heading can be dragged.
pub fn handle(page: &Page, column: usize, choice: &PlannerChoice) -> Html {
    let count = page.state.comparing.columns.len();
    let name = choice.words(page.speech());
    let label = page.speech().say(&Message::new("compare.move").text("name", &name));
    let send = page.send.clone();
    let onkeydown = Callback::from(move |event: KeyboardEvent| {
        let to = match event.key().as_str() {
            "ArrowLeft" => column.checked_sub(1),
            "ArrowRight" => Some(column + 1).filter(|to| *to < count),
            _ => return,
        };
        event.prevent_default();
        event.stop_propagation();
        let Some(to) = to else { return };
        send.emit(change(Change::Place { column, to }));
        let moved = Message::new("compare.moved").text("name", &name).count("place", to + 1).count("count", count);
        send.emit(Action::View(ViewAction::Toast(moved)));
    });
    html! {
        <button type="button" class="btn icon-only handle" aria-label={label.clone()} title={label} {onkeydown}>
            { glyph(Icon::Grip) }</button>
    }
}
