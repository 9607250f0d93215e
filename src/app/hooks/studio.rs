//! Fetches the studio, the program with every mode, when a mode is chosen that this one does not have.

use std::rc::Rc;

use js_sys::{Promise, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use yew::prelude::*;

use super::address_bar::write_address;
use crate::app::components::{end, is_here};
use crate::app::handover::Handover;
use crate::app::state::{Action, State};

#[wasm_bindgen(inline_js = "
let studio;
function load() {
  studio ??= import(new URL('./studio.js', document.baseURI)).then(async (module) => { await module.default(); return module; });
  studio.catch(() => { studio = undefined; });
  return studio;
}
export async function moveIn(leave) { await (await load()).resume(leave); }
")]
extern "C" {
    #[wasm_bindgen(js_name = moveIn)]
    fn move_in(leave: JsValue) -> Promise;
}

/// Has the studio take over; `leave` ends this program. False if it cannot be loaded.
pub async fn load_studio(leave: JsValue) -> bool {
    JsFuture::from(move_in(leave)).await.is_ok()
}

#[hook]
pub fn use_studio(state: Rc<State>, send: Callback<Action>) {
    let latest = use_mut_ref(|| state.clone());
    *latest.borrow_mut() = state.clone();
    use_effect_with(state.wants_studio(), move |wanted| {
        if !wanted {
            return;
        }
        let leave = Closure::once_into_js(move || {
            let state = latest.borrow().clone();
            // The user may have gone back meanwhile; and who asked twice has left already.
            if !state.wants_studio() || !is_here() {
                return JsValue::NULL;
            }
            let handover = Handover::of(&state);
            if handover.document.is_some() {
                write_address(&state);
            }
            end();
            // Plain values: writing them cannot fail.
            Uint8Array::from(postcard::to_stdvec(&handover).unwrap_or_default().as_slice()).into()
        });
        spawn_local(async move {
            if !load_studio(leave).await {
                send.emit(Action::NotLoaded);
            }
        });
    });
}
