//! What the browser remembers of a visitor.

/// Ends the word before an address whose programs are the visitor's own.
const OURS: &str = "-ours";

/// What is kept between visits.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Visit {
    /// Whether the state panel is folded.
    pub folded: bool,
    /// Whether the programs in that address are the visitor's own, or were agreed to.
    pub ours: bool,
    /// The fragment of the address at the end of the visit.
    pub address: String,
}

impl Visit {
    /// Returns the form in which it is kept.
    pub fn text(&self) -> String {
        let ours = if self.ours { OURS } else { "" };
        format!("{}{ours} {}", if self.folded { "folded" } else { "open" }, self.address)
    }

    /// Reads that form; none for any other text.
    pub fn read(text: &str) -> Option<Visit> {
        let (fold, address) = text.split_once(' ')?;
        let bare = fold.strip_suffix(OURS);
        let folded = match bare.unwrap_or(fold) {
            "folded" => true,
            "open" => false,
            _ => return None,
        };
        Some(Visit { folded, ours: bare.is_some(), address: address.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_read_again() {
        for (folded, ours) in [(true, true), (true, false), (false, true), (false, false)] {
            let visit = Visit { folded, ours, address: "doc=ex:teaching&f=3&sel=a b".into() };
            assert_eq!(Visit::read(&visit.text()), Some(visit));
        }
        let before = Visit { folded: true, ours: false, address: "doc=ex:teaching".into() };
        assert_eq!(Visit::read("folded doc=ex:teaching"), Some(before));
        assert_eq!(Visit::read(""), None);
        assert_eq!(Visit::read("closed doc=ex:teaching"), None);
    }
}
