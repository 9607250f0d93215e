//! What the user's programs are called.

use std::rc::Rc;

use memplan_engine::OWN_NAME;

/// Most letters of a name, without its ending.
pub(super) const LETTERS: usize = 40;

/// The ending of all names: they are those of files.
const ENDING: &str = ".rhai";

/// A name as programs have them: short, that of a file, and without signs of links; none if nothing
/// is left of it.
pub fn named(words: &str) -> Option<Rc<str>> {
    let words = words.trim();
    let at = words.len().saturating_sub(ENDING.len());
    let is_ending = words.is_char_boundary(at) && words[at..].eq_ignore_ascii_case(ENDING);
    let stem = if is_ending { &words[..at] } else { words };
    let is_kept = |letter: &char| !letter.is_control() && !"|;/\\<>\":*?".contains(*letter);
    let stem: String = stem.chars().filter(is_kept).take(LETTERS).collect();
    let stem = stem.trim();
    (!stem.is_empty()).then(|| format!("{stem}{ENDING}").into())
}

/// The same, or the name of programs that nobody named.
pub fn clean_name(words: &str) -> Rc<str> {
    named(words).unwrap_or_else(|| OWN_NAME.into())
}

/// Returns the wanted name if it is free, else the first one with a number that is.
pub fn free_name(wanted: Rc<str>, is_free: impl Fn(&str) -> bool) -> Rc<str> {
    let stem = wanted.strip_suffix(ENDING).unwrap_or(&wanted);
    // Copies of a copy are numbered on.
    let bare = stem.trim_end_matches(|letter: char| letter.is_ascii_digit()).trim_end_matches('_');
    let stem = if bare.is_empty() { stem } else { bare };
    let numbered = || {
        (2..).map(|number: u32| {
            let number = format!("_{number}");
            // It stays as it is wherever names are cleaned.
            let stem: String = stem.chars().take(LETTERS.saturating_sub(number.len())).collect();
            Rc::from(format!("{stem}{number}{ENDING}"))
        })
    };
    Some(wanted.clone())
        .filter(|name| is_free(name))
        .or_else(|| numbered().find(|name| is_free(name)))
        .unwrap_or(wanted)
}

/// Whether the letters of a text stand in some words, in this order.
pub fn is_in(text: &str, words: &str) -> bool {
    let words = words.to_lowercase();
    let mut letters = words.chars();
    text.trim().to_lowercase().chars().all(|wanted| letters.any(|letter| letter == wanted))
}
