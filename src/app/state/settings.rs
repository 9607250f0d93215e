//! What the user chose for good.

use crate::app::model::embed::Embed;
use crate::app::model::look::Theme;
use crate::app::state::action::SettingsAction;
use crate::text::Locale;

/// What the user, or the page around this one, chose for good.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// The page is part of another one.
    pub embed: Option<Embed>,
    /// The language.
    pub locale: Locale,
    /// The colours.
    pub theme: Theme,
    /// Whether single letters act.
    pub single_keys: bool,
    /// Whether the line that says how to begin is there.
    pub hint: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { embed: None, locale: Locale::En, theme: Theme::System, single_keys: true, hint: true }
    }
}

impl Settings {
    pub(super) fn apply(&mut self, action: SettingsAction) {
        match action {
            SettingsAction::Locale(locale) => self.locale = locale,
            SettingsAction::Theme(theme) => self.theme = theme,
            SettingsAction::SingleKeys(on) => self.single_keys = on,
            SettingsAction::DismissHint => self.hint = false,
        }
    }
}
