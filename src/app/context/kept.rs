//! Changes that no file holds survive a reload, and documents opened before can be opened again.

use wasm_bindgen::JsValue;
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use crate::app::browser::idb::{Kept, Store};
use crate::app::model::document::Origin;
use crate::app::model::link::LinkPlace;
use crate::app::model::notice::Notice;
use crate::app::state::action::{Action, DocumentAction, EditAction};
use crate::base::Message;

/// Does what may fail, and says so the first time.
pub fn attempt(send: Callback<Action>, work: impl Future<Output = Result<(), JsValue>> + 'static) {
    spawn_local(async move {
        if work.await.is_err() {
            send.emit(Action::Document(DocumentAction::NotKept));
        }
    });
}

fn opening(kept: Kept, place: Option<LinkPlace>) -> Action {
    let Kept { file, bytes, choices } = kept;
    Action::Document(DocumentAction::Open { origin: Origin::File(file), bytes, choices, place })
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
                Action::Document(DocumentAction::NotFetched(Notice::of(title)))
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
            Err(_) => Action::Document(DocumentAction::Awaits { file, place }),
        });
    });
}

pub fn forget_recent(name: String, send: Callback<Action>) {
    let told = send.clone();
    attempt(send, async move {
        let store = Store::open().await?;
        store.forget(&name).await?;
        told.emit(Action::Document(DocumentAction::Recents(store.recent().await?)));
        Ok(())
    });
}

pub fn forget_all(send: Callback<Action>) {
    let told = send.clone();
    attempt(send, async move {
        Store::open().await?.forget_all().await?;
        told.emit(Action::Document(DocumentAction::Recents(Vec::new())));
        Ok(())
    });
}

/// The draft of before is not wanted.
pub fn discard(send: Callback<Action>) {
    send.emit(Action::Edit(EditAction::Discard));
    attempt(send, async move { Store::open().await?.drop_draft().await });
}
