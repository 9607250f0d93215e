//! Writes the theme and the language on the document element, where the style sheet and screen readers find them.

use gloo_events::EventListener;
use yew::prelude::*;

use crate::app::browser::dom::until_then;
use crate::app::browser::hooks::{use_effect_with, use_state_eq};
use crate::app::browser::media::system_is_dark;
use crate::app::model::look::Theme;
use crate::text::Locale;

/// Returns whether the page is dark at the moment.
#[hook]
pub fn use_theme(theme: Theme, locale: Locale, title: String) -> bool {
    let system = use_state_eq(system_is_dark);
    let set = system.setter();
    use_effect_with((), move |_| {
        let query =
            web_sys::window().and_then(|window| window.match_media("(prefers-color-scheme: dark)").ok().flatten());
        until_then(query.map(|query| EventListener::new(&query.clone(), "change", move |_| set.set(system_is_dark()))))
    });
    let dark = match theme {
        Theme::System => *system,
        Theme::Light => false,
        Theme::Dark => true,
    };
    use_effect_with((dark, locale, title), move |(dark, locale, title)| {
        let document = web_sys::window().and_then(|window| window.document());
        if let Some(document) = document {
            document.set_title(title);
            if let Some(root) = document.document_element() {
                // Attributes of an element of ours can always be set.
                let _ = root.set_attribute("data-theme", if *dark { "dark" } else { "light" });
                let _ = root.set_attribute("lang", locale.tag());
            }
        }
    });
    dark
}
