//! What the user chose for good.

use crate::embed::state::Embed;
use crate::shell::state::action::SettingsAction;
use crate::shell::state::columns::ColumnWidths;
use crate::shell::state::look::Theme;
use memplan_core::text::Locale;

/// What the user, or the page around this one, chose for good.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// The page is part of another one.
    pub embed: Option<Embed>,
    /// A page of another origin is around this one, or around the page around it.
    pub stranger: bool,
    /// The page is one HTML file with everything inside.
    pub one_file: bool,
    /// The language.
    pub locale: Locale,
    /// The colours.
    pub theme: Theme,
    /// Whether single letters act.
    pub single_keys: bool,
    /// Widths of columns.
    pub columns: ColumnWidths,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            embed: None,
            stranger: false,
            one_file: false,
            locale: Locale::En,
            theme: Theme::System,
            single_keys: true,
            columns: ColumnWidths::default(),
        }
    }
}

impl Settings {
    /// Returns true if the browser keeps anything between visits, and shows what it kept: not as a
    /// part of another page, whose visitors did not come for that. Nor as a file: all files share
    /// what the browser keeps for them.
    pub fn keeps(&self) -> bool {
        self.embed.is_none() && !self.stranger && !self.one_file
    }

    pub(crate) fn apply(&mut self, action: SettingsAction) {
        match action {
            SettingsAction::Locale(locale) => self.locale = locale,
            SettingsAction::Theme(theme) => self.theme = theme,
            SettingsAction::SingleKeys(on) => self.single_keys = on,
            SettingsAction::ColumnWidth(table, column, width) => self.columns.set(&table, column, width),
            SettingsAction::Columns(columns) => self.columns = columns,
        }
    }
}
