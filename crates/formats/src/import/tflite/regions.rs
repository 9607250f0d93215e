//! Memory of an accelerator. A model that was compiled for one has operands that no operator makes,
//! whose bytes the file's plan shares with those of other tensors: inside them, the accelerator's
//! program uses places that it alone knows. Such an operand and the tensors that share its bytes
//! are one region.

/// A tensor that the file's plan places.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlacedTensor {
    /// Index in the file.
    pub tensor: usize,
    /// First byte, and the one behind the last.
    pub bytes: (u64, u64),
    /// First step, and the one behind the last.
    pub steps: (u64, u64),
    /// Whether an operator reads it, but nothing makes it.
    pub is_sourceless: bool,
}

/// Tensors that share the bytes of an operand that no operator makes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Region {
    /// Indices in the file.
    pub tensors: Vec<usize>,
    /// First byte, and the one behind the last.
    pub bytes: (u64, u64),
    steps: (u64, u64),
}

/// How often all tensors are looked at for a region that grows; then it takes all of them.
const MOST_ROUNDS: usize = 64;

/// Most operands that no operator makes that are looked at.
const MOST_OPERANDS: usize = 256;

fn meet(a: (u64, u64), b: (u64, u64)) -> bool {
    a.0 < b.1 && b.0 < a.1
}

fn joined(a: (u64, u64), b: (u64, u64)) -> (u64, u64) {
    (a.0.min(b.0), a.1.max(b.1))
}

impl Region {
    fn meets(&self, other: &PlacedTensor) -> bool {
        meet(self.bytes, other.bytes) && meet(self.steps, other.steps)
    }

    fn take(&mut self, other: &PlacedTensor) {
        self.tensors.push(other.tensor);
        self.bytes = joined(self.bytes, other.bytes);
        self.steps = joined(self.steps, other.steps);
    }
}

/// Returns the region around the operands that no operator makes; none if they share no bytes with
/// other tensors. There is one region at most: a program that uses several such operands has them
/// in one memory.
pub fn region(placed: &[PlacedTensor]) -> Option<Region> {
    let meets = |one: &PlacedTensor, two: &PlacedTensor| {
        one.tensor != two.tensor && meet(one.bytes, two.bytes) && meet(one.steps, two.steps)
    };
    let sourceless: Vec<&PlacedTensor> = placed.iter().filter(|one| one.is_sourceless).take(MOST_OPERANDS).collect();
    let shares = |one: &&PlacedTensor| placed.iter().any(|two| meets(one, two));
    let mut operands = sourceless.into_iter().filter(shares);
    let first = operands.next()?;
    let mut region = Region { tensors: Vec::new(), bytes: first.bytes, steps: first.steps };
    // Operands of this kind belong together even where they lie apart.
    for other in operands {
        region.bytes = joined(region.bytes, other.bytes);
        region.steps = joined(region.steps, other.steps);
    }
    let mut left: Vec<&PlacedTensor> = placed.iter().collect();
    for round in 0.. {
        let before = left.len();
        left.retain(|one| {
            let is_taken = round >= MOST_ROUNDS || region.meets(one);
            if is_taken {
                region.take(one);
            }
            !is_taken
        });
        if left.len() == before {
            break;
        }
    }
    region.tensors.sort_unstable();
    Some(region)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placed(tensor: usize, bytes: (u64, u64), steps: (u64, u64), is_sourceless: bool) -> PlacedTensor {
        PlacedTensor { tensor, bytes, steps, is_sourceless }
    }

    #[test]
    fn a_region_grows_until_nothing_else_shares_its_bytes() {
        // Tensor 2 meets the operand only through tensor 1; tensor 3 lies above them, 4 comes
        // later.
        let all = [
            placed(0, (0, 100), (0, 2), true),
            placed(1, (90, 150), (1, 4), false),
            placed(2, (140, 200), (3, 6), false),
            placed(3, (200, 300), (0, 9), false),
            placed(4, (0, 50), (6, 9), false),
        ];
        let found = region(&all).expect("one region");
        assert_eq!((found.tensors, found.bytes), (vec![0, 1, 2], (0, 200)));
    }

    #[test]
    fn what_shares_no_bytes_is_no_region() {
        assert_eq!(region(&[placed(0, (0, 100), (0, 2), true), placed(1, (100, 150), (0, 2), false)]), None);
        // Two of a kind that are made are for the checker of plans.
        assert_eq!(region(&[placed(0, (0, 100), (0, 2), false), placed(1, (0, 100), (0, 2), false)]), None);
    }
}
