//! What the browser remembers of a visitor.

/// What is kept between visits.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Visit {
    /// Whether the state panel is folded.
    pub folded: bool,
    /// The fragment of the address at the end of the visit.
    pub address: String,
}

impl Visit {
    /// Returns the form in which it is kept.
    pub fn text(&self) -> String {
        format!("{} {}", if self.folded { "folded" } else { "open" }, self.address)
    }

    /// Reads that form; none for any other text.
    pub fn read(text: &str) -> Option<Visit> {
        let (fold, address) = text.split_once(' ')?;
        let folded = match fold {
            "folded" => true,
            "open" => false,
            _ => return None,
        };
        Some(Visit { folded, address: address.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_read_again() {
        for folded in [true, false] {
            let visit = Visit { folded, address: "doc=ex:teaching&f=3&sel=a b".into() };
            assert_eq!(Visit::read(&visit.text()), Some(visit));
        }
        assert_eq!(Visit::read(""), None);
        assert_eq!(Visit::read("closed doc=ex:teaching"), None);
    }
}
