//! The graph goes into a file of the user's.

use std::rc::Rc;

use js_sys::{Array, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, BlobPropertyBag, HtmlAnchorElement, Url};
use yew::prelude::*;

use crate::app::state::{Action, State};
use crate::base::Message;
use crate::import::Format;

/// Saves once what is asked for is planned and written.
#[hook]
pub fn use_saving(state: Rc<State>, send: Callback<Action>) {
    use_effect_with((state.saving, state.job.is_some()), move |&(saving, busy)| {
        if !saving || busy {
            return;
        }
        let faulty = state.is_faulty();
        let document = state.document.clone().filter(|document| document.format == Format::MemoryGraph && !faulty);
        let Some(document) = document else { return send.emit(Action::NotSaved(Message::new("toast.not-saved"))) };
        let stem = document.name.trim_end_matches(".json");
        match download(&format!("{stem}.json"), &document.bytes, "application/json") {
            Ok(()) => send.emit(Action::Saved),
            Err(_) => send.emit(Action::NotSaved(Message::new("toast.no-download"))),
        }
    });
}

/// Hands a file to the browser, as a press on a link to it would.
fn download(name: &str, bytes: &[u8], kind: &str) -> Result<(), JsValue> {
    let options = BlobPropertyBag::new();
    options.set_type(kind);
    let parts = Array::of1(&Uint8Array::from(bytes));
    let url = Url::create_object_url_with_blob(&Blob::new_with_u8_array_sequence_and_options(&parts, &options)?)?;
    let document = web_sys::window().and_then(|window| window.document()).ok_or(JsValue::NULL)?;
    let link: HtmlAnchorElement = document.create_element("a")?.dyn_into()?;
    link.set_href(&url);
    link.set_download(name);
    link.click();
    // The browser has taken the file when the call is back.
    Url::revoke_object_url(&url)
}
