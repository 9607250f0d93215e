//! How hard an instance is.

/// How hard an instance is, from 1 to 3.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Difficulty(u8);

impl Difficulty {
    /// The easiest, the usual one and the hardest.
    pub const ALL: [Difficulty; 3] = [Difficulty(1), Difficulty(2), Difficulty(3)];

    /// The difficulty of this number.
    pub fn new(number: u8) -> Option<Difficulty> {
        (1..=3).contains(&number).then_some(Difficulty(number))
    }

    /// Its number.
    pub const fn number(self) -> u8 {
        self.0
    }

    /// The value for this difficulty.
    pub(in crate::exercise) fn of<T: Copy>(self, values: [T; 3]) -> T {
        values[usize::from(self.0) - 1]
    }
}

impl Default for Difficulty {
    fn default() -> Difficulty {
        Difficulty(2)
    }
}
