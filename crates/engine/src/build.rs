//! Which sources a program was compiled of.

/// A number that programs of the same sources share, small enough for JavaScript. `build.rs`
/// computes it.
pub const BUILD: u64 = decimal(env!("MEMPLAN_BUILD").as_bytes());

const fn decimal(digits: &[u8]) -> u64 {
    let (mut number, mut at) = (0, 0);
    while at < digits.len() {
        number = number * 10 + (digits[at] - b'0') as u64;
        at += 1;
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;
    use memplan_core::base::MAX_SAFE;

    #[test]
    fn the_number_is_that_of_the_environment_and_safe_in_javascript() {
        let number: u64 = env!("MEMPLAN_BUILD").parse().expect("a number");
        assert_eq!(BUILD, number);
        assert!(number <= MAX_SAFE);
    }
}
