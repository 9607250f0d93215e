//! Random numbers as Python's module `random` makes them: the Mersenne Twister MT19937.

/// Words of the state.
const WORDS: usize = 624;

/// A generator of Python's random numbers.
pub struct Random {
    words: [u32; WORDS],
    next: usize,
}

impl Random {
    /// Returns the generator after `random.seed(seed)`.
    pub fn new(seed: u32) -> Random {
        let mut words = [0u32; WORDS];
        words[0] = 19_650_218;
        for i in 1..WORDS {
            words[i] = mixed(words[i - 1]).wrapping_mul(1_812_433_253).wrapping_add(i as u32);
        }
        let mut at = 1;
        // The key has one word, so its index is always 0.
        for _ in 0..WORDS {
            words[at] = (words[at] ^ mixed(words[at - 1]).wrapping_mul(1_664_525)).wrapping_add(seed);
            at = following(&mut words, at);
        }
        for _ in 1..WORDS {
            words[at] = (words[at] ^ mixed(words[at - 1]).wrapping_mul(1_566_083_941)).wrapping_sub(at as u32);
            at = following(&mut words, at);
        }
        words[0] = 1 << 31;
        Random { words, next: WORDS }
    }

    /// Returns the next 32 bits.
    pub fn bits(&mut self) -> u32 {
        if self.next == WORDS {
            for k in 0..WORDS {
                let joined = (self.words[k] & 0x8000_0000) | (self.words[(k + 1) % WORDS] & 0x7fff_ffff);
                let twist = if joined & 1 == 1 { 0x9908_b0df } else { 0 };
                self.words[k] = self.words[(k + 397) % WORDS] ^ (joined >> 1) ^ twist;
            }
            self.next = 0;
        }
        let mut y = self.words[self.next];
        self.next += 1;
        y ^= y >> 11;
        y ^= (y << 7) & 0x9d2c_5680;
        y ^= (y << 15) & 0xefc6_0000;
        y ^ (y >> 18)
    }

    /// Returns `random.randint(0, count - 1)`; none if there is nothing to choose from. Even a
    /// choice of one uses up bits.
    pub fn below(&mut self, count: u32) -> Option<u32> {
        let bits = u32::BITS - count.leading_zeros();
        if count == 0 {
            return None;
        }
        loop {
            let drawn = self.bits() >> (u32::BITS - bits);
            if drawn < count {
                return Some(drawn);
            }
        }
    }
}

fn mixed(word: u32) -> u32 {
    word ^ (word >> 30)
}

/// The index after this one; the first word takes over the last when the end is reached.
fn following(words: &mut [u32; WORDS], at: usize) -> usize {
    if at + 1 < WORDS {
        return at + 1;
    }
    words[0] = words[WORDS - 1];
    1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_python() {
        let mut random = Random::new(1);
        let first = [577_090_037, 2_444_712_010, 3_639_700_191, 3_445_702_192, 3_280_387_012];
        assert_eq!(first.map(|_| random.bits()), first);
        let mut random = Random::new(1);
        let first = [17, 72, 97, 8, 32, 15, 63, 97, 57, 60];
        assert_eq!(first.map(|_| random.below(101)), first.map(Some));
        assert_eq!((random.below(0), random.below(1)), (None, Some(0)));
    }
}
