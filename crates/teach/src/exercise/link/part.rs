//! Parts of lists in links.

/// What a list between commas may not have in one of its parts.
pub fn part(text: &str) -> String {
    text.replace('%', "%25").replace(',', "%2C").replace(':', "%3A")
}
