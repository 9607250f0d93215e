//! Bytes as letters that people can read out and type: Crockford's base32 (digits and capitals
//! without I, L, O and U). Small letters, O for 0 and I or L for 1 are read as well.

const LETTERS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// Writes bytes, the first bits first; the last letter is filled up with zeros.
pub fn write(bytes: &[u8]) -> String {
    let bit = |at: usize| bytes.get(at / 8).map_or(0, |byte| byte >> (7 - at % 8) & 1);
    let letter = |index: usize| (0..5).fold(0, |value, at| value << 1 | bit(index * 5 + at));
    (0..(bytes.len() * 8).div_ceil(5)).map(|index| char::from(LETTERS[usize::from(letter(index))])).collect()
}

/// The value of a letter.
pub fn value(letter: char) -> Option<u8> {
    let plain = match letter.to_ascii_uppercase() {
        'O' => '0',
        'I' | 'L' => '1',
        other => other,
    };
    LETTERS.iter().position(|&known| char::from(known) == plain).map(|value| value as u8)
}

/// Whether a letter only divides others: a hyphen, a dash or a blank of any kind.
pub fn is_mark(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, '-' | '‐'..='—' | '−' | '－')
}

/// Reads values of letters back to bytes; none if bits that fill the last letter are not zero.
pub fn bytes(values: &[u8]) -> Option<Vec<u8>> {
    let bit = |at: usize| values[at / 5] >> (4 - at % 5) & 1;
    let whole = values.len() * 5 / 8;
    let byte = |index: usize| (0..8).fold(0, |value, at| value << 1 | bit(index * 8 + at));
    let is_filled = (whole * 8..values.len() * 5).all(|at| bit(at) == 0);
    is_filled.then(|| (0..whole).map(byte).collect())
}

/// CRC with 8 bits, polynomial x^8 + x^2 + x + 1, from 0. It finds every change within 8
/// neighbouring bits, and so every single letter that is another.
pub fn crc8(bytes: &[u8]) -> u8 {
    bytes.iter().fold(0, |crc, byte| {
        (0..8).fold(crc ^ byte, |crc: u8, _| if crc & 0x80 == 0 { crc << 1 } else { crc << 1 ^ 0x07 })
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn letters_are_those_of_crockford() {
        assert_eq!(write(&[0xff, 0x00]), "ZW00");
        assert_eq!("oOiIlLaA".chars().map(value).collect::<Vec<_>>(), [0, 0, 1, 1, 1, 1, 10, 10].map(Some));
        assert_eq!(['U', 'u', '-', 'é'].map(value), [None; 4]);
        // The check value of this CRC in catalogues.
        assert_eq!(crc8(b"123456789"), 0xf4);
    }

    proptest! {
        #[test]
        fn bytes_come_back(given in prop::collection::vec(any::<u8>(), 0..40)) {
            let values: Vec<u8> = write(&given).chars().filter_map(value).collect();
            prop_assert_eq!(bytes(&values), Some(given));
        }
    }
}
