//! Sections of a document that a program writes, between `<!-- begin: NAME -->` and
//! `<!-- end: NAME -->`.

use std::ops::Range;

/// Returns the document with `text` as its section.
///
/// # Panics
/// If the document lacks one of the two marks.
pub fn with_section(document: &str, name: &str, text: &str) -> String {
    let Range { start, end } = span(document, name);
    format!("{}{text}{}", &document[..start], &document[end..])
}

/// Returns where the text of the section stands.
///
/// # Panics
/// If the document lacks one of the two marks.
pub fn span(document: &str, name: &str) -> Range<usize> {
    let (begin, end) = (format!("<!-- begin: {name} -->\n"), format!("<!-- end: {name} -->\n"));
    let start = document.find(&begin).unwrap_or_else(|| panic!("no {begin}")) + begin.len();
    let length = document[start..].find(&end).unwrap_or_else(|| panic!("no {end}"));
    start..start + length
}
