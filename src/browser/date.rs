//! Times in words.

use js_sys::{Date, Object, Reflect};

use memplan_core::text::Locale;

/// Day and minute as the language writes them; nothing natively.
pub fn day(locale: Locale, time: f64) -> String {
    if cfg!(not(target_arch = "wasm32")) {
        return String::new();
    }
    let options = Object::new();
    for (part, form) in [("month", "short"), ("day", "numeric"), ("hour", "2-digit"), ("minute", "2-digit")] {
        // A property of an object of ours can always be set.
        let _ = Reflect::set(&options, &part.into(), &form.into());
    }
    Date::new(&time.into()).to_locale_string(locale.tag(), &options).into()
}
