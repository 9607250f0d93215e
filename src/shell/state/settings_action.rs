//! What can happen to settings.

use crate::shell::state::columns::ColumnWidths;
use crate::shell::state::look::Theme;
use memplan_core::text::Locale;

/// What happens to settings.
#[derive(Clone, Debug)]
pub enum SettingsAction {
    /// Speak another language.
    Locale(Locale),
    /// Show another theme.
    Theme(Theme),
    /// Let single letters act, or not.
    SingleKeys(bool),
    /// Give a column of a table, by its place, another width in px, or the usual one.
    ColumnWidth(String, usize, Option<u32>),
    /// Widths of columns that were kept.
    Columns(ColumnWidths),
}
