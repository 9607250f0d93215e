use std::rc::Rc;

use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use crate::browser::download::save_bytes;
use crate::browser::inside::save_page;
use crate::open::state::document::Download;
use crate::shell::state::action::{Action, ViewAction};
use memplan_core::base::Message;

/// Saves each file that the worker wrote.
#[hook]
pub fn use_downloads(download: Option<Rc<Download>>, send: Callback<Action>) {
    use_effect_with(download, |download| {
        let Some(download) = download.clone() else { return };
        if download.page.is_none() {
            return save_bytes(&download.name, &download.contents);
        }
        spawn_local(async move {
            let Download { name, contents, page: Some(page), .. } = &*download else { return };
            let is_saved = save_page(name, contents, page).await;
            let words = Message::new(if is_saved { "toast.one-file" } else { "toast.no-one-file" });
            send.emit(Action::View(ViewAction::Toast(words)));
        });
    });
}
