//! Bytes as people read them: binary units, thin spaces, at which no line breaks, between thousands.

use serde::{Deserialize, Serialize};

/// A binary unit. One is chosen per document so that axis, tables and words agree.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum Unit {
    /// 1 byte.
    #[default]
    B,
    /// 2^10 bytes.
    KiB,
    /// 2^20 bytes.
    MiB,
    /// 2^30 bytes.
    GiB,
    /// 2^40 bytes.
    TiB,
}

impl Unit {
    /// The unit in which the largest figure of a document stays readable: at least two units' worth, so that
    /// 1 856 B is not shown as 1.81 KiB.
    pub fn for_largest(bytes: u64) -> Unit {
        let mut unit = Unit::B;
        for next in [Unit::KiB, Unit::MiB, Unit::GiB, Unit::TiB] {
            if bytes >= 4 * next.bytes() {
                unit = next;
            }
        }
        unit
    }

    /// Bytes in one unit.
    pub const fn bytes(self) -> u64 {
        match self {
            Unit::B => 1,
            Unit::KiB => 1 << 10,
            Unit::MiB => 1 << 20,
            Unit::GiB => 1 << 30,
            Unit::TiB => 1 << 40,
        }
    }

    /// The unit for one value in a sentence: this one, or the largest smaller one that the value fills once, where it is
    /// less than a hundredth of this one and would read as `0.0000038 MiB`.
    pub fn for_value(self, bytes: u64) -> Unit {
        if bytes == 0 || bytes >= self.bytes() / 100 {
            return self;
        }
        let smaller = [Unit::GiB, Unit::MiB, Unit::KiB].into_iter().find(|unit| bytes >= unit.bytes());
        smaller.unwrap_or(Unit::B)
    }

    /// The symbol that follows a figure, such as `KiB`; the same in every language.
    pub const fn name(self) -> &'static str {
        match self {
            Unit::B => "B",
            Unit::KiB => "KiB",
            Unit::MiB => "MiB",
            Unit::GiB => "GiB",
            Unit::TiB => "TiB",
        }
    }

    /// The figure alone, no trailing zeros: two decimals, or two digits for what would read as nothing with two
    /// decimals: `1 224`, `4.59`, `0.0038`.
    pub fn figure(self, bytes: u64) -> String {
        let scale = self.bytes() as u128;
        if (bytes as u128).is_multiple_of(scale) {
            return exact(bytes / scale as u64);
        }
        // Beyond a thousand the axis has no room for parts of a unit.
        let mut decimals = if bytes as u128 >= 1000 * scale { 0 } else { 2 };
        while decimals < 13 && (bytes as u128 * 10u128.pow(decimals)) < 10 * scale && bytes as u128 * 100 < scale {
            decimals += 1;
        }
        let parts = 10u128.pow(decimals);
        let rounded = (bytes as u128 * parts + scale / 2) / scale;
        let mut text = exact((rounded / parts) as u64);
        let rest = rounded % parts;
        if rest > 0 {
            let digits = format!(".{rest:0width$}", width = decimals as usize);
            text.push_str(digits.trim_end_matches('0'));
        }
        text
    }

    /// Figure and unit: `1 224 KiB`.
    pub fn words(self, bytes: u64) -> String {
        format!("{}\u{202f}{}", self.figure(bytes), self.name())
    }
}

/// All digits, thin spaces at which no line breaks between thousands: `1 253 376`.
pub fn exact(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3 * 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_thousands() {
        assert_eq!(exact(0), "0");
        assert_eq!(exact(999), "999");
        assert_eq!(exact(1_253_376), "1\u{202f}253\u{202f}376");
    }

    #[test]
    fn unit_follows_the_largest_figure() {
        assert_eq!(Unit::for_largest(1856), Unit::B);
        assert_eq!(Unit::for_largest(1_253_376), Unit::KiB);
        assert_eq!(Unit::for_largest(6_422_528), Unit::MiB);
        assert_eq!(Unit::for_largest(0), Unit::B);
    }

    #[test]
    fn small_values_leave_the_unit_of_the_document() {
        assert_eq!(Unit::MiB.for_value(4), Unit::B);
        assert_eq!(Unit::MiB.for_value(4000), Unit::KiB);
        assert_eq!(Unit::MiB.for_value(10_486), Unit::MiB, "0.01 MiB");
        assert_eq!(Unit::GiB.for_value(5 << 20), Unit::MiB);
        assert_eq!(Unit::KiB.for_value(9), Unit::B);
        assert_eq!(Unit::KiB.for_value(100), Unit::KiB);
        assert_eq!(Unit::TiB.for_value(0), Unit::TiB);
        assert_eq!(Unit::B.for_value(1), Unit::B);
    }

    #[test]
    fn figures_keep_two_decimals_or_two_digits() {
        assert_eq!(Unit::KiB.figure(1224 * 1024), "1\u{202f}224");
        assert_eq!(Unit::MiB.figure(6_422_528), "6.13");
        assert_eq!(Unit::MiB.figure(4000), "0.0038");
        assert_eq!(Unit::MiB.figure(1_966_151_680), "1\u{202f}875");
        assert_eq!(Unit::GiB.figure(1), "0.00000000093");
        assert_eq!(Unit::MiB.figure(1 << 19), "0.5");
    }
}
