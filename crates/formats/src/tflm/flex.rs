//! Whole numbers of a FlexBuffers map, which holds the options of custom operators.
//!
//! **From**: google/flatbuffers, `docs/source/flexbuffers.md`: the root lies at the end, with its
//! type and width behind it; offsets point back; a map has its sorted keys, the width of their
//! offsets and the number of values before the values, and a byte of type behind them for each.

const INT: u8 = 1;
const UINT: u8 = 2;
const FLOAT: u8 = 3;
const INDIRECT_INT: u8 = 6;
const INDIRECT_UINT: u8 = 7;
const INDIRECT_FLOAT: u8 = 8;
const MAP: u8 = 9;
const BOOL: u8 = 26;

/// Most values of a map, and most bytes of a key, that are looked at: far more than any operator's
/// options have.
const MOST: u64 = 64;
const LONGEST: usize = 64;

/// Returns the numbers with these keys, in their order; none if the bytes hold no map, or one of
/// the keys has no number.
pub fn whole_numbers(bytes: &[u8], keys: &[&str]) -> Option<Vec<i64>> {
    let map = Map::root(bytes)?;
    keys.iter().map(|key| map.number(key)).collect()
}

#[derive(Clone, Copy)]
struct Map<'a> {
    bytes: &'a [u8],
    /// Position of the first value.
    values: usize,
    /// Bytes of a value.
    width: usize,
    count: usize,
    /// Position of the first key, and bytes of an offset to one.
    keys: usize,
    key_width: usize,
}

impl<'a> Map<'a> {
    fn root(bytes: &'a [u8]) -> Option<Map<'a>> {
        let end = bytes.len().checked_sub(2)?;
        let (packed, root_width) = (bytes[end], usize::from(bytes[end + 1]));
        if packed >> 2 != MAP {
            return None;
        }
        let values = back(bytes, end.checked_sub(root_width)?, root_width)?;
        let width = 1 << (packed & 3);
        let count = unsigned(bytes, values.checked_sub(width)?, width)?;
        let key_width = unsigned(bytes, values.checked_sub(2 * width)?, width)?;
        let keys = back(bytes, values.checked_sub(3 * width)?, width)?;
        let (count, key_width) = (usize::try_from(count.min(MOST)).ok()?, usize::try_from(key_width).ok()?);
        Some(Map { bytes, values, width, count, keys, key_width })
    }

    fn number(&self, key: &str) -> Option<i64> {
        let at = (0..self.count).find(|at| self.key(*at) == Some(key.as_bytes()))?;
        let place = self.values + at * self.width;
        let packed = *self.bytes.get(self.values + self.count * self.width + at)?;
        let indirect = || Some((back(self.bytes, place, self.width)?, 1 << (packed & 3)));
        match packed >> 2 {
            INT => signed(self.bytes, place, self.width),
            UINT | BOOL => unsigned(self.bytes, place, self.width)?.try_into().ok(),
            FLOAT => float(self.bytes, place, self.width),
            INDIRECT_INT => indirect().and_then(|(place, width)| signed(self.bytes, place, width)),
            INDIRECT_UINT => indirect().and_then(|(place, width)| unsigned(self.bytes, place, width)?.try_into().ok()),
            INDIRECT_FLOAT => indirect().and_then(|(place, width)| float(self.bytes, place, width)),
            _ => None,
        }
    }

    fn key(&self, at: usize) -> Option<&'a [u8]> {
        let place = self.keys.checked_add(at.checked_mul(self.key_width)?)?;
        let rest = self.bytes.get(back(self.bytes, place, self.key_width)?..)?;
        rest[..rest.len().min(LONGEST)].split(|byte| *byte == 0).next()
    }
}

/// The place that an offset leads back to.
fn back(bytes: &[u8], place: usize, width: usize) -> Option<usize> {
    place.checked_sub(usize::try_from(unsigned(bytes, place, width)?).ok()?)
}

fn unsigned(bytes: &[u8], place: usize, width: usize) -> Option<u64> {
    let bytes = bytes.get(place..place.checked_add(width)?)?;
    matches!(width, 1 | 2 | 4 | 8).then(|| bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
}

fn signed(bytes: &[u8], place: usize, width: usize) -> Option<i64> {
    let unused = 64 - 8 * width as u32;
    unsigned(bytes, place, width).map(|number| (number << unused) as i64 >> unused)
}

fn float(bytes: &[u8], place: usize, width: usize) -> Option<i64> {
    let bits = unsigned(bytes, place, width)?;
    let number = match width {
        4 => f64::from(f32::from_bits(bits as u32)),
        8 => f64::from_bits(bits),
        _ => return None,
    };
    (number.fract() == 0.0 && number.abs() < 9e15).then_some(number as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `{"T": 7, "fft_length": 512, "scale": 2.0}` as Python's `flatbuffers.flexbuffers` writes it.
    const BYTES: &[u8] = include_bytes!("../../../../tests/data/tflite/options.flex");

    #[test]
    fn numbers_are_found_by_their_keys() {
        assert_eq!(whole_numbers(BYTES, &["fft_length", "T", "scale"]), Some(vec![512, 7, 2]));
        assert_eq!(whole_numbers(BYTES, &["fft_length", "t"]), None);
    }

    #[test]
    fn damaged_maps_hold_no_number_and_nothing_panics() {
        for at in 0..BYTES.len() {
            assert_eq!(whole_numbers(&BYTES[..at], &["fft_length"]), None);
            for byte in 0..=255 {
                let mut bytes = BYTES.to_vec();
                bytes[at] = byte;
                let _ = whole_numbers(&bytes, &["fft_length", "T", "scale"]);
            }
        }
    }
}
