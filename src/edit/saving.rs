//! The graph goes into a file of the user's.

use std::rc::Rc;

use yew::prelude::*;

use crate::browser::download::download;
use crate::shell::state::State;
use crate::shell::state::action::{Action, EditAction};
use memplan_core::base::Message;
use memplan_formats::import::Format;

/// Saves once what is asked for is planned and written.
#[hook]
pub fn use_saving(state: Rc<State>, send: Callback<Action>) {
    use_effect_with((state.editing.saving, state.job().is_some()), move |&(saving, busy)| {
        if !saving || busy {
            return;
        }
        let faulty = state.is_faulty();
        let document = state.document.open.clone().filter(|document| document.format == Format::MemoryGraph && !faulty);
        let Some(document) = document else {
            return send.emit(Action::Edit(EditAction::NotSaved(Message::new("toast.not-saved"))));
        };
        let stem = document.name.trim_end_matches(".json");
        match download(&format!("{stem}.json"), &document.bytes.to_js(), "application/json") {
            Ok(()) => send.emit(Action::Edit(EditAction::Saved)),
            Err(_) => send.emit(Action::Edit(EditAction::NotSaved(Message::new("toast.no-download")))),
        }
    });
}
