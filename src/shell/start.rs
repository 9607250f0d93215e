//! The beginning of the page.

use wasm_bindgen_futures::spawn_local;

use crate::browser::dom::by_id;
use crate::shell::root::Root;
use crate::shell::words::{first_language, learn};
use gloo_timers::callback::Timeout;

/// Draws the page into the document, once its words are there.
pub fn start() {
    spawn_local(async {
        if learn(first_language()).await {
            // A task of its own: reading the words took one.
            Timeout::new(0, || {
                yew::Renderer::<Root>::new().render();
            })
            .forget();
        } else if let Some(notice) = by_id("no-words") {
            // Shown by the document itself, in both languages. The program has started, though.
            by_id("no-program").iter().for_each(|late| late.remove());
            let _ = notice.remove_attribute("hidden");
        }
    });
}
