use std::rc::Rc;

use gloo_timers::callback::Timeout;
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use crate::app::browser::dom::until_then;
use crate::app::browser::idb::Store;
use crate::app::context::kept::attempt;
use crate::app::model::document::Origin;
use crate::app::state::State;
use crate::app::state::action::{Action, DocumentAction, EditAction};

/// How long a changed graph waits for the next change before it is kept, in milliseconds.
const KEEP_AFTER: u32 = 400;

#[hook]
pub fn use_storage(state: Rc<State>, send: Callback<Action>) {
    {
        let (send, embedded) = (send.clone(), state.settings.embed.is_some());
        use_effect_with((), move |_| {
            if embedded {
                return;
            }
            spawn_local(async move {
                // A browser that keeps nothing has nothing to offer; it is said when something is to be kept.
                let Ok(store) = Store::open().await else { return };
                if let Ok(Some(found)) = store.draft().await {
                    send.emit(Action::Edit(EditAction::Found(found)));
                }
                if let Ok(recent) = store.recent().await {
                    send.emit(Action::Document(DocumentAction::Recents(recent)));
                }
            });
        });
    }
    {
        let send = send.clone();
        let editing = state.editing.session.clone().filter(|_| state.settings.embed.is_none());
        let opened = state.document.open.as_ref().map_or_else(String::new, |document| document.name.clone());
        let key = editing.as_ref().map(|editing| (Rc::as_ptr(editing) as usize, editing.unsaved));
        use_effect_with(key, move |_| {
            until_then(editing.map(|editing| {
                Timeout::new(KEEP_AFTER, move || {
                    attempt(send, async move {
                        let store = Store::open().await?;
                        if !editing.unsaved {
                            return store.drop_draft().await;
                        }
                        let draft = postcard::to_stdvec(&*editing).unwrap_or_default();
                        // A draft that was recovered is not the document that is still open.
                        let own = &editing.draft.name;
                        store.keep_draft(if own.is_empty() { &opened } else { own }, &draft).await
                    });
                })
            }))
        });
    }
    let opened = state.document.open.clone().filter(|document| {
        // Examples are always at hand; what is edited is kept as a draft.
        !matches!(document.origin, Origin::Example(_))
            && state.editing.session.is_none()
            && state.settings.embed.is_none()
    });
    use_effect_with(opened.as_ref().map(|document| document.key), move |_| {
        let Some(document) = opened else { return };
        let told = send.clone();
        attempt(send, async move {
            let recent = Store::open().await?.keep(&document).await?;
            told.emit(Action::Document(DocumentAction::Recents(recent)));
            Ok(())
        });
    });
}
