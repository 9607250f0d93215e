//! What is placed, what that leaves room for, and how it is taken back. Every number is in units of the model.

use super::model::{Member, Model};

/// Lowest offset of a buffer that is placed: larger than any other, so that it is never below anything.
pub const PLACED: i32 = i32::MAX / 2;

/// Why a buffer cannot go where it was tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reject {
    /// Another buffer is pushed so high that it ends above the capacity, by so many units, or above its stated position.
    Pushed { other: u32, by: i32 },
    /// What is still to be placed in a section would end above the capacity.
    Section { section: u32, by: i32 },
}

/// The buffers placed so far. Lists of a fixed length are boxed: an index into a `Vec` is a call where code is kept small.
pub struct PartialPacking<'a> {
    pub model: &'a Model,
    pub capacity: i32,
    /// Lowest offset that is still possible, by item.
    pub lowest: Box<[i32]>,
    /// Sum of what is not placed yet, by section.
    pub totals: Box<[i32]>,
    /// Number of buffers not placed yet that hold section `k` and the one after it together.
    cuts: Box<[i32]>,
    /// A member of each section that was low enough when it was looked for last.
    witness: Box<[Member]>,
    /// Round of [`PartialPacking::stuck`] in which a section was looked at last.
    held: Box<[u64]>,
    round: u64,
    /// Former values of `lowest`.
    log: Vec<(u32, i32)>,
    /// Buffers that were passed over, with their lowest offsets while other ones stand in for them.
    lifted: Vec<(u32, i32)>,
}

impl<'a> PartialPacking<'a> {
    pub fn new(model: &'a Model) -> PartialPacking<'a> {
        let (items, sections) = (model.items.len(), model.loads.len());
        PartialPacking {
            model,
            capacity: 0,
            lowest: vec![0; items].into(),
            totals: vec![0; sections].into(),
            cuts: vec![0; sections].into(),
            witness: model.sections.iter().map(|members| members[0]).collect(),
            held: vec![0; sections].into(),
            round: 0,
            log: Vec::new(),
            lifted: Vec::new(),
        }
    }

    /// Nothing placed.
    pub fn reset(&mut self, capacity: i32) {
        let model = self.model;
        self.capacity = capacity;
        self.lowest.iter_mut().zip(&model.items).for_each(|(lowest, item)| *lowest = item.fixed.unwrap_or(0));
        self.totals.copy_from_slice(&model.loads);
        self.cuts.fill(0);
        for item in &model.items {
            let (from, to) = item.reach;
            self.cuts[from as usize..to.saturating_sub(1).max(from) as usize].iter_mut().for_each(|cut| *cut += 1);
        }
        self.witness.iter_mut().zip(model.sections.iter()).for_each(|(witness, members)| *witness = members[0]);
        self.log.clear();
    }

    pub fn is_placed(&self, item: u32) -> bool {
        self.lowest[item as usize] == PLACED
    }

    /// A mark to take back to.
    pub fn mark(&self) -> u32 {
        self.log.len() as u32
    }

    /// The section that a buffer at `offset` leaves no room for.
    pub fn fullest(&self, sections: (u32, u32), offset: i32) -> Reject {
        let over = |section: &u32| self.totals[*section as usize] + offset - self.capacity;
        let section = (sections.0..sections.1).max_by_key(over).unwrap_or(sections.0);
        Reject::Section { section, by: over(&section) }
    }

    /// Places a buffer and raises what it overlaps. Returns true if all its neighbours were placed before.
    pub fn place(&mut self, item: u32, offset: i32) -> Result<bool, Reject> {
        let model = self.model;
        self.log.push((item, self.lowest[item as usize]));
        self.lowest[item as usize] = PLACED;
        for piece in model.pieces.of(item) {
            self.totals[piece.from as usize..piece.to as usize].iter_mut().for_each(|total| *total -= piece.height);
        }
        let own = model.pieces.of(item);
        let (mut from, mut to) = (own.first().map_or(0, |piece| piece.from), own.last().map_or(0, |piece| piece.to));
        let mut neighbours_placed = true;
        for &neighbour in model.neighbours.of(item) {
            let before = self.lowest[neighbour.item as usize];
            neighbours_placed &= before == PLACED;
            let raised = offset + neighbour.rise;
            if raised <= before {
                continue;
            }
            let other = &model.items[neighbour.item as usize];
            let raised = align_up(raised, other.align);
            self.log.push((neighbour.item, before));
            self.lowest[neighbour.item as usize] = raised;
            let end = raised + other.size - self.capacity;
            let above = other.fixed.map_or(0, |fixed| raised - fixed);
            if end > 0 || above > 0 {
                return Err(Reject::Pushed { other: neighbour.item, by: end.max(above) });
            }
            (from, to) = (from.min(other.reach.0), to.max(other.reach.1));
        }
        for section in from..to {
            self.check(section)?;
        }
        Ok(neighbours_placed)
    }

    /// Some buffer of the section can still lie low enough for all of them to fit above each other.
    fn check(&mut self, section: u32) -> Result<(), Reject> {
        let total = self.totals[section as usize];
        if total == 0 {
            return Ok(());
        }
        let highest = self.capacity - total;
        if self.low(&self.witness[section as usize]) <= highest {
            return Ok(());
        }
        let mut floor = PLACED;
        for member in self.model.sections.of(section) {
            let low = self.low(member);
            if low <= highest {
                self.witness[section as usize] = *member;
                return Ok(());
            }
            floor = floor.min(low);
        }
        Err(Reject::Section { section, by: floor - highest })
    }

    /// Lowest offset of what a buffer has in use in a section.
    #[inline(always)]
    fn low(&self, member: &Member) -> i32 {
        self.lowest[member.item as usize] + member.low
    }

    pub fn unplace(&mut self, item: u32, log: u32) {
        for (item, lowest) in self.log.drain(log as usize..).rev() {
            self.lowest[item as usize] = lowest;
        }
        for piece in self.model.pieces.of(item) {
            self.totals[piece.from as usize..piece.to as usize].iter_mut().for_each(|total| *total += piece.height);
        }
    }

    /// Takes a placed buffer out of the borders it crosses; the ranges that `sections` falls into, if it does.
    pub fn cut(&mut self, item: u32, sections: (u32, u32)) -> Option<Vec<(u32, u32)>> {
        let (from, to) = self.model.items[item as usize].reach;
        let (mut ranges, mut start) = (Vec::new(), sections.0);
        for border in from..to.saturating_sub(1).max(from) {
            let cut = &mut self.cuts[border as usize];
            *cut -= 1;
            if *cut == 0 {
                ranges.push((start, border + 1));
                start = border + 1;
            }
        }
        if ranges.is_empty() {
            return None;
        }
        ranges.push((start, sections.1));
        Some(ranges)
    }

    pub fn uncut(&mut self, item: u32) {
        let (from, to) = self.model.items[item as usize].reach;
        self.cuts[from as usize..to.saturating_sub(1).max(from) as usize].iter_mut().for_each(|cut| *cut += 1);
    }

    /// The first of `members` that can no longer be placed if the next buffer lies at `offset` or above, and there has at least
    /// `rank`. Those that come before it were passed over, so they must end up on a buffer that is still to be placed: on the
    /// lowest possible end of one in their way. None if all of them can.
    pub fn stuck(&mut self, members: &[u32], offset: i32, rank: u32) -> Option<u32> {
        let model = self.model;
        self.lifted.clear();
        for (place, &item) in (0..).zip(members) {
            let own = self.lowest[item as usize];
            if own > offset || own == offset && place >= rank {
                continue;
            }
            let mut end = PLACED;
            for there in model.neighbours.of(item) {
                let low = self.lowest[there.item as usize];
                if low != PLACED {
                    end = end.min(low.max(offset) + model.sizes[there.item as usize]);
                }
            }
            let above = model.items[item as usize].fixed.is_some_and(|fixed| end > fixed);
            if above || end > self.capacity - model.sizes[item as usize] {
                return Some(item);
            }
            self.lifted.push((item, end));
        }
        let mut lifted = std::mem::take(&mut self.lifted);
        let swap = |state: &mut Self, lifted: &mut [(u32, i32)]| {
            lifted.iter_mut().for_each(|(item, low)| std::mem::swap(low, &mut state.lowest[*item as usize]));
        };
        swap(self, &mut lifted);
        // A section that holds does so for all of them.
        self.round += 1;
        let holds = |state: &mut Self, item: u32| {
            let mut sections = model.pieces.of(item).iter().flat_map(|piece| piece.from..piece.to);
            sections.all(|section| {
                let seen = std::mem::replace(&mut state.held[section as usize], state.round);
                seen == state.round || state.check(section).is_ok()
            })
        };
        let stuck = lifted.iter().map(|(item, _)| *item).find(|&item| !holds(self, item));
        swap(self, &mut lifted);
        self.lifted = lifted;
        stuck
    }
}

fn align_up(offset: i32, align: i32) -> i32 {
    if align == 1 { offset } else { (offset + align - 1) / align * align }
}
