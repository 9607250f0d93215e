//! How much a peak may rise.

use memplan_core::base::decimal;

/// The largest rise that passes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Limit {
    /// Percent of the old peak.
    Percent(f64),
    /// Bytes.
    Bytes(u64),
}

/// What may follow a number, and its bytes.
const UNITS: [(&str, u64); 11] = [
    ("kib", 1 << 10),
    ("mib", 1 << 20),
    ("gib", 1 << 30),
    ("kb", 1_000),
    ("mb", 1_000_000),
    ("gb", 1_000_000_000),
    ("k", 1 << 10),
    ("m", 1 << 20),
    ("g", 1 << 30),
    ("b", 1),
    ("", 1),
];

impl Limit {
    /// Reads `3%`, `64KiB`, `1.5M` (MiB), `64 kB` (64 000) or `4096`, in small or large letters;
    /// none for anything else.
    pub fn parse(text: &str) -> Option<Limit> {
        // Sizes are shown with narrow spaces between thousands, and may be copied so.
        let text: String = text.trim().chars().filter(|letter| *letter != '\u{202f}').collect();
        let text = between_digits(&text.to_ascii_lowercase());
        if let Some(percent) = text.strip_suffix('%') {
            return decimal(percent.trim()).filter(|percent| *percent >= 0.0).map(Limit::Percent);
        }
        let (number, unit) = UNITS.iter().find_map(|(name, bytes)| Some((text.strip_suffix(name)?.trim(), *bytes)))?;
        let bytes = decimal(number)? * unit as f64;
        (0.0..=memplan_core::base::MAX_SAFE as f64).contains(&bytes).then_some(Limit::Bytes(bytes as u64))
    }

    /// Whether a peak that was `old` and is `new` rose by more than this.
    pub fn is_passed(self, old: u64, new: u64) -> bool {
        let rise = new.saturating_sub(old);
        match self {
            Limit::Bytes(bytes) => rise > bytes,
            Limit::Percent(percent) => rise as f64 * 100.0 > percent * old as f64,
        }
    }
}

/// The text without the spaces that part thousands.
fn between_digits(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let is_digit = |at: usize| letters.get(at).is_some_and(char::is_ascii_digit);
    let parts = |at: usize| at > 0 && is_digit(at - 1) && (1..=3).all(|next| is_digit(at + next)) && !is_digit(at + 4);
    (0..letters.len()).filter(|&at| letters[at] != ' ' || !parts(at)).map(|at| letters[at]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_percent_or_bytes() {
        assert_eq!(Limit::parse("3%"), Some(Limit::Percent(3.0)));
        assert_eq!(Limit::parse("64KiB"), Some(Limit::Bytes(65_536)));
        assert_eq!(Limit::parse("1.5M"), Some(Limit::Bytes(1_572_864)));
        assert_eq!(Limit::parse("4096"), Some(Limit::Bytes(4096)));
        // A budget in thousands is never taken for a larger one.
        assert_eq!(["64 kB", "64KB", "64 kb"].map(Limit::parse), [Some(Limit::Bytes(64_000)); 3]);
        assert_eq!(["64 kib", "64k"].map(Limit::parse), [Some(Limit::Bytes(65_536)); 2]);
        assert_eq!(["65\u{202f}536", "65 536", "65 536 B"].map(Limit::parse), [Some(Limit::Bytes(65_536)); 3]);
        for wrong in ["", "%", "1 2", "-3%", "3 apples", "KiB", "1e400"] {
            assert_eq!(Limit::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_rise_of_the_limit_itself_passes() {
        assert!(!Limit::Percent(3.0).is_passed(100, 103) && Limit::Percent(3.0).is_passed(100, 104));
        assert!(!Limit::Bytes(4).is_passed(100, 104) && Limit::Bytes(4).is_passed(100, 105));
        assert!(!Limit::Bytes(0).is_passed(100, 50) && Limit::Percent(0.0).is_passed(0, 1));
    }
}
