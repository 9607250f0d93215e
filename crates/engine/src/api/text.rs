//! Messages as plain text for programs.

use memplan_core::base::{Message, Sizes};
use memplan_core::text::{Locale, Speech};

/// Returns the sentence of a message with sizes in bytes. Thin spaces are left out of figures, so
/// that figures can be searched for, and become plain spaces elsewhere.
pub fn say(message: &Message, locale: Locale) -> String {
    let sentence = Speech { locale, sizes: Sizes::Exact }.say(message);
    let mut text = String::with_capacity(sentence.len());
    let mut characters = sentence.chars().peekable();
    while let Some(character) = characters.next() {
        let in_figure = text.ends_with(|last: char| last.is_ascii_digit())
            && characters.peek().is_some_and(|next| next.is_ascii_digit());
        match character {
            '\u{202f}' if in_figure => {}
            '\u{202f}' => text.push(' '),
            other => text.push(other),
        }
    }
    text
}
