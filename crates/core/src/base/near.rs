//! The name that a misspelt one means.

use super::Message;

/// Most letters that are compared once the common beginning and end are left out.
const MAX_LETTERS: usize = 64;

/// Returns the known name that a misspelt one most likely means: the first of those with the fewest
/// edits, if these are at most a third of its letters. Case counts as no difference, nor do `-` and
/// `_`. Quadratic in the letters that differ.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = folded(name);
    let most = (wanted.len() / 3).max(1);
    let mut best: Option<(usize, &str)> = None;
    for other in known {
        let limit = best.map_or(most, |(edits, _)| edits.saturating_sub(1));
        if other == name || other.len() > 4 * (wanted.len() + limit) {
            continue;
        }
        if let Some(edits) = edits(&wanted, &folded(other), limit)
            && best.is_none_or(|(least, _)| edits < least)
        {
            best = Some((edits, other));
        }
    }
    // A name of which no letter stays is no misspelling of it.
    best.filter(|(edits, other)| *edits < wanted.len().max(other.chars().count())).map(|(_, other)| other)
}

/// Returns a refusal with the known name that a misspelt one is nearest to, if there is one.
pub fn suggest<'a>(refusal: Message, name: &str, known: impl IntoIterator<Item = &'a str>) -> Message {
    match nearest(name, known) {
        Some(near) => Message::new("fault.did-you-mean").inner("reason", refusal).text("name", near),
        None => refusal,
    }
}

fn folded(name: &str) -> Vec<char> {
    name.chars().map(|letter| if letter == '_' { '-' } else { letter.to_ascii_lowercase() }).collect()
}

/// Returns the letters inserted, left out, replaced or exchanged with their neighbour; none if they
/// are more than `most`.
fn edits(a: &[char], b: &[char], most: usize) -> Option<usize> {
    // Names of tensors are long and begin alike.
    let start = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[start..], &b[start..]);
    let end = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[..a.len() - end], &b[..b.len() - end]);
    if a.len().abs_diff(b.len()) > most || a.len().max(b.len()) > MAX_LETTERS {
        return None;
    }
    let text = |letters: &[char]| letters.iter().collect::<String>();
    Some(strsim::osa_distance(&text(a), &text(b))).filter(|edits| *edits <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_that_was_meant_is_found() {
        let known = ["first-fit", "best-fit", "best", "worst-fit", "batch", "s0"];
        let near = |name: &str| nearest(name, known);
        assert_eq!(near("frist-fit"), Some("first-fit"), "two letters exchanged");
        assert_eq!(near("First_Fit"), Some("first-fit"), "other case and another dash");
        assert_eq!(near("bestfit"), Some("best-fit"));
        assert_eq!(near("wrst-fit"), Some("worst-fit"));
        assert_eq!(near("bacth"), Some("batch"));
        assert_eq!((near("s9"), near("other"), near("x"), near("")), (Some("s0"), None, None, None));
        assert_eq!((nearest("a", []), nearest("hh", ["h"]), nearest("h", ["x"])), (None, Some("h"), None));
    }

    #[test]
    fn long_names_that_share_their_ends_are_compared() {
        let common = "block.".repeat(500);
        let (wanted, known) = (format!("{common}out"), format!("{common}ouz"));
        assert_eq!(nearest(&wanted, [&*known]), Some(&*known));
        let other = "x".repeat(3000);
        assert_eq!(nearest(&wanted, [&*other]), None);
    }
}
