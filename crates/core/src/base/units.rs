//! Bytes as people read them: every number has the binary unit that suits it, thin spaces, at which
//! no line breaks, between thousands. Below 10 KiB nothing is rounded, so that a small number reads
//! alike on an axis, in a sentence and in a table. This is the only place that chooses a unit:
//! page, command line, Markdown and pictures ask it.

use serde::{Deserialize, Serialize};

/// A binary unit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
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

/// Bytes below which no number is rounded.
pub const FEW: u64 = 10 << 10;

impl Unit {
    /// All units, the smallest first.
    pub const ALL: [Unit; 5] = [Unit::B, Unit::KiB, Unit::MiB, Unit::GiB, Unit::TiB];

    /// Returns the largest unit that the value fills once: `5 KiB`, `131 B`. A value that would be
    /// rounded to 1 024 of a unit is 1 of the next, and one below [`FEW`] that would be rounded is
    /// in bytes: `1 704 B`.
    pub fn of(bytes: u64) -> Unit {
        let units = || Unit::ALL.into_iter();
        if bytes < FEW && !bytes.is_multiple_of(Unit::KiB.bytes()) {
            return Unit::B;
        }
        let filled = units().rev().find(|unit| bytes >= unit.bytes()).unwrap_or(Unit::B);
        let larger = units().find(|unit| *unit > filled && filled.hundredths(bytes) >= 102_400);
        larger.unwrap_or(filled)
    }

    /// Returns bytes in one unit.
    pub const fn bytes(self) -> u64 {
        match self {
            Unit::B => 1,
            Unit::KiB => 1 << 10,
            Unit::MiB => 1 << 20,
            Unit::GiB => 1 << 30,
            Unit::TiB => 1 << 40,
        }
    }

    /// Returns the next smaller unit; bytes have none.
    pub fn finer(self) -> Option<Unit> {
        Unit::ALL.into_iter().rev().find(|unit| *unit < self)
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

    /// Hundredths of the unit as they are shown: whole for bytes, tenths from 10 units on.
    fn hundredths(self, bytes: u64) -> u128 {
        let (bytes, scale) = (bytes as u128, self.bytes() as u128);
        let coarse = if bytes >= 10 * scale { 10 } else { 1 };
        (bytes * 100 / coarse + scale / 2) / scale * coarse
    }

    /// Returns the figure alone, without trailing zeros: one decimal from 10 on, two below:
    /// `1 224`, `40.5`, `4.59`.
    pub fn figure(self, bytes: u64) -> String {
        decimal(self.hundredths(bytes))
    }

    /// Returns the figure of a number on an axis: two decimals below 1 000, none above, where an
    /// axis has no room for them.
    pub fn tick(self, bytes: u64) -> String {
        let (bytes, scale) = (bytes as u128, self.bytes() as u128);
        if bytes >= 1000 * scale {
            decimal((bytes + scale / 2) / scale * 100)
        } else {
            decimal((bytes * 100 + scale / 2) / scale)
        }
    }

    /// Returns figure and unit: `1 224 KiB`.
    pub fn words(self, bytes: u64) -> String {
        format!("{}\u{202f}{}", self.figure(bytes), self.name())
    }
}

/// How sizes and addresses are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Sizes {
    /// Every number in the unit that suits it: `10.1 MiB`.
    #[default]
    Readable,
    /// All bytes: `10 643 456 B`, for programs and for sentences that count single bytes.
    Exact,
    /// Every number in KiB, for sums of sizes that are whole KiB: `1 540 KiB`.
    InKib,
    /// Every number below [`FEW`] in bytes, larger ones in the unit that suits them: for documents
    /// of few bytes, beside which others may be listed.
    Few,
}

impl Sizes {
    /// Returns how the sizes, addresses and sums of some buffers are written: where all of them
    /// together are less than [`FEW`], every number is in bytes, so that a picture has one unit.
    pub fn of_all(sizes: impl IntoIterator<Item = u64>) -> Sizes {
        let add = |sum: u64, size: u64| sum.checked_add(size).filter(|&sum| sum < FEW);
        // Most documents are known to be larger after a buffer or two.
        if sizes.into_iter().try_fold(0, add).is_some() { Sizes::Few } else { Sizes::Readable }
    }

    /// Returns a size or an address: `5 KiB`.
    pub fn words(self, bytes: u64) -> String {
        self.unit(bytes).words(bytes)
    }

    /// Returns a range of addresses, `to` not included: `0–391 KiB`, `64 B–10.6 KiB`. A unit that
    /// both ends have is written once; ends that would read alike have a finer one. An empty range
    /// is its address.
    pub fn span(self, from: u64, to: u64) -> String {
        if from == to {
            return self.words(to);
        }
        let (mut low, mut high) = (self.unit(from), self.unit(to));
        if low == high && low.hundredths(from) == high.hundredths(to) {
            // At least one unit long, so the figures differ.
            low = self.unit(to.saturating_sub(from));
            high = low;
        }
        if from == 0 || low == high {
            format!("{}–{}", low.figure(from), high.words(to))
        } else {
            format!("{}–{}", low.words(from), high.words(to))
        }
    }

    /// Returns a unit for each of several numbers that stand together: those that differ never read
    /// alike.
    pub fn apart(self, values: &[u64]) -> Vec<Unit> {
        let mut units: Vec<Unit> = values.iter().map(|&bytes| self.unit(bytes)).collect();
        let alike = |units: &[Unit], index: usize| {
            let words = |index: usize| (units[index].hundredths(values[index]), units[index]);
            (0..values.len()).any(|other| values[other] != values[index] && words(other) == words(index))
        };
        loop {
            let coarse: Vec<usize> = (0..values.len()).filter(|&index| alike(&units, index)).collect();
            if coarse.is_empty() {
                return units;
            }
            // Numbers in bytes differ, so those that read alike have a finer unit.
            coarse.into_iter().for_each(|index| units[index] = units[index].finer().unwrap_or(Unit::B));
        }
    }

    /// Returns the unit in which a number is written.
    pub fn unit(self, bytes: u64) -> Unit {
        match self {
            Sizes::Readable => Unit::of(bytes),
            Sizes::Exact => Unit::B,
            Sizes::InKib => Unit::KiB,
            Sizes::Few if bytes < FEW => Unit::B,
            Sizes::Few => Unit::of(bytes),
        }
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

/// Hundredths as a decimal number without trailing zeros.
fn decimal(hundredths: u128) -> String {
    let mut text = exact((hundredths / 100) as u64);
    let rest = hundredths % 100;
    if rest > 0 {
        text.push_str(format!(".{rest:02}").trim_end_matches('0'));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(words: String) -> String {
        words.replace('\u{202f}', " ")
    }

    #[test]
    fn sums_of_whole_kib_are_not_rounded() {
        let words = |bytes: u64| plain(Sizes::InKib.words(bytes));
        assert_eq!([words(0), words(64 << 10), words(1540 << 10)], ["0 KiB", "64 KiB", "1 540 KiB"]);
        assert_eq!(plain(Sizes::InKib.span(64 << 10, 1540 << 10)), "64–1 540 KiB");
        assert_eq!(plain(Sizes::Readable.words(1540 << 10)), "1.5 MiB");
    }

    #[test]
    fn few_bytes_in_all_have_one_unit() {
        let sizes = |of: &[u64]| Sizes::of_all(of.iter().copied());
        assert_eq!([sizes(&[1000, 704]), sizes(&[1024, 4096]), sizes(&[])], [Sizes::Few; 3]);
        assert_eq!([sizes(&[5 << 10, 5 << 10]), sizes(&[u64::MAX, 1])], [Sizes::Readable; 2]);
        assert_eq!([2048, 256 << 20].map(|bytes| plain(Sizes::Few.words(bytes))), ["2 048 B", "256 MiB"]);
    }

    #[test]
    fn groups_thousands() {
        assert_eq!(exact(0), "0");
        assert_eq!(exact(999), "999");
        assert_eq!(exact(1_253_376), "1\u{202f}253\u{202f}376");
    }

    #[test]
    fn a_number_has_the_largest_unit_that_it_fills() {
        let words = |bytes| plain(Sizes::Readable.words(bytes));
        assert_eq!(words(105_099_264), "100.2 MiB");
        assert_eq!(words(5120), "5 KiB");
        assert_eq!(words(131), "131 B");
        assert_eq!(
            (words(0), words(1), words(1023), words(1024)),
            ("0 B".into(), "1 B".into(), "1 023 B".into(), "1 KiB".into())
        );
        assert_eq!((words(1856), words(1_253_376)), ("1 856 B".into(), "1.2 MiB".into()));
        assert_eq!(
            (words(10 << 10), words(10_239), words(10_300)),
            ("10 KiB".into(), "10 239 B".into(), "10.1 KiB".into())
        );
        assert_eq!(words(1_047_000), "1 022.5 KiB");
        assert_eq!(words((1 << 20) - 1), "1 MiB", "not 1 024 KiB");
        assert_eq!(words(1 << 53), "8 192 TiB");
        assert_eq!(words(u64::MAX), "16 777 216 TiB");
        assert_eq!(plain(Sizes::Exact.words(5120)), "5 120 B");
    }

    #[test]
    fn every_power_of_two_and_its_neighbours_read_as_at_least_one() {
        for power in 0..64 {
            for bytes in [(1u64 << power) - 1, 1 << power, (1 << power) + 1] {
                let words = Sizes::Readable.words(bytes);
                assert!(bytes == 0 || !words.starts_with('0'), "{bytes}: {words}");
                assert!(power == 50 || !words.starts_with("1\u{202f}024"), "{bytes}: {words}");
            }
        }
    }

    #[test]
    fn ends_of_a_range_never_read_alike() {
        let span = |from, to| plain(Sizes::Readable.span(from, to));
        assert_eq!(span(0, 3 << 20), "0–3 MiB");
        assert_eq!(span(0, 5), "0–5 B");
        assert_eq!(span(1 << 20, 3 << 20), "1–3 MiB");
        assert_eq!((span(64, 1088).as_str(), span(64, 10_880).as_str()), ("64–1 088 B", "64 B–10.6 KiB"));
        assert_eq!(span(4 << 20, (4 << 20) + 64), "4 194 304–4 194 368 B");
        assert_eq!(span(100 << 20, (100 << 20) + (20 << 10)), "102 400–102 420 KiB");
        assert_eq!(span(1024, 1024), "1 KiB");
        assert_eq!(plain(Sizes::Exact.span(1024, 2048)), "1 024–2 048 B");
    }

    #[test]
    fn numbers_that_stand_together_are_told_apart() {
        let near = [10_643_456, 10_643_457, 5];
        assert_eq!(Sizes::Readable.apart(&near), [Unit::B, Unit::B, Unit::B]);
        assert_eq!(Sizes::Readable.apart(&[9 << 20, 9 << 20]), [Unit::MiB, Unit::MiB]);
        assert_eq!(Sizes::Readable.apart(&[1 << 20, 1 << 10]), [Unit::MiB, Unit::KiB]);
    }

    #[test]
    fn figures_of_an_axis_keep_two_decimals() {
        assert_eq!(plain(Unit::KiB.tick(1224 * 1024)), "1 224");
        assert_eq!(Unit::MiB.tick(10 * (1 << 20) + (1 << 18)), "10.25");
        assert_eq!(plain(Unit::MiB.tick(1_966_151_680)), "1 875");
        assert_eq!(Unit::MiB.tick(1 << 19), "0.5");
    }
}
