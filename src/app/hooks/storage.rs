//! Changes that no file holds survive a reload, and documents opened before can be opened again.

use std::rc::Rc;

use gloo_timers::callback::Timeout;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use super::store::{Kept, Store};
use super::until_then;
use crate::app::state::{Action, LinkPlace, Notice, Origin, State};
use crate::base::Message;

/// How long a changed graph waits for the next change before it is kept, in milliseconds.
const KEEP_AFTER: u32 = 400;

#[hook]
pub fn use_storage(state: Rc<State>, send: Callback<Action>) {
    {
        let (send, embedded) = (send.clone(), state.embed.is_some());
        use_effect_with((), move |_| {
            if embedded {
                return;
            }
            spawn_local(async move {
                // A browser that keeps nothing has nothing to offer; it is said when something is to be kept.
                let Ok(store) = Store::open().await else { return };
                if let Ok(Some(found)) = store.draft().await {
                    send.emit(Action::Found(found));
                }
                if let Ok(recent) = store.recent().await {
                    send.emit(Action::Recents(recent));
                }
            });
        });
    }
    {
        let send = send.clone();
        let editing = state.editing.clone().filter(|_| state.embed.is_none());
        let opened = state.document.as_ref().map_or_else(String::new, |document| document.name.clone());
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
    let opened = state.document.clone().filter(|document| {
        // Examples are always at hand; what is edited is kept as a draft.
        !matches!(document.origin, Origin::Example(_)) && state.editing.is_none() && state.embed.is_none()
    });
    use_effect_with(opened.as_ref().map(|document| document.key), move |_| {
        let Some(document) = opened else { return };
        let told = send.clone();
        attempt(send, async move {
            let recent = Store::open().await?.keep(&document).await?;
            told.emit(Action::Recents(recent));
            Ok(())
        });
    });
}

/// Does what may fail, and says so the first time.
fn attempt(send: Callback<Action>, work: impl Future<Output = Result<(), JsValue>> + 'static) {
    spawn_local(async move {
        if work.await.is_err() {
            send.emit(Action::NotKept);
        }
    });
}

fn opening(kept: Kept, place: Option<LinkPlace>) -> Action {
    let Kept { file, bytes, choices } = kept;
    Action::Open { origin: Origin::File(file), bytes: Rc::new(bytes), choices, place }
}

/// Opens a document that was opened before.
pub fn open_recent(name: String, send: Callback<Action>) {
    spawn_local(async move {
        let bytes = match Store::open().await {
            Ok(store) => store.document(&name).await,
            Err(error) => Err(error),
        };
        send.emit(match bytes {
            Ok(kept) => opening(kept, None),
            Err(_) => {
                let title = Message::new("notice.not-read").text("name", name);
                Action::NotFetched(Notice { title, faults: Vec::new() })
            }
        });
    });
}

/// Opens the file that a link names, if it was opened here before.
pub fn open_kept(file: String, place: LinkPlace, send: Callback<Action>) {
    spawn_local(async move {
        let found = match Store::open().await {
            Ok(store) => store.of_file(&file).await,
            Err(error) => Err(error),
        };
        send.emit(match found {
            Ok(kept) => opening(kept, Some(place)),
            Err(_) => Action::Awaits { file, place },
        });
    });
}

pub fn forget_recent(name: String, send: Callback<Action>) {
    let told = send.clone();
    attempt(send, async move {
        let store = Store::open().await?;
        store.forget(&name).await?;
        told.emit(Action::Recents(store.recent().await?));
        Ok(())
    });
}

pub fn forget_all(send: Callback<Action>) {
    let told = send.clone();
    attempt(send, async move {
        Store::open().await?.forget_all().await?;
        told.emit(Action::Recents(Vec::new()));
        Ok(())
    });
}

/// The draft of before is not wanted.
pub fn discard(send: Callback<Action>) {
    send.emit(Action::Discard);
    attempt(send, async move { Store::open().await?.drop_draft().await });
}
