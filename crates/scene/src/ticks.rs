//! Where numbers stand on the axes.

use super::geometry::Rect;
use super::label;
use memplan_core::base::{FEW, Sizes, Unit};

/// Bytes that are short enough to be written without a larger unit.
const SHORT: u64 = 100_000;

/// The smallest of 1, 2, 5, 10, 20, … steps that are at least `apart` px apart.
pub fn step_pitch(per_step: f64, apart: f64) -> u32 {
    let mut decade = 1u32;
    loop {
        for factor in [1, 2, 5] {
            let pitch = factor * decade;
            if pitch as f64 * per_step >= apart || pitch >= 500_000_000 {
                return pitch;
            }
        }
        decade *= 10;
    }
}

/// Multiples of `pitch` within `from..=to`.
pub fn multiples(pitch: u32, from: u32, to: u32) -> impl Iterator<Item = u32> {
    let first = from.div_ceil(pitch) as u64 * pitch as u64;
    (first..=to as u64).step_by(pitch as usize).map(|step| step as u32)
}

/// The smallest power of two of bytes that is at least `apart` px high: all memory is cut in powers
/// of two.
pub fn byte_pitch(per_byte: f64, apart: f64) -> u64 {
    (0..63).map(|power| 1u64 << power).find(|&pitch| pitch as f64 * per_byte >= apart).unwrap_or(1 << 62)
}

/// Returns the one unit of an axis up to `largest`: the one that suits its end, or a smaller one
/// far inside, where the figures of multiples of `pitch` would read alike.
fn tick_unit(pitch: u64, largest: u64) -> Unit {
    // Figures have two decimals, from a thousand on none.
    let is_exact = |unit: Unit| {
        let parts = if largest / unit.bytes() >= 1000 { 1 } else { 4 };
        pitch.saturating_mul(parts) >= unit.bytes()
    };
    let mut fine = Unit::ALL.into_iter().rev().filter(|unit| *unit <= Unit::of(largest));
    fine.find(|&unit| is_exact(unit)).unwrap_or(Unit::B)
}

/// Unit of the numbers beside an axis with ticks every `pitch` bytes: that of all words where they
/// have one, if numbers in it are short enough.
pub fn axis_unit(sizes: Sizes, pitch: u64, largest: u64) -> Unit {
    match sizes {
        Sizes::Exact if largest < SHORT => Unit::B,
        Sizes::Few if largest < FEW => Unit::B,
        Sizes::InKib => Unit::KiB,
        _ => tick_unit(pitch, largest),
    }
}

/// The figure of an address that fits `room`: whole, without decimals, or without its leading
/// digits. The top of a pool that is small beside the axis has a unit of its own.
pub fn tick_figure(unit: Unit, address: u64, room: f64, size: f64, bold: bool) -> String {
    let scale = unit.bytes();
    if address > 0 && address < scale / 4 {
        return size_words(address, room, size);
    }
    let whole = address.saturating_add(scale / 2) / scale * scale;
    let figure = unit.tick(address);
    let fits = |words: &String| label::width(words, size, bold) <= room;
    let tail = |from: usize| std::iter::once('…').chain(figure.chars().skip(from)).collect::<String>();
    let tails = (1..figure.chars().count()).map(tail);
    [figure.clone(), unit.tick(whole)].into_iter().chain(tails).find(fits).unwrap_or_default()
}

/// The figure of the end of a pool: as sentences have it, with its unit where that is not the unit
/// of the axis; one that does not fit `room` is cut as other figures are.
pub fn end_figure(sizes: Sizes, unit: Unit, address: u64, room: f64, size: f64) -> String {
    let own = sizes.unit(address);
    let words = if own == unit || address == 0 { unit.figure(address) } else { own.words(address) };
    if label::width(&words, size, true) <= room { words } else { tick_figure(unit, address, room, size, true) }
}

/// A size with its unit that fits `room`: as everywhere, or as a whole number of units.
pub fn size_words(bytes: u64, room: f64, size: f64) -> String {
    let largest = Unit::ALL.into_iter().rev().find(|unit| bytes >= unit.bytes()).unwrap_or(Unit::B);
    let whole = |unit: Unit| (bytes.saturating_add(unit.bytes() / 2) / unit.bytes()).saturating_mul(unit.bytes());
    let own = Unit::of(bytes);
    let fits = |words: &String| label::width(words, size, true) <= room;
    let ways = [own.words(bytes), own.words(whole(own)), largest.words(whole(largest))];
    ways.into_iter().find(fits).unwrap_or_default()
}

/// Whether a number at `y` would touch one of those already set.
pub fn is_free(taken: &[Rect], rect: &Rect) -> bool {
    !taken.iter().any(|other| other.meets(rect))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_thin_out() {
        assert_eq!(step_pitch(80.0, 34.0), 1);
        assert_eq!(step_pitch(13.3, 34.0), 5);
        assert_eq!(step_pitch(0.005, 34.0), 10_000);
        assert_eq!(step_pitch(0.0, 34.0), 500_000_000);
        assert_eq!(multiples(5, 3, 15).collect::<Vec<_>>(), [5, 10, 15]);
        assert_eq!(multiples(1, 0, 0).collect::<Vec<_>>(), [0]);
    }

    #[test]
    fn bytes_stand_at_powers_of_two() {
        assert_eq!(byte_pitch(0.31, 64.0), 256);
        assert_eq!(byte_pitch(64.0, 64.0), 1);
        assert_eq!(byte_pitch(1e-13, 64.0), 1 << 50);
    }

    #[test]
    fn figures_stay_exact_far_inside() {
        assert_eq!(tick_unit(1 << 20, 1 << 26), Unit::MiB);
        assert_eq!(tick_unit(1 << 18, 1 << 26), Unit::MiB);
        assert_eq!(tick_unit(1 << 17, 1 << 26), Unit::KiB);
        assert_eq!(tick_unit(1 << 18, (1 << 30) - 1), Unit::KiB);
        assert_eq!(tick_unit(1 << 18, 1 << 30), Unit::KiB);
        assert_eq!(tick_unit(64, 1 << 26), Unit::B);
    }

    #[test]
    fn the_end_of_a_pool_reads_as_in_sentences() {
        let figure = |bytes, room| end_figure(Sizes::Readable, Unit::KiB, bytes, room, 10.0);
        assert_eq!((figure(1000, 60.0).as_str(), figure(12_345, 60.0).as_str()), ("1\u{202f}000\u{202f}B", "12.1"));
        assert_eq!(figure(1000, 26.0), "0.98", "no room for its unit");
        assert_eq!(end_figure(Sizes::Exact, Unit::B, 1704, 60.0, 10.0), "1\u{202f}704");
    }

    #[test]
    fn figures_fit_the_axis() {
        let figure = |room| tick_figure(Unit::B, 1_253_376, room, 10.0, false);
        assert_eq!(figure(60.0), "1\u{202f}253\u{202f}376");
        assert_eq!(figure(46.0), "…53\u{202f}376");
        assert_eq!(figure(2.0), "");
        let figure = |room| tick_figure(Unit::MiB, 106_430_464, room, 10.0, false);
        assert_eq!(figure(40.0), "101.5");
        assert_eq!(figure(20.0), "102");
        // A pool of 4 000 B beside one of 100 MiB.
        let small = |room| tick_figure(Unit::MiB, 4000, room, 10.0, true);
        assert_eq!((small(60.0).as_str(), small(35.0).as_str()), ("4\u{202f}000\u{202f}B", "4\u{202f}KiB"));
    }
}
