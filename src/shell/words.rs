//! The words of the page: one file for each language, fetched when it is spoken first.

use wasm_bindgen_futures::spawn_local;

use crate::browser::files::fetch;
use crate::browser::location::{browser_language, fragment};
use crate::shell::state::action::{Action, DocumentAction, SettingsAction, ViewAction};
use crate::shell::state::address;
use memplan_core::base::Message;
use memplan_core::text::Locale;
use memplan_worker::beside;

/// Fetches the words of a language unless they are known; whether they are now.
pub async fn learn(locale: Locale) -> bool {
    if locale.is_known() {
        return true;
    }
    let file = fetch(&beside(&locale.file())).await;
    file.is_ok_and(|bytes| std::str::from_utf8(&bytes).is_ok_and(|text| locale.learn(text)))
}

/// The language of the link, else of the browser.
pub fn first_language() -> Locale {
    address::read(&fragment()).restored.locale.unwrap_or_else(browser_language)
}

/// The action as it can be done now: a change to a language whose words are still to come is sent
/// when they are there.
pub fn once_understood(action: Action, send: impl Fn(Action) + 'static) -> Option<Action> {
    let (now, later) = match action {
        Action::Settings(SettingsAction::Locale(locale)) if !locale.is_known() => (None, locale),
        Action::Document(DocumentAction::Restore(mut restored))
            if restored.locale.is_some_and(|locale| !locale.is_known()) =>
        {
            let locale = restored.locale.take()?;
            (Some(Action::Document(DocumentAction::Restore(restored))), locale)
        }
        other => return Some(other),
    };
    spawn_local(async move {
        send(if learn(later).await {
            Action::Settings(SettingsAction::Locale(later))
        } else {
            Action::View(ViewAction::Toast(Message::new("toast.no-words").text("language", later.own_name())))
        });
    });
    now
}
