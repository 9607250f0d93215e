//! Address arithmetic.

/// 2^53 - 1: the largest integer a JavaScript number holds exactly. Every sum of sizes stays at or below it,
/// so no addition of sizes and addresses can overflow and no figure changes between page and core.
pub const MAX_SAFE: u64 = (1 << 53) - 1;

/// `value` rounded up to a multiple of `align`, a power of two.
pub const fn align_up(value: u64, align: u64) -> u64 {
    debug_assert!(align.is_power_of_two());
    (value + (align - 1)) & !(align - 1)
}

#[cfg(test)]
mod tests {
    use super::align_up;

    #[test]
    fn rounds_up_to_the_next_multiple() {
        assert_eq!(align_up(0, 64), 0);
        assert_eq!(align_up(1, 64), 64);
        assert_eq!(align_up(64, 64), 64);
        assert_eq!(align_up(65, 64), 128);
        assert_eq!(align_up(65, 1), 65);
    }
}
