//! Writes the theme and the language on the document element, where the style sheet and screen
//! readers find them.

use yew::prelude::*;

use crate::browser::dom::{root, set_title, until_then};
use crate::browser::media::{on_system_theme, system_is_dark};
use crate::shell::state::look::Theme;
use memplan_core::text::Locale;

/// Returns whether the page is dark at the moment.
#[hook]
pub fn use_theme(theme: Theme, locale: Locale, title: String) -> bool {
    let system = use_state_eq(system_is_dark);
    let set = system.setter();
    use_effect_with((), move |_| until_then(on_system_theme(move || set.set(system_is_dark()))));
    let dark = match theme {
        Theme::System => *system,
        Theme::Light => false,
        Theme::Dark => true,
    };
    use_effect_with((dark, locale, title), move |(dark, locale, title)| {
        set_title(title);
        if let Some(root) = root() {
            // Attributes of an element of ours can always be set.
            let _ = root.set_attribute("data-theme", if *dark { "dark" } else { "light" });
            let _ = root.set_attribute("lang", locale.tag());
        }
    });
    dark
}
