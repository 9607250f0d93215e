//! Numbers that look random and are the same for the same seed on every machine, in every language
//! and in every version.
//!
//! **From**: SplitMix64 (Steele, Lea, Flood: *Fast splittable pseudorandom number generators*,
//! OOPSLA 2014). The state is one `u64`; a number is made from it in a few lines, so anybody can
//! write it again:
//!
//! ```text
//! state = state + 0x9e3779b97f4a7c15                      (all sums and products modulo 2^64)
//! z = (state xor (state >> 30)) * 0xbf58476d1ce4e5b9
//! z = (z xor (z >> 27)) * 0x94d049bb133111eb
//! number = z xor (z >> 31)
//! ```

use std::ops::RangeInclusive;

/// A generator of numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dice {
    state: u64,
}

impl Dice {
    /// A generator that begins at a seed.
    pub fn new(seed: u64) -> Dice {
        Dice { state: seed }
    }

    /// A generator for a seed and what it is wanted for: each part is added to the state, and one
    /// number is made and becomes the next state. Other parts give other numbers.
    pub fn of(seed: u64, parts: &[u64]) -> Dice {
        parts.iter().fold(Dice::new(seed), |dice, &part| {
            let mut mixed = Dice::new(dice.state.wrapping_add(part));
            Dice::new(mixed.number())
        })
    }

    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`, which is at least 1: the upper 64 bits of the next number times the
    /// limit.
    pub fn below(&mut self, limit: u64) -> u64 {
        ((u128::from(self.number()) * u128::from(limit.max(1))) >> 64) as u64
    }

    /// A number of a range.
    pub fn within(&mut self, range: RangeInclusive<u64>) -> u64 {
        range.start() + self.below(range.end() - range.start() + 1)
    }

    /// One of some items, of which there is at least one.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len() as u64) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_the_paper() {
        // The first numbers for the seed 1234567 as the reference implementation (splitmix64.c by
        // S. Vigna) gives them.
        let mut dice = Dice::new(1_234_567);
        let numbers: Vec<u64> = (0..3).map(|_| dice.number()).collect();
        assert_eq!(numbers, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn every_number_of_a_range_comes_up() {
        let mut dice = Dice::of(7, &[1, 2]);
        let mut met = [0; 6];
        (0..600).for_each(|_| met[dice.within(1..=6) as usize - 1] += 1);
        assert!(met.iter().all(|&times| times > 60), "{met:?}");
        assert_ne!(Dice::of(7, &[1, 2]), Dice::of(7, &[2, 1]));
    }
}
