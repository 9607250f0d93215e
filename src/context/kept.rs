//! Changes that no file holds survive a reload, and documents opened before can be opened again.

use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use crate::browser::idb::{Kept, Store};
use crate::context::open::{Purpose, fetching};
use crate::open::state::document::Origin;
use crate::open::state::recovery::Unkept;
use crate::shell::state::action::{Action, DocumentAction, EditAction};
use crate::shell::state::arriving::older_is_missing;
use crate::shell::state::notice::Notice;
use memplan_core::base::Message;

/// Runs what may fail, and notifies the user if it does.
pub fn attempt(send: Callback<Action>, work: impl Future<Output = Result<(), Unkept>> + 'static) {
    spawn_local(async move {
        if let Err(why) = work.await {
            send.emit(Action::Document(DocumentAction::NotKept(why)));
        }
    });
}

fn opening(kept: Kept, purpose: Purpose) -> Action {
    let Kept { file, bytes, choices } = kept;
    purpose.action(Origin::File(file), bytes, choices)
}

/// Takes a document that was opened before.
pub fn open_recent(name: String, purpose: Purpose, send: Callback<Action>) {
    let came = fetching(&purpose, send.clone());
    spawn_local(async move {
        let bytes = match Store::open().await {
            Ok(store) => store.document(&name).await,
            Err(why) => Err(why),
        };
        match bytes {
            Ok(kept) => came.emit(opening(kept, purpose)),
            Err(_) => {
                let title = Message::new("notice.not-read").text("name", name);
                came.emit(Action::Document(DocumentAction::NotFetched(Notice::of(title))));
                // Another tab may have let it go.
                list_recent(send);
            }
        }
    });
}

/// Lists the documents that are kept.
fn list_recent(send: Callback<Action>) {
    let sender = send.clone();
    attempt(send, async move {
        sender.emit(Action::Document(DocumentAction::Recents(Store::open().await?.recent().await?)));
        Ok(())
    });
}

/// Takes the file that a link names, if it was opened here before.
pub fn open_kept(file: String, purpose: Purpose, send: Callback<Action>) {
    let send = fetching(&purpose, send);
    spawn_local(async move {
        let found = match Store::open().await {
            Ok(store) => store.of_file(&file).await,
            Err(why) => Err(why),
        };
        send.emit(match (found, purpose) {
            (Ok(kept), purpose) => opening(kept, purpose),
            (Err(_), Purpose::Open(place)) => {
                Action::Document(DocumentAction::Awaits { file, place: place.unwrap_or_default() })
            }
            (Err(_), Purpose::Older) => older_is_missing(file),
        });
    });
}

pub fn forget_recent(name: String, send: Callback<Action>) {
    let sender = send.clone();
    attempt(send, async move {
        Store::open().await?.forget(&name).await?;
        list_recent(sender);
        Ok(())
    });
}

pub fn forget_all(send: Callback<Action>) {
    let sender = send.clone();
    attempt(send, async move {
        Store::open().await?.forget_all().await?;
        sender.emit(Action::Document(DocumentAction::Recents(Vec::new())));
        Ok(())
    });
}

/// A draft of before is not wanted.
pub fn discard(key: String, send: Callback<Action>) {
    send.emit(Action::Edit(EditAction::Discard(key.clone())));
    attempt(send, async move { Store::open().await?.drop_drafts(&[&key]).await });
}
