//! Address arithmetic.

/// 2^53 - 1: the largest integer a JavaScript number holds exactly. Every sum of sizes stays at or
/// below it, so no addition of sizes and addresses can overflow and no figure changes between page
/// and core.
pub const MAX_SAFE: u64 = (1 << 53) - 1;

/// `value` rounded up to a multiple of `align`, a power of two.
pub const fn align_up(value: u64, align: u64) -> u64 {
    debug_assert!(align.is_power_of_two());
    (value + (align - 1)) & !(align - 1)
}

/// Reads a plain decimal such as `12`, `1.5` or `.30`: no sign, no exponent, and at most
/// [`MAX_SAFE`].
pub fn decimal(text: &str) -> Option<f64> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    text.parse().ok().filter(|&value| is_plain && value <= MAX_SAFE as f64)
}

#[cfg(test)]
mod tests {
    use super::{align_up, decimal};

    #[test]
    fn decimals_are_what_the_standard_library_reads() {
        for text in ["0", "1", ".5", "1.", "0.30", "1.5", "12.25", "007.875", "9007199254740991", "0.123456789012345"] {
            assert_eq!(decimal(text), text.parse().ok(), "{text}");
        }
        let third = decimal("0.33333333333333333333333333").unwrap_or_default();
        assert!((third - 1.0 / 3.0).abs() < 1e-14);
        for text in ["", ".", "-1", "+1", "1e3", "1.2.3", "1 ", "inf", "99999999999999999999", "٣"] {
            assert_eq!(decimal(text), None, "{text}");
        }
    }

    #[test]
    fn rounds_up_to_the_next_multiple() {
        assert_eq!(align_up(0, 64), 0);
        assert_eq!(align_up(1, 64), 64);
        assert_eq!(align_up(64, 64), 64);
        assert_eq!(align_up(65, 64), 128);
        assert_eq!(align_up(65, 1), 65);
    }
}
