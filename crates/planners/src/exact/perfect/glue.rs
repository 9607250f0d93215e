//! Joins blocks that must lie side by side when every step is full.
//!
//! At a border between two steps some blocks end and others begin, and both have the same sum,
//! since both steps are full. Blocks that go on keep their places, so each free stretch between
//! them has the same sum of ending and beginning blocks, too. Sets with equal sums that cannot be
//! divided any further lie in one stretch. Three joins follow:
//!
//! * **Stack**: blocks of such a set that share their other end as well become one block of their
//!   total size.
//! * **Row**: if one block ends and one begins, of the same size, the second goes on where the
//!   first ended.
//! * **Wheel**: five blocks around each other, which no stack and no row can join:
//!
//! ```text
//!     left left top  top
//!     left left top  top
//!     left left mid  right
//!     low  low  low  right
//!     low  low  low  right
//!     from a border, to another
//! ```

use super::Random;

/// Most blocks at one side of a border that are looked at: all their subsets are.
const MAX_SIDE: usize = 11;

/// Most equal sums at a border: with more, nothing follows from them.
const MAX_SUMS: usize = 4_000;

/// A rectangle of buffers.
#[derive(Clone, Debug)]
pub struct Block {
    /// In units.
    pub size: i32,
    /// First step, and first after it.
    pub from: u32,
    pub to: u32,
    /// Items with their offsets in the block, in units.
    pub parts: Vec<(u32, i32)>,
}

/// Blocks that end and blocks that begin at a border, with the same sum; no part of both sides has.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Balance {
    ending: Vec<usize>,
    beginning: Vec<usize>,
}

struct Glue {
    blocks: Vec<Option<Block>>,
    /// Blocks that begin and that end at each border.
    beginning: Vec<Vec<usize>>,
    ending: Vec<Vec<usize>>,
}

/// Joins until nothing more follows. `daring` is the chance in percent that it then goes on with a
/// guess.
pub fn join(blocks: Vec<Block>, steps: usize, daring: usize, random: &mut Random) -> Vec<Block> {
    let mut glue =
        Glue { blocks: Vec::new(), beginning: vec![Vec::new(); steps + 1], ending: vec![Vec::new(); steps + 1] };
    blocks.into_iter().for_each(|block| glue.add(block));
    let mut borders: Vec<usize> = (1..steps).collect();
    loop {
        random.shuffle(&mut borders);
        let Some(balances) = glue.join_forced(&borders) else { continue };
        if glue.join_wheel(&balances) || random.below(100) < daring && glue.guess(&balances, random) {
            continue;
        }
        return glue.blocks.into_iter().flatten().collect();
    }
}

impl Glue {
    fn block(&self, index: usize) -> &Block {
        self.blocks[index].as_ref().expect("only blocks that are left are listed")
    }

    fn add(&mut self, block: Block) {
        let index = self.blocks.len();
        self.beginning[block.from as usize].push(index);
        self.ending[block.to as usize].push(index);
        self.blocks.push(Some(block));
    }

    fn take(&mut self, index: usize) -> Block {
        let block = self.blocks[index].take().expect("only blocks that are left are listed");
        self.beginning[block.from as usize].retain(|&other| other != index);
        self.ending[block.to as usize].retain(|&other| other != index);
        block
    }

    /// Makes one block of some at their offsets in it.
    fn merge(&mut self, members: &[(usize, i32)], size: i32) {
        let (mut from, mut to, mut parts) = (u32::MAX, 0, Vec::new());
        for &(index, offset) in members {
            let block = self.take(index);
            (from, to) = (from.min(block.from), to.max(block.to));
            parts.extend(block.parts.into_iter().map(|(item, above)| (item, above + offset)));
        }
        self.add(Block { size, from, to, parts });
    }

    /// Puts blocks of the same steps on each other.
    fn stack(&mut self, members: &[usize]) {
        let mut size = 0;
        let at = |&index: &usize| {
            let offset = size;
            size += self.block(index).size;
            (index, offset)
        };
        let members: Vec<(usize, i32)> = members.iter().map(at).collect();
        self.merge(&members, size);
    }

    fn stacks(&self, members: &[usize]) -> bool {
        let steps = |&index: &usize| (self.block(index).from, self.block(index).to);
        members.len() > 1 && members.iter().all(|member| steps(member) == steps(&members[0]))
    }

    /// What follows from a balance, if anything does.
    fn join(&mut self, Balance { ending, beginning }: &Balance) -> bool {
        let (stack_before, stack_after) = (self.stacks(ending), self.stacks(beginning));
        if stack_before {
            self.stack(ending);
        }
        if stack_after {
            self.stack(beginning);
        }
        let is_row = ending.len() == 1 && beginning.len() == 1;
        if is_row {
            let size = self.block(ending[0]).size;
            self.merge(&[(ending[0], 0), (beginning[0], 0)], size);
        }
        stack_before || stack_after || is_row
    }

    fn is_joined(&self, balance: &Balance) -> bool {
        self.stacks(&balance.ending)
            || self.stacks(&balance.beginning)
            || balance.ending.len() == 1 && balance.beginning.len() == 1
    }

    /// Joins what has no other choice at each border; none if anything was joined, or the balances
    /// of all borders.
    fn join_forced(&mut self, borders: &[usize]) -> Option<Vec<Vec<Balance>>> {
        let mut all: Vec<Vec<Balance>> = vec![Vec::new(); self.ending.len()];
        let mut any = false;
        for &border in borders {
            loop {
                let balances = self.balances(border);
                let meets = |one: &[usize], other: &[usize]| one.iter().any(|index| other.contains(index));
                let is_alone = |balance: &&Balance| {
                    let clashes = |other: &&Balance| {
                        meets(&other.ending, &balance.ending) || meets(&other.beginning, &balance.beginning)
                    };
                    balances.iter().filter(clashes).count() == 1
                };
                let Some(forced) = balances.iter().find(|balance| self.is_joined(balance) && is_alone(balance)) else {
                    all[border] = balances;
                    break;
                };
                self.join(forced);
                any = true;
            }
        }
        (!any).then_some(all)
    }

    /// Joins one of the smallest balances that are not the only choice.
    fn guess(&mut self, balances: &[Vec<Balance>], random: &mut Random) -> bool {
        let size = |balance: &Balance| balance.ending.len() + balance.beginning.len();
        let mut open: Vec<&Balance> = balances.iter().flatten().filter(|balance| self.is_joined(balance)).collect();
        random.shuffle(&mut open);
        let least = open.iter().map(|balance| size(balance)).min().unwrap_or(0) + random.below(2);
        open.iter().find(|balance| size(balance) <= least).is_some_and(|balance| self.join(balance))
    }

    /// Joins the first five blocks that lie around each other.
    fn join_wheel(&mut self, balances: &[Vec<Balance>]) -> bool {
        let wheel = balances.iter().flatten().find_map(|first| {
            let ([left], &[one, other]) = (&first.ending[..], &first.beginning[..]) else { return None };
            [(one, other), (other, one)].into_iter().find_map(|(mid, top)| {
                let border = self.block(mid).to as usize;
                balances[border].iter().find_map(|second| {
                    let (&[one, other], &[right]) = (&second.ending[..], &second.beginning[..]) else { return None };
                    let low = if one == mid { other } else { one };
                    let is_wheel = (one == mid || other == mid)
                        && low != top
                        && self.block(*left).from == self.block(low).from
                        && self.block(top).to == self.block(right).to;
                    is_wheel.then_some([low, *left, mid, right, top])
                })
            })
        });
        let Some([low, left, mid, right, top]) = wheel else { return false };
        let (below, beside) = (self.block(low).size, self.block(right).size);
        let size = below + self.block(left).size;
        self.merge(&[(low, 0), (right, 0), (mid, below), (left, below), (top, beside)], size);
        true
    }

    /// The balances of a border, those of few blocks first; none if there are too many to be of
    /// use.
    fn balances(&self, border: usize) -> Vec<Balance> {
        let (before, after) = (&self.ending[border], &self.beginning[border]);
        if before.is_empty() || after.is_empty() || before.len() > MAX_SIDE || after.len() > MAX_SIDE {
            return Vec::new();
        }
        let sums = |side: &[usize]| -> Vec<(i64, u32)> {
            let mut sums = vec![(0, 0)];
            for (bit, &index) in side.iter().enumerate() {
                let size = i64::from(self.block(index).size);
                sums.extend_from_within(..);
                let half = sums.len() / 2;
                sums[half..].iter_mut().for_each(|(sum, set)| (*sum, *set) = (*sum + size, *set | 1 << bit));
            }
            sums.swap_remove(0);
            sums.sort_unstable();
            sums
        };
        let (ours, theirs) = (sums(before), sums(after));
        let mut equal: Vec<(u32, u32)> = Vec::new();
        for &(sum, set) in &ours {
            let from = theirs.partition_point(|&(other, _)| other < sum);
            let same = theirs[from..].iter().take_while(|&&(other, _)| other == sum);
            equal.extend(same.map(|&(_, other)| (set, other)));
            if equal.len() > MAX_SUMS {
                return Vec::new();
            }
        }
        equal.sort_by_key(|&(one, other)| (one.count_ones() + other.count_ones(), one, other));
        let mut least: Vec<(u32, u32)> = Vec::new();
        for (one, other) in equal {
            let is_divided = least.iter().any(|&(part, rest)| one & part == part && other & rest == rest);
            if !is_divided {
                least.push((one, other));
            }
        }
        let members = |side: &[usize], set: u32| {
            let chosen = side.iter().enumerate().filter(|(bit, _)| set >> bit & 1 == 1);
            chosen.map(|(_, &index)| index).collect()
        };
        let balance = |(one, other)| Balance { ending: members(before, one), beginning: members(after, other) };
        least.into_iter().map(balance).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks of some sizes and steps, one part each.
    fn blocks(list: &[(i32, u32, u32)]) -> Vec<Block> {
        let block = |(&(size, from, to), item)| Block { size, from, to, parts: vec![(item, 0)] };
        list.iter().zip(0..).map(block).collect()
    }

    fn joined(list: &[(i32, u32, u32)], steps: usize) -> Vec<Block> {
        join(blocks(list), steps, 0, &mut Random::new(1))
    }

    #[test]
    fn cuts_are_undone() {
        // A rectangle of 10 units and 4 steps: cut at step 2, the left half into 3 and 7, the right
        // one into 6 and 4.
        let whole = joined(&[(3, 0, 2), (7, 0, 2), (6, 2, 4), (4, 2, 4)], 4);
        assert_eq!(whole.len(), 1);
        let Block { size, from, to, parts } = &whole[0];
        assert_eq!((*size, *from, *to), (10, 0, 4));
        assert_eq!(parts, &[(0, 0), (1, 3), (2, 0), (3, 6)]);
    }

    #[test]
    fn a_wheel_is_put_together() {
        // low 2 x [0,3), right 3 x [3,4), top 2 x [2,4), left 3 x [0,2), mid 1 x [2,3)
        let whole = joined(&[(2, 0, 3), (3, 3, 4), (2, 2, 4), (3, 0, 2), (1, 2, 3)], 4);
        assert_eq!(whole.len(), 1);
        let mut parts = whole[0].parts.clone();
        parts.sort_unstable();
        assert_eq!((whole[0].size, parts), (5, vec![(0, 0), (1, 0), (2, 3), (3, 2), (4, 2)]));
    }

    #[test]
    fn a_choice_is_left_alone_without_daring() {
        // Two end and two begin, all of one size: either may go on as either.
        let two = [(2, 0, 2), (2, 1, 2), (2, 2, 4), (2, 2, 3)];
        assert_eq!(joined(&two, 4).len(), 4);
        assert!(join(blocks(&two), 4, 100, &mut Random::new(1)).len() < 4);
    }
}
