use std::rc::Rc;

use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use crate::browser::idb::Store;
use crate::browser::kept::{keep_text, kept_text};
use crate::context::kept::attempt;
use crate::open::state::document::Origin;
use crate::shell::state::State;
use crate::shell::state::action::{Action, DocumentAction, SettingsAction};
use crate::shell::state::columns::ColumnWidths;

/// What the widths of columns are kept under.
const COLUMNS: &str = "memplan.columns";

#[hook]
pub fn use_storage(state: Rc<State>, send: Callback<Action>) {
    {
        let (send, keeps) = (send.clone(), state.settings.keeps());
        use_effect_with((), move |_| {
            if !keeps {
                return;
            }
            spawn_local(async move {
                // A browser that keeps nothing has nothing to offer; the user is notified when
                // something is to be kept.
                let Ok(store) = Store::open().await else { return };
                if let Ok(recent) = store.recent().await {
                    send.emit(Action::Document(DocumentAction::Recents(recent)));
                }
            });
        });
    }
    use_column_widths(&state, &send);
    let opened = state.document.open.clone().filter(|document| {
        // Examples are always at hand; what is edited is kept as a draft. Exercises leave nothing
        // behind.
        let is_own = !matches!(document.origin, Origin::Example(_)) && state.editing.session.is_none();
        is_own && state.settings.keeps() && state.teaching.assigned.is_none()
    });
    use_effect_with(opened.as_ref().map(|document| document.key), move |_| {
        let Some(document) = opened else { return };
        let sender = send.clone();
        attempt(send, async move {
            let recent = Store::open().await?.keep(&document).await?;
            sender.emit(Action::Document(DocumentAction::Recents(recent)));
            Ok(())
        });
    });
}

/// Columns are as wide as they were left at the last visit.
#[hook]
fn use_column_widths(state: &State, send: &Callback<Action>) {
    let keeps = state.settings.keeps();
    {
        let send = send.clone();
        use_effect_with((), move |_| {
            let found = kept_text(COLUMNS).filter(|_| keeps).map(|text| ColumnWidths::read(&text));
            found.into_iter().for_each(|found| send.emit(Action::Settings(SettingsAction::Columns(found))));
        });
    }
    let before = use_mut_ref(ColumnWidths::default);
    use_effect_with(state.settings.columns.clone(), move |columns| {
        // Nothing is kept before what was kept is read.
        if before.replace(columns.clone()) != *columns && keeps {
            keep_text(COLUMNS, &columns.text());
        }
    });
}
